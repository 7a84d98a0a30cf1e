"""A comparison as a picture, drawn without a browser: small dials, and their posteriors over one axis."""

from collections.abc import Sequence

import numpy as np

from tsa._base import Array
from tsa.stage.comparison.compared import Compared, comparison_words
from tsa.stage.draw import SIZE_PIXELS, Canvas, DialView, PixelCanvas, SvgCanvas, Theme, balanced, draw_dial, hue, theme
from tsa.stage.exports import png
from tsa.stage.scene import Scene
from tsa.stage.words import QUESTION, answer, comparison

Point = tuple[float, float]
DASHES = ((), (9.0, 5.0), (1.5, 4.5), (12.0, 4.0, 1.5, 4.0))  # lengths and gaps of the line of each pin, in pixels
_MARGIN, _GAP, _PADDING = 24.0, 16.0, 16.0  # pixels around cards, between them, and inside
_CARDS_TOP, _STRIP_HEIGHT = 140.0, 252.0
_HUE_HEIGHT = 7.0  # pixels of the band of hues below the axis
_LINE_PIXELS = 1.8


def compare_svg(scenes: Sequence[Scene], labels: Sequence[str], theme_name: str = "light", log: bool = False) -> str:
    """Up to four scenes as an SVG file."""
    canvas = SvgCanvas(*SIZE_PIXELS, theme(theme_name).paper)
    certainty, shared = _compose(canvas, scenes, labels, theme_name, log)
    return canvas.document(f"{QUESTION} {certainty}", shared)


def compare_png(scenes: Sequence[Scene], labels: Sequence[str], theme_name: str = "light", log: bool = False) -> bytes:
    """Up to four scenes as a PNG file of 1440 × 900 pixels."""
    canvas = PixelCanvas(*SIZE_PIXELS, theme(theme_name).paper)
    _compose(canvas, scenes, labels, theme_name, log)
    return png(canvas.image())


def _compose(
    canvas: Canvas, scenes: Sequence[Scene], labels: Sequence[str], theme_name: str, log: bool
) -> tuple[str, str]:
    said = comparison_words([Compared.of(scene, whole=False) for scene in scenes])[0]
    look, (width, height) = theme(theme_name), SIZE_PIXELS
    canvas.label((_MARGIN, 40), QUESTION, look.quiet, 19)
    y = 74.0
    for sentence, size in zip(said, (25.0, 19.0), strict=True):
        for line in balanced(sentence, width - 2 * _MARGIN, size):
            canvas.label((_MARGIN, y), line, look.text, size, bold=size > 20)
            y += 1.25 * size
    strip_top = height - _MARGIN - _STRIP_HEIGHT
    each = (width - 2 * _MARGIN - (len(scenes) - 1) * _GAP) / len(scenes)
    views = [_view(scene, theme_name, log) for scene in scenes]
    answers = [balanced(answer(view.sweep), each - 2 * _PADDING, 15) for view in views]
    below = 22.0 * max(map(len, answers)) + 10
    for i, (view, label, lines) in enumerate(zip(views, labels, answers, strict=True)):
        left, tall = _MARGIN + i * (each + _GAP), strip_top - _GAP - _CARDS_TOP
        canvas.card((left, _CARDS_TOP), (each, tall), look.card, look.border)
        _caption(canvas, i, label, look, (left + _PADDING, _CARDS_TOP + 28), each - 2 * _PADDING)
        corner, room = (left + _PADDING, _CARDS_TOP + 62), (each - 2 * _PADDING, tall - 66 - below)
        draw_dial(canvas, view, corner, room)
        for k, line in enumerate(lines):
            at = left + each / 2, _CARDS_TOP + tall - below + 16 + 22 * k
            canvas.label(at, line, look.text, 15, "middle", bold=True)
    canvas.card((_MARGIN, strip_top), (width - 2 * _MARGIN, _STRIP_HEIGHT), look.card, look.border)
    canvas.label((_MARGIN + _PADDING, strip_top + 26), comparison.TITLE, look.text, 16, bold=True)
    corner = (_MARGIN + _PADDING + 8, strip_top + 60)
    _strip(canvas, views, corner, (width - 2 * _MARGIN - 2 * _PADDING - 16, _STRIP_HEIGHT - 100), log)
    return said


def _view(scene: Scene, theme_name: str, log: bool) -> DialView:
    swept = scene.sweep(whole=False)
    return DialView.of(swept, scene.x, scene.angle, scene.y, look=theme_name, log=log, noise=scene.noise)


def _caption(canvas: Canvas, number: int, label: str, look: Theme, at: Point, width: float) -> None:
    """The number of a pin, a sample of its line, and what tells it from the others."""
    canvas.label(at, str(number + 1), look.text, 20, bold=True)
    _dashed(canvas, np.array([[at[0] + 20, at[1] - 7], [at[0] + 68, at[1] - 7]]), look, number)
    for k, line in enumerate(balanced(label, width - 78, 14)[:2]):
        canvas.label((at[0] + 78, at[1] - 2 + 18 * k), line, look.text, 14)


def _strip(canvas: Canvas, views: Sequence[DialView], corner: Point, size: Point, log: bool) -> None:
    """Densities over one axis: the highest peak of all fills the height, or on a logarithmic scale that of each."""
    (left, top), (width, tall) = corner, size
    base, look = top + tall, views[0].theme
    highest = max(float(view.density.max()) for view in views)
    x = left + np.linspace(0, width, len(views[0].density))
    places = list[tuple[float, float]]()
    for i, view in enumerate(views):
        share = view.heights if log else view.density / highest
        points = np.stack([x, base - tall * share], axis=-1)
        _dashed(canvas, points, look, i)
        peak = int(np.argmax(share >= 0.999 * share.max()))  # of equal peaks the first
        places.append((float(points[peak, 0]), float(points[peak, 1])))
    _numbers(canvas, places, look)
    for d in range(360):
        canvas.line(
            (left + d * width / 360, base + 4),
            (left + (d + 1) * width / 360, base + 4),
            hue(np.radians(d + 0.5)),
            _HUE_HEIGHT,
        )
    angle = left + views[0].angle / 360 * width
    canvas.line((angle, top - 4), (angle, base), look.quiet, 1.2)
    for degrees in range(0, 361, 90):
        canvas.label((left + degrees / 360 * width, base + 26), f"{degrees}°", look.quiet, 13, "middle")


def _numbers(canvas: Canvas, places: Sequence[Point], look: Theme) -> None:
    """The number of each pin above its highest peak; those of peaks in one place beside each other."""
    taken = list[Point]()
    for i, (x, y) in enumerate(places):
        free = (
            x + aside
            for aside in (0, 15, -15, 30, -30, 45)
            if all(abs(x + aside - other) >= 15 or abs(y - above) >= 15 for other, above in taken)
        )
        at = next(free, x)
        taken.append((at, y))
        canvas.label((at, y - 6), str(i + 1), look.text, 15, "middle", bold=True)


def _dashed(canvas: Canvas, points: Array, look: Theme, number: int) -> None:
    """A line through points (n, 2) with the pattern of a pin, which runs along the line."""
    for piece in dashes(points, DASHES[number]):
        canvas.polyline(piece, look.text, _LINE_PIXELS)


def dashes(points: Array, pattern: Sequence[float]) -> list[Array]:
    """The pieces of a polyline (n, 2) that a pattern of lengths and gaps leaves; all of it without a pattern."""
    if not pattern:
        return [points]
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    starts = np.arange(0.0, along[-1], sum(pattern))
    pieces = []
    for start in starts.tolist():
        for length, gap in zip(pattern[::2], pattern[1::2], strict=True):
            inside = along[(along > start) & (along < start + length)]
            at = np.concatenate([[start], inside, [min(start + length, along[-1])]])
            if at[0] < at[-1]:
                pieces.append(np.stack([np.interp(at, along, axis) for axis in points.T], axis=-1))
            start += length + gap
    return pieces
