"""A report on any set of filters under an action: real, complex, overcomplete, orthonormal or not.

Nothing here needs a model. A filter is described by its *weight spectrum*, the share of it that has each weight; the
highest share is its *purity*, and the weight it belongs to is the filter's weight.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from tsa._base import Array, InputError, ProgressCallback, ShapeError, checks, split_progress
from tsa.analysis.filter_sets._relatives import Relations, Relatives
from tsa.analysis.filter_sets._span import MIN_SPANNED, Cell, span_map, span_of
from tsa.analysis.filter_sets._weight_spaces import WeightSpaces, weight_spaces
from tsa.analysis.spectra import frequencies
from tsa.groups import Action, LatticeAction, as_lattice_action
from tsa.model import Weights, lattice_points

MAX_FILTERS = 16384
_DEAD_LENGTH = 0.01  # of the median filter: shorter ones are dead
_DEAD_INSIDE = 0.01  # share of a filter within the pixels that the action moves: with less it is dead
_REAL_COSINE = 1 - 1e-6  # of a filter and its conjugate, from which it is real up to phase
PURE = 0.8  # of what the pixels allow


@dataclass(frozen=True, eq=False)
class FilterReport:
    """What an action says about n filters of D pixels, each on its own and all together.

    Of each filter (n,): `weights`, signed for complex filters, with the purity as confidence; `purity`, the share of
    its energy *inside* the pixels that the action moves that has this weight (for real filters ±ω); `ceiling`, the
    largest purity the pixels allow; `mirrored`, the share of a complex filter at −ω; `inside`, the share of its energy
    inside; `phase` of its response to a fixed patch: a ray to the right for rotations, else an impulse at the first
    pixel; `effective_weights`, how many weights its spectrum is spread over (1 / Σ share²); `length`; `dead`; `real`;
    `relatives`. `claimed` are weights that came with the filters.

    >>> report = tsa.inspect(np.fft.fft(np.eye(8))[:, 1:4], tsa.groups.CyclicShift(8))
    >>> str(report.weights), report.rank
    ('1x1 + 1x2 + 1x3', 6)
    """

    filters: Array  # (D, n), complex or real
    action: LatticeAction
    heights: Array  # (n, lattice) float32, shares of the part inside
    weights: Weights
    purity: Array
    ceiling: Array
    mirrored: Array
    inside: Array
    phase: Array
    effective_weights: Array
    length: Array
    dead: Array
    real: Array
    relatives: Relatives
    cells: tuple[Cell, ...]
    singular_values: Array
    span: Array  # (D, rank) orthonormal
    claimed: Weights | None = None

    @property
    def relative_purity(self) -> Array:
        """Purity as a share of what the pixels allow."""
        return np.minimum(self.purity / self.ceiling, 1.0)

    @property
    def rank(self) -> int:
        """The number of real dimensions that the set spans; directions below 1 % of the strongest do not count."""
        return int(self.span.shape[1])

    @property
    def condition(self) -> float:
        """The largest singular value of the unit filters over the smallest that counts."""
        kept = self.singular_values[: self.rank]
        return float(kept[0] / kept[-1]) if kept.size else np.inf

    @property
    def holes(self) -> tuple[Cell, ...]:
        """The irreducibles of which less than half is spanned."""
        return tuple(cell for cell in self.cells if cell.hole)

    @property
    def pairs(self) -> int:
        """The number of quadrature pairs, copies aside."""
        return int(np.sum((self.relatives.partner >= 0) & (self.relatives.original < 0))) // 2

    @cached_property
    def agrees(self) -> Array | None:
        """Which filters have the weight that was claimed for them, up to sign if they are real; None without claims."""
        if self.claimed is None:
            return None
        return np.asarray((self.claimed.folded.values == self.weights.folded.values).all(axis=1))

    def above(self, purity: float) -> tuple[int, int]:
        """The number of filters purer than this, and of weights ±ω among them.

        >>> report = tsa.inspect(np.fft.fft(np.eye(8))[:, 1:4], tsa.groups.CyclicShift(8))
        >>> report.above(0.9)
        (3, 3)
        """
        pure = (self.purity > purity) & ~self.dead
        return int(pure.sum()), len(np.unique(self.weights.folded.values[pure], axis=0))

    def distinct(self) -> Array:
        """Indices of filters that are neither dead nor copies of others.

        >>> report = tsa.inspect(np.ones((8, 2)), tsa.groups.CyclicShift(8))  # one filter twice
        >>> report.distinct()
        array([0])
        """
        return np.flatnonzero(~self.dead & (self.relatives.original < 0))

    def order(self) -> Array:
        """Indices by |ω|, then purest first; dead filters last.

        >>> report = tsa.inspect(np.fft.fft(np.eye(8))[:, [3, 1, 2]], tsa.groups.CyclicShift(8))
        >>> report.order()
        array([1, 2, 0])
        """
        folded = self.weights.folded.values
        return np.lexsort((-self.purity, *folded.T[::-1], np.square(folded).sum(axis=1), self.dead))

    def table(self) -> list[dict[str, object]]:
        """One row for each filter, by |ω|. Filters are counted from 1, as everywhere people see them.

        >>> report = tsa.inspect(np.fft.fft(np.eye(8))[:, 1:4], tsa.groups.CyclicShift(8))
        >>> [row["weight"] for row in report.table()]
        [-1, -2, -3]
        """
        weights = list(self.weights)
        relatives = self.relatives
        rows: list[dict[str, object]] = []
        for j in self.order().tolist():
            row: dict[str, object] = {
                "filter": j + 1,
                "weight": weights[j],
                "purity": float(self.purity[j]),
                "of what pixels allow": float(self.relative_purity[j]),
                "at −ω": float(self.mirrored[j]),
                "weights in effect": float(self.effective_weights[j]),
                "inside": float(self.inside[j]),
                "phase (°)": float(np.degrees(self.phase[j])),
                "partner": int(relatives.partner[j]) + 1 or None,
                "quadrature": float(relatives.quadrature[j]) if relatives.partner[j] >= 0 else None,
                "copy of": int(relatives.original[j]) + 1 or None,
                "dead": bool(self.dead[j]),
                "length": float(self.length[j]),
            }
            if self.claimed is not None and self.agrees is not None:
                row |= {"claimed weight": list(self.claimed)[j], "claim holds": bool(self.agrees[j])}
            rows.append(row)
        return rows

    def summary(self) -> dict[str, tuple[str | float, str]]:
        """Name → (value, what it means), in the order of the report.

        >>> report = tsa.inspect(np.fft.fft(np.eye(8))[:, 1:4], tsa.groups.CyclicShift(8))
        >>> list(report.summary())[:2]
        ['filters', 'purity']
        """
        n, relatives = len(self.purity), self.relatives
        live = ~self.dead
        kinds = [f"{int(np.sum(self.real))} real", f"{int(np.sum(~self.real))} complex"]
        pure = [f"{self.above(limit)[0]} above {limit}" for limit in (0.9, 0.8, 0.5)]
        weights = [f"{self.above(limit)[1]} above {limit}" for limit in (0.9, 0.8, 0.5)]
        possible = len(np.unique(Weights(self.action.characters).folded.values, axis=0))
        rows: dict[str, tuple[str | float, str]] = {
            "filters": (
                f"{n} of {self.filters.shape[0]} pixels ({', '.join(k for k in kinds if k[0] != '0')})",
                "Any number, orthonormal or not.",
            ),
            "purity": (f"{', '.join(pure)}, of {n}", "Filters of which so much of what turns has one weight."),
            "weights": (f"{', '.join(weights)}, of {possible}", "Different |ω| among these filters."),
            "mean purity": (
                float(self.purity[live].mean()) if live.any() else 0.0,
                "Mean over filters, dead ones aside.",
            ),
            "mean relative purity": (
                float(self.relative_purity[live].mean()) if live.any() else 0.0,
                "Relative to the purest filter that the pixels allow; 1 is ideal.",
            ),
            "energy inside": (
                float(self.inside[live].mean()) if live.any() else 0.0,
                "Mean share of a filter within the pixels that the action moves.",
            ),
            "quadrature pairs": (
                float(self.pairs),
                "Real filters in one plane, 90° apart: together one complex filter.",
            ),
            "copies": (float(np.sum(relatives.original >= 0)), "Filters equal to a purer one up to phase."),
            "dead": (float(self.dead.sum()), "Filters that are zero, or outside the pixels that move."),
            "span": (
                f"{self.rank} of {self.action.support.size} dimensions",
                "Directions held at more than 1 % of the strongest.",
            ),
            "condition": (self.condition, "Largest singular value of the unit filters over the smallest that counts."),
        }
        if self.cells:
            rows["holes"] = (
                f"{len(self.holes)} of {len(self.cells)} irreducibles",
                "Weights and orders of which the set spans less than half.",
            )
            rows["held by pure filters"] = (
                f"{sum(cell.held >= MIN_SPANNED for cell in self.cells)} of {len(self.cells)} irreducibles",
                f"Half or more of them is spanned by filters of their own weight, {PURE:.0%} pure or more.",
            )
        if self.agrees is not None:
            rows["claims"] = (f"{int(self.agrees.sum())} of {n} hold", "Weights in the file that the action confirms.")
        return rows


def report_filters(
    filters: ArrayLike,
    action: Action,
    *,
    claimed: ArrayLike | Weights | None = None,
    on_progress: ProgressCallback | None = None,
) -> FilterReport:
    """Report on filters (D, n), real or complex, in any number; `claimed` weights (n,) or (n, p) are compared."""
    action = as_lattice_action(action)
    numbers = checks.complex_ if np.iscomplexobj(filters) else checks.real
    array = checks.finite(numbers(filters, "filters"), "filters")
    if array.ndim != 2 or array.shape[0] != action.dimension:
        raise ShapeError(f"Filters of {action} are (D, n) with D = {action.dimension} pixels; got {array.shape}.")
    n = array.shape[1]
    if not 1 <= n <= MAX_FILTERS:
        raise InputError(f"A report is on 1 to {MAX_FILTERS:,} filters; got {n}.")
    told = None if claimed is None else claimed if isinstance(claimed, Weights) else Weights(claimed)
    if told is not None and (len(told) != n or told.parameters != action.parameters):
        raise ShapeError(f"{n} filters under {action} have as many weights of {action.parameters} numbers.")
    with threadpool_limits(1, "blas"):  # the products are small: threads would wait for each other
        return _report(array, action, told, on_progress)


def mean_purity(filters: Array, action: LatticeAction) -> float:
    """The mean purity of filters (D, n) inside the pixels that the action moves; zero filters are left out."""
    filters = filters / (np.abs(filters).max(initial=0.0) or 1.0)  # so that squares do not overflow
    within = np.linalg.norm(filters[action.support], axis=0)
    if not within.any():
        return 0.0
    unit = np.zeros(filters.shape, np.complex64 if np.iscomplexobj(filters) else np.float32)
    unit[action.support] = filters[action.support] / np.where(within > 0, within, 1.0)
    unit = unit[:, within > 0]
    with threadpool_limits(1, "blas"):
        return float(_dominant(weight_spaces(action).spectra(unit), action, _real(unit))[1].mean())


def _real(unit: Array) -> Array:
    """Which unit filters are real up to phase."""
    if not np.iscomplexobj(unit):
        return np.ones(unit.shape[1], bool)
    return np.asarray(np.abs(np.einsum("dj,dj->j", unit, unit)) > _REAL_COSINE)


def _report(
    filters: Array, action: LatticeAction, claimed: Weights | None, on_progress: ProgressCallback | None
) -> FilterReport:
    weighing, relating, mapping = split_progress(on_progress, 4, 2, 1)
    spaces = weight_spaces(action)
    scale = float(np.abs(filters).max(initial=0.0)) or 1.0
    scaled = (filters / scale).astype(np.complex64 if np.iscomplexobj(filters) else np.float32)
    length = np.linalg.norm(scaled, axis=0)
    within = np.linalg.norm(scaled[action.support], axis=0)
    inside = np.square(within) / np.maximum(np.square(length), 1e-30)
    typical = float(np.median(length[length > 0])) if length.any() else 1.0
    dead = (length < _DEAD_LENGTH * typical) | (inside < _DEAD_INSIDE)
    unit = np.zeros_like(scaled)
    unit[action.support] = scaled[action.support] / np.where(within > 0, within, 1.0)
    unit[action.support[0], within == 0] = 1.0  # never looked at; it keeps zeros out of the quotients
    real = _real(unit)
    heights = spaces.spectra(unit, weighing)
    weights, purity, mirrored = _dominant(heights, action, real)
    shares = np.clip(heights, 0.0, None)
    spread = np.square(shares.sum(axis=1)) / np.maximum(np.square(shares).sum(axis=1), 1e-30)
    ceiling = _ceiling(weights, spaces)
    relatives, phase = _relate(unit, weights, purity / ceiling, real, dead, spaces, relating)
    basis, singular = span_of(unit[:, ~dead], action)
    live = np.flatnonzero(~dead)
    pure = live[purity[live] >= PURE * ceiling[live]]
    cells = span_map(basis, unit[:, pure], Weights(weights.folded.values[pure]), spaces)
    mapping(1.0)
    frozen = {name: checks.frozen(np.asarray(value)) for name, value in (
        ("heights", heights), ("purity", purity), ("ceiling", ceiling), ("mirrored", mirrored), ("inside", inside),
        ("phase", phase), ("effective_weights", spread), ("length", scale * length.astype(np.float64)), ("dead", dead),
        ("real", real),
        ("singular_values", singular), ("span", basis), ("filters", filters.copy()),
    )}  # fmt: skip
    return FilterReport(action=action, weights=weights, relatives=relatives, cells=cells, claimed=claimed, **frozen)


def unit_filters(report: FilterReport, members: ArrayLike) -> Array:
    """Some filters of a set (D, m), as they were but of length 1; zero filters stay zero."""
    some = report.filters[:, np.asarray(members, np.int64)]
    largest = np.abs(some).max(axis=0, initial=0.0)
    some = some / np.where(largest > 0, largest, 1.0)
    return np.asarray(some / np.maximum(np.linalg.norm(some, axis=0), 1e-30))


def oriented(filters: Array, negated: Array, real: Array) -> Array:
    """What P_k acts on, for filters (D, n) of weight k, or −k if `negated`; those real up to phase are made real."""
    if not np.iscomplexobj(filters):
        return filters
    straight = (filters * np.exp(-0.5j * np.angle(np.einsum("dj,dj->j", filters, filters)))).real
    return np.where(real, straight, np.where(negated, filters, filters.conj()))


def _opposite(action: LatticeAction) -> Array:
    """The place of −ω for each place in a spectrum."""
    shape = action.lattice_shape
    return np.ravel_multi_index(tuple(np.mod(-lattice_points(shape), shape).T), shape)


def _dominant(heights: Array, action: LatticeAction, real: Array) -> tuple[Weights, Array, Array]:
    """Weight with purity as confidence, purity, and for complex filters the share at −ω: each of n filters."""
    opposite = _opposite(action)
    own = opposite == np.arange(len(opposite))
    known = frequencies(action)
    best = np.empty(len(heights), np.int64)
    purity, mirrored = np.empty(len(heights)), np.zeros(len(heights))
    for start in range(0, len(heights), 512):
        rows = slice(start, start + 512)
        part = heights[rows]
        both = part + np.where(own, 0.0, part[:, opposite])
        seen = np.where(real[rows, None], both, part)
        best[rows] = seen.argmax(axis=1)
        index = np.arange(len(part))
        purity[rows] = np.clip(seen[index, best[rows]], 0.0, 1.0)
        other = part[index, opposite[best[rows]]]
        mirrored[rows] = np.where(real[rows] | own[best[rows]], 0.0, np.clip(other, 0.0, 1.0))
    values = Weights(known[best])
    # A real filter has ±ω alike: the folded one is named.
    signed = np.where(real[:, None], values.folded.values, values.values)
    return Weights(signed, purity), purity, mirrored


def _ceiling(weights: Weights, spaces: WeightSpaces) -> Array:
    folded, place = np.unique(weights.folded.values, axis=0, return_inverse=True)
    return np.maximum(spaces.ceiling(folded)[place.ravel()], 1e-6)


def _relate(
    unit: Array,
    weights: Weights,
    purity: Array,
    real: Array,
    dead: Array,
    spaces: WeightSpaces,
    on_progress: ProgressCallback,
) -> tuple[Relatives, Array]:
    """Relatives, and the phase of each filter, one weight space after another."""
    relations, phase = Relations(len(purity)), np.zeros(len(purity))
    groups = Weights(weights.folded.values).spaces()
    for done, members in enumerate(groups.values(), 1):
        members = members[~dead[members]]
        members = members[np.argsort(-purity[members], kind="stable")]
        if members.size:
            weight = weights.folded.values[members[0]]
            own = oriented(unit[:, members], weights.negated[members], real[members])
            parts = spaces.coordinates(weight, own)
            phase[members] = np.angle(spaces.reference(weight).conj() @ parts)
            line = spaces.action.is_real(weight)
            relations.add(members, unit[:, members], parts, purity[members], real[members], line)
        on_progress(done / len(groups))
    return relations.found(), phase
