"""MATLAB files up to version 7: arrays of numbers. Objects, cells, structures and sparse arrays are not read.

Version 4 is a header of five integers before each array; versions 5 to 7 are tagged elements, each an array or a
compressed one. Sizes are checked against the file, and against a limit, before anything is allocated or decompressed.
"""

import struct
import zlib
from functools import partial
from typing import BinaryIO, NamedTuple

import numpy as np

from tsa._base import Array, ModelFileError
from tsa.files._npz import MAX_ARRAY_BYTES
from tsa.files._tables import MAX_TABLES, Table, count, finite

_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_OTHERS = {1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 16: "function", 17: "object", 18: "object"}
_TYPES_OF_4 = {0: "f8", 1: "f4", 2: "i4", 3: "i2", 4: "u2", 5: "u1"}
_OTHERS_OF_4 = ("", "char", "sparse")
_MATRIX, _COMPRESSED = 14, 15
_DAMAGED = "This .mat file is damaged: {}."


def looks_like(start: bytes, size: int) -> bool:
    """Whether a file of `size` bytes that begins like this (128 bytes) can be one."""
    return start[:10] == b"MATLAB 5.0" or start[:10] == b"MATLAB 7.3" or _header_of_4(start, size) is not None


def tables(file: BinaryIO, size: int) -> list[Table]:
    """The arrays of numbers in a file of `size` bytes; an error if there is none."""
    start = file.read(128)
    file.seek(0)
    if start[:10] == b"MATLAB 7.3" or start[:8] == b"\x89HDF\r\n\x1a\n":
        raise ModelFileError(
            "This .mat file is of version 7.3 (HDF5); in MATLAB, save('file.mat', 'W', '-v7') writes 7."
        )
    data = file.read(size)
    found, others = _of_4(data) if start[:10] != b"MATLAB 5.0" else _of_5(data)
    if not found:
        raise ModelFileError(
            f"This .mat file holds no array of numbers{f', only {chr(44).join(sorted(others))}' if others else ''}; "
            "save('file.mat', 'W', '-v7') with W a matrix."
        )
    return found


class _Four(NamedTuple):
    order: str
    dtype: str
    shape: tuple[int, int]
    imaginary: bool
    name: int
    other: str  # what it is if not an array of numbers: text, or sparse


def _header_of_4(data: bytes, size: int) -> _Four | None:
    """The header of one array of version 4, if this is one."""
    if len(data) < 20:
        return None
    for order in "<>":
        kind, rows, columns, imaginary, name = struct.unpack(f"{order}5i", data[:20])
        machine, zero, precision, matrix = kind // 1000, kind // 100 % 10, kind // 10 % 10, kind % 10
        if machine != (order == ">") or zero or precision not in _TYPES_OF_4 or matrix >= len(_OTHERS_OF_4):
            continue
        if min(rows, columns) < 0 or imaginary not in (0, 1) or not 1 <= name <= 64:
            continue
        dtype = np.dtype(order + _TYPES_OF_4[precision])
        if 20 + name + rows * columns * dtype.itemsize * (1 + imaginary) <= size:
            return _Four(order, dtype.str, (rows, columns), bool(imaginary), name, _OTHERS_OF_4[matrix])
    return None


def _of_4(data: bytes) -> tuple[list[Table], set[str]]:
    found, others, at = list[Table](), set[str](), 0
    while at < len(data):
        header = _header_of_4(data[at : at + 20], len(data) - at)
        if header is None or len(found) >= MAX_TABLES:
            raise ModelFileError(_DAMAGED.format("an array has no readable header"))
        start = at + 20 + header.name
        name = _name(data[at + 20 : start])
        entries = count(header.shape, np.dtype(header.dtype).itemsize, name)
        end = start + entries * np.dtype(header.dtype).itemsize * (1 + header.imaginary)

        if header.other:
            others.add(header.other)
        else:
            read = partial(_read_4, data[start:end], header, entries, name)
            found.append(Table(name, header.shape, header.dtype[1:], read))
        at = end
    return found, others


def _read_4(raw: bytes, header: _Four, entries: int, name: str) -> Array:
    values = np.frombuffer(raw, header.dtype)
    array = values[:entries] + 1j * values[entries:] if header.imaginary else values
    return finite(array.reshape(header.shape, order="F"), name)


def _of_5(data: bytes) -> tuple[list[Table], set[str]]:
    order = {b"IM": "<", b"MI": ">"}.get(data[126:128])
    if order is None:
        raise ModelFileError(_DAMAGED.format("it does not say its byte order"))
    found, others, at, unpacked = list[Table](), set[str](), 128, 0
    while at + 8 <= len(data):
        kind, size = struct.unpack(f"{order}2I", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if len(body) != size:
            raise ModelFileError(_DAMAGED.format("an array ends early"))
        at += 8 + size
        if kind == _COMPRESSED:
            body = _decompressed(body, order)
            unpacked += len(body)
            if unpacked > 2 * MAX_ARRAY_BYTES:
                raise ModelFileError(
                    f"This file unpacks to more than {MAX_ARRAY_BYTES >> 19} MB; it was left unopened."
                )
        elif kind != _MATRIX:
            at += -size % 8
            continue
        table, other = _matrix(body, order)
        if len(found) >= MAX_TABLES:
            raise ModelFileError(f"A file has at most {MAX_TABLES} arrays; this one has more.")
        if table is not None:
            found.append(table)
        elif other:
            others.add(other)
    return found, others


def _decompressed(body: bytes, order: str) -> bytes:
    """The inside of the matrix element that was compressed."""
    stream = zlib.decompressobj()
    try:
        head = stream.decompress(body, 8)
        if len(head) < 8:
            raise ModelFileError(_DAMAGED.format("a compressed array is empty"))
        kind, size = struct.unpack(f"{order}2I", head)
        if kind != _MATRIX:
            return b""
        if size > MAX_ARRAY_BYTES + 2**12:
            raise ModelFileError(
                f"An array of this file has {size / 2**20:.0f} MB; at most {MAX_ARRAY_BYTES >> 20} are read."
            )
        inside = stream.decompress(stream.unconsumed_tail, size) if size else b""
    except zlib.error as error:
        raise ModelFileError(_DAMAGED.format("an array cannot be decompressed")) from error
    if len(inside) != size:
        raise ModelFileError(_DAMAGED.format("a compressed array ends early"))
    return inside


class _Elements:
    """The tagged elements inside an array: (type, bytes) one after another, padded to eight bytes."""

    def __init__(self, body: bytes, order: str) -> None:
        self._body, self._order, self._at = body, order, 0

    def take(self) -> tuple[int, bytes]:
        head = self._body[self._at : self._at + 8]
        if len(head) < 8:
            raise ModelFileError(_DAMAGED.format("an array ends early"))
        kind, size = struct.unpack(f"{self._order}2I", head)
        if kind >> 16:  # a short element: its size and at most four bytes are in the tag
            kind, size = kind & 0xFFFF, kind >> 16
            if size > 4:
                raise ModelFileError(_DAMAGED.format("an element is longer than its place"))
            self._at += 8
            return kind, head[4 : 4 + size]
        start = self._at + 8
        value = self._body[start : start + size]
        if len(value) != size:
            raise ModelFileError(_DAMAGED.format("an array ends early"))
        self._at = start + size + (-size % 8)
        return kind, value


def _matrix(body: bytes, order: str) -> tuple[Table | None, str]:
    """The table in an element, or else the kind of what is in it; neither for an empty one."""
    if not body:
        return None, ""
    elements = _Elements(body, order)
    kind, flags = elements.take()
    if kind != 6 or len(flags) != 8:
        raise ModelFileError(_DAMAGED.format("an array has no readable header"))
    word = struct.unpack(f"{order}2I", flags)[0]
    cls, imaginary = word & 0xFF, bool(word & 0x800)
    if cls not in _CLASSES:
        return None, _OTHERS.get(cls, "unknown")
    kind, sizes = elements.take()
    if kind != 5 or len(sizes) % 4 or not 2 <= len(sizes) // 4 <= 8:
        raise ModelFileError(_DAMAGED.format("an array has no readable shape"))
    shape = tuple(int(n) for n in np.frombuffer(sizes, f"{order}i4"))
    kind, raw = elements.take()
    name = _name(raw)
    dtype = np.dtype(_CLASSES[cls])
    entries = count(shape, dtype.itemsize * (1 + imaginary), name)
    parts = [elements.take() for _ in range(1 + imaginary)]

    def values(kind: int, raw: bytes) -> Array:
        if kind not in _TYPES or len(raw) != entries * np.dtype(_TYPES[kind]).itemsize:
            raise ModelFileError(_DAMAGED.format(f"{name} does not hold the {entries} numbers that it claims"))
        return np.frombuffer(raw, order + _TYPES[kind])

    def read() -> Array:
        real, *rest = (values(*part) for part in parts)
        # Whole numbers may be stored in fewer bytes than their class has.
        array = real.astype(dtype) + 1j * rest[0].astype(dtype) if rest else real.astype(dtype)
        return finite(array.reshape(shape, order="F"), name)

    return Table(name, shape, dtype.str[1:], read), ""


def _name(raw: bytes) -> str:
    return "".join(c for c in raw.rstrip(b"\0").decode("latin-1")[:64] if c.isprintable())
