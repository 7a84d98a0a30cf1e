"""Orthonormal filters, as complex pairs or real columns: checked, or replaced by the nearest ones (polar factor)."""

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, NotOrthonormalError, checks

# Tolerance on |WᵀW − I| for filters of either precision: half the digits.
HALF_OF_SINGLE, HALF_OF_DOUBLE = (float(np.finfo(dtype).eps ** 0.5) for dtype in (np.float32, np.float64))


def nearest_orthonormal(w: Array) -> Array:
    """U Vᵀ of the singular value decomposition w = U S Vᵀ, for w (D, n) of full column rank; keeps the dtype.

    It is w (wᵀw)^{−1/2}, and the inverse root of the small Gram matrix comes from the coupled Newton–Schulz
    iteration, which is matrix products only.
    """
    return w @ _inverse_root(w.T @ w)


def _inverse_root(gram: Array) -> Array:
    """gram^{−1/2}: Newton–Schulz, or eigenvectors where the spectrum is too wide for that (3 times its mean)."""
    n, diagonal = len(gram), slice(None, None, len(gram) + 1)
    scale = gram.trace() / n
    good = np.finfo(gram.dtype).eps ** 0.5  # convergence is quadratic: the step after this gap ends in rounding
    y, z = gram / scale, None
    for _ in range(15):
        step = -y if z is None else z @ -y  # will be (3 − zy)/2
        step.flat[diagonal] += 1
        gap = np.sqrt(np.vdot(step, step) / n)
        if not gap < 2:
            break
        step *= 0.5
        step.flat[diagonal] += 1
        z = step if z is None else step @ z
        if gap < good:
            return z / np.sqrt(scale)
        y = y @ step
    values, vectors = np.linalg.eigh(gram.astype(np.float64))
    return ((vectors / np.sqrt(np.maximum(values, np.finfo(np.float64).tiny))) @ vectors.T).astype(gram.dtype)


def real_columns(filters: Array) -> Array:
    """The real filters behind complex ones: (D, J) → (D, 2·planes + lines), the zero columns of lines left out."""
    columns = np.stack([filters.real, filters.imag], axis=-1).reshape(len(filters), -1)
    keep = np.ones(columns.shape[1], bool)
    keep[1::2] = filters.imag.any(axis=0)
    return columns[:, keep]


def complex_filters(columns: Array, planes: ArrayLike) -> Array:
    """Complex filters (D, J) from real columns, two for each plane and one for each line: undoes `real_columns`."""
    planes = np.asarray(planes, bool)
    first = np.cumsum(1 + planes) - (1 + planes)
    filters = columns[:, first].astype(np.result_type(columns, np.complex64))
    filters.imag[:, planes] = columns[:, first[planes] + 1]
    return filters


def orthonormalize(filters: ArrayLike) -> Array:
    """The nearest filters with orthonormal real and imaginary parts: all singular values set to 1. Lines stay lines.

    >>> filters = np.random.default_rng(0).normal(size=(8, 2)) + 1j * np.random.default_rng(1).normal(size=(8, 2))
    >>> tsa.Torus(tsa.orthonormalize(filters)).subspaces
    2
    """
    filters = checks.finite(checks.complex_(filters, "filters"), "filters")
    u, s, v = np.linalg.svd(real_columns(filters).astype(np.float64), full_matrices=False)
    if s.size == 0 or s[-1] <= 1e-12 * s[0] or u.shape[1] < v.shape[1]:
        raise InputError(f"These filters are linearly dependent (singular values down to {s.min(initial=0.0):.1e}).")
    return complex_filters(u @ v, filters.imag.any(axis=0)).astype(filters.dtype)


def orthonormal_again(filters: Array) -> Array:
    """Learned filters, made orthonormal again if rounding in single precision has left a defect beyond tolerance."""
    return filters if orthonormality_defect(filters) <= HALF_OF_SINGLE else orthonormalize(filters)


def orthonormality_defect(filters: Array) -> float:
    """The largest entry of |WᵀW − I|, W the real columns behind the filters."""
    columns = real_columns(filters).astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        gram = columns.T @ columns
        return float(np.nan_to_num(np.abs(gram - np.eye(len(gram))), nan=np.inf).max(initial=0.0))


def check_orthonormal(filters: Array) -> None:
    """Raise an error with the defect unless the filters are orthonormal to half their digits."""
    defect = orthonormality_defect(filters)
    if defect > (HALF_OF_SINGLE if filters.dtype == np.complex64 else HALF_OF_DOUBLE):
        raise NotOrthonormalError(
            f"The filters are not orthonormal: WᵀW departs from the identity by up to {defect:.2g}. "
            "tsa.orthonormalize(filters) gives the nearest ones that are.",
            defect,
        )
