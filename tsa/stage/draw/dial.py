"""The dial and the strip: the posterior over the turn, drawn around the picture and over a straight axis."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, checks
from tsa.stage.draw.canvas import Anchor, Canvas, Point, around
from tsa.stage.draw.colours import Theme, hue, theme
from tsa.stage.look import (
    FLAT_PETALS,
    FLAT_STRIP,
    LOG_RANGE,
    PALE_OPACITY,
    PICTURE_RADIUS,
    RIM_HALF_WIDTH,
    RIM_OVER_PICTURE,
    RIM_TO_PETALS,
)
from tsa.stage.sweep import Sweep
from tsa.stage.words import is_flat, modes

_DIAL_RADIUS = 215.0  # outer radius, in pixels, for which the lengths below and those of `look` are meant


@dataclass(frozen=True, eq=False)
class DialView:
    """One turn of a sweep with its pictures, theme and scale: all that a drawing needs."""

    sweep: Sweep
    row: int
    picture: Array
    other: Array | None
    angle: float  # degrees
    theme: Theme
    log: bool  # whether the posterior is drawn on a logarithmic scale

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
    ) -> "DialView":
        """A view after checking its arguments.

        `picture` (n, n) in 0…1 is x; `other` is the picture that was turned, if not a copy of x. `row` is the turn of
        the sweep, by default its only one or the one nearest to `angle` degrees. `look` names a theme.
        """
        angle = float(checks.finite(checks.real(angle, "angle"), "angle"))
        turns = len(sweep.y)
        row = (0 if turns == 1 else round(angle) % turns) if row is None else row
        if not 0 <= row < turns:
            raise InputError(f"This sweep has {turns} turns, counted from 0; there is no row {row}.")
        second = None if other is None else checks.square(other, "The second picture")
        return cls(sweep, row, checks.square(picture, "The picture"), second, angle, theme(look), log)

    @property
    def radians(self) -> float:
        """The angle in radians."""
        return float(np.radians(self.angle))

    @property
    def turned(self) -> Array:
        """The picture that the dial turns."""
        return self.picture if self.other is None else self.other

    @property
    def heights(self) -> Array:
        """The posterior at 0°…360° (361,) as a share of its peak, or on a logarithmic scale of `LOG_RANGE` nats."""
        density = self.sweep.density[self.row]
        share = np.append(density, density[0]) / density.max()
        if not self.log:
            return share
        with np.errstate(divide="ignore"):
            return np.clip(1 + np.log(share) / LOG_RANGE, 0, 1)


def draw_dial(canvas: Canvas, view: DialView, centre: Point, outer: float) -> None:
    """The turned picture, the hue circle, a petal for each mode with its angle and mass, and the knob at the angle."""
    unit = outer / _DIAL_RADIUS
    inner = PICTURE_RADIUS * outer
    rim = RIM_OVER_PICTURE * inner
    _rim(canvas, centre, rim, RIM_HALF_WIDTH * unit)
    canvas.picture(view.turned, centre, 2 * inner, view.radians)
    flat = is_flat(view.sweep, view.row)
    base = rim + RIM_TO_PETALS * unit
    reach = base + (0.8 * outer - base) * view.heights * (FLAT_PETALS if flat else 1.0)
    _petals(canvas, centre, base, reach)
    for mode in modes(view.sweep, view.row):
        near = max(reach[(mode.degrees + shift) % 360] for shift in (-6, -3, 0, 3, 6))
        x, y = around(centre, min(near + 30 * unit, outer - 12 * unit), np.array(mode.angle))
        canvas.label((x, y - 3 * unit), f"{mode.degrees}°", view.theme.text, 15 * unit, "middle", bold=True)
        canvas.label((x, y + 12 * unit), f"{mode.mass:.0%}".replace("%", " %"), view.theme.quiet, 12 * unit, "middle")
    x, y = around(centre, rim, np.array(view.radians))
    canvas.disc((x, y), 13 * unit, view.theme.text)
    canvas.disc((x, y), 10 * unit, view.theme.card)
    canvas.disc((x, y), 5 * unit, hue(view.radians))


def _rim(canvas: Canvas, centre: Point, radius: float, half: float) -> None:
    """The hue circle."""
    angle = np.radians(np.arange(0, 361, 2))
    inner, outer = (around(centre, radius + side * half, angle) for side in (-1, 1))
    canvas.fan(inner, outer, [hue(a) for a in angle[:-1] + angle[1] / 2])


def _petals(canvas: Canvas, centre: Point, base: float, reach: Array) -> None:
    """The density as a band outside the rim, coloured by angle; parts lower than 0.2 pixels are left out."""
    visible = reach[:-1] - base > 0.2
    for start, stop in _runs(visible | np.roll(visible, 1) | np.roll(visible, -1)):
        angle = np.radians(np.arange(start, stop + 1))
        height = np.append(reach[start:stop], reach[stop % 360])
        inner, outer = (around(centre, radius, angle) for radius in (np.full_like(height, base), height))
        canvas.fan(inner, outer, [hue(a) for a in angle[:-1]])


def draw_strip(canvas: Canvas, view: DialView, corner: Point, size: Point) -> None:
    """The posterior over 0°…360°: all of it pale, its 95 % credible set in full colour; a dashed line at the angle."""
    left, top = corner
    width, tall = size
    base = top + tall
    flat = is_flat(view.sweep, view.row)
    degrees = np.linspace(0, 360, 721)  # half degrees, so that each whole degree has a slice on either side
    height = np.interp(degrees, np.arange(361), view.heights) * (FLAT_STRIP if flat else 1.0)
    x = left + degrees / 360 * width
    floor = np.stack([x, np.full_like(x, base)], axis=-1)
    outline = np.stack([x, base - np.maximum(1, (tall - 16) * height)], axis=-1)
    colours = [hue(np.radians(d)) for d in degrees[:-1]]
    canvas.fan(floor[::2], outline[::2], [colour.over(view.theme.card, PALE_OPACITY) for colour in colours[::2]])
    for start, stop in _runs(_within(view)):
        canvas.fan(floor[start : stop + 1], outline[start : stop + 1], colours[start:stop])
    text = view.theme.text
    for tick in range(0, 361, 45 if width > 300 else 90):
        canvas.label((left + tick / 360 * width, base + 17), f"{tick}°", text, 12.5, "middle")
    _mark(canvas, view, corner, size)


def _within(view: DialView) -> Array:
    """Whether each half degree (720,) belongs to the credible set: those on either side of a whole degree that does."""
    chosen = view.sweep.density[view.row] >= view.sweep.level[view.row]
    return np.roll(np.repeat(chosen, 2), -1)


def _mark(canvas: Canvas, view: DialView, corner: Point, size: Point) -> None:
    x = corner[0] + view.angle % 360 / 360 * size[0]
    canvas.line((x, corner[1] + 4), (x, corner[1] + size[1]), view.theme.text, 1.5, (4, 3))
    near_left, near_right = x < corner[0] + 40, x > corner[0] + size[0] - 40
    anchor: Anchor = "start" if near_left else "end" if near_right else "middle"
    name = "true turn" if view.other is None else "turn of y"
    canvas.label((x, corner[1]), name, view.theme.text, 12, anchor, bold=True)


def _runs(mask: Array) -> list[tuple[int, int]]:
    """The runs of true values in a mask, as (start, stop) pairs."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
