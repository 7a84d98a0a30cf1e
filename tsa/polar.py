"""Pictures on a disc, in polar coordinates, where turning is exact.

A picture becomes rings × spokes; turning it shifts the spokes, which is a true action of the circle group with nothing
lost to interpolation. A patch is what a camera of size×size pixels sees of the disc: a Gaussian point spread of half a
pixel (anti-aliasing), a soft rim, the mean removed. All of it is linear, so the patches of all 360 turns of a picture
come from one multiplication in the Fourier domain.
"""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft, ndimage, sparse

from tsa import checks
from tsa.checks import Array
from tsa.errors import ShapeError
from tsa.groups import ImageRotation

RINGS, SPOKES = 64, 360
_BLUR = 0.5  # pixels: standard deviation of the point spread
_RIM = 0.12  # width of the soft edge, in radii


def to_polar(image: ArrayLike) -> Array:
    """The inscribed disc of a square grey picture (n, n) as rings × spokes, float64 (64, 360)."""
    image = checks.finite(checks.real(image, "image"), "image")
    if image.ndim != 2 or image.shape[0] != image.shape[1]:
        raise ShapeError(f"A picture is a square grey image (n, n); got shape {image.shape}.")
    centre, half = (len(image) - 1) / 2, len(image) / 2
    radius, angle = _points()
    where = np.stack([centre - half * radius * np.sin(angle), centre + half * radius * np.cos(angle)])
    spokes = ndimage.map_coordinates(image.astype(np.float64), where, order=1, mode="nearest")
    spectrum = fft.rfft(spokes, axis=-1)
    spectrum[:, -1] = 0.0  # the Nyquist line has no phase to turn
    return fft.irfft(spectrum, SPOKES, axis=-1)


def turn(polar: Array, s: float) -> Array:
    """The picture turned counter-clockwise by s, exactly."""
    k = np.arange(SPOKES // 2 + 1)
    return fft.irfft(fft.rfft(polar, axis=-1) * np.exp(-1j * k * s), SPOKES, axis=-1)


def patch(image: ArrayLike, size: int) -> Array:
    """What the model sees of a square grey picture: (size²,), zero outside the disc, mean zero inside."""
    return patch_of(to_polar(image), size)


def patch_of(polar: Array, size: int) -> Array:
    """The patch of a picture given in polar form: (..., 64, 360) → (..., size²)."""
    flat = polar.reshape(-1, RINGS * SPOKES)
    return _finished((_camera(size) @ flat.T).T, size).reshape(*polar.shape[:-2], size * size)


def turned_patches(polar: Array, size: int) -> Array:
    """The patches of a picture turned by each whole degree: (360, size²), equal to patch_of(turn(polar, s), size)."""
    spectra = _camera_spectra(size)
    picture = fft.rfft(polar, axis=-1)[:, : len(spectra)].conj().T.astype(np.complex64)
    response = (spectra @ picture[:, :, None])[:, :, 0]
    return _finished(fft.irfft(response, SPOKES, axis=0), size)


@cache
def _points() -> tuple[Array, Array]:
    radius = (np.arange(RINGS) + 0.5) / RINGS
    angle = 2 * np.pi * np.arange(SPOKES) / SPOKES
    return np.broadcast_to(radius[:, None], (RINGS, SPOKES)), np.broadcast_to(angle, (RINGS, SPOKES))


@cache
def _camera(size: int) -> sparse.csr_array:
    """The point spread of each pixel on the disc, as a sparse matrix (support, rings·spokes)."""
    radius, angle = (p.ravel() for p in _points())
    x, y = radius * np.cos(angle), -radius * np.sin(angle)  # rows count downwards
    pixels = (np.stack(np.unravel_index(ImageRotation(size).support, (size, size))) - (size - 1) / 2) * (2 / size)
    spread = _BLUR * 2 / size
    soft = np.clip((1 - radius) / _RIM, 0, 1)
    area = radius * (2 * np.pi / SPOKES / RINGS) * soft**2 * (3 - 2 * soft) / (2 * np.pi * spread**2)
    rows = []
    for row, column in pixels.T:
        distance = (x - column) ** 2 + (y - row) ** 2
        weight = np.where(distance < (5 * spread) ** 2, np.exp(-distance / (2 * spread**2)), 0.0) * area
        rows.append(sparse.csr_array(weight[None]))
    return sparse.csr_array(sparse.vstack(rows))


@cache
def _camera_spectra(size: int) -> Array:
    """The camera in the Fourier domain of the spokes: (frequencies, support, rings), as many as the blur lets pass."""
    frequencies = min(6 * size, SPOKES // 2 + 1)
    dense = _camera(size).toarray().reshape(-1, RINGS, SPOKES)
    return np.ascontiguousarray(np.moveaxis(fft.rfft(dense, axis=-1)[..., :frequencies], -1, 0).astype(np.complex64))


def _finished(seen: Array, size: int) -> Array:
    """Values on the support with their mean removed, as whole patches."""
    patches = np.zeros((len(seen), size * size))
    patches[:, ImageRotation(size).support] = seen - seen.mean(axis=1, keepdims=True)
    return patches
