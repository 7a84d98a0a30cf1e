"""From learned filters to irreducible ones.

A real irreducible of weight 0 is one-dimensional, but learning yields planes only: it is paired with a direction of
another weight, and the pair has no weight of its own. The same happens to the Nyquist line of a cyclic shift, and to
the last direction if the learned dimensions are used up. Refinement decomposes the learned *span* anew. With
P_k = mean over s of e^{−ik·s} A_s, the projection onto weight k, the compression of P_k to the span has eigenvalue 1 on
a plane that was learned whole, ½ on one of which only half was learned, and 0 elsewhere; P_k then maps each of them
into the invariant space of its weight.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ProgressCallback, checks, frozen
from tsa.analysis.spectra import check_same_patches
from tsa.groups import Action, LatticeAction, as_lattice_action
from tsa.model import Subgroup, Torus, complex_filters, nearest_orthonormal, real_columns

_MAX_BYTES = 2 * 2**30  # of all projections together
# Least eigenvalue of a direction that counts as learned: half of the ½ of a half-learned plane, twice that of noise.
_MIN_EIGENVALUE = 0.25


@dataclass(frozen=True, eq=False, repr=False)
class RefinedSubgroup(Subgroup):
    """An irreducible model, and how it differs from the learned one.

    `completed` are the weights of planes of which only one direction had been learned, and to which the second was
    added; `dropped` those whose second direction did not fit. `kept` (J,) is the share (a cosine, 0…1) of each subspace
    that lies in the learned span.

    >>> refined = tsa.refine(tsa.load("shift-32"), tsa.groups.CyclicShift(32))
    >>> refined.subspaces, int(refined.lines.sum())  # planes and lines, and the lines among them
    (17, 2)
    """

    completed: Array
    dropped: Array
    kept: Array

    def __init__(
        self,
        filters: ArrayLike,
        weights: ArrayLike,
        noise: float,
        completed: ArrayLike,
        dropped: ArrayLike,
        kept: ArrayLike,
    ) -> None:
        super().__init__(filters, weights, noise)
        for name, value in (("completed", completed), ("dropped", dropped), ("kept", kept)):
            object.__setattr__(self, name, frozen(np.array(value)))


@dataclass(frozen=True, eq=False)
class Irreducible:
    """One irreducible: weight, vector (complex; real on a line), eigenvalue, and whether it was learned whole."""

    weight: Array
    vector: Array
    purity: float
    whole: bool

    @property
    def columns(self) -> Array:
        """Its orthonormal real directions: (D, 2), or (D, 1) for a line."""
        if not np.iscomplexobj(self.vector):
            return self.vector[:, None]
        return np.sqrt(2.0) * np.stack([self.vector.real, -self.vector.imag], axis=-1)


def refine(model: Torus | Subgroup, action: Action, on_progress: ProgressCallback | None = None) -> RefinedSubgroup:
    """The irreducible subspaces of a learned model: planes of one weight each, and lines where the irreducible is real.

    Weights come out folded (`Weights.folded`) and sorted by |ω|; within a weight the purest first. The phase of each
    filter is such that its response to a fixed reference patch is real and positive.

    >>> str(tsa.refine(tsa.load("shift-32"), tsa.groups.CyclicShift(32)).irreps)[:15]
    '1x0 + 1x1 + 1x2'
    """
    action = as_lattice_action(action)
    check_same_patches(model, action)
    basis = real_columns(model.filters).astype(np.float64)
    projected = _projections(basis, action, on_progress)
    lines = [action.is_real(np.asarray(weight)) for weight in action.characters]
    filters, kept, dropped = irreducible_filters(basis, projected, action.characters, lines)
    if not kept:
        raise InputError("None of the filters belongs to this group; is it the action the model was trained on?")
    inside = np.linalg.norm(basis.T @ filters, axis=0) / np.linalg.norm(filters, axis=0)
    return RefinedSubgroup(
        _with_standard_phases(filters).astype(model.filters.dtype),
        np.array([item.weight for item in kept]),
        model.noise,
        completed=[item.weight for item in kept if not item.whole],
        dropped=[item.weight for item in dropped],
        kept=inside,
    )


def _projections(basis: Array, action: LatticeAction, on_progress: ProgressCallback | None) -> Array:
    """P_k W for every character k: (characters, D, columns)."""
    lattice, characters = (checks.as_points(s, action.parameters) for s in (action.lattice, action.characters))
    size = 16 * len(characters) * max(basis.size, len(lattice))
    if size > _MAX_BYTES:
        raise InputError(
            f"To refine {basis.shape[1]} filters of {len(basis)} pixels under {len(characters):,} weights would take "
            f"{size / 2**30:,.0f} GB of memory; at most {_MAX_BYTES >> 30} are used. Refine fewer filters at a time."
        )
    phases = np.exp(-1j * (characters @ lattice.T))
    result = np.zeros((len(characters), basis.size), np.complex128)
    moved: list[tuple[int, Array]] = []
    for done, (i, patches) in enumerate(action.apply_all(basis.T), 1):
        moved.append((i, patches.ravel()))
        if len(moved) == 16 or done == len(lattice):
            which, stack = [i for i, _ in moved], np.stack([flat for _, flat in moved])
            result += (phases[:, which].real @ stack) + 1j * (phases[:, which].imag @ stack)
            moved = []
        if on_progress is not None:
            on_progress(done / len(lattice))
    return np.swapaxes(result.reshape(len(characters), *basis.T.shape), 1, 2) / len(lattice)


def irreducible_filters(
    basis: Array, projected: Iterable[Array], weights: ArrayLike, lines: Iterable[bool]
) -> tuple[Array, list[Irreducible], list[Irreducible]]:
    """Filters (D, J) of the irreducibles that a span holds, what they come from, and those that do not fit beside them.

    The span has an orthonormal `basis` (D, m); `projected` are P_k @ basis, (D, m) for each of the weights (K, ...);
    `lines` (K,) says at which of them the irreducible is real.
    """
    each = zip(projected, np.asarray(weights), lines, strict=True)
    found = [item for image, weight, line in each for item in _irreducibles(basis, image, weight, line)]
    if not found:
        return np.zeros((len(basis), 0), np.complex128), [], []
    kept, dropped = _independent(found, len(basis))
    columns = nearest_orthonormal(np.concatenate([item.columns for item in kept], axis=1))
    return complex_filters(columns, [np.iscomplexobj(item.vector) for item in kept]), kept, dropped


def _irreducibles(basis: Array, image: Array, weight: Array, line: bool) -> list[Irreducible]:
    """The irreducibles of one weight that the learned span holds, whole or in half."""
    compressed = basis.T @ (image.real if line else image)
    values, vectors = np.linalg.eigh((compressed + compressed.conj().T) / 2)
    present = values > (2 * _MIN_EIGENVALUE if line else _MIN_EIGENVALUE)
    if not present.any():
        return []
    values, vectors = values[present][::-1], vectors[:, present][:, ::-1]
    carried = np.linalg.qr((image.real if line else image) @ vectors)[0]
    # A vector equal to its own conjugate (up to phase) is a real direction: half a plane.
    whole = line | (np.abs((vectors * vectors).sum(axis=0)) < 0.5)
    return [
        Irreducible(weight, v, float(p), bool(w))
        for v, p, w in zip(carried.T, values, np.broadcast_to(whole, values.shape), strict=True)
    ]


def _independent(found: list[Irreducible], dimension: int) -> tuple[list[Irreducible], list[Irreducible]]:
    """All of them, or all but the weakest halves if their planes do not fit together."""
    kept, dropped = list(found), list[Irreducible]()
    while True:
        columns = np.concatenate([item.columns for item in kept], axis=1)
        if columns.shape[1] <= dimension and np.linalg.svd(columns, compute_uv=False)[-1] > 0.5:
            return kept, dropped
        halves = [item for item in kept if not item.whole] or kept
        weakest = min(halves, key=lambda item: item.purity)
        kept.remove(weakest)
        dropped.append(weakest)


def _with_standard_phases(filters: Array) -> Array:
    """The same filters with phases (signs, on lines) that make their response to a reference patch positive."""
    reference = np.random.default_rng(0).standard_normal(len(filters))
    response = reference @ filters
    return filters * (np.abs(response) / response)
