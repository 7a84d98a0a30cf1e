"""Choice of planes within a weight space.

A space of m planes splits into m orthogonal planes in many ways (any unitary m × m matrix). The coupled model does not
depend on the choice; the maximal torus, and with it √κ̂, does: each choice lets other phases vary freely. The functions
below choose the planes by the second moments of given patches; labels are not needed.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from tsa._base import Array, InputError, checks
from tsa.model.subgroup import Subgroup


def principal(model: Subgroup, patches: ArrayLike | None = None) -> Subgroup:
    """The same group, each weight space split along the principal axes of these patches (n, D), strongest first.

    Weights come out folded (`Weights.folded`) and sorted by harmonic. Without patches the planes stay as they are.

    >>> model = tsa.load("rotation-16-refined")
    >>> np.array_equal(tsa.principal(model).weights, model.weights)
    True
    """
    return _split(model, patches, lambda m, line: np.eye(m))


def balanced(model: Subgroup, patches: ArrayLike) -> Subgroup:
    """The same group, split so that all planes of a weight space carry the same energy of these patches (n, D).

    Each new filter is the sum of all principal ones, with the phases of a Fourier matrix (on lines, the signs and
    sizes of a Hartley matrix). The moduli then depend on the relative phases of the principal components, and not
    only on their sizes: of all choices, their √κ̂ distinguish patches best.

    >>> model = tsa.load("rotation-16-refined")
    >>> patches = np.random.default_rng(0).normal(size=(50, 256))
    >>> np.array_equal(tsa.balanced(model, patches).weights, model.weights)
    True
    """
    return _split(model, patches, _mixing)


def _mixing(m: int, line: bool) -> Array:
    fourier = linalg.dft(m, scale="sqrtn")
    return fourier.real - fourier.imag if line else fourier


def _axes(z: Array, plane: bool) -> Array:
    moments = z.conj().T @ z
    axes = np.linalg.eigh(moments if plane else moments.real)[1][:, ::-1]
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(len(axes))]
    # The phase of an eigenvector is arbitrary: its largest entry is made positive, for the same result every time.
    return np.asarray(axes * (np.abs(largest) / largest))


def _split(model: Subgroup, patches: ArrayLike | None, mixing: Callable[[int, bool], Array]) -> Subgroup:
    """Each weight space's filters, folded, multiplied by its principal axes and by `mixing(m, whether lines)`."""
    if not isinstance(model, Subgroup):
        raise InputError(f"Weight spaces are split of a Subgroup; got {type(model).__name__}.")
    irreps = model.irreps
    folded = np.where(irreps.negated, model.filters.conj(), model.filters).astype(np.complex128)
    z = None if patches is None else model.coordinates(checks.rows(patches, "patches").astype(np.float64))
    if z is not None:
        z = np.where(irreps.negated, z.conj(), z)
    kinds, kind = np.unique(np.stack([irreps.place, ~model.lines], axis=1), axis=0, return_inverse=True)
    filters, order = [], []
    for number, (_, plane) in enumerate(kinds):
        j = np.flatnonzero(kind == number)
        axes = np.eye(j.size) if z is None else _axes(z[:, j], bool(plane))
        filters.append(folded[:, j] @ axes @ mixing(j.size, not plane))
        order.append(j)
    split = np.concatenate(filters, axis=1).astype(model.filters.dtype)
    return Subgroup(split, irreps.folded.values[np.concatenate(order)], model.noise)
