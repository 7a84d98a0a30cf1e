"""Pictures of filters: pairs in a grid, sorted by |ω|, as in figure 3 of the paper."""

import numpy as np
from PIL import Image

from tsa._base import Array
from tsa.model import Subgroup
from tsa.stage.draw.canvas import Canvas, PixelCanvas, SvgCanvas
from tsa.stage.draw.colours import Colour, theme
from tsa.stage.words import weight_label

_GAP = 12  # pixels between pairs
_PART_GAP = 4  # pixels between cosine and sine
_LABEL_HEIGHT = 18  # pixels
# Paper, text, and what frames a filter, so that one of the paper's colour is visible.
_LIGHT = Colour(255, 255, 255), Colour(60, 60, 60), Colour(190, 190, 190)
_DARK = theme("dark").card, theme("dark").quiet, theme("dark").border


def filters_image(
    model: Subgroup, shape: tuple[int, ...], columns: int = 10, tile: int = 64, order: Array | None = None,
    dark: bool = False,
) -> Image.Image:  # fmt: skip
    """All filter pairs as a grey image: cosine beside sine, each pair on its own grey scale around zero.

    The weight stands above each pair. Pairs are sorted by weight, or stand in this order. A filter has this `shape`
    and is `tile` pixels wide. `dark` is for a dark page.
    """
    grid, (paper, text, edge) = _Grid(model, shape, columns, tile, order), _DARK if dark else _LIGHT
    canvas = PixelCanvas(*grid.size, paper, fine=1)  # all edges lie between pixels
    grid.draw(canvas, text, edge)
    return canvas.image().convert("L")


def filters_svg(model: Subgroup, shape: tuple[int, ...], columns: int = 10, tile: int = 64) -> str:
    """The same picture as SVG: each filter keeps its own pixels, each weight is text."""
    grid, (paper, text, edge) = _Grid(model, shape, columns, tile), _LIGHT
    canvas = SvgCanvas(*grid.size, paper)
    grid.draw(canvas, text, edge)
    return canvas.document("Filters", f"{model.subspaces} subspaces, each with its weight, sorted by weight.")


class _Grid:
    """Where the filters of a model stand."""

    def __init__(
        self, model: Subgroup, shape: tuple[int, ...], columns: int, tile: int, order: Array | None = None
    ) -> None:
        self.model, self.columns, self.tile = model, columns, tile
        self.order = model.irreps.order() if order is None else order
        self.shape = shape if len(shape) == 2 else (1, shape[0])
        self.height = max(tile * self.shape[0] // self.shape[1], tile // 4)
        self.cell = 2 * tile + _PART_GAP + _GAP, self.height + _LABEL_HEIGHT + _GAP
        rows = -(-model.subspaces // columns)
        self.size = columns * self.cell[0] + _GAP, rows * self.cell[1] + _GAP

    def draw(self, canvas: Canvas, text: Colour, edge: Colour) -> None:
        for place, j in enumerate(self.order):
            row, column = divmod(place, self.columns)
            left, top = _GAP + column * self.cell[0], _GAP + row * self.cell[1]
            canvas.label((left, top + 13), weight_label(self.model.weights[j]), text, 13)
            filter_ = self.model.filters[:, j]
            parts = [filter_.real] if self.model.lines[j] else [filter_.real, filter_.imag]
            for part, values in enumerate(parts):
                corner, size = (left + part * (self.tile + _PART_GAP), top + _LABEL_HEIGHT), (self.tile, self.height)
                canvas.tile((0.5 + 0.5 * values / np.abs(filter_).max()).reshape(self.shape), corner, size)
                canvas.frame(corner, size, edge)
