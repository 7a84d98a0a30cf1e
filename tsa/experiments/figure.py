"""One figure, drawn as SVG: accuracy against the number of training examples, with confidence intervals."""

from html import escape
from itertools import pairwise
from typing import NamedTuple

import numpy as np

_WIDTH, _HEIGHT = 760, 470
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 130, 24, 52
# Okabe and Ito's colours, told apart by everybody.
_COLOURS = ("#000000", "#E69F00", "#56B4E9", "#0072B2", "#D55E00", "#009E73", "#888888")


class Curve(NamedTuple):
    """A name, and an accuracy with its interval for each number of training examples."""

    name: str
    n: list[int]
    accuracy: list[float]
    interval: list[tuple[float, float]]


def accuracy_figure(curves: list[Curve]) -> str:
    """The curves on a logarithmic axis of n, each with its name at its end."""
    sizes = sorted({n for curve in curves for n in curve.n})
    least = min(low for curve in curves for low, _ in curve.interval)
    floor = np.floor(10 * least) / 10
    span = max(np.log(sizes[-1] / sizes[0]), 1e-9)

    def across(n: float) -> float:
        return float(_LEFT + (_WIDTH - _LEFT - _RIGHT) * np.log(n / sizes[0]) / span)

    def up(accuracy: float) -> float:
        return float(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (accuracy - floor) / (1 - floor))

    parts = []
    for tick in np.arange(round(10 * floor), 11) / 10:
        y = up(tick)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:.0%}</text>')
    for n in sizes:
        parts.append(f'<text x="{across(n):.1f}" y="{_HEIGHT - _BOTTOM + 20}" text-anchor="middle">{n:,}</text>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{_HEIGHT - 10}" text-anchor="middle">training digits</text>')
    ends = _apart([up(curve.accuracy[-1]) for curve in curves], 16)
    for place, (curve, end) in enumerate(zip(curves, ends, strict=True)):
        colour = _COLOURS[place % len(_COLOURS)]
        points = [(across(n), up(a)) for n, a in zip(curve.n, curve.accuracy, strict=True)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for (x, y), (low, high) in zip(points, curve.interval, strict=True):
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{up(low):.1f}" y2="{up(high):.1f}" stroke="{colour}"/>')
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
        name = escape(curve.name)
        parts.append(f'<text x="{_WIDTH - _RIGHT + 10}" y="{end + 4:.1f}" fill="{colour}">{name}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif"'
    return f'{head} font-size="13"><rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'


def _apart(heights: list[float], gap: float) -> list[float]:
    """The same heights, moved so that labels do not overlap."""
    order = np.argsort(heights)
    placed = np.array(heights, float)
    for above, below in pairwise(order):
        placed[below] = max(placed[below], placed[above] + gap)
    return placed.tolist()
