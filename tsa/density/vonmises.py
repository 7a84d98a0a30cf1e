"""The von Mises density on one circle (paper, section 3), in natural parameters as a complex number.

log p(φ) = Re(conj(η) e^{iφ}) − log 2πI₀(|η|),      κ = |η|,  μ = arg η
"""

from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import i0e, i1e

from tsa._base import Array, InputError, Rng, checks
from tsa.density._shared import CircleMethods
from tsa.density.fitting import CircleFit, fit_one_harmonic
from tsa.density.generalized import GeneralizedVonMises
from tsa.density.numerics import (
    bessel_ratio,
    one_harmonic_diffused,
    one_harmonic_information,
    one_minus_ratio,
    ratio_over_kappa,
    wrap,
)
from tsa.density.protocol import Certificate, Density, Modes

_NUMPY_SAMPLES_TO = 1e6  # beyond, numpy's von Mises sampler answers with a normal distribution


@dataclass(frozen=True, eq=False, repr=False)
class VonMises(CircleMethods):
    """A batch of von Mises densities; `eta` is complex, its shape is that of the batch, |eta| any finite number.

    It answers everything that `GeneralizedVonMises(eta[..., None])` answers, its equal, and works together with it.
    Where a closed form exists it is used, so that all but `cdf`, `quantile` and `credible_set` are right to rounding
    at any κ. Angles that are given broadcast against the batch shape; angles that come out lie in [0, 2π), while the
    parameter μ = arg η lies in (−π, π]. Answers have the precision of `eta`.

    >>> p = tsa.VonMises(2j)  # κ = 2, μ = π/2
    >>> print(p.kappa, p.mu.round(3), p.density(p.mu).round(3))
    2.0 1.571 0.516
    """

    eta: Array

    def __init__(self, eta: ArrayLike) -> None:
        object.__setattr__(self, "eta", checks.frozen(checks.finite(checks.complex_(eta, "eta"), "eta")))

    @classmethod
    def from_conventional(cls, *, mu: ArrayLike, kappa: ArrayLike) -> "VonMises":
        """η = κ e^{iμ} (eq. conventional_to_natural); by name only, because other functions have the other order.

        >>> tsa.VonMises.from_conventional(mu=np.pi, kappa=2).eta.real
        array(-2.)
        """
        return cls(checks.natural_parameter(kappa, mu))

    @classmethod
    def uniform(cls) -> "VonMises":
        """The uniform density.

        >>> print(tsa.VonMises.uniform().density(0.0).round(4))
        0.1592
        """
        return cls(0.0)

    @classmethod
    def fit(cls, angles: ArrayLike, weights: ArrayLike | None = None) -> "CircleFit[VonMises]":
        """The density of highest likelihood for `angles` (n, *batch), at any concentration.

        An angle of weight w (`weights` (n,) or like the angles) counts as w observations. The result has the density,
        its standard errors and a test of the fit.

        >>> angles = tsa.VonMises(2j).sample(5000, rng=0)
        >>> print(tsa.VonMises.fit(angles).density.kappa.round())
        2.0
        """
        return fit_one_harmonic(cls, angles, weights)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch: () for one density."""
        return self.eta.shape

    @property
    def harmonics(self) -> int:
        """1, the number of harmonics."""
        return 1

    @cached_property
    def generalized(self) -> GeneralizedVonMises:
        """The same densities as a `GeneralizedVonMises` of one harmonic."""
        return GeneralizedVonMises(self.eta[..., None])

    @property
    def _restricted(self) -> Array:
        """Which of the batch have the phases 0 and π only: none here, see `TwoPointVonMises`."""
        return np.zeros((), bool)

    # -- the normaliser and what follows from it ---------------------------------------------------------

    @cached_property
    def _kappa64(self) -> Array:
        return np.abs(self.eta.astype(np.complex128))

    @cached_property
    def _mu64(self) -> Array:
        return np.angle(self.eta.astype(np.complex128))

    @cached_property
    def _log_normalizer64(self) -> Array:
        return self._kappa64 + self._minus_log_peak

    @cached_property
    def _minus_log_peak(self) -> Array:
        """−log p(μ) = log 2πI₀(κ)e^{−κ}."""
        return np.log(2 * np.pi * i0e(self._kappa64))

    @cached_property
    def _mean_gap(self) -> Array:
        """1 − |E[e^{iφ}]| = 1 − I₁(κ)/I₀(κ)."""
        return one_minus_ratio(self._kappa64)

    @property
    def log_normalizer(self) -> Array:
        """log 2πI₀(κ)."""
        return checks.precision_of(self.eta, self._log_normalizer64)

    def log_normalizer_only(self) -> Array:
        """log 2πI₀(κ) in double precision.

        >>> p = tsa.VonMises(2.0)
        >>> np.allclose(p.log_normalizer_only(), p.log_normalizer)
        True
        """
        return self._log_normalizer64

    @property
    def certificate(self) -> Certificate:
        """Guaranteed relative error of Z, as computed (in double precision): no nodes, no truncation, only rounding."""
        nothing = np.zeros(self.batch_shape)
        # Two roundings in κ and one in the sum, and three units in I₀, π and the logarithm.
        rounding = np.finfo(np.float64).eps * (4 + 2 * self._kappa64)
        return Certificate(nothing.astype(np.int64), nothing, rounding)

    def log_density(self, phi: ArrayLike) -> Array:
        """log p(φ), with 1 − cos taken as 2 sin² so that nothing cancels near the peak of a sharp density.

        >>> print(tsa.VonMises(2.0).log_density(0.0).round(3))
        -0.662
        """
        phi = checks.finite(checks.real(phi, "phi"), "phi")
        checks.common_shape("phi and the batch", phi.shape, self.batch_shape)
        below_peak = 2 * self._kappa64 * np.sin((phi.astype(np.float64) - self._mu64) / 2) ** 2
        return checks.precision_of(self.eta, -below_peak - self._minus_log_peak)

    def density(self, phi: ArrayLike) -> Array:
        """p(φ).

        >>> tsa.VonMises(2.0).density([0, np.pi]).round(3)
        array([0.516, 0.009])
        """
        return np.exp(self.log_density(phi))

    def moment(self, n: int) -> Array:
        """E[e^{inφ}] = I_n(κ)/I₀(κ) · e^{inμ}: (...).

        >>> print(tsa.VonMises(2.0).moment(1).real.round(4))
        0.6978
        """
        if np.ndim(n) or n != int(n):
            raise InputError(f"The order of a moment is a whole number; got {n!r}. For several use `moments`.")
        return self.moments([int(n)])[..., 0]

    def moments(self, orders: ArrayLike) -> Array:
        """E[e^{inφ}] for each n in integer `orders` (m,) or (m, 1), or for 1…n if one whole number n: (..., m).

        >>> tsa.VonMises(2.0).moments([1, 2, 3]).real.round(3)
        array([0.698, 0.302, 0.093])
        """
        n = checks.harmonics(orders, 1)[:, 0]
        size = bessel_ratio(np.abs(n), self._kappa64[..., None])
        return checks.precision_of(self.eta, size * np.exp(1j * n * self._mu64[..., None]))

    def entropy(self) -> Array:
        """Differential entropy in nats: log 2πI₀(κ) − κ I₁(κ)/I₀(κ).

        >>> print(tsa.VonMises(0.0).entropy().round(4), np.log(2 * np.pi).round(4))
        1.8379 1.8379
        """
        return checks.precision_of(self.eta, self._minus_log_peak + self._kappa64 * self._mean_gap)

    def kl(self, other: Density) -> Array:
        """KL(self ‖ other) in nats, by the exponential-family identity; ≥ 0. `other` is any density on the circle.

        >>> print(tsa.VonMises(2.0).kl(tsa.VonMises(0.0)).round(3))
        0.572
        """
        if not isinstance(other, VonMises):
            return self.generalized.kl(other)
        checks.common_shape("The two batches", self.batch_shape, other.batch_shape)
        if np.any(self._restricted != other._restricted):
            raise InputError("Between a phase that is 0 or π and one that is any angle the divergence is infinite.")
        mine, its, gap = self._kappa64, other._kappa64, self._mean_gap
        # Both normalisers contain e^κ: factored out here, so that large terms do not cancel in floating point.
        kl = other._minus_log_peak - self._minus_log_peak + (its - mine) * gap
        apart = 2 * its * (1 - gap) * np.sin((self._mu64 - other._mu64) / 2) ** 2
        return checks.precision_of(self.eta, np.maximum(kl + apart, 0.0))

    def fisher_information(self) -> Array:
        """Covariance of (cos φ, sin φ): (..., 2, 2), the Hessian of log 2πI₀(|η|).

        >>> tsa.VonMises(0.0).fisher_information().round(2)
        array([[0.5, 0. ],
               [0. , 0.5]])
        """
        return checks.precision_of(self.eta, one_harmonic_information(self.eta.astype(np.complex128)))

    def mean(self) -> Array:
        """Circular mean in [0, 2π), the same as the mode; nan where the density is uniform.

        >>> print(tsa.VonMises(2j).mean().round(3))
        1.571
        """
        return checks.precision_of(self.eta, np.where(self._kappa64 > 0, self.mode(), np.nan))

    def std(self) -> Array:
        """Circular standard deviation √(−2 log I₁(κ)/I₀(κ)); inf where the density is uniform.

        >>> print(tsa.VonMises(2.0).std().round(3))
        0.848
        """
        kappa = self._kappa64
        with np.errstate(divide="ignore"):
            small = np.log(kappa * ratio_over_kappa(kappa))
        log_length = np.where(kappa < 1, small, np.log1p(-one_minus_ratio(np.maximum(kappa, 1.0))))
        return checks.precision_of(self.eta, np.sqrt(-2 * log_length))

    # -- points and sets ---------------------------------------------------------------------------------

    def cdf(self, phi: ArrayLike) -> Array:
        """F(φ) = ∫_0^φ p, so F(0) = 0, F(2π) = 1, and F grows by one with each further turn.

        >>> tsa.VonMises(2.0).cdf([0, np.pi, 2 * np.pi]).round(3)
        array([0. , 0.5, 1. ])
        """
        return self.generalized.cdf(phi)

    def quantile(self, p: ArrayLike) -> Array:
        """The φ in [0, 2π) with F(φ) = p, and 2π for p = 1; p broadcasts against the batch.

        >>> tsa.VonMises(-2.0).quantile([0.25, 0.5, 0.75]).round(3)
        array([2.612, 3.142, 3.671])
        """
        return self.generalized.quantile(p)

    def mode(self) -> Array:
        """μ in [0, 2π); 0 where the density is uniform.

        >>> print(tsa.VonMises(-2j).mode().round(3))
        4.712
        """
        return wrap(checks.precision_of(self.eta, wrap(self._mu64)))

    def modes(self) -> Modes:
        """The mode with mass 1: (..., 1).

        >>> tsa.VonMises(-2j).modes().angle.round(3)
        array([4.712])
        """
        return Modes(self.mode()[..., None], checks.precision_of(self.eta, np.ones((*self.batch_shape, 1))))

    def credible_set(self, p: float = 0.95) -> Array:
        """The smallest set of probability p, as one arc (..., 1, 2) of (start, stop); start lies in [0, 2π).

        >>> np.degrees(tsa.VonMises(-2.0).credible_set(0.9)).round(1)
        array([[ 98.8, 261.2]])
        """
        return self.generalized.credible_set(p)

    def sample(self, n: int, rng: Rng = None) -> Array:
        """`n` independent exact draws from each density, in [0, 2π): (n, *batch).

        >>> tsa.VonMises([1.0, 2j]).sample(5, rng=0).shape
        (5, 2)
        """
        rng, shape = checks.generator(rng), (checks.whole(n), *self.batch_shape)
        kappa = np.broadcast_to(self._kappa64, shape)
        turned = rng.vonmises(0.0, np.minimum(kappa, _NUMPY_SAMPLES_TO))
        sharp = kappa > _NUMPY_SAMPLES_TO
        turned[sharp] = _sharp_draws(kappa[sharp], rng)
        return wrap(checks.precision_of(self.eta, wrap(turned + self._mu64)))

    # -- inference in time -------------------------------------------------------------------------------

    @overload
    def fuse(self, other: "VonMises") -> "VonMises": ...
    @overload
    def fuse(self, other: GeneralizedVonMises) -> GeneralizedVonMises: ...
    def fuse(self, other: "VonMises | GeneralizedVonMises") -> "VonMises | GeneralizedVonMises":
        """Normalised product of the two densities: η adds (conjugate update). The more general kind of the two.

        >>> tsa.VonMises(2.0).fuse(tsa.VonMises(1j)).eta
        array(2.+1.j)
        """
        if not isinstance(other, VonMises):
            return self.generalized.fuse(other)
        if other._restricted.any():
            return other.fuse(self)
        checks.common_shape("The two batches", self.batch_shape, other.batch_shape)
        return VonMises(self.eta + other.eta)

    def diffuse(self, kappa: float) -> "VonMises":
        """Prediction after a random step with density VonMises(κ): the first moment multiplies by I₁(κ)/I₀(κ).

        >>> print(abs(tsa.VonMises(2.0).diffuse(5.0).moment(1)).round(3))
        0.623
        """
        predicted = one_harmonic_diffused(self.eta.astype(np.complex128), checks.positive(kappa, "kappa"))
        return VonMises(predicted.astype(self.eta.dtype))


def _sharp_draws(kappa: Array, rng: np.random.Generator) -> Array:
    """One draw for each κ > 1e6, with μ = 0.

    In u = 2√κ sin(φ/2) the density is e^{−u²/2} / √(1 − u²/4κ): a normal one, of which some are rejected. Draws beyond
    |u| = 40 have a probability below e^{−800} and are rejected too.
    """
    u = np.empty(kappa.shape)
    todo = np.arange(kappa.size)
    while todo.size:
        u[todo] = rng.standard_normal(todo.size)
        room, least = 1 - u[todo] ** 2 / (4 * kappa[todo]), 1 - 1600 / (4 * kappa[todo])
        accepted = (room >= least) & (rng.random(todo.size) <= np.sqrt(least / np.maximum(room, least)))
        todo = todo[~accepted]
    draws: Array = 2 * np.arcsin(u / (2 * np.sqrt(kappa)))
    return draws


def mean_rotation(eta: Array) -> Array:
    """E[e^{iφ}] = I₁(κ)/I₀(κ) · η/κ, the derivative of log I₀(|η|); keeps the dtype, 0 at η = 0."""
    kappa = np.abs(eta)
    if eta.dtype == np.complex64:
        return eta * _ratio32(kappa)
    return eta * np.divide(i1e(kappa), kappa * i0e(kappa), out=np.full_like(kappa, 0.5), where=kappa > 0)


def _fit_ratio(degree: int = 16) -> list[np.float32]:
    """Polynomial in t = (κ − 3)/(κ + 3) for (κ + 3) I₁(κ)/(κ I₀(κ)), highest power first; good to 1e-6 for all κ."""

    def target(t: Array) -> Array:
        kappa = np.maximum(3 * (1 + t) / (1 - t), 1e-12)
        return (kappa + 3) * i1e(kappa) / (kappa * i0e(kappa))

    series: Array = np.polynomial.chebyshev.chebinterpolate(target, degree)
    return list(np.polynomial.chebyshev.cheb2poly(series)[::-1].astype(np.float32))


_RATIO32 = _fit_ratio()


def _ratio32(kappa: Array) -> Array:
    """I₁(κ)/(κ I₀(κ)) in single precision, ten times faster than two Bessel functions; every training step calls it."""
    shifted = kappa + np.float32(3)
    t = (kappa - np.float32(3)) / shifted
    value = np.full_like(kappa, _RATIO32[0])
    for coefficient in _RATIO32[1:]:
        value *= t
        value += coefficient
    value /= shifted
    return value
