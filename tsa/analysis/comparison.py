"""Whether two models are the same representation, whatever the order, phases and signs of their filters.

A model is W R(ωs) Wᵀ, and that does not change when subspaces are reordered, when a filter gets another phase or is
conjugated together with its weight, or when filters of one weight are mixed by a unitary matrix. Invariant under all of
these is, for each k, the complex span of the f_j with ω_j = k and the conjugates of those with ω_j = −k: the *weight
space*.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from tsa._base import Array, InputError, ShapeError
from tsa.model import Subgroup, Weight, real_columns, weight_name


@dataclass(frozen=True)
class WeightSpace:
    """The subspaces of one |ω| in two models: their number in each, and the number of real dimensions.

    `affinity` is the cosine of the largest principal angle between the real spaces (of the smaller to the larger), 0 if
    one is missing. `agreement` is the same between the complex weight spaces, which also contain the *direction* in
    which every plane turns: two models that turn the same planes in opposite directions have affinity 1, agreement 0.
    """

    weight: Weight
    subspaces: tuple[int, int]
    dimensions: tuple[int, int]
    affinity: float
    agreement: float

    @property
    def of_one_kind(self) -> bool:
        """Whether both models have equally many planes and lines; at weight 0 only the dimensions count."""
        moving = bool(np.any(self.weight))
        return self.dimensions[0] == self.dimensions[1] and (not moving or self.subspaces[0] == self.subspaces[1])


@dataclass(frozen=True)
class Match:
    """A subspace of each model, matched to be shown side by side; `affinity` is the RMS cosine of their angles."""

    weight: Weight
    first: int
    second: int
    affinity: float


@dataclass(frozen=True)
class Comparison:
    """Two models weight by weight, and a pairing of their subspaces; `tolerance` is on 1 − cosine.

    >>> comparison = tsa.compare(tsa.fourier_model(8), tsa.fourier_model(8))
    >>> comparison.same
    True
    """

    spaces: tuple[WeightSpace, ...]
    matches: tuple[Match, ...]
    tolerance: float

    @property
    def differing(self) -> tuple[WeightSpace, ...]:
        """The weights at which the two are not the same."""
        return tuple(s for s in self.spaces if not s.of_one_kind or s.agreement < 1 - self.tolerance)

    @property
    def same(self) -> bool:
        """Whether the two models are one representation."""
        return not self.differing

    @property
    def verdict(self) -> str:
        """One sentence: whether the models are the same representation, and if not, at which weights they differ."""
        if self.same:
            total = sum(space.dimensions[0] for space in self.spaces)
            gap = np.degrees(np.arccos(min(space.agreement for space in self.spaces)))
            return (
                f"The same representation: {_count(self.spaces, 'weight space')}, {total} dimensions in all, "
                f"agree to {max(0.01, gap):.2f}°."
            )
        close = 1 - self.tolerance
        unequal = [s for s in self.differing if not s.of_one_kind]
        apart = [s for s in self.differing if s.of_one_kind and s.affinity < close]
        opposite = [s for s in self.differing if s.of_one_kind and s.affinity >= close]
        reasons = (
            _reason("different multiplicities at", [f"{weight_name(s.weight)} ({_against(s)})" for s in unequal]),
            _reason(
                "different spaces at",
                [f"{weight_name(s.weight)} ({np.degrees(np.arccos(s.affinity)):.0f}° apart)" for s in apart],
            ),
            _reason("the same spaces but opposite directions of turning at", [weight_name(s.weight) for s in opposite]),
        )
        return f"Not the same representation: {'; '.join(reason for reason in reasons if reason)}."

    def table(self) -> list[dict[str, object]]:
        """One row for each weight, the largest differences first.

        >>> tsa.compare(tsa.fourier_model(8), tsa.fourier_model(8)).table()[0]["weight"]
        4
        """
        return [
            {
                "weight": space.weight,
                "subspaces in the first": space.subspaces[0],
                "subspaces in the second": space.subspaces[1],
                "dimensions in the first": space.dimensions[0],
                "dimensions in the second": space.dimensions[1],
                "affinity": space.affinity,
                "agreement": space.agreement,
                "same": space not in self.differing,
            }
            for space in sorted(self.spaces, key=self._severity)
        ]

    def _severity(self, space: WeightSpace) -> tuple[bool, bool, float]:
        """Sorts the largest difference first: unequal multiplicities, then by agreement."""
        return space not in self.differing, space.of_one_kind, space.agreement


def _reason(what: str, weights: list[str]) -> str:
    """`different spaces at 2 weights: 1 (30° apart), 4 (10° apart)`, at most four of them named."""
    if not weights:
        return ""
    more = f" and {len(weights) - 4} more" if len(weights) > 4 else ""
    return f"{what} {_count(weights, 'weight')}: {', '.join(weights[:4])}{more}"


def _count(items: Sequence[object], noun: str) -> str:
    return f"{len(items)} {noun}{'' if len(items) == 1 else 's'}"


def _against(space: WeightSpace) -> str:
    """The numbers of subspaces in the two models, or their dimensions if the numbers are equal."""
    if space.subspaces[0] != space.subspaces[1]:
        return f"{space.subspaces[0]} against {space.subspaces[1]} subspaces"
    return f"{space.dimensions[0]} against {space.dimensions[1]} dimensions"


def compare(a: Subgroup, b: Subgroup, tolerance: float = 1e-3) -> Comparison:
    """Compare two models of the same patches; `tolerance` 0.001 calls spaces within 2.6° the same.

    >>> comparison = tsa.compare(tsa.load("rotation-16-refined"), tsa.load("rotation-16"))
    >>> comparison.same
    False
    """
    for model in (a, b):
        if not isinstance(model, Subgroup):
            raise InputError(f"compare takes two Subgroup models; got {type(model).__name__}.")
    if a.dimension != b.dimension:
        raise ShapeError(f"Models are compared on the same patches; these have {a.dimension} and {b.dimension} pixels.")
    if a.parameters != b.parameters:
        raise ShapeError(
            f"Models are compared if both have one parameter, or equally many; got {a.parameters} and {b.parameters}."
        )
    sides = [model.irreps.spaces() for model in (a, b)]
    spaces, matches = [], []
    for weight in sorted(set(sides[0]) | set(sides[1]), key=lambda w: (np.square(w).sum(), w)):
        members = [side.get(weight, np.empty(0, np.int64)) for side in sides]
        spaces.append(_space(a, b, weight, *members))
        matches += _matches(a, b, weight, *members)
    return Comparison(tuple(spaces), tuple(matches), tolerance)


def _space(a: Subgroup, b: Subgroup, weight: Weight, first: Array, second: Array) -> WeightSpace:
    real = [real_columns(model.filters[:, j]) for model, j in ((a, first), (b, second))]
    turning = [_weight_space(model, j) for model, j in ((a, first), (b, second))]
    return WeightSpace(
        weight,
        (first.size, second.size),
        (real[0].shape[1], real[1].shape[1]),
        _least_cosine(*real),
        _least_cosine(*turning),
    )


def _weight_space(model: Subgroup, members: Array) -> Array:
    """Orthonormal columns of {f_j : ω_j = k} ∪ {conj f_j : ω_j = −k}; a filter of weight 0 enters as both."""
    filters = model.filters[:, members]
    if model.irreps.fixed[members].all():
        return real_columns(filters)
    oriented = np.where(model.irreps.negated[members], filters.conj(), filters)
    return oriented / np.linalg.norm(oriented, axis=0)


def _least_cosine(a: Array, b: Array) -> float:
    """Cosine of the largest principal angle between two spaces given by orthonormal columns."""
    if not a.shape[1] or not b.shape[1]:
        return 0.0
    # Orthonormal in double precision: the cosine of a small angle has only half the digits.
    a, b = (np.linalg.qr(columns.astype(np.complex128))[0] for columns in (a, b))
    return float(min(np.linalg.svd(a.conj().T @ b, compute_uv=False)[-1], 1.0))


def _matches(a: Subgroup, b: Subgroup, weight: Weight, first: Array, second: Array) -> list[Match]:
    """The pairing of subspaces with the largest sum of affinities."""
    if not first.size or not second.size:
        return []
    f, g = a.filters[:, first].astype(np.complex128), b.filters[:, second].astype(np.complex128)
    # The squared entries of the real 2×2 products, summed, over the larger of the two dimensions.
    energy = (np.square(np.abs(f.T @ g)) + np.square(np.abs(f.conj().T @ g))) / 2
    size = np.maximum.outer(2 - a.lines[first], 2 - b.lines[second])
    affinity = np.sqrt(np.minimum(energy / size, 1.0))
    pairs = zip(*linear_sum_assignment(affinity, maximize=True), strict=True)
    return [Match(weight, int(first[i]), int(second[j]), float(affinity[i, j])) for i, j in pairs]
