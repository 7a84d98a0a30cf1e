"""The distance of the orbits of a one- or two-parameter group (paper, section 3.3), at the price of a matrix product.

d² = ‖x‖² + ‖y‖² − 2 max_s Re Σ_k conj(η_k) e^{iks}. Three bounds on that maximum, each dearer and closer than the one
before: Σ_j |z_j(x)||z_j(y)|, a matrix product; Σ_k |η_k|, pooled within weight spaces; and the values on a grid of
angles, which a bound on the curvature makes a bracket. What they leave, hardly more than one pair for each query, is
maximised.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from tsa.checks import Array
from tsa.distances import SINGLE, Metric, kth_in_row, rank_in_row, scan_bounds, scanned
from tsa.model import Subgroup
from tsa.torus2 import TorusVonMises
from tsa.trigpoly import argmax

_NODES = 128  # of the grid of angles
_AT_ONCE = 2**13  # pairs whose natural parameters are held at once,
_HARMONICS = 2**20  # or as many as have this many harmonics
_QUERIES = 2**8  # whose products with all harmonics are held at once


class Orbits(NamedTuple):
    """Coordinates by weight: those of weight 0 as real numbers, then the moving ones, their weights made positive."""

    scan: Array  # of the fixed ones as they are and the |z| of the moving ones
    square: Array  # (n,)
    fixed: Array  # (n, F)
    moving: Array  # complex (n, M), sorted by harmonic
    parts: Array  # float32 (n, F + 2M): fixed, real parts, imaginary parts


class ManifoldDistance(Metric):
    """min_s ‖z(y) − e^{iωs} z(x)‖ within the span of a `Subgroup`; the same as `Subgroup.distance`."""

    seeds = 24

    def __init__(self, model: Subgroup) -> None:
        self.model = model

    @cached_property
    def _order(self) -> Array:
        """The moving subspaces, sorted by harmonic."""
        place = self.model.pooling.place
        return np.argsort(place, kind="stable")[np.count_nonzero(place < 0) :]

    @cached_property
    def _harmonics(self) -> tuple[Array, Array, Array]:
        """The harmonics in use, where each begins among the moving subspaces, and (M,) the number of each one's."""
        return np.unique(self.model.pooling.place[self._order], return_index=True, return_inverse=True)

    def prepare(self, x: Array) -> Orbits:
        """Coordinates in double precision, and what the bounds need of them in single."""
        pooling = self.model.pooling
        z = self.model.coordinates(np.asarray(x, np.float64))
        z = np.where(pooling.negated, z.conj(), z)
        still = z[:, pooling.fixed]
        fixed = np.concatenate([still.real, still.imag[:, ~self.model.lines[pooling.fixed]]], axis=1)
        moving = np.ascontiguousarray(z[:, self._order])
        scan = scanned(np.concatenate([fixed, np.abs(moving)], axis=1))
        parts = np.concatenate([fixed, moving.real, moving.imag], axis=1, dtype=np.float32)
        return Orbits(*scan, fixed, moving, parts)

    def bounds(self, queries: Orbits, train: Orbits, out: Array) -> Array:
        """Every moving phase free: ‖x‖² + ‖y‖² − 2 Σ_j |z_j(x)||z_j(y)|, a little above the torus distance."""
        return scan_bounds(queries, train, out)

    def narrow(
        self, queries: Orbits, train: Orbits, row: Array, column: Array, radius: Array, k: int
    ) -> tuple[Array, Array]:
        """One phase for each weight space, then a bracket from a grid of angles, best first."""
        if not self._order.size or not row.size:
            return row, column
        bound = self._pooled_bounds(queries, train, row, column)
        near = bound <= radius[row] ** 2
        row, column, bound = row[near], column[near], bound[near]
        if self.model.weights.ndim == 2:
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

    def _pooled_bounds(self, queries: Orbits, train: Orbits, row: Array, column: Array) -> Array:
        """‖x‖² + ‖y‖² − 2 (fixed + Σ_k |η_k|), less rounding: one small product for each query."""
        H = len(self._harmonics[0])
        edges = np.searchsorted(row, np.arange(len(queries.square) + 1))
        agree = np.empty(row.size, np.float32)
        for count, i in enumerate(asked := np.flatnonzero(np.diff(edges))):
            if count % _QUERIES == 0:
                products = self._products(queries.parts[asked[count : count + _QUERIES]])
            part = slice(edges[i], edges[i + 1])
            eta = train.parts.take(column[part], axis=0) @ products[count % _QUERIES]
            fixed = eta[:, 0].copy()
            eta *= eta
            agree[part] = np.sqrt(eta[:, 1 : H + 1] + eta[:, H + 1 :]).sum(axis=1) + fixed
        x, y = queries.square[row], train.square[column]
        rounding = 2 * (queries.parts.shape[1] + H + 8) * SINGLE
        bound = x + y - 2 * agree - rounding * (x + y) - (H + 1) * 2.0**-60  # squares below 2⁻¹²⁶ vanish
        return np.where(np.isfinite(bound), bound, -np.inf)  # beyond single precision there is no bound

    def _products(self, parts: Array) -> Array:
        """(n, F + 2M, 1 + 2H) float32: from the parts of a patch to its ⟨fixed, fixed⟩, Re η_k, Im η_k."""
        harmonics, _, which = self._harmonics
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

    def _natural(self, queries: Orbits, train: Orbits, row: Array, column: Array) -> tuple[Array, Array]:
        """The fixed part of ⟨x, y⟩, and σ²η_k at the harmonics in use: (n,), complex (n, H)."""
        fixed = np.einsum("nf,nf->n", queries.fixed[row], train.fixed[column])
        products = queries.moving[row].conj() * train.moving[column]
        return fixed, np.add.reduceat(products, self._harmonics[1], axis=1)

    @cached_property
    def _waves(self) -> Array:
        """(2H, nodes): the real and imaginary parts of η_k, interleaved, to Re Σ conj(η_k) e^{iks}."""
        angle = np.multiply.outer(
            self.model.pooling.harmonics[self._harmonics[0]], 2 * np.pi * np.arange(_NODES) / _NODES
        )
        return np.stack([np.cos(angle), np.sin(angle)], axis=1).reshape(-1, _NODES)

    def _brackets(self, queries: Orbits, train: Orbits, row: Array, column: Array) -> tuple[Array, Array]:
        """Lower and upper bounds on d²: between two nodes a function rises by at most h²/8 · max|E''|."""
        lowest, highest = np.empty((2, row.size))
        square = self.model.pooling.harmonics[self._harmonics[0]] ** 2
        for start in range(0, row.size, _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            fixed, eta = self._natural(queries, train, row[part], column[part])
            top = fixed + (eta.view(np.float64) @ self._waves).max(axis=1)
            rise = np.abs(eta) @ square * (2 * np.pi / _NODES) ** 2 / 8
            both = queries.square[row[part]] + train.square[column[part]]
            lowest[part] = (1 - 1e-9) * both - 2 * (top + rise)
            highest[part] = np.maximum(0, (1 + 1e-9) * both - 2 * top)
        return lowest, highest

    def pairs(self, queries: Orbits, train: Orbits, row: Array, column: Array) -> Array:
        """The distance at the best s, summed as squares: the expanded form would lose half the digits."""
        result = np.empty(row.size)
        harmonics = self.model.pooling.harmonics
        at_once = min(_AT_ONCE, 1 + _HARMONICS // max(1, len(harmonics)))
        for start in range(0, row.size, at_once):
            part = slice(start, start + at_once)
            x, y = row[part], column[part]
            squares = np.sum((queries.fixed[x] - train.fixed[y]) ** 2, axis=1)
            if self._order.size:
                eta = np.zeros((x.size, len(harmonics)), np.complex128)
                eta[:, self._harmonics[0]] = self._natural(queries, train, x, y)[1]
                best = argmax(eta) if harmonics.ndim == 1 else TorusVonMises(eta, harmonics).mode()
                angle = np.multiply.outer(best, harmonics) if harmonics.ndim == 1 else best @ harmonics.T
                phase = np.exp(1j * angle)[:, self.model.pooling.place[self._order]]
                gap = train.moving[y] - phase * queries.moving[x]
                squares += np.sum(gap.real**2 + gap.imag**2, axis=1)
            result[part] = np.sqrt(squares)
        return result
