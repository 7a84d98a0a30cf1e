"""Charts of the experiments: accuracy against the number of training examples, direction of motion against noise."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from PIL import Image

from tsa._base import Array
from tsa.stage.draw.canvas import Canvas, PixelCanvas, SvgCanvas, runs, text_width
from tsa.stage.draw.colours import Colour

_WIDTH, _HEIGHT = 760, 470  # pixels
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 130, 24, 52  # margins, in pixels
_PANEL_WIDTH, _PANEL_HEIGHT = 520, 420  # pixels, of a chart beside others
_FONT_SIZE = 13  # pixels
_GAP = 24  # pixels to the right of a chart, and of the names of its curves
_PICTURE_SIDE = 56  # pixels
_MANY_DOTS = 100  # from which dots are small
_WHITE, _BLACK = Colour(255, 255, 255), Colour(0, 0, 0)
_GRID, _QUIET = Colour(221, 221, 221), Colour(90, 90, 90)

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


class DirectionCurve(NamedTuple):
    """A name, directions in degrees against x as a line, and further (x, degrees) as dots of the same colour."""

    name: str
    x: list[float]
    degrees: list[float]
    dots: list[tuple[float, float]]


class DirectionPanel(NamedTuple):
    """A title, the name of the logarithmic axis and its ticks, and the curves."""

    title: str
    axis: str
    ticks: list[float]
    curves: list[DirectionCurve]


def directions_svg(panels: list[DirectionPanel]) -> str:
    """The panels side by side over one axis of degrees, each curve with its name at its end, as an SVG file."""
    every = [d for p in panels for c in p.curves for d in (*c.degrees, *(dot[1] for dot in c.dots))]
    low, high = 10 * np.floor(min(every) / 10), 10 * np.ceil(max(every) / 10)
    canvas = SvgCanvas(_PANEL_WIDTH * len(panels), _PANEL_HEIGHT, _WHITE)
    for place, panel in enumerate(panels):
        _draw_panel(canvas, panel, _PANEL_WIDTH * place, (low, high))
    names = "; ".join(f"{panel.title}: {', '.join(curve.name for curve in panel.curves)}" for panel in panels)
    return canvas.document("Direction of motion that is seen, against noise", f"{names}. Dots are from pictures.")


def _draw_panel(canvas: SvgCanvas, panel: DirectionPanel, left: float, degrees: tuple[float, float]) -> None:
    start, end, bottom = left + _LEFT, left + _PANEL_WIDTH - _RIGHT, _PANEL_HEIGHT - _BOTTOM
    first, last = np.log(panel.ticks[0]), np.log(panel.ticks[-1])

    def place(x: float, degree: float) -> tuple[float, float]:
        across = start + (end - start) * (np.log(x) - first) / (last - first)
        return float(across), float(bottom - (bottom - _TOP - 24) * (degree - degrees[0]) / (degrees[1] - degrees[0]))

    canvas.label((start, _TOP + 4), panel.title, _BLACK, _FONT_SIZE)
    for tick in np.arange(degrees[0], degrees[1] + 1, 10):
        y = place(panel.ticks[0], tick)[1]
        canvas.line((start, y), (end, y), _GRID, 1)
        canvas.label((start - 8, y + 4), f"{tick:.0f}°", _BLACK, _FONT_SIZE, "end")
    for x in panel.ticks:
        canvas.label((place(x, 0)[0], bottom + 20), f"{x:g}", _BLACK, _FONT_SIZE, "middle")
    canvas.label(((start + end) / 2, _PANEL_HEIGHT - 10), panel.axis, _BLACK, _FONT_SIZE, "middle")
    ends = _apart([place(1, curve.degrees[-1])[1] for curve in panel.curves], 16)
    for colour, curve, height in zip(_PALETTE[2:], panel.curves, ends, strict=False):
        points = [place(x, degree) for x, degree in zip(curve.x, curve.degrees, strict=True)]
        canvas.polyline(np.array(points), colour, 2)
        for x, degree in curve.dots:
            canvas.disc(place(x, degree), 4, colour)
        canvas.label((end + 10, height + 4), curve.name, colour, _FONT_SIZE)


class ChartLine(NamedTuple):
    """A named curve of y against x; `interval` are error bars (low, high), `dots` shows its points and no line.

    A y of nan leaves a gap in the curve.
    """

    name: str
    x: list[float]
    y: list[float]
    interval: list[tuple[float, float]] | None = None
    dots: bool = False


class Chart(NamedTuple):
    """One chart: title, names of both axes, the curves; `log_x` and `log_y` choose logarithmic axes.

    `y_range` is the range of the y axis, that of the curves if not given. `ground` (rows, columns) in 0…1, top row
    first, is shown behind the curves over the whole plot, from white to blue. `pictures` are grey pictures in 0…1,
    shown beside the title.
    """

    title: str
    x_axis: str
    y_axis: str
    lines: list[ChartLine]
    log_x: bool = False
    log_y: bool = False
    y_range: tuple[float, float] | None = None
    ground: Array | None = None
    pictures: tuple[Array, ...] = ()


def charts_svg(charts: list[Chart], title: str) -> str:
    """Charts side by side as an SVG file."""
    width, height = _panel_size(charts)
    canvas = SvgCanvas(width * len(charts), height, _WHITE)
    for place, chart in enumerate(charts):
        _draw_chart(canvas, chart, width * place, (width, height))
    return canvas.document(title, "; ".join(f"{c.title}: {', '.join(line.name for line in c.lines)}" for c in charts))


def charts_image(charts: list[Chart]) -> Image.Image:
    """The same charts as pixels."""
    width, height = _panel_size(charts)
    canvas = PixelCanvas(width * len(charts), height, _WHITE)
    for place, chart in enumerate(charts):
        lines = [line._replace(name=_for_pixels(line.name)) for line in chart.lines]
        _draw_chart(canvas, chart._replace(title=_for_pixels(chart.title), lines=lines), width * place, (width, height))
    return canvas.image()


def _panel_size(charts: list[Chart]) -> tuple[int, int]:
    """Width and height of each chart in pixels: smaller where three or more stand side by side."""
    return (_PANEL_WIDTH, _PANEL_HEIGHT) if len(charts) < 3 else (360, 330)


def _for_pixels(words: str) -> str:
    """Without characters that the font of pixels lacks: the root sign, and a hat (U+0302) over a letter."""
    return words.replace("√", "root ").replace("\u0302", "")


class _Axis:
    """From values to pixels, along one axis of a chart; its ticks are round numbers."""

    def __init__(self, values: list[float], start: float, end: float, logarithmic: bool) -> None:
        self._log, self._start, self._end = logarithmic, start, end
        low, high = min(values), max(values)
        if logarithmic:
            low, high = np.log10(low), np.log10(high)
        self._low, self._high = low, high if high > low else low + 1
        self.ticks = self._ticks()

    def __call__(self, value: float) -> float:
        place = np.log10(value) if self._log else value
        return float(self._start + (self._end - self._start) * (place - self._low) / (self._high - self._low))

    def _ticks(self) -> list[float]:
        span = self._high - self._low
        if self._log:
            step = max(1, int(np.ceil(span / 6)))
            powers = np.arange(np.ceil(self._low - 1e-9), np.floor(self._high + 1e-9) + 1, step)
            return (10.0**powers).tolist()
        unit = 10.0 ** np.floor(np.log10(span / 4))
        step = unit * min((s for s in (1, 2, 5, 10) if span / (unit * s) <= 6), default=10)
        first, last = np.ceil(self._low / step - 1e-9), np.floor(self._high / step + 1e-9)
        return (step * np.arange(first, last + 1) + 0.0).tolist()  # + 0.0: no −0


def _draw_chart(canvas: Canvas, chart: Chart, left: float, size: tuple[int, int]) -> None:
    width, height = size
    names = max((text_width(line.name, _FONT_SIZE) for line in chart.lines), default=0.0)
    start, end = left + _LEFT, left + width - _GAP - (names + 10 if names else 0)
    picture_height = _PICTURE_SIDE + 8 if chart.pictures else 0
    bottom, top = height - _BOTTOM, _TOP + 34 + max(0, picture_height - 20)
    every = [y for line in chart.lines for y in (*line.y, *(v for pair in line.interval or [] for v in pair))]
    across = _Axis([x for line in chart.lines for x in line.x], start, end, chart.log_x)
    up = _Axis([y for y in chart.y_range or every if np.isfinite(y)], bottom, top, chart.log_y)
    canvas.label((start, _TOP + 4), chart.title, _BLACK, _FONT_SIZE + 1, bold=True)
    for place, picture in enumerate(chart.pictures):
        corner = (end - (len(chart.pictures) - place) * (_PICTURE_SIDE + 8), _TOP - 8)
        canvas.tile(picture, corner, (_PICTURE_SIDE, _PICTURE_SIDE))
    if chart.ground is not None:
        share = chart.ground[..., None]
        canvas.tile(1 - share + share * np.array(_PALETTE[3][:3]) / 255, (start, top), (end - start, bottom - top))
    for tick in up.ticks:
        canvas.line((start, up(tick)), (end, up(tick)), _GRID, 1)
        canvas.label((start - 8, up(tick) + 4), f"{tick:.5g}", _BLACK, _FONT_SIZE, "end")
    for tick in across.ticks:
        canvas.label((across(tick), bottom + 20), f"{tick:.5g}", _BLACK, _FONT_SIZE, "middle")
    canvas.label(((start + end) / 2, height - 10), chart.x_axis, _BLACK, _FONT_SIZE, "middle")
    canvas.label((start, top - 12), chart.y_axis, _QUIET, _FONT_SIZE - 1)
    ends = _apart([up(line.y[-1]) if np.isfinite(line.y[-1]) else top for line in chart.lines], 16)
    first_colour = 3 if chart.ground is None else 0  # not blue on blue
    for place, (line, label) in enumerate(zip(chart.lines, ends, strict=True)):
        colour = _PALETTE[(place + first_colour) % len(_PALETTE)]
        points = np.array([(across(x), up(y)) for x, y in zip(line.x, line.y, strict=True)])
        for first, last in [] if line.dots else runs(np.isfinite(points[:, 1])):
            canvas.polyline(points[first:last], colour, 2)
        for point in points if line.dots or line.interval else []:
            canvas.disc((float(point[0]), float(point[1])), 3 if len(points) < _MANY_DOTS else 1.6, colour)
        for x, (low, high) in zip(line.x, line.interval or [], strict=False):
            canvas.line((across(x), up(low)), (across(x), up(high)), colour, 1)
        canvas.label((end + 10, label + 4), line.name, colour, _FONT_SIZE)
