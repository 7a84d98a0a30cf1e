"""Untrusted pictures in: any photo becomes a square grey picture, or one plain sentence about why not."""

import io
import warnings

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from tsa.errors import TSAError

EXTENSIONS = ["png", "jpg", "jpeg", "webp", "bmp", "gif"]
_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF")
_MOST_BYTES = 20 * 2**20
_MOST_PIXELS = 40_000_000
_LONGEST = 1024  # pixels kept of the longer side


class PictureError(TSAError):
    """A file that is not a picture we can use; the message says why."""


def open_picture(data: bytes) -> NDArray[np.float64]:
    """The first frame of a PNG, JPEG, WebP, BMP or GIF as grey values 0…1 (height, width), upright, at most 1024 long.

    Size and format are known before a pixel is decoded.
    """
    if not data:
        raise PictureError("This file is empty.")
    if len(data) > _MOST_BYTES:
        raise PictureError(f"This file has {len(data) >> 20} MB; pictures up to {_MOST_BYTES >> 20} MB are read.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
                width, height = image.size
                if width * height > _MOST_PIXELS:
                    raise PictureError(f"This picture has {width} × {height} pixels; at most 40 megapixels are read.")
                if min(width, height) < 2:
                    raise PictureError(f"This picture has only {width} × {height} pixels.")
                image.draft("L", (_LONGEST, _LONGEST))
                return _grey(ImageOps.exif_transpose(image))
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise PictureError("This picture is too large; at most 40 megapixels are read.") from None
    except UnidentifiedImageError:
        raise PictureError("This is not a PNG, JPEG, WebP, BMP or GIF picture.") from None
    except (OSError, ValueError, SyntaxError, EOFError, Warning, MemoryError) as error:
        raise PictureError("This picture is damaged and cannot be read.") from error


def _grey(image: Image.Image) -> NDArray[np.float64]:
    if image.mode.startswith("I") or image.mode == "F":  # 16 bits and more, which "L" would clip
        values = np.asarray(image, np.float64)
        values = (values - values.min()) / max(float(np.ptp(values)), 1e-9)
        image = Image.fromarray(np.rint(255 * values).astype(np.uint8))
    elif image.mode != "L":
        layered = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", layered.size, "black"), layered).convert("L")
    image.thumbnail((_LONGEST, _LONGEST), Image.Resampling.LANCZOS)
    return np.asarray(image, np.float64) / 255


def crop(picture: NDArray[np.float64], x: float, y: float, zoom: float, side: int = 128) -> NDArray[np.float64]:
    """The square around a point (x, y in 0…1 of the free way), `zoom` times smaller than the largest that fits."""
    height, width = picture.shape
    edge = max(2.0, min(height, width) / zoom)
    left, top = x * (width - edge), y * (height - edge)
    image = Image.fromarray(picture.astype(np.float32))
    cut = image.resize((side, side), Image.Resampling.LANCZOS, box=(left, top, left + edge, top + edge))
    return np.clip(np.asarray(cut, np.float64), 0, 1)
