"""Shapes of known symmetry as square pictures of any size: white on black, drawn from formulas with soft edges."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy import ndimage

from tsa._base import Array, InputError


@dataclass(frozen=True)
class Shape:
    """A shape and the order of its rotation symmetry: the number of turns that leave it unchanged (0: every turn).

    >>> tsa.shapes.SHAPES["square"].symmetry_order
    4
    """

    name: str
    symmetry_order: int
    field: Callable[[Array, Array], Array]  # signed distance, roughly: positive inside; x right, y up, in radii

    def draw(self, size: int = 128) -> Array:
        """The shape as a float picture (size, size) between 0 and 1.

        >>> tsa.shapes.SHAPES["square"].draw(64).shape
        (64, 64)
        """
        row, column = (np.indices((size, size)) - (size - 1) / 2) / (size / 2)
        return np.clip(0.5 + self.field(column, -row) * size / 4, 0.0, 1.0)


def _polygon(n: int, radius: float) -> Callable[[Array, Array], Array]:
    def field(x: Array, y: Array) -> Array:
        sector = np.mod(np.arctan2(y, x) - np.pi / 2, 2 * np.pi / n) - np.pi / n
        return radius * np.cos(np.pi / n) - np.hypot(x, y) * np.cos(sector)

    return field


def _bar(x: Array, y: Array) -> Array:
    return np.minimum(0.2 - np.abs(x), 0.78 - np.abs(y))


def _pinwheel(x: Array, y: Array) -> Array:
    r, theta = np.hypot(x, y), np.arctan2(y, x)
    return np.minimum(np.cos(4 * theta - 5 * r) * np.minimum(r, 0.5), 0.8 - r)


def _grating(x: Array, y: Array) -> Array:
    return np.minimum(np.cos(3 * np.pi * x) / 8, 0.85 - np.hypot(x, y))


def _letter(character: str, symmetry_order: int) -> Callable[[Array, Array], Array]:
    """A letter of the built-in font, centred by its bounding box.

    One of order 2 is averaged with its half turn, because fonts draw such letters not quite symmetrically.
    """

    def field(x: Array, y: Array) -> Array:
        size = x.shape[0]
        large = Image.new("L", (4 * size, 4 * size))
        font = ImageFont.load_default(3.4 * size)
        ImageDraw.Draw(large).text(
            (2 * size, 2 * size), character, fill=255, font=font, anchor="mm", stroke_width=size // 16
        )
        ink = np.asarray(large, float) / 255
        ink = ndimage.shift(ink, (len(ink) - 1) / 2 - _box_centre(ink > 0.5), order=1)
        ink = (ink + np.rot90(ink, 2)) / 2 if symmetry_order == 2 else ink
        fine = ink.reshape(size, 4, size, 4).mean(axis=(1, 3))
        return (fine - 0.5) * 4 / size

    return field


def _box_centre(mask: Array) -> Array:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return np.array([rows[0] + rows[-1], columns[0] + columns[-1]]) / 2


def _noise(x: Array, y: Array) -> Array:
    """Smooth noise, the same at every size."""
    rng = np.random.default_rng(7)
    total = np.zeros(x.shape)
    for kx, ky in rng.normal(size=(40, 2)) * 6:
        total += np.cos(kx * x + ky * y + rng.uniform(0, 2 * np.pi))
    return np.minimum(total / 40, 0.85 - np.hypot(x, y))


SHAPES = {
    shape.name: shape
    for shape in (
        Shape("bar", 2, _bar),
        Shape("triangle", 3, _polygon(3, 0.85)),
        Shape("square", 4, _polygon(4, 0.8)),
        Shape("pentagon", 5, _polygon(5, 0.78)),
        Shape("hexagon", 6, _polygon(6, 0.78)),
        Shape("disc", 0, lambda x, y: 0.6 - np.hypot(x, y)),
        Shape("ring", 0, lambda x, y: 0.14 - np.abs(np.hypot(x, y) - 0.55)),
        Shape("F", 1, _letter("F", 1)),
        Shape("S", 2, _letter("S", 2)),
        Shape("N", 2, _letter("N", 2)),
        Shape("Z", 2, _letter("Z", 2)),
        Shape("pinwheel", 4, _pinwheel),
        Shape("grating", 2, _grating),
        Shape("noise", 1, _noise),
    )
}


def draw(name: str, size: int = 128) -> Array:
    """The shape of this name as a picture (size, size) between 0 and 1.

    >>> picture = tsa.shapes.draw("F", 64)
    >>> picture.shape, float(picture.max())
    ((64, 64), 1.0)
    """
    if name not in SHAPES:
        raise InputError(f"There is no shape {name!r}; there are {', '.join(SHAPES)}.")
    return SHAPES[name].draw(size)
