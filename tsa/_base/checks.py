"""Checks and conversions of input arrays: real or complex, single or double precision, finite, read-only."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tsa._base.errors import InputError, ShapeError

Array = NDArray[Any]
Rng = np.random.Generator | int | None


def real(value: ArrayLike, name: str) -> Array:
    """`value` as float32 (kept) or float64 (everything else that is real)."""
    array = _array(value, name)
    if array.dtype in (np.float32, np.float64):
        return array
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name} must be real numbers, got dtype {array.dtype}.")
    return array.astype(np.float64)


def complex_(value: ArrayLike, name: str) -> Array:
    """`value` as complex64 (from single precision) or complex128 (from everything else)."""
    array = _array(value, name)
    if array.dtype.kind not in "biufc":
        raise InputError(f"{name} must be numbers, got dtype {array.dtype}.")
    return array.astype(np.complex64 if array.dtype in (np.float32, np.complex64) else np.complex128)


def _array(value: ArrayLike, name: str) -> Array:
    try:
        return np.asarray(value)
    except ValueError as error:
        raise InputError(f"{name} must be an array, but its rows have different lengths.") from error


def rows(value: ArrayLike, name: str) -> Array:
    """Patches in rows (n, D), at least one, all finite."""
    array = finite(real(value, name), name)
    if array.ndim != 2 or array.shape[0] == 0:
        raise ShapeError(f"{name} must be patches in rows, (n, D) with n at least 1; got shape {array.shape}.")
    return array


def square(value: ArrayLike, name: str) -> Array:
    """A square grey picture (n, n), finite."""
    array = finite(real(value, name), name)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ShapeError(f"{name} must be a square grey picture (n, n); got shape {array.shape}.")
    return array


def common_shape(name: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape these broadcast to."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        raise ShapeError(f"{name} do not fit together: {' and '.join(map(str, shapes))}.") from error


def batch_axis(axis: int, batch: tuple[int, ...]) -> int:
    """`axis` of a batch, counted from the front."""
    if not -len(batch) <= axis < len(batch):
        raise ShapeError(f"There is no axis {axis} in a batch of shape {batch}.")
    return axis % len(batch)


def whole(n: int, name: str = "n") -> int:
    """A whole number from 0 to a million."""
    if not isinstance(n, int | np.integer) or not 0 <= n <= 1_000_000:
        raise InputError(f"{name} must be a whole number from 0 to 1,000,000; got {n!r}.")
    return int(n)


def finite(array: Array, name: str) -> Array:
    """`array` itself; an error that names the first entry that is nan or inf, if there is one."""
    good = np.isfinite(array)
    if not good.all():
        where = tuple(int(i) for i in np.argwhere(~good)[0])
        raise InputError(
            f"{name} must be finite, but {np.size(good) - np.count_nonzero(good)} of {good.size} entries "
            f"are nan or inf, the first at index {where}."
        )
    return array


def positive(value: float, name: str) -> float:
    """`value` as a float above zero."""
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be a positive number, got {value!r}.") from error
    if not 1e-100 < number < 1e100:  # its square and its inverse must not over- or underflow
        raise InputError(f"{name} must be a positive number of ordinary size, got {value!r}.")
    return number


def frozen(array: Array) -> Array:
    """`array`, C-contiguous and read-only."""
    array = np.asarray(array, order="C")
    array.flags.writeable = False
    return array


def natural_parameter(kappa: ArrayLike, mu: ArrayLike) -> Array:
    """η = κ e^{iμ} (eq. conventional_to_natural)."""
    kappa = real(kappa, "kappa")
    if np.any(kappa < 0):
        raise InputError(f"kappa must not be negative, got {kappa.min():.3g}; turn mu by π instead.")
    return kappa * np.exp(1j * finite(real(mu, "mu"), "mu"))


def as_points(s: ArrayLike, parameters: int) -> Array:
    """Points of a group of p parameters as (..., p): s is (...) for p = 1 and (..., p) otherwise; finite."""
    points = finite(real(s, "s"), "s")
    if parameters == 1:
        return points[..., None]
    if points.ndim == 0 or points.shape[-1] != parameters:
        number = "two" if parameters == 2 else parameters
        raise ShapeError(
            f"This group has {number} parameters: s must have {number} dimensions, (..., {parameters}); "
            f"got {points.shape}."
        )
    return points


def precision_of(like: Array, value: Array) -> Array:
    """`value`, computed in double, in the precision of `like`; real stays real and complex complex."""
    single = like.dtype in (np.complex64, np.float32)
    if np.iscomplexobj(value):
        return np.asarray(value, np.complex64 if single else np.complex128)
    return np.asarray(value, np.float32 if single else np.float64)


def generator(rng: Rng) -> np.random.Generator:
    """A Generator from a Generator, a seed, or None (fresh entropy)."""
    return np.random.default_rng(rng)
