"""The kinds of pictures that `tsa bench registration` registers: photographs, and drawings that are made up.

A drawing is a picture at full resolution and the order of its symmetry.
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from string import ascii_letters

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy import ndimage
from scipy.interpolate import CubicSpline
from scipy.spatial import cKDTree
from scipy.special import expit

from tsa._base import Array
from tsa.pictures import SHAPES, datasets, luminance, whole_picture
from tsa.registration import FINE, enlarged, photographs_in

Drawing = Callable[[np.random.Generator], tuple[Array, int]]  # a picture (n, n) in 0…1 and the order of its symmetry


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
        "cells": lambda rng: (_cells_under_a_microscope(rng), 1),
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


def _cells_under_a_microscope(rng: np.random.Generator) -> Array:
    """Four to thirty oval cells with bright rims and a darker nucleus, overlapping, on ground that is unevenly lit."""
    row, column = np.indices((FINE, FINE)) / FINE - 0.5
    slope = rng.uniform(-0.3, 0.3, 2)
    ground = rng.uniform(0.2, 0.5) * (1 + slope[0] * row + slope[1] * column)
    rim_light, nucleus_dark = rng.uniform(0.1, 0.4), rng.uniform(0.05, 0.25)
    size, width = rng.uniform(0.05, 0.13), rng.uniform(0.08, 0.2)
    picture = ground
    for centre in rng.uniform(-0.55, 0.55, (rng.integers(4, 31), 2)):
        angle, radius, stretch = rng.uniform(0, np.pi), size * rng.uniform(0.7, 1.4), rng.uniform(1.0, 1.6)
        along = np.cos(angle) * (row - centre[0]) + np.sin(angle) * (column - centre[1])
        across = np.cos(angle) * (column - centre[1]) - np.sin(angle) * (row - centre[0])
        distance = np.hypot(along / stretch, across * stretch) / radius  # 1 on the rim
        away = rng.uniform(-0.4, 0.4, 2)  # of the nucleus, in radii of the cell
        nucleus = np.hypot(along / radius - away[0], across / radius - away[1]) / rng.uniform(0.3, 0.5)
        picture = picture + rim_light * np.exp(-(((distance - 1) / width) ** 2) / 2)
        picture = picture + 0.08 * expit((1 - distance) / 0.05) - nucleus_dark * np.exp(-(nucleus**4))
    return np.clip(ndimage.gaussian_filter(picture, 1), 0, 1).astype(np.float32)
