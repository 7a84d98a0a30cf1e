"""Pictures on a disc in polar coordinates, where turning is exact, and the patches sampled from them.

A picture is resampled to rings × spokes; turning it shifts the spokes, which is an exact action of the circle group,
without loss by interpolation. A patch samples the disc at size×size pixels, with a Gaussian point spread of half a
pixel (anti-aliasing) and a soft rim, and has its mean removed. All of this is linear, so the patches of all 360 turns
of a picture come from one multiplication in the Fourier domain.
"""

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft, sparse

from tsa._base import Array, InputError, ShapeError, checks
from tsa.groups import ImageRotation

RINGS, SPOKES = 64, 360  # of a picture on the disc; one spoke per degree
_BLUR_PIXELS = 0.5  # standard deviation of the point spread
_RIM_RADII = 0.12  # width of the soft edge, relative to the radius of the disc
_RADII = 8  # parts of the disc, by distance from its centre, whose pixels are transformed together


def to_disc(image: ArrayLike) -> Array:
    """The inscribed disc of a square grey picture (n, n) as rings × spokes, float64 (64, 360)."""
    image = checks.square(image, "The picture")
    spectrum = fft.rfft((_unrolling(len(image)) @ image.ravel().astype(np.float64)).reshape(RINGS, SPOKES), axis=-1)
    spectrum[:, -1] = 0.0  # the Nyquist frequency has no phase, so it cannot be turned
    return fft.irfft(spectrum, SPOKES, axis=-1)


def turn_disc(disc: Array, s: float) -> Array:
    """The picture (..., 64, 360) turned counter-clockwise by s radians, exactly."""
    k = np.arange(SPOKES // 2 + 1)
    return fft.irfft(fft.rfft(disc, axis=-1) * np.exp(-1j * k * s), SPOKES, axis=-1)


def patch_of(disc: Array, size: int) -> Array:
    """The patch of a picture on the disc: (..., 64, 360) → (..., size²)."""
    flat = disc.reshape(-1, RINGS * SPOKES)
    return _with_zero_mean((_camera(size) @ flat.T).T, size).reshape(*disc.shape[:-2], size * size)


def turned_patches(disc: Array, size: int) -> Array:
    """The patches of a picture turned by each whole degree s: (360, size²), row s being that of turn_disc(disc, s).

    Computed for a quarter of the pixels: turned by s, the picture is at a pixel what it is at that pixel's place a
    quarter turn earlier, turned by s less 90°.
    """
    table = _camera_spectra(size)
    picture = fft.rfft(disc, axis=-1)[:, : table.frequencies].conj().T.astype(np.complex64)
    response = np.empty((table.frequencies, len(table.pixels)), np.complex64)
    for block in table.blocks:
        response[:, block.columns] = (block.spectra @ picture[:, block.rings, None])[:, :, 0]
    quarter = fft.irfft(response, SPOKES, axis=0)
    values = np.empty((SPOKES, len(table.turns)), quarter.dtype)
    for turns in range(4):
        there = table.turns == turns
        values[:, there] = np.roll(quarter, turns * SPOKES // 4, axis=0)[:, table.column[there]]
    return _with_zero_mean(values, size)


def patches_of_images(images: ArrayLike, degrees: ArrayLike, size: int) -> Array:
    """Many square pictures (n, side, side) at once, each turned by its own whole degrees (n,): float32 (n, size²).

    Row i equals patch_of(turn_disc(to_disc(image), s), size) to single precision; 70,000 digits take seconds.
    """
    images, degrees = np.asarray(images), np.asarray(degrees)  # not converted to float: there may be very many
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
        values = (_turned_camera(images.shape[1], size, rest) @ upright.astype(np.float32).T).T
        result[np.ix_(rows, support)] = values - values.mean(axis=1, keepdims=True)
    return result


def patches_of_pictures(pictures: ArrayLike, size: int) -> Array:
    """The patches of square grey pictures (..., side, side): float64 (..., size²), as `patch` makes them one by one."""
    pictures = checks.finite(checks.real(pictures, "pictures"), "pictures").astype(np.float64)
    if pictures.ndim < 2 or pictures.shape[-2] != pictures.shape[-1]:
        raise ShapeError(f"Square grey pictures are (..., side, side); got {pictures.shape}.")
    flat = pictures.reshape(-1, pictures.shape[-1] ** 2)
    values = (_patch_operator(size, pictures.shape[-1]) @ flat.T).T
    return _with_zero_mean(values, size).reshape(*pictures.shape[:-2], size * size)


def pixels_behind(patches: Array, size: int, side: int) -> Array:
    """Pᵀf of patches f (size², n), P the linear map from pictures of side×side pixels to patches: (side², n).

    A filter f answers a picture with the sum of the picture times Pᵀf; its answer to white noise has variance |Pᵀf|².
    """
    inside = patches[ImageRotation(size).support]
    return np.asarray(_patch_operator(size, side).T @ (inside - inside.mean(axis=0)))


@lru_cache(maxsize=8)
def _patch_operator(size: int, side: int) -> sparse.csr_array:
    """From the pixels of a picture to those of its patch, its mean not yet removed: sparse (support, side²).

    `to_disc` also removes the highest frequency of the spokes, to which the point spread is blind.
    """
    return sparse.csr_array(_camera(size) @ _unrolling(side))


@cache
def _points() -> tuple[Array, Array]:
    radius = (np.arange(RINGS) + 0.5) / RINGS
    angle = 2 * np.pi * np.arange(SPOKES) / SPOKES
    return np.broadcast_to(radius[:, None], (RINGS, SPOKES)), np.broadcast_to(angle, (RINGS, SPOKES))


@lru_cache(maxsize=16)
def _camera(size: int) -> sparse.csr_array:
    """The point spread of each pixel on the disc, as a sparse matrix (support, rings·spokes)."""
    radius, angle = _points()
    x, y = radius * np.cos(angle), -radius * np.sin(angle)  # rows count downwards
    support = ImageRotation(size).support
    pixels = (np.stack(np.unravel_index(support, (size, size))) - (size - 1) / 2) * (2 / size)
    spread = _BLUR_PIXELS * 2 / size
    soft = np.clip((1 - radius) / _RIM_RADII, 0, 1)
    area = radius * (2 * np.pi / SPOKES / RINGS) * soft**2 * (3 - 2 * soft) / (2 * np.pi * spread**2)
    weights, points, ends = [], [], [0]
    for row, column in pixels.T:
        near = np.abs(radius[:, 0] - np.hypot(row, column)) < 5 * spread  # rings
        distance = (x[near] - column) ** 2 + (y[near] - row) ** 2
        weight = np.where(distance < (5 * spread) ** 2, np.exp(-distance / (2 * spread**2)), 0.0) * area[near]
        seen = np.flatnonzero(weight)
        weights.append(weight.ravel()[seen])
        points.append(seen + SPOKES * np.argmax(near))
        ends.append(ends[-1] + len(seen))
    shape = len(support), RINGS * SPOKES
    indices = np.concatenate(points).astype(np.int32)
    return sparse.csr_array((np.concatenate(weights), indices, np.array(ends, np.int32)), shape=shape)


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
    place = point.astype(np.int32), pixel.astype(np.int32)
    return sparse.csr_array((weight, place), shape=(RINGS * SPOKES, side * side))


@lru_cache(maxsize=96)  # a quarter turn, by degrees
def _turned_camera(side: int, size: int, degree: int) -> sparse.csr_array:
    """From the pixels of a picture to those of its patch, turned by whole degrees: sparse float32 (support, side²)."""
    place = np.arange(RINGS * SPOKES).reshape(RINGS, SPOKES)
    spokes = _camera(size)[:, np.roll(place, -degree, axis=1).ravel()]
    return sparse.csr_array((spokes @ _unrolling(side)).astype(np.float32))


class _Block(NamedTuple):
    """The part of a `_CameraSpectra` for pixels about as far from the centre, which see the same few rings."""

    columns: Array  # of the pixels, (P,)
    rings: slice
    spectra: Array  # complex64 (frequencies, P, rings)


class _CameraSpectra(NamedTuple):
    """The camera in the Fourier domain of the spokes, for one pixel of each four that quarter turns exchange.

    Higher frequencies than these are removed by the blur. For 64×64 pixels 19 MB; all pixels and rings would take 300.
    """

    frequencies: int
    pixels: Array  # (Q,): those of which the spectra are held, as rows of the camera
    blocks: list[_Block]
    column: Array  # (support,): which of them each pixel becomes,
    turns: Array  # (support,): by how many quarter turns


@lru_cache(maxsize=4)
def _camera_spectra(size: int) -> _CameraSpectra:
    camera, frequencies, support = _camera(size), min(4 * size, SPOKES // 2 + 1), ImageRotation(size).support
    grid = np.arange(size * size).reshape(size, size)
    places = np.stack([np.rot90(grid, turns).ravel()[support] for turns in range(4)])
    turns = np.argmin(places, axis=0)
    kept, column = np.unique(places.min(axis=0), return_inverse=True)
    pixels = np.searchsorted(support, kept)
    middle = (size - 1) / 2
    radius = np.hypot(kept // size - middle, kept % size - middle) * (2 / size)
    blocks = []
    for number in range(_RADII):
        columns = np.flatnonzero(np.minimum((radius * _RADII).astype(int), _RADII - 1) == number)
        if columns.size:
            dense = camera[pixels[columns]].toarray().reshape(-1, RINGS, SPOKES)
            seen = np.flatnonzero(dense.any(axis=(0, 2)))
            rings = slice(int(seen[0]), int(seen[-1]) + 1)
            spectra = fft.rfft(dense[:, rings], axis=-1)[..., :frequencies].astype(np.complex64)
            blocks.append(_Block(columns, rings, np.ascontiguousarray(np.moveaxis(spectra, -1, 0))))
    return _CameraSpectra(frequencies, pixels, blocks, column, turns)


def _with_zero_mean(values: Array, size: int) -> Array:
    """Values on the support with their mean removed, as whole patches."""
    patches = np.zeros((len(values), size * size))
    patches[:, ImageRotation(size).support] = values - values.mean(axis=1, keepdims=True)
    return patches
