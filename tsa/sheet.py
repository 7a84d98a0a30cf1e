"""Pictures of filters: pairs in a grid, sorted by |ω|, as in figure 3 of the paper."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tsa.checks import Array
from tsa.drawing import data_address
from tsa.model import Subgroup

_GAP, _LABEL = 12, 18


def by_weight(weights: Array) -> Array:
    """The order of filters by |ω|, stable."""
    size = np.abs(weights) if weights.ndim == 1 else np.hypot(*weights.T)
    return np.argsort(size, kind="stable")


class _Cell(NamedTuple):
    left: int
    top: int
    label: str
    pictures: list[Image.Image]  # one, or cosine and sine


class _Layout:
    """Where the filters of a sheet stand; each pair is on its own grey scale around zero."""

    def __init__(self, model: Subgroup, shape: tuple[int, ...], columns: int, tile: int) -> None:
        self.model, self.columns, self.tile = model, columns, tile
        self.shape = shape if len(shape) == 2 else (1, shape[0])
        self.height = max(tile * self.shape[0] // self.shape[1], tile // 4)
        self.cell = 2 * tile + _GAP + 4, self.height + _LABEL + _GAP
        rows = -(-model.subspaces // columns)
        self.size = columns * self.cell[0] + _GAP, rows * self.cell[1] + _GAP

    def cells(self) -> Iterator[_Cell]:
        for place, j in enumerate(by_weight(self.model.weights)):
            row, column = divmod(place, self.columns)
            weight, filter_ = np.atleast_1d(self.model.weights[j]), self.model.filters[:, j]
            parts = [filter_.real] if self.model.lines[j] else [filter_.real, filter_.imag]
            yield _Cell(
                _GAP + column * self.cell[0],
                _GAP + row * self.cell[1],
                ",".join(str(int(w)) for w in weight),
                [_grey(part / np.abs(filter_).max(), self.shape) for part in parts],
            )


def filter_sheet(model: Subgroup, shape: tuple[int, ...], columns: int = 10, tile: int = 64) -> Image.Image:
    """All filter pairs, cosine beside sine, each on its own grey scale around zero, the weight above it."""
    layout = _Layout(model, shape, columns, tile)
    sheet = Image.new("L", layout.size, 255)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(13)
    for cell in layout.cells():
        draw.text((cell.left, cell.top), cell.label, fill=60, font=font)
        for side, picture in enumerate(cell.pictures):
            large = picture.resize((tile, layout.height), Image.Resampling.NEAREST)
            sheet.paste(large, (cell.left + side * (tile + 4), cell.top + _LABEL))
    return sheet


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
            lines.append(
                f'<image x="{cell.left + side * (tile + 4)}" y="{cell.top + _LABEL}" width="{tile}"'
                f' height="{layout.height}" preserveAspectRatio="none" style="image-rendering:pixelated"'
                f' href="{data_address(picture)}"/>'
            )
    return "\n".join([*lines, "</svg>", ""])


def _grey(values: Array, shape: tuple[int, ...]) -> Image.Image:
    return Image.fromarray(np.clip(np.rint(127.5 + 127.5 * values), 0, 255).astype(np.uint8).reshape(shape))
