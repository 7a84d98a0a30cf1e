"""Drawings of signals on a ring: how a shift turns the arrows of its frequencies, training pairs, learned filters."""

from collections.abc import Sequence

import numpy as np

from tsa._base import Array
from tsa.model import Subgroup
from tsa.stage.draw.canvas import Canvas, Point, SvgCanvas, around
from tsa.stage.draw.colours import Colour, hue, theme

_WIDTH = 860  # pixels
_MARGIN, _GAP = 20, 40  # pixels
_BARS_HEIGHT, _POSTERIOR_HEIGHT, _CURVE_HEIGHT, _PAIR_HEIGHT = 130, 110, 90, 64  # pixels
_FONT_SIZE = 15  # pixels
_POINTS_PER_PLACE = 12  # of the posterior, between two shifts
_LOOK = theme("light")


def shift_svg(model: Subgroup, x: Array, y: Array, places: int) -> str:
    """A signal x (n,) and y, which is x shifted by so many places, under the model of the DFT of n samples.

    Below the signals each frequency has its circle with the arrows of x (grey) and y; then comes the posterior.
    """
    weights = np.asarray(model.weights)
    planes = [j for j in np.argsort(np.abs(weights), kind="stable") if weights[j] and not model.lines[j]]
    z = model.coordinates(np.stack([x, y]))[:, planes]
    z = np.where(weights[planes] < 0, z.conj(), z)
    posterior = model.posterior(x, y)
    eta = posterior.eta[np.abs(weights[planes]) - 1]
    radius = min(60.0, (_WIDTH - 2 * _MARGIN) / len(planes) / 2 - 12)
    circles, density = 60 + _BARS_HEIGHT, 60 + _BARS_HEIGHT + 2 * radius + 110
    canvas = SvgCanvas(_WIDTH, round(density + _POSTERIOR_HEIGHT + 40), _LOOK.card)
    half = (_WIDTH - 2 * _MARGIN - _GAP) / 2
    moved = f"y: the same signal, shifted by {places} of {len(x)} places"
    for signal, left, title, start in ((x, _MARGIN, "x: a signal", 0), (y, _MARGIN + half + _GAP, moved, places)):
        canvas.label((left, 30), title, _LOOK.text, _FONT_SIZE, bold=True)
        _bars(canvas, signal, (left, 46), (half, _BARS_HEIGHT), start)
    for k, (before, after, natural) in enumerate(zip(*(z / max(np.abs(z).max(), 1e-9)), eta, strict=True)):
        centre = _MARGIN + (k + 0.5) * (_WIDTH - 2 * _MARGIN) / len(planes), circles + 30 + radius
        canvas.ring(centre, radius, _LOOK.border, 1)
        known = abs(natural) > 1e-9
        _arrow(canvas, centre, radius * before, _LOOK.faint, 3)
        _arrow(canvas, centre, radius * after, hue(float(np.angle(natural))) if known else _LOOK.faint, 4)
        below = centre[1] + radius
        turned = f"turned by {np.degrees(np.angle(natural)) % 360:.1f}°" if known else "no arrow"
        canvas.label((centre[0], below + 24), f"k = {k + 1}", _LOOK.text, _FONT_SIZE, "middle", bold=True)
        canvas.label((centre[0], below + 44), turned, _LOOK.text, _FONT_SIZE - 1, "middle")
        canvas.label((centre[0], below + 63), f"κ = {abs(natural):.1f}", _LOOK.quiet, _FONT_SIZE - 1, "middle")
    step = (_WIDTH - 2 * _MARGIN) / len(x)
    floor = density + _POSTERIOR_HEIGHT
    at = (np.arange(_POINTS_PER_PLACE * len(x) + 1) / _POINTS_PER_PLACE - 0.5) * 2 * np.pi / len(x)
    heights = posterior.density(at)
    heights = floor - (_POSTERIOR_HEIGHT - 24) * heights / heights.max()
    across = _MARGIN + step * len(x) * np.linspace(0, 1, len(at))
    canvas.label((_MARGIN, density + 8), "Posterior over the shift, in places", _LOOK.text, _FONT_SIZE, bold=True)
    outline, ground = np.stack([across, heights], -1), np.stack([across, np.full(len(at), floor)], -1)
    canvas.fan(ground, outline, [hue(float(s)) for s in (at[:-1] + at[1:]) / 2])
    canvas.line((_MARGIN, floor), (_WIDTH - _MARGIN, floor), _LOOK.border, 1)
    for m in range(len(x)):
        place, true = (_MARGIN + (m + 0.5) * step, floor + 20), m == places
        canvas.label(place, f"{m}", _LOOK.text if true else _LOOK.quiet, _FONT_SIZE - 1, "middle", bold=true)
    return canvas.document(
        "A signal, its shifted copy, and the arrows of its frequencies",
        f"{moved}. A circle for each frequency has the arrow of x in grey and that of y in colour; below them is the "
        "posterior over the shift.",
    )


def training_pairs_svg(x: Array, y: Array) -> str:
    """Pairs of signals (m, n), before and after a shift that is not told, one pair in a row."""
    canvas = SvgCanvas(_WIDTH, 50 + len(x) * (_PAIR_HEIGHT + 16), _LOOK.card)
    half = (_WIDTH - 2 * _MARGIN - _GAP) / 2
    largest = max(float(np.abs(x).max()), float(np.abs(y).max()))
    for signals, left, title in ((x, _MARGIN, "before"), (y, _MARGIN + half + _GAP, "after a shift that is not told")):
        canvas.label((left, 30), title, _LOOK.text, _FONT_SIZE, bold=True)
        for row, signal in enumerate(signals):
            corner = left, 46 + row * (_PAIR_HEIGHT + 16)
            _signed_bars(canvas, signal / largest, corner, (half, _PAIR_HEIGHT))
    return canvas.document("Training pairs", f"{len(x)} signals of white noise, and the same signals shifted.")


def signal_filters_svg(rows: Sequence[tuple[str, Array, Sequence[str]]]) -> str:
    """Filter pairs of signals: for each row a title, filters (n, J), and a text under each pair.

    The cosine of a pair is drawn in black and its sine in grey.
    """
    height = _CURVE_HEIGHT + 74
    canvas = SvgCanvas(_WIDTH, 10 + len(rows) * height, _LOOK.card)
    for number, (title, filters, texts) in enumerate(rows):
        top = 10 + number * height
        canvas.label((_MARGIN, top + 20), title, _LOOK.text, _FONT_SIZE, bold=True)
        step = (_WIDTH - 2 * _MARGIN) / filters.shape[1]
        for j, text in enumerate(texts):
            left, middle = _MARGIN + j * step, top + 36 + _CURVE_HEIGHT / 2
            across = left + (step - 14) * np.linspace(0, 1, len(filters))
            canvas.line((left, middle), (left + step - 14, middle), _LOOK.border, 1)
            scale = _CURVE_HEIGHT / 2 / float(np.abs(filters[:, j]).max())
            for part, colour in ((filters[:, j].imag, _LOOK.faint), (filters[:, j].real, _LOOK.text)):
                canvas.polyline(np.stack([across, middle - scale * part], -1), colour, 2)
            canvas.label((left + (step - 14) / 2, top + _CURVE_HEIGHT + 54), text, _LOOK.text, _FONT_SIZE - 1, "middle")
    return canvas.document("Filter pairs", "; ".join(f"{title}: {', '.join(texts)}" for title, _, texts in rows) + ".")


def _bars(canvas: Canvas, signal: Array, corner: Point, size: tuple[float, float], start: int) -> None:
    """A signal as bars; the hue is the place on the ring of x, which has gone to `start` if it was the first."""
    step, floor = size[0] / len(signal), corner[1] + size[1]
    top = max(float(signal.max()), 1e-9)
    for i, value in enumerate(signal.tolist()):
        left, height = corner[0] + i * step, max(2.0, size[1] * value / top)
        colour = hue(2 * np.pi * ((i - start) % len(signal)) / len(signal))
        canvas.polygon(_box(left + 3, floor - height, step - 6, height), colour)
    canvas.line((corner[0], floor), (corner[0] + size[0], floor), _LOOK.border, 1)


def _signed_bars(canvas: Canvas, signal: Array, corner: Point, size: tuple[float, float]) -> None:
    """Values from −1 to 1 as bars up and down from a line in the middle."""
    step, middle = size[0] / len(signal), corner[1] + size[1] / 2
    for i, value in enumerate(signal.tolist()):
        height = value * size[1] / 2
        canvas.polygon(_box(corner[0] + i * step + 3, middle, step - 6, -height), _LOOK.text)
    canvas.line((corner[0], middle), (corner[0] + size[0], middle), _LOOK.border, 1)


def _box(left: float, top: float, width: float, height: float) -> Array:
    return np.array([(left, top), (left + width, top), (left + width, top + height), (left, top + height)])


def _arrow(canvas: Canvas, centre: Point, to: complex, colour: Colour, width: float) -> None:
    """From the middle of a circle, with a head unless it is too short for one."""
    length, angle = abs(to), float(np.angle(to))
    head = min(4.5 * width / 2, length)
    shaft = around(centre, max(0.0, length - head), np.array([angle]))[0]
    if length > 1:
        canvas.line(centre, (float(shaft[0]), float(shaft[1])), colour, width)
        tip = around(centre, length, np.array([angle]))
        sides = around((float(shaft[0]), float(shaft[1])), 0.6 * head, np.array([angle + np.pi / 2, angle - np.pi / 2]))
        canvas.polygon(np.concatenate([tip, sides]), colour)
    canvas.disc(centre, 2.5, _LOOK.quiet)
