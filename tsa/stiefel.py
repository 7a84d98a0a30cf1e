"""Keeping filters orthonormal: the polar factor, which sets all singular values to 1 and moves least."""

import numpy as np

from tsa.checks import Array


def polar(w: Array) -> Array:
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
