"""The whole stage of the lab as a picture, drawn without a browser, as SVG or PNG.

The dial with the picture and the posterior around it, the strip, a circle for each subspace, and the words. It looks
like the stage component of the app.
"""

import io

import numpy as np

from tsa.density import mean_rotation
from tsa.model import Subgroup
from tsa.stage.draw._pixels import PixelCanvas
from tsa.stage.draw._svg import SvgCanvas
from tsa.stage.draw.canvas import Canvas, Point, around, wrapped
from tsa.stage.draw.colours import hue
from tsa.stage.draw.dial import DialView, draw_dial, draw_strip
from tsa.stage.look import (
    BAND_HEIGHT,
    MIN_CERTAINTY,
    MIN_COLOURED_CERTAINTY,
    OPACITY_RANGE,
    TICK_OPACITY_RANGE,
    TICK_RADII,
    opacity,
)
from tsa.stage.words import numbers, reason, sentence

SIZE_PIXELS = 1440, 900  # width and height
_LEFT_COLUMN, _RIGHT_COLUMN = (24, 832), (872, 544)  # left edge and width of the two columns, in pixels
_PADDING = 18  # pixels between the border of a card and its text


def stage_svg(view: DialView, model: Subgroup) -> str:
    """The stage as an SVG file."""
    canvas = SvgCanvas(*SIZE_PIXELS, view.theme.paper)
    _compose(canvas, view, model)
    why = f"{_heading(view)} {reason(view.sweep, view.row)}".strip()
    return canvas.document(sentence(view.sweep, view.row), why)


def stage_png(view: DialView, model: Subgroup) -> bytes:
    """The stage as a PNG file of 1440 × 900 pixels."""
    canvas = PixelCanvas(*SIZE_PIXELS, view.theme.paper)
    _compose(canvas, view, model)
    buffer = io.BytesIO()
    canvas.image().save(buffer, "PNG")
    return buffer.getvalue()


def _compose(canvas: Canvas, view: DialView, model: Subgroup) -> None:
    length, scale = ("log probability", " · log scale") if view.log else ("probability", "")
    _card(
        canvas,
        view,
        (*_LEFT_COLUMN, 24, 556),
        "By how much was x turned to become y?",
        f"hue: angle · length: {length}",
    )
    draw_dial(canvas, view, (440, 312), 254)
    _patches(canvas, view, 526)
    _card(canvas, view, (*_LEFT_COLUMN, 596, 280), "Posterior over the turn", f"full colour: the likeliest 95 %{scale}")
    draw_strip(canvas, view, (54, 656), (772, 78))
    _write_words(canvas, view, 779)
    title = f"{model.subspaces} subspaces, slowest first"
    _card(canvas, view, (*_RIGHT_COLUMN, 24, 852), title, "hue: angle · length: certainty")
    _circles(canvas, view, model, (_RIGHT_COLUMN[0] + 12, 76), (_RIGHT_COLUMN[1] - 24, 744))
    _legend(canvas, view, model, 843)


def _heading(view: DialView) -> str:
    if view.other is None:
        return f"y is x turned by {view.angle:g}°."
    return f"y is another picture, turned by {view.angle:g}°."


def _card(canvas: Canvas, view: DialView, box: tuple[float, float, float, float], title: str, hint: str) -> None:
    left, width, top, height = box
    theme = view.theme
    canvas.card((left, top), (width, height), theme.card, theme.border)
    canvas.label((left + _PADDING, top + 31), title, theme.text, 16, bold=True)
    canvas.label((left + width - _PADDING, top + 31), hint, theme.quiet, 13, "end")


def _patches(canvas: Canvas, view: DialView, middle: float) -> None:
    """x and y, in full resolution and as the model sees them, in the lower corners of the dial's card."""
    x, y = view.sweep.x, view.sweep.y[view.row]
    low, high = min(x.min(), y.min()), max(x.max(), y.max())
    grey = [(values - low) / max(high - low, 1e-9) for values in (x, y)]
    pictures = [view.picture, view.turned]
    left, width = _LEFT_COLUMN
    for side, (name, fine, seen) in enumerate(zip("xy", pictures, grey, strict=True)):
        edge = left + _PADDING if side == 0 else left + width - _PADDING
        first = edge + 36 if side == 0 else edge - 116
        canvas.picture(fine, (first, middle), 72, view.radians if side else 0.0)
        size = int(np.sqrt(seen.size))
        canvas.picture(seen.reshape(size, size), (first + 80, middle), 72, coarse=True)
        caption = f"{name}, and as the model sees it"
        canvas.label((edge, middle - 48), caption, view.theme.quiet, 13, "end" if side else "start")


def _write_words(canvas: Canvas, view: DialView, top: float) -> None:
    """The sentence, the reason and the numbers."""
    theme, (left, width) = view.theme, _LEFT_COLUMN
    left, width = left + _PADDING, width - 2 * _PADDING
    for line in wrapped(sentence(view.sweep, view.row), width, 16):
        canvas.label((left, top), line, theme.text, 16, bold=True)
        top += 20
    for line in wrapped(reason(view.sweep, view.row), width, 13):
        canvas.label((left, top), line, theme.quiet, 13)
        top += 16
    canvas.line((left, 825), (left + width, 825), theme.border, 1)
    for i, (name, value) in enumerate(numbers(view.sweep, view.row).items()):
        canvas.label((left + i * width / 5, 844), name, theme.quiet, 12.5)
        canvas.label((left + i * width / 5, 864), value, theme.text, 16, bold=True)


def _circles(canvas: Canvas, view: DialView, model: Subgroup, corner: Point, size: Point) -> None:
    """A circle for each subspace, in a grid whose cells are about 1.2 times as tall as wide."""
    order = model.irreps.order()
    eta = view.sweep.eta[view.row, order]
    columns = max(4, round(np.sqrt(len(order) * size[0] / size[1] / 0.82)))
    cell = size[0] / columns, size[1] / -(-len(order) // columns)
    radius = min(cell[0] / 3.05, cell[1] / 4)
    for place, (weight, value, sure) in enumerate(
        zip(model.weights[order].tolist(), eta.tolist(), np.abs(mean_rotation(eta)).tolist(), strict=True)
    ):
        row, column = divmod(place, columns)
        centre = corner[0] + (column + 0.5) * cell[0], corner[1] + (row + 0.4) * cell[1]
        _circle(canvas, view, centre, radius, value, sure)
        tick = np.array([weight * view.radians])
        ends = [tuple(around(centre, reach * radius, tick)[0]) for reach in TICK_RADII]
        theme = view.theme
        canvas.line(ends[0], ends[1], theme.text.faint(opacity(TICK_OPACITY_RANGE, sure)), 1.6)
        type_size = min(13, 0.6 * radius)
        below = centre[0], centre[1] + 1.5 * radius + 0.75 * type_size
        canvas.label(below, str(weight), theme.text.over(theme.card, 0.55 + 0.45 * sure), type_size, "middle")


def _circle(canvas: Canvas, view: DialView, centre: Point, radius: float, eta: complex, sure: float) -> None:
    """The von Mises density as a band around the circle, thickest at its mean, and E[e^{iφ}] as a line from the centre.

    `sure` is |E[e^{iφ}]|; a subspace with hardly any certainty is an empty circle.
    """
    kappa, mu = abs(eta), float(np.angle(eta))
    colour = hue(mu).over(view.theme.card, opacity(OPACITY_RANGE, sure))
    if sure >= MIN_CERTAINTY:
        phi = np.linspace(0, 2 * np.pi, 91)
        height = BAND_HEIGHT * sure * np.exp(kappa * (np.cos(phi - mu) - 1))
        band = [around(centre, radius * (1 + height), phi), around(centre, radius, phi[::-1])]
        canvas.polygon(np.concatenate(band), colour)
        canvas.line(centre, tuple(around(centre, radius * sure, np.array([mu]))[0]), colour, 3)
    canvas.ring(centre, radius, colour if sure > MIN_COLOURED_CERTAINTY else view.theme.border, 1.4)


def _legend(canvas: Canvas, view: DialView, model: Subgroup, top: float) -> None:
    turn = "the true turn" if view.other is None else "the turn of y"
    lines = (
        "The number is the weight: how fast it turns. Faint circles carry little evidence.",
        f"A tick marks the phase at {turn}. Noise of the model: {model.noise:g}.",
    )
    for i, line in enumerate(lines):
        canvas.label((_RIGHT_COLUMN[0] + _PADDING, top + 18 * i), line, view.theme.quiet, 12.5)
