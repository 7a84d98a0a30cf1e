"""Real trigonometric polynomials E(s) = Re Σ_k conj(η_k) e^{iks}, k = 1…K: values, grids, all their extrema.

The extrema are isolated with proof: a cell of the circle is no longer divided only when a bound on the next
derivative shows that it holds no critical point, or exactly one.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import fft

from tsa._base import Array
from tsa.density.numerics._roots import bracketed_newton

_CHUNK_VALUES = 2**17  # grid values held at once while looking for extrema: they stay in cache
_CHUNK_POINTS = 2**14  # points evaluated at once
_CHUNK_POWERS = 2**15  # powers of e^{ix} held at once: they stay in cache
_FEW_POWERS = 2**15  # so many powers of e^{ix} take less time than the calls of a Horner pass
_FEW_HARMONICS = 32  # for which a matrix product takes less time than an FFT
_TERMS = 9  # of the Taylor polynomial in which a critical point is refined
_REACH = 0.05  # in angles times the order K; there that polynomial is exact to 0.05⁹/9! = 5e-18
_MIN_CELL_RADIANS = 1e-5  # no cell is divided further, so a pair of extrema closer than this may be missed


class CriticalPoints(NamedTuple):
    """Critical points of a batch of polynomials, flat, ordered by row and then by angle in [0, 2π)."""

    row: Array
    angle: Array
    is_maximum: Array

    def neighbours(self) -> tuple[Array, Array]:
        """Index of the point before and after each one on its own circle."""
        after = following_in_group(self.row)
        before = np.empty_like(after)
        before[after] = np.arange(after.size)
        return before, after


def wrap(angle: Array) -> Array:
    """The same angle in [0, 2π); plain `mod` would round −1e-17 up to 2π itself."""
    wrapped = np.mod(angle, 2 * np.pi)
    return np.where(wrapped >= 2 * np.pi, 0.0, wrapped).astype(wrapped.dtype)  # nan stays nan


def harmonics(eta: Array) -> Array:
    """The orders 1…K of the coefficients in the last axis."""
    return np.arange(1, eta.shape[-1] + 1)


def _series(eta: Array, derivative: int) -> Array:
    """Coefficients c_k with E^(d)(s) = Re Σ c_k e^{iks}."""
    return eta.conj() * (1j * harmonics(eta)) ** derivative if derivative else eta.conj()


def evaluate(eta: Array, s: Array, derivative: int = 0) -> Array:
    """E or a derivative at `s`, which broadcasts against the batch shape of `eta` (..., K)."""
    z = np.exp(1j * s.astype(np.float64))
    c = _series(eta, derivative)
    total = np.zeros(np.broadcast_shapes(z.shape, eta.shape[:-1]), np.complex128)
    for k in range(eta.shape[-1] - 1, -1, -1):
        total += c[..., k]
        total *= z
    return total.real


def rise(eta: Array, s: Array, origin: Array) -> Array:
    """E(s) − E(origin); both broadcast against the batch shape of `eta` (..., K). Its error shrinks with s − origin."""
    x = s.astype(np.float64) - origin
    turned = eta.conj() * np.exp(1j * harmonics(eta) * origin[..., None])
    quotient = np.cumsum(turned[..., ::-1], axis=-1)[..., ::-1]  # of Σ c_k (z^k − 1) by z − 1
    z = np.exp(1j * x)
    total = np.zeros(np.broadcast_shapes(z.shape, eta.shape[:-1]), np.complex128)
    for k in range(eta.shape[-1] - 1, -1, -1):
        total *= z
        total += quotient[..., k]
    return -2 * np.sin(x / 2) ** 2 * total.real - np.sin(x) * total.imag


def slope_series(eta: Array) -> Array:
    """Coefficients of E', from order 0 up, as columns: (B, K) → (K + 1, B)."""
    return np.concatenate([np.zeros((1, len(eta))), _series(eta, 1).T])


def series_values(series: Array, column: Array, x: Array) -> Array:
    """Re Σ_j c_j e^{ijx}, j = 0…J − 1, for points `x` (..., n) of the polynomials `column` (n,) of `series` (J, m)."""
    if x.size * len(series) <= _FEW_POWERS:
        product = _powers(np.exp(1j * x.ravel()), len(series)).reshape(len(series), *x.shape)
        product *= series.take(column, axis=1).reshape(len(series), *(1,) * (x.ndim - 1), x.shape[-1])
        return np.asarray(product.real.sum(axis=0))
    value = np.empty(x.shape)
    at_once = max(1, _CHUNK_POINTS * column.size // max(1, x.size))
    for start in range(0, column.size, at_once):
        part = slice(start, start + at_once)
        z = np.exp(1j * x[..., part])
        total = np.zeros_like(z)
        for coefficient in series[::-1]:
            total *= z
            total += coefficient.take(column[part])
        value[..., part] = total.real
    return value


def series_slopes(series: Array, column: Array, x: Array) -> tuple[Array, Array]:
    """The same for points `x` (n,), and the derivative in x, by one Horner pass."""
    if x.size * len(series) <= _FEW_POWERS:
        product = _powers(np.exp(1j * x), len(series))
        product *= series.take(column, axis=1)
        return product.real.sum(axis=0), -(np.arange(len(series)) @ product.imag)
    value, slope = np.empty(x.shape), np.empty(x.shape)
    for start in range(0, x.size, _CHUNK_POINTS):
        part = slice(start, start + _CHUNK_POINTS)
        z, mine = np.exp(1j * x[part]), column[part]
        total, change = np.zeros_like(z), np.zeros_like(z)
        for coefficient in series[::-1]:
            change *= z
            change += total
            total *= z
            total += coefficient.take(mine)
        value[part], slope[part] = total.real, -(change * z).imag
    return value, slope


def taylor_terms(reach: float) -> int:
    """How many terms of a Taylor series suffice at a distance of `reach` in angles times the order K."""
    terms, size = 1, reach
    while size > 1e-18:
        terms += 1
        size *= reach / terms
    return terms


def expansions(series: Array, column: Array, x: Array, terms: int) -> Array:
    """Taylor coefficients A_d (terms, n) about the points `x` (n,) of the polynomials `column` (n,) of `series` (J, m).

    Re Σ_j c_j e^{ij(x + h)} = Σ_d A_d h^d, so that A_d = Re Σ_j c_j e^{ijx} (ij)^d / d!. All of them are two matrix
    products, which take less time than a second Horner pass.
    """
    degree = np.arange(terms)[:, None]
    factor = np.multiply.accumulate(np.where(degree, np.arange(len(series)) / np.maximum(degree, 1), 1.0), axis=0)
    factor *= np.array([1.0, -1.0, -1.0, 1.0])[degree % 4]  # i^d, of which the odd ones meet the imaginary part
    result = np.empty((terms, x.size))
    at_once = max(64, _CHUNK_POWERS // len(series))
    for start in range(0, x.size, at_once):
        part = slice(start, start + at_once)
        product = series.take(column[part], axis=1)
        product *= _powers(np.exp(1j * x[part]), len(series))
        result[::2, part] = factor[::2] @ product.real.copy()
        result[1::2, part] = factor[1::2] @ product.imag.copy()
    return result


def _powers(z: Array, count: int) -> Array:
    """z^0 … z^(count − 1): (count, n), each from two others by doubling."""
    powers = np.empty((count, z.size), np.complex128)
    powers[0] = 1
    done = 1
    while done < count:
        more = min(done, count - done)
        np.multiply(powers[:more], powers[done - 1] * z, out=powers[done : done + more])
        done += more
    return powers


def polynomial(coefficients: Array, h: Array) -> Array:
    """Σ_d A_d h^d for `coefficients` (terms, n) and h (..., n)."""
    total = np.broadcast_to(coefficients[-1], h.shape).copy()
    for coefficient in coefficients[-2::-1]:
        total *= h
        total += coefficient
    return total


def on_grid(eta: Array, n: int, derivative: int = 0) -> Array:
    """E or a derivative at the n > 2K nodes 2πm/n, by one inverse FFT: (..., K) → (..., n)."""
    half = np.zeros((*eta.shape[:-1], eta.shape[-1] + 1), eta.dtype)
    half[..., 1:] = _series(eta, derivative) / 2
    return fft.irfft(half, n, axis=-1, norm="forward")


def critical_points(eta: Array) -> CriticalPoints:
    """Every critical point of every row of `eta` (B, K); constant rows have none."""
    return _critical_points(eta, only_top=False)


def argmax(eta: Array) -> Array:
    """Angle in [0, 2π) of the global maximum of each row of `eta` (B, K); 0 where the row is constant."""
    found = _critical_points(eta, only_top=True)
    row, angle = found.row[found.is_maximum], found.angle[found.is_maximum]
    height = evaluate(eta[row], angle)
    best = np.lexsort((-height, row))
    rows, first = np.unique(row[best], return_index=True)
    result = np.zeros(eta.shape[0])
    result[rows] = angle[best[first]]
    return result


def _critical_points(eta: Array, only_top: bool) -> CriticalPoints:
    size = np.abs(eta).max(axis=-1, initial=0.0)
    rows = np.flatnonzero(size > 1e-290)  # anything smaller is constant, and its inverse overflows
    at_once = max(1, _CHUNK_VALUES // (8 * max(1, eta.shape[-1])))
    parts = []
    for start in range(0, rows.size, at_once):
        chunk = rows[start : start + at_once]
        row, angle, rising = _isolate(eta[chunk] / size[chunk, None], only_top)
        parts.append((chunk[row], angle, ~rising))
    if not parts:
        return CriticalPoints(np.empty(0, int), np.empty(0), np.empty(0, bool))
    row, angle, is_maximum = (np.concatenate(p) for p in zip(*parts, strict=True))
    return CriticalPoints(row, angle, is_maximum)


def _isolate(eta: Array, only_top: bool) -> tuple[Array, Array, Array]:
    """Rows, angles and direction (E' rising) of the critical points.

    Signs of E' are sampled until, between neighbouring samples, E' provably changes sign at most once; then every
    change of sign is one critical point. Samples within rounding of zero have no sign and are
    skipped, so a flat stretch counts once or not at all, and maxima and minima always alternate.
    """
    k, kappa = harmonics(eta), np.abs(eta)
    n = 8 * eta.shape[-1]
    width = 2 * np.pi / n
    # On a cell of width h a function departs from its chord by at most h²/8 · max|f''|.
    slope_sag, curve_sag = (kappa * k**3).sum(-1) / 8, (kappa * k**4).sum(-1) / 8
    rounding = len(k) * np.finfo(np.float64).eps
    slope_zero, curve_zero = rounding * (kappa * k).sum(-1), rounding * (kappa * k**2).sum(-1)

    def unclear(row: Array, slope: Array, curve: Array, width: float) -> Array:
        """Cells with E' and E'' (2, n) at their ends that may hold more than one critical point."""
        steepest, least = np.abs(slope), np.abs(curve)
        flat = (steepest.max(0) <= slope_zero[row]) & (least.max(0) <= curve_zero[row])
        monotone = (curve[0] * curve[1] > 0) & (least.min(0) > curve_sag[row] * width**2)
        nonzero = (slope[0] * slope[1] > 0) & (steepest.min(0) > slope_sag[row] * width**2)
        return ~(flat | monotone | nonzero)

    slopes, curves = _on_closed_grid(eta, n, 1), _on_closed_grid(eta, n, 2)
    # Most cells are passed over at once: E' has one sign and is too steep at both ends to return to zero between.
    least_slope = np.maximum(slope_sag * width**2, slope_zero)[:, None]
    rises, falls = slopes > least_slope, slopes < -least_slope
    keep = ~(rises[:, :-1] & rises[:, 1:] | falls[:, :-1] & falls[:, 1:])
    if only_top:
        energy = _on_closed_grid(eta, n, 0)
        reach = np.maximum(energy[:, :-1], energy[:, 1:]) + ((kappa * k**2).sum(-1) / 8 * width**2)[:, None]
        keep &= reach >= energy.max(axis=-1, keepdims=True)
    row, cell = np.divmod(np.flatnonzero(keep), n)
    left = cell * width
    slope = np.stack([slopes[row, cell], slopes[row, cell + 1]])
    curve = np.stack([curves[row, cell], curves[row, cell + 1]])

    # Samples: both ends of every cell that is left, then the middles of those that are divided.
    ends_cell = np.flatnonzero(np.append((row[1:] != row[:-1]) | (cell[1:] != cell[:-1] + 1), True)[: row.size])
    last = ends_cell[cell[ends_cell] + 1 < n]  # the right end of a run, unless it is the angle 0 again
    first = np.flatnonzero(~keep[:, 0] & keep[:, -1])  # where the run ends at 2π and none begins at 0
    samples = [
        (row, left, slope[0], curve[0], np.ones(row.size, bool)),
        (row[last], left[last] + width, slope[1, last], curve[1, last], np.zeros(last.size, bool)),
        (first, np.zeros(first.size), slopes[first, 0], curves[first, 0], np.zeros(first.size, bool)),
    ]
    series = slope_series(eta)
    while row.size and width > _MIN_CELL_RADIANS:
        divide = unclear(row, slope, curve, width)
        row, left, slope, curve = row[divide], left[divide], slope[:, divide], curve[:, divide]
        width /= 2
        middle = left + width
        mid_slope, mid_curve = series_slopes(series, row, middle)
        samples.append((row, middle, mid_slope, mid_curve, np.ones(row.size, bool)))
        slope = np.stack([np.append(slope[0], mid_slope), np.append(mid_slope, slope[1])])
        curve = np.stack([np.append(curve[0], mid_curve), np.append(mid_curve, curve[1])])
        row, left = np.append(row, row), np.append(left, middle)

    row, angle, steepness, bend, within = (np.concatenate(parts) for parts in zip(*samples, strict=True))
    signed = np.flatnonzero(np.abs(steepness) > slope_zero[row])
    order = signed[np.argsort(row[signed] * 7.0 + angle[signed], kind="stable")]  # a turn is less than 7
    row, angle, steepness, bend, within = row[order], angle[order], steepness[order], bend[order], within[order]
    rises = steepness > 0
    following = following_in_group(row)
    change = np.flatnonzero((rises != rises[following]) & within)
    after = following[change]
    right = angle[after] + 2 * np.pi * (after <= change)
    mine, rising = row[change], rises[after]
    sign = np.where(rising, 1.0, -1.0)

    def slope_of(s: Array, which: Array) -> tuple[Array, Array]:
        value, derivative = series_slopes(series, mine[which], s)
        return sign[which] * value, sign[which] * derivative

    found = _hermite_root(angle[change], right, steepness[change], steepness[after], bend[change], bend[after])
    shift, close = _nearby_roots(expansions(series, mine, found, _TERMS), _REACH / len(k))
    close &= (found + shift >= angle[change]) & (found + shift <= right)
    found[close] += shift[close]
    far = np.flatnonzero(~close)
    found[far] = bracketed_newton(lambda s, which: slope_of(s, far[which]), angle[change[far]], right[far], found[far])
    found = wrap(found)
    order = np.argsort(mine * 7.0 + found, kind="stable")
    return mine[order], found[order], rising[order]


def _nearby_roots(coefficients: Array, reach: float) -> tuple[Array, Array]:
    """Roots h of polynomials (terms, n) by Halley's method from 0, and whether each converged within `reach` of 0."""
    slopes = coefficients[1:] * np.arange(1, len(coefficients))[:, None]
    bends = slopes[1:] * np.arange(1, len(slopes))[:, None]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        h = _halley(coefficients[0], slopes[0], bends[0])
        step = _halley(polynomial(coefficients, h), polynomial(slopes, h), polynomial(bends, h))
        # Steps fall as their cubes.
        return h + step, (np.abs(h) <= reach) & (np.abs(step) <= 1e-4 * reach)


def _halley(value: Array, slope: Array, bend: Array) -> Array:
    step: Array = -value * slope / (slope**2 - value * bend / 2)
    return step


def _on_closed_grid(eta: Array, n: int, derivative: int) -> Array:
    """`on_grid` with the first node once more at the end: (B, K) → (B, n + 1)."""
    if eta.shape[1] <= _FEW_HARMONICS:
        series = _series(eta, derivative)
        return np.asarray(np.concatenate([series.real, series.imag], axis=1) @ _waves_on_closed_grid(eta.shape[1], n))
    grid = on_grid(eta, n, derivative)
    return np.concatenate([grid, grid[:, :1]], axis=1)


@lru_cache(maxsize=16)
def _waves_on_closed_grid(K: int, n: int) -> Array:
    """cos ks, then −sin ks, at the n + 1 nodes s = 2πj/n: (2K, n + 1)."""
    angle = 2 * np.pi / n * (np.multiply.outer(np.arange(1, K + 1), np.arange(n + 1)) % n)
    return np.concatenate([np.cos(angle), -np.sin(angle)])


def following_in_group(group: Array) -> Array:
    """Index of the next entry of the same group, cyclically; `group` is sorted."""
    if not group.size:
        return np.empty(0, np.int64)
    following = np.arange(1, group.size + 1)
    starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    following[np.append(starts[1:], group.size) - 1] = starts
    return following


def _hermite_root(left: Array, right: Array, f0: Array, f1: Array, d0: Array, d1: Array) -> Array:
    """Where the cubic with the values f and slopes d at both ends changes sign, nearly: a start for Newton."""
    width = right - left
    d0, d1 = d0 * width, d1 * width
    square, cube = 3 * (f1 - f0) - 2 * d0 - d1, 2 * (f0 - f1) + d0 + d1
    u = f0 / (f0 - f1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for _ in range(2):
            step = (f0 + u * (d0 + u * (square + u * cube))) / (d0 + u * (2 * square + 3 * u * cube))
            u = np.where(np.abs(step) < 0.5, np.clip(u - step, 0.0, 1.0), u)
    return left + u * width
