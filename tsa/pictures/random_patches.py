"""Training patches sampled from one's own images, as they are or whitened."""

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, ShapeError, checks

TRAINING_PATCHES = 20_000  # drawn from own pictures, and moved to make pairs


def random_patches(image: ArrayLike, size: int, n: int, rng: checks.Rng = None) -> Array:
    """n random size×size patches of a grey image (height, width), each with mean 0 and variance 1: (n, size²).

    A patch without contrast (clear sky) is zero. The result can be passed to an action's `stream` as `patches`.

    >>> tsa.random_patches(tsa.shapes.draw("F", 64), size=8, n=5, rng=0).shape
    (5, 64)
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


def white_patches(images: list[Array], size: int, n: int, rng: checks.Rng = None) -> Array:
    """n random size×size patches of grey images, whitened: (n, size²) float32, unit variance and uncorrelated.

    The variance of patches falls steeply with spatial frequency, so that a model of one σ learns a few coarse planes
    only. Whitening by C^{−½}, C the covariance of the patches and of their quarter turns, equalises all of them and
    commutes with turning. Detail below a hundredth of the mean variance is left small: there pictures hold noise.
    """
    rng = checks.generator(rng)
    usable = [image for image in images if min(image.shape) >= size]
    if not usable:
        raise ShapeError(f"None of the {len(images)} pictures has {size}×{size} pixels.")
    area = np.array([image.size for image in usable], np.float64)
    counts = rng.multinomial(n, area / area.sum())
    patches = np.concatenate([random_patches(i, size, int(c), rng) for i, c in zip(usable, counts, strict=True) if c])
    patches = patches.astype(np.float64)[rng.permutation(len(patches))]
    squares = patches.reshape(-1, size, size)
    covariance = np.zeros((size**2, size**2))
    for quarter in range(4):
        turned = np.rot90(squares, quarter, axes=(1, 2)).reshape(len(patches), -1)
        covariance += turned.T @ turned / (4 * len(patches))
    values, vectors = np.linalg.eigh(covariance)
    root = vectors / np.sqrt(np.maximum(values, 1e-2 * values.mean())) @ vectors.T
    return np.asarray(patches @ root, np.float32)
