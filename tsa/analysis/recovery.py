"""How well a learned representation matches the known irreducibles of an action.

For cyclic shifts the irreducibles are the lines and planes of the DFT. For rotations they are the disk harmonics of
angular order k, a radial profile times e^{ikθ}, as fine as the pixels resolve; and since interpolation changes every
filter a little, purity is also given relative to the best any filter of that weight can have (the *ceiling*).
"""

from dataclasses import dataclass
from itertools import islice

import numpy as np

from tsa._base import Array, ProgressCallback, ShapeError, checks, split_progress
from tsa.analysis.spectra import spectra
from tsa.groups import Action, CyclicShift, ImageRotation, LatticeAction, as_lattice_action
from tsa.model import Subgroup, Weight

_CHUNK_NUMBERS = 2**25  # complex numbers held at once
_MAX_SIDE_PIXELS = 64  # for which ceilings are computed; larger patches would take an hour


@dataclass(frozen=True, eq=False)
class Recovery:
    """For each of J subspaces: purity (0…1), the ceiling of purity for its weight, and affinity to the known space.

    The ceiling of the i-th purest filter of a weight is the purity of the i-th filter in the purest set of orthogonal
    filters. A single filter after the first may exceed its ceiling, but then another one has less than it could.
    The ceiling is set to 1, a trivial bound, where the action loses nothing and for rotations of very large patches.
    `affinity` is the cosine of the largest principal angle between the subspace and the space of the known irreducibles
    of its weight.

    >>> action = tsa.groups.CyclicShift(8)
    >>> tsa.recovery(tsa.fourier_model(8), action).affinity.round(3)
    array([1., 1., 1., 1., 1.])
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


def recovery(
    model: Subgroup, action: Action, on_progress: ProgressCallback | None = None, *, heights: Array | None = None
) -> Recovery:
    """Compare every subspace of the model with the known irreducibles of its weight; `heights` are its spectra.

    >>> action = tsa.groups.CyclicShift(8)
    >>> round(tsa.recovery(tsa.fourier_model(8), action).score, 3)
    1.0
    """
    action = as_lattice_action(action)
    if model.dimension != action.dimension or model.parameters != action.parameters:
        raise ShapeError(
            f"{action} does not act on a model of {model.dimension} pixels with {model.parameters} parameters."
        )
    weights, shape = list(model.irreps), action.lattice_shape
    index = np.ravel_multi_index(tuple(np.mod(model.irreps.values, shape).T), shape)
    weighing, comparing = split_progress(on_progress, 1, 2)
    if heights is None:
        heights = spectra(model.filters, action, weighing)
    purity = heights[np.arange(model.subspaces), index]
    # Ceilings are ranked: the i-th purest filter of a weight ±k is compared with the i-th ceiling.
    ceiling = np.ones(model.subspaces)
    if isinstance(action, ImageRotation) and action.size <= _MAX_SIDE_PIXELS:
        orders = np.unique(np.abs(model.weights))
        for weight, best in zip(orders, ceilings(action, orders, comparing), strict=True):
            mine = np.flatnonzero(np.abs(model.weights) == weight)
            ceiling[mine[np.argsort(-purity[mine])]] = np.maximum(best[: mine.size], 1e-12)
    known = {weight: _real_space(known_space(action, weight)) for weight in set(weights)}
    affinity = np.array([_affinity(model.filters[:, j], known[weights[j]]) for j in range(model.subspaces)])
    return Recovery(purity, ceiling, affinity)


def ceilings(action: ImageRotation, weights: Array, on_progress: ProgressCallback | None = None) -> Array:
    """Purities of the purest orthogonal filters of each weight, best first: eigenvalues of P_k, (weights, pixels).

    A quarter turn permutes pixels and commutes with all rotations, so P_k is known from one pixel of each orbit: on
    functions with f(turned p) = i^k f(p) it is the matrix of those pixels, weighted by the lengths of their orbits.
    """
    pixels = np.arange(action.dimension).reshape(action.shape)
    orbits = np.stack([np.rot90(pixels, quarter).ravel()[action.support] for quarter in range(4)])
    first = orbits[:, orbits[0] == orbits.min(axis=0)]
    inside, length = np.searchsorted(action.support, first[0]), np.where(first[0] == first[1], 1.0, 4.0)
    scale = np.sqrt(np.multiply.outer(length, length)) / len(action.lattice)  # length 1 for the centre pixel, else 4
    ones = np.zeros((action.support.size, inside.size), np.float32)
    ones[inside, np.arange(inside.size)] = 1.0
    values = np.zeros((len(weights), action.support.size))  # on all other functions P_k is zero
    at_once = max(1, _CHUNK_NUMBERS // inside.size**2)
    for start in range(0, len(weights), at_once):
        some = slice(start, start + at_once)
        phases = np.exp(-1j * np.multiply.outer(weights[some], action.lattice)).astype(np.complex64)
        projections = np.zeros((len(phases), inside.size**2), np.complex64)
        turned = ((i, moved[inside].ravel()) for i, moved in action.apply_all_to_columns(ones))
        while block := list(islice(turned, 24)):
            which, stack = zip(*block, strict=True)
            projections += phases[:, list(which)] @ np.stack(stack)
        for row, square in enumerate(projections.reshape(-1, inside.size, inside.size), start):
            values[row, : inside.size] = np.linalg.eigvalsh((square + square.conj().T) / 2 * scale)
            if on_progress is not None:
                on_progress((row + 1) / len(weights))
    return np.sort(values)[:, ::-1]


def known_space(action: LatticeAction, weight: Weight) -> Array:
    """Complex columns (D, m) whose real and imaginary parts span the irreducibles of a weight."""
    if isinstance(action, ImageRotation):
        return _disk_harmonics(action.size, abs(int(np.asarray(weight))))
    if not isinstance(action, CyclicShift):
        return _projected_space(action, np.atleast_1d(weight))
    # The shifts that bring pixel 0 to each pixel are the lattice itself, so a wave is a character on the lattice.
    return np.exp(1j * checks.as_points(action.lattice, action.parameters) @ np.atleast_1d(weight))[:, None]


def _projected_space(action: LatticeAction, weight: Array) -> Array:
    """The range of P_k = mean over s of e^{−ik·s} A_s, conjugated as filters are: complex (D, m), m at least 1."""
    phases = np.exp(-1j * checks.as_points(action.lattice, action.parameters) @ weight)
    projection = np.zeros((action.dimension, action.dimension), np.complex128)
    for i, moved in action.apply_all(np.eye(action.dimension)):
        projection += phases[i] / len(phases) * moved.T
    u, s, _ = np.linalg.svd(projection)
    return np.asarray(u[:, : max(1, int(np.sum(s > 0.5)))].conj())


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
    """Cosine of the largest principal angle between a filter's plane (or line) and a real space (D, m).

    0 for a plane and a space of one dimension: one direction of the plane is then orthogonal to the space.
    """
    own = np.linalg.qr(np.stack([filter_.real, filter_.imag], -1) if filter_.imag.any() else filter_.real[:, None])[0]
    if space.shape[1] < own.shape[1]:
        return 0.0
    return float(np.linalg.svd(space.T @ own, compute_uv=False)[-1])
