"""Keeping filters orthonormal: the polar factor, which sets all singular values to 1 and moves least."""

import numpy as np

from tsa.checks import Array


def polar(w: Array) -> Array:
    """U Vᵀ of the singular value decomposition w = U S Vᵀ, for w (D, n) of full column rank; keeps the dtype.

    It is w (wᵀw)^{−1/2}, and the inverse root of the small Gram matrix comes from the coupled Newton–Schulz
    iteration, which is matrix products only. What it leaves in single precision, one last step on w removes.
    """
    gram = w.T @ w
    root = _inverse_root(gram)
    w = w @ root
    correction = w.T @ w
    correction *= -0.5
    correction.flat[:: len(correction) + 1] += np.asarray(1.5, w.dtype)
    return w @ correction


def _inverse_root(gram: Array) -> Array:
    """gram^{−1/2}: Newton–Schulz, or eigenvectors where the spectrum is too wide for that (3 times its mean)."""
    eye = np.eye(len(gram), dtype=gram.dtype)
    scale = gram.trace() / len(gram)
    y, z = gram / scale, eye
    for _ in range(15):
        residual = y if z is eye else z @ y
        gap = np.linalg.norm(residual - eye)
        if not gap < 2 * np.sqrt(len(gram)):
            break
        step = 1.5 * eye - 0.5 * residual
        z = step if z is eye else step @ z
        if gap < 1e-3:  # the next would be about gap²; `polar` takes that last step on w itself
            return z / np.sqrt(scale)
        y = y @ step
    values, vectors = np.linalg.eigh(gram.astype(np.float64))
    return ((vectors / np.sqrt(np.maximum(values, np.finfo(np.float64).tiny))) @ vectors.T).astype(gram.dtype)
