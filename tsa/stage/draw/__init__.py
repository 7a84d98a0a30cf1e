"""Drawings without a browser, as SVG or pixels: dial, lab, filters, charts, animations.

Imported by `tsa.stage` only.
"""

from tsa.stage.draw._pixels import PixelCanvas
from tsa.stage.draw._svg import SvgCanvas
from tsa.stage.draw.animation import MAX_BYTES, turn_animation
from tsa.stage.draw.canvas import around, balanced, text_width, wrapped
from tsa.stage.draw.chart import Curve, accuracy_svg
from tsa.stage.draw.colours import Colour, hue, theme
from tsa.stage.draw.dial import DialView, Petals, draw_dial
from tsa.stage.draw.filters import filters_image, filters_svg
from tsa.stage.draw.lab import SIZE_PIXELS, stage_png, stage_svg
from tsa.stage.draw.posterior import draw_posterior

__all__ = [
    "MAX_BYTES",
    "SIZE_PIXELS",
    "Colour",
    "Curve",
    "DialView",
    "Petals",
    "PixelCanvas",
    "SvgCanvas",
    "accuracy_svg",
    "around",
    "balanced",
    "draw_dial",
    "draw_posterior",
    "filters_image",
    "filters_svg",
    "hue",
    "stage_png",
    "stage_svg",
    "text_width",
    "theme",
    "turn_animation",
    "wrapped",
]
