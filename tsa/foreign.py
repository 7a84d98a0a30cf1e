"""Somebody else's filters: which array of a file they are, which way round, paired and normalised how.

Ours are complex (D, J) with z_j = f_jᵀx and unit real and imaginary parts. What is the same up to convention is brought
to that form; what is not orthonormal stays so, for `defect` to tell.
"""

import numpy as np

from tsa.checks import Array
from tsa.errors import ModelFileError

_SAME = 1 - 1e-6  # cosine from which two unit vectors are one, up to phase
_APART = 0.5  # cosine up to which vectors are taken for filters meant to be orthogonal
_MOST = 4096  # filters; their Gram matrix has to fit into memory
_OURS = {"weights", "noise", "shape", "about", "basis", "curve"}


def take_filters(arrays: dict[str, Array]) -> Array:
    """Remove from `arrays` the one that holds the filters: `W`, `filters`, or else the only two-dimensional one."""
    named: list[str] = [name for name in ("W", "filters") if name in arrays]
    flat = [name for name, array in arrays.items() if array.ndim == 2]
    found = named or [name for name in flat if name not in _OURS] or flat
    if not found or arrays[found[0]].ndim != 2:
        raise ModelFileError("A model file holds `filters` (D, J), or a real `W` (D, 2J); this one has neither.")
    if len(found) > 1 and not named:
        tables = ", ".join(f"{name} {arrays[name].shape}" for name in found[:4])
        raise ModelFileError(f"This file holds {len(found)} tables ({tables}); call the one with the filters `W`.")
    return arrays.pop(found[0])


def convert(w: Array, pixels: int | None = None, in_rows: bool | None = None) -> tuple[Array, Array, str]:
    """Complex filters (D, J) from a real or complex array, which of its filters they are, and how it was read.

    Real: filters in columns, neighbours a pair, an odd one (or one whose partner is zero) a line. Complex: one filter
    in each column, of any length; one that is real up to phase is a line, and of two conjugates only the first is
    kept, for they are one plane. Filters in rows are recognised by `pixels` if that is known, else by being fewer than
    their pixels and nearly orthogonal, as the columns then cannot be. A square array is read by columns. `in_rows` says
    it if somebody knows.
    """
    notes = []
    if not w.size:
        raise ModelFileError(f"This file holds no filters: its array has {w.shape[0]}×{w.shape[1]} numbers.")
    if min(w.shape) > _MOST:
        raise ModelFileError(f"At most {_MOST} filters are read; this file holds {w.shape[0]}×{w.shape[1]} numbers.")
    if _lies_on_its_side(w, pixels) if in_rows is None else in_rows:
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


def _lies_on_its_side(w: Array, pixels: int | None) -> bool:
    rows, columns = w.shape
    if pixels in (rows, columns):
        return rows != pixels
    if rows >= np.count_nonzero(w.any(axis=0)):  # zero columns stand beside lines, and are no filters
        return False
    unit = _unit(w.T)
    cosines = np.abs(unit.conj().T @ unit)
    np.fill_diagonal(cosines, 0.0)
    return bool(cosines.max(initial=0.0) < _APART)


def _unit(w: Array) -> Array:
    with np.errstate(over="ignore"):  # too long to have a length: becomes zero, and is found not to be orthonormal
        length = np.linalg.norm(w, axis=0)
    return w / np.where(length > 0, length, 1.0)


def _from_real(w: Array) -> Array:
    single = w.dtype == np.float32
    even = np.zeros((len(w), w.shape[1] + w.shape[1] % 2), np.float32 if single else np.float64)
    even[:, : w.shape[1]] = w
    return even.view(np.complex64 if single else np.complex128)


def _from_complex(w: Array) -> tuple[Array, Array]:
    """One length for all: √2 for planes, 1 for lines. A common factor only: unequal parts are a defect, not a style."""
    unit = _unit(w)
    overlap = unit.T @ unit  # |fᵀg| is 1 for conjugates; a line is its own
    line = np.abs(overlap.diagonal()) > _SAME
    again = np.triu(np.abs(overlap) > _SAME, 1).any(axis=0)
    filters = np.sqrt(2).astype(unit.real.dtype) * unit
    filters[:, line] = (unit[:, line] / np.sqrt(overlap.diagonal()[line])).real
    kept = np.flatnonzero(~again)
    return np.ascontiguousarray(filters[:, kept]), kept
