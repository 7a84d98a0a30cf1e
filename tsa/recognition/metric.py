"""Distances between patches, and the bounds that an exact search for the nearest uses (paper, sections 3.2 and 3.3).

A metric prepares patches once, bounds the squared distances of all pairs from below at the price of a matrix product
in single precision, narrows a list of pairs to those that can still be among the nearest, and measures those in double
precision. Every bound is lowered by the largest rounding error it can have, so no near pair is ever missed.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, ShapeError, checks
from tsa.model import Subgroup, Torus

_CHUNK_PAIRS = 2**12  # pairs whose differences are held at once
SINGLE_EPSILON = float(np.finfo(np.float32).eps)  # relative rounding of single precision


class Metric(ABC):
    """A distance between patches (n, D), homogeneous: twice as large for patches twice as large.

    What `prepare` returns is a `NamedTuple` of arrays with n rows, one of them `square`, the squared lengths (n,).
    """

    seeds = 4  # pairs measured first for each neighbour requested: they bound the distance of the kth nearest

    @abstractmethod
    def prepare(self, x: Array) -> Any:
        """Everything about these patches (n, D) that the search needs."""

    @abstractmethod
    def bounds(self, queries: Any, train: Any, out: Array) -> Array:
        """Lower bounds on all squared distances: that of the pair (i, j) is out[i, j] + result[i].

        `out` (n, m) float32 is filled in; zeros everywhere are correct, but then every pair is measured.
        """

    @abstractmethod
    def pairs(self, queries: Any, train: Any, row: Array, column: Array) -> Array:
        """The distances of the pairs (row, column), in double precision."""

    def narrow(self, queries: Any, train: Any, row: Array, column: Array, radius: Array, k: int) -> tuple[Array, Array]:
        """Those pairs that can be among the k nearest of their row (sorted), given an upper bound (n,) on the kth.

        >>> metric = tsa.BispectralDistance(tsa.Bispectrum(tsa.fourier_model(8)))
        >>> prepared, pairs = metric.prepare(np.eye(8)), np.arange(8)
        >>> metric.narrow(prepared, prepared, pairs, pairs, np.zeros(8), 1)[0]
        array([0, 1, 2, 3, 4, 5, 6, 7])
        """
        return row, column

    def distance(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Distances between patches x and y, whose batches broadcast: (..., D) → (...).

        >>> x = np.arange(8.0) ** 2
        >>> metric = tsa.BispectralDistance(tsa.Bispectrum(tsa.fourier_model(8)))
        >>> metric.distance(x, [np.roll(x, 1), x[::-1]]) > 1e-6  # shifted, mirrored
        array([False,  True])
        """
        x, y = (checks.finite(checks.real(p, name), name) for p, name in ((x, "x"), (y, "y")))
        if x.ndim == 0 or y.ndim == 0 or x.shape[-1] != y.shape[-1]:
            raise ShapeError(f"Patches to compare have equally many pixels; got shapes {x.shape} and {y.shape}.")
        shape = checks.common_shape("The patches", x.shape, y.shape)
        unit = max(power_of_two(x), power_of_two(y)) or 1.0
        first, second = (
            self.prepare(np.broadcast_to(p, shape).reshape(-1, shape[-1]).astype(np.float64) / unit) for p in (x, y)
        )
        rows = np.arange(len(first.square))
        found = self.pairs(first, second, rows, rows) * unit
        return found.reshape(shape[:-1]).astype(np.result_type(x, y))


def power_of_two(patches: Array) -> float:
    """A power of two near the largest pixel, or 0. Dividing by it rounds nothing and avoids overflow in float32."""
    largest = np.abs(patches).max(initial=0.0)
    return float(2.0 ** np.round(np.log2(largest))) if largest > 0 else 0.0


class Vectors(NamedTuple):
    """Points of a Euclidean space (n, d) in double, and ready for `scan_bounds`."""

    exact: Array
    scan: Array
    square: Array


def scanned(vectors: Array) -> tuple[Array, Array]:
    """Points (n, d) in single precision with their squared lengths appended, (n, d + 1), and those lengths (n,)."""
    square = np.einsum("nd,nd->n", vectors, vectors)
    return np.concatenate([vectors, square[:, None]], axis=1, dtype=np.float32), square


def scan_bounds(queries: Any, train: Any, out: Array) -> Array:
    """|y|² − 2⟨x, y⟩ for all pairs into `out` (n, m); returns (n,) what makes it a lower bound on ‖x − y‖²."""
    size = queries.scan.shape[1]
    ours = np.float32(-2) * queries.scan
    ours[:, -1] = 1
    np.matmul(ours, train.scan.T, out=out)
    longest = np.sqrt(train.square.max(initial=0.0))
    # Each product and each sum rounds once: |error| ≤ (d + 4) ε Σ|terms|.
    return np.asarray(queries.square - (size + 4) * SINGLE_EPSILON * (longest + np.sqrt(queries.square)) ** 2)


class Euclidean(Metric):
    """The length of the difference."""

    def prepare(self, x: Array) -> Vectors:
        """The patches themselves, or what a child of this class makes of them.

        >>> metric = tsa.BispectralDistance(tsa.Bispectrum(tsa.fourier_model(8)))
        >>> type(metric.prepare(np.eye(8))).__name__
        'Vectors'
        """
        exact = np.asarray(self.embed(x), np.float64)
        return Vectors(exact, *scanned(exact))

    def embed(self, x: Array) -> Array:
        """Where the patches lie in Euclidean space: (n, D) → (n, d)."""
        return x

    def bounds(self, queries: Vectors, train: Vectors, out: Array) -> Array:
        """The squared distances themselves, less their rounding.

        >>> metric = tsa.BispectralDistance(tsa.Bispectrum(tsa.fourier_model(8)))
        >>> prepared = metric.prepare(np.eye(8))
        >>> metric.bounds(prepared, prepared, np.empty((8, 8))).shape
        (8,)
        """
        return scan_bounds(queries, train, out)

    def pairs(self, queries: Vectors, train: Vectors, row: Array, column: Array) -> Array:
        """‖x − y‖, summed as squares of differences.

        >>> metric = tsa.BispectralDistance(tsa.Bispectrum(tsa.fourier_model(8)))
        >>> prepared, row = metric.prepare(np.eye(8)), np.array([0, 0])
        >>> metric.pairs(prepared, prepared, row, np.array([0, 5])).round(6)
        array([0., 0.])
        """
        result = np.empty(row.size)
        for start in range(0, row.size, _CHUNK_PAIRS):
            part = slice(start, start + _CHUNK_PAIRS)
            gap = queries.exact[row[part]] - train.exact[column[part]]
            result[part] = np.sqrt(np.einsum("nd,nd->n", gap, gap))
        return result


class TorusDistance(Euclidean):
    """The distance of the orbits of the maximal torus: Euclidean in √κ̂ (eq. manifold_dist_maximal_torus)."""

    def __init__(self, model: Torus | Subgroup) -> None:
        self.model = model

    def embed(self, x: Array) -> Array:
        """σ√κ̂_j = |z_j|: (n, D) → (n, J)."""
        return np.abs(self.model.coordinates(np.asarray(x, np.float64)))


# -- pairs listed by row ------------------------------------------------------------------------------------


def rank_in_row(row: Array) -> Array:
    """The place of each entry among those of its row, for sorted rows."""
    return np.arange(row.size) - np.searchsorted(row, row)


def kth_in_row(row: Array, value: Array, k: int, n: int) -> Array:
    """The kth smallest value of each row 0…n − 1 (sorted); infinite where there are fewer."""
    order = np.lexsort((value, row))
    here = np.flatnonzero(rank_in_row(row) == k - 1)
    result = np.full(n, np.inf)
    result[row[here]] = value[order[here]]
    return result
