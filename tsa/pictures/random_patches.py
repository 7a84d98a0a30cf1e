"""Training patches sampled from one's own images."""

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, ShapeError, checks


def random_patches(image: ArrayLike, size: int, n: int, rng: checks.Rng = None) -> Array:
    """n random size×size patches of a grey image (height, width), each with mean 0 and variance 1: (n, size²).

    A patch without contrast (clear sky) is zero. The result can be passed to an action's `stream` as `patches`.
    """
    image = checks.finite(checks.real(image, "image"), "image")
    if image.ndim != 2 or min(image.shape) < size:
        raise ShapeError(
            f"Patches are sampled from a grey image of at least {size}×{size} pixels; got shape {image.shape}."
        )
    rng = checks.generator(rng)
    windows = np.lib.stride_tricks.sliding_window_view(image, (size, size))
    rows, columns = (rng.integers(extent, size=n) for extent in windows.shape[:2])
    patches = windows[rows, columns].reshape(n, size * size).astype(np.float64)
    patches -= patches.mean(axis=1, keepdims=True)
    spread = patches.std(axis=1, keepdims=True)
    flat = spread < 1e-6 * max(1e-300, float(np.ptp(image)))
    return np.where(flat, 0.0, patches / np.where(flat, 1.0, spread)).astype(np.float32)
