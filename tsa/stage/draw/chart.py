"""The figure of the MNIST experiment: accuracy against the number of training examples, with confidence intervals."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tsa.stage.draw._svg import SvgCanvas
from tsa.stage.draw.colours import Colour

_WIDTH, _HEIGHT = 760, 470  # pixels
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 130, 24, 52  # margins, in pixels
_FONT_SIZE = 13  # pixels
_WHITE, _BLACK, _GRID = Colour(255, 255, 255), Colour(0, 0, 0), Colour(221, 221, 221)

# Okabe and Ito's palette, which colour-blind readers can tell apart.
_PALETTE = (
    Colour(0, 0, 0),
    Colour(230, 159, 0),
    Colour(86, 180, 233),
    Colour(0, 114, 178),
    Colour(213, 94, 0),
    Colour(0, 158, 115),
    Colour(136, 136, 136),
)


class Curve(NamedTuple):
    """A name, and an accuracy with its interval for each number of training examples."""

    name: str
    n: list[int]
    accuracy: list[float]
    interval: list[tuple[float, float]]


def accuracy_svg(curves: list[Curve]) -> str:
    """The curves over a logarithmic axis of n, each with its name at its end, as an SVG file."""
    sizes = sorted({n for curve in curves for n in curve.n})
    least = min(low for curve in curves for low, _ in curve.interval)
    floor = np.floor(10 * least) / 10
    span = max(np.log(sizes[-1] / sizes[0]), 1e-9)

    def across(n: float) -> float:
        return float(_LEFT + (_WIDTH - _LEFT - _RIGHT) * np.log(n / sizes[0]) / span)

    def up(accuracy: float) -> float:
        return float(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (accuracy - floor) / (1 - floor))

    canvas = SvgCanvas(_WIDTH, _HEIGHT, _WHITE)
    for tick in np.arange(round(10 * floor), 11) / 10:
        y = up(tick)
        canvas.line((_LEFT, y), (_WIDTH - _RIGHT, y), _GRID, 1)
        canvas.label((_LEFT - 8, y + 4), f"{tick:.0%}", _BLACK, _FONT_SIZE, "end")
    for n in sizes:
        canvas.label((across(n), _HEIGHT - _BOTTOM + 20), f"{n:,}", _BLACK, _FONT_SIZE, "middle")
    canvas.label(((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 10), "training digits", _BLACK, _FONT_SIZE, "middle")
    ends = _apart([up(curve.accuracy[-1]) for curve in curves], 16)
    for place, (curve, end) in enumerate(zip(curves, ends, strict=True)):
        colour = _PALETTE[place % len(_PALETTE)]
        points = [(across(n), up(a)) for n, a in zip(curve.n, curve.accuracy, strict=True)]
        canvas.polyline(np.array(points), colour, 2)
        for (x, y), (low, high) in zip(points, curve.interval, strict=True):
            canvas.line((x, up(low)), (x, up(high)), colour, 1)
            canvas.disc((x, y), 3, colour)
        canvas.label((_WIDTH - _RIGHT + 10, end + 4), curve.name, colour, _FONT_SIZE)
    names = ", ".join(curve.name for curve in curves)
    return canvas.document("Accuracy against the number of training digits", f"One curve for each of {names}.")


def _apart(heights: list[float], gap: float) -> list[float]:
    """The heights, moved down where necessary so that labels are at least `gap` apart."""
    order = np.argsort(heights)
    placed = np.array(heights, float)
    for above, below in pairwise(order):
        placed[below] = max(placed[below], placed[above] + gap)
    return placed.tolist()
