"""Arrays in a zip (`.npz`), read without pickle and written atomically.

Every size a file declares is checked against what it holds, and against a limit, before anything is decompressed.
"""

import io
import json
import os
import struct
import zipfile
import zlib
from typing import Any

import numpy as np

from tsa._base import Array, ModelFileError, write_atomically

MAX_ARRAY_BYTES = 64 * 2**20
_MAX_MEMBERS = 64


def one_line(error: BaseException) -> str:
    """What an error of a library says, in one short line of printable characters."""
    return "".join(c if c.isprintable() else " " for c in str(error))[:200].rstrip(". ")


def json_array(value: Any) -> Array:
    """JSON as an array of bytes, which needs no pickle and can be read by any program."""
    return np.frombuffer(json.dumps(value, sort_keys=True).encode(), np.uint8)


def write_arrays(path: str | os.PathLike[str], arrays: dict[str, Array]) -> None:
    """Write a compressed `.npz` atomically: at any moment the path holds the old file or the new one."""
    write_model(path, zip_arrays(arrays))


def zip_arrays(arrays: dict[str, Array]) -> bytes:
    """The bytes of a compressed `.npz`; equal arrays give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in sorted(arrays.items()):
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array).reshape(array.shape), allow_pickle=False)
            # A fixed date, so that equal arrays give equal bytes.
            archive.writestr(
                zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), member.getvalue(), zipfile.ZIP_DEFLATED
            )
    return buffer.getvalue()


def write_model(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a model file, whole or not at all."""
    try:
        write_atomically(path, data)
    except OSError as error:
        raise ModelFileError(f"Cannot write {path}: {error.strerror}.") from error


def read_arrays(source: str | os.PathLike[str] | bytes) -> dict[str, Array]:
    """The arrays of an `.npz`, or `{"W": …}` for a bare `.npy`; every declared size checked beforehand."""
    try:
        with io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb") as file:
            start = file.read(6)
            size = file.seek(0, io.SEEK_END)
            file.seek(0)
            if start == b"\x93NUMPY":
                return {"W": _array(file, size, "The array")}
            if size > 2 * MAX_ARRAY_BYTES:
                raise ModelFileError(
                    f"This file has {size / 2**20:.0f} MB; a model file has at most {2 * MAX_ARRAY_BYTES >> 20}."
                )
            with zipfile.ZipFile(file) as archive:
                return _members(archive)
    except FileNotFoundError as error:
        raise ModelFileError(f"There is no file {error.filename}.") from None
    # What zipfile and zlib raise on damaged bytes. ModelFileError is not among these and passes through.
    except (OSError, zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError) as error:
        raise ModelFileError(f"This is not a readable .npz or .npy file: {one_line(error)}.") from error


def _members(archive: zipfile.ZipFile) -> dict[str, Array]:
    infos = archive.infolist()
    names = [info.filename.removesuffix(".npy") for info in infos]
    unexpected = [
        info.orig_filename
        for info, name in zip(infos, names, strict=True)
        if info.orig_filename != f"{name}.npy" or not name.isprintable() or set(name) & set("/\\:")
    ]
    if len(names) > _MAX_MEMBERS:
        raise ModelFileError(f"A model file has at most {_MAX_MEMBERS} members, this one {len(names)}; left unopened.")
    if unexpected or len(set(names)) != len(names):
        what = [name[:60] for name in unexpected[:3]] or "a member twice"
        raise ModelFileError(f"A model file does not hold {what}; it was left unopened.")
    if sum(info.file_size for info in infos) > MAX_ARRAY_BYTES:
        raise ModelFileError(f"This file unpacks to more than {MAX_ARRAY_BYTES >> 20} MB; it was left unopened.")
    arrays = {}
    for name, info in zip(names, infos, strict=True):
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
            raise ModelFileError(f"{info.filename} is encrypted or packed in a way we do not open.")
        with archive.open(info) as member:
            arrays[name] = _array(member, info.file_size, name)
    return arrays


def _array(file: Any, size: int, name: str) -> Array:
    """Read one `.npy` stream of `size` bytes; an error unless its header agrees with that size."""
    try:
        version = np.lib.format.read_magic(file)
        reader = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
        if reader is None:
            raise ModelFileError(f"{name} is an .npy of version {version}, which we do not read.")
        shape, fortran, dtype = reader(file)
    except ModelFileError:
        raise
    except Exception as error:  # numpy parses the header as Python, which fails in many ways (TokenError among them)
        raise ModelFileError(f"{name} is not a readable .npy array: its header is damaged.") from error
    if dtype.kind not in "biufc" or dtype.hasobject:
        raise ModelFileError(f"{name} holds {dtype}, not numbers; it was left unopened.")
    count = 1
    for n in shape:
        count *= int(n)
    wanted, there = count * dtype.itemsize, size - file.tell()
    if wanted < 0 or wanted != there:
        raise ModelFileError(f"{name} claims {wanted} bytes of data but has {there}; the file is damaged.")
    if wanted > MAX_ARRAY_BYTES:
        raise ModelFileError(
            f"{name} has {wanted / 2**20:.0f} MB; at most {MAX_ARRAY_BYTES >> 20} are read. Try float32."
        )
    data = file.read(wanted)
    if len(data) != wanted:
        raise ModelFileError(f"{name} ends early; the file is truncated.")
    array = np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")
    array = array.astype(dtype.newbyteorder("="))
    if not np.all(np.isfinite(array)):
        raise ModelFileError(f"{name} holds nan or inf.")
    return array
