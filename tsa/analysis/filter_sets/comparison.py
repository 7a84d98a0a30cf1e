"""Any number of filter sets side by side: what each is, which filters match, and what one spans and another does not.

Sets are compared where they act on the same patches under the same action: weight by weight, through the parts of their
filters that have the weight. Only filters that are pure enough speak for a weight.
"""

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from tsa._base import Array, InputError, ShapeError
from tsa.analysis.filter_sets._span import span_of
from tsa.analysis.filter_sets._weight_spaces import WeightSpaces, weight_spaces
from tsa.analysis.filter_sets.report import PURE, FilterReport, oriented, unit_filters
from tsa.model import Weight

_CHUNK_FILTERS = 1024


@dataclass(frozen=True)
class SharedWeight:
    """One |ω| in several sets: pure filters and real dimensions of their span in each.

    `common` are the dimensions that each set shares with the first; `only` those that it has and the first has not.
    """

    weight: Weight
    filters: tuple[int, ...]
    dimensions: tuple[int, ...]
    common: tuple[float, ...]
    only: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class SetComparison:
    """Reports on several sets, by name; `weights` is empty, and `trouble` says why, if they have different patches."""

    reports: dict[str, FilterReport]
    weights: tuple[SharedWeight, ...]
    trouble: str

    def table(self) -> list[dict[str, object]]:
        """One row for each set: what a paper would quote."""
        rows: list[dict[str, object]] = []
        for name, report in self.reports.items():
            live = ~report.dead
            rows.append(
                {
                    "set": name,
                    "filters": len(report.purity),
                    "pixels": report.action.dimension,
                    "group": report.action.words,
                    "purity > 0.9": report.above(0.9)[0],
                    "purity > 0.8": report.above(0.8)[0],
                    "weights > 0.9": report.above(0.9)[1],
                    "weights > 0.8": report.above(0.8)[1],
                    "mean purity": float(report.purity[live].mean()) if live.any() else 0.0,
                    "mean relative purity": float(report.relative_purity[live].mean()) if live.any() else 0.0,
                    "dimensions": report.rank,
                    "condition": report.condition,
                    "irreducibles held": sum(cell.held >= 0.5 for cell in report.cells),
                    "irreducibles": len(report.cells),
                    "quadrature pairs": report.pairs,
                    "copies": int(np.sum(report.relatives.original >= 0)),
                    "dead": int(report.dead.sum()),
                }
            )
        return rows

    def weights_table(self) -> list[dict[str, object]]:
        """One row for each weight: filters and dimensions of every set, and what it shares with the first."""
        names = list(self.reports)
        rows: list[dict[str, object]] = []
        for shared in self.weights:
            row: dict[str, object] = {"weight": shared.weight}
            for i, name in enumerate(names):
                row |= {f"{name}: filters": shared.filters[i], f"{name}: dimensions": shared.dimensions[i]}
                if i:
                    row |= {f"{name}: in {names[0]}": shared.common[i], f"{name}: not in {names[0]}": shared.only[i]}
            rows.append(row)
        return rows


def compare_sets(reports: dict[str, FilterReport]) -> SetComparison:
    """Compare the sets of these reports, the first with each of the others."""
    if not reports:
        raise InputError("At least one set of filters is needed for a table.")
    trouble = _trouble(reports)
    if trouble:
        return SetComparison(dict(reports), (), trouble)
    all_pure = [np.flatnonzero(~r.dead & (r.relative_purity >= PURE)) for r in reports.values()]
    spaces: list[dict[Weight, Array]] = []
    for report, pure in zip(reports.values(), all_pure, strict=True):
        folded = report.weights.folded
        members = folded.spaces()
        spaces.append({weight: pure[np.isin(pure, j)] for weight, j in members.items()})
    weights = sorted({w for space in spaces for w, j in space.items() if j.size}, key=lambda w: (np.square(w).sum(), w))
    rows = []
    for weight in weights:
        own = [space.get(weight, np.empty(0, np.int64)) for space in spaces]
        bases = [_basis(report, j) for report, j in zip(reports.values(), own, strict=True)]
        common = [float(np.square(bases[0].T @ basis).sum()) for basis in bases]
        sizes = [basis.shape[1] for basis in bases]
        rows.append(
            SharedWeight(
                weight,
                tuple(int(j.size) for j in own),
                tuple(sizes),
                tuple(common),
                tuple(max(0.0, size - shared) for size, shared in zip(sizes, common, strict=True)),
            )
        )
    return SetComparison(dict(reports), tuple(rows), "")


def _trouble(reports: dict[str, FilterReport]) -> str:
    first, *others = reports.values()
    for name, report in zip(list(reports)[1:], others, strict=True):
        if repr(report.action) != repr(first.action):
            return (
                f"{name} is under {report.action.words}, {next(iter(reports))} under {first.action.words}: "
                "their weights are not compared."
            )
    return ""


def _basis(report: FilterReport, members: Array) -> Array:
    """Orthonormal columns of the span of some filters."""
    if not members.size:
        return np.zeros((report.action.dimension, 0))
    return span_of(unit_filters(report, members), report.action)[0]


def nearest_in(report: FilterReport, other: FilterReport) -> tuple[Array, Array]:
    """For each filter of a set, the one of another set that is closest to it up to phase, and the cosine: (n,), (n,).

    Compared are the parts that have the filter's weight, times the roots of both purities; −1 where nothing has it.
    """
    if repr(report.action) != repr(other.action):
        raise ShapeError(f"Filters are compared under one action; got {report.action!r} and {other.action!r}.")
    spaces = weight_spaces(report.action)
    nearest, cosine = np.full(len(report.purity), -1), np.zeros(len(report.purity))
    theirs = other.weights.folded.spaces()
    with threadpool_limits(1, "blas"):
        for weight, members in report.weights.folded.spaces().items():
            mine, yours = members[~report.dead[members]], theirs.get(weight, np.empty(0, np.int64))
            yours = yours[~other.dead[yours]]
            if not mine.size or not yours.size:
                continue
            value = report.weights.folded.values[mine[0]]
            theirs_parts = _parts(other, yours, value, spaces)
            for start in range(0, len(mine), _CHUNK_FILTERS):
                some = mine[start : start + _CHUNK_FILTERS]
                overlap = np.abs(_parts(report, some, value, spaces).conj().T @ theirs_parts)
                best = overlap.argmax(axis=1)
                nearest[some], cosine[some] = yours[best], np.minimum(overlap[np.arange(len(some)), best], 1.0)
    return nearest, cosine


def _parts(report: FilterReport, members: Array, weight: Array, spaces: WeightSpaces) -> Array:
    """Coordinates of the parts of some filters that have this weight, each as long as the root of its purity."""
    own = oriented(unit_filters(report, members), report.weights.negated[members], report.real[members])
    parts = spaces.coordinates(weight, own)
    length = np.linalg.norm(parts, axis=0)
    return np.asarray(parts / np.where(length > 0, length, 1.0) * np.sqrt(report.relative_purity[members]))
