"""Model files: one `.npz`, never pickle, safe to open from strangers.

Every size a file declares is checked against what it holds and against a limit *before* anything is decompressed.
Other people's filters, as `.npy` or as the one table of an `.npz`, are read too (`tsa.foreign`).
"""

import io
import json
import math
import os
import struct
import tempfile
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tsa.checks import Array
from tsa.errors import InputError, ModelFileError
from tsa.foreign import convert, take_filters
from tsa.model import Subgroup, Torus
from tsa.stiefel import HALF_OF_DOUBLE, HALF_OF_SINGLE, orthonormality_defect, orthonormalize

_LARGEST = 64 * 2**20  # bytes of one array
_MOST_PIXELS = 128 * 128  # of a patch
_MOST_MEMBERS = 64


@dataclass(frozen=True, eq=False)
class ModelFile:
    """What a file holds: the model, the shape of its patches, and where it comes from (JSON-like).

    `defect` is the largest entry of |WᵀW − I| of the filters as they were in the file, before any projection; `note`
    says how filters that are not ours were read, where there was a choice.
    """

    model: Torus | Subgroup
    shape: tuple[int, ...]
    about: dict[str, Any] = field(default_factory=dict)
    defect: float = 0.0
    note: str = ""


def save(
    model: Torus | Subgroup,
    path: str | os.PathLike[str],
    shape: tuple[int, ...] | None = None,
    about: dict[str, Any] | None = None,
) -> None:
    """Write a model, the shape of its patches (square, or one row, if not given) and its provenance; atomically."""
    _write(path, pack(model, shape, about))


def pack(model: Torus | Subgroup, shape: tuple[int, ...] | None = None, about: dict[str, Any] | None = None) -> bytes:
    """The bytes that `save` writes and `read` reads; equal models give equal bytes."""
    arrays = {
        "filters": model.filters,
        "noise": np.array(model.noise),
        "shape": np.array(shape or _shape(model.dimension)),
    }
    if isinstance(model, Subgroup):
        arrays["weights"] = model.weights
    return _zipped({**arrays, "about": json_array(about or {})})


def load(name_or_path: str | os.PathLike[str]) -> Torus | Subgroup:
    """A bundled model by name (`tsa.bundled()` lists them), or the model in a file."""
    return read(bundled_path(str(name_or_path)) or name_or_path).model


def bundled() -> list[str]:
    """Names of the models that come with the package."""
    return sorted(path.stem for path in assets("models").glob("*.npz"))


def bundled_path(name: str) -> Path | None:
    """Where the bundled model of this name is, if there is one."""
    return assets("models") / f"{name}.npz" if name in bundled() else None


def assets(folder: str) -> Path:
    """A folder of `assets`, inside the installed package or beside it in a checkout."""
    inside, beside = Path(__file__).parent / "assets" / folder, Path(__file__).parents[1] / "assets" / folder
    return inside if inside.is_dir() else beside


def read(source: str | os.PathLike[str] | bytes, project: bool = False, in_rows: bool | None = None) -> ModelFile:
    """Read and check a model file, given by its path or its bytes.

    `project` replaces filters that are not orthonormal by the nearest ones that are; otherwise they are an error
    that says how far off they are. `in_rows` says how filters that are not ours lie, if it need not be found out.
    """
    arrays = read_arrays(source)
    ours = "filters" in arrays and "W" not in arrays
    try:
        about = json.loads(arrays["about"].tobytes()) if "about" in arrays else {}
    except (ValueError, RecursionError) as error:
        raise ModelFileError("The provenance in this model file is not JSON; the file is damaged.") from error
    if not isinstance(about, dict) or arrays.get("noise", np.ones(())).size != 1:
        raise ModelFileError("The noise or the provenance in this model file has the wrong form.")
    filters, note = take_filters(arrays), ""
    weights = arrays.get("weights")
    try:
        shape = tuple(int(n) for n in arrays["shape"].ravel().real) if "shape" in arrays else None
        if filters.dtype.kind != "c" or not ours:
            count = filters.shape
            filters, kept, note = convert(filters, None if shape is None else math.prod(shape), in_rows)
            if weights is not None and len(weights) in count and len(kept) < len(weights):
                weights = weights[kept]
        if filters.shape[0] > _MOST_PIXELS:
            raise InputError(
                f"Patches of at most {_MOST_PIXELS:,} pixels (128×128) are read; these have {filters.shape[0]:,}."
            )
        if filters.shape[1] > filters.shape[0]:
            raise InputError(
                f"{filters.shape[1]} filters of {filters.shape[0]} pixels cannot be orthonormal: too many."
            )
        defect = orthonormality_defect(filters)
        if project:
            filters = orthonormalize(filters)
        elif HALF_OF_DOUBLE < defect <= HALF_OF_SINGLE:
            filters = filters.astype(np.complex64)  # no more than single precision is in them
        noise = float(arrays["noise"].reshape(()).real) if "noise" in arrays else 1.0
        model = Torus(filters, noise) if weights is None else Subgroup(filters, weights, noise)
        shape = _shape(model.dimension) if shape is None else shape
    except (InputError, OverflowError, ValueError) as error:
        raise ModelFileError(str(error)) from error
    if not 1 <= len(shape) <= 2 or min(shape) < 1 or math.prod(shape) != model.dimension:
        raise ModelFileError(f"This file says its patches are {shape}, but its filters have {model.dimension} pixels.")
    return ModelFile(model, shape, about, defect, note)


def _shape(dimension: int) -> tuple[int, ...]:
    side = int(np.sqrt(dimension))
    return (side, side) if side * side == dimension else (dimension,)


# -- arrays in a zip ---------------------------------------------------------------------------------------


def json_array(value: Any) -> Array:
    """JSON as bytes in an array: no pickle, and readable by anything."""
    return np.frombuffer(json.dumps(value, sort_keys=True).encode(), np.uint8)


def write_arrays(path: str | os.PathLike[str], arrays: dict[str, Array]) -> None:
    """Write a compressed `.npz` so that the path holds the old file or the new one, never half of one."""
    _write(path, _zipped(arrays))


def _zipped(arrays: dict[str, Array]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in sorted(arrays.items()):
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array).reshape(array.shape), allow_pickle=False)
            # A fixed date: equal models give equal files.
            archive.writestr(
                zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), member.getvalue(), zipfile.ZIP_DEFLATED
            )
    return buffer.getvalue()


def _write(path: str | os.PathLike[str], data: bytes) -> None:
    path = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise ModelFileError(f"Cannot write {path}: {error.strerror}.") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ModelFileError(f"Cannot write {path}: {error.strerror}.") from error
        raise


def read_arrays(source: str | os.PathLike[str] | bytes) -> dict[str, Array]:
    """The arrays of an `.npz`, or `{"W": …}` for a bare `.npy`; every declared size checked beforehand."""
    try:
        with io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb") as file:
            start = file.read(6)
            size = file.seek(0, io.SEEK_END)
            file.seek(0)
            if start == b"\x93NUMPY":
                return {"W": _array(file, size, "W")}
            if size > 2 * _LARGEST:
                raise ModelFileError(
                    f"This file has {size / 2**20:.0f} MB; a model file has at most {2 * _LARGEST >> 20}."
                )
            with zipfile.ZipFile(file) as archive:
                return _members(archive)
    except FileNotFoundError as error:
        names = ", ".join(bundled()) or "none"
        raise ModelFileError(
            f"There is no model file {source!s}, and no bundled model of that name ({names})."
        ) from error
    # What zipfile and zlib raise on damaged bytes; our own errors are none of these.
    except (OSError, zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError) as error:
        raise ModelFileError(f"This is not a readable .npz or .npy file: {error}.") from error


def _members(archive: zipfile.ZipFile) -> dict[str, Array]:
    infos = archive.infolist()
    names = [info.filename.removesuffix(".npy") for info in infos]
    strangers = [
        info.orig_filename
        for info, name in zip(infos, names, strict=True)
        if info.orig_filename != f"{name}.npy" or not name.isprintable() or set(name) & set("/\\:")
    ]
    if len(names) > _MOST_MEMBERS:
        raise ModelFileError(f"A model file has at most {_MOST_MEMBERS} members, this one {len(names)}; left unopened.")
    if strangers or len(set(names)) != len(names):
        raise ModelFileError(f"A model file does not hold {strangers[:3] or 'a member twice'}; it was left unopened.")
    if sum(info.file_size for info in infos) > _LARGEST:
        raise ModelFileError(f"This file unpacks to more than {_LARGEST >> 20} MB; it was left unopened.")
    arrays = {}
    for name, info in zip(names, infos, strict=True):
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
            raise ModelFileError(f"{info.filename} is encrypted or packed in a way we do not open.")
        with archive.open(info) as member:
            arrays[name] = _array(member, info.file_size, name)
    return arrays


def _array(file: Any, size: int, name: str) -> Array:
    """One `.npy` stream of `size` bytes, believed only when its header agrees with them."""
    try:
        version = np.lib.format.read_magic(file)
        reader = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
        if reader is None:
            raise ModelFileError(f"{name} is an .npy of version {version}, which we do not read.")
        shape, fortran, dtype = reader(file)
    except (ValueError, SyntaxError, TypeError) as error:
        raise ModelFileError(f"{name} is not a readable .npy array: its header is damaged.") from error
    if dtype.kind not in "biufc" or dtype.hasobject:
        raise ModelFileError(f"{name} holds {dtype}, not numbers; it was left unopened.")
    count = 1
    for n in shape:
        count *= int(n)
    wanted, there = count * dtype.itemsize, size - file.tell()
    if wanted < 0 or wanted != there:
        raise ModelFileError(f"{name} claims {wanted} bytes of data but has {there}; the file is damaged.")
    if wanted > _LARGEST:
        raise ModelFileError(f"{name} has {wanted / 2**20:.0f} MB; at most {_LARGEST >> 20} are read. Try float32.")
    data = file.read(wanted)
    if len(data) != wanted:
        raise ModelFileError(f"{name} ends early; the file is truncated.")
    array = np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")
    array = array.astype(dtype.newbyteorder("="))
    if not np.all(np.isfinite(array)):
        raise ModelFileError(f"{name} holds nan or inf.")
    return array
