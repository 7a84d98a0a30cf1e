"""Answers with many digits, to hold our 16 against."""

import gmpy2
import mpmath as mp
import numpy as np

mp.mp.dps = 50
_BITS = 200


def log_normalizer(eta: np.ndarray, oversample: float = 1.0) -> mp.mpf:
    """log ∫ exp E by the trapezoid rule in 60-digit arithmetic, with nodes enough for 30 digits.

    Only nodes within e^-80 of the top are evaluated: the others could not change the 30th digit.
    """
    k = np.arange(1, eta.size + 1)
    curvature = float((k**2 * np.abs(eta)).sum())
    n = int(oversample * (40 + 4 * eta.size + 13 * np.sqrt(curvature)))
    # One pass in double precision finds the nodes that matter.
    grid = n * np.fft.irfft(np.concatenate([[0], eta.conj() / 2]), n)
    keep = np.flatnonzero(grid > grid.max() - 80 - 1e-9 * np.abs(eta).sum())
    with gmpy2.context(gmpy2.get_context(), precision=_BITS):
        coefficients = [gmpy2.mpc(complex(e.conjugate())) for e in eta[::-1]]
        step = 2 * gmpy2.const_pi() / n
        energies = []
        for m in keep:
            z = gmpy2.mpc(gmpy2.cos(step * int(m)), gmpy2.sin(step * int(m)))
            total = gmpy2.mpc(0)
            for c in coefficients:
                total = (total + c) * z
            energies.append(total.real)
        top = max(energies, default=gmpy2.mpfr(0))
        result = top + gmpy2.log(gmpy2.fsum([gmpy2.exp(e - top) for e in energies]) * step)
        numerator, denominator = result.as_integer_ratio()
    return mp.mpf(int(numerator)) / int(denominator)


def integral(function, eta: np.ndarray, stop: float = float(2 * np.pi)) -> mp.mpf:
    """∫_0^stop function(s, exp E(s)) ds by adaptive Gauss–Legendre, to 25 digits."""
    coefficients = [mp.mpc(complex(e.conjugate())) for e in eta]

    def integrand(s):
        return function(s, mp.exp(mp.re(sum(c * mp.expj(k * s) for k, c in enumerate(coefficients, 1)))))

    with mp.workdps(25):
        return mp.quad(integrand, mp.linspace(0, mp.mpf(stop), 33), method="gauss-legendre")


def bessel(kappa: float) -> tuple[mp.mpf, mp.mpf]:
    """log 2πI₀(κ)e^{−κ} and I₁(κ)/I₀(κ) − 1 in many digits; by the asymptotic series where mpmath takes minutes."""
    if kappa < 1e4:
        zero, one = mp.besseli(0, kappa), mp.besseli(1, kappa)
        return mp.log(2 * mp.pi * zero) - kappa, one / zero - 1

    def series(n: int) -> mp.mpf:  # of I_n(κ)e^{−κ}√(2πκ); Abramowitz & Stegun 9.7.1
        total = term = mp.mpf(1)
        for j in range(1, 12):
            term *= -(4 * n * n - (2 * j - 1) ** 2) / (8 * j * kappa)
            total += term
        return total

    return mp.log(mp.sqrt(2 * mp.pi / kappa) * series(0)), series(1) / series(0) - 1
