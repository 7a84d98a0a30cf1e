"""Real trigonometric polynomials E(s) = Re Σ_k conj(η_k) e^{iks}, k = 1…K: values, grids, all their extrema.

The extrema are isolated with proof: a cell of the circle is no longer divided only when a bound on the next
derivative shows that it holds no critical point, or exactly one.
"""

from typing import NamedTuple

import numpy as np
from scipy import fft

from tsa._base import Array
from tsa.density.numerics._roots import bracketed_newton

_CHUNK_VALUES = 2**18  # grid values held at once while looking for extrema
_MIN_CELL_RADIANS = 1e-5  # no cell is divided further, so a pair of extrema closer than this may be missed


class CriticalPoints(NamedTuple):
    """Critical points of a batch of polynomials, flat, ordered by row and then by angle in [0, 2π)."""

    row: Array
    angle: Array
    is_maximum: Array

    def neighbours(self) -> tuple[Array, Array]:
        """Index of the point before and after each one on its own circle."""
        here = np.arange(self.row.size)
        first, last = np.searchsorted(self.row, self.row), np.searchsorted(self.row, self.row, "right") - 1
        return np.where(here == first, last, here - 1), np.where(here == last, first, here + 1)


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
    order = np.lexsort((angle, row))
    return CriticalPoints(row[order], angle[order], is_maximum[order])


def _isolate(eta: Array, only_top: bool) -> tuple[Array, Array, Array]:
    """Rows, angles and direction (E' rising) of the critical points.

    Signs of E' are sampled until, between neighbouring samples, E' provably changes sign at most once; then every
    change of sign is one critical point. Samples within rounding of zero have no sign and are
    skipped, so a flat stretch counts once or not at all, and maxima and minima always alternate.
    """
    k, kappa = harmonics(eta), np.abs(eta)
    n = 8 * eta.shape[-1]
    width = 2 * np.pi / n
    slope_grid, curve_grid = on_grid(eta, n, 1), on_grid(eta, n, 2)
    # On a cell of width h a function departs from its chord by at most h²/8 · max|f''|.
    slope_sag, curve_sag = (kappa * k**3).sum(-1) / 8, (kappa * k**4).sum(-1) / 8
    rounding = len(k) * np.finfo(np.float64).eps
    slope_zero, curve_zero = rounding * (kappa * k).sum(-1), rounding * (kappa * k**2).sum(-1)

    keep = np.ones((eta.shape[0], n), bool)
    if only_top:
        energy = on_grid(eta, n)
        reach = np.maximum(energy, np.roll(energy, -1, axis=-1))
        reach += ((kappa * k**2).sum(-1) / 8 * width**2)[:, None]
        keep = reach >= energy.max(axis=-1, keepdims=True)
    row, cell = np.nonzero(keep)
    left = cell * width
    slope = np.stack([slope_grid[row, cell], slope_grid[row, (cell + 1) % n]])
    curve = np.stack([curve_grid[row, cell], curve_grid[row, (cell + 1) % n]])

    every_row, node = np.divmod(np.arange(keep.size), n)
    rows, angles, slopes, inside = [every_row], [node * width], [slope_grid.ravel()], [keep.ravel()]
    while row.size and width > _MIN_CELL_RADIANS:
        flat = (np.abs(slope).max(0) <= slope_zero[row]) & (np.abs(curve).max(0) <= curve_zero[row])
        monotone = (curve[0] * curve[1] > 0) & (np.abs(curve).min(0) > curve_sag[row] * width**2)
        nonzero = (slope[0] * slope[1] > 0) & (np.abs(slope).min(0) > slope_sag[row] * width**2)
        unclear = ~(flat | monotone | nonzero)
        row, left, slope, curve = row[unclear], left[unclear], slope[:, unclear], curve[:, unclear]
        width /= 2
        middle = left + width
        mid_slope, mid_curve = evaluate(eta[row], middle, 1), evaluate(eta[row], middle, 2)
        rows.append(row)
        angles.append(middle)
        slopes.append(mid_slope)
        inside.append(np.ones(row.size, bool))
        slope = np.stack([np.append(slope[0], mid_slope), np.append(mid_slope, slope[1])])
        curve = np.stack([np.append(curve[0], mid_curve), np.append(mid_curve, curve[1])])
        row, left = np.append(row, row), np.append(left, middle)

    row, angle, slopes_, within = (np.concatenate(parts) for parts in (rows, angles, slopes, inside))
    signed = np.abs(slopes_) > slope_zero[row]
    row, angle, rises, within = row[signed], angle[signed], slopes_[signed] > 0, within[signed]
    order = np.lexsort((angle, row))
    row, angle, rises, within = row[order], angle[order], rises[order], within[order]
    first, last = np.searchsorted(row, row), np.searchsorted(row, row, "right") - 1
    here = np.arange(row.size)
    following = np.where(here == last, first, here + 1)
    change = np.flatnonzero((rises != rises[following]) & within)
    right = angle[following[change]] + 2 * np.pi * (following[change] <= change)
    own, rising = eta[row[change]], rises[following[change]]
    sign = np.where(rising, 1.0, -1.0)

    def slope_of(s: Array, which: Array) -> tuple[Array, Array]:
        return sign[which] * evaluate(own[which], s, 1), sign[which] * evaluate(own[which], s, 2)

    found = bracketed_newton(slope_of, angle[change], right)
    return row[change], wrap(found), rising
