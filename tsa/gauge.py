"""Which planes? A weight space of several planes can be cut into planes in many ways.

The one-parameter group does not care: its posterior, evidence and distance stay what they are. The maximal torus does,
and with it √κ̂: each cut lets other phases move freely. What a cut does to patches like those at hand is known from
their second moments alone, without labels.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from tsa import checks
from tsa.checks import Array
from tsa.model import Subgroup


def principal(model: Subgroup, patches: ArrayLike | None = None) -> Subgroup:
    """The same group, each weight space cut along the principal axes of these patches (n, D), strongest first.

    Weights come out non-negative and sorted (for two parameters, in a half-plane). Without patches that is all.
    """
    return _recut(model, patches, lambda m, line: np.eye(m))


def balanced(model: Subgroup, patches: ArrayLike) -> Subgroup:
    """The same group, cut so that all planes of a weight space carry the same energy of these patches (n, D).

    Each new filter is the sum of all principal ones, with the phases of a Fourier matrix (on lines, the signs and
    sizes of a Hartley matrix). The moduli then depend on the relative phases of the principal components, and not
    only on their sizes: of all √κ̂, these tell patches apart best.
    """
    return _recut(model, patches, _mixing)


def _mixing(m: int, line: bool) -> Array:
    fourier = linalg.dft(m, scale="sqrtn")
    return fourier.real - fourier.imag if line else fourier


def _axes(z: Array, plane: bool) -> Array:
    moments = z.conj().T @ z
    axes = np.linalg.eigh(moments if plane else moments.real)[1][:, ::-1]
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(len(axes))]
    return np.asarray(axes * (np.abs(largest) / largest))  # one phase of many, the same every time


def _recut(model: Subgroup, patches: ArrayLike | None, mixing: Callable[[int, bool], Array]) -> Subgroup:
    pooling = model.pooling
    folded = np.where(pooling.negated, model.filters.conj(), model.filters).astype(np.complex128)
    sign = np.where(pooling.negated, -1, 1)
    weights = model.weights * (sign if model.weights.ndim == 1 else sign[:, None])
    z = None if patches is None else model.coordinates(checks.rows(patches, "patches").astype(np.float64))
    if z is not None:
        z = np.where(pooling.negated, z.conj(), z)
    kinds, kind = np.unique(np.stack([pooling.place, ~model.lines], axis=1), axis=0, return_inverse=True)
    filters, order = [], []
    for number, (_, plane) in enumerate(kinds):
        j = np.flatnonzero(kind == number)
        axes = np.eye(j.size) if z is None else _axes(z[:, j], bool(plane))
        filters.append(folded[:, j] @ axes @ mixing(j.size, not plane))
        order.append(j)
    recut = np.concatenate(filters, axis=1).astype(model.filters.dtype)
    return Subgroup(recut, weights[np.concatenate(order)], model.noise)
