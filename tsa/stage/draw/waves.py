"""The mechanism: each weight adds one wave over the turn s; their sum is the log posterior, up to a constant."""

from collections.abc import Collection, Sequence
from itertools import accumulate

import numpy as np

from tsa._base import Array
from tsa.density import mean_rotation
from tsa.model import Subgroup
from tsa.stage.draw._labels import Box
from tsa.stage.draw._rows import PlacedRow, Plan, Waves, plan
from tsa.stage.draw.canvas import Canvas, Point, around, runs, text_width, wrapped
from tsa.stage.draw.colours import Colour, Theme, hue
from tsa.stage.draw.dial import DialView
from tsa.stage.draw.posterior import draw_posterior
from tsa.stage.look import (
    BAND_HEIGHT,
    MIN_CERTAINTY,
    MIN_COLOURED_CERTAINTY,
    OPACITY_RANGE,
    PALE_OPACITY,
    TICK_OPACITY_RANGE,
    TICK_RADII,
    opacity,
)
from tsa.stage.words import kappa_label, modes, numbers, row_label, waves_heading

_PADDING = 18.0  # pixels between the border of the card and what it holds
_NAME_WIDTH, _CIRCLES_WIDTH, _KAPPA_WIDTH = 60.0, 150.0, 68.0  # pixels, of the columns beside the axis
_HEAD_HEIGHT = 82.0  # of the title and the heads of the columns
_POSTERIOR_HEIGHT, _AXIS_HEIGHT = 122.0, 36.0
_MAX_MORE_HEIGHT = 60.0  # for the posterior, if there is room
_RULE_GAP, _SUM_GAP = 8.0, 16.0  # around the rule above the sum; below the sum
_CIRCLE_REACH = 1 + BAND_HEIGHT  # outermost radius of what is drawn, over that of the circle
_MAX_CELL = 33.0  # pixels, of a circle with what is drawn around it
_LINE_FACTOR = 0.8  # circles stand in one more line if that makes them larger by more than this
_SUM_LINE = 2.0  # pixels, width of the line of the sum
_SMALL, _PLAIN, _LARGE = 14.0, 15.0, 22.0  # sizes of type
_SCALE_BARS = 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000  # nats


def draw_waves(
    canvas: Canvas,
    view: DialView,
    model: Subgroup,
    corner: Point,
    size: Point,
    prior: Sequence[complex] = (),
    without: Collection[int] = (),
) -> None:
    """In a box: a row for each weight with its circles, its wave over s and its loudness; the sum; the posterior.

    `model` has all weights; those in `without` are drawn pale, as they are no part of the posterior of the view.
    """
    waves = Waves.of(view, model, prior, without)
    room = size[1] - _HEAD_HEIGHT - 2 * _RULE_GAP - _SUM_GAP - _POSTERIOR_HEIGHT - _AXIS_HEIGHT
    _Card(canvas, view, waves, plan(waves, room), Box(*corner, corner[0] + size[0], corner[1] + size[1])).draw()


class _Card:
    """The card with its columns: names, circles, the axis of s, loudness."""

    def __init__(self, canvas: Canvas, view: DialView, waves: Waves, made: Plan, box: Box) -> None:
        self.canvas, self.view, self.waves, self.made = canvas, view, waves, made
        self.theme, self.box = view.theme, box
        self.names = box.left + _PADDING
        self.circles = self.names + _NAME_WIDTH
        self.start = self.circles + _CIRCLES_WIDTH + 16
        self.right = box.right - _PADDING
        self.end = self.right - _KAPPA_WIDTH
        self.more = min(made.spare, _MAX_MORE_HEIGHT)
        self.sure = np.abs(mean_rotation(waves.eta))

    def x(self, degrees: Array | float) -> Array:
        """Where a turn stands on the axis."""
        return self.start + (self.end - self.start) * np.asarray(degrees) / 360

    def draw(self) -> None:
        top = self.box.top + _HEAD_HEIGHT
        tops = list(accumulate((placed.height for placed in self.made.rows), initial=top))
        gap = (self.made.spare - self.more) / 3
        rule = tops[-1] + self.made.prior_height + _RULE_GAP + gap
        start_of_sum = rule + _RULE_GAP + gap
        posterior = start_of_sum + self.made.sum_height + _SUM_GAP + gap
        base = posterior + _POSTERIOR_HEIGHT + self.more
        self._heads()
        for y, placed in zip(tops, self.made.rows, strict=False):
            if placed.row.kind == "loud":
                inset = self.box.left + 8, self.box.right - 8
                ground = self.theme.soft
                self.canvas.card((inset[0], y + 1), (inset[1] - inset[0], placed.height - 2), ground, ground, 8)
        self._guides(top, base)
        for y, placed in zip(tops, self.made.rows, strict=False):
            self._row(y, placed)
        if self.made.prior_height:
            self._prior_row(tops[-1])
        self.canvas.line((self.names, rule), (self.right, rule), self.theme.text, 2)
        self._sum(start_of_sum)
        at = float(self.x(self.view.angle % 360))
        self.canvas.line((at, top - 4), (at, base), self.theme.text, 1.5, (5, 4))
        for y, placed in zip(tops, self.made.rows, strict=False):
            if placed.row.kind == "fixed":
                self._fixed_line(y + placed.height / 2)
        self._posterior(posterior)

    def _heads(self) -> None:
        canvas, theme = self.canvas, self.theme
        weights = np.unique(np.abs(self.waves.weights[self.waves.weights != 0]))
        loud = [row.weights[0] for row in self.waves.rows() if row.kind == "loud"]
        used = [k for k in loud if k not in self.waves.without]
        title = waves_heading(used, len(weights))
        canvas.label((self.names, self.box.top + 36), title, theme.text, 20, bold=True)
        base = self.box.top + _HEAD_HEIGHT - 10
        canvas.label((self.names, base), "weight", theme.quiet, _SMALL)
        canvas.label((self.circles, base), "its circles", theme.quiet, _SMALL)
        canvas.label((self.right, base), "loudness κ", theme.quiet, _SMALL, "end")
        half = text_width(self.view.mark, _SMALL) / 2
        most = self.right - text_width("loudness κ", _SMALL) - 8 - half
        at = min(max(float(self.x(self.view.angle % 360)), self.start + half), most)
        canvas.label((at, base), self.view.mark, theme.text, _SMALL, "middle")

    def _guides(self, top: float, base: float) -> None:
        """A faint vertical through everything at each mode: the crests that make it stand on it."""
        for mode in modes(self.view.sweep, self.view.row):
            at = float(self.x(np.degrees(mode.angle)))
            self.canvas.line((at, top), (at, base), self.theme.border, 1)

    def _row(self, top: float, placed: PlacedRow) -> None:
        canvas, theme, (row, height, lines) = self.canvas, self.theme, placed
        loud, middle = row.kind == "loud", top + height / 2
        pale = all(k in self.waves.without for k in row.weights)
        ground = theme.soft if loud else theme.card
        text = (theme.text if loud else theme.quiet).over(ground, PALE_OPACITY if pale else 1)
        size = (26.0 if height > 60 else _LARGE if height > 30 else 18.0) if loud else _PLAIN
        canvas.label((self.names, middle + 0.35 * size), row_label(row.weights), text, size, bold=loud)
        if row.kind == "fixed":
            self._circles_of((0,), middle, height - 6, theme.card)
            canvas.label((self.right, middle + 0.35 * _SMALL), "–", theme.quiet, _SMALL, "end")
            return
        y = middle - sum(line for _, line in lines) / 2
        for weights, line in lines:
            self._circles_of(weights, y + line / 2, height - 6 if len(lines) == 1 else line, ground)
            is_pale = any(k in self.waves.without for k in weights)
            self._wave(self.waves.wave(*weights), y + line / 2, ground, 1.2 if len(row.weights) > 1 else 1.7, is_pale)
            y += line
        kappa = kappa_label(float(max(self.waves.kappa[k - 1] for k in row.weights)))
        if len(row.weights) > 1 and kappa != "0":
            kappa = f"up to {kappa}"
        size = 17.0 if loud else _SMALL
        canvas.label((self.right, middle + 0.35 * size), kappa, text, size, "end", bold=loud)

    def _fixed_line(self, middle: float) -> None:
        words = "the same for every turn: no say"
        wide = text_width(words, _SMALL)
        left = self.end - wide - 12 if self.view.angle % 360 < 180 else self.start + 12  # away from the true turn
        for start, end in ((self.start, left - 8), (left + wide + 8, self.end)):
            if end - start > 12:
                self.canvas.line((start, middle), (end, middle), self.theme.faint, 1.4, (2, 4))
        ground = np.array([[left - 6, middle - 9], [left + wide + 6, middle - 9]])
        self.canvas.polygon(np.concatenate([ground, ground[::-1] + np.array([0, 18])]), self.theme.card)
        self.canvas.label((left, middle + 0.35 * _SMALL), words, self.theme.quiet, _SMALL)

    def _circles_of(self, weights: tuple[int, ...], middle: float, tall: float, ground: Colour) -> None:
        """The circles of some weights, in as few lines as leave them large enough."""
        mine = [j for k in weights for j in np.flatnonzero(np.abs(self.waves.weights[: len(self.sure)]) == k)]
        sizes = list[float]()  # of a cell, with each number of columns
        for columns in range(1, len(mine) + 1):
            lines = -(-len(mine) // columns)
            sizes.append(min(_CIRCLES_WIDTH / columns, tall / lines, _MAX_CELL) * _LINE_FACTOR ** (lines - 1))
        columns = 1 + int(np.argmax(sizes)) if sizes else 1
        lines = -(-len(mine) // columns)
        cell = min(_CIRCLES_WIDTH / columns, tall / max(lines, 1), _MAX_CELL)
        radius = cell / 2 / _CIRCLE_REACH
        for place, j in enumerate(mine):
            line, column = divmod(place, columns)
            at = self.circles + (column + 0.5) * cell, middle + (line - (lines - 1) / 2) * cell
            weight, sure = int(self.waves.weights[j]), float(self.sure[j])
            if weight == 0:
                _fixed_circle(self.canvas, self.theme, ground, at, 1.2 * radius, sure)
                continue
            share = PALE_OPACITY if abs(weight) in self.waves.without else 1.0
            tick = weight * self.view.radians
            _circle(self.canvas, self.theme, ground, at, radius, complex(self.waves.eta[j]), sure, tick, share)

    def _wave(self, nats: Array, middle: float, ground: Colour, width: float = 1.7, pale: bool = False) -> None:
        """A wave in nats (361,): crests in the hue of s, troughs neutral, around a line at 0."""
        canvas, theme, share = self.canvas, self.theme, PALE_OPACITY if pale else 1.0
        x, y = self.x(np.arange(361)), middle - self.made.scale * nats
        floor = np.stack([x, np.full(361, middle)], axis=-1)
        canvas.line((self.start, middle), (self.end, middle), theme.border, 1)
        if np.ptp(y) > 1:
            trough = np.stack([x, np.maximum(y, middle)], axis=-1)
            canvas.polygon(np.concatenate([trough, floor[::-1]]), theme.against.over(ground, share))
            crest = np.stack([x, np.minimum(y, middle)], axis=-1)
            high = middle - crest[:, 1] > 0.2
            for start, stop in runs(high[:-1] | high[1:]):
                colours = [hue(np.radians(d + 0.5)).over(ground, share) for d in range(start, stop)]
                canvas.fan(floor[start : stop + 1], crest[start : stop + 1], colours)
        faint = pale or (np.ptp(y) < 1 and width < _SUM_LINE)
        canvas.polyline(np.stack([x, y], axis=-1), theme.faint if faint else theme.text, 1.2 if faint else width)

    def _prior_row(self, top: float) -> None:
        canvas, theme, nats = self.canvas, self.theme, self.waves.prior_wave()
        height = self.made.prior_height
        middle = top + height / 2 + self.made.scale * (nats.max() + nats.min()) / 2
        canvas.label((self.names, top + height / 2 + 0.35 * _PLAIN), "prior", theme.text, _PLAIN, bold=True)
        self._wave(nats, middle, theme.card)
        heard = np.abs(self.waves.prior)[np.abs(self.waves.prior) >= 0.05]
        if len(heard) <= 1:  # of several waves there is no one κ
            kappa = float(heard.sum())
            canvas.label((self.right, top + height / 2 + 0.35 * _SMALL), kappa_label(kappa), theme.quiet, _SMALL, "end")

    def _sum(self, top: float) -> None:
        canvas, theme, total = self.canvas, self.theme, self.waves.total()
        spare = (self.made.sum_height - self.made.scale * float(np.ptp(total))) / 2
        self._wave(total, top + spare + self.made.scale * float(total.max()), theme.card, _SUM_LINE)
        canvas.label((self.names, top + 19), "Sum", theme.text, _LARGE, bold=True)
        formula = "Σ κ cos(ks − μ)" + (" + prior" if len(self.waves.prior) else "")
        canvas.label((self.names + 54, top + 19), formula, theme.text, _PLAIN)
        self._column("how well x, turned by s, covers y", top + 41)
        y = top + 92
        self._key(self.names, y, [hue(np.radians(d)) for d in (30, 120, 210, 300)], "for")
        self._key(self.names + 62, y, [theme.against] * 4, "against this turn")
        nats = max((bar for bar in _SCALE_BARS if bar * self.made.scale <= 46), default=1)
        at, y = self.right - 4, top + 4
        length = nats * self.made.scale
        canvas.line((at, y), (at, y + length), theme.quiet, 1.5)
        for end in (y, y + length):
            canvas.line((at - 4, end), (at + 4, end), theme.quiet, 1.5)
        words = f"{nats} nats" if nats > 1 else "1 nat"
        canvas.label((self.right, y + length + 17), words, theme.quiet, _SMALL, "end")

    def _key(self, left: float, base: float, colours: list[Colour], words: str) -> None:
        x = left + np.linspace(0, 24, len(colours) + 1)
        upper, lower = (np.stack([x, np.full_like(x, y)], axis=-1) for y in (base - 11, base))
        self.canvas.fan(lower, upper, colours)
        self.canvas.label((left + 30, base), words, self.theme.quiet, _SMALL)

    def _posterior(self, top: float) -> None:
        canvas, theme, view = self.canvas, self.theme, self.view
        size = self.end - self.start, _POSTERIOR_HEIGHT + self.more
        draw_posterior(canvas, view, (self.start, top), size, 16)
        canvas.label((self.names, top + 22), "Posterior", theme.text, _LARGE, bold=True)
        self._column("log scale" if view.log else "exp of the sum, scaled to area 1", top + 44)
        base = top + size[1]
        canvas.label((self.names, base - 18), "Uncertainty", theme.quiet, _SMALL)
        value = numbers(view.sweep, view.row)["Uncertainty"]
        canvas.label((self.names, base), value, theme.text, _PLAIN, bold=True)

    def _column(self, words: str, base: float) -> None:
        """Lines of quiet text in the columns beside the axis."""
        for i, line in enumerate(wrapped(words, self.start - self.names - 60, _SMALL)):
            self.canvas.label((self.names, base + 19 * i), line, self.theme.quiet, _SMALL)


def _circle(
    canvas: Canvas,
    theme: Theme,
    ground: Colour,
    centre: Point,
    radius: float,
    eta: complex,
    sure: float,
    tick: float,
    share: float = 1.0,
) -> None:
    """The von Mises density as a band around the circle, thickest at its mean, and E[e^{iφ}] as a line from the centre.

    `sure` is |E[e^{iφ}]|; a subspace with hardly any certainty is an empty circle. `tick` is the phase of the true
    turn, marked where there is certainty. `share` below 1 makes it pale.
    """
    kappa, mu = abs(eta), float(np.angle(eta))
    colour = hue(mu).over(ground, share * opacity(OPACITY_RANGE, sure))
    if sure >= MIN_CERTAINTY:
        phi = np.linspace(0, 2 * np.pi, 61)
        height = BAND_HEIGHT * sure * np.exp(kappa * (np.cos(phi - mu) - 1))
        band = [around(centre, radius * (1 + height), phi), around(centre, radius, phi[::-1])]
        canvas.polygon(np.concatenate(band), colour)
        width = min(3.0, max(1.2, 0.28 * radius))
        canvas.line(centre, tuple(around(centre, radius * sure, np.array(mu)).tolist()), colour, width)
    coloured = sure > MIN_COLOURED_CERTAINTY
    canvas.ring(centre, radius, colour if coloured else theme.border, 1.4 if radius > 6 else 1)
    if coloured and radius > 6:
        ends = [tuple(around(centre, reach * radius, np.array(tick)).tolist()) for reach in TICK_RADII]
        canvas.line(ends[0], ends[1], theme.text.over(ground, share * opacity(TICK_OPACITY_RANGE, sure)), 1.4)


def _fixed_circle(canvas: Canvas, theme: Theme, ground: Colour, centre: Point, radius: float, sure: float) -> None:
    """The circle of a subspace of weight 0, which no turn moves: grey, without a phase."""
    canvas.disc(centre, radius, theme.faint.over(ground, 0.8 * sure))
    canvas.ring(centre, radius, theme.border, 1)
