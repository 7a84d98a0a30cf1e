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


def size(value: object, name: str, least: int = 1) -> int:
    """A whole number of pixels or samples, at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name}, a whole number from {least} on; got {value!r}.")
    return int(value)


def whole(n: int, name: str = "n") -> int:
    """A whole number from 0 to a million."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 <= n <= 1_000_000:
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
    kappa, mu = finite(real(kappa, "kappa"), "kappa"), finite(real(mu, "mu"), "mu")
    common_shape("kappa and mu", kappa.shape, mu.shape)
    if np.any(kappa < 0):
        raise InputError(f"kappa must not be negative, got {kappa.min():.3g}; turn mu by π instead.")
    return kappa * np.exp(1j * mu)


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


def harmonics(orders: ArrayLike, parameters: int) -> Array:
    """Integer harmonics (m, p) as given; for p = 1 also (m,), or a whole number n, which stands for 1…n."""
    if parameters == 1 and np.ndim(orders) == 0:
        return np.arange(1, 1 + whole(orders))[:, None]  # type: ignore[arg-type]  # `whole` refuses all but integers
    array = _array(orders, "Harmonics")
    if parameters == 1 and array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != parameters or array.dtype.kind not in "iu":
        expected = "a whole number, or integers (m,) or (m, 1)" if parameters == 1 else f"integers (m, {parameters})"
        raise ShapeError(f"Harmonics must be {expected}; got {array.dtype} of shape {array.shape}.")
    return array.astype(np.int64)


def probabilities(value: ArrayLike, name: str = "p") -> Array:
    """Real numbers from 0 to 1."""
    array = finite(real(value, name), name)
    outside = (array < 0) | (array > 1)
    if outside.any():
        # All digits: an excess of 1e-9 would be invisible in a rounded number.
        raise InputError(f"{name} must lie between 0 and 1; got {float(array[outside][0])!r}.")
    return array


def precision_of(like: Array, value: Array) -> Array:
    """`value`, computed in double, in the precision of `like`; real stays real and complex complex."""
    single = like.dtype in (np.complex64, np.float32)
    if np.iscomplexobj(value):
        return np.asarray(value, np.complex64 if single else np.complex128)
    return np.asarray(value, np.float32 if single else np.float64)


def generator(rng: Rng) -> np.random.Generator:
    """A Generator from a Generator, a seed, or None (fresh entropy)."""
    return np.random.default_rng(rng)
