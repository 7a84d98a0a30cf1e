"""The Bessel ratio A(κ) = I₁(κ)/I₀(κ), the mean length of a von Mises density: complement, slope and inverse.

Beyond κ = 40 by the series in 1/κ that the equation A′ = 1 − A/κ − A² determines: there 1 − A and A′ are small
differences of large numbers.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import i0e, i1e, ive

from tsa._base import Array

_SERIES_FROM = 40.0
_LARGEST_IVE = 1e8  # scipy's `ive` returns nan from about 1.1e9 on; the limit below is exact long before


def _coefficients(terms: int = 20) -> Array:
    """a_j of A(κ) = 1 + Σ_j a_j κ^{−j}, j = 0…terms; the last one is below 1e-20 of the first at κ = 40."""
    a = np.zeros(terms + 1)
    a[0] = 1.0
    for j in range(1, terms + 1):
        a[j] = ((j - 2) * a[j - 1] - a[1:j] @ a[j - 1 : 0 : -1]) / 2
    return a


_SERIES = _coefficients()


def bessel_ratio(n: ArrayLike, kappa: ArrayLike) -> Array:
    """I_n(κ)/I₀(κ); beyond κ = 1e8 by its limit e^{−n²/2κ}."""
    n, kappa = np.asarray(n), np.asarray(kappa)
    usual = np.minimum(kappa, _LARGEST_IVE)
    sharp = np.exp(-(n.astype(np.float64) ** 2) / (2 * np.maximum(kappa, _LARGEST_IVE)))
    return np.where(kappa <= _LARGEST_IVE, ive(n, usual) / i0e(usual), sharp)


def one_minus_ratio(kappa: Array) -> Array:
    """1 − I₁(κ)/I₀(κ), to a relative error of rounding."""
    inverse = 1 / np.maximum(kappa, _SERIES_FROM)
    series = -inverse * np.polynomial.polynomial.polyval(inverse, _SERIES[1:])
    return np.where(kappa > _SERIES_FROM, series, (i0e(kappa) - i1e(kappa)) / i0e(kappa))


def ratio_slope(kappa: Array) -> Array:
    """A′(κ) = 1 − A/κ − A², the variance of cos(φ − μ); ½ at κ = 0."""
    inverse = 1 / np.maximum(kappa, _SERIES_FROM)
    orders = np.arange(1, _SERIES.size)
    series = -(inverse**2) * np.polynomial.polynomial.polyval(inverse, orders * _SERIES[1:])
    ratio = i1e(kappa) / i0e(kappa)
    return np.where(kappa > _SERIES_FROM, series, 1 - ratio_over_kappa(kappa) - ratio**2)


def ratio_over_kappa(kappa: Array) -> Array:
    """A(κ)/κ, the variance of sin(φ − μ); ½ at κ = 0."""
    tiny = kappa < 1e-150  # κ I₀(κ) would underflow
    safe = np.where(tiny, 1.0, kappa)
    return np.where(tiny, 0.5, i1e(safe) / i0e(safe) / safe)


def concentration(one_minus_mean_length: Array) -> Array:
    """The κ with 1 − A(κ) = d for d in (0, 1]: the inverse of `one_minus_ratio`."""
    d = np.asarray(one_minus_mean_length, np.float64)
    inside = d < 1
    d = np.where(inside, d, 0.5)
    length = 1 - d
    # A rational guess, right in both limits, then Newton steps for log(A/(1 − A)) as a function of log κ: its slope
    # lies between 1 and 1.6, so they converge from anywhere.
    kappa = length * (2 - length**2) / (d * (2 - d))
    for _ in range(6):
        gap = one_minus_ratio(kappa)
        ratio = kappa * ratio_over_kappa(kappa)
        slope = np.where(kappa > 1e100, 1.0, kappa * ratio_slope(kappa) / (ratio * gap))  # A′ underflows at 1e150
        kappa = kappa * np.exp((np.log(length / d) - np.log(ratio / gap)) / slope)
    return np.where(inside, kappa, 0.0)


def one_harmonic_information(eta: Array) -> Array:
    """Covariance of (cos s, sin s) of von Mises densities `eta` (...): (..., 2, 2), the Hessian of log 2πI₀(|η|)."""
    kappa, mu = np.abs(eta), np.angle(eta)
    along, across, c, s = ratio_slope(kappa), ratio_over_kappa(kappa), np.cos(mu), np.sin(mu)
    mixed = (along - across) * c * s
    rows = [[along * c**2 + across * s**2, mixed], [mixed, along * s**2 + across * c**2]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def one_harmonic_diffused(eta: Array, kappa: float) -> Array:
    """Von Mises densities `eta` (...) after a step of density VonMises(κ): the first moment takes I₁(κ)/I₀(κ)."""
    mine, step = one_minus_ratio(np.abs(eta)), one_minus_ratio(np.asarray(kappa))
    return np.asarray(concentration(mine + step - mine * step) * np.exp(1j * np.angle(eta)))
