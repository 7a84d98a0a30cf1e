"""How often the sets of two noisy pictures hold the true turn, and how far off the best turn is, by kind of picture.

Pictures are drawn at full resolution, turned there by Pillow, which shares no code with this package, and reduced to
the size of the patch by means over squares. White noise is added to the patch or to the pixels. The rival is the
cross-correlation of the same patches in polar coordinates.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from string import ascii_letters
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy import fft, ndimage, sparse
from scipy.interpolate import CubicSpline
from scipy.spatial import cKDTree

from tsa._base import Array, InputError
from tsa.density import Mixture
from tsa.files import load
from tsa.groups import ImageRotation
from tsa.model import Subgroup
from tsa.pictures import SHAPES, datasets, luminance, patches_of_pictures, whole_picture
from tsa.registration import (
    DECIDED,
    FINE,
    Camera,
    Hyperprior,
    NoisyPlanes,
    PlanePair,
    covered,
    crop_to_turn,
    enlarged,
    find_noise,
    noisy_pair,
    pair_posterior,
    photo_side,
    photographs_in,
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

Drawing = Callable[[np.random.Generator], tuple[Array, int]]  # a picture (n, n) in 0…1 and the order of its symmetry


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


def kinds(photographs: Path | None = None) -> dict[str, Drawing]:
    """The kinds of pictures by name; photographs from a folder, or scikit-learn's two sample images if installed."""
    digits = datasets.sample("test").images
    found: dict[str, Drawing] = {
        "shapes": lambda rng: _shape(rng, [s for s in SHAPES.values() if s.symmetry_order]),
        "digits": lambda rng: (enlarged(digits[rng.integers(len(digits))] / 255, FINE), 1),
        "drawings": lambda rng: (_pen_strokes(rng), 1),
        "maps": lambda rng: (_street_map(rng), 1),
        "text": lambda rng: (_printed_page(rng), 1),
        "fingerprints": lambda rng: (_fingerprint(rng), 1),
        "leaves": lambda rng: (_leaves(rng), 1),
        "discs": lambda rng: _shape(rng, [s for s in SHAPES.values() if not s.symmetry_order]),
    }
    photos = _photographs(photographs)
    if photos:
        found = {"photos": lambda rng: (photos[rng.integers(len(photos))], 1), **found}
    return found


def _photographs(folder: Path | None) -> list[Array]:
    if folder is not None:
        return photographs_in(folder)
    if find_spec("sklearn") is None:
        return []
    from sklearn.datasets import load_sample_images

    return [luminance(whole_picture(image)) for image in load_sample_images().images]


def _shape(rng: np.random.Generator, shapes: list[object]) -> tuple[Array, int]:
    shape = shapes[rng.integers(len(shapes))]
    scale = rng.uniform(0.75, 1.0)
    small = Image.fromarray(shape.draw(FINE).astype(np.float32)).resize(  # type: ignore[attr-defined]
        (round(FINE * scale),) * 2, Image.Resampling.BICUBIC
    )
    picture = np.zeros((FINE, FINE), np.float32)
    edge = (FINE - small.width) // 2
    picture[edge : edge + small.width, edge : edge + small.width] = np.asarray(small)
    return np.clip(picture, 0, 1), max(1, shape.symmetry_order)  # type: ignore[attr-defined]


def _pen_strokes(rng: np.random.Generator) -> Array:
    """One to three smooth strokes of a pen."""
    image = Image.new("L", (FINE, FINE))
    width = int(rng.uniform(0.05, 0.13) * FINE)
    for knots in rng.integers(3, 6, rng.integers(1, 4)):
        places = rng.uniform(0, 0.72, knots) ** 0.7 * np.exp(1j * rng.uniform(0, 2 * np.pi, knots))
        line = CubicSpline(np.linspace(0, 1, knots), places)(np.linspace(0, 1, 80))
        line = (line / np.maximum(1, np.abs(line) / 0.8) + 1 + 1j) * FINE / 2
        points = [(float(p.real), float(p.imag)) for p in line]
        ImageDraw.Draw(image).line(points, fill=255, width=width, joint="curve")
    return ndimage.gaussian_filter(np.asarray(image, np.float32) / 255, 2)


def _street_map(rng: np.random.Generator) -> Array:
    """Blocks of several greys between bright streets, and a dark river across."""
    centres = rng.uniform(0, FINE, (rng.integers(12, 40), 2))
    pixels = np.moveaxis(np.indices((FINE, FINE)), 0, -1).reshape(-1, 2)
    distance, nearest = (np.asarray(part) for part in cKDTree(centres).query(pixels, k=2))
    picture = rng.uniform(0.3, 0.75, len(centres))[nearest[:, 0]]
    picture[distance[:, 1] - distance[:, 0] < rng.uniform(6, 14)] = 0.95
    picture = picture.reshape(FINE, FINE)
    angle, offset, wave = rng.uniform(0, np.pi), rng.uniform(-60, 60), rng.uniform(20, 60)
    row, column = np.indices((FINE, FINE)) - FINE / 2
    across = np.cos(angle) * row + np.sin(angle) * column
    along = np.cos(angle) * column - np.sin(angle) * row
    river = np.abs(across - offset - wave * np.sin(along / 50)) < rng.uniform(8, 20)
    return ndimage.gaussian_filter(np.where(river, 0.1, picture), 1).astype(np.float32)


def _printed_page(rng: np.random.Generator) -> Array:
    """Three to six lines of letters, dark on a lighter page that is unevenly lit."""
    lines = int(rng.integers(3, 7))
    font = ImageFont.load_default(size=float(FINE / lines * rng.uniform(0.6, 0.9)))
    image = Image.new("L", (FINE, FINE), 255)
    for line in range(lines):
        words = ["".join(rng.choice(list(ascii_letters), rng.integers(1, 8))) for _ in range(12)]
        place = (-float(rng.uniform(0, 60)), FINE / lines * (line + float(rng.uniform(-0.1, 0.1))))
        ImageDraw.Draw(image).text(place, " ".join(words), fill=int(rng.integers(0, 90)), font=font)
    row, column = np.indices((FINE, FINE)) / FINE - 0.5
    slope = rng.uniform(-0.3, 0.3, 2)
    page = np.asarray(image, np.float32) / 255 * (0.75 + slope[0] * row + slope[1] * column)
    return ndimage.gaussian_filter(page, 1).astype(np.float32)


def _fingerprint(rng: np.random.Generator) -> Array:
    """Ridges around one or two centres, 7 to 14 across, wavy, on an oval that fades into a light page."""
    row, column = np.indices((FINE, FINE)) / FINE - 0.5
    coarse = ndimage.gaussian_filter(rng.standard_normal((3, 48, 48)), (0, 48 / 7, 48 / 7))
    wavy = [rng.uniform(0.02, 0.06) * ndimage.zoom(wave / wave.std(), FINE / 48, order=3) for wave in coarse]
    row, column = row + wavy[0], column + wavy[1]
    path = np.full((FINE, FINE), np.inf)
    for centre, stretch in zip(
        rng.uniform(-0.25, 0.25, (rng.integers(1, 3), 2)), rng.uniform(0.5, 1.0, 2), strict=False
    ):
        path = np.minimum(path, np.hypot(row - centre[0], stretch * (column - centre[1])))
    ridges = 0.5 - 0.5 * np.cos(2 * np.pi * rng.uniform(7, 14) * path + wavy[2] * 10)
    ridges = ridges ** rng.uniform(0.7, 1.5) * rng.uniform(0.5, 0.8)
    half = rng.uniform(0.34, 0.48, 2)
    middle = rng.uniform(-0.06, 0.06, 2)
    oval = np.hypot((row - middle[0]) / half[0], (column - middle[1]) / half[1])
    page = 0.9 - ridges / (1 + np.exp((oval - 1) / 0.03))
    return ndimage.gaussian_filter(page, 1).astype(np.float32)


def _leaves(rng: np.random.Generator) -> Array:
    """One to three curved leaves with veins, dark or light on mottled ground."""
    row, column = np.indices((FINE, FINE)) / FINE - 0.5
    mottled = ndimage.gaussian_filter(rng.standard_normal((FINE, FINE)), FINE / rng.uniform(10, 40))
    picture = rng.uniform(0.2, 0.8) + 0.08 * mottled / mottled.std()
    for _ in range(rng.integers(1, 4)):
        angle, length, across = rng.uniform(0, 2 * np.pi), rng.uniform(0.45, 0.85), rng.uniform(0.25, 0.6)
        middle = rng.uniform(-0.2, 0.2, 2)
        t = (np.cos(angle) * (row - middle[0]) + np.sin(angle) * (column - middle[1])) / length + 0.5
        v = (np.cos(angle) * (column - middle[1]) - np.sin(angle) * (row - middle[0])) / length
        v = v + rng.uniform(-0.3, 0.3) * (t - 0.5) ** 2
        half = across / 2 * np.sin(np.pi * np.clip(t, 0, 1)) ** rng.uniform(0.6, 1.4)
        grey, light = rng.uniform(0.15, 0.85), rng.uniform(0.1, 0.25)
        veins = np.mod(rng.uniform(5, 10) * (t - rng.uniform(0.6, 1.3) * np.abs(v)), 1.0) < rng.uniform(0.1, 0.2)
        midrib = np.abs(v) < rng.uniform(0.006, 0.014)
        leaf = grey + light * (veins | midrib) * (1 if grey < 0.5 else -1) + 0.1 * v / across
        picture = np.where(np.abs(v) < half, leaf, picture)
    return np.clip(ndimage.gaussian_filter(picture, 1), 0, 1).astype(np.float32)


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
    sigma = np.tile(find_noise(planes, pair).sigma, (2, 1)) if noise is None else np.outer(noise, np.ones(len(x)))
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
    """Print the table of coverage and errors for each model and kind of picture."""
    available = kinds(photographs)
    chosen = {kind: draw for kind, draw in available.items() if not only or kind in only}
    missing = [kind for kind in only if kind not in available]
    if missing:
        raise InputError(f"There is no kind {', '.join(missing)}; there are {', '.join(available)}.")
    for name in names:
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
