"""Whitening, so that a group that acts through any linear mixing acts by rotations.

The covariance of y commutes with the group. In the coordinates in which it is the identity the action is orthogonal.
"""

from typing import NamedTuple

import numpy as np

from tsa._base import Array

_LEAST_VARIANCE = 1e-8  # of a direction, as a fraction of the largest
_CONTRAST_ROUNDS = 4
_MAX_LEADING = 64  # directions in which planes are learned first if the spectrum decays
_GAUSSIAN_SPREAD = 8.0  # relative variance of energies, times d: Gaussian pairs of one contrast stay below it
_SHARPENING_ROUNDS = 4
_LEAST_CONTRAST = 4.0  # between two characters, over the residual, from which pairs tell their subspaces apart


class Whitening(NamedTuple):
    """A matrix (D, d) after which y has unit variance in each of d directions, and the contrast (n, 1) of each pair."""

    matrix: Array
    contrast: Array

    @property
    def directions(self) -> Array:
        """The columns of the matrix with unit length: orthonormal (D, d)."""
        return np.asarray(self.matrix / np.linalg.norm(self.matrix, axis=0))


def whitening_of(x: Array, y: Array) -> Whitening:
    """Whitening of centred pairs, and one contrast factor for each pair where the data ask for it.

    The contrast is c² = (‖C^{−½}x‖² + ‖C^{−½}y‖²)/2d with C = E[yyᵀ/c²], Tyler's fixed point (1987): patches of photos
    differ in contrast by orders of magnitude. Where norms vary no more than those of Gaussian vectors, c = 1.
    """
    contrast = np.ones((len(x), 1))
    for _ in range(_CONTRAST_ROUNDS):
        matrix = inverse_root_covariance(y / contrast)
        leading = matrix[:, : leading_directions(matrix, len(x))]
        # Directions that do not move (brightness) say nothing about contrast.
        moving = mean_action(x / contrast @ leading, y / contrast @ leading)[1]
        if moving.shape[1] > leading.shape[1] / 2:
            leading = leading @ moving
        d = leading.shape[1]
        energy = np.sum((x @ leading) ** 2 + (y @ leading) ** 2, axis=1)
        if np.var(energy) / np.mean(energy) ** 2 < _GAUSSIAN_SPREAD / d:
            return Whitening(matrix, contrast)
        contrast = np.sqrt((energy + 0.1 * np.median(energy)) / (2 * d))[:, None]
    return Whitening(inverse_root_covariance(y / contrast), contrast)


def inverse_root_covariance(y: Array) -> Array:
    """C^{−½} on the directions that vary, (D, d), largest variance first; C is shrunk towards a multiple of I.

    The shrinkage is that of Ledoit and Wolf (2004). White data shrink to c·I itself, so that no error of estimation is
    added to coordinates in which the action was orthogonal already.
    """
    values, vectors = np.linalg.eigh(y.T @ y / len(y))
    varies = values > _LEAST_VARIANCE * values[-1]
    values, vectors = values[varies][::-1], vectors[:, varies][:, ::-1]
    error = (np.mean(np.sum((y @ vectors) ** 2, axis=1) ** 2) - np.sum(values**2)) / len(y)
    share = np.clip(error / max(np.sum((values - values.mean()) ** 2), 1e-300), 0, 1)
    return np.asarray(vectors / np.sqrt((1 - share) * values + share * values.mean()))


def leading_directions(matrix: Array, pairs: int) -> int:
    """The number of directions in which to learn planes first: all, or fewer if their variance decays.

    Planes in d directions need about d² pairs. The number is at most √(1.2 n), and lies at a gap of the spectrum.
    """
    variance = 1 / np.sum(matrix**2, axis=0)
    most = int(min(_MAX_LEADING, np.sqrt(1.2 * pairs)))
    if len(variance) <= most or variance[0] <= 2 * variance[most]:
        return len(variance)
    least = most * 2 // 3
    return least + int(np.argmax(variance[least - 1 : most] / variance[least : most + 1]))


def mean_action(x: Array, y: Array) -> tuple[Array, Array]:
    """The eigenvalues of E[y xᵀ] = Σ_j E[e^{iω_j·s}] P_j, and a basis of the directions that move (d, m).

    In units of E[x xᵀ], so that a direction that does not move has eigenvalue 1 however much noise there is in y. If s
    is uniform all others have 0.
    """
    unit = max(float(np.mean(np.square(x))), 1e-300) * len(x)
    cross, strange = (other.T @ x / unit for other in (y, np.roll(y, 1, axis=0)))
    values, vectors = np.linalg.eigh((cross + cross.T) / 2)
    chance = np.linalg.eigvalsh((strange + strange.T) / 2)[-1]
    return np.linalg.eigvals(cross), vectors[:, values < max(0.5, 1.5 * chance)]


def sharpened(x: Array, y: Array, s: Array, filters: Array, weights: Array) -> Array:
    """A matrix M (d, d) near I such that the action is orthogonal on x M, y M, from pairs with known s (n, r).

    A covariance estimated from n pairs is off by 1/√n, however little noise there is, and so is the whitening. With
    s known the residual v_j − χ_j u_j, χ_j = e^{iω_j·s}, must not depend on any v_k − χ_j u_k of another character:
    each coordinate is replaced by what its regression on all others leaves.
    """
    planes = filters.imag.any(axis=0)
    basis = np.concatenate([filters, filters[:, planes].conj()], axis=1)
    turn = np.exp(1j * s @ np.concatenate([weights, -weights[planes]]).T)
    u, v = x @ basis, y @ basis
    left = np.eye(basis.shape[1])
    for _ in range(_SHARPENING_ROUNDS):
        a, b = u @ left, v @ left
        residual = b - turn * a
        shared = residual.T @ b.conj() - (residual * turn.conj()).T @ a.conj()
        energy = np.sum(np.abs(a) ** 2 + np.abs(b) ** 2, axis=0) - 2 * (turn.T @ (a * b.conj())).real
        noise = np.sum(np.abs(residual) ** 2, axis=0)
        told_apart = energy > _LEAST_CONTRAST * np.maximum(noise[:, None], noise)
        left = left @ (np.eye(len(left)) - np.where(told_apart, shared / np.maximum(energy, 1e-300), 0).T)
    size = np.sqrt(np.mean(np.square(np.abs(v @ left)), axis=0))
    left = left * (np.linalg.norm(basis, axis=0) / np.maximum(size, 1e-300))  # unit variance in each direction
    change = basis @ (left - np.eye(len(left))) @ np.linalg.pinv(basis)
    return np.asarray(np.eye(len(change)) + change.real)
