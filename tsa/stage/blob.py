"""Arrays on their way to a browser: a JSON header that lists them, then their bytes. `blob.js` reads it."""

import json
import struct
from collections.abc import Mapping

import numpy as np

from tsa.checks import Array


def pack(header: Mapping[str, object], arrays: Mapping[str, Array]) -> bytes:
    """A JSON header that lists the arrays, then the arrays, each aligned to eight bytes: what `blob.js` decodes."""
    listed = [[name, array.dtype.name, array.size] for name, array in arrays.items()]
    text = json.dumps({**header, "arrays": listed}).encode()
    text += b" " * (-(len(text) + 4) % 8)
    body = b"".join(array.tobytes() + bytes(-array.nbytes % 8) for array in arrays.values())
    return struct.pack("<I", len(text)) + text + body


def as_bytes(values: Array) -> Array:
    """Values between 0 and 1 as bytes."""
    return np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)


def as_pairs(values: Array) -> Array:
    """Complex numbers as real and imaginary parts."""
    return np.stack([values.real, values.imag], -1).astype(np.float32)


def filter_bytes(filters: Array) -> Array:
    """Filters (D, J) as pictures (J, 2, D): 128 is zero, each pair on its own scale."""
    parts = np.stack([filters.real.T, filters.imag.T], axis=1)
    return as_bytes(0.5 + 0.5 * parts / np.abs(filters).max(axis=0)[:, None, None])
