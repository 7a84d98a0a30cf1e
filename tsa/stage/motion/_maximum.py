"""The highest maximum of a trigonometric polynomial in two angles, from its values on a grid, in about a millisecond.

`TorusVonMises.mode` proves that what it finds is the highest, in up to seconds on a ridge; this has no such proof.
"""

import numpy as np

from tsa._base import Array

_STEPS_OF_ALL, _STEPS_OF_BEST = 2, 16  # of Newton's method
_CANDIDATE_NATS = 0.5  # below the highest node, within which nodes may lie beside the highest maximum
_MAX_CANDIDATES = 48
_MAX_BEST = 4
_LOUD, _AUDIBLE = 1e-4, 1e-7  # of a harmonic over the loudest, to count in the first steps, and at all
_CONVERGED, _CONVERGED_NATS = 1e-7, 1e-9  # radians of a step, and what it gains


def highest_maximum(eta: Array, harmonics: Array, values: Array) -> tuple[Array, float]:
    """Where Re Σ_k conj(η_k) e^{ik·s} is highest, (2,), and its largest curvature there, per squared radian.

    `values` (N, N) are its values at s = 2π(i, j)/N. On a narrow ridge that lies slantwise the highest node may belong
    to a lower maximum: how high a node is depends on how near to the ridge it happens to lie. So Newton's method starts
    from all high nodes that no neighbour exceeds, at first with the loud harmonics alone; the best go on with all.
    """
    size = np.abs(eta) / max(float(np.abs(eta).max(initial=0.0)), 1e-300)
    series = _Series(eta[size > _AUDIBLE], harmonics[size > _AUDIBLE])
    step = 2 * np.pi / len(values)
    s = step * _peaks(values)
    if len(s) > _MAX_BEST:
        s, _, _ = _climbed(_Series(eta[size > _LOUD], harmonics[size > _LOUD]), s, step, _STEPS_OF_ALL)
        s = s[np.argsort(-series.values(s), kind="stable")[:_MAX_BEST]]
    s, height, curvature = _climbed(series, s, step, _STEPS_OF_BEST)
    best = int(np.argmax(height))
    return s[best], float(curvature[best])


def _climbed(series: "_Series", s: Array, reach: float, steps: int) -> tuple[Array, Array, Array]:
    """Points (m, 2) after steps of Newton's method, none longer than `reach` or downwards; heights, curvatures (m,)."""
    limit = np.full(len(s), reach)
    height, gradient, hessian = series.derivatives(s)
    for _ in range(steps):
        move = _newton(gradient, hessian, series.flat)
        size = np.linalg.norm(move, axis=1)
        move *= np.minimum(1.0, limit / np.maximum(size, 1e-300))[:, None]
        found = series.derivatives(s + move)
        gain = found[0] - height
        better = gain >= -1e-3 * series.flat
        limit = np.where(better, reach, limit / 4)
        s = np.where(better[:, None], s + move, s)
        height = np.where(better, found[0], height)
        gradient = np.where(better[:, None], found[1], gradient)
        hessian = np.where(better[:, None, None], found[2], hessian)
        if np.all((size < _CONVERGED) | (better & (gain < _CONVERGED_NATS))):
            break
    return s, height, -np.linalg.eigvalsh(hessian)[:, 0]


def _peaks(values: Array) -> Array:
    """Nodes (m, 2) near the height of the highest that none of their eight neighbours exceeds, the highest first."""
    summit = values
    for axis in (0, 1):
        summit = np.maximum(summit, np.maximum(np.roll(summit, 1, axis), np.roll(summit, -1, axis)))
    rows, columns = np.nonzero((values >= summit) & (values > values.max() - _CANDIDATE_NATS))
    highest = np.argsort(-values[rows, columns], kind="stable")[:_MAX_CANDIDATES]
    return np.stack([rows, columns], axis=1)[highest]


def _newton(gradient: Array, hessian: Array, flat: float) -> Array:
    """Newton's steps (m, 2), uphill along each axis of curvature, whichever way it bends; none along a flat one."""
    curvatures, axes = np.linalg.eigh(hessian)
    bend = np.abs(curvatures)
    scaled = np.where(bend > flat, np.einsum("mi,mij->mj", gradient, axes) / np.maximum(bend, flat), 0.0)
    return np.einsum("mij,mj->mi", axes, scaled)


class _Series:
    """The polynomial with its coefficients on a grid of frequencies, so that e^{ik·s} = e^{ik₁s₁} e^{ik₂s₂} is used."""

    def __init__(self, eta: Array, harmonics: Array) -> None:
        low, high = harmonics.min(axis=0, initial=0), harmonics.max(axis=0, initial=0)
        self._k = [np.arange(a, b + 1, dtype=np.float64) for a, b in zip(low, high, strict=True)]
        self._coefficients = np.zeros([len(k) for k in self._k], np.complex128)
        self._coefficients[tuple((harmonics - low).T)] = eta.conj()  # harmonics are distinct
        self.flat = 1e-9 * max(1.0, float(np.abs(eta).sum()))  # curvature that rounding may leave

    def values(self, s: Array) -> Array:
        """Values (m,) at points (m, 2)."""
        down, right = self._k
        rows = np.exp(1j * s[:, :1] * down) @ self._coefficients
        return np.asarray(np.einsum("mj,mj->m", rows, np.exp(1j * s[:, 1:] * right)).real)

    def derivatives(self, s: Array) -> tuple[Array, Array, Array]:
        """Values (m,), gradients (m, 2) and Hessians (m, 2, 2) at points (m, 2)."""
        (k, j), m = self._k, len(s)
        first, second = np.exp(1j * s[:, :1] * k), np.exp(1j * s[:, 1:] * j)
        rows = (np.concatenate([first, first * k, first * k**2]) @ self._coefficients).reshape(3, m, -1)
        zero, down, down_twice = (np.einsum("mj,mj->m", row, second) for row in rows)
        right, mixed = (np.einsum("mj,mj->m", row, second * j) for row in rows[:2])
        right_twice = np.einsum("mj,mj->m", rows[0], second * j**2)
        gradient = -np.stack([down.imag, right.imag], axis=1)
        hessian = -np.stack([down_twice.real, mixed.real, mixed.real, right_twice.real], axis=1).reshape(m, 2, 2)
        return zero.real, gradient, hessian
