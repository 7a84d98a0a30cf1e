"""Exact nearest neighbours under any metric of this folder, equal to those of an exhaustive search, ties included.

All pairs are bounded from below by one matrix product; a few with the smallest bounds are measured, which gives an
upper bound on the kth distance; only pairs whose lower bound does not exceed it are measured. Memory is bounded
whatever the sizes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ProgressCallback, ShapeError, checks
from tsa.model import Subgroup, Torus
from tsa.recognition.manifold import ManifoldDistance
from tsa.recognition.metric import Euclidean, Metric, TorusDistance, kth_in_row, power_of_two, rank_in_row

_CHUNK_BOUNDS = 2**23  # bounds held at once
_CHUNK_COLUMNS = 2**16  # training patches they belong to at most
_CHUNK_ROWS = 2**12  # queries they belong to at most
_CHUNK_PAIRS = 2**18  # pairs measured at once
_TIE_TOLERANCE = 1e-10  # relative difference below which two distances count as equal
_ZERO_TOLERANCE = 1e-13  # relative to the length of the query: the rounding error of a distance of zero
_MAX_RATIO = 2.0**300  # of a query to the training patches; beyond it, squares in their units overflow
_SAMPLE_PATCHES = 4  # of which all pairs are measured at two scales
_NO_INDEX = np.iinfo(np.int64).max


def nearest(
    train: ArrayLike,
    queries: ArrayLike,
    metric: Metric | Torus | Subgroup | str = "euclidean",
    k: int = 1,
    on_progress: ProgressCallback | None = None,
) -> tuple[Array, Array]:
    """Indices and distances (n, k) of the k nearest rows of `train` (N, D) to each row of `queries` (n, D), in order.

    The metric is `euclidean`, a `Torus` (√κ̂), a `Subgroup` (manifold distance), or a `Metric`. Of equal
    distances (to ten digits) the smaller index comes first. `on_progress` is called with the fraction done.

    >>> train = np.eye(8)
    >>> indices, distances = tsa.nearest(train, train[:2] * 0.9, k=1)
    >>> indices.T, distances.T.round(3)
    (array([[0, 1]]), array([[0.1, 0.1]]))
    """
    return Neighbours(train, metric).query(queries, k, on_progress)


class Neighbours:
    """Training patches (N, D), prepared for searching.

    >>> prepared = tsa.Neighbours(np.eye(8), metric=tsa.fourier_model(8))
    >>> prepared.query(np.eye(8)[:1], k=2)[0].shape
    (1, 2)
    """

    def __init__(self, train: ArrayLike, metric: Metric | Torus | Subgroup | str = "euclidean") -> None:
        self._train = checks.rows(train, "train")
        self.metric, self.shape = as_metric(metric), self._train.shape
        self._unit = power_of_two(self._train) or 1.0
        self._check_homogeneous()
        self._points = self._prepared(self._train, self._unit)

    def query(self, queries: ArrayLike, k: int = 1, on_progress: ProgressCallback | None = None) -> tuple[Array, Array]:
        """The k nearest of each query (n, D): indices and distances, (n, k), nearest first.

        >>> indices, distances = tsa.Neighbours(np.eye(4)).query(np.eye(4)[[2]] * 0.9, k=2)
        >>> indices[:, 0], distances.round(3)
        (array([2]), array([[0.1  , 1.345]]))
        """
        queries = checks.rows(queries, "queries")
        if queries.shape[1] != self.shape[1]:
            raise ShapeError(f"Queries have {queries.shape[1]} pixels, the training patches {self.shape[1]}.")
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 1 <= k <= self.shape[0]:
            raise InputError(f"There are {self.shape[0]} training patches; k must be from 1 to that, got {k!r}.")
        unit, points = self._unit, self._points
        if (largest := power_of_two(queries)) > _MAX_RATIO * unit:
            unit, points = largest, self._prepared(self._train, largest)
        pieces = blocks(self.shape[0], len(queries))
        bounds = np.empty((len(queries[pieces[0]]), min(self.shape[0], _CHUNK_COLUMNS)), np.float32)
        found = []
        for piece in pieces:
            with np.errstate(over="ignore", invalid="ignore"):  # the bounds of a patch 10¹⁹ times the others overflow
                found.append(self._block(self._prepared(queries[piece], unit), points, k, bounds))
            if on_progress is not None:
                on_progress(len(found) / len(pieces))
        indices, distances = (np.concatenate(parts) for parts in zip(*found, strict=True))
        distances = checks.finite(distances * unit, f"the distances of {type(self.metric).__name__}")
        return indices, distances.astype(np.result_type(queries, self._train))

    def _check_homogeneous(self) -> None:
        """Refuse a metric whose distances do not grow with the patches, which the search divides by one number."""
        few = self._train[:_SAMPLE_PATCHES]
        row, column = np.triu_indices(len(few), 1)
        points = (self._prepared(few, scale * self._unit) for scale in (1.0, 2.0))
        large, small = (self.metric.pairs(one, one, row, column) for one in points)
        if not np.allclose(large, 2 * small, rtol=1e-6, atol=1e-6 * large.max(initial=0.0)):
            worst = np.argmax(np.abs(large - 2 * small))
            ratio = large[worst] / small[worst] if small[worst] else np.inf
            raise InputError(
                f"{type(self.metric).__name__} is not homogeneous: patches twice as large are {ratio:.3g} times as far "
                "apart. A metric must make them twice as far apart, because the search rescales patches."
            )

    def _prepared(self, patches: Array, unit: float) -> Any:
        return self.metric.prepare(patches.astype(np.float64) / unit)

    def _block(self, queries: Any, train: Any, k: int, bounds: Array) -> tuple[Array, Array]:
        best = _Best.empty(queries, k)
        for start in range(0, self.shape[0], bounds.shape[1]):
            part = slice(start, start + bounds.shape[1])
            best = self._visit(queries, type(train)(*(a[part] for a in train)), start, best, bounds)
        return best.index, best.distance

    def _visit(self, queries: Any, train: Any, start: int, best: "_Best", bounds: Array) -> "_Best":
        """The k nearest after these training patches, which begin at index `start`, are included."""
        n, k = best.index.shape
        bounds = bounds[:n, : len(train.square)]
        above = self.metric.bounds(queries, train, bounds)
        row, column = _promising(bounds, self.metric.seeds * k)
        row, _, distance = self._measured(queries, train, row, column, best.radius, k)
        radius = np.minimum(best.radius, best.reach(kth_in_row(row, distance, k, n), np.arange(n)))
        limit = np.nextafter((radius**2 - above).astype(np.float32), np.float32(np.inf))
        far = bounds > limit[:, None]  # false for nan: pairs without a bound are measured
        row, column = _where(np.logical_not(far, out=far))
        for part in range(0, row.size, _CHUNK_PAIRS):
            piece = row[part : part + _CHUNK_PAIRS], column[part : part + _CHUNK_PAIRS]
            row_, column_, distance = self._measured(queries, train, *piece, np.minimum(radius, best.radius), k)
            best = best.with_(row_, column_ + start, distance)
        return best

    def _measured(
        self, queries: Any, train: Any, row: Array, column: Array, radius: Array, k: int
    ) -> tuple[Array, Array, Array]:
        row, column = self.metric.narrow(queries, train, row, column, radius, k)
        return row, column, self.metric.pairs(queries, train, row, column)


def blocks(train: int, queries: int) -> list[slice]:
    """The blocks in which so many queries are searched among so many training patches, so that memory is bounded."""
    rows = min(_CHUNK_ROWS, max(1, _CHUNK_BOUNDS // min(train, _CHUNK_COLUMNS)))
    return [slice(start, start + rows) for start in range(0, queries, rows)]


def as_metric(metric: Metric | Torus | Subgroup | str) -> Metric:
    """A metric from a metric, from a model (the distance of its orbits), or from the name `euclidean`."""
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, Torus):
        return TorusDistance(metric)
    if isinstance(metric, Subgroup):
        return ManifoldDistance(metric)
    if metric == "euclidean":
        return Euclidean()
    raise InputError(f"A metric is `euclidean`, a model, or a Metric such as TangentDistance; got {metric!r}.")


@dataclass(frozen=True, eq=False)
class _Best:
    """The k nearest so far of each query: (n, k) each, nearest first; `rounding` (n,) bounds the error of 0."""

    index: Array
    distance: Array
    rounding: Array

    @classmethod
    def empty(cls, queries: Any, k: int) -> "_Best":
        n = len(queries.square)
        return cls(np.full((n, k), _NO_INDEX), np.full((n, k), np.inf), _ZERO_TOLERANCE * np.sqrt(queries.square))

    def reach(self, distance: Array, row: Array) -> Array:
        """The largest distance that counts as equal to `distance`, for queries `row`."""
        return np.asarray(distance * (1 + _TIE_TOLERANCE) + self.rounding[row])

    @property
    def radius(self) -> Array:
        """(n,): the largest distance that can still be among the k nearest."""
        return self.reach(self.distance.max(axis=1), np.arange(len(self.distance)))

    def with_(self, row: Array, index: Array, distance: Array) -> "_Best":
        n, k = self.index.shape
        row = np.concatenate([np.repeat(np.arange(n), k), row])
        index = np.concatenate([self.index.ravel(), index])
        distance = np.concatenate([self.distance.ravel(), distance])
        order = np.lexsort((index, distance, row))
        row, index, distance = row[order], index[order], distance[order]
        last = distance[rank_in_row(row) == k - 1]
        near = distance <= self.reach(last[row], row)
        row, index, distance = row[near], index[near], distance[near]
        order = np.lexsort((index, self._equals(row, distance)))
        kept = order[rank_in_row(row) < k]
        return _Best(index[kept].reshape(n, k), distance[kept].reshape(n, k), self.rounding)

    def _equals(self, row: Array, distance: Array) -> Array:
        """Numbers that rise along sorted pairs, the same for pairs at the same distance as the first of that number.

        Compare with the first member of a tie, not with the previous pair; otherwise many gaps below the tolerance
        would join distances that differ by more than it.
        """
        first = np.append(True, row[1:] != row[:-1])
        while True:
            number = np.cumsum(first) - 1
            farther = np.flatnonzero(distance > self.reach(distance[first][number], row))
            if not farther.size:
                return number
            first[farther[np.unique(number[farther], return_index=True)[1]]] = True


def _promising(bounds: Array, m: int) -> tuple[Array, Array]:
    """About m pairs of each row with small bounds: the smallest of a group each, for the m best groups."""
    n, columns = bounds.shape
    depth = int(np.clip(columns // (4 * m), 1, 64))
    groups = columns // depth
    m = min(m, groups)
    grouped = bounds[:, : depth * groups].reshape(n, depth, groups)
    chosen = np.argpartition(grouped.min(axis=1), m - 1, axis=1)[:, :m]
    inside = np.take_along_axis(grouped, chosen[:, None, :], axis=2).argmin(axis=1)
    return np.repeat(np.arange(n), m), (inside * groups + chosen).ravel()


def _where(mask: Array) -> tuple[Array, Array]:
    """np.nonzero of a mask that is mostly false, eight entries at a time."""
    width = mask.shape[1]
    flat = mask.ravel()
    whole = flat.size // 8 * 8
    words = np.flatnonzero(flat[:whole].view(np.uint64))
    inside, byte = np.nonzero(flat[:whole].reshape(-1, 8)[words])
    places = np.concatenate([words[inside] * 8 + byte, whole + np.flatnonzero(flat[whole:])])
    return np.divmod(places, width)
