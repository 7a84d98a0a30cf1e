"""Exact nearest neighbours under any metric of `tsa.distances`: the answer of brute force, ties included.

All pairs are bounded from below by one matrix product; a few of the most promising are measured, which says how near
the nearest is at most; only what could be nearer is looked at again. Memory is bounded whatever the sizes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tsa import checks
from tsa.checks import Array
from tsa.distances import Euclidean, Metric, TorusDistance, kth_in_row, power_of_two, rank_in_row
from tsa.errors import InputError, ShapeError
from tsa.manifold import ManifoldDistance
from tsa.model import Subgroup, Torus
from tsa.progress import Report

_BOUNDS = 2**23  # bounds held at once
_COLUMNS = 2**16  # training patches they belong to at most
_ROWS = 2**12  # queries they belong to at most
_PAIRS = 2**18  # pairs looked at again at once
_TIE = 1e-10  # relative to a distance: what is closer than this to it is the same distance
_ROUNDING = 1e-13  # relative to the query: what double precision leaves of a distance of zero
_BEYOND = 2.0**300  # what is this many times larger cannot be squared in the same units
_NOBODY = np.iinfo(np.int64).max


def nearest(
    train: ArrayLike,
    queries: ArrayLike,
    metric: Metric | Torus | Subgroup | str = "euclidean",
    k: int = 1,
    report: Report | None = None,
) -> tuple[Array, Array]:
    """Indices and distances (n, k) of the k nearest rows of `train` (N, D) to each row of `queries` (n, D), in order.

    The metric is `euclidean`, a `Torus` (√κ̂), a `Subgroup` (manifold distance), or one of `tsa.distances`. Of equal
    distances (to ten digits) the smaller index comes first. `report` is called with the fraction done.
    """
    return Neighbours(train, metric).query(queries, k, report)


class Neighbours:
    """Training patches (N, D) made ready to be searched."""

    def __init__(self, train: ArrayLike, metric: Metric | Torus | Subgroup | str = "euclidean") -> None:
        self._train = checks.rows(train, "train")
        self.metric, self.shape = as_metric(metric), self._train.shape
        self._unit = power_of_two(self._train) or 1.0
        self._points = self._prepared(self._train, self._unit)

    def query(self, queries: ArrayLike, k: int = 1, report: Report | None = None) -> tuple[Array, Array]:
        """The k nearest of each query (n, D): indices and distances, (n, k), nearest first."""
        queries = checks.rows(queries, "queries")
        if queries.shape[1] != self.shape[1]:
            raise ShapeError(f"Queries have {queries.shape[1]} pixels, the training patches {self.shape[1]}.")
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 1 <= k <= self.shape[0]:
            raise InputError(f"There are {self.shape[0]} training patches; k must be from 1 to that, got {k!r}.")
        unit, points = self._unit, self._points
        if (largest := power_of_two(queries)) > _BEYOND * unit:
            unit, points = largest, self._prepared(self._train, largest)
        pieces = blocks(self.shape[0], len(queries))
        bounds = np.empty((len(queries[pieces[0]]), min(self.shape[0], _COLUMNS)), np.float32)
        found = []
        for piece in pieces:
            with np.errstate(over="ignore", invalid="ignore"):  # bounds on a patch 10¹⁹ times the others say nothing
                found.append(self._block(self._prepared(queries[piece], unit), points, k, bounds))
            if report is not None:
                report(len(found) / len(pieces))
        indices, distances = (np.concatenate(parts) for parts in zip(*found, strict=True))
        distances = checks.finite(distances * unit, "the distances")
        return indices, distances.astype(np.result_type(queries, self._train))

    def _prepared(self, patches: Array, unit: float) -> Any:
        return self.metric.prepare(patches.astype(np.float64) / unit)

    def _block(self, queries: Any, train: Any, k: int, bounds: Array) -> tuple[Array, Array]:
        best = _Best.empty(queries, k)
        for start in range(0, self.shape[0], bounds.shape[1]):
            part = slice(start, start + bounds.shape[1])
            best = self._visit(queries, type(train)(*(a[part] for a in train)), start, best, bounds)
        return best.index, best.distance

    def _visit(self, queries: Any, train: Any, start: int, best: "_Best", bounds: Array) -> "_Best":
        """The best so far, and whatever is better among these training patches."""
        n, k = best.index.shape
        bounds = bounds[:n, : len(train.square)]
        above = self.metric.bounds(queries, train, bounds)
        row, column = _promising(bounds, self.metric.seeds * k)
        row, _, distance = self._measured(queries, train, row, column, best.radius, k)
        radius = np.minimum(best.radius, best.reach(kth_in_row(row, distance, k, n), np.arange(n)))
        limit = np.nextafter((radius**2 - above).astype(np.float32), np.float32(np.inf))
        far = bounds > limit[:, None]  # false for nan: what has no bound is looked at
        row, column = _where(np.logical_not(far, out=far))
        for part in range(0, row.size, _PAIRS):
            piece = row[part : part + _PAIRS], column[part : part + _PAIRS]
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
    rows = min(_ROWS, max(1, _BOUNDS // min(train, _COLUMNS)))
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
    raise InputError(f"A metric is `euclidean`, a model, or one of tsa.distances; got {metric!r}.")


@dataclass(frozen=True, eq=False)
class _Best:
    """The k nearest so far of each query: (n, k) each, nearest first; `rounding` (n,) is what is left of zero."""

    index: Array
    distance: Array
    rounding: Array

    @classmethod
    def empty(cls, queries: Any, k: int) -> "_Best":
        n = len(queries.square)
        return cls(np.full((n, k), _NOBODY), np.full((n, k), np.inf), _ROUNDING * np.sqrt(queries.square))

    def reach(self, distance: Array, row: Array) -> Array:
        """How far the same distance goes, for queries `row`."""
        return np.asarray(distance * (1 + _TIE) + self.rounding[row])

    @property
    def radius(self) -> Array:
        """What a distance must not exceed to matter."""
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

        As the first, not as the one before: a chain of small steps leads anywhere.
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


def counted(labels: Array, classes: int) -> Array:
    """How many neighbours have each of the labels 0…classes − 1: (n, k) → (n, classes)."""
    return np.asarray((labels[:, :, None] == np.arange(classes)).sum(axis=1))


def elected(labels: Array, counts: Array) -> Array:
    """The label most neighbours (n, k) have; of equals, that of the nearest: (n,)."""
    won = np.take_along_axis(counts, labels, axis=1) == counts.max(axis=1, keepdims=True)
    return np.asarray(labels[np.arange(len(labels)), np.argmax(won, axis=1)])


class NearestClassifier:
    """Nearest neighbours, shaped like a scikit-learn classifier.

    Parameters
    ----------
    metric : as for `nearest`
    n_neighbors : how many vote; of classes with equally many votes the one with the nearest neighbour wins
    """

    def __init__(self, metric: Metric | Torus | Subgroup | str = "euclidean", *, n_neighbors: int = 1) -> None:
        self.metric = metric
        self.n_neighbors = n_neighbors

    def __repr__(self) -> str:
        return f"NearestClassifier({self.metric!r}, n_neighbors={self.n_neighbors})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the constructor."""
        return {"metric": self.metric, "n_neighbors": self.n_neighbors}

    def set_params(self, **params: Any) -> "NearestClassifier":
        """Change parameters; returns self."""
        for name, value in params.items():
            if name not in self.get_params():
                raise InputError(f"NearestClassifier has no parameter {name!r}; it has metric and n_neighbors.")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        tags = {"target_tags": TargetTags(required=True), "input_tags": InputTags(), "transformer_tags": None}
        return Tags(estimator_type="classifier", classifier_tags=ClassifierTags(), **tags)

    def fit(self, X: ArrayLike, y: ArrayLike) -> "NearestClassifier":
        """Remember patches (n, D) and their labels (n,); returns self."""
        labels = np.asarray(y)
        self.neighbours_ = Neighbours(X, self.metric)
        if labels.shape != self.neighbours_.shape[:1]:
            raise ShapeError(f"{self.neighbours_.shape[0]} patches need as many labels; got shape {labels.shape}.")
        self.classes_, self.labels_ = np.unique(labels, return_inverse=True)
        self.n_features_in_ = self.neighbours_.shape[1]
        return self

    def predict_proba(self, X: ArrayLike) -> Array:
        """The share of each class among the neighbours: (n, classes)."""
        return counted(self._neighbouring_labels(X), len(self.classes_)) / self.n_neighbors

    def predict(self, X: ArrayLike) -> Array:
        """The class most neighbours have."""
        labels = self._neighbouring_labels(X)
        return self.classes_[elected(labels, counted(labels, len(self.classes_)))]

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """The share of patches given their own label."""
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def _neighbouring_labels(self, X: ArrayLike) -> Array:
        if not hasattr(self, "neighbours_"):
            raise InputError("This NearestClassifier has not seen anything yet; call fit first.")
        return self.labels_[self.neighbours_.query(X, self.n_neighbors)[0]]
