"""The von Mises density on one circle (paper, section 3), in natural parameters as a complex number.

log p(φ) = Re(conj(η) e^{iφ}) − log 2πI₀(|η|),      κ = |η|,  μ = arg η
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import i0e, i1e, ive

from tsa._base import Array, InputError, Rng, checks


@dataclass(frozen=True, eq=False)
class VonMises:
    """A batch of von Mises densities; `eta` is complex, of any shape, |eta| from 0 (uniform) to 1e8.

    Angles that are given broadcast against the batch shape; angles that come out lie in (−π, π], like μ.
    Answers have the precision of `eta`.
    """

    eta: Array

    def __init__(self, eta: ArrayLike) -> None:
        object.__setattr__(self, "eta", checks.frozen(checks.finite(checks.complex_(eta, "eta"), "eta")))

    @classmethod
    def from_conventional(cls, mu: ArrayLike, kappa: ArrayLike) -> "VonMises":
        """η = κ e^{iμ} (eq. conventional_to_natural)."""
        return cls(checks.natural_parameter(kappa, mu))

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch: () for one density."""
        return self.eta.shape

    @property
    def kappa(self) -> Array:
        """Concentration κ = |η| (eq. natural_to_conventional)."""
        return np.abs(self.eta)

    @property
    def mu(self) -> Array:
        """Mean direction μ = arg η; 0 where the density is uniform."""
        return np.angle(self.eta)

    @cached_property
    def _kappa64(self) -> Array:
        return np.abs(self.eta.astype(np.complex128))

    @cached_property
    def _log_normalizer64(self) -> Array:
        return self._kappa64 + np.log(2 * np.pi * i0e(self._kappa64))

    @property
    def log_normalizer(self) -> Array:
        """log 2πI₀(κ)."""
        return checks.precision_of(self.eta, self._log_normalizer64)

    def log_density(self, phi: ArrayLike) -> Array:
        """log p(φ), with 1 − cos taken as 2 sin² so that nothing cancels near the peak of a sharp density."""
        half = (
            checks.finite(checks.real(phi, "phi"), "phi").astype(np.float64) - np.angle(self.eta.astype(np.complex128))
        ) / 2
        below_peak = 2 * self._kappa64 * np.sin(half) ** 2
        return checks.precision_of(self.eta, -below_peak - np.log(2 * np.pi * i0e(self._kappa64)))

    def density(self, phi: ArrayLike) -> Array:
        """p(φ)."""
        return np.exp(self.log_density(phi))

    def moment(self, n: int) -> Array:
        """E[e^{inφ}] = I_n(κ)/I₀(κ) · e^{inμ}."""
        if n != int(n):
            raise InputError(f"The order of a moment is a whole number; got {n!r}.")
        size = bessel_ratio(abs(n), self._kappa64)
        return checks.precision_of(self.eta, size * np.exp(1j * n * np.angle(self.eta.astype(np.complex128))))

    def entropy(self) -> Array:
        """Differential entropy in nats: log 2πI₀(κ) − κ I₁(κ)/I₀(κ)."""
        kappa = self._kappa64
        return checks.precision_of(self.eta, np.log(2 * np.pi * i0e(kappa)) + kappa * _one_minus_ratio(kappa))

    def kl(self, other: "VonMises") -> Array:
        """KL(self ‖ other) in nats, by the exponential-family identity; ≥ 0."""
        mine, its = self._kappa64, other._kappa64
        half = (np.angle(self.eta.astype(np.complex128)) - np.angle(other.eta.astype(np.complex128))) / 2
        mean_length = 1 - _one_minus_ratio(mine)
        # Both normalisers contain e^κ: factored out here, so that large terms do not cancel in floating point.
        kl = np.log(i0e(its) / i0e(mine)) + (its - mine) * _one_minus_ratio(mine)
        return checks.precision_of(self.eta, np.maximum(kl + 2 * its * mean_length * np.sin(half) ** 2, 0.0))

    def sample(self, n: int, rng: Rng = None) -> Array:
        """`n` draws from each density: (n, *batch)."""
        draws = checks.generator(rng).vonmises(self.mu, self._kappa64, size=(n, *self.batch_shape))
        return checks.precision_of(self.eta, draws)

    def fuse(self, other: "VonMises") -> "VonMises":
        """Normalised product of the two densities: η adds (conjugate update)."""
        return VonMises(self.eta + other.eta)


def bessel_ratio(n: ArrayLike, kappa: ArrayLike) -> Array:
    """I_n(κ)/I₀(κ); beyond κ = 1e8 by its limit e^{−n²/2κ}, because scipy's Bessel functions return nan there."""
    n, kappa = np.asarray(n), np.asarray(kappa)
    usual = np.minimum(kappa, 1e8)
    sharp = np.exp(-(n**2) / (2 * np.maximum(kappa, 1e8)))
    return np.where(kappa <= 1e8, ive(n, usual) / i0e(usual), sharp)


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


def _one_minus_ratio(kappa: Array) -> Array:
    """1 − I₁(κ)/I₀(κ); beyond κ = 1000 by its asymptotic series, where the difference would cancel."""
    inverse = 1 / np.maximum(kappa, 1000.0)
    series = inverse * (1 / 2 + inverse * (1 / 8 + inverse * (1 / 8 + inverse * 25 / 128)))
    return np.where(kappa > 1000.0, series, (i0e(kappa) - i1e(kappa)) / i0e(kappa))
