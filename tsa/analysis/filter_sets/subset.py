"""From any set of filters to a model: whole planes of the set itself, or the irreducible refinement of its span.

A subset consists of filters of the set: a complex filter, a real filter with its quadrature partner, or a line. They
are chosen one by one, each the one that adds most of the energy of given patches to what is already spanned, and at the
end made orthonormal together.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from tsa._base import Array, InputError, ProgressCallback, checks
from tsa.analysis.filter_sets.report import FilterReport, unit_filters
from tsa.analysis.refinement import refine
from tsa.model import Subgroup, Torus, complex_filters, nearest_orthonormal

_MIN_PURITY = 0.6  # of what the pixels allow
_MIN_FLATNESS = 0.2  # of a plane: the least ratio of its two parts
_MIN_NEW = 0.5  # least singular value of what a plane adds to those chosen before it


@dataclass(frozen=True, eq=False)
class FilterModel:
    """A model made from a set of filters, with what was left out and what that costs.

    `chosen` are indices of filters of the set, two for each plane of real filters; empty for a refinement. `left_out`
    says why for every other filter.

    >>> report = tsa.inspect(np.fft.fft(np.eye(8))[:, 1:4], tsa.groups.CyclicShift(8))
    >>> made = tsa.orthonormal_subset(report)
    >>> str(made.model.irreps)
    '1x1 + 1x2 + 1x3'
    """

    model: Subgroup
    report: FilterReport
    chosen: tuple[tuple[int, ...], ...]
    left_out: dict[int, str]

    def features(self) -> Array:
        """The chosen filters as they were in the set, complex (D, J) of equal length: |z|² is comparable among them.

        >>> report = tsa.inspect(np.fft.fft(np.eye(8))[:, 1:4], tsa.groups.CyclicShift(8))
        >>> tsa.orthonormal_subset(report).features().shape
        (8, 3)
        """
        return complex_features(self.report, self.chosen)

    def summary(self) -> str:
        """One sentence: how many filters of the set are in the model, and why the others are not.

        >>> report = tsa.inspect(np.fft.fft(np.eye(8))[:, 1:4], tsa.groups.CyclicShift(8))
        >>> print(tsa.orthonormal_subset(report).summary())
        3 of 3 filters are in the model.
        """
        if not self.chosen:
            return f"The irreducible refinement of the span of {len(self.report.purity)} filters: {self.model.irreps}."
        used = sum(map(len, self.chosen))
        reasons: dict[str, int] = {}
        for why in self.left_out.values():
            reasons[why] = reasons.get(why, 0) + 1
        rest = "; ".join(f"{count} {why}" for why, count in sorted(reasons.items(), key=lambda item: -item[1]))
        return f"{used} of {len(self.report.purity)} filters are in the model" + (
            f"; left out: {rest}." if rest else "."
        )


def orthonormal_subset(
    report: FilterReport,
    count: int | None = None,
    patches: ArrayLike | None = None,
    min_purity: float = _MIN_PURITY,
    noise: float = 1.0,
) -> FilterModel:
    """The best orthonormal subset of a set: up to `count` whole planes and lines, most energy of patches (n, D) kept.

    Without patches, white noise on the pixels that the action moves, for which every direction counts the same.
    `min_purity` is that of a filter, or of a pair, relative to what the pixels allow.

    >>> report = tsa.inspect(np.fft.fft(np.eye(8))[:, 1:4], tsa.groups.CyclicShift(8))
    >>> str(tsa.orthonormal_subset(report).model.irreps)
    '1x1 + 1x2 + 1x3'
    """
    action = report.action
    covariance = None  # that of white noise: candidates are zero outside the pixels that the action moves
    if patches is not None:
        x = checks.rows(patches, "patches").astype(np.float64)
        if x.shape[1] != action.dimension:
            raise InputError(f"Patches of {action} have {action.dimension} pixels; got {x.shape[1]}.")
        covariance = x.T @ x / len(x)
    candidates, left_out = _candidates(report, min_purity)
    if not candidates:
        raise InputError(
            f"No filter of this set has a purity of {min_purity:.2f} of what the pixels allow; the purest has "
            f"{report.relative_purity.max(initial=0.0):.2f}. Lower min_purity, or refine the span."
        )
    with threadpool_limits(1, "blas"):
        picked = _greedy([columns for _, columns in candidates], covariance, count)
        columns = [candidates[i][1] for i in picked]
        together = nearest_orthonormal(np.concatenate(columns, axis=1))
    filters = complex_filters(together, [c.shape[1] == 2 for c in columns])
    chosen = tuple(candidates[i][0] for i in picked)
    used = {j for members in chosen for j in members}
    for members, _ in candidates:
        for j in members:
            if j not in used:
                left_out[j] = "almost within the span of those chosen" if count is None else "of less energy"
    weights = report.weights.values[[members[0] for members in chosen]]
    return FilterModel(Subgroup(filters, weights, noise), report, chosen, left_out)


def refined_span(report: FilterReport, noise: float = 1.0, on_progress: ProgressCallback | None = None) -> FilterModel:
    """The irreducible refinement of the span of a set: every plane or line of one weight of which it holds half.

    >>> report = tsa.inspect(np.fft.fft(np.eye(8))[:, 1:4], tsa.groups.CyclicShift(8))
    >>> str(tsa.refined_span(report).model.irreps)
    '1x1 + 1x2 + 1x3'
    """
    columns = report.span
    if not columns.shape[1]:
        raise InputError("These filters span nothing: all of them are zero, or outside the pixels that move.")
    lines = np.zeros(columns.shape[1], bool)
    model = refine(Torus(complex_filters(columns, lines), noise), report.action, on_progress)
    return FilterModel(model, report, (), {})


def _candidates(report: FilterReport, min_purity: float) -> tuple[list[tuple[tuple[int, ...], Array]], dict[int, str]]:
    """Planes and lines that may be chosen: (filters, orthonormal real columns); and why the others may not."""
    found: list[tuple[tuple[int, ...], Array]] = []
    left_out: dict[int, str] = {}
    relatives, action = report.relatives, report.action
    unit = unit_filters(report, np.arange(len(report.purity)))
    inside = np.zeros(unit.shape, unit.dtype)
    inside[action.support] = unit[action.support]
    for j in range(len(report.purity)):
        partner = int(relatives.partner[j])
        line = action.is_real(report.weights.folded.values[j])
        if report.dead[j]:
            left_out[j] = "dead"
        elif relatives.original[j] >= 0:
            left_out[j] = "copies"
        elif report.relative_purity[j] < min_purity:
            left_out[j] = "not pure enough"
        elif line and report.real[j]:
            found.append(((j,), _columns(inside[:, [j]])))
        elif not report.real[j]:
            found.append(((j,), _columns(np.stack([inside[:, j].real, inside[:, j].imag], axis=1))))
        elif partner < 0 or relatives.original[partner] >= 0 or report.relative_purity[partner] < min_purity:
            left_out[j] = "real without a quadrature partner"
        elif j < partner:
            found.append(((j, partner), _columns(_oriented(report, inside, j, partner))))
    return found, left_out


def _columns(columns: Array) -> Array:
    """The nearest orthonormal columns; the line of two that are almost one (a complex filter of weight 0)."""
    if np.iscomplexobj(columns):  # real up to phase
        columns = (columns * np.exp(-0.5j * np.angle((columns * columns).sum(axis=0)))).real
    u, s, v = np.linalg.svd(columns.astype(np.float64), full_matrices=False)
    return np.asarray(u[:, :1] if s[-1] < _MIN_FLATNESS * s[0] else u @ v)


def _oriented(report: FilterReport, inside: Array, j: int, partner: int) -> Array:
    """A pair as real and imaginary part of a filter that turns as its weight says, not the other way round."""
    columns = np.concatenate([_columns(inside[:, [k]]) for k in (j, partner)], axis=1)
    ahead = np.sin(report.phase[partner] - report.phase[j])
    return columns * np.array([1.0, 1.0 if ahead > 0 else -1.0])


def _greedy(planes: list[Array], covariance: Array | None, count: int | None) -> list[int]:
    """Indices of planes, each adding most energy to those before, as long as what it adds is a whole plane.

    Without a covariance (D, D) every direction has the same energy.
    """
    width = max(plane.shape[1] for plane in planes)
    rest = np.zeros((len(planes), width, len(planes[0])))
    for i, plane in enumerate(planes):
        rest[i, : plane.shape[1]] = plane.T
    sizes = np.array([plane.shape[1] for plane in planes])
    open_, picked = np.ones(len(planes), bool), list[int]()
    weighted = rest if covariance is None else rest @ covariance
    while open_.any() and (count is None or len(picked) < count):
        # Energy of the residual plane: trace of (R Rᵀ)⁻¹ R C Rᵀ.
        gram = np.einsum("iad,ibd->iab", rest, rest)
        energy = np.einsum("iad,ibd->iab", weighted, rest)
        smallest, gain = _plane_gain(gram, energy, sizes)
        open_ &= smallest > _MIN_NEW**2
        if not open_.any():
            break
        best = int(np.argmax(np.where(open_, gain, -1.0)))
        picked.append(best)
        open_[best] = False
        basis = np.linalg.qr(rest[best, : sizes[best]].T)[0]
        along = rest @ basis
        rest -= along @ basis.T
        if covariance is not None:
            weighted -= along @ (basis.T @ covariance)
    return picked


def _plane_gain(gram: Array, energy: Array, sizes: Array) -> tuple[Array, Array]:
    """Least eigenvalue of each Gram matrix, and the energy within each residual plane or line."""
    if gram.shape[1] == 1:
        return gram[:, 0, 0], energy[:, 0, 0] / np.maximum(gram[:, 0, 0], 1e-12)
    a, b, c = gram[:, 0, 0], gram[:, 0, 1], gram[:, 1, 1]
    determinant = a * c - b * b
    smallest = np.where(sizes == 2, (a + c) / 2 - np.sqrt(((a - c) / 2) ** 2 + b * b), a)
    crossed = energy[:, 0, 1] + energy[:, 1, 0]
    plane = (c * energy[:, 0, 0] - b * crossed + a * energy[:, 1, 1]) / np.maximum(determinant, 1e-12)
    return smallest, np.where(sizes == 2, plane, energy[:, 0, 0] / np.maximum(a, 1e-12))


def complex_features(report: FilterReport, members: Iterable[tuple[int, ...]]) -> Array:
    """Complex filters (D, J) of unit length from filters of a set: one each, or two real ones as a quadrature pair."""
    pairs = [(first, rest[0] if rest else -1) for first, *rest in members]
    first, partner = np.array(pairs, np.int64).reshape(-1, 2).T
    unit = unit_filters(report, np.arange(len(report.purity)))
    features = unit[:, first].astype(np.complex128)
    paired = np.flatnonzero(partner >= 0)
    a, b = first[paired], partner[paired]
    ahead = np.where(np.sin(report.phase[b] - report.phase[a]) > 0, 1j, -1j)
    features[:, paired] = (unit[:, a] + ahead * unit[:, b]) / np.sqrt(2)
    return features
