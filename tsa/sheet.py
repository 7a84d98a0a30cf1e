"""Pictures of filters: pairs in a grid, sorted by |ω|, as in figure 3 of the paper."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tsa.checks import Array
from tsa.drawing import data_address
from tsa.model import Subgroup
from tsa.torus2 import fold

_GAP, _LABEL = 12, 18
_EDGE = 190  # grey of the line around a filter: one that is white is seen on white paper


def by_weight(weights: Array) -> Array:
    """The order of filters: by |ω|, within it ω and −ω together, the positive first; otherwise as they come."""
    folded, negative = _folded(weights)
    _, first, group = np.unique(folded, axis=0, return_index=True, return_inverse=True)
    return np.lexsort((negative, first[group.ravel()], np.square(folded).sum(axis=1)))


def _folded(weights: Array) -> tuple[Array, Array]:
    """The one of ±ω whose first number other than 0 is positive, (J, 2), and which of them were negative."""
    vectors = weights if weights.ndim == 2 else np.stack([weights, np.zeros_like(weights)], axis=-1)
    folded, negative = fold(vectors[:, ::-1])
    return folded[:, ::-1], negative


def _name(weight: Array) -> str:
    numbers = [str(int(number)).replace("-", "−") for number in np.atleast_1d(weight)]
    return numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"


class _Cell(NamedTuple):
    left: int
    top: int
    label: str
    pictures: list[Image.Image]  # one, or cosine and sine


class _Layout:
    """Where the filters of a sheet stand; each pair is on its own grey scale around zero."""

    def __init__(
        self, model: Subgroup, shape: tuple[int, ...], columns: int, tile: int, order: Array | None = None
    ) -> None:
        self.model, self.columns, self.tile = model, columns, tile
        self.order = by_weight(model.weights) if order is None else order
        self.shape = shape if len(shape) == 2 else (1, shape[0])
        self.height = max(tile * self.shape[0] // self.shape[1], tile // 4)
        self.cell = 2 * tile + _GAP + 4, self.height + _LABEL + _GAP
        rows = -(-model.subspaces // columns)
        self.size = columns * self.cell[0] + _GAP, rows * self.cell[1] + _GAP

    def cells(self) -> Iterator[_Cell]:
        for place, j in enumerate(self.order):
            row, column = divmod(place, self.columns)
            filter_ = self.model.filters[:, j]
            parts = [filter_.real] if self.model.lines[j] else [filter_.real, filter_.imag]
            yield _Cell(
                _GAP + column * self.cell[0],
                _GAP + row * self.cell[1],
                _name(self.model.weights[j]),
                [_grey(part / np.abs(filter_).max(), self.shape) for part in parts],
            )


def filter_sheet(
    model: Subgroup, shape: tuple[int, ...], columns: int = 10, tile: int = 64, order: Array | None = None
) -> Image.Image:
    """All filter pairs, cosine beside sine, each on its own grey scale around zero, the weight above it.

    They stand in the order of their weights, or in this one.
    """
    layout = _Layout(model, shape, columns, tile, order)
    sheet = Image.new("L", layout.size, 255)
    draw = ImageDraw.Draw(sheet)
    for cell in layout.cells():
        _write(draw, cell.left, cell.top, cell.label)
        for side, picture in enumerate(cell.pictures):
            left, top = cell.left + side * (tile + 4), cell.top + _LABEL
            sheet.paste(picture.resize((tile, layout.height), Image.Resampling.NEAREST), (left, top))
            draw.rectangle((left - 1, top - 1, left + tile, top + layout.height), outline=_EDGE)
    return sheet


def _write(draw: ImageDraw.ImageDraw, left: float, top: float, words: str) -> None:
    """Pillow's font has no minus sign: it is drawn, as wide as a plus."""
    font = ImageFont.load_default(13)
    for part in re.split("(−)", words):
        width = font.getlength("+" if part == "−" else part)
        if part == "−":
            draw.line((left + 1, top + 9, left + width - 2, top + 9), fill=60)
        else:
            draw.text((left, top), part, fill=60, font=font)
        left += width


def filter_sheet_svg(model: Subgroup, shape: tuple[int, ...], columns: int = 10, tile: int = 64) -> str:
    """The same sheet as SVG: each filter keeps its own pixels, each weight is text."""
    layout = _Layout(model, shape, columns, tile)
    width, height = layout.size
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
        f' font-size="13" fill="#3c3c3c"><rect width="{width}" height="{height}" fill="white"/>'
    ]
    for cell in layout.cells():
        lines.append(f'<text x="{cell.left}" y="{cell.top + 13}">{cell.label}</text>')
        for side, picture in enumerate(cell.pictures):
            place = (
                f'x="{cell.left + side * (tile + 4)}" y="{cell.top + _LABEL}" width="{tile}" height="{layout.height}"'
            )
            lines.append(
                f'<image {place} preserveAspectRatio="none" style="image-rendering:pixelated"'
                f' href="{data_address(picture)}"/><rect {place} fill="none" stroke="rgb({_EDGE},{_EDGE},{_EDGE})"/>'
            )
    return "\n".join([*lines, "</svg>", ""])


def _grey(values: Array, shape: tuple[int, ...]) -> Image.Image:
    return Image.fromarray(np.clip(np.rint(127.5 + 127.5 * values), 0, 255).astype(np.uint8).reshape(shape))
