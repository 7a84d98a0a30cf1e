"""From moments back to natural parameters: the η whose density has given moments, on the circle and on the torus.

The maximum likelihood estimate of an exponential family has the moments of the sample: this is also how one is fitted.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from tsa._base import Array
from tsa.density.numerics._harmonics import fold
from tsa.density.numerics._quadrature import partition

Statistics = Callable[[Array], tuple[Array, Array, Array]]
"""η (B, M) → log Z (B,), moments at the density's own harmonics (B, M), Fisher information (B, 2M, 2M)."""

_LEAST_DAMPING, _MOST_DAMPING = 1e-15, 1e3  # of the information, whose eigenvalues are at most the number of harmonics


class FisherInformation:
    """The covariance of (cos k₁·s, sin k₁·s, cos k₂·s, …) for harmonics k (M, p), the Hessian of log Z.

    `harmonics` (m, p) are those of all k, k − k′ and k + k′, folded and without repetition, of which it needs moments.
    """

    def __init__(self, frequencies: Array) -> None:
        count, parameters = frequencies.shape
        pairs = [frequencies[:, None] - frequencies, frequencies[:, None] + frequencies]
        wanted = np.concatenate([frequencies, *(pair.reshape(-1, parameters) for pair in pairs)])
        folded, self._negated = fold(wanted)
        self.harmonics, where = np.unique(folded, axis=0, return_inverse=True)
        self._where, self._count = where.reshape(-1), count

    def mean(self, moments: Array) -> Array:
        """Of the moments at `harmonics` (..., m) those at the density's own: (..., M)."""
        return self._picked(moments, slice(0, self._count))

    def _picked(self, moments: Array, which: slice) -> Array:
        values = moments[..., self._where[which]]
        return np.where(self._negated[which], values.conj(), values)

    def __call__(self, moments: Array) -> Array:
        """From moments at `harmonics` (..., m): (..., 2M, 2M)."""
        count, batch = self._count, moments.shape[:-1]
        mean = self.mean(moments)
        both = self._picked(moments, slice(count, None)).reshape(*batch, 2, count, count)
        minus, plus = both[..., 0, :, :], both[..., 1, :, :]
        cos, sin = mean.real, mean.imag
        info = np.empty((*batch, count, 2, count, 2))
        info[..., 0, :, 0] = (minus + plus).real / 2 - cos[..., :, None] * cos[..., None, :]
        info[..., 1, :, 1] = (minus - plus).real / 2 - sin[..., :, None] * sin[..., None, :]
        info[..., 0, :, 1] = (plus - minus).imag / 2 - cos[..., :, None] * sin[..., None, :]
        info[..., 1, :, 0] = (plus + minus).imag / 2 - sin[..., :, None] * cos[..., None, :]
        return info.reshape(*batch, 2 * count, 2 * count)


@cache
def circle_information(harmonics: int) -> FisherInformation:
    """The information about harmonics 1…K; it needs moments at 0…2K, in this order."""
    return FisherInformation(np.arange(1, harmonics + 1)[:, None])


def circle_statistics(eta: Array) -> tuple[Array, Array, Array]:
    """`Statistics` of generalised von Mises densities on the circle, η (B, K)."""
    order = eta.shape[-1]
    log_z, moments, _ = partition(eta, 2 * order)
    from_zero = np.concatenate([np.ones((len(eta), 1)), moments], axis=-1)
    return log_z, moments[:, :order], circle_information(order)(from_zero)


def matching_eta(
    moments: Array, start: Array, statistics_of: Statistics, tolerance: float = 1e-17
) -> tuple[Array, Array]:
    """The η (..., M) whose density has the given moments, from a first guess; and what it lacks, in nats (...).

    Levenberg–Marquardt on the convex loss log Z(η) − Re Σ conj(η_k) m_k, whose gradient is the moment error and whose
    Hessian is the Fisher information. What is lacking is the divergence between the density found and the one that has
    the moments, estimated from the last step; at most `tolerance`, relative to 1 + Σκ, the size of the loss. For a
    sharp density the loss is nearly flat along some directions of η, so the damping never vanishes, and a row may stop
    improving before it has converged.
    """
    count = start.shape[-1]
    eta = start.reshape(int(np.prod(start.shape[:-1])), count).copy()
    target = moments.reshape(eta.shape)
    lacking = np.zeros(len(eta))
    if not eta.size:
        return start, lacking.reshape(start.shape[:-1])
    log_z, mean, info = statistics_of(eta)
    loss = log_z - (eta.conj() * target).real.sum(-1)
    damping = np.full(len(eta), 1e-6)
    todo, moved = np.arange(len(eta)), np.ones(len(eta), bool)
    for _ in range(100):
        residual = np.ascontiguousarray(target[todo] - mean[todo]).view(np.float64)
        damped = info[todo] + damping[todo, None, None] * np.eye(2 * count)
        step = np.linalg.solve(damped, residual[..., None])[..., 0]
        gain = np.abs((residual * step).sum(-1)) / 2
        last = gain <= tolerance * (1 + np.abs(eta[todo]).sum(-1))
        # After a rejected step the damping is larger and the gain looks smaller: what was lacking then still is.
        lacking[todo] = np.where(moved[todo], gain, np.maximum(gain, lacking[todo]))
        trial = eta[todo] + step.view(np.complex128)
        log_z, trial_mean, trial_info = statistics_of(trial)
        trial_loss = log_z - (trial.conj() * target[todo]).real.sum(-1)
        better = trial_loss <= loss[todo] + 1e-15 * (1 + np.abs(trial).sum(-1))
        moved[todo], won = better, todo[better]
        eta[won], loss[won] = trial[better], trial_loss[better]
        mean[won], info[won] = trial_mean[better], trial_info[better]
        damping[todo] = np.maximum(damping[todo] * np.where(better, 0.1, 10.0), _LEAST_DAMPING)
        todo = todo[~last & (damping[todo] < _MOST_DAMPING)]
        if not todo.size:
            break
    return eta.reshape(start.shape), lacking.reshape(start.shape[:-1])
