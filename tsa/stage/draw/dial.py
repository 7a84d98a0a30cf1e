"""The dial: the posterior over the turn as petals around the picture, their areas the probabilities."""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image

from tsa._base import Array, InputError, checks
from tsa.density.numerics import on_grid
from tsa.stage.draw._labels import Box, beside_tip
from tsa.stage.draw.canvas import Anchor, Canvas, Point, around, text_width
from tsa.stage.draw.colours import Theme, hue, theme
from tsa.stage.look import (
    AREA_SAMPLE,
    LOG_RANGE,
    PETAL_MARGIN,
    PICTURE_RADIUS,
    RIM_HALF_WIDTH,
    RIM_OVER_PICTURE,
    petal_scale,
)
from tsa.stage.sweep import Sweep
from tsa.stage.words import modes

HALF_DEGREES = np.arange(721) / 2

_DIAL_RADIUS = 215.0  # outer radius, in pixels, for which the lengths below and those of `look` are meant
_KNOB_RADIUS = 10.5
_CONTOUR = 1.1
_TYPE_SIZE = 19.5  # of an angle; smaller where there is no room
_TYPE_SCALES = 1.0, 0.85, 0.7
_QUIET_TYPE = 0.74  # size of a share of the probability over that of its angle
_TICK_SIZE = 11.5
_NOISY_SIDE = 384  # pixels of a picture with noise, about


@dataclass(frozen=True, eq=False)
class DialView:
    """One turn of a sweep with its pictures, theme and scale: all that a drawing needs."""

    sweep: Sweep
    row: int
    picture: Array
    other: Array | None
    angle: float  # degrees
    theme: Theme
    log: bool  # whether the posterior over a straight axis has a logarithmic scale
    noise: Array | None  # (D,): what was added to the pixels of y

    @classmethod
    def of(
        cls,
        sweep: Sweep,
        picture: ArrayLike,
        angle: float,
        other: ArrayLike | None = None,
        row: int | None = None,
        look: str = "light",
        log: bool = False,
        noise: Array | None = None,
    ) -> "DialView":
        """A view after checking its arguments.

        `picture` (n, n) in 0…1 is x; `other` is the picture that was turned, if not a copy of x. `row` is the turn of
        the sweep, by default its only one or the one nearest to `angle` degrees. `look` names a theme. `noise` (D,)
        is shown on the picture of y; the sweep has it already.
        """
        angle = float(checks.finite(checks.real(angle, "angle"), "angle"))
        turns = len(sweep.y)
        row = (0 if turns == 1 else round(angle) % turns) if row is None else row
        if not 0 <= row < turns:
            raise InputError(f"This sweep has {turns} turns, counted from 0; there is no row {row}.")
        second = None if other is None else checks.square(other, "The second picture")
        noise = None if noise is None or not noise.any() else noise
        return cls(sweep, row, checks.square(picture, "The picture"), second, angle, theme(look), log, noise)

    @property
    def radians(self) -> float:
        """The angle in radians."""
        return float(np.radians(self.angle))

    @property
    def turned(self) -> Array:
        """The picture that the dial turns."""
        return self.picture if self.other is None else self.other

    @property
    def mark(self) -> str:
        """What the angle of the dial is."""
        return "true turn" if self.other is None else "turn of y"

    @cached_property
    def density(self) -> Array:
        """The posterior at 0°, ½°, …, 360° (721,), per radian; normalised on this grid, so that it has mass 1."""
        energy = on_grid(self.sweep.pooled[self.row].astype(complex), 720)
        values = np.exp(energy - energy.max())
        return np.append(values, values[0]) * 720 / (2 * np.pi * values.sum())

    @property
    def heights(self) -> Array:
        """The posterior (721,) as a share of its peak, or on a logarithmic scale of `LOG_RANGE` nats."""
        share = self.density / self.density.max()
        if not self.log:
            return share
        with np.errstate(divide="ignore"):
            return np.clip(1 + np.log(share) / LOG_RANGE, 0, 1)

    def noisy(self) -> Array:
        """The turned picture with the noise of its patch, each pixel of the patch a square of pixels; in 0…1."""
        assert self.noise is not None
        size = round(np.sqrt(self.noise.size))
        each = -(-_NOISY_SIDE // size)
        image = Image.fromarray(self.turned.astype(np.float32)).resize((size * each,) * 2, Image.Resampling.BICUBIC)
        turned = np.asarray(image.rotate(self.angle, Image.Resampling.BILINEAR), float)
        return np.clip(turned + np.kron(self.noise.reshape(size, size), np.ones((each, each))), 0, 1)


class Petals(NamedTuple):
    """Radii of a dial in pixels: r(s) = √(r₀² + 2A·p(s)), so that the area of a petal beyond r₀ is A times its mass."""

    picture: float
    rim: float  # inner edge of the hue circle
    base: float  # its outer edge r₀
    reach: Array  # (721,): r(s) at 0°, ½°, …, 360°
    scale: float  # A, in squared pixels

    @classmethod
    def of(cls, density: Array, outer: float) -> "Petals":
        """The petals of a density (721,) per radian, on a dial with this outer radius."""
        unit = outer / _DIAL_RADIUS
        picture = PICTURE_RADIUS * outer
        middle, half = RIM_OVER_PICTURE * picture, RIM_HALF_WIDTH * unit
        base = middle + half
        scale = petal_scale(base, outer - PETAL_MARGIN * unit, float(density.max()))
        return cls(picture, middle - half, base, np.sqrt(base**2 + 2 * scale * density), scale)

    def outline(self, centre: Point, steps: int = 2) -> Array:
        """The points of r(s), with this many steps for each degree."""
        degrees = np.linspace(0, 360, 360 * steps + 1)
        return around(centre, np.interp(degrees, HALF_DEGREES, self.reach), np.radians(degrees))

    def covers(self, centre: Point, point: Point) -> bool:
        """Whether a point is within a petal, the rim or the picture."""
        x, y = point[0] - centre[0], centre[1] - point[1]
        angle = np.degrees(np.arctan2(y, x)) % 360
        return bool(np.hypot(x, y) < np.interp(angle, HALF_DEGREES, self.reach))


def draw_dial(canvas: Canvas, view: DialView, corner: Point, size: Point) -> None:
    """In a box: the second picture, the hue circle, a petal for each mode with its angle and mass, the knob.

    A grey square in the lower left corner shows what area stands for 5 %.
    """
    outer = min(size) / 2
    unit = outer / _DIAL_RADIUS
    centre = corner[0] + size[0] / 2, corner[1] + size[1] / 2
    petals = Petals.of(view.density, outer)
    angle = np.radians(HALF_DEGREES)
    outline = petals.outline(centre)
    canvas.fan(around(centre, petals.rim, angle), outline, [hue(a) for a in angle[:-1]])
    canvas.polyline(outline, view.theme.text, _CONTOUR * unit)
    canvas.ring(centre, petals.picture + 0.5, view.theme.border, 1)
    draw_second(canvas, view, centre, 2 * petals.picture)
    knob = tuple(around(centre, (petals.rim + petals.base) / 2, np.array(view.radians)).tolist())
    bounds = Box(corner[0], corner[1], corner[0] + size[0], corner[1] + size[1])
    taken = [Box.about(knob, (2.4 * _KNOB_RADIUS * unit,) * 2), _area_sample(canvas, view, petals, bounds)]
    taken += _ticks(canvas, view, petals, centre, taken)
    _name_modes(canvas, view, petals, centre, bounds, taken)
    canvas.disc(knob, _KNOB_RADIUS * unit, view.theme.text)
    canvas.disc(knob, (_KNOB_RADIUS - 2.6) * unit, view.theme.card)
    canvas.disc(knob, (_KNOB_RADIUS - 6) * unit, hue(view.radians))


def draw_second(canvas: Canvas, view: DialView, centre: Point, side: float) -> None:
    """The second picture as it is observed: turned, and with its noise."""
    if view.noise is None:
        canvas.picture(view.turned, centre, side, view.radians)
    else:
        canvas.picture(view.noisy(), centre, side)


def _area_sample(canvas: Canvas, view: DialView, petals: Petals, bounds: Box) -> Box:
    side = float(np.sqrt(AREA_SAMPLE * petals.scale))
    size = max(11.0, _TICK_SIZE * min(bounds.right - bounds.left, bounds.bottom - bounds.top) / 2 / _DIAL_RADIUS)
    left, bottom = bounds.left, bounds.bottom
    square = np.array([[left, bottom - side], [left + side, bottom - side], [left + side, bottom], [left, bottom]])
    canvas.polygon(square, view.theme.faint)
    words = f"area of {100 * AREA_SAMPLE:g} %"
    canvas.label((left + side + 0.5 * size, bottom - side / 2 + 0.35 * size), words, view.theme.quiet, size)
    right = left + side + 0.5 * size + text_width(words, size)
    return Box(left, bottom - max(side, size), right, bottom)


def _ticks(canvas: Canvas, view: DialView, petals: Petals, centre: Point, taken: list[Box]) -> list[Box]:
    """The quarters of the turn, except where a petal is named or the knob stands."""
    named = [mode.degrees for mode in modes(view.sweep, view.row)]
    size = max(10.0, _TICK_SIZE * petals.base / (PICTURE_RADIUS * RIM_OVER_PICTURE * _DIAL_RADIUS))
    boxes = list[Box]()
    for degrees in (0, 90, 180, 270):
        near = float(petals.reach[np.arange(2 * degrees - 18, 2 * degrees + 19) % 720].max())
        if near > petals.base + 1.5 * size or any(abs((d - degrees + 180) % 360 - 180) < 16 for d in named):
            continue
        angle = np.array(np.radians(degrees))
        ends = [tuple(around(centre, near + length * size, angle).tolist()) for length in (0.2, 0.55)]
        x, y = around(centre, near + 0.9 * size, angle).tolist()
        anchor: Anchor = "middle" if degrees % 180 else "end" if degrees else "start"
        base = y + {90: 0.0, 270: 0.72 * size}.get(degrees, 0.36 * size)
        width = text_width(f"{degrees}°", size)
        left = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * width
        box = Box(left, base - 0.75 * size, left + width, base)
        if any(box.overlaps(other, 2) for other in taken):
            continue
        canvas.line(ends[0], ends[1], view.theme.faint, 1.5)
        canvas.label((x, base), f"{degrees}°", view.theme.quiet, size, anchor)
        boxes.append(box)
    return boxes


def _name_modes(canvas: Canvas, view: DialView, petals: Petals, centre: Point, bounds: Box, taken: list[Box]) -> None:
    """Angle and mass beside the tip of each petal; in smaller type, or not at all, where there is no room."""
    outline = petals.outline(centre, 8)
    outer = min(bounds.right - bounds.left, bounds.bottom - bounds.top) / 2
    found = sorted(modes(view.sweep, view.row), key=lambda mode: -mode.mass)
    placed: list[tuple[Box, str, str]] = []
    for scale in _TYPE_SCALES:
        size = max(11.0, _TYPE_SIZE * scale * outer / _DIAL_RADIUS)
        placed = []
        for mode in found:
            angle, mass = f"{mode.degrees}°", f"{100 * mode.mass:.0f} %"
            wide = max(text_width(angle, size), text_width(mass, _QUIET_TYPE * size))
            others = [*taken, *(other for other, _, _ in placed)]
            is_free = partial(_is_free, petals=petals, outline=outline, centre=centre, taken=others)
            tip = float(petals.reach[2 * mode.degrees])
            box = beside_tip(centre, mode.angle, tip, (wide, 1.55 * size), bounds, is_free)
            if box is not None:
                placed.append((box, angle, mass))
        if len(placed) == len(found):
            break
    for box, angle, mass in placed:
        x = (box.left + box.right) / 2
        size = (box.bottom - box.top) / 1.55
        canvas.label((x, box.top + 0.74 * size), angle, view.theme.text, size, "middle", bold=True)
        canvas.label((x, box.bottom - 0.04 * size), mass, view.theme.quiet, _QUIET_TYPE * size, "middle")


def _is_free(box: Box, petals: Petals, outline: Array, centre: Point, taken: list[Box]) -> bool:
    """Whether a box covers neither a petal nor any of the boxes that are taken."""
    middle = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    apart = not any(box.overlaps(other, 5) for other in taken)
    return apart and not box.holds(outline, 4) and not petals.covers(centre, middle)
