"""A density on the circle or the 2-torus known by its values at equally spaced points: what a filter in time returns.

A density that is smooth and resolved by its n points is a trigonometric polynomial of degree below n/2 up to a small
error, and everything else follows from its Fourier coefficients. Values between the points are interpolated: their
error is relative to the highest value (for densities of `track` below 1e-4 of it), while those at the points are as
accurate as they are given, deep tails included.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft

from tsa._base import Array, InputError, Rng, ShapeError, checks
from tsa.density._shared import BatchLength, heaviest_first
from tsa.density.numerics import wrap
from tsa.density.protocol import Modes

_FINE_POINTS = 512  # to which a circle is refined before level sets and modes are read from it
_SMALLEST = 1e-300  # of a density, before its logarithm is taken
_CHUNK_VALUES = 2**20


@dataclass(frozen=True, eq=False, repr=False)
class GridDensity(BatchLength):
    """A batch of densities over s, given by the probability `masses` of n (or n₁ × n₂) equally spaced points.

    `masses` is (..., n) for `parameters` = 1 and (..., n₁, n₂) for 2, at s_a = 2πi/n_a, and sums to 1; the density at a
    point is its mass times Π n_a/2π. Angles that come out lie in [0, 2π).

    >>> p = tsa.GridDensity(np.array([1, 2, 4, 2, 1, 0, 0, 0]) / 10)
    >>> print(p.mode().round(3), p.density(np.pi / 2).round(3))
    1.571 0.509
    """

    masses: Array
    parameters: int = 1

    def __init__(self, masses: ArrayLike, parameters: int = 1) -> None:
        array = checks.finite(checks.real(masses, "masses"), "masses")
        if parameters not in (1, 2) or array.ndim < parameters or 0 in array.shape[array.ndim - parameters :]:
            raise ShapeError(f"masses must be (..., n), or (..., n₁, n₂) for two parameters; got {array.shape}.")
        axes = tuple(range(-parameters, 0))
        if np.any(array < 0) or np.any(np.abs(array.sum(axis=axes, dtype=np.float64) - 1) > 1e-4):
            raise InputError("masses must not be negative, and those of each density must sum to 1.")
        object.__setattr__(self, "masses", checks.frozen(array))
        object.__setattr__(self, "parameters", parameters)

    @classmethod
    def trusted(cls, masses: Array, parameters: int) -> "GridDensity":
        """Of masses that need no check.

        >>> print(tsa.GridDensity.trusted(np.full(8, 1 / 8), parameters=1).density(0.0).round(4))
        0.1592
        """
        density = object.__new__(cls)
        object.__setattr__(density, "masses", checks.frozen(masses))
        object.__setattr__(density, "parameters", parameters)
        return density

    # -- the batch ---------------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch: () for one density."""
        return self.masses.shape[: -self.parameters]

    @property
    def sides(self) -> tuple[int, ...]:
        """The number of points along each parameter."""
        return self.masses.shape[-self.parameters :]

    def __getitem__(self, index: Any) -> "GridDensity":
        rows = np.arange(int(np.prod(self.batch_shape))).reshape(self.batch_shape)[index]
        return GridDensity.trusted(self.masses.reshape(-1, *self.sides)[rows], self.parameters)

    def __iter__(self) -> Iterator["GridDensity"]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        size = " × ".join(map(str, self.sides))
        batch = f"batch {self.batch_shape}, " if self.batch_shape else ""
        return f"<GridDensity: {batch}{size} points>"

    # -- values, moments, entropy ------------------------------------------------------------------------

    @property
    def points(self) -> Array:
        """Where the masses lie: (n,), or (n₁, n₂, 2)."""
        axes = [2 * np.pi * np.arange(n) / n for n in self.sides]
        return axes[0] if self.parameters == 1 else np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)

    @cached_property
    def _coefficients(self) -> Array:
        """E[e^{−ik·s}] for each k of the DFT, (..., n) or (..., n₁, n₂) in the order of `fftfreq`."""
        axes = tuple(range(-self.parameters, 0))
        return np.asarray(fft.fftn(self.masses.astype(np.float64), axes=axes))

    def moments(self, orders: ArrayLike) -> Array:
        """E[e^{ik·s}] for each k in integer `orders` (m, p), or (m,) on the circle: (..., m); |k_a| < n_a/2.

        >>> abs(tsa.GridDensity(np.array([1, 2, 4, 2, 1, 0, 0, 0]) / 10).moments([1, 2])).round(3)
        array([0.683, 0.2  ])
        """
        k = checks.harmonics(orders, self.parameters)
        if np.any(2 * np.abs(k) >= np.array(self.sides)):
            raise InputError(f"A grid of {self.sides} points has moments of orders below half of that.")
        place = np.mod(k, self.sides)
        if self.parameters == 1:
            picked = self._coefficients[..., place[:, 0]]
        else:
            picked = self._coefficients[..., place[:, 0], place[:, 1]]
        return checks.precision_of(self.masses, picked.conj())

    def density(self, s: ArrayLike) -> Array:
        """p(s) by trigonometric interpolation, at least 0; points s (...) or (..., 2) broadcast against the batch.

        >>> p = tsa.GridDensity(np.full(8, 1 / 8))
        >>> p.density([0.0, 1.0]).round(4)
        array([0.1592, 0.1592])
        """
        points = checks.as_points(s, self.parameters).astype(np.float64)
        shape = checks.common_shape("The points and the batch", points.shape[:-1], self.batch_shape)
        rows = np.broadcast_to(np.arange(int(np.prod(self.batch_shape))).reshape(self.batch_shape), shape).ravel()
        flat = np.broadcast_to(points, (*shape, self.parameters)).reshape(-1, self.parameters)
        series, result = self._coefficients.reshape(-1, *self.sides), np.empty(len(rows))
        at_once = max(1, _CHUNK_VALUES // int(np.prod(self.sides)))
        for start in range(0, len(rows), at_once):
            part = slice(start, start + at_once)
            value = series[rows[part]]
            for a in reversed(range(self.parameters)):
                value = np.einsum("n...k,nk->n...", value, _waves(flat[part, a], self.sides[a]))
            result[part] = value.real
        return checks.precision_of(self.masses, np.maximum(result, 0.0).reshape(shape) / (2 * np.pi) ** self.parameters)

    def log_density(self, s: ArrayLike) -> Array:
        """log p(s), at least log 1e-300.

        >>> print(tsa.GridDensity(np.full(8, 1 / 8)).log_density(1.0).round(4))
        -1.8379
        """
        return np.log(np.maximum(self.density(s), _SMALLEST))

    def entropy(self) -> Array:
        """Differential entropy in nats, (...).

        >>> print(tsa.GridDensity(np.full(8, 1 / 8)).entropy().round(4))
        1.8379
        """
        mass = self.masses.astype(np.float64)
        cell = np.log(2 * np.pi / np.array(self.sides)).sum()
        terms = mass * (np.log(np.maximum(mass, _SMALLEST)) - cell)
        return checks.precision_of(self.masses, -terms.sum(axis=tuple(range(-self.parameters, 0))))

    def mean(self) -> Array:
        """Circular mean arg E[e^{is_a}] in [0, 2π): (...), or (..., 2); nan where that moment is 0 up to rounding.

        >>> print(tsa.GridDensity(np.array([1, 2, 4, 2, 1, 0, 0, 0]) / 10).mean().round(4))
        1.5708
        """
        first = self.moments(np.eye(self.parameters, dtype=np.int64))
        angle = wrap(np.where(np.abs(first) > 1e-13, np.angle(first), np.nan))
        return np.asarray(angle[..., 0] if self.parameters == 1 else angle)

    def std(self) -> Array:
        """Circular standard deviation √(−2 log |E[e^{is_a}]|): (...), or (..., 2).

        >>> print(tsa.GridDensity(np.array([1, 2, 4, 2, 1, 0, 0, 0]) / 10).std().round(3))
        0.873
        """
        length = np.clip(np.abs(self.moments(np.eye(self.parameters, dtype=np.int64))), 1e-300, 1.0)
        deviation = np.sqrt(-2 * np.log(length))
        return np.asarray(deviation[..., 0] if self.parameters == 1 else deviation)

    def marginal(self, axis: int) -> "GridDensity":
        """The density of the coordinate s_axis alone.

        >>> tsa.GridDensity(np.full((4, 8), 1 / 32), parameters=2).marginal(0).batch_shape
        ()
        """
        if not 0 <= axis < self.parameters:
            raise InputError(f"There is no coordinate {axis!r} among {self.parameters}.")
        return self if self.parameters == 1 else GridDensity(self.masses.sum(axis=-1 if axis == 0 else -2))

    # -- points and sets ---------------------------------------------------------------------------------

    def _fine(self) -> Array:
        """Masses on a refined grid, (B, m) or (B, m₁, m₂): on the circle at least 512 points, on the torus as given."""
        flat = self.masses.reshape(-1, *self.sides).astype(np.float64)
        n = self.sides[0]
        factor = -(-_FINE_POINTS // n)
        if self.parameters == 2 or factor == 1:
            return flat
        series = fft.rfft(flat, axis=-1)
        if n % 2 == 0:
            series[:, -1] /= 2  # the Nyquist frequency stands for both signs
        return np.maximum(fft.irfft(series, n * factor, axis=-1), 0.0)

    def mode(self) -> Array:
        """The highest point of each density: (...), or (..., 2); on the circle from a parabola through log p.

        >>> print(tsa.GridDensity(np.array([1, 2, 4, 2, 1, 0, 0, 0]) / 10).mode().round(4))
        1.5708
        """
        fine = self._fine()
        if self.parameters == 2:
            index = np.unravel_index(fine.reshape(len(fine), -1).argmax(axis=1), self.sides)
            points = np.stack([2 * np.pi * i / n for i, n in zip(index, self.sides, strict=True)], axis=-1)
            return checks.precision_of(self.masses, points.reshape(*self.batch_shape, 2))
        top = fine.argmax(axis=1)
        angle = _summit(fine, np.arange(len(fine)), top)
        return wrap(checks.precision_of(self.masses, angle.reshape(self.batch_shape)))

    def modes(self) -> Modes:
        """Every local maximum of densities on the circle with the probability between its two valleys.

        Maxima below a millionth of the highest are taken for rounding and left out.

        >>> angle, mass = tsa.GridDensity(np.array([1, 4, 1, 0, 1, 2, 1, 0]) / 10).modes()[:2]
        >>> np.degrees(angle).round()
        array([ 45., 225.])
        """
        if self.parameters != 1:
            raise InputError("`modes` is for densities on the circle; on the torus use `mode` or the masses.")
        fine = self._fine()
        found = [_weighed_maxima(row) for row in fine]
        most = max((len(tops) for tops, _ in found), default=0)
        angles, masses = np.full((len(fine), most), np.nan), np.zeros((len(fine), most))
        for i, (tops, shares) in enumerate(found):
            angles[i, : len(tops)] = wrap(_summit(fine, np.full(len(tops), i), tops))
            masses[i, : len(tops)] = shares
        angles, masses = heaviest_first(angles, masses)
        shape = (*self.batch_shape, most)
        return Modes(*(checks.precision_of(self.masses, value.reshape(shape)) for value in (angles, masses)))

    def credible_level(self, p: float = 0.95) -> Array:
        """The density at the rim of the smallest set of probability p, (...): the set is where p(s) is at least this.

        Read from the refined grid, between whose points the enclosed probability is interpolated.

        >>> p = tsa.GridDensity(np.array([1, 2, 4, 2, 1, 0, 0, 0]) / 10)
        >>> bool(p.credible_level(0.5) > p.credible_level(0.9))
        True
        """
        if np.ndim(p) or not 0 < p < 1:
            raise InputError(f"p must be one number between 0 and 1; got {p!r}.")
        fine = self._fine()
        flat = np.sort(fine.reshape(len(fine), -1), axis=1)[:, ::-1]
        flat = flat / flat.sum(axis=1, keepdims=True)
        # A point stands for its cell, of which about half lies above the value at the point.
        enclosed = np.cumsum(flat, axis=1) - flat / 2
        last = np.clip((enclosed < p).sum(axis=1), 1, flat.shape[1] - 1)
        rows = np.arange(len(flat))
        low, high = enclosed[rows, last - 1], enclosed[rows, last]
        share = np.clip((p - low) / np.maximum(high - low, 1e-300), 0, 1)
        level = (1 - share) * flat[rows, last - 1] + share * flat[rows, last]
        level = level * np.prod(fine.shape[1:]) / (2 * np.pi) ** self.parameters
        return checks.precision_of(self.masses, level.reshape(self.batch_shape))

    def contains(self, s: ArrayLike, p: float = 0.95) -> Array:
        """Whether s lies in the smallest set of probability p: booleans of the shape that s and the batch have.

        >>> p = tsa.GridDensity(np.array([1, 2, 4, 2, 1, 0, 0, 0]) / 10)
        >>> p.contains([np.pi / 2, np.pi], p=0.5)
        array([ True, False])
        """
        return np.asarray(self.density(s) >= self.credible_level(p))

    def credible_set(self, p: float = 0.95) -> Array:
        """The smallest set of probability p: arcs (..., a, 2) on the circle, else a mask (..., n₁, n₂).

        Arcs (start, stop) come in order of start, in [0, 2π); rows with fewer arcs end in nan.

        >>> p = tsa.GridDensity(np.array([1, 2, 4, 2, 1, 0, 0, 0]) / 10)
        >>> p.credible_set(0.5).shape
        (1, 2)
        """
        level = self.credible_level(p).astype(np.float64).reshape(-1)
        fine = self._fine()
        height = fine * np.prod(fine.shape[1:]) / (2 * np.pi) ** self.parameters
        inside = height >= level.reshape(-1, *(1,) * self.parameters)
        if self.parameters == 2:
            return inside.reshape(*self.batch_shape, *self.sides)
        arcs = [_arcs(row, bound) for row, bound in zip(height, level, strict=True)]
        result = np.full((len(arcs), max(map(len, arcs), default=0), 2), np.nan)
        for row, some in zip(result, arcs, strict=True):
            row[: len(some)] = some
        return checks.precision_of(self.masses, result.reshape(*self.batch_shape, *result.shape[1:]))

    def sample(self, n: int, rng: Rng = None) -> Array:
        """`n` draws from each density, spread evenly within the cells of the (refined) grid: (n, *batch), or (…, 2).

        >>> tsa.GridDensity(np.full(8, 1 / 8)).sample(5, rng=0).shape
        (5,)
        """
        fine = self._fine()
        generator = checks.generator(rng)
        total = np.cumsum(fine.reshape(len(fine), -1), axis=1)
        draws = generator.random((checks.whole(n), len(fine))) * total[:, -1]
        cell = np.stack([np.searchsorted(row, some) for row, some in zip(total, draws.T, strict=True)], axis=-1)
        index = np.stack(np.unravel_index(np.minimum(cell, total.shape[1] - 1), fine.shape[1:]), axis=-1)
        points = (index + generator.random(index.shape) - 0.5) * (2 * np.pi / np.array(fine.shape[1:]))
        points = wrap(checks.precision_of(self.masses, points.reshape(n, *self.batch_shape, self.parameters)))
        return points[..., 0] if self.parameters == 1 else points


def _waves(s: Array, n: int) -> Array:
    """e^{iks} for the frequencies of a DFT of length n, the Nyquist one as a cosine: (m,) → (m, n)."""
    k = np.rint(np.fft.fftfreq(n, 1 / n))
    waves = np.exp(1j * np.multiply.outer(s, k))
    if n % 2 == 0:
        waves[:, n // 2] = waves[:, n // 2].real
    return waves


def _summit(fine: Array, row: Array, top: Array) -> Array:
    """The top of the parabola through the logarithms of a highest point and its two neighbours, as an angle."""
    n = fine.shape[1]
    left, middle, right = (np.log(np.maximum(fine[row, (top + d) % n], _SMALLEST)) for d in (-1, 0, 1))
    bend = 2 * middle - left - right
    return (top + np.where(bend > 1e-12, (right - left) / (2 * np.maximum(bend, 1e-12)), 0.0)) * (2 * np.pi / n)


def _weighed_maxima(fine: Array) -> tuple[Array, Array]:
    """Places of the local maxima of a row (n,) on the circle, and the share of its sum between their valleys."""
    rising = np.roll(fine, -1) > fine
    tops = np.flatnonzero(~rising & np.roll(rising, 1))
    tops = tops[fine[tops] > 1e-6 * fine.max()]
    if len(tops) < 2:
        return np.array([fine.argmax()]), np.ones(1)
    gaps = np.mod(np.roll(tops, -1) - tops, len(fine))
    valleys = [top + int(np.roll(fine, -top)[:gap].argmin()) for top, gap in zip(tops, gaps, strict=True)]
    first = valleys[-1] - len(fine)  # the valley before the first maximum
    cuts = np.array([first, *valleys[:-1]]) - first
    return tops, np.add.reduceat(np.roll(fine, -first), cuts) / fine.sum()


def _arcs(height: Array, level: float) -> list[tuple[float, float]]:
    """Where a row (n,) on the circle is at least `level`, with linear interpolation between its points."""
    n, inside = len(height), height >= level
    if inside.all() or not inside.any():
        return [(0.0, 2 * np.pi)]
    step = 2 * np.pi / n
    starts = np.flatnonzero(inside & ~np.roll(inside, 1))
    arcs = []
    for i in starts:
        before = height[i - 1]
        length = int(np.argmin(np.roll(inside, -i)))
        last, after = height[(i + length - 1) % n], height[(i + length) % n]
        start = (i - (height[i] - level) / (height[i] - before)) * step
        stop = (i + length - 1 + (last - level) / (last - after)) * step
        turn = 2 * np.pi * np.floor(start / (2 * np.pi))
        arcs.append((float(start - turn), float(stop - turn)))
    return sorted(arcs)
