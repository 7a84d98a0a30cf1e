"""Pictures on a disc, in polar coordinates, where turning is exact.

A picture becomes rings × spokes; turning it shifts the spokes, which is a true action of the circle group with nothing
lost to interpolation. A patch is what a camera of size×size pixels sees of the disc: a Gaussian point spread of half a
pixel (anti-aliasing), a soft rim, the mean removed. All of it is linear, so the patches of all 360 turns of a picture
come from one multiplication in the Fourier domain.
"""

from functools import cache, lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft, sparse

from tsa import checks
from tsa.checks import Array
from tsa.errors import InputError, ShapeError
from tsa.groups import ImageRotation

RINGS, SPOKES = 64, 360
_BLUR = 0.5  # pixels: standard deviation of the point spread
_RIM = 0.12  # width of the soft edge, in radii


def to_polar(image: ArrayLike) -> Array:
    """The inscribed disc of a square grey picture (n, n) as rings × spokes, float64 (64, 360)."""
    image = checks.square(image, "The picture")
    spectrum = fft.rfft((_unrolling(len(image)) @ image.ravel().astype(np.float64)).reshape(RINGS, SPOKES), axis=-1)
    spectrum[:, -1] = 0.0  # the Nyquist line has no phase to turn
    return fft.irfft(spectrum, SPOKES, axis=-1)


def turn(polar: Array, s: float) -> Array:
    """The picture turned counter-clockwise by s, exactly."""
    k = np.arange(SPOKES // 2 + 1)
    return fft.irfft(fft.rfft(polar, axis=-1) * np.exp(-1j * k * s), SPOKES, axis=-1)


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


def patches(images: ArrayLike, degrees: ArrayLike, size: int) -> Array:
    """Many square pictures (n, side, side) at once, each turned by its own whole degrees (n,): float32 (n, size²).

    Row i equals patch_of(turn(to_polar(image), s), size) to single precision; 70,000 digits take seconds.
    """
    images, degrees = np.asarray(images), np.asarray(degrees)  # bytes stay bytes: there may be many
    if images.ndim != 3 or images.shape[1] != images.shape[2] or degrees.shape != images.shape[:1]:
        raise ShapeError(f"Pictures are (n, side, side) with n angles; got {images.shape} and {degrees.shape}.")
    if images.dtype.kind not in "biuf" or degrees.dtype.kind not in "iu":
        raise InputError(f"Pictures are numbers, turned by whole degrees; got {images.dtype} and {degrees.dtype}.")
    result = np.zeros((len(images), size * size), np.float32)
    support = ImageRotation(size).support
    for degree in np.unique(degrees % SPOKES):
        rows = np.flatnonzero(degrees % SPOKES == degree)
        quarters, rest = divmod(int(degree), SPOKES // 4)
        upright = np.rot90(images[rows], quarters, axes=(1, 2)).reshape(len(rows), -1)
        seen = upright.astype(np.float32) @ _turned_camera(images.shape[1], size, rest).T
        result[np.ix_(rows, support)] = seen - seen.mean(axis=1, keepdims=True)
    return result


@cache
def _points() -> tuple[Array, Array]:
    radius = (np.arange(RINGS) + 0.5) / RINGS
    angle = 2 * np.pi * np.arange(SPOKES) / SPOKES
    return np.broadcast_to(radius[:, None], (RINGS, SPOKES)), np.broadcast_to(angle, (RINGS, SPOKES))


@lru_cache(maxsize=16)
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


@lru_cache(maxsize=16)
def _unrolling(side: int) -> sparse.csr_array:
    """From a picture to rings × spokes by linear interpolation, as a sparse matrix (rings·spokes, side²)."""
    radius, angle = (p.ravel() for p in _points())
    centre, half = (side - 1) / 2, side / 2
    where = np.stack([centre - half * radius * np.sin(angle), centre + half * radius * np.cos(angle)])
    where = np.clip(where, 0, side - 1)
    corner = np.minimum(where.astype(np.int64), max(0, side - 2))
    t, step = where - corner, min(1, side - 1)
    pixel = np.concatenate([(corner[0] + step * i) * side + corner[1] + step * j for i in (0, 1) for j in (0, 1)])
    weight = np.concatenate([np.abs(1 - i - t[0]) * np.abs(1 - j - t[1]) for i in (0, 1) for j in (0, 1)])
    point = np.tile(np.arange(RINGS * SPOKES), 4)
    return sparse.csr_array((weight, (point, pixel)), shape=(RINGS * SPOKES, side * side))


@lru_cache(maxsize=96)  # a quarter turn, by degrees
def _turned_camera(side: int, size: int, degree: int) -> Array:
    """From the pixels of a picture to those of its patch, turned by whole degrees: float32 (support, side²)."""
    place = np.arange(RINGS * SPOKES).reshape(RINGS, SPOKES)
    spokes = _camera(size)[:, np.roll(place, -degree, axis=1).ravel()]
    return (spokes @ _unrolling(side)).toarray().astype(np.float32)


@lru_cache(maxsize=4)
def _camera_spectra(size: int) -> Array:
    """The camera in the Fourier domain of the spokes: (frequencies, support, rings), as many as the blur lets pass."""
    camera, frequencies = _camera(size), min(4 * size, SPOKES // 2 + 1)
    spectra = np.empty((frequencies, camera.shape[0], RINGS), np.complex64)
    for start in range(0, camera.shape[0], 256):  # all of it at once would take a gigabyte for large patches
        dense = camera[start : start + 256].toarray().reshape(-1, RINGS, SPOKES)
        spectra[:, start : start + 256] = np.moveaxis(fft.rfft(dense, axis=-1)[..., :frequencies], -1, 0)
    return spectra


def _finished(seen: Array, size: int) -> Array:
    """Values on the support with their mean removed, as whole patches."""
    patches = np.zeros((len(seen), size * size))
    patches[:, ImageRotation(size).support] = seen - seen.mean(axis=1, keepdims=True)
    return patches
