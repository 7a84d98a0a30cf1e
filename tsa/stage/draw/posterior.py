"""The posterior over a straight axis of turns, 0°…360°, with the scale of the petals."""

import numpy as np

from tsa._base import Array
from tsa.stage.draw._labels import Box, spread_apart
from tsa.stage.draw.canvas import Canvas, Point, runs, text_width
from tsa.stage.draw.colours import hue
from tsa.stage.draw.dial import HALF_DEGREES, DialView
from tsa.stage.look import PETAL_DENSITY
from tsa.stage.words import modes

_LABEL_HEIGHT = 1.5  # room above the highest peak, in sizes of type


def draw_posterior(canvas: Canvas, view: DialView, corner: Point, size: Point, type_size: float) -> None:
    """The density, coloured by angle, in a box; the mass of each mode above it and its angle below the box.

    The height of a peak is compressed as the petals are: p / √(1 + (p_max / p₀)²), unless the scale is logarithmic.
    """
    (left, top), (width, tall) = corner, size
    base, full = top + tall, tall - _LABEL_HEIGHT * type_size
    over = view.density.max() / PETAL_DENSITY
    high = full if view.log else full * over / np.hypot(1, over)
    x = left + HALF_DEGREES / 360 * width
    outline = np.stack([x, base - high * view.heights], axis=-1)
    floor = np.stack([x, np.full_like(x, base)], axis=-1)
    visible = base - outline[:, 1] > 0.2
    for first, last in runs(visible[:-1] | visible[1:]):
        colours = [hue(np.radians(d)) for d in HALF_DEGREES[first:last]]
        canvas.fan(floor[first : last + 1], outline[first : last + 1], colours)
    canvas.line((left, base), (left + width, base), view.theme.text, 1)
    canvas.polyline(outline, view.theme.text, 1.4)
    _name_modes(canvas, view, outline, type_size)
    _name_angles(canvas, view, (left, base), width, type_size)


def _name_modes(canvas: Canvas, view: DialView, outline: Array, type_size: float) -> None:
    """The mass of each mode above its peak, heaviest first, where there is room."""
    found = sorted(modes(view.sweep, view.row), key=lambda mode: -mode.mass)
    places = list[tuple[Point, str, Box]]()
    for mode in found:
        words = f"{100 * mode.mass:.0f} %"
        half = text_width(words, type_size) / 2
        at = np.degrees(mode.angle) / 360 * (outline[-1, 0] - outline[0, 0]) + outline[0, 0]
        x = min(max(at, outline[0, 0] + half - type_size), outline[-1, 0] - half + type_size)
        near = np.abs(outline[:, 0] - x) < half
        y = float(outline[near, 1].min()) - 0.4 * type_size
        places.append(((x, y), words, Box(x - half, y - 0.85 * type_size, x + half, y)))
    for (at, words, box), kept in zip(places, spread_apart([box for *_, box in places], 3), strict=True):
        if kept:
            # A ground of its own: lines that cross the axis pass behind it.
            ground = np.array([[box.left - 1, box.top], [box.right + 1, box.top]])
            deep = np.array([0, box.bottom - box.top + 1])
            canvas.polygon(np.concatenate([ground, ground[::-1] + deep]), view.theme.card)
            canvas.label(at, words, view.theme.text, type_size, "middle", bold=True)


def _name_angles(canvas: Canvas, view: DialView, start: Point, width: float, type_size: float) -> None:
    """The angle of each mode in bold under the axis, then the quarters of the turn where there is room."""
    found = sorted(modes(view.sweep, view.row), key=lambda mode: -mode.mass)
    named = [(mode.degrees, True) for mode in found] + [(quarter, False) for quarter in range(0, 361, 90)]
    size, base = 0.88 * type_size, start[1] + 1.15 * type_size
    boxes = list[Box]()
    for degrees, _ in named:
        x, half = start[0] + degrees / 360 * width, text_width(f"{degrees}°", size) / 2
        boxes.append(Box(x - half, base - size, x + half, base))
    for (degrees, bold), box, kept in zip(named, boxes, spread_apart(boxes, 6), strict=True):
        if kept:
            x = (box.left + box.right) / 2
            colour = view.theme.text if bold else view.theme.quiet
            canvas.label((x, base), f"{degrees}°", colour, size, "middle", bold=bold)
            canvas.line((x, start[1]), (x, start[1] + 3), colour, 1)
