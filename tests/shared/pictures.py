"""Picture files made for a test."""

import io

import numpy as np
from PIL import Image


def jpeg(mode="RGB", size=(60, 40), **options):
    buffer = io.BytesIO()
    pixels = np.random.default_rng(0).integers(0, 255, (size[1], size[0], 3), np.uint8)
    Image.fromarray(pixels).convert(mode).save(buffer, **{"format": "PNG", **options})
    return buffer.getvalue()
