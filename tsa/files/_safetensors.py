"""The format `.safetensors`: the length of a header, the header (JSON: names, types, shapes, places), the numbers."""

import json
import math
from typing import Any, BinaryIO

import numpy as np

from tsa._base import Array, ModelFileError
from tsa.files._tables import MAX_TABLES, Table, count, finite

_MAX_HEADER_BYTES = 2**20
_TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "C64": "<c8", "I64": "<i8", "I32": "<i4", "I16": "<i2",
    "I8": "<i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "<u1", "BOOL": "|b1",
}  # fmt: skip


def looks_like(start: bytes) -> bool:
    """Whether a file that begins like this (9 bytes or more) can be one."""
    return len(start) >= 9 and start[8:9] == b"{" and int.from_bytes(start[:8], "little") <= 2**40


def tables(file: BinaryIO, size: int) -> list[Table]:
    """The arrays of a file of `size` bytes."""
    length = int.from_bytes(file.read(8), "little")
    if not 2 <= length <= min(_MAX_HEADER_BYTES, size - 8):
        raise ModelFileError(f"The header of this .safetensors file claims {length:,} bytes; the file is damaged.")
    try:
        header = json.loads(file.read(length))
    except (ValueError, RecursionError) as error:
        raise ModelFileError("The header of this .safetensors file is not JSON; the file is damaged.") from error
    if not isinstance(header, dict) or len(header) > MAX_TABLES:
        raise ModelFileError("The header of this .safetensors file is not a table of arrays; the file is damaged.")
    start = 8 + length
    return [
        _table(file, str(name), entry, start, size - start) for name, entry in header.items() if name != "__metadata__"
    ]


def _table(file: BinaryIO, name: str, entry: Any, start: int, there: int) -> Table:
    name = "".join(c for c in name[:200] if c.isprintable())
    damaged = ModelFileError(f"The header of this .safetensors file describes {name!r} wrongly; the file is damaged.")
    if not isinstance(entry, dict):
        raise damaged
    kind, shape, offsets = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
    whole = all(
        isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 2**40 for n in [*_list(shape), *_list(offsets)]
    )
    if not isinstance(kind, str) or not isinstance(shape, list) or len(_list(offsets)) != 2 or not whole:
        raise damaged
    if len(shape) > 8:
        raise damaged
    if kind not in _TYPES:
        return Table(name, tuple(shape), kind, lambda: _refuse(name, kind))
    dtype = np.dtype(_TYPES[kind])
    first, last = _list(offsets)
    if last - first != math.prod(shape) * dtype.itemsize or last > there:
        raise damaged

    def read() -> Array:
        count(tuple(shape), dtype.itemsize, name)
        file.seek(start + first)
        values = np.frombuffer(file.read(last - first), dtype)
        if kind == "BF16":  # the upper half of a float32
            values = (values.astype(np.uint32) << 16).view(np.float32)
        return finite(values.reshape(shape), name)

    return Table(name, tuple(shape), kind, read)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _refuse(name: str, kind: str) -> Array:
    raise ModelFileError(f"{name} holds {kind}, not numbers that can be read; save it as float32.")
