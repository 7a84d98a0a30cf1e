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
from tsa.files import load
from tsa.groups import ImageRotation
from tsa.model import Subgroup
from tsa.pictures import SHAPES, datasets, luminance, patches_of_pictures, whole_picture
from tsa.registration import (
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
    turned,
)

_SPOKES, _POLAR_ANGLES = 720, 8192
LEVELS = (0.5, 0.8, 0.95)
_SIGMAS = (0.05, 0.1, 0.2, 0.3)
NOISES = (*((s, s) for s in _SIGMAS), *((0.0, s) for s in _SIGMAS), (0.05, 0.2))  # of x and y
UNKNOWN = tuple((s, s) for s in _SIGMAS)  # σ is estimated from each pair

Drawing = Callable[[np.random.Generator], tuple[Array, int]]  # a picture (n, n) in 0…1 and the order of its symmetry


class Cell(NamedTuple):
    """The results of many pairs of one kind and noise; coverage in per cent, angles in degrees, times in seconds."""

    coverage: tuple[float, ...]
    width: float
    error: float
    polar_error: float
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
    begun = time.process_time()
    pair = PlanePair.of(planes, x, y)
    sigma_x, sigma_y = (np.full(len(x), s) for s in noise)
    if not known:
        sigma_x = sigma_y = find_noise(planes, pair).sigma
    density = pair_posterior(planes, noisy_pair(planes, pair, sigma_x, sigma_y), Hyperprior()).density
    best = density.mode()
    density.credible_set(LEVELS[-1])
    seconds = time.process_time() - begun
    found = [covered(density, pairs.turn, level) for level in LEVELS]
    coverage = tuple(100 * float(inside.mean()) for inside, _ in found)
    width = np.degrees(found[-1][1])
    polar_correlation(x[:1], y[:1], size)
    begun = time.process_time()
    rival = polar_correlation(x, y, size)
    polar_seconds = time.process_time() - begun
    error, polar_error = (float(np.median(_error(angle, pairs))) for angle in (best, rival))
    wide = float(np.median(width))
    return Cell(coverage, wide, error, polar_error, seconds / len(x), polar_seconds / len(x))


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


def different_pictures(model: Subgroup, pairs: Pairs, noise: float) -> float:
    """The share of pairs of different pictures that are called unexplained: lower evidence than for unrelated ones."""
    size = pairs.x.shape[1]
    rng = np.random.default_rng(3)
    x, y = (_noisy_patches(p, noise, "pixels", rng) for p in (pairs.x, np.roll(pairs.y, 1, axis=0)))
    planes = NoisyPlanes.of(model, Camera(size, size))
    found = find_noise(planes, PlanePair.of(planes, x, y))
    return float(np.mean(found.log_evidence <= found.log_unrelated))


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
        print(f"{name}, white noise on the {where}, {pairs} pairs a row; coverage of 50/80/95 % sets, degrees")
        print(f"{'':9}{'σ of x, y':>12}{'coverage':>15}{'95 % width':>12}{'error':>8}{'polar':>8}{'time : polar':>14}")
        for kind, draw in chosen.items():
            made = make_pairs(draw, size, pairs, seed=11)
            for known, noises in ((True, NOISES), (False, UNKNOWN)):
                for noise in noises:
                    cell = measure(model, made, noise, where, known)
                    _print_cell(kind, noise, known, cell)
            if kind not in ("shapes", "discs"):
                shares = ", ".join(f"σ = {s:g}: {100 * different_pictures(model, made, s):.0f} %" for s in (0.0, 0.05))
                print(f"{kind:9} two different pictures are called unexplained: {shares}", flush=True)


def _print_cell(kind: str, noise: tuple[float, float], known: bool, cell: Cell) -> None:
    sigma = f"{noise[0]:g}, {noise[1]:g}" + ("" if known else " ?")
    coverage = "/".join(f"{c:.0f}" for c in cell.coverage)
    ratio = cell.seconds / cell.polar_seconds
    print(
        f"{kind:9}{sigma:>12}{coverage:>15}{cell.width:>12.2f}{cell.error:>8.2f}{cell.polar_error:>8.2f}{ratio:>13.1f}×",
        flush=True,
    )
