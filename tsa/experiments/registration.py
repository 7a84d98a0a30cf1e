"""How often the sets of two noisy pictures hold the true turn, and how far off the best turn is, by kind of picture.

Pictures are drawn at full resolution, turned there by Pillow, which shares no code with this package, and reduced to
the size of the patch by means over squares. White noise is added to the patch or to the pixels. The rival is the
cross-correlation of the same patches in polar coordinates.
"""

import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import fft, sparse
from threadpoolctl import threadpool_limits

from tsa._base import Array, InputError
from tsa.density import Mixture
from tsa.experiments.picture_kinds import Drawing, kinds
from tsa.files import load
from tsa.groups import ImageRotation
from tsa.model import Subgroup
from tsa.pictures import patches_of_pictures
from tsa.registration import (
    DECIDED,
    FINE,
    Camera,
    Hyperprior,
    NoisyPlanes,
    PlanePair,
    covered,
    crop_to_turn,
    find_noise,
    noisy_pair,
    pair_posterior,
    photo_side,
    register_patches,
    turned,
)

_SPOKES, _POLAR_ANGLES = 720, 8192
_BATCH = 100  # pairs that are registered at once
_RESAMPLES = 200  # for the standard error of a ratio of medians
LEVELS = (0.5, 0.8, 0.95)
_SIGMAS = (0.05, 0.1, 0.2, 0.3)
NOISES = (*((s, s) for s in _SIGMAS), *((0.0, s) for s in _SIGMAS), (0.05, 0.2))  # of x and y
UNKNOWN = tuple((s, s) for s in _SIGMAS)  # σ is estimated from each pair


class Cell(NamedTuple):
    """The results of many pairs of one kind and noise; coverage in per cent, angles in degrees, times in seconds.

    `gain` is by how many per cent the median error is below that of polar correlation, `gain_error` its standard error.
    """

    coverage: tuple[float, ...]
    width: float
    error: float
    polar_error: float
    gain: float
    gain_error: float
    seconds: float
    polar_seconds: float


@dataclass(frozen=True, eq=False)
class Pairs:
    """Clean pictures x and y (n, size, size) in 0…1, the turns between them (n,) and the orders of symmetry (n,)."""

    x: Array
    y: Array
    turn: Array
    order: Array


def make_pairs(draw: Drawing, size: int, n: int, seed: int) -> Pairs:
    """n pairs turned at full resolution by Pillow, about the middle of what the patch shows."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        picture, order = draw(rng)
        photo = picture.shape != (FINE, FINE)
        side = photo_side(size) if photo else FINE // size * size
        picture = crop_to_turn(picture, side, rng) if photo else picture
        start = 0.0 if photo else rng.uniform(0, 360)
        turn = rng.uniform(0, 360)
        rows.append((*(turned(picture, angle, side, size) for angle in (start, start + turn)), np.radians(turn), order))
    x, y, turns, orders = (np.array(column) for column in zip(*rows, strict=True))
    return Pairs(x, y, turns, orders)


def measure(model: Subgroup, pairs: Pairs, noise: tuple[float, float], where: str, known: bool, seed: int = 5) -> Cell:
    """Coverage, widths and errors of the posterior on noisy pairs, and the errors of polar cross-correlation."""
    size = pairs.x.shape[1]
    x, y = noisy_patches(pairs, noise, where, seed)
    planes = NoisyPlanes.of(model, Camera(size, size, where))
    sigmas = noise if known else None
    _answer(planes, x[:1], y[:1], sigmas)  # tables that are made once
    polar_correlation(x[:1], y[:1], size)
    seconds = polar_seconds = 0.0
    inside, width, best, rival = (list[Array]() for _ in range(4))
    for start in range(0, len(x), _BATCH):
        rows = slice(start, start + _BATCH)
        begun = time.process_time()
        density, mode = _answer(planes, x[rows], y[rows], sigmas)
        between = time.process_time()
        rival.append(polar_correlation(x[rows], y[rows], size))
        seconds, polar_seconds = seconds + between - begun, polar_seconds + time.process_time() - between
        found = [covered(density, pairs.turn[rows], level) for level in LEVELS]
        inside.append(np.stack([part for part, _ in found]))
        width.append(found[-1][1])
        best.append(mode)
    coverage = tuple(100 * float(share) for share in np.concatenate(inside, axis=1).mean(axis=1))
    ours, its = (_error(np.concatenate(angle), pairs) for angle in (best, rival))
    gain, uncertainty = _gain(ours, its)
    wide = float(np.degrees(np.median(np.concatenate(width))))
    times = seconds / len(x), polar_seconds / len(x)
    return Cell(coverage, wide, float(np.median(ours)), float(np.median(its)), gain, uncertainty, *times)


def _answer(planes: NoisyPlanes, x: Array, y: Array, noise: tuple[float, float] | None) -> tuple[Mixture, Array]:
    """The posterior of patches (n, D) and its modes (n,), its 95 % sets found too; σ of x and y, or to be found."""
    pair = PlanePair.of(planes, x, y)
    sigma = np.tile(find_noise(planes, pair), (2, 1)) if noise is None else np.outer(noise, np.ones(len(x)))
    density = pair_posterior(planes, noisy_pair(planes, pair, *sigma), Hyperprior()).density
    mode = density.mode()
    density.credible_set(LEVELS[-1])
    return density, mode


def _gain(ours: Array, its: Array) -> tuple[float, float]:
    """By how many per cent our median error is below the rival's on the same pairs, and the standard error of that."""

    def of(rows: Array) -> Array:
        return 100 * (1 - np.median(ours[rows], axis=-1) / np.median(its[rows], axis=-1))

    again = np.random.default_rng(0).integers(len(ours), size=(_RESAMPLES, len(ours)))
    return float(of(np.arange(len(ours)))), float(np.std(of(again)))


def noisy_patches(pairs: Pairs, noise: tuple[float, float], where: str = "patch", seed: int = 5) -> tuple[Array, Array]:
    """Patches x and y (n, D) of clean pictures, with white noise of these σ on the patch or on the pixels."""
    rng = np.random.default_rng(seed)
    x, y = (_noisy_patches(p, s, where, rng) for p, s in zip((pairs.x, pairs.y), noise, strict=True))
    return x, y


def _noisy_patches(pictures: Array, sigma: float, where: str, rng: np.random.Generator) -> Array:
    size = pictures.shape[1]
    white = sigma * rng.standard_normal((len(pictures), size * size))
    if where == "pixels":
        return patches_of_pictures(pictures + white.reshape(pictures.shape), size)
    noise = np.zeros_like(white)
    inside = ImageRotation(size).support
    noise[:, inside] = white[:, inside]
    return patches_of_pictures(pictures, size) + noise


def _error(angle: Array, pairs: Pairs) -> Array:
    """Degrees between the found and the true turn, modulo the symmetry of the picture."""
    period = 2 * np.pi / pairs.order
    return np.degrees(np.abs(np.mod(angle - pairs.turn + period / 2, period) - period / 2))


def polar_correlation(x: Array, y: Array, size: int) -> Array:
    """The rival: the turn at which patches (n, D), unrolled to 720 spokes, correlate most, on 8,192 angles: (n,)."""
    spectra = [
        fft.rfft((_polar_operator(size) @ p.T).reshape(size, _SPOKES, -1), axis=1)
        * np.sqrt(_radii(size))[:, None, None]
        for p in (x, y)
    ]
    product = (spectra[0].conj() * spectra[1] * np.sqrt(_radii(size))[:, None, None]).sum(axis=0)
    correlation = fft.irfft(product, _POLAR_ANGLES, axis=0)
    return np.argmax(correlation, axis=0) * (2 * np.pi / _POLAR_ANGLES)


def _radii(size: int) -> Array:
    return (np.arange(size) + 0.5) / size


@lru_cache(maxsize=4)
def _polar_operator(size: int) -> sparse.csr_array:
    """From patches to rings × spokes by cubic convolution, as a sparse matrix (size·720, D)."""
    angle = 2 * np.pi * np.arange(_SPOKES) / _SPOKES
    radius = _radii(size)[:, None] * size / 2
    place = [(size - 1) / 2 + sign * radius * f(angle) for sign, f in ((-1, np.sin), (1, np.cos))]
    rows, columns = (_cubic(p.ravel(), size) for p in place)
    weight = rows[1][:, None] * columns[1][None]
    pixel = rows[0][:, None] * size + columns[0][None]
    point = np.broadcast_to(np.arange(size * _SPOKES), weight.shape)
    shape = (size * _SPOKES, size * size)
    return sparse.csr_array((weight.ravel(), (point.ravel(), pixel.ravel())), shape=shape)


def _cubic(position: Array, size: int) -> tuple[Array, Array]:
    """The four pixels beside each position and their weights (Keys, a = −½): (4, m) each; edges are repeated."""
    base = np.floor(position).astype(int)
    t = np.abs(position - base - np.arange(-1, 3)[:, None])
    near, far = 1.5 * t**3 - 2.5 * t**2 + 1, -0.5 * t**3 + 2.5 * t**2 - 4 * t + 2
    return np.clip(base + np.arange(-1, 3)[:, None], 0, size - 1), np.where(t <= 1, near, far)


class Verdicts(NamedTuple):
    """How often pairs are called the same picture turned, and how often explained by no turn; in per cent."""

    explained: float
    unexplained: float


def verdicts(model: Subgroup, pairs: Pairs, noise: float, different: bool) -> Verdicts:
    """What `register` says of the pairs, or of pairs of `different` pictures, with noise on the pixels."""
    size = pairs.x.shape[1]
    rng = np.random.default_rng(3)
    pictures = pairs.x, np.roll(pairs.y, 1, axis=0) if different else pairs.y
    x, y = (_noisy_patches(p, noise, "pixels", rng) for p in pictures)
    z = register_patches(model, x, y, camera=Camera(size, size)).z_score
    return Verdicts(100 * float(np.mean(z > DECIDED)), 100 * float(np.mean(z < -DECIDED)))


def run_registration(
    names: tuple[str, ...] = ("rotation-28", "rotation-16-refined"),
    pairs: int = 300,
    where: str = "patch",
    only: tuple[str, ...] = (),
    photographs: Path | None = None,
) -> None:
    """Print the table of coverage and errors for each model and kind of picture.

    BLAS has one thread: threads that wait for each other would be counted as time.
    """
    available = kinds(photographs)
    chosen = {kind: draw for kind, draw in available.items() if not only or kind in only}
    missing = [kind for kind in only if kind not in available]
    if missing:
        raise InputError(f"There is no kind {', '.join(missing)}; there are {', '.join(available)}.")
    with threadpool_limits(1):
        for name in names:
            _print_table(name, pairs, where, chosen)


def _print_table(name: str, pairs: int, where: str, chosen: dict[str, Drawing]) -> None:
    model = load(name)
    assert isinstance(model, Subgroup)
    size = round(model.dimension**0.5)
    uncertain = "/".join(f"{100 * np.sqrt(level * (1 - level) / pairs):.1f}" for level in LEVELS)
    print(f"{name}, white noise on the {where}, {pairs} pairs a row; degrees; median errors")
    print(f"coverage of 50/80/95 % sets has standard errors of {uncertain}; ? says that σ was not given")
    columns = f"{'coverage':>17}{'95 % width':>12}{'error':>8}{'polar':>8}{'better by':>13}{'time : polar':>14}"
    print(f"{'':13}{'σ of x, y':>12}{columns}")
    for kind, draw in chosen.items():
        made = make_pairs(draw, size, pairs, seed=11)
        for known, noises in ((True, NOISES), (False, UNKNOWN)):
            for noise in noises:
                cell = measure(model, made, noise, where, known)
                _print_cell(kind, noise, known, cell)
        if kind not in ("shapes", "discs"):
            for s in (0.0, *_SIGMAS):
                other, same = (verdicts(model, made, s, different) for different in (True, False))
                print(
                    f"{kind:13} σ = {s:<5g} two different pictures: {other.explained:.1f} % are called the same, "
                    f"{other.unexplained:.1f} % unexplained; the same: {same.explained:.1f} and "
                    f"{same.unexplained:.1f} %",
                    flush=True,
                )


def _print_cell(kind: str, noise: tuple[float, float], known: bool, cell: Cell) -> None:
    sigma = f"{noise[0]:g}, {noise[1]:g}" + ("" if known else " ?")
    coverage = "/".join(f"{c:.1f}" for c in cell.coverage)
    ratio = cell.seconds / cell.polar_seconds
    gain = f"{cell.gain:.0f} ± {cell.gain_error:.0f} %"
    print(
        f"{kind:13}{sigma:>12}{coverage:>17}{cell.width:>12.2f}{cell.error:>8.2f}{cell.polar_error:>8.2f}{gain:>13}"
        f"{ratio:>13.1f}×",
        flush=True,
    )
