"""The arrangement of the drawing of waves: one scale for all of them and their sum, and the rows that it leaves."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.density.numerics import evaluate
from tsa.model import Subgroup
from tsa.stage.draw.dial import DialView
from tsa.stage.rows import WeightRow, loudness, weight_rows

MAX_SCALE = 6.0  # pixels per nat: next to nothing looks like next to nothing
LEAST_SUM = 104.0  # pixels, of the part with the sum
_LINE_HEIGHT = 12.0  # of a weight in a row that several share
_LEAST_LINE = 6.0  # below it, the weights of a row are drawn as one wave, their sum
_LOUD_PADDING = 8.0  # pixels around a loud wave

_TURNS = np.radians(np.arange(361))


@dataclass(frozen=True, eq=False)
class Waves:
    """What a pair says about the turn, weight by weight, in nats; those in `without` are no part of the sum."""

    weights: Array  # (J,) int, or more: 2ω of each line that moves stands at the end
    eta: Array  # (J,) complex: natural parameter of each subspace
    pooled: Array  # (K,) complex: κ_k e^{iμ_k}, of the weights 1…K
    prior: Array  # (K',) complex; may be empty
    without: frozenset[int]

    @classmethod
    def of(cls, view: DialView, model: Subgroup, prior: Sequence[complex], without: Collection[int]) -> "Waves":
        """The waves of a view; `model` has all weights, also those that the posterior of the view is without."""
        z = model.coordinates(np.stack([view.sweep.x, view.sweep.y[view.row]]))
        eta = z[0].conj() * z[1] / model.noise**2
        left_out = frozenset(abs(weight) for weight in without)
        weights, pooled = np.asarray(model.likelihood_weights), model.irreps.pool(eta)
        if model.moving_lines.any():
            pooled = model.posterior_from(z[0], z[1]).eta
            left_out |= {2 * int(k) for k in np.abs(model.weights[model.moving_lines]) if k in left_out}
        return cls(weights, eta, pooled, np.array(prior, complex), left_out)

    @property
    def kappa(self) -> Array:
        """The loudness κ_k of the weights 1…K."""
        return loudness(self.pooled[None])

    def rows(self) -> list[WeightRow]:
        """A row for each weight, and one for each run of silent weights."""
        return weight_rows(self.weights, self.kappa)

    def folded_rows(self, most: int) -> list[WeightRow]:
        """The loudest weights have rows of their own, `most` of them at most; all their neighbours share rows."""
        rows = list[WeightRow]()
        least = np.sort(self.kappa)[-most] if most < len(self.kappa) else 0.0
        for row in self.rows():
            if row.kind == "fixed" or (row.kind == "loud" and self.kappa[row.weights[0] - 1] >= least):
                rows.append(row)
            elif rows and rows[-1].kind == "silent":
                rows[-1] = WeightRow(rows[-1].weights + row.weights, "silent")
            else:
                rows.append(WeightRow(row.weights, "silent"))
        return rows

    def wave(self, *weights: int) -> Array:
        """Σ κ_k cos(ks − μ_k) over some weights, at 0°…360° (361,)."""
        total = np.zeros(361)
        for k in weights:
            total += np.abs(self.pooled[k - 1]) * np.cos(k * _TURNS - np.angle(self.pooled[k - 1]))
        return total

    def span(self, weights: tuple[int, ...]) -> float:
        """Twice the largest value of the wave of some weights: room for it on either side of its line."""
        return 2 * float(np.abs(self.wave(*(k for k in weights if k))).max())

    def prior_wave(self) -> Array:
        """The same for the prior, all of its harmonics together."""
        return evaluate(self.prior, _TURNS) if len(self.prior) else np.zeros(361)

    def total(self) -> Array:
        """The sum of all waves in use and the prior (361,): log p(s) up to a constant."""
        used = [k for k in np.unique(np.abs(self.weights)).tolist() if k and k not in self.without]
        return self.prior_wave() + self.wave(*used)


class PlacedRow(NamedTuple):
    """A row of weights with its height; its lines have some of the weights each, and a height."""

    row: WeightRow
    height: float
    lines: list[tuple[tuple[int, ...], float]]


class Plan(NamedTuple):
    """The scale in pixels per nat, and what it makes of the rows, the prior and the sum."""

    scale: float
    rows: list[PlacedRow]
    prior_height: float
    sum_height: float
    spare: float = 0.0  # room that is left


class _Style(NamedTuple):
    """Least heights in pixels: of a loud row, of another row; and the most that the lines of a shared row may have."""

    loud: float
    row: float
    shared: float
    legible: float  # least height of the curve of the sum, as a share of its room


_ROOMY, _DENSE, _TIGHT = _Style(34, 25, np.inf, 0.8), _Style(34, 25, 54, 0.8), _Style(22, 21, 0, 0.5)


def plan(waves: Waves, room: float) -> Plan:
    """The largest scale up to `MAX_SCALE` with which rows, prior and sum fit into `room` pixels.

    If that leaves the sum too flat to read, lines of shared rows become narrower, then more weights share one.
    """
    wide = float(np.ptp(waves.total()))
    tries = [(waves.rows(), _ROOMY), (waves.rows(), _DENSE), (waves.folded_rows(len(waves.kappa)), _DENSE)]
    tries += [(waves.folded_rows(most), _TIGHT) for most in (12, 9, 7, 5, 4, 3)]
    for rows, style in tries:
        found = _largest(waves, rows, style, wide, room)
        legible = found.scale >= MAX_SCALE or found.scale * wide >= style.legible * LEAST_SUM
        if _height(found) <= room and legible:
            break
    return found._replace(spare=room - _height(found))


def _largest(waves: Waves, rows: list[WeightRow], style: _Style, wide: float, room: float) -> Plan:
    low, high = 0.0, MAX_SCALE
    best = _with_scale(waves, rows, style, wide, high)
    if _height(best) <= room:
        return best
    for _ in range(40):
        middle = (low + high) / 2
        if _height(_with_scale(waves, rows, style, wide, middle)) > room:
            high = middle
        else:
            low = middle
    return _with_scale(waves, rows, style, wide, low)


def _with_scale(waves: Waves, rows: list[WeightRow], style: _Style, wide: float, scale: float) -> Plan:
    placed = list[PlacedRow]()
    for row in rows:
        loud, shared = row.kind == "loud", row.kind == "silent"
        lines: list[tuple[int, ...]] = [(weight,) for weight in row.weights]
        if style.shared / len(lines) < _LEAST_LINE and shared:
            lines = [tuple(k for k in row.weights if k not in waves.without) or row.weights]
        least_line = min(_LINE_HEIGHT, style.shared / len(lines))
        padding = _LOUD_PADDING if loud else 1.0
        heights = [max(least_line, waves.span(line) * scale + padding) for line in lines]
        least = style.loud if loud else style.row
        placed.append(PlacedRow(row, max(least, sum(heights) + 3.0 * shared), list(zip(lines, heights, strict=True))))
    prior = max(style.row + 4, float(np.ptp(waves.prior_wave())) * scale + _LOUD_PADDING) if len(waves.prior) else 0.0
    return Plan(scale, placed, prior, max(LEAST_SUM, wide * scale))


def _height(made: Plan) -> float:
    return sum(row.height for row in made.rows) + made.prior_height + made.sum_height
