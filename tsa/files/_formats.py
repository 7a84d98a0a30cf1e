"""Which format a file of arrays has, and its tables: `.npy`, `.npz`, `.mat`, `.safetensors`, PyTorch checkpoints."""

import io
import os
import struct
import zipfile
import zlib

import numpy as np

from tsa._base import Array, ModelFileError
from tsa.files import _checkpoint, _mat, _safetensors
from tsa.files._npz import MAX_ARRAY_BYTES, one_line, read_arrays
from tsa.files._tables import Table

SUFFIXES = ("npz", "npy", "mat", "safetensors", "pt", "pth", "ckpt", "bin")  # that the app offers to open
_MAX_FILE_BYTES = 2 * MAX_ARRAY_BYTES


def contents(source: str | os.PathLike[str] | bytes) -> bytes:
    """The bytes of a file, unless it is too large."""
    if isinstance(source, bytes):
        data = source
    else:
        try:
            size = os.stat(source).st_size
            if size > _MAX_FILE_BYTES:
                raise ModelFileError(f"This file has {size / 2**20:.0f} MB; at most {_MAX_FILE_BYTES >> 20} are read.")
            with open(source, "rb") as file:
                data = file.read(size)
        except (OSError, ValueError) as error:
            raise ModelFileError(f"Cannot read this file: {one_line(error)}.") from error
    if len(data) > _MAX_FILE_BYTES:
        raise ModelFileError(f"This file has {len(data) / 2**20:.0f} MB; at most {_MAX_FILE_BYTES >> 20} are read.")
    return data


def is_numpy(data: bytes) -> bool:
    """Whether these bytes are an `.npy`, or a zip that is not a checkpoint."""
    if data[:6] == b"\x93NUMPY":
        return True
    if data[:2] != b"PK":
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _checkpoint.root_of(archive.namelist()) is None
    except Exception as error:  # zipfile raises many kinds on damaged bytes
        raise ModelFileError(f"This is not a readable zip file: {one_line(error)}.") from error


def tables(data: bytes) -> list[Table]:
    """The arrays in a file: their numbers are read later, one by one."""
    file = io.BytesIO(data)
    if is_numpy(data):
        return [_of_array(name, array) for name, array in read_arrays(data).items()]
    try:
        if data[:2] == b"PK":
            archive = zipfile.ZipFile(file)
            root = _checkpoint.root_of(archive.namelist())
            assert root is not None
            return [_guarded(table) for table in _checkpoint.tables(archive, root)]
        if _safetensors.looks_like(data[:9]):
            return [_guarded(table) for table in _safetensors.tables(file, len(data))]
        if data[:8] == b"\x89HDF\r\n\x1a\n" or _mat.looks_like(data[:128], len(data)):
            return [_guarded(table) for table in _mat.tables(file, len(data))]
    except _DAMAGED as error:
        raise ModelFileError(f"This file is damaged: {one_line(error)}.") from error
    if _checkpoint.is_pickle(data[:2]):
        raise ModelFileError(
            "This is a bare pickle, as PyTorch before 1.6 wrote them; opening it may run anything, so it was left "
            "unopened. torch.save(torch.load('old.pt', weights_only=True), 'new.pt') writes a file that can be read."
        )
    raise ModelFileError("This is not an .npy, .npz, .mat or .safetensors file, nor a PyTorch checkpoint.")


# What zipfile, zlib and struct raise on damaged bytes. ModelFileError is not among these and passes through.
_DAMAGED = (
    OSError, zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, KeyError, IndexError,
    OverflowError, NotImplementedError,
)  # fmt: skip


def _of_array(name: str, array: Array) -> Table:
    return Table(name, array.shape, array.dtype.str[1:], lambda: array)


def _guarded(table: Table) -> Table:
    """The same, with damage found while reading told as such."""

    def read() -> Array:
        try:
            return np.asarray(table.read())
        except _DAMAGED as error:
            raise ModelFileError(f"{table.name} cannot be read; the file is damaged: {one_line(error)}.") from error

    return Table(table.name, table.shape, table.dtype, read)
