"""The generalised von Mises density: K harmonics on one circle (paper, section 3.3).

    log p(s) = Re Σ_k conj(η_k) e^{iks} − log Z = Σ_k κ_k cos(ks − μ_k) − log Z,     k = 1…K

The phase convention is the paper's, cos(ks − μ_k); PyRecEst and R's circular package write cos(k(s − μ_k)).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, ConvergenceError, InputError, Rng, ShapeError, checks
from tsa.density.numerics import (
    Cumulative,
    certificate,
    credible_arcs,
    fisher_information,
    matching_eta,
    partition,
    trigpoly,
    weighed_modes,
)
from tsa.density.protocol import Certificate, Modes
from tsa.density.vonmises import bessel_ratio

_MOMENT_TOLERANCE = 1e-7  # of a predicted moment; rows that stop improving within a thousand times this are accepted


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
        return cls(checks.natural_parameter(kappa, mu))

    @classmethod
    def uniform(cls, harmonics: int = 0) -> "GeneralizedVonMises":
        """The uniform density."""
        return cls(np.zeros(harmonics, complex))

    @property
    def parameters(self) -> int:
        """1: these are densities on the circle."""
        return 1

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
        """log Z = log 2πI₀(κ; e^{−iμ}) (eq. GvM_Z), (...); `certificate` bounds its error."""
        return checks.precision_of(self.eta, self._partition[0])

    @property
    def certificate(self) -> Certificate:
        """Node count and guaranteed relative error of Z, as computed (in double precision)."""
        return certificate(np.abs(self._eta64), self._partition[2])

    def log_normalizer_only(self) -> Array:
        """log Z in double precision, (...), without the moments: fewer nodes, so the last bits may differ."""
        return partition(self._eta64)[0]

    def moments(self, n: int | Array) -> Array:
        """E[e^{iks}] for k = 1…n: (..., n), for any n; each to an absolute error of rounding.

        Or, as on the torus, for the orders k > 0 in an integer array (m, 1): (..., m).
        """
        if isinstance(n, np.ndarray):
            if n.ndim != 2 or n.shape[1] != 1 or n.dtype.kind not in "iu" or n.min(initial=1) < 1:
                raise ShapeError(f"Orders must be positive integers (m, 1); got {n.dtype} {n.shape}.")
            upto = self._moments64(checks.whole(int(n.max(initial=0))))
            return checks.precision_of(self.eta, upto[..., n[:, 0] - 1])
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
        return checks.precision_of(self.eta, fisher_information(self._moments64(2 * self.harmonics)))

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
        density gives the whole circle, its only level set.
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
        """Product along one batch axis: the posterior of many pairs that were moved by the same s."""
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
        wanted, guess = moments * bessel_ratio(order, kappa), self._eta64 * shrink[..., None]
        predicted, error = matching_eta(wanted, guess, _MOMENT_TOLERANCE)
        if error > 1e3 * _MOMENT_TOLERANCE:
            raise ConvergenceError(
                f"The density was matched only to {error:.1e} in its moments (wanted {_MOMENT_TOLERANCE:.0e}).",
                estimate=GeneralizedVonMises(predicted),
            )
        return GeneralizedVonMises(predicted.astype(self.eta.dtype))
