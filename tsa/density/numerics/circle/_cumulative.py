"""Distribution functions, quantiles and masses of modes of exp E(s), for a batch of polynomials at once.

All sums are of positive masses of cells, taken from the nearer end of the circle, so that tails keep their relative
accuracy. Inversion is a bracketed Newton; sampling is quantile(uniform), no Markov chain.
"""

from collections.abc import Iterator

import numpy as np

from tsa._base import Array
from tsa.density.numerics._roots import bracketed_newton
from tsa.density.numerics.circle._cells import REACH_NATS, Cells, cells_of, find_peaks

_CHUNK_COEFFICIENTS = 2**12  # coefficients of the densities whose cells are made at once
_CHUNK_POINTS = 2**13  # points evaluated at once
_TAIL = 1e-12  # of a distribution function: below this, deeper cells keep its relative accuracy
_DEEPEST_NATS = 750.0  # below this the density is 0 in double precision


def row_chunks(eta: Array) -> Iterator[slice]:
    """Slices of rows of `eta` (B, K) that are worked on at once."""
    at_once = max(1, _CHUNK_COEFFICIENTS // max(1, eta.shape[1]))
    for start in range(0, len(eta), at_once):
        yield slice(start, start + at_once)


class Cumulative:
    """The distribution functions of the densities in the rows of `eta` (B, K).

    Points come flat, each with the row it belongs to. Tables are kept between calls.
    """

    def __init__(self, eta: Array) -> None:
        self._eta = eta
        self._chunks = list(row_chunks(eta))
        self._tables: dict[tuple[int, float], _Table] = {}

    def cdf(self, row: Array, s: Array) -> Array:
        """F(s) = ∫_0^s p for points `s` (n,); F(s + 2π) = F(s) + 1."""
        result = np.empty(s.shape)
        for table, local, which in self._parts(row):
            result[which] = table.cdf(local, s[which])
        tail = np.flatnonzero((result < _TAIL) & (s > 0))
        for table, local, which in self._parts(row[tail], _DEEPEST_NATS):
            result[tail[which]] = table.cdf(local, s[tail[which]])
        return result

    def quantile(self, row: Array, p: Array) -> Array:
        """The s in [0, 2π] with F(s) = p, for p in [0, 1] (n,)."""
        result = np.empty(p.shape)
        least = min(p.min(initial=1.0, where=p > 0), (1 - p).min(initial=1.0, where=p < 1))
        reach = REACH_NATS if least >= _TAIL else _DEEPEST_NATS
        for table, local, which in self._parts(row, reach):
            result[which] = table.quantile(local, p[which])
        return result

    def _parts(self, row: Array, reach: float = REACH_NATS) -> Iterator[tuple["_Table", Array, Array]]:
        """Each table that is needed, with the rows in it and the indices of the points it evaluates."""
        size = self._chunks[0].stop if self._chunks else 1
        chunk = row // size
        order = np.argsort(chunk, kind="stable")
        for number in np.unique(chunk):
            which = order[np.searchsorted(chunk[order], number) : np.searchsorted(chunk[order], number, "right")]
            if (number, reach) not in self._tables:
                self._tables[number, reach] = _Table(cells_of(find_peaks(self._eta[self._chunks[number]], reach)))
            for start in range(0, which.size, _CHUNK_POINTS):
                part = which[start : start + _CHUNK_POINTS]
                yield self._tables[number, reach], row[part] - number * size, part


class _Table:
    """The cells of a few densities, in order of angle from 0, as a rectangle with empty places at the end of rows."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        # A cell beyond the angle 0, seen from its peak, belongs to the other end of the circle.
        beyond = np.where(cells.side > 0, 2 * np.pi - cells.angle, cells.angle) <= cells.near
        self._turn = np.where(beyond, 2 * np.pi, 0.0)
        end = np.where(beyond, -cells.side, 0.0).astype(int)
        number = np.arange(cells.row.size)
        outward = np.where(cells.side > 0, number, -number)
        order = np.lexsort((outward, cells.side, cells.peak, end, cells.row))
        row = cells.row[order]
        count = np.bincount(row)
        place = np.arange(row.size) - (np.cumsum(count) - count)[row]
        shape = (count.size, int(count.max(initial=0)))
        self._cell, mass = np.zeros(shape, int), np.zeros(shape)
        self._cell[row, place], mass[row, place] = order, cells.mass[order]
        self._total = mass.sum(axis=1)
        start = cells.angle + np.where(cells.side > 0, cells.near - self._turn, self._turn - cells.far)
        empty = np.arange(shape[1]) >= count[:, None]
        self._start = np.where(empty, np.inf, np.maximum(start[self._cell], 0.0))
        # The mass before each cell from the left, and, for the cells in reverse order, from the right.
        self._before = np.where(empty, np.inf, np.cumsum(mass, axis=1) - mass)
        self._before[:, 1:] = np.where(empty[:, 1:], np.inf, np.cumsum(mass[:, :-1], axis=1))
        backwards = mass[:, ::-1]
        self._behind = np.zeros(shape)
        self._behind[:, 1:] = np.cumsum(backwards[:, :-1], axis=1)

    def cdf(self, local: Array, s: Array) -> Array:
        turns = np.floor(s / (2 * np.pi))
        s = s - 2 * np.pi * turns
        place = _last(self._start, local, s)
        cells, cell = self._cells, self._cell[local, np.maximum(place, 0)]
        side = cells.side[cell]
        x = np.clip(side * (s - cells.angle[cell]) + self._turn[cell], cells.near[cell], cells.far[cell])
        left = np.where(side > 0, cells.near[cell], cells.far[cell])
        part = self._before[local, np.maximum(place, 0)] + side * cells.integral(cell, left, x)
        return turns + np.where(place < 0, 0.0, part / self._total[local])

    def quantile(self, local: Array, p: Array) -> Array:
        cells, last = self._cells, self._cell.shape[1] - 1
        left = p <= 0.5
        wanted = np.where(left, p, 1 - p) * self._total[local]
        from_left = np.maximum(_last(self._before, local, wanted), 0)
        # Empty places come first from the right, with nothing before them; the last cell reached is never one.
        from_right = np.maximum(_last(self._behind, local, wanted), 0)
        place = np.where(left, from_left, last - from_right)
        cell = self._cell[local, place]
        upto = np.where(left, self._before[local, from_left], self._behind[local, from_right])
        outward = (cells.side[cell] > 0) == left  # from the near end to the far end
        start = np.where(outward, cells.near[cell], cells.far[cell])
        width = np.where(outward, 1.0, -1.0) * (cells.far[cell] - cells.near[cell])
        rest = wanted - upto

        def excess(share: Array, which: Array) -> tuple[Array, Array]:
            mine, at = cell[which], start[which] + share * width[which]
            density = np.exp(cells.height[mine] - cells.depth(mine, at))
            value = np.abs(cells.integral(mine, start[which], at)) - rest[which]
            scale = np.maximum(rest[which], 1e-300)
            return value / scale, np.abs(width[which]) * density / scale

        share = bracketed_newton(excess, np.zeros(p.size), np.ones(p.size), self._guess(cell, outward, rest))
        x = start + share * width
        s = cells.angle[cell] + cells.side[cell] * (x - self._turn[cell])
        return np.where(p <= 0, 0.0, np.where(p >= 1, 2 * np.pi, np.clip(s, 0.0, 2 * np.pi)))

    def _guess(self, cell: Array, outward: Array, rest: Array) -> Array:
        """The share of the cell that holds `rest`, if E were linear on it."""
        cells = self._cells
        fall = np.where(outward, 1.0, -1.0) * np.clip(cells.deep[cell] ** 2 - cells.shallow[cell] ** 2, 1e-6, 500.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = -np.log1p(np.expm1(-fall) * np.clip(rest / cells.mass[cell], 0.0, 1.0)) / fall
        return np.where(np.isfinite(share), share, 0.5)


def _last(table: Array, local: Array, value: Array) -> Array:
    """The last place in row `local` of the ascending `table` whose entry is at most `value`, −1 if there is none."""
    low, high = np.full(value.size, -1), np.full(value.size, table.shape[1])
    for _ in range(int(table.shape[1]).bit_length()):
        middle = (low + high) // 2
        below = (high - low > 1) & (table[local, np.maximum(middle, 0)] <= value)
        high = np.where((high - low > 1) & ~below, middle, high)
        low = np.where(below, middle, low)
    return low
