"""Model files: one `.npz` without pickle, safe to open from any source.

Filters written by other programs, as `.npy` or as the one two-dimensional array of an `.npz`, are read too.
"""

import json
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tsa._base import Array, InputError, ModelFileError, NotOrthonormalError, assets
from tsa.files._foreign import convert, take_filters
from tsa.files._formats import contents, is_numpy, tables
from tsa.files._kernels import kernels_of
from tsa.files._npz import json_array, read_arrays, write_model, zip_arrays
from tsa.files._tables import choose
from tsa.model import (
    HALF_OF_DOUBLE,
    HALF_OF_SINGLE,
    Subgroup,
    Torus,
    fourier_model,
    orthonormality_defect,
    orthonormalize,
)

_MAX_PATCH_PIXELS = 128 * 128
_MAX_ABOUT_BYTES = 2**19  # JSON takes up to thirty times as much in memory
_ROUNDING = 1e-13  # of a filter of a DFT, between machines


@dataclass(frozen=True, eq=False)
class ModelFile:
    """The content of a model file: the model, the shape of its patches, and its provenance `about` (JSON).

    `defect` is the largest entry of |WᵀW − I| of the filters as they were in the file, before any projection; `note`
    says in words how filters of another program were read, where there was a choice.
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
    """Write a model, the shape of its patches (square, or one row, if not given) and its provenance; atomically.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.npz"
    >>> tsa.save(tsa.fourier_model(8), path)
    >>> tsa.load(path).dimension
    8
    """
    if not isinstance(model, Torus | Subgroup) or not isinstance(path, str | os.PathLike):
        raise InputError(
            f"save(model, path) takes a Torus or Subgroup, then a path; got {type(model).__name__} and "
            f"{type(path).__name__}."
        )
    write_model(path, pack_model(model, shape, about))


def pack_model(
    model: Torus | Subgroup, shape: tuple[int, ...] | None = None, about: dict[str, Any] | None = None
) -> bytes:
    """The bytes that `save` writes and `read` reads; equal models give equal bytes."""
    arrays = {
        "filters": model.filters,
        "noise": np.array(model.noise),
        "shape": np.array(shape or getattr(model, "sizes", None) or _shape(model.dimension)),
    }
    if isinstance(model, Subgroup):
        arrays["weights"] = model.weights
    return zip_arrays({**arrays, "about": json_array(about or {})})


def load(name_or_path: str | os.PathLike[str]) -> Torus | Subgroup:
    """A bundled model by name (`tsa.bundled()` lists them), or the model in a file.

    >>> model = tsa.load("rotation-16-refined")
    >>> model.dimension, model.noise
    (256, 0.06593866361106379)
    """
    if not isinstance(name_or_path, str | os.PathLike):
        raise InputError(f"load takes a bundled name or a path; got {type(name_or_path).__name__}.")
    return read(bundled_path(str(name_or_path)) or name_or_path).model


def bundled() -> list[str]:
    """Names of the models that come with the package.

    >>> "rotation-16" in tsa.bundled()
    True
    """
    return sorted(path.stem for path in assets("models").glob("*.npz"))


def bundled_path(name: str) -> Path | None:
    """Where the bundled model of this name is, if there is one."""
    return assets("models") / f"{name}.npz" if name in bundled() else None


def read(
    source: str | os.PathLike[str] | bytes,
    project: bool = False,
    in_rows: bool | None = None,
    array: str | None = None,
) -> ModelFile:
    """Read and check a model file, given by its path or its bytes; `array` names the array with the filters.

    `project` replaces filters that are not orthonormal by the nearest ones that are; otherwise they are an error
    that says how far off they are. `in_rows` says whether filters of another program are in rows; None infers it.
    """
    if not isinstance(source, bytes) and not Path(source).exists():
        names = ", ".join(bundled()) or "none"
        raise ModelFileError(f"There is no model file {source!s}, and no bundled model of that name ({names}).")
    arrays, chosen = _arrays(source, array)
    ours = "filters" in arrays and "W" not in arrays
    if "about" in arrays and arrays["about"].nbytes > _MAX_ABOUT_BYTES:
        raise ModelFileError(
            f"The provenance in this model file has {arrays['about'].nbytes >> 10:,} kB; at most "
            f"{_MAX_ABOUT_BYTES >> 10:,} kB are read."
        )
    try:
        about = json.loads(arrays["about"].tobytes()) if "about" in arrays else {}
    except (ValueError, RecursionError) as error:
        raise ModelFileError("The provenance in this model file is not JSON; the file is damaged.") from error
    if not isinstance(about, dict) or arrays.get("noise", np.ones(())).size != 1:
        raise ModelFileError("The noise or the provenance in this model file has the wrong form.")
    filters, note = take_filters(arrays), ""
    weights = arrays.get("weights")
    if weights is not None and weights.ndim not in (1, 2):
        raise ModelFileError(f"Weights have the shape (J,) or (J, p); in this model file they have {weights.shape}.")
    try:
        shape = tuple(int(n) for n in arrays["shape"].ravel().real) if "shape" in arrays else None
        if filters.dtype.kind != "c" or not ours:
            count = filters.shape
            filters, kept, note = convert(filters, None if shape is None else math.prod(shape), in_rows)
            if weights is not None and len(weights) in count and len(kept) < len(weights):
                weights = weights[kept]
        if filters.shape[0] > _MAX_PATCH_PIXELS:
            raise InputError(
                f"Patches of at most {_MAX_PATCH_PIXELS:,} pixels (128×128) are read; these have {filters.shape[0]:,}."
            )
        if filters.shape[1] > filters.shape[0]:
            raise NotOrthonormalError(
                f"{filters.shape[1]} filters of {filters.shape[0]} pixels cannot be orthonormal: too many.", np.inf
            )
        defect = orthonormality_defect(filters)
        if project:
            filters = orthonormalize(filters)
        elif HALF_OF_DOUBLE < defect <= HALF_OF_SINGLE:
            filters = filters.astype(np.complex64)  # they were rounded to single precision
        noise = float(arrays["noise"].reshape(()).real) if "noise" in arrays else 1.0
        model = Torus(filters, noise) if weights is None else _subgroup(filters, weights, noise, shape)
        shape = _shape(model.dimension) if shape is None else shape
    except (InputError, OverflowError, ValueError) as error:
        raise ModelFileError(str(error)) from error
    if not 1 <= len(shape) <= 2 or min(shape) < 1 or math.prod(shape) != model.dimension:
        raise ModelFileError(f"This file says its patches are {shape}, but its filters have {model.dimension} pixels.")
    return ModelFile(model, shape, about, defect, " ".join(filter(None, (chosen, note))))


def _arrays(source: str | os.PathLike[str] | bytes, array: str | None) -> tuple[dict[str, Array], str]:
    """The arrays of a file by name, the filters of another program as `W`; and in words why these were chosen."""
    data = contents(source)
    if array is None and is_numpy(data):
        return read_arrays(data), ""
    table, why = choose(tables(data), array)
    if len(table.shape) not in (3, 4):
        return {"W": table.read()}, why
    kernels, shape, words = kernels_of(table, None)
    return {"W": kernels, "shape": np.array(shape)}, " ".join(filter(None, (why, words)))


def _subgroup(filters: Array, weights: Array, noise: float, shape: tuple[int, ...] | None) -> Subgroup:
    """The model with these filters; if they are those of a DFT, the one that works by FFT."""
    model = Subgroup(filters, weights, noise)
    sizes = (model.dimension,) if model.parameters == 1 else shape
    if sizes is None or len(sizes) not in (1, 2) or math.prod(sizes) != model.dimension or min(sizes) < 1:
        return model
    fourier = fourier_model(sizes[0] if len(sizes) == 1 else (sizes[0], sizes[1]), noise)
    if fourier.irreps != model.irreps or not np.allclose(fourier.filters, filters, rtol=0, atol=_ROUNDING):
        return model
    return fourier


def _shape(dimension: int) -> tuple[int, ...]:
    side = int(np.sqrt(dimension))
    return (side, side) if side * side == dimension else (dimension,)
