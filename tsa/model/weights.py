"""The integer weights of J subspaces: folding ±ω, order, pooling into harmonics, phases, printing and parsing.

Subspace j turns by the phase ω_j·s (paper, section 3.3). ω and −ω belong to the same harmonic of the density over s,
with conjugate natural parameters; weight 0 is set aside, because it changes the evidence and never the posterior.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from tsa._base import Array, InputError, ShapeError, checks
from tsa.density import fold

Weight = int | tuple[int, ...]  # one weight: an integer for p = 1, else p of them
_TERM = re.compile(r"(\d+)x(-?\d+|\(-?\d+(?:,-?\d+)+\))")
_MAX_VALUE = 2**31  # of a coordinate: sums of squares stay within int64
_MAX_PARSED = 1_000_000  # subspaces that a text may name


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of J subspaces under a group of p parameters; prints like `7x0 + 6x1 + 5x2` or `2x(0,1) + 1x(1,-1)`.

    `values` is int64 (J, p), read-only; `confidence` (J,) lies between 0 and 1, and is 1 for weights that were given
    rather than estimated. As an array it is (J,) for p = 1 and (J, p) otherwise, which is also what it is made from.
    Two are equal if their values are.

    >>> str(tsa.Weights([1, 0, 2, -2])), str(tsa.Weights([[0, 1], [1, -1]]))
    ('1x0 + 1x1 + 2x2', '1x(0,1) + 1x(1,-1)')
    """

    values: Array
    confidence: Array

    def __init__(self, values: ArrayLike, confidence: ArrayLike | None = None) -> None:
        if isinstance(values, str):
            raise InputError(f"weights are integers; of the text {values!r} they are made by Weights.parse.")
        try:
            array = np.asarray(values)
        except ValueError as error:
            raise ShapeError("weights must be (J,) or (J, p), but their rows have different lengths.") from error
        if array.ndim not in (1, 2) or 0 in array.shape[1:]:
            raise ShapeError(f"weights must have shape (J,), or (J, p) for p parameters; got {array.shape}.")
        if array.dtype.kind not in "biuf" or not np.all(np.isfinite(array)) or np.any(array != np.rint(array)):
            raise InputError(
                "weights must be integers: only then does the group close after one turn (s and s + 2π are the same). "
                f"Got {np.array2string(array.ravel()[:6], precision=3)}…; round them, or scale s."
            )
        if np.any((array > _MAX_VALUE) | (array < -_MAX_VALUE)):
            raise InputError(f"weights lie between ±{_MAX_VALUE:,}; got {array.min():.3g} to {array.max():.3g}.")
        integers = array.astype(np.int64)
        sure = np.ones(len(array)) if confidence is None else checks.real(confidence, "confidence").copy()
        if sure.shape != array.shape[:1]:
            raise ShapeError(f"{len(array)} weights have as many confidences; got shape {sure.shape}.")
        object.__setattr__(self, "values", checks.frozen(integers[:, None] if array.ndim == 1 else integers))
        object.__setattr__(self, "confidence", checks.frozen(sure))

    @classmethod
    def of_dft(cls, shape: tuple[int, ...]) -> "Weights":
        """The frequencies of a real DFT of this shape, one of each conjugate pair, by length; p = len(shape).

        >>> str(tsa.Weights.of_dft((8,)))
        '1x0 + 1x1 + 1x2 + 1x3 + 1x4'
        """
        lattice = lattice_points(shape)
        conjugate = np.ravel_multi_index(tuple(np.mod(-lattice, shape).T), shape)
        weights = lattice[np.arange(len(lattice)) <= conjugate]
        weights = np.where(2 * weights > np.array(shape), weights - shape, weights)
        return cls(weights[np.argsort((weights**2).sum(axis=1), kind="stable")])

    @classmethod
    def parse(cls, text: str) -> "Weights":
        """The weights that print like `text`, such as `2x0 + 3x1` or `3x(1,-1)`: those of one term together.

        >>> np.asarray(tsa.Weights.parse("2x0 + 3x1"))
        array([0, 0, 1, 1, 1])
        """
        terms = [_TERM.fullmatch(term.replace(" ", "")) for term in text.split("+")] if text.strip() else []
        if None in terms:
            raise InputError(f"Weights are written like `2x0 + 3x1` or `2x(0,1) + 3x(1,-1)`; got {text!r}.")
        counts = [int(term[1]) for term in terms if term]
        weights = [[int(number) for number in term[2].strip("()").split(",")] for term in terms if term]
        if len({len(weight) for weight in weights}) > 1:
            raise InputError(f"All weights have equally many numbers; got {text!r}.")
        if sum(counts) > _MAX_PARSED:
            raise InputError(f"At most {_MAX_PARSED:,} weights can be written; got {sum(counts):,}.")
        return cls(np.repeat(np.array(weights, np.int64).reshape(len(weights), -1 if weights else 1), counts, axis=0))

    def __str__(self) -> str:
        return " + ".join(f"{len(members)}x{weight_name(weight)}" for weight, members in self.spaces().items())

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.values[:, 0] if self.parameters == 1 else self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Weight]:
        """Each weight as an integer (p = 1) or a tuple of p integers."""
        for value in self.values.tolist():
            yield value[0] if self.parameters == 1 else tuple(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Weights) and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self.values.shape, self.values.tobytes()))

    @property
    def parameters(self) -> int:
        """The number p of parameters of the group."""
        return int(self.values.shape[1])

    @cached_property
    def _folding(self) -> tuple[Array, Array]:
        folded, negated = fold(self.values)
        return checks.frozen(folded), checks.frozen(negated)

    @property
    def folded(self) -> "Weights":
        """Of each ±ω the one whose first coordinate other than 0 is positive."""
        return Weights(self._folding[0], self.confidence)

    @property
    def negated(self) -> Array:
        """(J,): which weights are the negative of their folded one."""
        return self._folding[1]

    @cached_property
    def fixed(self) -> Array:
        """(J,): which subspaces have weight 0 and are not moved."""
        return checks.frozen(np.asarray(~self.values.any(axis=1)))

    def order(self) -> Array:
        """Indices that sort by |ω|; within it ω and −ω stand together, ω first; otherwise as they come.

        >>> tsa.Weights([3, -1, 0, 1]).order()
        array([2, 3, 1, 0])
        """
        folded, negated = self._folding
        _, first, group = np.unique(folded, axis=0, return_index=True, return_inverse=True)
        return np.lexsort((negated, first[group.ravel()], np.square(folded).sum(axis=1)))

    def spaces(self) -> dict[Weight, Array]:
        """The subspaces of each folded weight, as indices, by increasing |ω|² and then ω.

        >>> tsa.Weights([0, 1, -1, 2]).spaces()
        {0: array([0]), 1: array([1, 2]), 2: array([3])}
        """
        values, place = np.unique(self._folding[0], axis=0, return_inverse=True)
        by_length = np.argsort(np.square(values).sum(axis=1), kind="stable")
        keys = list(Weights(values))
        return {keys[i]: np.flatnonzero(place.ravel() == i) for i in by_length}

    # -- harmonics of the density over s ------------------------------------------------------------------

    @cached_property
    def _pooling(self) -> tuple[Array, Array]:
        """The harmonics (H, p), and (J,) the place of each subspace among them, −1 for weight 0."""
        folded = self._folding[0]
        if self.parameters == 1:  # 1…K without gaps, as `GeneralizedVonMises` has them
            return np.arange(1, folded.max(initial=0) + 1)[:, None], folded[:, 0] - 1
        moving = np.flatnonzero(~self.fixed)
        harmonics, inverse = np.unique(folded[moving], axis=0, return_inverse=True)
        place = np.full(len(folded), -1)
        place[moving] = inverse.ravel()
        return harmonics, place

    @property
    def harmonics(self) -> Array:
        """The harmonics of the density over s, int64 (H, p): 1…K if p = 1, else the distinct folded weights but 0."""
        return self._pooling[0]

    @property
    def place(self) -> Array:
        """(J,): the index of each subspace's harmonic in `harmonics`; −1 for weight 0."""
        return self._pooling[1]

    @cached_property
    def _pooling_matrices(self) -> dict[np.dtype[Any], Array]:
        """The real (2J, 2H) matrix of `pool` on interleaved real and imaginary parts, by precision."""
        matrix = np.zeros((len(self), 2, len(self.harmonics), 2))
        j = np.flatnonzero(~self.fixed)
        matrix[j, 0, self.place[j], 0] = 1.0
        matrix[j, 1, self.place[j], 1] = np.where(self.negated[j], -1.0, 1.0)
        flat = matrix.reshape(2 * len(self), 2 * len(self.harmonics))
        return {np.dtype(t): flat.astype(t) for t in (np.float32, np.float64)}

    @cached_property
    def _one_to_one(self) -> bool:
        """Whether no harmonic has more than one subspace."""
        return bool(np.bincount(self.place[~self.fixed], minlength=1).max() <= 1)

    def pool(self, eta: Array) -> Array:
        """η⁺_k = Σ_{ω_j=k} η̂_j + Σ_{ω_j=−k} conj(η̂_j), summed over the subspaces of a weight: (..., J) → (..., H).

        >>> tsa.Weights([0, 1, -1, 2]).pool(np.array([5, 1, 2j, 3]))
        array([1.-2.j, 3.+0.j])
        """
        if self._one_to_one:  # a DFT of 64×64 pixels has 2,050 weights; the matrix would have 17 million entries
            pooled = np.zeros((*eta.shape[:-1], len(self.harmonics)), eta.dtype)
            j = np.flatnonzero(~self.fixed)
            pooled[..., self.place[j]] = np.where(self.negated[j], eta[..., j].conj(), eta[..., j])
            return pooled
        parts = eta.reshape(-1, len(self)).view(np.finfo(eta.dtype).dtype)
        pooled = (parts @ self._pooling_matrices[parts.dtype]).view(eta.dtype)
        return pooled.reshape(*eta.shape[:-1], len(self.harmonics))

    def spread(self, moments: Array) -> Array:
        """E[e^{iω_j·s}] of each subspace from the moments of each harmonic: (..., H) → (..., J); 1 at weight 0.

        >>> tsa.Weights([0, 1, -1, 2]).spread(np.array([0.5j, 0.1]))
        array([1. +0.j , 0. +0.5j, 0. -0.5j, 0.1+0.j ])
        """
        result = np.ones((*moments.shape[:-1], len(self)), moments.dtype)
        j = np.flatnonzero(~self.fixed)
        picked = moments[..., self.place[j]]
        result[..., j] = np.where(self.negated[j], picked.conj(), picked)
        return result

    def phases(self, s: ArrayLike) -> Array:
        """e^{iω_j·s}: points s (...) if p = 1, else (..., p) → complex128 (..., J).

        >>> tsa.Weights([0, 1, 2]).phases(np.pi / 2).round(3)
        array([ 1.+0.j,  0.+1.j, -1.+0.j])
        """
        return np.exp(1j * (checks.as_points(s, self.parameters) @ self.values.T))


def weight_name(weight: Weight) -> str:
    """`3`, or `(1,-1)`: one weight as `Weights` prints it."""
    return str(weight).replace(" ", "")


def lattice_points(shape: tuple[int, ...]) -> Array:
    """Every index of an array of this shape, in row-major order: (D, dimensions)."""
    return np.moveaxis(np.indices(shape), 0, -1).reshape(-1, len(shape))
