"""Pictures of filters: pairs in a grid, sorted by |ω|, as in figure 3 of the paper."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tsa.checks import Array
from tsa.model import Subgroup


def by_weight(weights: Array) -> Array:
    """The order of filters by |ω|, stable."""
    size = np.abs(weights) if weights.ndim == 1 else np.hypot(*weights.T)
    return np.argsort(size, kind="stable")


def filter_sheet(model: Subgroup, shape: tuple[int, ...], columns: int = 10, tile: int = 64) -> Image.Image:
    """All filter pairs, cosine beside sine, each on its own grey scale around zero, the weight above it."""
    shape = shape if len(shape) == 2 else (1, shape[0])
    height = max(1, tile * shape[0] // shape[1]) if len(set(shape)) > 1 else tile
    height = max(height, tile // 4)
    gap, label = 12, 18
    order = by_weight(model.weights)
    cell_width, cell_height = 2 * tile + gap + 4, height + label + gap
    rows = -(-len(order) // columns)
    sheet = Image.new("L", (columns * cell_width + gap, rows * cell_height + gap), 255)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(13)
    for place, j in enumerate(order):
        left, top = gap + place % columns * cell_width, gap + place // columns * cell_height
        weight = model.weights[j]
        text = str(int(weight)) if np.ndim(weight) == 0 else ",".join(str(int(w)) for w in weight)
        draw.text((left, top), text, fill=60, font=font)
        peak = np.abs(model.filters[:, j]).max()
        parts = [model.filters[:, j].real] if model.lines[j] else [model.filters[:, j].real, model.filters[:, j].imag]
        for side, part in enumerate(parts):
            grey = np.clip(np.rint(127.5 + 127.5 * part / peak), 0, 255).astype(np.uint8).reshape(shape)
            picture = Image.fromarray(grey).resize((tile, height), Image.Resampling.NEAREST)
            sheet.paste(picture, (left + side * (tile + 4), top + label))
    return sheet
