"""The lab's stage as a picture, drawn without a browser: SVG for paper, PNG for everything else.

The picture sits inside the dial, the posterior grows out of its rim, the strip unrolls it, a circle for every subspace
shows what it says, and one sentence says what all of it means. The drawings are the app's (its stage component).
"""

import io

import numpy as np

from tsa.colours import hue
from tsa.drawing import Canvas, PixelCanvas, Point, SvgCanvas, around, wrapped
from tsa.model import Subgroup
from tsa.sheet import by_weight
from tsa.stage.dial import Frame, draw_dial, draw_strip
from tsa.stage.words import numbers, reason, sentence
from tsa.vonmises import mean_rotation

SIZE = 1440, 900
_LEFT, _RIGHT = (24, 832), (872, 544)  # the two columns: where they start, how wide they are
_PADDING = 18


def stage_svg(frame: Frame, model: Subgroup) -> str:
    """The stage as an SVG file."""
    canvas = SvgCanvas(*SIZE, frame.theme.paper)
    _compose(canvas, frame, model)
    why = f"{_heading(frame)} {reason(frame.sweep, frame.row)}".strip()
    return canvas.document(sentence(frame.sweep, frame.row), why)


def stage_png(frame: Frame, model: Subgroup) -> bytes:
    """The same as a PNG file, 1440 × 900."""
    canvas = PixelCanvas(*SIZE, frame.theme.paper)
    _compose(canvas, frame, model)
    buffer = io.BytesIO()
    canvas.image().save(buffer, "PNG")
    return buffer.getvalue()


def _compose(canvas: Canvas, frame: Frame, model: Subgroup) -> None:
    length, scale = ("log probability", " · log scale") if frame.log else ("probability", "")
    _card(canvas, frame, (*_LEFT, 24, 556), "By how much was x turned to become y?", f"hue: angle · length: {length}")
    draw_dial(canvas, frame, (440, 312), 254)
    _patches(canvas, frame, 526)
    _card(canvas, frame, (*_LEFT, 596, 280), "Posterior over the turn", f"full colour: the likeliest 95 %{scale}")
    draw_strip(canvas, frame, (54, 656), (772, 78))
    _say(canvas, frame, 779)
    title = f"{model.subspaces} subspaces, slowest first"
    _card(canvas, frame, (*_RIGHT, 24, 852), title, "hue: angle · length: certainty")
    _circles(canvas, frame, model, (_RIGHT[0] + 12, 76), (_RIGHT[1] - 24, 744))
    _legend(canvas, frame, model, 843)


def _heading(frame: Frame) -> str:
    if frame.other is None:
        return f"y is x turned by {frame.angle:g}°."
    return f"y is another picture, turned by {frame.angle:g}°."


def _card(canvas: Canvas, frame: Frame, box: tuple[float, float, float, float], title: str, hint: str) -> None:
    left, width, top, height = box
    look = frame.theme
    canvas.card((left, top), (width, height), look.card, look.line)
    canvas.label((left + _PADDING, top + 31), title, look.text, 16, bold=True)
    canvas.label((left + width - _PADDING, top + 31), hint, look.quiet, 13, "end")


def _patches(canvas: Canvas, frame: Frame, middle: float) -> None:
    """x and y, fine and as the model sees them, in the lower corners of the dial's card."""
    x, y = frame.sweep.x, frame.sweep.y[frame.row]
    low, high = min(x.min(), y.min()), max(x.max(), y.max())
    grey = [(values - low) / max(high - low, 1e-9) for values in (x, y)]
    pictures = [frame.picture, frame.turned]
    left, width = _LEFT
    for side, (name, fine, seen) in enumerate(zip("xy", pictures, grey, strict=True)):
        edge = left + _PADDING if side == 0 else left + width - _PADDING
        first = edge + 36 if side == 0 else edge - 116
        canvas.picture(fine, (first, middle), 72, frame.radians if side else 0.0)
        size = int(np.sqrt(seen.size))
        canvas.picture(seen.reshape(size, size), (first + 80, middle), 72, coarse=True)
        caption = f"{name}, and as the model sees it"
        canvas.label((edge, middle - 48), caption, frame.theme.quiet, 13, "end" if side else "start")


def _say(canvas: Canvas, frame: Frame, top: float) -> None:
    """The sentence, why, and the numbers."""
    look, (left, width) = frame.theme, _LEFT
    left, width = left + _PADDING, width - 2 * _PADDING
    for line in wrapped(sentence(frame.sweep, frame.row), width, 16):
        canvas.label((left, top), line, look.text, 16, bold=True)
        top += 20
    for line in wrapped(reason(frame.sweep, frame.row), width, 13):
        canvas.label((left, top), line, look.quiet, 13)
        top += 16
    canvas.line((left, 825), (left + width, 825), look.line, 1)
    for i, (name, value) in enumerate(numbers(frame.sweep, frame.row).items()):
        canvas.label((left + i * width / 5, 844), name, look.quiet, 12.5)
        canvas.label((left + i * width / 5, 864), value, look.text, 16, bold=True)


def _circles(canvas: Canvas, frame: Frame, model: Subgroup, corner: Point, size: Point) -> None:
    """A circle for each subspace, in a grid whose cells are a little taller than wide."""
    order = by_weight(model.weights)
    eta = frame.sweep.eta[frame.row, order]
    columns = max(4, round(np.sqrt(len(order) * size[0] / size[1] / 0.82)))
    cell = size[0] / columns, size[1] / -(-len(order) // columns)
    radius = min(cell[0] / 3.05, cell[1] / 4)
    for place, (weight, value, sure) in enumerate(
        zip(model.weights[order].tolist(), eta.tolist(), np.abs(mean_rotation(eta)).tolist(), strict=True)
    ):
        row, column = divmod(place, columns)
        centre = corner[0] + (column + 0.5) * cell[0], corner[1] + (row + 0.4) * cell[1]
        _circle(canvas, frame, centre, radius, value, sure)
        tick = np.array([weight * frame.radians])
        ends = [tuple(around(centre, reach * radius, tick)[0]) for reach in (0.82, 1.12)]
        look = frame.theme
        canvas.line(ends[0], ends[1], look.text.faint(0.25 + 0.6 * sure), 1.6)
        type_size = min(13, 0.6 * radius)
        below = centre[0], centre[1] + 1.5 * radius + 0.75 * type_size
        canvas.label(below, str(weight), look.text.over(look.card, 0.55 + 0.45 * sure), type_size, "middle")


def _circle(canvas: Canvas, frame: Frame, centre: Point, radius: float, eta: complex, sure: float) -> None:
    """The von Mises density as a band around the circle, thickest at its mean, and E[e^{iφ}] as a hand.

    What says nothing is an empty circle.
    """
    kappa, mu = abs(eta), float(np.angle(eta))
    colour = hue(mu).over(frame.theme.card, 0.12 + 0.88 * sure)
    if sure >= 0.03:
        phi = np.linspace(0, 2 * np.pi, 91)
        height = 0.5 * sure * np.exp(kappa * (np.cos(phi - mu) - 1))
        band = [around(centre, radius * (1 + height), phi), around(centre, radius, phi[::-1])]
        canvas.polygon(np.concatenate(band), colour)
        canvas.line(centre, tuple(around(centre, radius * sure, np.array([mu]))[0]), colour, 3)
    canvas.ring(centre, radius, colour if sure > 0.15 else frame.theme.line, 1.4)


def _legend(canvas: Canvas, frame: Frame, model: Subgroup, top: float) -> None:
    turn = "the true turn" if frame.other is None else "this turn of y"
    lines = (
        "The number is the weight: how fast it turns. Faint circles say little.",
        f"A tick marks where {turn} points. Model noise {model.noise:g}.",
    )
    for i, line in enumerate(lines):
        canvas.label((_RIGHT[0] + _PADDING, top + 18 * i), line, frame.theme.quiet, 12.5)
