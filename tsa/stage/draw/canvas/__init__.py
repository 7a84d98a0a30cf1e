"""A small vector canvas with two backends, SVG and pixels, and how wide its texts are."""

from tsa.stage.draw.canvas._pixels import PixelCanvas
from tsa.stage.draw.canvas._svg import SvgCanvas
from tsa.stage.draw.canvas.canvas import (
    Anchor,
    Canvas,
    Point,
    around,
    balanced,
    png_address,
    runs,
    text_width,
    wrapped,
)

__all__ = [
    "Anchor",
    "Canvas",
    "PixelCanvas",
    "Point",
    "SvgCanvas",
    "around",
    "balanced",
    "png_address",
    "runs",
    "text_width",
    "wrapped",
]
