"""Drawings without a browser, as SVG or pixels: dial, lab, filters, signals, phases, charts, animations.

Imported by `tsa.stage` only.
"""

from tsa.stage.draw.animation import MAX_BYTES, encode_animation, turn_animation
from tsa.stage.draw.canvas import Canvas, PixelCanvas, SvgCanvas, around, balanced, png_address, text_width, wrapped
from tsa.stage.draw.chart import (
    Chart,
    ChartLine,
    Curve,
    DirectionCurve,
    DirectionPanel,
    accuracy_svg,
    charts_image,
    charts_svg,
    directions_svg,
)
from tsa.stage.draw.colours import Colour, Theme, hue, theme
from tsa.stage.draw.dial import DialView, Petals, draw_dial
from tsa.stage.draw.filters import filters_image, filters_svg
from tsa.stage.draw.lab import SIZE_PIXELS, stage_png, stage_svg
from tsa.stage.draw.phases import phases_svg
from tsa.stage.draw.posterior import draw_posterior
from tsa.stage.draw.signals import shift_svg, signal_filters_svg, training_pairs_svg

__all__ = [
    "MAX_BYTES",
    "SIZE_PIXELS",
    "Canvas",
    "Chart",
    "ChartLine",
    "Colour",
    "Curve",
    "DialView",
    "DirectionCurve",
    "DirectionPanel",
    "Petals",
    "PixelCanvas",
    "SvgCanvas",
    "Theme",
    "accuracy_svg",
    "around",
    "balanced",
    "charts_image",
    "charts_svg",
    "directions_svg",
    "draw_dial",
    "draw_posterior",
    "encode_animation",
    "filters_image",
    "filters_svg",
    "hue",
    "phases_svg",
    "png_address",
    "shift_svg",
    "signal_filters_svg",
    "stage_png",
    "stage_svg",
    "text_width",
    "theme",
    "training_pairs_svg",
    "turn_animation",
    "wrapped",
]
