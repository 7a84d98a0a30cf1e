"""Pictures on their way to a page."""

import base64
import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def data_url(picture: NDArray[np.float64], longest: int) -> str:
    """A grey picture in 0…1 as a `data:` address that any <img> shows, made smaller if it is longer than that."""
    image = Image.fromarray(np.rint(255 * picture).astype(np.uint8))
    image.thumbnail((longest, longest), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=80, method=0)  # the quickest, for pictures that are looked at for a moment
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode()
