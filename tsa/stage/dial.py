"""The dial and the strip: the posterior over the turn, around the picture and unrolled."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tsa import checks
from tsa.checks import Array
from tsa.colours import Theme, hue, theme
from tsa.drawing import Anchor, Canvas, Point, around
from tsa.errors import InputError
from tsa.stage import LOG_RANGE
from tsa.stage.words import is_flat, modes
from tsa.sweep import Sweep

_DIAL = 215.0  # the outer radius for which the dial's lengths below are meant


@dataclass(frozen=True, eq=False)
class Frame:
    """One turn of a sweep, the pictures it is about, and how to colour it."""

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
    ) -> "Frame":
        """Checked; without a row, the only one of the sweep or the one of that degree.

        `picture` is what was swept, (n, n) in 0…1, and `other` what was turned if not a copy of it.
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
        """The turn."""
        return float(np.radians(self.angle))

    @property
    def turned(self) -> Array:
        """The picture that the dial turns."""
        return self.picture if self.other is None else self.other

    @property
    def heights(self) -> Array:
        """The posterior at whole degrees (361,), closed, between 0 and 1: as a share of its peak, or of the scale."""
        density = self.sweep.density[self.row]
        share = np.append(density, density[0]) / density.max()
        if not self.log:
            return share
        with np.errstate(divide="ignore"):
            return np.clip(1 + np.log(share) / LOG_RANGE, 0, 1)


def draw_dial(canvas: Canvas, frame: Frame, centre: Point, outer: float) -> None:
    """The turned picture, the hue circle around it, a petal for every mode with its angle and mass, and the knob."""
    unit = outer / _DIAL
    inner = 0.56 * outer
    rim = 1.09 * inner
    _rim(canvas, centre, rim, 2.5 * unit)
    canvas.picture(frame.turned, centre, 2 * inner, frame.radians)
    flat = is_flat(frame.sweep, frame.row)
    base = rim + 6 * unit
    reach = base + (0.8 * outer - base) * frame.heights * (0.12 if flat else 1.0)
    _petals(canvas, centre, base, reach)
    for mode in modes(frame.sweep, frame.row):
        near = max(reach[(mode.degrees + shift) % 360] for shift in (-6, -3, 0, 3, 6))
        x, y = around(centre, min(near + 30 * unit, outer - 12 * unit), np.array(mode.angle))
        canvas.label((x, y - 3 * unit), f"{mode.degrees}°", frame.theme.text, 15 * unit, "middle", bold=True)
        canvas.label((x, y + 12 * unit), f"{mode.mass:.0%}".replace("%", " %"), frame.theme.quiet, 12 * unit, "middle")
    x, y = around(centre, rim, np.array(frame.radians))
    canvas.disc((x, y), 13 * unit, frame.theme.text)
    canvas.disc((x, y), 10 * unit, frame.theme.card)
    canvas.disc((x, y), 5 * unit, hue(frame.radians))


def _rim(canvas: Canvas, centre: Point, radius: float, half: float) -> None:
    """The hue circle."""
    angle = np.radians(np.arange(0, 361, 2))
    inner, outer = (around(centre, radius + side * half, angle) for side in (-1, 1))
    canvas.fan(inner, outer, [hue(a) for a in angle[:-1] + angle[1] / 2])


def _petals(canvas: Canvas, centre: Point, base: float, reach: Array) -> None:
    """The density as a band on the rim, in its hues; nothing is drawn where it would not be seen."""
    seen = reach[:-1] - base > 0.2
    for start, stop in _runs(seen | np.roll(seen, 1) | np.roll(seen, -1)):
        angle = np.radians(np.arange(start, stop + 1))
        height = np.append(reach[start:stop], reach[stop % 360])
        inner, outer = (around(centre, radius, angle) for radius in (np.full_like(height, base), height))
        canvas.fan(inner, outer, [hue(a) for a in angle[:-1]])


def draw_strip(canvas: Canvas, frame: Frame, corner: Point, size: Point) -> None:
    """The posterior unrolled: all of it pale, its likeliest 95 % in full colour; the turn is dashed."""
    left, top = corner
    width, tall = size
    base = top + tall
    flat = is_flat(frame.sweep, frame.row)
    degrees = np.linspace(0, 360, 721)  # halves, so that each whole one has a left and a right
    height = np.interp(degrees, np.arange(361), frame.heights) * (0.35 if flat else 1.0)
    x = left + degrees / 360 * width
    floor = np.stack([x, np.full_like(x, base)], axis=-1)
    outline = np.stack([x, base - np.maximum(1, (tall - 16) * height)], axis=-1)
    colours = [hue(np.radians(d)) for d in degrees[:-1]]
    canvas.fan(floor[::2], outline[::2], [colour.over(frame.theme.card, 0.35) for colour in colours[::2]])
    for start, stop in _runs(_within(frame)):
        canvas.fan(floor[start : stop + 1], outline[start : stop + 1], colours[start:stop])
    text = frame.theme.text
    for tick in range(0, 361, 45 if width > 300 else 90):
        canvas.label((left + tick / 360 * width, base + 17), f"{tick}°", text, 12.5, "middle")
    _mark(canvas, frame, corner, size)


def _within(frame: Frame) -> Array:
    """Which half degrees belong to the credible set: those on either side of a degree that does."""
    chosen = frame.sweep.density[frame.row] >= frame.sweep.level[frame.row]
    return np.roll(np.repeat(chosen, 2), -1)


def _mark(canvas: Canvas, frame: Frame, corner: Point, size: Point) -> None:
    x = corner[0] + frame.angle % 360 / 360 * size[0]
    canvas.line((x, corner[1] + 4), (x, corner[1] + size[1]), frame.theme.text, 1.5, (4, 3))
    near_left, near_right = x < corner[0] + 40, x > corner[0] + size[0] - 40
    anchor: Anchor = "start" if near_left else "end" if near_right else "middle"
    name = "true turn" if frame.other is None else "turn of y"
    canvas.label((x, corner[1]), name, frame.theme.text, 12, anchor, bold=True)


def _runs(mask: Array) -> list[tuple[int, int]]:
    """Where a mask is true without a break: (start, stop) pairs."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
