"""The whole stage of the lab as a picture, drawn without a browser, as SVG or PNG.

The question and its answer; the dial with the picture and the posterior around it; the waves that make the posterior.
"""

import io
import re
from collections.abc import Collection, Sequence

import numpy as np

from tsa._base import Array
from tsa.groups import ImageRotation
from tsa.model import Subgroup
from tsa.stage.draw.canvas import Canvas, PixelCanvas, SvgCanvas, balanced, text_width
from tsa.stage.draw.colours import hue
from tsa.stage.draw.dial import DialView, draw_dial, draw_second
from tsa.stage.draw.waves import draw_waves
from tsa.stage.words import QUESTION, answer, modes, why

SIZE_PIXELS = 1440, 900  # width and height
_MARGIN = 24.0  # pixels around the cards
_CARDS_TOP = 156.0
_DIAL_WIDTH, _CARD_GAP = 648.0, 16.0
_PADDING = 18.0  # pixels between the border of a card and what it holds
_PATCHES_HEIGHT = 112.0  # of the part of the dial's card below the dial
_HEAD_SIZES = (42, 19), (38, 19), (34, 18), (30, 18), (26, 17), (23, 16), (20, 15), (17, 14), (14, 12)  # answer, why


def stage_svg(view: DialView, model: Subgroup, prior: Sequence[complex] = (), without: Collection[int] = ()) -> str:
    """The stage as an SVG file; `model` has all weights, and the posterior is without some of them."""
    canvas = SvgCanvas(*SIZE_PIXELS, view.theme.paper)
    _compose(canvas, view, model, prior, without)
    description = f"{_pair(view)} {why(view.sweep, view.row)}".strip()
    return canvas.document(answer(view.sweep, view.row), description)


def stage_png(view: DialView, model: Subgroup, prior: Sequence[complex] = (), without: Collection[int] = ()) -> bytes:
    """The stage as a PNG file of 1440 × 900 pixels."""
    canvas = PixelCanvas(*SIZE_PIXELS, view.theme.paper)
    _compose(canvas, view, model, prior, without)
    buffer = io.BytesIO()
    canvas.image().save(buffer, "PNG")
    return buffer.getvalue()


def _compose(
    canvas: Canvas, view: DialView, model: Subgroup, prior: Sequence[complex], without: Collection[int]
) -> None:
    _head(canvas, view)
    height = SIZE_PIXELS[1] - _MARGIN - _CARDS_TOP
    theme = view.theme
    canvas.card((_MARGIN, _CARDS_TOP), (_DIAL_WIDTH, height), theme.card, theme.border)
    room = _DIAL_WIDTH - 2 * _PADDING, height - _PATCHES_HEIGHT - 2 * _PADDING
    draw_dial(canvas, view, (_MARGIN + _PADDING, _CARDS_TOP + _PADDING), room)
    _patches(canvas, view, model, _CARDS_TOP + height - _PATCHES_HEIGHT)
    left = _MARGIN + _DIAL_WIDTH + _CARD_GAP
    size = SIZE_PIXELS[0] - _MARGIN - left, height
    canvas.card((left, _CARDS_TOP), size, theme.card, theme.border)
    draw_waves(canvas, view, model, (left, _CARDS_TOP), size, prior, without)


def _pair(view: DialView) -> str:
    if view.other is None:
        return f"y is x turned by {view.angle:g}°."
    return f"y is another picture, turned by {view.angle:g}°."


def _head(canvas: Canvas, view: DialView) -> None:
    """The question, the answer in type as large as fits, each of its angles underlined in its hue, and why."""
    theme, room = view.theme, SIZE_PIXELS[0] - 2 * _MARGIN
    canvas.label((_MARGIN, 42), QUESTION, theme.quiet, 21)
    words, more = answer(view.sweep, view.row), why(view.sweep, view.row)
    for size, small in _HEAD_SIZES:
        lines, below = balanced(words, room, size), balanced(more, room, small)
        if len(lines) * 1.3 * size + len(below) * 1.3 * small <= _CARDS_TOP - 62:
            break
    y = 48.0
    named = {mode.degrees for mode in modes(view.sweep, view.row)}
    for line in lines:
        y += 1.05 * size
        _underline(canvas, line, named, y, size)
        canvas.label((_MARGIN, y), line, theme.text, size, bold=True)
        y += 0.25 * size
    for line in below:
        y += 1.3 * small
        canvas.label((_MARGIN, y), line, theme.quiet, small)


def _underline(canvas: Canvas, line: str, named: set[int], base: float, size: float) -> None:
    for found in re.finditer(r"(\d+)°", line):
        degrees = int(found[1])
        if degrees in named:
            left, right = (_MARGIN + text_width(line[:end], size) for end in found.span())
            y = base + 0.2 * size
            canvas.line((left + 1, y), (right - 1, y), hue(np.radians(degrees)), 0.12 * size)


def _patches(canvas: Canvas, view: DialView, model: Subgroup, top: float) -> None:
    """x and y, in full resolution and as the model sees them; the greys of x do not depend on y."""
    theme, left = view.theme, _MARGIN + _PADDING
    right = _MARGIN + _DIAL_WIDTH - _PADDING
    canvas.line((left, top), (right, top), theme.border, 1)
    side, middle = 64.0, top + 50
    for column, (name, seen) in enumerate(
        (("x", _greys(view.sweep.x, view.picture)), ("y", _greys(view.sweep.y[view.row], view.turned)))
    ):
        start = left + 176 * column
        canvas.label((start, middle + 7), name, theme.text, 21, bold=True)
        first = start + 20 + side / 2
        if column:
            draw_second(canvas, view, (first, middle), side)
        else:
            canvas.picture(view.picture, (first, middle), side)
        canvas.picture(seen, (first + side + 6, middle), side, coarse=True)
        for at in (first, first + side + 6):
            canvas.ring((at, middle), side / 2 + 0.5, theme.border, 1)
        canvas.label((first + side + 6, top + 100), "as the model sees it", theme.quiet, 12, "middle")
    turned = "x" if view.other is None else "another picture"
    lines = [
        f"y is {turned}, turned by {view.angle:g}°",
        f"expected noise σ = {model.noise:g}{' in both' if view.sweep.both else ''}",
    ]
    if view.noise is not None:
        lines.insert(1, "with noise on its pixels")
    for i, line in enumerate(lines):
        colour, size = (theme.quiet, 14) if i else (theme.text, 15)
        canvas.label((left + 370, middle - 10.5 * len(lines) + 16 + 21 * i), line, colour, size, bold=not i)


def _greys(patch: Array, picture: Array) -> Array:
    """A patch (D,), whose mean over the disc is 0, in the greys of its picture: black is 0 and white 1."""
    size = int(np.sqrt(patch.size))
    row, column = np.indices(picture.shape) + 0.5
    middle = len(picture) / 2
    greys = patch.copy()
    greys[ImageRotation(size).support] += picture[np.hypot(row - middle, column - middle) < middle].mean()
    return np.clip(greys, 0, 1).reshape(size, size)
