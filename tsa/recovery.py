"""How well a learned representation matches the truth, where the truth is known.

For cyclic shifts the irreducibles are the lines and planes of the DFT. For rotations they are the disk harmonics of
angular order k, a radial profile times e^{ikθ}, as fine as the pixels resolve; and since interpolation keeps no filter
perfectly, purity is also given relative to the best any filter of that weight can have (the *ceiling*).
"""

from dataclasses import dataclass
from itertools import islice

import numpy as np

from tsa.checks import Array
from tsa.errors import ShapeError
from tsa.groups import ImageRotation
from tsa.model import Subgroup
from tsa.progress import Report, shares
from tsa.weights import Group, spectra

_MOST_NUMBERS = 2**25  # complex ones kept at once
_LARGEST = 64  # pixels along a side for which ceilings are worked out; more would take an hour


@dataclass(frozen=True, eq=False)
class Recovery:
    """For each of J subspaces: purity (0…1), the ceiling of purity for its weight, and affinity to the truth.

    The ceiling of the i-th purest of a weight is what the i-th has in the purest set of orthogonal filters. A single
    filter below the first may exceed its own at the cost of another.
    The ceiling is 1, which is always one, where the action loses nothing and for rotations of very large patches.
    `affinity` is the cosine of the largest principal angle between the subspace and the true space of its weight.
    """

    purity: Array
    ceiling: Array
    affinity: Array

    @property
    def relative_purity(self) -> Array:
        """Purity as a fraction of its ceiling."""
        return self.purity / self.ceiling

    @property
    def score(self) -> float:
        """Mean affinity: 1 is perfect recovery."""
        return float(self.affinity.mean())


def recovery(model: Subgroup, action: Group, report: Report | None = None, *, heights: Array | None = None) -> Recovery:
    """Compare every subspace of the model with the truth for its weight; `heights` are its spectra, if known."""
    if model.dimension != action.dimension or model.weights.ndim != action.lattice.ndim:
        raise ShapeError(
            f"{action} does not act on a model of {model.dimension} pixels with {model.weights.ndim} parameters."
        )
    weights = [int(w) if np.ndim(w) == 0 else tuple(int(k) for k in w) for w in model.weights]
    shape = (len(action.lattice),) if action.lattice.ndim == 1 else action.shape
    index = np.ravel_multi_index(tuple(np.mod(np.atleast_2d(model.weights.T), np.array(shape)[:, None])), shape)
    weighing, comparing = shares(report, 1, 2)
    if heights is None:
        heights = spectra(model.filters, action, weighing)
    purity = heights[np.arange(model.subspaces), index]
    # Filters of a line or of a weight ±k may be compared in any order of purity: the i-th best with the i-th best.
    ceiling = np.ones(model.subspaces)
    if isinstance(action, ImageRotation) and action.size <= _LARGEST:
        orders = np.unique(np.abs(model.weights))
        for weight, best in zip(orders, ceilings(action, orders, comparing), strict=True):
            mine = np.flatnonzero(np.abs(model.weights) == weight)
            ceiling[mine[np.argsort(-purity[mine])]] = np.maximum(best[: mine.size], 1e-12)
    truth = {weight: _real_space(_truth(action, weight)) for weight in set(weights)}
    affinity = np.array([_affinity(model.filters[:, j], truth[weights[j]]) for j in range(model.subspaces)])
    return Recovery(purity, ceiling, affinity)


def ceilings(action: ImageRotation, weights: Array, report: Report | None = None) -> Array:
    """Purities of the purest orthogonal filters of each weight, best first: eigenvalues of P_k, (weights, pixels).

    A quarter turn permutes pixels and commutes with all rotations, so P_k is known from one pixel of each orbit: on
    functions with f(turned p) = i^k f(p) it is the matrix of those pixels, weighted by the lengths of their orbits.
    """
    pixels = np.arange(action.dimension).reshape(action.shape)
    orbits = np.stack([np.rot90(pixels, quarter).ravel()[action.support] for quarter in range(4)])
    first = orbits[:, orbits[0] == orbits.min(axis=0)]
    inside, length = np.searchsorted(action.support, first[0]), np.where(first[0] == first[1], 1.0, 4.0)
    scale = np.sqrt(np.multiply.outer(length, length)) / len(action.lattice)  # the centre stands alone
    ones = np.zeros((action.support.size, inside.size), np.float32)
    ones[inside, np.arange(inside.size)] = 1.0
    values = np.zeros((len(weights), action.support.size))  # on all other functions P_k is zero
    at_once = max(1, _MOST_NUMBERS // inside.size**2)
    for start in range(0, len(weights), at_once):
        some = slice(start, start + at_once)
        phases = np.exp(-1j * np.multiply.outer(weights[some], action.lattice)).astype(np.complex64)
        projections = np.zeros((len(phases), inside.size**2), np.complex64)
        turned = ((i, moved[inside].ravel()) for i, moved in action.orbit_of_columns(ones))
        while block := list(islice(turned, 24)):
            which, stack = zip(*block, strict=True)
            projections += phases[:, list(which)] @ np.stack(stack)
        for row, square in enumerate(projections.reshape(-1, inside.size, inside.size), start):
            values[row, : inside.size] = np.linalg.eigvalsh((square + square.conj().T) / 2 * scale)
            if report is not None:
                report((row + 1) / len(weights))
    return np.sort(values)[:, ::-1]


def _truth(action: Group, weight: int | tuple[int, ...]) -> Array:
    """Columns that span the true space of a weight (and its conjugate), complex (D, m)."""
    if isinstance(action, ImageRotation):
        return _disk_harmonics(action.size, abs(int(np.asarray(weight))))
    # The shifts that bring pixel 0 to each pixel are the lattice itself, so a wave is a character on the lattice.
    positions = action.lattice[:, None] if action.lattice.ndim == 1 else action.lattice
    return np.exp(1j * positions @ np.atleast_1d(weight))[:, None]


def _disk_harmonics(size: int, order: int) -> Array:
    """Sampled disk harmonics of one angular order, all that the pixels resolve: complex (D, m)."""
    centre, radius = (size - 1) / 2, size / 2
    row, column = (np.indices((size, size)) - centre).reshape(2, -1)
    r, theta = np.hypot(row, column), np.arctan2(-row, column)
    # r^k times even polynomials, like Zernike's; a wave number of π per pixel leaves room for radius − k/2 of them.
    degree = max(1, int(np.ceil(radius - order / 2)) + 1)
    rho = np.minimum(r / radius, 1.0)
    profile = rho[:, None] ** order * np.polynomial.legendre.legvander(2 * rho**2 - 1, degree)
    return np.where(r <= radius, profile.T * np.exp(1j * order * theta), 0.0).T


def _real_space(columns: Array) -> Array:
    """An orthonormal basis of the real space that complex columns and their conjugates span."""
    u, s, _ = np.linalg.svd(np.concatenate([columns.real, columns.imag], axis=1), full_matrices=False)
    return np.asarray(u[:, s > 1e-9 * s[0]])


def _affinity(filter_: Array, space: Array) -> float:
    """Cosine of the largest principal angle between a filter's plane (or line) and the true real space.

    A plane does not fit into a line: a part of it is then at right angles to the truth.
    """
    own = np.linalg.qr(np.stack([filter_.real, filter_.imag], -1) if filter_.imag.any() else filter_.real[:, None])[0]
    if space.shape[1] < own.shape[1]:
        return 0.0
    return float(np.linalg.svd(space.T @ own, compute_uv=False)[-1])
