"""The planes of a model in which the noise of two pictures is uncorrelated, and how much noise each of them has.

`tsa.patch` is linear, so white noise of the pixels becomes coloured noise of the patch, with covariance σ²PPᵀ, and
correlated between planes of one weight. Within a weight the planes can be chosen freely; here they are the axes of that
covariance. The camera also lets the mean of a picture leak into some weights (4, 8, 12, … of a rotation: a disc of
pixels has corners); those directions are left out.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from tsa._base import Array, InputError, checks
from tsa.density import fold
from tsa.groups import ImageRotation
from tsa.model import Subgroup, Weights
from tsa.pictures import pixels_behind

_LEAK = 1e-3  # response of a weight space to a constant picture, relative to its norm, from which it is removed
_RESAMPLED = 5e-6  # share of a patch's energy that turning its picture elsewhere changes in a real dimension, 28 pixels
_RESAMPLED_SIDE, _RESAMPLED_POWER = 28, 3.716  # measured at 28 (5e-6) and at 16 pixels (40e-6)


@dataclass(frozen=True)
class Camera:
    """How patches came from pictures: `tsa.patch` of pictures of `side`×`side` pixels, to `size`×`size`.

    `noise` says where the white noise is: on the "pixels" of the picture, or on the "patch" (which then was made from a
    clean picture, and got noise afterwards).
    """

    size: int
    side: int
    noise: str = "pixels"

    def __post_init__(self) -> None:
        if self.noise not in ("pixels", "patch"):
            raise InputError(f"White noise is on the pixels or on the patch; got {self.noise!r}.")


@dataclass(frozen=True, eq=False)
class NoisyPlanes:
    """J' planes that move: complex `filters` (D, J'), `weights` (all folded), and what noise and pictures do in each.

    `noise_gain` (J',) is the variance of the noise in each real dimension for σ = 1; `softness` (J',) the share of
    white pictures that the camera lets through, 1 without a camera; `resampled` the share of a patch's energy that
    turning the picture by another program changes in a real dimension; `camera` is how the patches were made, if known.
    """

    filters: Array
    weights: Weights
    noise_gain: Array
    softness: Array
    resampled: float
    camera: Camera | None = None

    @property
    def pixels(self) -> int:
        """The number of pixels that the planes can see: those of the disc if there is a camera."""
        return len(self.filters) if self.camera is None else len(ImageRotation(self.camera.size).support)

    @classmethod
    def of(cls, model: Subgroup, camera: Camera | None = None) -> "NoisyPlanes":
        """The planes of a model; without a camera the noise is white on its patches. Lines are left out."""
        return _planes_of(model, camera)

    def coordinates(self, patches: Array) -> Array:
        """Complex128 (..., J')."""
        return np.asarray(patches.astype(np.float64) @ self._real_basis).view(np.complex128)

    def gain_for(self, side: int) -> Array:
        """`noise_gain` for pictures of another size, (J',): exact but for small correlations between the planes."""
        if self.camera is None or self.camera.noise == "patch" or side == self.camera.side:
            return self.noise_gain
        behind = pixels_behind(self.filters, self.camera.size, side)
        return np.maximum((behind.real**2 + behind.imag**2).sum(axis=0) / 2, 1e-12)

    @cached_property
    def _real_basis(self) -> Array:
        return np.ascontiguousarray(self.filters.astype(np.complex128)).view(np.float64)

    @cached_property
    def spaces(self) -> Array:
        """The distinct weights (K, p), in order."""
        return np.unique(self.weights.values, axis=0)

    @cached_property
    def space_of(self) -> Array:
        """(J',): the place of each plane's weight in `spaces`."""
        return np.unique(self.weights.values, axis=0, return_inverse=True)[1].ravel()

    @cached_property
    def starts(self) -> Array:
        """(K,): the first plane of each weight; planes are sorted by weight."""
        return np.searchsorted(self.space_of, np.arange(len(self.spaces)))

    def pooled(self, values: Array) -> Array:
        """Sums over the planes of each weight: (..., J') → (..., K)."""
        return np.add.reduceat(values, self.starts, axis=-1)


@lru_cache(maxsize=32)
def _planes_of(model: Subgroup, camera: Camera | None) -> NoisyPlanes:
    moving = np.flatnonzero(~model.irreps.fixed & ~model.lines)
    if not moving.size:
        raise InputError("This model has no plane of a weight other than 0: nothing moves.")
    folded, negated = fold(model.irreps.values[moving])
    filters = np.asarray(model.filters, np.complex128)[:, moving]
    filters = np.where(negated, filters.conj(), filters)
    if camera is None:
        order = np.lexsort(folded.T[::-1])
        ones = np.ones(len(order))
        return NoisyPlanes(filters[:, order], Weights(folded[order]), ones, ones, 0.0)
    size, side = camera.size, camera.side
    if model.dimension != size * size:
        raise InputError(f"This model has patches of {model.dimension} pixels, not of {size}×{size}.")
    inside = ImageRotation(size).support
    constant = np.zeros(model.dimension)
    constant[inside] = 1 / np.sqrt(len(inside))
    parts: list[tuple[Array, Array, Array, Array]] = []
    for weight in np.unique(folded, axis=0):
        f = filters[:, (folded == weight).all(axis=1)]
        leak = constant @ f
        if np.linalg.norm(leak) > _LEAK:
            f = f @ np.linalg.svd(leak[None])[2][1:].conj().T
        if not f.shape[1]:
            continue
        seen = pixels_behind(f, size, side)
        variance, axes = np.linalg.eigh(seen.T @ seen.conj() / 2)
        f = f @ axes.conj()
        soft = (np.abs(pixels_behind(f, size, size)) ** 2).sum(axis=0) / 2
        gain = np.maximum(variance, 1e-12) if camera.noise == "pixels" else np.ones(len(variance))
        parts.append((f, np.tile(weight, (f.shape[1], 1)), gain, soft))
    chosen = np.concatenate([part[0] for part in parts], axis=1)
    values, gain, soft = (np.concatenate([part[i] for part in parts]) for i in (1, 2, 3))
    resampled = _RESAMPLED * (_RESAMPLED_SIDE / size) ** _RESAMPLED_POWER
    return NoisyPlanes(checks.frozen(chosen), Weights(values), gain, soft, resampled, camera)
