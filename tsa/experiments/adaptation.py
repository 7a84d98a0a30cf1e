"""What `adapt` gains on photographs: the error of the found turn before and after, next to polar phase correlation.

Adapted to one photograph, tested on another. Test pictures are turned by Pillow (bicubic), which shares no code with
the turning that `adapt` learns from; phase correlation sees the pictures at full resolution, the model its patches.
"""

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from PIL import Image
from scipy import fft, ndimage

from tsa._base import Array, InputError
from tsa.files import load
from tsa.learning import adapt
from tsa.model import Subgroup
from tsa.pictures import patches_of_images

SIDES = (16, 24, 32, 48, 64)  # pixels of the test pictures
_SPOKES, _UPSAMPLED = 360, 16
_GROSS_DEGREES = 5.0


class Outcome(NamedTuple):
    """Median errors in degrees, and shares of errors above 5° in percent."""

    side: int
    seed: int
    before: float
    after: float
    phase_correlation: float
    gross_before: float
    gross_after: float
    noise: float
    seconds: float


def adaptation(sides: tuple[int, ...] = SIDES, seeds: int = 5, pairs: int = 300) -> list[Outcome]:
    """Print and return the outcomes for each side and seed, adapted to and tested on the two photographs by turns."""
    photos = sample_photos()
    print("median error in degrees (errors above 5° in %), rotation-16-refined, tested on another photograph")
    print("side  seed     before           after          polar phase correlation   after/phase    σ     seconds")
    found = list(_outcomes(photos, sides, seeds, pairs))
    worse = sum(one.after > one.before for one in found)
    ratios = [one.after / one.phase_correlation for one in found]
    print(f"worse than before: {worse} of {len(found)}; largest ratio to phase correlation: {max(ratios):.2f}")
    return found


def _outcomes(photos: list[Array], sides: tuple[int, ...], seeds: int, pairs: int) -> Iterator[Outcome]:
    model = load("rotation-16-refined")
    assert isinstance(model, Subgroup)
    for side in sides:
        for seed in range(seeds):
            begun = time.perf_counter()
            adapted = adapt(model, [photos[seed % 2]], side=side, random_state=seed)
            seconds = time.perf_counter() - begun
            x, y, degrees = turned_pictures(photos[1 - seed % 2], side, pairs, np.random.default_rng([seed, side]))
            still = np.zeros(pairs, np.int64)
            u, v = (patches_of_images(p, still, 16).astype(np.float64) for p in (x, y))
            before, after = (errors(m.align(u, v), degrees) for m in (model, adapted))
            phase = float(np.median(errors(polar_phase_correlation(x, y), degrees)))
            gross_before, gross_after = (100 * float(np.mean(e > _GROSS_DEGREES)) for e in (before, after))
            medians = float(np.median(before)), float(np.median(after))
            one = Outcome(side, seed, *medians, phase, gross_before, gross_after, adapted.noise, seconds)
            print(
                f"{side:4}  {seed:4}  {one.before:7.3f} ({gross_before:4.1f} %)"
                f"  {one.after:7.3f} ({gross_after:4.1f} %)  "
                f"{phase:17.3f}  {one.after / phase:19.2f}  {one.noise:7.4f}  {seconds:6.1f}",
                flush=True,
            )
            yield one


def sample_photos() -> list[Array]:
    """The two photographs that come with scikit-learn, grey, 427 × 640 in 0…1."""
    try:
        from sklearn.datasets import load_sample_image
    except ImportError as error:
        raise InputError(
            "The photographs of this benchmark come with scikit-learn: pip install scikit-learn."
        ) from error
    names = ("china.jpg", "flower.jpg")
    return [np.asarray(load_sample_image(name), np.float64) @ [0.299, 0.587, 0.114] / 255 for name in names]


def turned_pictures(photo: Array, side: int, n: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """n random squares of a photograph, the same turned by Pillow about their centres, (n, side, side), and degrees.

    They are cut with a margin, so that the corners of the turned ones show the photograph too.
    """
    margin = int(np.ceil(side * (np.sqrt(2) - 1) / 2)) + 2
    whole = side + 2 * margin
    degrees = rng.uniform(0, 360, n)
    x, y = np.empty((2, n, side, side))
    inner = slice(margin, -margin)
    for i, angle in enumerate(degrees):
        row, column = (int(rng.integers(extent - whole + 1)) for extent in photo.shape)
        square = photo[row : row + whole, column : column + whole]
        turned = Image.fromarray(square.astype(np.float32)).rotate(angle, Image.Resampling.BICUBIC)
        x[i], y[i] = square[inner, inner], np.asarray(turned)[inner, inner]
    return x, y, degrees


def errors(found: Array, degrees: Array) -> Array:
    """The distance on the circle of turns found, in radians, to the true ones in degrees: 0 to 180."""
    return np.abs((np.degrees(found) - degrees + 180) % 360 - 180)


def polar_phase_correlation(x: Array, y: Array) -> Array:
    """The turn of each pair of pictures (n, side, side), in radians: the peak of the whitened circular correlation.

    Rings by cubic splines, weighed by their radius and summed before whitening; a parabola through the peak.
    """
    side = x.shape[-1]
    radius = np.arange(max(side // 2, 1)) + 0.5
    angle = 2 * np.pi * np.arange(_SPOKES) / _SPOKES
    centre = (side - 1) / 2
    where = [centre - radius[:, None] * np.sin(angle), centre + radius[:, None] * np.cos(angle)]
    a, b = (
        fft.rfft(np.stack([ndimage.map_coordinates(p, where, order=3, mode="mirror") for p in pictures]), axis=-1)
        for pictures in (x, y)
    )
    cross = np.sum(a.conj() * b * radius[:, None], axis=1)
    cross[:, 0] = 0
    size = np.abs(cross)
    correlation = fft.irfft(cross / np.maximum(size, 1e-12 * size.max()), _UPSAMPLED * _SPOKES, axis=-1)
    n, rows, peak = correlation.shape[1], np.arange(len(x)), correlation.argmax(axis=1)
    left, here, right = (correlation[rows, (peak + step) % n] for step in (-1, 0, 1))
    return np.asarray(2 * np.pi * (peak + 0.5 * (left - right) / (left - 2 * here + right)) / n)
