"""Filters written by other programs: which array of the file holds them, and its layout, pairing and scale.

Our filters are complex (D, J) with z_j = f_jᵀx and real and imaginary parts of length 1. Differences of convention
(layout, scale, phase, conjugate pairs) are removed. Filters that are not orthonormal are left unchanged; `defect`
measures how far off they are.
"""

import numpy as np

from tsa._base import Array, ModelFileError

_MIN_COSINE_EQUAL = 1 - 1e-6  # from which two unit vectors are taken to be equal up to phase
_MAX_COSINE_ORTHOGONAL = 0.5  # up to which vectors are taken for filters that should be orthogonal
_MAX_FILTERS = 4096  # their Gram matrix has to fit into memory
_OTHER_ARRAYS = {"weights", "noise", "shape", "about", "basis", "curve"}  # of our own files, besides the filters


def take_filters(arrays: dict[str, Array]) -> Array:
    """Remove from `arrays` the one that holds the filters: `W`, `filters`, or else the only two-dimensional one."""
    named: list[str] = [name for name in ("W", "filters") if name in arrays]
    flat = [name for name, array in arrays.items() if array.ndim == 2]
    found = named or [name for name in flat if name not in _OTHER_ARRAYS] or flat
    if not found or arrays[found[0]].ndim != 2:
        raise ModelFileError("A model file holds `filters` (D, J), or a real `W` (D, 2J); this one has neither.")
    if len(found) > 1 and not named:
        tables = ", ".join(f"{name} {arrays[name].shape}" for name in found[:4])
        raise ModelFileError(f"This file holds {len(found)} tables ({tables}); call the one with the filters `W`.")
    return arrays.pop(found[0])


def convert(w: Array, pixels: int | None = None, in_rows: bool | None = None) -> tuple[Array, Array, str]:
    """Complex filters (D, J) from a real or complex array, their indices in it (J,), and in words how it was read.

    A real array has real filters in its columns; neighbours form a plane, and an odd one, or one whose partner is zero,
    is a line. A complex array has one filter of any length in each column; one that is real up to phase is a line, and
    of two conjugates, which span the same plane, only the first is kept.

    `in_rows` says whether the filters are in rows. If it is None, this is inferred: from `pixels`, the number of pixels
    D, if known; else filters are in rows if they are fewer than their pixels and nearly orthogonal, which the columns
    then cannot be. A square array is read by columns.
    """
    notes = []
    if not w.size:
        raise ModelFileError(f"This file holds no filters: its array has {w.shape[0]}×{w.shape[1]} numbers.")
    if min(w.shape) > _MAX_FILTERS:
        raise ModelFileError(
            f"At most {_MAX_FILTERS} filters are read; this file holds {w.shape[0]}×{w.shape[1]} numbers."
        )
    if _seems_in_rows(w, pixels) if in_rows is None else in_rows:
        w = w.T
        notes.append(f"The filters were in rows: {w.shape[1]} of {w.shape[0]} pixels.")
    if w.dtype.kind != "c":
        if w.shape[1] % 2:
            notes.append("The last column has no partner and was read as a line.")
        filters = _from_real(w)
        return filters, np.arange(filters.shape[1]), " ".join(notes)
    filters, kept = _from_complex(w)
    if filters.shape[1] < w.shape[1]:
        notes.append(f"{w.shape[1] - filters.shape[1]} filters were conjugates of others and were left out.")
    return filters, kept, " ".join(notes)


def _seems_in_rows(w: Array, pixels: int | None) -> bool:
    rows, columns = w.shape
    if pixels in (rows, columns):
        return rows != pixels
    if rows >= np.count_nonzero(w.any(axis=0)):  # a zero column is the missing partner of a line, not a filter
        return False
    unit = _unit(w.T)
    cosines = np.abs(unit.conj().T @ unit)
    np.fill_diagonal(cosines, 0.0)
    return bool(cosines.max(initial=0.0) < _MAX_COSINE_ORTHOGONAL)


def _unit(w: Array) -> Array:
    with np.errstate(over="ignore"):  # an infinite length gives zeros, which are then found not to be orthonormal
        length = np.linalg.norm(w, axis=0)
    return w / np.where(length > 0, length, 1.0)


def _from_real(w: Array) -> Array:
    single = w.dtype == np.float32
    even = np.zeros((len(w), w.shape[1] + w.shape[1] % 2), np.float32 if single else np.float64)
    even[:, : w.shape[1]] = w
    return even.view(np.complex64 if single else np.complex128)


def _from_complex(w: Array) -> tuple[Array, Array]:
    """Filters of length √2 (planes) or 1 (lines), keeping the ratio of real and imaginary part: unequal is a defect."""
    unit = _unit(w)
    overlap = unit.T @ unit  # |fᵀg| is 1 for conjugates; a line is its own conjugate
    line = np.abs(overlap.diagonal()) > _MIN_COSINE_EQUAL
    repeated = np.triu(np.abs(overlap) > _MIN_COSINE_EQUAL, 1).any(axis=0)
    filters = np.sqrt(2).astype(unit.real.dtype) * unit
    filters[:, line] = (unit[:, line] / np.sqrt(overlap.diagonal()[line])).real
    kept = np.flatnonzero(~repeated)
    return np.ascontiguousarray(filters[:, kept]), kept
