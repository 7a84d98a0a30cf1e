"""The generalised von Mises density: K harmonics on one circle (paper, section 3.3).

    log p(s) = Re Σ_k conj(η_k) e^{iks} − log Z = Σ_k κ_k cos(ks − μ_k) − log Z,     k = 1…K

The phase convention is the paper's, cos(ks − μ_k); PyRecEst and R's circular package write cos(k(s − μ_k)).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tsa import checks, trigpoly
from tsa.checks import Array, Rng
from tsa.credible import credible_arcs
from tsa.cumulative import Cumulative
from tsa.errors import ConvergenceError, InputError, ShapeError
from tsa.quadrature import Certificate, certificate, partition
from tsa.vonmises import bessel_ratio


class Modes(NamedTuple):
    """All modes of each density, heaviest first: (..., m), where m is the most any of the batch has.

    `mass` is the probability between the two valleys beside the mode; masses sum to 1. Rows with fewer
    modes end in nan angles of mass 0.
    """

    angle: Array
    mass: Array


@dataclass(frozen=True, eq=False)
class GeneralizedVonMises:
    """A batch of generalised von Mises densities; `eta` is complex (..., K), any entry may be zero.

    Angles that are given broadcast against the batch shape (...): to put one grid through many densities use
    `GeneralizedVonMises(eta[..., None, :])`. Angles that come out lie in [0, 2π). Everything is computed in
    double precision and answered in the precision of `eta`.
    """

    eta: Array

    def __init__(self, eta: ArrayLike) -> None:
        array = checks.complex_(eta, "eta")
        if array.ndim == 0:
            raise ShapeError("eta must have its harmonics in the last axis, shape (..., K); got a scalar.")
        object.__setattr__(self, "eta", checks.frozen(checks.finite(array, "eta")))

    @classmethod
    def from_conventional(cls, mu: ArrayLike, kappa: ArrayLike) -> "GeneralizedVonMises":
        """η_k = κ_k e^{iμ_k}."""
        return cls(checks.polar(kappa, mu))

    @classmethod
    def uniform(cls, harmonics: int = 0) -> "GeneralizedVonMises":
        """The uniform density."""
        return cls(np.zeros(harmonics, complex))

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch: () for one density."""
        return self.eta.shape[:-1]

    @property
    def harmonics(self) -> int:
        """The number K of harmonics."""
        return int(self.eta.shape[-1])

    @property
    def kappa(self) -> Array:
        """Concentration of each harmonic, κ_k = |η_k|."""
        return np.abs(self.eta)

    @property
    def mu(self) -> Array:
        """Phase of each harmonic, μ_k = arg η_k."""
        return np.angle(self.eta)

    # -- the normaliser and what follows from it ---------------------------------------------------------

    @cached_property
    def _eta64(self) -> Array:
        return self.eta.astype(np.complex128)

    @cached_property
    def _flat(self) -> Array:
        return self._eta64.reshape(int(np.prod(self.batch_shape)), self.harmonics)

    @cached_property
    def _cumulative(self) -> Cumulative:
        return Cumulative(self._flat)

    @cached_property
    def _partition(self) -> tuple[Array, Array, Array]:
        return partition(self._eta64, self.harmonics)

    @property
    def log_normalizer(self) -> Array:
        """log Z = log 2πI₀(κ; e^{−iμ}) (eq. GvM_Z), (...); `certificate` says how good it is."""
        return checks.precision_of(self.eta, self._partition[0])

    @property
    def certificate(self) -> Certificate:
        """Node count and guaranteed relative error of Z, as computed (in double precision)."""
        return certificate(np.abs(self._eta64), self._partition[2])

    def moments(self, n: int) -> Array:
        """E[e^{iks}] for k = 1…n: (..., n), for any n; each to an absolute error of rounding."""
        return checks.precision_of(self.eta, self._moments64(checks.whole(n)))

    def _moments64(self, n: int) -> Array:
        if n <= self.harmonics:
            return self._partition[1][..., :n]
        return partition(self._eta64, n)[1]

    def log_density(self, s: ArrayLike) -> Array:
        """log p(s); s broadcasts against the batch."""
        s = checks.finite(checks.real(s, "s"), "s")
        checks.common_shape("s and the batch", s.shape, self.batch_shape)
        return checks.precision_of(self.eta, trigpoly.evaluate(self._eta64, s) - self._partition[0])

    def density(self, s: ArrayLike) -> Array:
        """p(s); s broadcasts against the batch."""
        return np.exp(self.log_density(s))

    def entropy(self) -> Array:
        """Differential entropy in nats: log Z − Re Σ conj(η_k) E[e^{iks}]."""
        log_z, moments, _ = self._partition
        return checks.precision_of(self.eta, log_z - (self._eta64.conj() * moments).real.sum(-1))

    def kl(self, other: "GeneralizedVonMises") -> Array:
        """KL(self ‖ other) in nats, by the exponential-family identity; ≥ 0. K may differ."""
        checks.common_shape("The two batches", self.batch_shape, other.batch_shape)
        order = max(self.harmonics, other.harmonics)
        gap = self._padded(order) - other._padded(order)
        inner = (gap.conj() * self._moments64(order)).real.sum(-1)
        return checks.precision_of(self.eta, np.maximum(other._partition[0] - self._partition[0] + inner, 0.0))

    def fisher_information(self) -> Array:
        """Covariance of T = (cos s, sin s, …, cos Ks, sin Ks): (..., 2K, 2K), the Hessian of log Z."""
        return checks.precision_of(self.eta, self._fisher64())

    def _fisher64(self) -> Array:
        k = self.harmonics
        upto = np.concatenate([np.ones((*self.batch_shape, 1)), self._moments64(2 * k)], axis=-1)
        order = np.arange(1, k + 1)
        gap = order[:, None] - order
        minus = np.where(gap >= 0, upto[..., np.abs(gap)], upto[..., np.abs(gap)].conj())
        plus = upto[..., order[:, None] + order]
        mean = upto[..., 1 : k + 1]
        info = np.empty((*self.batch_shape, k, 2, k, 2))
        info[..., 0, :, 0] = (minus + plus).real / 2 - mean.real[..., :, None] * mean.real[..., None, :]
        info[..., 1, :, 1] = (minus - plus).real / 2 - mean.imag[..., :, None] * mean.imag[..., None, :]
        info[..., 0, :, 1] = (plus - minus).imag / 2 - mean.real[..., :, None] * mean.imag[..., None, :]
        info[..., 1, :, 0] = (plus + minus).imag / 2 - mean.imag[..., :, None] * mean.real[..., None, :]
        return info.reshape(*self.batch_shape, 2 * k, 2 * k)

    # -- distribution function, samples, sets ------------------------------------------------------------

    def _rows(self, like: Array) -> tuple[Array, Array]:
        """`like` broadcast against the batch, and the row each of its entries belongs to."""
        shape = checks.common_shape("The points and the batch", like.shape, self.batch_shape)
        index = np.arange(len(self._flat)).reshape(self.batch_shape)
        return np.broadcast_to(like, shape), np.broadcast_to(index, shape)

    def cdf(self, s: ArrayLike) -> Array:
        """F(s) = ∫_0^s p, so F(0) = 0, F(2π) = 1, and F grows by one with each further turn."""
        s, row = self._rows(checks.finite(checks.real(s, "s"), "s"))
        result = self._cumulative.cdf(row.ravel(), s.ravel().astype(np.float64))
        return checks.precision_of(self.eta, result.reshape(s.shape))

    def quantile(self, p: ArrayLike) -> Array:
        """The s in [0, 2π] with F(s) = p; p broadcasts against the batch."""
        p = checks.finite(checks.real(p, "p"), "p")
        if np.any((p < 0) | (p > 1)):
            raise InputError(f"p must lie between 0 and 1, got {p.min():.3g} to {p.max():.3g}.")
        return checks.precision_of(self.eta, self._quantile64(p))

    def _quantile64(self, p: Array) -> Array:
        p, row = self._rows(p)
        return self._cumulative.quantile(row.ravel(), p.ravel().astype(np.float64)).reshape(p.shape)

    def sample(self, n: int, rng: Rng = None) -> Array:
        """`n` independent exact draws from each density, by inverse cdf: (n, *batch)."""
        return checks.precision_of(
            self.eta, self._quantile64(checks.generator(rng).random((checks.whole(n), *self.batch_shape)))
        )

    def mode(self) -> Array:
        """Angle of the global maximum, proven to be global; 0 where the density is uniform."""
        return trigpoly.wrap(checks.precision_of(self.eta, trigpoly.argmax(self._flat).reshape(self.batch_shape)))

    def modes(self) -> Modes:
        """Every local maximum with its probability mass; a uniform density counts as one mode, at 0."""
        found = trigpoly.critical_points(self._flat)
        valley = np.flatnonzero(~found.is_maximum)
        upto = np.zeros(found.row.size)
        upto[valley] = self._cumulative.cdf(found.row[valley], found.angle[valley])
        angles, masses = weighed_modes(found, upto, len(self._flat))
        shape = (*self.batch_shape, angles.shape[1])
        return Modes(
            trigpoly.wrap(checks.precision_of(self.eta, angles.reshape(shape))),
            checks.precision_of(self.eta, masses.reshape(shape)),
        )

    def credible_set(self, p: float = 0.95) -> Array:
        """The smallest set of probability p, as arcs (..., a, 2) of (start, stop) where the density is highest.

        start lies in [0, 2π) and stop in (start, start + 2π]; rows with fewer arcs end in nan. A uniform
        density gives the whole circle, the only set its level lines can cut out.
        """
        if np.ndim(p) or not 0 < p <= 1:
            raise InputError(f"p must be one number in (0, 1], got {p!r}.")
        arcs = credible_arcs(self._flat, float(p))
        return checks.precision_of(self.eta, arcs.reshape(*self.batch_shape, *arcs.shape[1:]))

    # -- inference in time -------------------------------------------------------------------------------

    def _padded(self, harmonics: int) -> Array:
        missing = harmonics - self.harmonics
        return np.concatenate([self._eta64, np.zeros((*self.batch_shape, missing))], axis=-1)

    def fuse(self, other: "GeneralizedVonMises") -> "GeneralizedVonMises":
        """Normalised product of the two densities: η adds (conjugate update). K may differ."""
        checks.common_shape("The two batches", self.batch_shape, other.batch_shape)
        order = max(self.harmonics, other.harmonics)
        dtype = np.result_type(self.eta, other.eta)
        return GeneralizedVonMises((self._padded(order) + other._padded(order)).astype(dtype))

    def fuse_batch(self, axis: int = 0) -> "GeneralizedVonMises":
        """Product along one batch axis: what many pairs, moved by the same s, say together."""
        return GeneralizedVonMises(self.eta.sum(axis=checks.batch_axis(axis, self.batch_shape)))

    def diffuse(self, kappa: float) -> "GeneralizedVonMises":
        """Prediction after a random step with density VonMises(κ): moments multiply by I_k(κ)/I₀(κ).

        The result is the density of this family with the predicted moments 1…K.
        """
        kappa = checks.positive(kappa, "kappa")
        order = np.arange(1, self.harmonics + 1)
        moments = self._partition[1]
        # A first guess by variances: the sharpest feature, of variance v, widens to v + 1/κ.
        with np.errstate(divide="ignore"):
            variance = np.min(-2 * np.log(np.abs(moments)) / order**2, axis=-1, initial=np.inf)
        shrink = 1 / (1 + 1 / (kappa * np.maximum(variance, 1e-300)))
        predicted = matching_eta(moments * bessel_ratio(order, kappa), self._eta64 * shrink[..., None])
        return GeneralizedVonMises(predicted.astype(self.eta.dtype))


def weighed_modes(found: trigpoly.CriticalPoints, upto: Array, rows: int) -> tuple[Array, Array]:
    """Angles and masses of all maxima, heaviest first, (rows, most), from the cdf `upto` each minimum."""
    top = np.flatnonzero(found.is_maximum)
    row, angle = found.row[top], found.angle[top]
    # Maxima and minima alternate, so the neighbours of a maximum are the valleys that bound its mass.
    before, after = (neighbour[top] for neighbour in found.neighbours())
    mass = np.clip(upto[after] - upto[before] + (after <= before), 0.0, 1.0)

    order = np.lexsort((-mass, row))
    count = np.bincount(row, minlength=rows)
    place = np.arange(row.size) - (np.cumsum(count) - count)[row]
    width = max(1, int(count.max(initial=1)))
    angles, masses = np.full((rows, width), np.nan), np.zeros((rows, width))
    angles[row, place], masses[row, place] = angle[order], mass[order]
    angles[count == 0, 0], masses[count == 0, 0] = 0.0, 1.0
    return angles, masses


def matching_eta(moments: Array, start: Array, tolerance: float = 1e-7) -> Array:
    """The η (..., K) whose density has the given moments, to `tolerance` in each.

    Levenberg–Marquardt on the convex log Z(η) − Re Σ conj(η_k) m_k, whose gradient is the moment error and whose
    Hessian is the Fisher information. A sharp density hardly tells some directions of η apart, so the damping never
    vanishes, and a row that stops improving within a thousand times the tolerance is taken as it is.
    """
    if not start.size:
        return start
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
        info = GeneralizedVonMises(eta[todo])._fisher64() + damping[todo, None, None] * np.eye(2 * order)
        step = np.linalg.solve(info, np.ascontiguousarray(residual[todo]).view(np.float64)[..., None])[..., 0]
        trial = eta[todo] + np.ascontiguousarray(step).view(np.complex128)
        trial_loss, trial_residual = loss_at(trial, target[todo])
        slack = 1e-15 * (1 + np.abs(trial).sum(-1))
        better = trial_loss <= loss[todo] + slack
        won = todo[better]
        eta[won], loss[won], residual[won] = trial[better], trial_loss[better], trial_residual[better]
        damping[todo] *= np.where(better, 0.1, 10.0)
        damping = np.maximum(damping, 1e-11)
    if np.abs(residual).max() > 1e3 * tolerance:
        raise ConvergenceError(
            f"The density was matched only to {np.abs(residual).max():.1e} in its moments (wanted {tolerance:.0e}).",
            estimate=GeneralizedVonMises(eta.reshape(start.shape)),
        )
    return eta.reshape(start.shape)
