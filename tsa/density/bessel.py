"""Modified generalised Bessel functions of many variables (paper, eq. GvM_Z; Dattoli et al. 1991).

They are the Fourier coefficients of exp(Σ_k κ_k cos(ks − μ_k)) = Σ_n I_n(κ; e^{−iμ}) e^{ins}, so one FFT gives
all orders at once, with the certified node count of `numerics`. The series of products of ordinary Bessel functions is
equal on paper but cancels catastrophically in floating point.
"""

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError, checks
from tsa.density.numerics import partition


def generalized_bessel(n: ArrayLike, kappa: ArrayLike, mu: ArrayLike) -> Array:
    """I_n(κ; e^{−iμ}) for every order in `n`: kappa and mu are (..., K), the result (..., *n.shape), complex.

    I_{−n} is the conjugate of I_n. The error is a rounding error of I_0: orders so high that I_n ≪ I_0 keep few digits
    of their own. I_n grows like e^{max E} and overflows beyond max E ≈ 700; use the log normaliser and moments of
    `GeneralizedVonMises` there.

    >>> from scipy.special import iv
    >>> np.allclose(tsa.generalized_bessel([0, 1], [2.0], [0.0]), iv([0, 1], 2.0))
    True
    """
    orders = np.asarray(n)
    if orders.dtype.kind not in "iu":
        raise InputError(f"The order n must be an integer or integers, got dtype {orders.dtype}.")
    eta = checks.finite(checks.natural_parameter(kappa, mu), "kappa and mu")
    if np.ndim(kappa) == 0:
        raise ShapeError("kappa and mu have their K variables in the last axis, shape (..., K); got a number.")
    most = checks.whole(int(np.abs(orders).max(initial=0)), "the order n")
    log_z, moments, _ = partition(eta.astype(np.complex128), most)
    if np.any(log_z > (88.0 if eta.dtype == np.complex64 else 709.0)):
        raise InputError(
            f"I_n overflows here (log I_0 = {log_z.max() - np.log(2 * np.pi):.4g}); "
            "use GeneralizedVonMises(...).log_normalizer and .moments instead."
        )
    ladder = np.concatenate([np.ones((*eta.shape[:-1], 1)), moments.conj()], axis=-1)
    ladder *= (np.exp(log_z) / (2 * np.pi))[..., None]
    picked = ladder[..., np.abs(orders)]
    result: Array = np.where(orders >= 0, picked, picked.conj())
    return result.astype(np.complex64) if eta.dtype == np.complex64 else result
