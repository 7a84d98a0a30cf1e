"""From moments back to natural parameters: the η whose density has given moments."""

import numpy as np

from tsa._base import Array
from tsa.density.numerics._quadrature import partition


def fisher_information(moments: Array) -> Array:
    """Covariance of T = (cos s, sin s, …, cos Ks, sin Ks) from moments 1…2K: (..., 2K) → (..., 2K, 2K)."""
    batch, k = moments.shape[:-1], moments.shape[-1] // 2
    upto = np.concatenate([np.ones((*batch, 1)), moments], axis=-1)
    order = np.arange(1, k + 1)
    gap = order[:, None] - order
    minus = np.where(gap >= 0, upto[..., np.abs(gap)], upto[..., np.abs(gap)].conj())
    plus = upto[..., order[:, None] + order]
    mean = upto[..., 1 : k + 1]
    info = np.empty((*batch, k, 2, k, 2))
    info[..., 0, :, 0] = (minus + plus).real / 2 - mean.real[..., :, None] * mean.real[..., None, :]
    info[..., 1, :, 1] = (minus - plus).real / 2 - mean.imag[..., :, None] * mean.imag[..., None, :]
    info[..., 0, :, 1] = (plus - minus).imag / 2 - mean.real[..., :, None] * mean.imag[..., None, :]
    info[..., 1, :, 0] = (plus + minus).imag / 2 - mean.imag[..., :, None] * mean.real[..., None, :]
    return info.reshape(*batch, 2 * k, 2 * k)


def matching_eta(moments: Array, start: Array, tolerance: float) -> tuple[Array, float]:
    """The η (..., K) whose density has the given moments, from a first guess; and the largest error of a moment.

    Levenberg–Marquardt on the convex log Z(η) − Re Σ conj(η_k) m_k, whose gradient is the moment error and whose
    Hessian is the Fisher information. For a sharp density the objective is nearly flat along some directions of η, so
    the damping never vanishes, and a row may stop improving before its moments are within `tolerance`.
    """
    if not start.size:
        return start, 0.0
    order = start.shape[-1]
    eta, target = start.reshape(-1, order).copy(), moments.reshape(-1, order)

    def loss_at(eta: Array, target: Array) -> tuple[Array, Array]:
        log_z, achieved, _ = partition(eta, order)
        return log_z - (eta.conj() * target).real.sum(-1), target - achieved

    damping = np.full(len(eta), 1e-6)
    loss, residual = loss_at(eta, target)
    for _ in range(200):
        todo = np.flatnonzero((np.abs(residual).max(axis=-1) > tolerance) & (damping < 1e3))
        if not todo.size:
            break
        info = fisher_information(partition(eta[todo], 2 * order)[1]) + damping[todo, None, None] * np.eye(2 * order)
        step = np.linalg.solve(info, np.ascontiguousarray(residual[todo]).view(np.float64)[..., None])[..., 0]
        trial = eta[todo] + np.ascontiguousarray(step).view(np.complex128)
        trial_loss, trial_residual = loss_at(trial, target[todo])
        slack = 1e-15 * (1 + np.abs(trial).sum(-1))
        better = trial_loss <= loss[todo] + slack
        won = todo[better]
        eta[won], loss[won], residual[won] = trial[better], trial_loss[better], trial_residual[better]
        damping[todo] *= np.where(better, 0.1, 10.0)
        damping = np.maximum(damping, 1e-11)
    return eta.reshape(start.shape), float(np.abs(residual).max())
