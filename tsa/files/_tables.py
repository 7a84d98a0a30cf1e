"""A file of arrays by other programs as tables: names, shapes and types first, numbers only when one is chosen.

Every reader checks what a file declares against what it holds, and against a limit, before it allocates anything.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tsa._base import Array, ModelFileError
from tsa.files._npz import MAX_ARRAY_BYTES

MIN_SIDE_PIXELS, MAX_SIDE_PIXELS = 5, 128  # of kernels
MAX_TABLES = 4096  # in one file
_NAMES = ("W", "filters", "weight", "kernel", "dictionary", "components_", "D", "A")  # of filters, likeliest first
_NOT_FILTERS = ("bias", "running_mean", "running_var", "weights", "noise", "shape", "about", "basis", "curve")


@dataclass(frozen=True)
class Table:
    """An array in a file: `read` checks its size, then gives its numbers."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    read: Callable[[], Array]

    def __str__(self) -> str:
        return f"{self.name} {'×'.join(map(str, self.shape)) or 'number'}"


def count(shape: tuple[int, ...], itemsize: int, name: str) -> int:
    """The number of entries of a declared shape; an error beyond the limit, before anything is allocated."""
    total = 1
    for n in shape:
        total *= int(n)
    if min(shape, default=1) < 0 or total * itemsize > MAX_ARRAY_BYTES:
        raise ModelFileError(
            f"{name} has {total * itemsize / 2**20:.0f} MB; at most {MAX_ARRAY_BYTES >> 20} are read. Try float32."
        )
    return total


def finite(array: Array, name: str) -> Array:
    """The array in native byte order, as float32, float64 or complex; an error if it holds nan or inf."""
    array = np.array(array, array.dtype.newbyteorder("="), order="C")
    if array.dtype.kind in "biu" or array.dtype == np.float16:
        array = array.astype(np.float32 if array.dtype.itemsize <= 2 else np.float64)
    if not np.all(np.isfinite(array)):
        raise ModelFileError(f"{name} holds nan or inf.")
    return array


def listed(tables: list[Table], most: int = 8) -> str:
    """`conv1.weight 64×3×11×11, fc.weight 10×256, … (3 more)`."""
    shown = ", ".join(str(table) for table in tables[:most])
    return shown + (f", … ({len(tables) - most} more)" if len(tables) > most else "")


def choose(tables: list[Table], name: str | None) -> tuple[Table, str]:
    """The table with the filters, and in words why, if there was a choice. `name` is one that the user gave."""
    if name is not None:
        for table in tables:
            if table.name == name:
                return table, ""
        raise ModelFileError(f"This file has no array {name!r}; it has {listed(tables)}.")
    usable = [table for table in tables if _could_be_filters(table)]
    if not usable:
        raise ModelFileError(
            f"No array of this file is a set of filters, (n, pixels) or (n, channels, h, w): {listed(tables) or '-'}."
        )
    if len(usable) == 1:
        others = f", the only one of {len(tables)} that can be filters" if len(tables) > 1 else ""
        return usable[0], f"Read array {usable[0]}{others}." if others else ""
    for known in _NAMES:
        for table in usable:
            if table.name == known:
                return table, f"Read array {table}, by its name. Others: {listed(_without(usable, table))}."
    kernels = [table for table in usable if len(table.shape) == 4 and kernel_axes(table.shape) is not None]
    if kernels:
        first, why = kernels[0], "the first that has kernels of pictures"
    else:
        first = max(usable, key=lambda table: int(np.prod(table.shape)))
        why = "the largest"
    return first, f"Read array {first}, {why}. Others: {listed(_without(usable, first))}."


def _without(tables: list[Table], one: Table) -> list[Table]:
    return [table for table in tables if table is not one]


def _could_be_filters(table: Table) -> bool:
    last = table.name.rpartition(".")[2]
    if last in _NOT_FILTERS or min(table.shape, default=0) < 1:
        return False
    if len(table.shape) == 2:
        return max(table.shape) > 1
    return len(table.shape) in (3, 4) and kernel_axes(table.shape) is not None


def kernel_axes(shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The order of axes that makes an array (n, channels, h, w), from that order or (h, w, channels, n); 3-D alike."""
    sides = range(MIN_SIDE_PIXELS, MAX_SIDE_PIXELS + 1)
    if len(shape) in (3, 4) and shape[-1] == shape[-2] and shape[-1] in sides:
        return tuple(range(len(shape)))
    if len(shape) in (3, 4) and shape[0] == shape[1] and shape[0] in sides:
        return (2, 0, 1) if len(shape) == 3 else (3, 2, 0, 1)
    return None
