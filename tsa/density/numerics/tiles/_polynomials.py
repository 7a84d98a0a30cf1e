"""A batch of real trigonometric polynomials on the p-torus, evaluated relative to a high point of each.

    f(t) = Re Σ_m C_m e^{im·t},     g(δ) = f(peak + δ) − f(peak) = Re Σ_m C_m e^{im·peak} (e^{im·δ} − 1)

The last form loses no digits near the peak: its rounding error is that of Σ κ|m·δ|, not of Σ κ. Tiles are boxes given
by integers: centre 2πu/turn and half-widths 2π/turn on each axis, as offsets δ from the peak of their row.
"""

from functools import cached_property
from itertools import product
from math import prod

import numpy as np
from scipy import fft

from tsa._base import Array

EPS = float(np.finfo(np.float64).eps)
_NEAR_TOP = 0.6  # share of the largest coarse value from which a coarse maximum may lead to the highest peak
_NEWTON_STEPS = 50
_FEW_WAVES = 24  # for which a matrix product takes less time than an FFT
_FEW_BEYOND, _LITTLE = 1 / 16, 0.2  # frequencies beyond the core: share of their number, of the third derivatives
_CHUNK_TERMS = 2**19  # terms of polynomials held at once


def derivative_orders(p: int) -> list[tuple[int, ...]]:
    """Multi-indices of all derivatives up to order 3 on p axes, by order; the function itself first."""
    return sorted((o for o in product(range(4), repeat=p) if sum(o) <= 3), key=sum)


def expm1_imaginary(theta: Array) -> Array:
    """e^{iθ} − 1, without cancellation for small θ."""
    half = 0.5 * theta
    sine = np.sin(half)
    result = np.empty(theta.shape, np.complex128)
    result.real = -2 * sine * sine
    result.imag = 2 * sine * np.cos(half)
    return result


def real_parts(values: Array) -> Array:
    """Real and imaginary parts side by side, (..., n) → (..., 2n): Re(a conj(b)) is the product of two of these."""
    return np.concatenate([values.real, values.imag], axis=-1)


def _real_sums(terms: Array, waves: Array, n: int) -> Array:
    """Re Σ_k c_k e^{2πijk/n} at the nodes j = 0…n − 1 for `terms` c (..., waves), frequencies ≥ 0: (..., n)."""
    if len(waves) <= _FEW_WAVES:
        phase = np.exp(-2j * np.pi / n * (np.multiply.outer(np.arange(n), waves) % n))
        return np.asarray(real_parts(terms) @ real_parts(phase).T)
    half = np.zeros((*terms.shape[:-1], n // 2 + 1), np.complex128)
    half[..., waves] = terms * np.where(waves, 0.5, 1.0)  # a real transform adds the conjugates
    return np.asarray(fft.irfft(half, n, norm="forward"))


def coarse_grid(core: Array) -> tuple[int, ...]:
    """Nodes per axis of the grid from which tiles start."""
    return tuple(fft.next_fast_len(int(5 * r), real=True) if r else 1 for r in core)


def core_of(m: Array, kappa: Array) -> tuple[Array, Array]:
    """The reach on each axis (p,) without a few high frequencies, and the rows of `kappa` (B, M) in which these matter.

    The model of pictures of even size, for one, has a few small terms of twice the next frequency.
    """
    size = np.abs(m)
    reach = size.max(axis=0, initial=0)
    core = reach.copy()
    for axis, column in enumerate(size.T):
        wave = np.unique(column)
        beyond = (column > wave[:, None]).sum(axis=1)
        # A grid of five nodes to the shortest wave of the core must have more than two to every wave.
        fits = (beyond <= _FEW_BEYOND * len(m)) & (5 * wave > 2 * reach[axis]) & (4 * wave <= 3 * reach[axis])
        core[axis] = wave[fits].max() if fits.any() else reach[axis]
    outside = np.any(size > core, axis=1)
    # High frequencies weigh most in the third derivatives.
    weight = kappa * size.sum(axis=1).astype(np.float64) ** 3
    return core, weight[:, outside].sum(axis=1) > _LITTLE * weight.sum(axis=1)


class Polynomials:
    """B polynomials with coefficients conj(`eta`) (B, M) at the integer frequencies `m` (M, p)."""

    def __init__(self, eta: Array, m: Array, start: Array | None = None) -> None:
        flip = m[:, -1] < 0
        self.m = np.where(flip[:, None], -m, m)
        self._flip = flip
        self.axes = m.shape[1]
        self.reach = np.abs(m).max(axis=0, initial=0)
        self.waves = [np.union1d(column, 0) for column in self.m.T]  # frequencies on each axis; ≥ 0 on the last
        self.varying = np.flatnonzero(self.reach) if self.reach.any() else np.zeros(1, np.int64)  # axes f depends on
        self.orders = derivative_orders(self.axes)
        self._given = np.where(flip, eta, eta.conj())
        self.kappa = np.abs(eta)
        core, matters = core_of(self.m, self.kappa)
        self._core = self.reach if matters.any() else core
        self.coarse = coarse_grid(self._core)
        self.peak = self._high_points() if start is None else self._climbed(np.arange(len(eta)), start)
        self._turned = self._given * np.exp(1j * (self.peak @ self.m.T))
        self.height = self._turned.real.sum(axis=-1)
        self.table = self._table(self._turned)
        # Bounds of rounding errors: of f anywhere, and of g per radian of offset on each axis.
        lengths = 4 * sum(len(w) for w in self.waves) + 16
        self.rounding = EPS * lengths * self.kappa.sum(axis=-1)
        self.rounding_per_radian = EPS * lengths * (self.kappa @ np.abs(self.m))

    def nodes_per_axis(self, x: Array) -> list[Array]:
        """Nodes x on each axis; the middle alone on an axis along which f is constant."""
        return [x if axis in self.varying else np.zeros(1) for axis in range(self.axes)]

    def _table(self, coefficients: Array) -> Array:
        """The coefficients (B, M) laid out by frequency, that is by the waves of each axis: (B, waves, …, waves)."""
        sizes = tuple(len(w) for w in self.waves)
        table = np.zeros((len(coefficients), prod(sizes)), np.complex128)
        np.add.at(table.T, self._places, coefficients.T)  # k and −k may both be given
        return table.reshape(-1, *sizes)

    @cached_property
    def _places(self) -> Array:
        """The place of each frequency in a flat table, (M,)."""
        place = [np.searchsorted(own, column) for own, column in zip(self.waves, self.m.T, strict=True)]
        return np.ravel_multi_index(tuple(place), tuple(len(own) for own in self.waves))

    def picked(self, table: Array) -> Array:
        """The entries (B, M) of a table of E[e^{im·δ}] − 1 at the frequencies as they were given."""
        own = table.reshape(len(table), prod(table.shape[1:]))[:, self._places]
        return np.where(self._flip, own.conj(), own)

    # -- on the coarse grid ------------------------------------------------------------------------------

    def on_grid(self, shape: tuple[int, ...]) -> tuple[Array, Array]:
        """g (B, *shape) and its gradient (p, B, *shape) at the offsets 2πj/n from the peak, n > 2R on each axis."""
        units = [order for order in self.orders if sum(order) == 1][::-1]  # by axis
        g, *gradient = self._on_grid(self.table, [self.orders[0], *units], shape)
        return g - self.height.reshape(-1, *(1,) * self.axes), np.stack(gradient)

    def _on_grid(self, table: Array, orders: list[tuple[int, ...]], shape: tuple[int, ...]) -> list[Array]:
        """Derivatives of f on a grid, each (B, *shape); `orders` has all orders lower than those in it.

        One axis after the other: orders that agree on the first axes share these transforms, and the zeros at high
        frequencies on the axes to come are not transformed.
        """
        states: dict[tuple[int, ...], Array] = {(): table}
        for axis, (own, n) in enumerate(zip(self.waves, shape, strict=True)):
            for prefix in [prefix for prefix in states if len(prefix) == axis]:
                state = states.pop(prefix)
                powers = np.arange(1 + max(order[axis] for order in orders if tuple(order[:axis]) == prefix))
                beyond = (1,) * (self.axes - 1 - axis)
                factors = ((1j * own) ** powers[:, None]).reshape(len(powers), *(1,) * (axis + 1), len(own), *beyond)
                terms = state * factors
                if axis == self.axes - 1:
                    done = _real_sums(terms, own, n)
                else:
                    padded = np.zeros((*terms.shape[: axis + 2], n, *terms.shape[axis + 3 :]), np.complex128)
                    padded[(slice(None),) * (axis + 2) + (own,)] = terms  # negative frequencies count from the end
                    done = fft.ifft(padded, axis=axis + 2, norm="forward", overwrite_x=True)
                states.update(((*prefix, power), part) for power, part in enumerate(done))
        return [states[tuple(order)] for order in orders]

    @cached_property
    def on_coarse(self) -> list[Array]:
        """All derivatives up to order 2 on the coarse grid around the peak, each (B, nodes); f relative to the peak."""
        grids = [grid.reshape(len(grid), -1) for grid in self._on_grid(self.table, self.orders, self.coarse)]
        largest = np.stack([np.maximum(grid.max(axis=1), -grid.min(axis=1)) for grid in grids])
        # sup|g| ≤ max|g| / Π cos(πR/n) over n > 2R nodes per axis (M. Riesz; Ehlich & Zeller 1964).
        # Of the part of g beyond the core, which the grid does not resolve, the sum of its amplitudes is taken instead.
        loss = prod(np.cos(np.pi * r / n) for r, n in zip(self._core, self.coarse, strict=True))
        amplitudes = np.stack([np.prod(np.abs(self.m) ** np.array(order), axis=1) for order in self.orders])
        beyond = np.any(np.abs(self.m) > self._core, axis=1)
        rest = amplitudes[:, beyond] @ self.kappa[:, beyond].T
        within = ((largest + rest) / loss + rest) * (1 + 1e-9)
        self._suprema = np.minimum(within, amplitudes @ self.kappa.T)
        grids[0] -= self.height[:, None]
        return grids[: sum(sum(order) <= 2 for order in self.orders)]

    @cached_property
    def suprema(self) -> Array:
        """Bounds of each derivative everywhere: (orders, B)."""
        _ = self.on_coarse
        return self._suprema

    def _high_points(self) -> Array:
        """A refined maximum of each polynomial, usually the highest: (B, p)."""
        (grid,) = self._on_grid(self._table(self._given), self.orders[:1], self.coarse)
        top = grid.reshape(len(grid), -1).max(axis=1).reshape(-1, *(1,) * self.axes)
        candidate = grid >= _NEAR_TOP * top
        for axis, step in product(range(1, self.axes + 1), (-1, 1)):
            candidate &= grid >= np.roll(grid, step, axis=axis)
        row, *node = np.nonzero(candidate)
        # Of a constant polynomial, or along a ridge, many nodes are equally high: a few stand for all.
        first = np.searchsorted(row, row)
        few = np.arange(row.size) - first < 16
        row, starts = row[few], np.stack(node, axis=-1)[few] * (2 * np.pi / np.array(self.coarse))
        points = self._climbed(row, starts)
        height = (self._given[row] * np.exp(1j * (points @ self.m.T))).real.sum(axis=-1)
        best = np.lexsort((-height, row))
        return points[best[np.searchsorted(row[best], np.arange(len(grid)))]]

    def _climbed(self, row: Array, points: Array) -> Array:
        """Each point (n, p) moved uphill to a maximum by Newton steps no longer than a coarse cell."""
        points = points.copy()
        longest = 1.0 / max(1.0, float(np.max(self.reach, initial=0)))
        active = np.arange(len(points))
        for _ in range(_NEWTON_STEPS):
            term = self._given[row[active]] * np.exp(1j * (points[active] @ self.m.T))
            gradient, hessian = self._slopes(term)
            values, vectors = np.linalg.eigh(hessian)
            size = np.abs(values)
            floor = 1e-10 * size.max(axis=-1, keepdims=True) + 1e-300
            along = np.einsum("nji,nj->ni", vectors, gradient) / np.maximum(size, floor)
            step = np.einsum("nij,nj->ni", vectors, np.where(size > floor, along, 0.0))
            length = np.linalg.norm(step, axis=-1, keepdims=True)
            points[active] += step * np.minimum(1.0, longest / np.maximum(length, 1e-300))
            active = active[length[:, 0] > 1e-8 * longest]  # convergence is quadratic: a step this short is the last
            if not active.size:
                break
        return points

    # -- at points ---------------------------------------------------------------------------------------

    def values_at(self, row: Array, offset: Array) -> Array:
        """g at offsets (n, p) from the peaks of rows (n,): (n,)."""
        at_once = max(1, _CHUNK_TERMS // max(1, len(self.m)))
        parts = [slice(start, start + at_once) for start in range(0, len(row), at_once)]
        values = [
            (self._turned[row[part]] * expm1_imaginary(offset[part] @ self.m.T)).real.sum(axis=-1) for part in parts
        ]
        return np.concatenate(values) if values else np.empty(0)

    def at(self, row: Array, offset: Array) -> tuple[Array, Array, Array]:
        """g (n,), its gradient (n, p) and Hessian (n, p, p) at offsets (n, p) from the peaks of rows (n,)."""
        g, gradient = np.empty(len(row)), np.empty((len(row), self.axes))
        hessian = np.empty((len(row), self.axes, self.axes))
        at_once = max(1, _CHUNK_TERMS // max(1, len(self.m)))
        for start in range(0, len(row), at_once):
            part = slice(start, start + at_once)
            own, wave = self._turned[row[part]], expm1_imaginary(offset[part] @ self.m.T)
            g[part] = (own * wave).real.sum(axis=-1)
            wave += 1
            gradient[part], hessian[part] = self._slopes(own * wave)
        return g, gradient, hessian

    def climbed(self, row: Array, offset: Array) -> Array:
        """Offsets (n, p) moved uphill to a maximum."""
        return self._climbed(row, self.peak[row] + offset) - self.peak[row]

    def _slopes(self, term: Array) -> tuple[Array, Array]:
        """Gradient and Hessian from the terms conj(η) e^{im·t} (n, M)."""
        hessian = -(term.real @ self._squares).reshape(-1, self.axes, self.axes)
        return -term.imag @ self.m, hessian

    @cached_property
    def _squares(self) -> Array:
        return (self.m[:, :, None] * self.m[:, None, :]).reshape(len(self.m), self.axes**2).astype(np.float64)

    # -- on tiles ----------------------------------------------------------------------------------------

    def offset_rounding(self, row: Array, u: Array, turn: Array) -> Array:
        """Bound of the rounding error of g at any node of each tile: (T,)."""
        return ((2 * np.pi * (np.abs(u) + 1) / turn) * self.rounding_per_radian[row]).sum(axis=-1)
