"""Pairs of real pictures with known turns or shifts, made by Pillow, which shares no code with the models.

Pictures are turned at full resolution and then reduced to the size of a patch by means over squares of pixels.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from tsa._base import Array, InputError
from tsa.pictures import datasets, luminance, patches_of_pictures, whole_picture

FINE = 336  # pixels of a drawn picture: a multiple of 28 and of 16
_PHOTO_PIXELS = 3  # pixels of a photograph, along a side, that become one of a patch, where the patch has 28
_MIN_DEVIATION = 0.06  # of the grey values of a photograph's crop: not clear sky
_MAX_SLIDE = 1 / 8  # of a side: how far windows slide over a photograph


def picture_files(folder: Path) -> list[Path]:
    """The PNG, JPEG and WebP files of a folder, by name; at least one."""
    try:
        found = sorted(p for p in folder.iterdir() if p.suffix.lower() in (".png", ".jpg", ".jpeg", ".webp"))
    except OSError as error:
        raise InputError(f"Cannot read the folder {folder}: {error.strerror}.") from error
    if not found:
        raise InputError(f"There is no PNG, JPEG or WebP picture in {folder}.")
    return found


def photographs_in(folder: Path) -> list[Array]:
    """The pictures of a folder in grey, (height, width) in 0…1."""
    return [luminance(whole_picture(path)) for path in picture_files(folder)]


def photo_side(size: int) -> int:
    """The pixels of a photograph, along a side, that a patch of `size` pixels shows: 84 for 28 pixels, 80 for 16."""
    return {16: 80}.get(size, _PHOTO_PIXELS * size)


def turned(picture: Array, degrees: float, side: int, size: int) -> Array:
    """The middle `side` pixels of a picture turned about its middle, reduced to (size, size)."""
    image = Image.fromarray(picture.astype(np.float32)).rotate(degrees, Image.Resampling.BICUBIC)
    edge = (image.width - side) // 2
    middle = np.asarray(image, np.float64)[edge : edge + side, edge : edge + side]
    return middle.reshape(size, side // size, size, side // size).mean(axis=(1, 3))


def crop_to_turn(photograph: Array, side: int, rng: np.random.Generator) -> Array:
    """A random square of a photograph, half as large again as what is shown, so that turning needs no edge."""
    return _square(photograph, 2 * (side * 3 // 4), side, rng)


def _square(photograph: Array, whole: int, side: int, rng: np.random.Generator) -> Array:
    for _ in range(10_000):
        row, column = (int(rng.integers(0, n - whole + 1)) for n in photograph.shape)
        crop = photograph[row : row + whole, column : column + whole]
        margin = (whole - side) // 2
        if crop[margin : whole - margin, margin : whole - margin].std() > _MIN_DEVIATION:
            return crop
    raise InputError("These photographs are nearly uniform.")


def turned_photo_patches(
    photographs: Sequence[Array], shape: tuple[int, ...], n: int, seed: int
) -> tuple[Array, Array]:
    """Patches x and y (n, D) of random squares of photographs, before and after a random turn."""
    rng, pairs, size = np.random.default_rng(seed), [], shape[0]
    side = photo_side(size)
    for _ in range(n):
        picture = crop_to_turn(photographs[int(rng.integers(len(photographs)))], side, rng)
        pairs.append([turned(picture, degrees, side, size) for degrees in (0.0, rng.uniform(0, 360))])
    x, y = np.moveaxis(np.array(pairs), 1, 0)
    return patches_of_pictures(x, size).astype(np.float64), patches_of_pictures(y, size).astype(np.float64)


def slid_photo_patches(photographs: Sequence[Array], shape: tuple[int, ...], n: int, seed: int) -> tuple[Array, Array]:
    """Patches x and y (n, D): a window on a photograph, and the same window up to an eighth of a side further.

    The window slides by whole pixels of the photograph, thirds of those of a patch; what is new at its edge does not
    come back at the other one. Patches of one row are the middle rows of windows.
    """
    rng, pairs, n_coarse = np.random.default_rng(seed), [], max(shape)
    k, side, most = _PHOTO_PIXELS, _PHOTO_PIXELS * n_coarse, int(_PHOTO_PIXELS * n_coarse * _MAX_SLIDE)
    rows = slice(None) if len(shape) == 2 else slice(n_coarse // 2, n_coarse // 2 + 1)
    for _ in range(n):
        picture = _square(photographs[int(rng.integers(len(photographs)))], side + 2 * most, side, rng)
        down, right = (int(slide) for slide in rng.integers(-most, most + 1, 2))
        down = down if len(shape) == 2 else 0  # a row slides along itself
        for r, c in ((0, 0), (down, right)):
            window = picture[most + r : most + r + side, most + c : most + c + side]
            small = window.reshape(n_coarse, k, n_coarse, k).mean(axis=(1, 3))[rows]
            pairs.append(small[: shape[0], : shape[-1]].ravel())
    x, y = np.moveaxis(np.array(pairs).reshape(n, 2, -1), 1, 0)
    return x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)


def digit_pictures(size: int, n: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Handwritten digits in two random orientations: x and y (n, size, size) in 0…1, and the turns between them."""
    images = datasets.sample("test").images
    fine = 6 * size
    x, y = np.empty((2, n, size, size))
    turns = rng.uniform(0, 360, n)
    for i, turn in enumerate(turns):
        picture = enlarged(images[rng.integers(len(images))] / 255, fine)
        start = rng.uniform(0, 360)
        x[i], y[i] = (turned(picture, angle, fine, size) for angle in (start, start + turn))
    return x, y, np.radians(turns)


def enlarged(picture: Array, side: int) -> Array:
    """A picture in 0…1 at `side`×`side` pixels, by bicubic interpolation."""
    image = Image.fromarray(picture.astype(np.float32)).resize((side, side), Image.Resampling.BICUBIC)
    return np.clip(np.asarray(image), 0, 1)
