"""Images to patches: an untrusted file becomes a square grey picture, or an error with the reason."""

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PIL import ExifTags, Image, UnidentifiedImageError
from scipy import ndimage

from tsa._base import Array, ShapeError, TSAError, checks
from tsa.pictures.camera import patch_of, to_disc, turn_disc
from tsa.pictures.shapes import SHAPES, draw

EXTENSIONS = ["png", "jpg", "jpeg", "webp", "bmp", "gif"]
_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF")
_MAX_BYTES = 20 * 2**20
_MAX_PIXELS = 40_000_000
_LUMINANCE = np.array([0.299, 0.587, 0.114])  # of red, green and blue, as in Pillow
_MAX_SIDE_PIXELS = 1024  # larger images are scaled down
_MAX_ASPECT_RATIO = 100  # longer over shorter side
_TURN_UPRIGHT = {  # by EXIF orientation; 1 is upright
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


@dataclass(frozen=True)
class CropCircle:
    """A circle to crop a picture to: centre in 0…1 of its width and height, radius in 0…1 of half its shorter side."""

    x: float = 0.5
    y: float = 0.5
    radius: float = 1.0


class PictureError(TSAError):
    """A file that cannot be used as a picture; the message says why."""


def open_picture(data: bytes, colour: bool = False) -> Array:
    """The first frame of a PNG, JPEG, WebP, BMP or GIF as grey values 0…1 (height, width), at most 1024 pixels a side.

    Turned upright as its EXIF data say. Size and format are checked before a pixel is decoded. With `colour` a picture
    that has some is (height, width, 3).
    """
    if not data:
        raise PictureError("This file is empty.")
    if len(data) > _MAX_BYTES:
        raise PictureError(f"This file has {len(data) >> 20} MB; pictures up to {_MAX_BYTES >> 20} MB are read.")
    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            width, height = image.size
            if width * height > _MAX_PIXELS:
                raise PictureError(f"This picture has {width} × {height} pixels; at most 40 megapixels are read.")
            if min(width, height) < 2 or max(width, height) > _MAX_ASPECT_RATIO * min(width, height):
                raise PictureError(f"This picture has only {width} × {height} pixels.")
            image.draft("RGB" if colour else "L", (_MAX_SIDE_PIXELS, _MAX_SIDE_PIXELS))
            upright = _upright(image)
            return _coloured(upright) if colour else _grey(upright)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise PictureError("This picture is too large; at most 40 megapixels are read.") from None
    except UnidentifiedImageError:
        raise PictureError("This is not a PNG, JPEG, WebP, BMP or GIF picture.") from None
    except (OSError, ValueError, SyntaxError, EOFError, Warning, MemoryError) as error:
        raise PictureError("This picture is damaged and cannot be read.") from error


def _upright(image: Image.Image) -> Image.Image:
    """The image turned as its EXIF data say; as it is if they are damaged."""
    try:
        orientation = image.getexif().get(ExifTags.Base.Orientation)
        turn = _TURN_UPRIGHT.get(orientation) if isinstance(orientation, int) else None
    except Exception:  # Pillow decodes all of the EXIF data, and raises whatever that runs into
        turn = None
    return image if turn is None else image.transpose(turn)


def _coloured(image: Image.Image) -> Array:
    """(height, width, 3), or (height, width) for a picture without colour."""
    if image.mode in ("1", "L", "LA", "F") or image.mode.startswith("I"):
        return _grey(image)
    layered = image.convert("RGBA")
    flat = Image.alpha_composite(Image.new("RGBA", layered.size, "black"), layered).convert("RGB")
    flat.thumbnail((_MAX_SIDE_PIXELS, _MAX_SIDE_PIXELS), Image.Resampling.LANCZOS)
    return np.asarray(flat, np.float64) / 255


def _grey(image: Image.Image) -> Array:
    if image.mode.startswith("I") or image.mode == "F":  # 16 bits and more: converting to "L" would clip them
        values = np.asarray(image, np.float64)
        values = (values - values.min()) / max(float(np.ptp(values)), 1e-9)
        image = Image.fromarray(np.rint(255 * values).astype(np.uint8))
    elif image.mode != "L":
        layered = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", layered.size, "black"), layered).convert("L")
    image.thumbnail((_MAX_SIDE_PIXELS, _MAX_SIDE_PIXELS), Image.Resampling.LANCZOS)
    return np.asarray(image, np.float64) / 255


def crop(picture: Array, circle: CropCircle, side: int = 128) -> Array:
    """The square around a circle as (side, side) pixels; the circle is moved and shrunk to lie inside the picture."""
    height, width = picture.shape
    radius = min(max(circle.radius, 0.0) * min(height, width), min(height, width)) / 2
    radius = max(1.0, radius)
    x = min(max(circle.x * width, radius), width - radius)
    y = min(max(circle.y * height, radius), height - radius)
    image = Image.fromarray(picture.astype(np.float32))
    square = image.resize((side, side), Image.Resampling.LANCZOS, box=(x - radius, y - radius, x + radius, y + radius))
    return np.clip(np.asarray(square, np.float64), 0, 1)


def picture(what: str | os.PathLike[str] | Image.Image | ArrayLike) -> Array:
    """A square grey picture in 0…1: a shape by name, or the central square of an image (file, Pillow image or array).

    Arrays are (height, width), or (height, width, 2, 3 or 4) with transparency or in colour. White is 255 for uint8,
    65535 for uint16, and 1 for all other types.
    """
    if isinstance(what, str) and what in SHAPES:
        return draw(what)
    if isinstance(what, str | os.PathLike):
        return crop(open_picture(_read(what)), CropCircle())
    if isinstance(what, Image.Image):
        return crop(_grey(what.copy()), CropCircle())
    array = whole_picture(what)
    grey = luminance(array)
    side = min(grey.shape)
    top, left = ((n - side) // 2 for n in grey.shape)
    return grey[top : top + side, left : left + side]


def whole_picture(what: str | os.PathLike[str] | Image.Image | ArrayLike) -> Array:
    """A whole picture in 0…1, (height, width) or (height, width, 3), from what `picture` takes; not cropped.

    Files and Pillow images are at most 1024 pixels a side; larger ones are scaled down.
    """
    if isinstance(what, str) and what in SHAPES:
        return draw(what)
    if isinstance(what, str | os.PathLike):
        return open_picture(_read(what), colour=True)
    if isinstance(what, Image.Image):
        return _coloured(what.copy())
    array = checks.finite(checks.real(what, "The picture"), "The picture").astype(np.float64)
    white = {"uint8": 255, "uint16": 65535}.get(np.asarray(what).dtype.name, 1)
    if array.ndim == 3 and array.shape[2] in (2, 3, 4):  # grey or colour, with or without transparency
        array = array[..., 0] if array.shape[2] == 2 else array[..., :3]
    if array.ndim != 2 + (array.shape[2:] == (3,)) or min(array.shape[:2]) < 2:
        raise ShapeError(
            "A picture is an array (height, width) of at least 2×2 pixels, or (height, width, 2, 3 or 4) with "
            f"transparency or in colour; got shape {array.shape}."
        )
    return array / white


def luminance(picture: Array) -> Array:
    """The grey values of a picture (height, width, 3); (height, width) stays as it is."""
    return picture @ _LUMINANCE if picture.ndim == 3 else picture


def _read(path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        shapes = ", ".join(SHAPES)
        raise PictureError(f"{path} cannot be read ({error.strerror}), and it is not a shape ({shapes}).") from error


def patch(
    image: str | os.PathLike[str] | Image.Image | ArrayLike | Sequence[Any], size: int, turn: ArrayLike = 0.0
) -> Array:
    """The patch of a picture for a model of size×size pixels: (size²,), zero outside the disc, mean zero inside.

    The picture is first turned counter-clockwise by `turn` radians, exactly (see `tsa.pictures.camera`). Batches: a
    list of pictures, or an array (n, height, width), or (n, height, width, 3 or 4) in colour, gives (n, size²); `turn`
    is one angle, or one for each; of one picture, turns (m,) give (m, size²).

    >>> tsa.patch("pinwheel", 16, turn=np.radians(30)).shape
    (256,)
    """
    checks.size(size, "A patch has at least 2×2 pixels, given by its side", 2)
    turns = checks.finite(checks.real(turn, "turn"), "turn").astype(np.float64)
    if turns.ndim > 1:
        raise ShapeError(f"turn is one angle, or one for each picture, (n,); got shape {turns.shape}.")
    pictures = _several(image)
    if pictures is None:
        disc = to_disc(picture(image))
        if turns.ndim == 0:
            return patch_of(turn_disc(disc, float(turns)) if turns else disc, size)
        return np.stack([patch_of(turn_disc(disc, float(s)), size) for s in turns]).reshape(-1, size * size)
    checks.common_shape("The pictures and their turns", (len(pictures),), turns.shape)
    every = np.broadcast_to(turns, (len(pictures),))
    rows = [patch(one, size, float(s)) for one, s in zip(pictures, every, strict=True)]
    return np.stack(rows) if rows else np.zeros((0, size * size))


def _several(image: Any) -> Sequence[Any] | None:
    """The pictures of a batch; None if it is one picture."""
    if isinstance(image, str | os.PathLike | Image.Image):
        return None
    one: Any = image[0] if isinstance(image, list | tuple) and image else 0
    if isinstance(one, str | os.PathLike | Image.Image) or np.ndim(one) >= 2:
        return list(image)
    shape = np.shape(image)
    colour = bool(shape) and shape[-1] in (3, 4)
    if len(shape) == 4 or (len(shape) == 3 and not colour):
        return list(np.asarray(image))
    return None


def rotate(image: ArrayLike, angle: float) -> Array:
    """Images (..., height, width) turned about their middle by `angle` radians, counter-clockwise as seen on screen.

    Interpolated by cubic splines; exact for quarter turns of a square. Pixels from outside the image are zero.

    >>> image = np.zeros((5, 5))
    >>> image[2, 4] = 1.0  # right of the middle
    >>> np.argwhere(tsa.rotate(image, np.pi / 2) > 0.5)  # above it
    array([[0, 2]])
    """
    image = checks.finite(checks.real(image, "The image"), "The image")
    if image.ndim < 2:
        raise ShapeError(f"An image has a height and a width; got shape {image.shape}.")
    turns = checks.finite(checks.real(angle, "The angle"), "The angle")
    if turns.size != 1:
        raise ShapeError(f"The angle is one number; got shape {turns.shape}.")
    turn = float(turns.reshape(()))
    quarters = round(turn / (np.pi / 2)) if image.shape[-2] == image.shape[-1] else 0
    image, rest = np.rot90(image, quarters, axes=(-2, -1)), turn - quarters * np.pi / 2
    if abs(rest) < 1e-12:
        return np.ascontiguousarray(image)
    return ndimage.rotate(image, np.degrees(rest), axes=(-2, -1), reshape=False, mode="grid-constant")
