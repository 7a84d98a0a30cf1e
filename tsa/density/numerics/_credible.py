"""Highest-density credible sets of exp E(s): the arcs {E ≥ t} whose mass is p.

Between neighbouring critical points E is monotone, so each such piece of the circle crosses the level t at most
once, at a bracketed root; the mass above t is a sum of cdf differences, and t itself is one more root.
"""

import numpy as np
from scipy.special import ndtri

from tsa._base import Array
from tsa.density.numerics import trigpoly
from tsa.density.numerics._cumulative import Cumulative
from tsa.density.numerics._roots import bracketed_newton

_CHUNK_ROWS = 512  # densities whose arcs are computed at once


def credible_arcs(eta: Array, p: float) -> Array:
    """Arcs (start, stop) of the highest-density set of mass p of each row of `eta` (B, K): (B, a, 2)."""
    # In chunks: the search evaluates the same cumulatives many times, and only small tables are kept in memory.
    chunks = [_arcs(eta[start : start + _CHUNK_ROWS], p) for start in range(0, len(eta), _CHUNK_ROWS)]
    arcs = np.full((len(eta), max((c.shape[1] for c in chunks), default=1), 2), np.nan)
    for number, chunk in enumerate(chunks):
        arcs[number * _CHUNK_ROWS : number * _CHUNK_ROWS + len(chunk), : chunk.shape[1]] = chunk
    return arcs


def _arcs(eta: Array, p: float) -> Array:
    cumulative = Cumulative(eta)
    found = trigpoly.critical_points(eta)
    whole = np.bincount(found.row, minlength=len(eta)) == 0
    whole |= p >= 1
    pieces = _Pieces(eta, cumulative, found)
    level = pieces.level(p)
    edges = pieces.crossing(level)

    # In order of angle: an arc starts where a rising piece crosses the level, and ends where a falling one does.
    crossed = pieces.crosses(level) & ~whole[pieces.row]
    row, edge, rising = pieces.row[crossed], edges[crossed], pieces.rising[crossed]
    order = np.lexsort((edge, row))
    row, edge, rising = row[order], edge[order], rising[order]
    opens, start = row[rising], edge[rising]
    count = np.bincount(opens, minlength=len(eta))
    first = np.cumsum(count) - count
    place = np.arange(opens.size) - first[opens]
    stops = edge[~rising]
    wraps = stops[first[opens]] < start[first[opens]]
    stop = stops[first[opens] + (place + wraps) % count[opens]]

    arcs = np.full((len(eta), max(1, int(count.max(initial=1))), 2), np.nan)
    arcs[opens, place, 0] = trigpoly.wrap(start)
    arcs[opens, place, 1] = trigpoly.wrap(start) + np.mod(stop - start, 2 * np.pi)
    # Where nothing crosses, the level is at the bottom (all of the circle) or at the very top: an arc so short
    # that the density is level on it.
    nothing = np.flatnonzero((count == 0) & ~whole)
    top = trigpoly.argmax(eta[nothing])
    length = p / cumulative.density(nothing, top)
    tiny = length < np.pi
    arcs[nothing, 0, 0] = np.where(tiny, trigpoly.wrap(top - length / 2), 0.0)
    arcs[nothing, 0, 1] = arcs[nothing, 0, 0] + np.where(tiny, length, 2 * np.pi)
    arcs[whole, 0] = 0.0, 2 * np.pi
    return arcs


class _Pieces:
    """The monotone pieces of a batch of circles, flat: from a critical point to the next one."""

    def __init__(self, eta: Array, cumulative: Cumulative, found: trigpoly.CriticalPoints) -> None:
        self.cumulative, self.row = cumulative, found.row
        self.rows = len(eta)
        _, following = found.neighbours()
        self.left = found.angle
        self.right = found.angle[following] + 2 * np.pi * (following <= np.arange(following.size))
        self.rising = ~found.is_maximum
        self.own = eta[self.row]
        energy = trigpoly.evaluate(self.own, self.left)
        self.low = np.where(self.rising, energy, energy[following])
        self.high = np.where(self.rising, energy[following], energy)
        self.peak = np.where(self.rising, self.right, self.left)
        self.peak_mass = cumulative.cdf(self.row, self.peak)

    def crosses(self, level: Array) -> Array:
        t = level[self.row]
        return (self.low < t) & (t < self.high)

    def crossing(self, level: Array) -> Array:
        """Where each piece meets the level of its row; its lower or upper end if it does not."""
        t = level[self.row]
        foot = np.where(self.rising, self.left, self.right)
        edge = np.where(t <= self.low, foot, self.peak)
        mine = np.flatnonzero(self.crosses(level))
        sign = np.where(self.rising[mine], 1.0, -1.0)

        def height(s: Array, which: Array) -> tuple[Array, Array]:
            own = self.own[mine[which]]
            rise = trigpoly.evaluate(own, s) - t[mine[which]]
            return sign[which] * rise, sign[which] * trigpoly.evaluate(own, s, 1)

        edge[mine] = bracketed_newton(height, self.left[mine], self.right[mine])
        return edge

    def level(self, p: float) -> Array:
        """The level of each row above which the mass is p."""
        floor, ceiling = np.zeros(self.rows), np.zeros(self.rows)
        np.minimum.at(floor, self.row, self.low)
        np.maximum.at(ceiling, self.row, self.high)

        # The unknown is a share of the height, not a height: heights may be 1e-300 or 1e7.
        height = np.maximum(ceiling - floor, 1e-300)

        def missing(share: Array, which: Array) -> tuple[Array, Array]:
            level = ceiling.copy()
            level[which] = floor[which] + share * height[which]
            edge = self.crossing(level)
            mass = np.abs(self.cumulative.cdf(self.row, edge) - self.peak_mass)
            slope = np.abs(trigpoly.evaluate(self.own, edge, 1))
            with np.errstate(divide="ignore", over="ignore"):
                thin = np.where(self.crosses(level), self.cumulative.density(self.row, edge) / slope, 0.0)
            total = np.bincount(self.row, mass, minlength=self.rows)
            loss = np.bincount(self.row, thin, minlength=self.rows)
            return (p - total)[which], (loss * height)[which]

        # Exact for a Gaussian peak, which sharp posteriors are close to.
        start = 1 - np.minimum(ndtri(0.5 + min(p, 1 - 1e-12) / 2) ** 2 / 2 / height, 1.0)
        share = bracketed_newton(missing, np.zeros(self.rows), np.ones(self.rows), start)
        return floor + share * height
