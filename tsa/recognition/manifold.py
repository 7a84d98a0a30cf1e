"""The distance of the orbits of a one- or two-parameter group (paper, section 3.3), at the cost of a matrix product.

d² = ‖x‖² + ‖y‖² − 2 max_s Re Σ_k conj(η_k) e^{iks}. Three bounds on that maximum, each tighter and more expensive than
the one before: Σ_j |z_j(x)||z_j(y)|, a matrix product; Σ_k |η_k|, pooled within weight spaces; and the values on a grid
of angles, with a bound on the rise between nodes. Hardly more than one pair for each query passes all three; its
maximum is computed.

A line of non-zero weight (the Nyquist line) has the coordinates u and v of x and y, and adds (v − u cos ωs)² to d². The
first two bounds leave it out, which is correct because this is never negative. The grid includes it: uv to η_ω, −u²/4
to η_2ω.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.density import from_harmonics
from tsa.model import Subgroup, Weights
from tsa.recognition.metric import SINGLE_EPSILON, Metric, kth_in_row, rank_in_row, scan_bounds, scanned

_GRID_NODES = 128  # angles of the grid
_CHUNK_PAIRS = 2**13  # pairs whose natural parameters are held at once,
_CHUNK_HARMONICS = 2**20  # or fewer pairs, with this many harmonics in all
_CHUNK_QUERIES = 2**8  # queries whose products with all harmonics are held at once


class PreparedCoordinates(NamedTuple):
    """Coordinates by weight: those of weight 0 as real numbers, then the moving ones, their weights made positive."""

    scan: Array  # (n, F + M + 1) float32: fixed coordinates, |z| of the moving planes, their squared length
    square: Array  # (n,)
    fixed: Array  # (n, F)
    lines: Array  # (n, L): lines that move
    moving: Array  # complex (n, M): planes that move, sorted by harmonic
    parts: Array  # float32 (n, F + 2M): fixed, real parts, imaginary parts


class ManifoldDistance(Metric):
    """min_s ‖z(y) − z(act(x, s))‖ within the span of a `Subgroup`; the same as `Subgroup.distance`. Queries are x."""

    seeds = 24

    def __init__(self, model: Subgroup) -> None:
        self.model = model

    @cached_property
    def _order(self) -> Array:
        """The moving planes, sorted by harmonic."""
        place = self.model.irreps.place
        order = np.argsort(place, kind="stable")[np.count_nonzero(place < 0) :]
        return order[~self.model.moving_lines[order]]

    @cached_property
    def _harmonics(self) -> tuple[Array, Array]:
        """The harmonics of the moving planes, and (M,) the number of each one's."""
        return np.unique(self.model.irreps.place[self._order], return_inverse=True)

    @cached_property
    def _terms(self) -> tuple[Array, Array, Array]:
        """Of the terms of ⟨x, y⟩ and of the lines' energy that move: order by harmonic, harmonics, where each begins.

        The terms stand as planes, lines, squares of lines; harmonics are indices into those of `likelihood_weights`.
        """
        place = self.model.likelihood_weights.place
        place = np.concatenate([place[self._order], place[self._lines], place[self.model.subspaces :]])
        order = np.argsort(place, kind="stable")
        return order, *np.unique(place[order], return_index=True)

    @cached_property
    def _lines(self) -> Array:
        """The lines that move."""
        return np.flatnonzero(self.model.moving_lines)

    def prepare(self, x: Array) -> PreparedCoordinates:
        """Coordinates in double precision, and what the bounds need of them in single."""
        irreps = self.model.irreps
        z = self.model.coordinates(np.asarray(x, np.float64))
        z = np.where(irreps.negated, z.conj(), z)
        still = z[:, irreps.fixed]
        fixed = np.concatenate([still.real, still.imag[:, ~self.model.lines[irreps.fixed]]], axis=1)
        moving = np.ascontiguousarray(z[:, self._order])
        lines = z[:, self._lines].real
        scan, square = scanned(np.concatenate([fixed, np.abs(moving)], axis=1))
        parts = np.concatenate([fixed, moving.real, moving.imag], axis=1, dtype=np.float32)
        return PreparedCoordinates(scan, square + _energy(lines), fixed, lines, moving, parts)

    def bounds(self, queries: PreparedCoordinates, train: PreparedCoordinates, out: Array) -> Array:
        """Every phase of a plane free: ‖x‖² + ‖y‖² − 2 Σ_j |z_j(x)||z_j(y)| without the lines that move."""
        return scan_bounds(queries, train, out) - _energy(queries.lines)

    def narrow(
        self, queries: PreparedCoordinates, train: PreparedCoordinates, row: Array, column: Array, radius: Array, k: int
    ) -> tuple[Array, Array]:
        """One phase for each weight space, then a bracket from a grid of angles, best first."""
        if not self._order.size or not row.size:
            return row, column
        bound = self._pooled_bounds(queries, train, row, column)
        near = bound <= radius[row] ** 2
        row, column, bound = row[near], column[near], bound[near]
        if self.model.parameters > 1:  # the grid of angles is for the circle
            return row, column
        order = np.lexsort((bound, row))
        row, column, bound = row[order], column[order], bound[order]
        first = rank_in_row(row) <= k
        lowest, highest = np.full(row.size, np.inf), np.full(row.size, np.inf)
        for turn in (first, ~first):
            chosen = np.flatnonzero(turn & (bound <= radius[row] ** 2))
            lowest[chosen], highest[chosen] = self._brackets(queries, train, row[chosen], column[chosen])
            radius = np.minimum(radius, np.sqrt(kth_in_row(row, highest, k, len(radius))))
        near = lowest <= radius[row] ** 2
        return row[near], column[near]

    def _pooled_bounds(
        self, queries: PreparedCoordinates, train: PreparedCoordinates, row: Array, column: Array
    ) -> Array:
        """‖x‖² + ‖y‖² − 2 (fixed + Σ_k |η_k|), less rounding: one small product for each query."""
        H = len(self._harmonics[0])
        edges = np.searchsorted(row, np.arange(len(queries.square) + 1))
        agree = np.empty(row.size, np.float32)
        for count, i in enumerate(with_pairs := np.flatnonzero(np.diff(edges))):
            if count % _CHUNK_QUERIES == 0:
                products = self._products(queries.parts[with_pairs[count : count + _CHUNK_QUERIES]])
            part = slice(edges[i], edges[i + 1])
            eta = train.parts.take(column[part], axis=0) @ products[count % _CHUNK_QUERIES]
            fixed = eta[:, 0].copy()
            eta *= eta
            agree[part] = np.sqrt(eta[:, 1 : H + 1] + eta[:, H + 1 :]).sum(axis=1) + fixed
        x, y = queries.square[row], train.square[column]
        lines = _energy(queries.lines)[row] + _energy(train.lines)[column]
        rounding = 2 * (queries.parts.shape[1] + H + 8) * SINGLE_EPSILON
        bound = x + y - lines - 2 * agree - rounding * (x + y) - (H + 1) * 2.0**-60  # squares below 2⁻¹²⁶ vanish
        return np.where(np.isfinite(bound), bound, -np.inf)  # beyond single precision there is no bound

    def _products(self, parts: Array) -> Array:
        """(n, F + 2M, 1 + 2H) float32: from the parts of a patch to its ⟨fixed, fixed⟩, Re η_k, Im η_k."""
        harmonics, which = self._harmonics
        n, M, H = len(parts), self._order.size, len(harmonics)
        F, j = parts.shape[1] - 2 * M, np.arange(M)
        real, imaginary = parts[:, F : F + M], parts[:, F + M :]
        matrix = np.zeros((n, F + 2 * M, 1 + 2 * H), np.float32)
        matrix[:, :F, 0] = parts[:, :F]
        matrix[:, F + j, 1 + which] = real
        matrix[:, F + M + j, 1 + which] = imaginary
        matrix[:, F + M + j, 1 + H + which] = real
        matrix[:, F + j, 1 + H + which] = -imaginary
        return matrix

    def _natural(
        self, queries: PreparedCoordinates, train: PreparedCoordinates, row: Array, column: Array
    ) -> tuple[Array, Array]:
        """The fixed part of ⟨x, y⟩, and σ²η_k at the harmonics of `_terms`: (n,), complex (n, H)."""
        fixed = np.einsum("nf,nf->n", queries.fixed[row], train.fixed[column])
        products = queries.moving[row].conj() * train.moving[column]
        order, _, begins = self._terms
        if self._lines.size:
            u = queries.lines[row]
            products = np.concatenate([products, u * train.lines[column], -u * u / 4], axis=1)[:, order]
        return fixed, np.add.reduceat(products, begins, axis=1)

    @property
    def _orders(self) -> Array:
        """(H,): the orders k of the harmonics in use, for a group of one parameter."""
        return self.model.likelihood_weights.harmonics[self._terms[1], 0]

    @cached_property
    def _waves(self) -> Array:
        """(2H, nodes): the real and imaginary parts of η_k, interleaved, to Re Σ conj(η_k) e^{iks}."""
        angle = np.multiply.outer(self._orders, 2 * np.pi * np.arange(_GRID_NODES) / _GRID_NODES)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1).reshape(-1, _GRID_NODES)

    def _brackets(
        self, queries: PreparedCoordinates, train: PreparedCoordinates, row: Array, column: Array
    ) -> tuple[Array, Array]:
        """Lower and upper bounds on d²: between two nodes a function rises by at most h²/8 · max|E''|."""
        lowest, highest = np.empty((2, row.size))
        square = self._orders**2
        for start in range(0, row.size, _CHUNK_PAIRS):
            part = slice(start, start + _CHUNK_PAIRS)
            fixed, eta = self._natural(queries, train, row[part], column[part])
            top = fixed + (eta.view(np.float64) @ self._waves).max(axis=1)
            rise = np.abs(eta) @ square * (2 * np.pi / _GRID_NODES) ** 2 / 8
            both = queries.square[row[part]] + train.square[column[part]]
            both -= _energy(queries.lines)[row[part]] / 2  # the mean of u² cos² ωs is u²/2
            lowest[part] = (1 - 1e-9) * both - 2 * (top + rise)
            highest[part] = np.maximum(0, (1 + 1e-9) * both - 2 * top)
        return lowest, highest

    def pairs(self, queries: PreparedCoordinates, train: PreparedCoordinates, row: Array, column: Array) -> Array:
        """The distance at the best s, summed as squares: the expanded form would lose half the digits."""
        result = np.empty(row.size)
        weights = self.model.likelihood_weights
        harmonics = weights.harmonics
        at_once = min(_CHUNK_PAIRS, 1 + _CHUNK_HARMONICS // max(1, len(harmonics)))
        for start in range(0, row.size, at_once):
            part = slice(start, start + at_once)
            x, y = row[part], column[part]
            squares = np.sum((queries.fixed[x] - train.fixed[y]) ** 2, axis=1)
            if self._terms[0].size:
                eta = np.zeros((x.size, len(harmonics)), np.complex128)
                eta[:, self._terms[1]] = self._natural(queries, train, x, y)[1]
                phases = Weights(harmonics).phases(from_harmonics(eta, harmonics).mode())
                gap = train.moving[y] - phases[:, weights.place[self._order]] * queries.moving[x]
                squares += np.sum(gap.real**2 + gap.imag**2, axis=1)
                gap = train.lines[y] - phases[:, weights.place[self._lines]].real * queries.lines[x]
                squares += _energy(gap)
            result[part] = np.sqrt(squares)
        return result


def _energy(lines: Array) -> Array:
    """Σ u² of real coordinates: (n, L) → (n,)."""
    return np.asarray(np.einsum("nl,nl->n", lines, lines))
