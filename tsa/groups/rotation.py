"""Rotation of square images about their centre, interpolated by cubic splines."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import ndimage, sparse

from tsa._base import Array, checks
from tsa.groups.action import MAX_MATRIX_SIDE_PIXELS, LatticeAction

_MANY_PAIRS = 5_000  # as in training: fewer are moved before the matrices that move them, up to 240 MB, are made


@dataclass(frozen=True, eq=False, repr=False)
class ImageRotation(LatticeAction):
    """Rotation of square images about their centre, counter-clockwise on screen for s > 0.

    Cubic spline interpolation (mirrored at the border) on a disc: pixels whose centre lies outside the inscribed
    circle are zero before and after, so corners do not matter. Between the pixels a rotation is not exactly
    invertible; the loss bounds how pure any filter can be (`Recovery.ceiling`), whatever the model.

    >>> action = tsa.groups.ImageRotation(16)
    >>> action.dimension, action.lattice_shape
    (256, (360,))
    """

    size: int

    def __post_init__(self) -> None:
        side = checks.size(self.size, "An image to rotate has at least 2×2 pixels, given by its side", 2)
        object.__setattr__(self, "size", side)

    def __repr__(self) -> str:
        return f"ImageRotation({self.size})"

    @property
    def words(self) -> str:  # type: ignore[override]
        """`rotation of 16×16 pixels`."""
        return f"rotation of {self.size}×{self.size} pixels"

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """(size, size)."""
        return (self.size, self.size)

    @property
    def lattice_shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """(360,): whole degrees."""
        return (360,)

    @cached_property
    def lattice(self) -> Array:  # type: ignore[override]
        """Whole degrees: (360,). A multiple of 4, so that a quarter turn is a permutation of pixels."""
        return 2 * np.pi * np.arange(360) / 360

    @property
    def characters(self) -> Array:  # type: ignore[override]
        """0…⌈π·size/2⌉, as many periods as there are pairs of pixels along the rim."""
        return np.arange(int(np.ceil(np.pi * self.size / 2)) + 1)

    @cached_property
    def support(self) -> Array:
        """Flat indices of the pixels inside the inscribed circle."""
        centre = (self.size - 1) / 2
        row, column = np.indices(self.shape) - centre
        return np.flatnonzero(np.hypot(row, column).ravel() <= self.size / 2)

    def _sources(self, s: float) -> tuple[Array, Array]:
        """Where each pixel of the disc, turned by s, came from: its row and column. Rows count downwards."""
        centre = (self.size - 1) / 2
        row, column = (np.indices(self.shape) - centre).reshape(2, -1)[:, self.support]
        return centre + np.cos(s) * row + np.sin(s) * column, centre - np.sin(s) * row + np.cos(s) * column

    def _on_disc(self, s: float) -> Array:
        """The rotation by s as a matrix on the pixels of the disc."""
        prefilter = ndimage.spline_filter1d(np.eye(self.size), axis=0, mode="mirror")
        by_row, by_column = (self._spread(position) @ prefilter for position in self._sources(s))
        table = by_row[:, :, None] * by_column[:, None, :]
        return table.reshape(self.support.size, -1)[:, self.support]

    def _spread(self, position: Array) -> Array:
        """(m,) positions → (m, size): the weights of the coefficients of the cubic spline along a row."""
        spread = np.zeros((position.size, self.size))
        for knot, weight in zip(*self._knots(position), strict=True):
            np.add.at(spread, (np.arange(position.size), knot), weight)
        return spread

    def _knots(self, position: Array) -> tuple[Array, Array]:
        """The four coefficients that make the value of a cubic spline along a row, and their weights: (4, m)."""
        base = np.floor(position).astype(np.int64)
        t = position - base
        weights = np.stack([(1 - t) ** 3, 4 - 3 * t**2 * (2 - t), 4 - 3 * (1 - t) ** 2 * (1 + t), t**3]) / 6
        period = 2 * (self.size - 1)
        knots = np.mod(base + np.arange(-1, 3)[:, None], period)
        return np.where(knots < self.size, knots, period - knots), weights

    def _coefficients(self, x: Array) -> Array:
        """Of the splines through the pixels of columns (support, n): (D, n)."""
        pictures = np.zeros((self.dimension, x.shape[1]), x.dtype)
        pictures[self.support] = x
        pictures = pictures.reshape(*self.shape, -1)
        for axis in (0, 1):
            pictures = ndimage.spline_filter1d(pictures, axis=axis, mode="mirror", output=x.dtype)
        return pictures.reshape(self.dimension, -1)

    def _turned(self, coefficients: Array, s: float) -> Array:
        """The splines turned by s: (support, n). A pixel depends on sixteen coefficients only."""
        (rows, by_row), (columns, by_column) = (self._knots(position) for position in self._sources(s))
        weights = (by_row[:, None] * by_column[None, :]).reshape(16, -1).astype(coefficients.dtype)
        pixels = (rows[:, None] * self.size + columns[None, :]).reshape(16, -1)
        starts = np.arange(0, weights.size + 1, 16)
        shape = self.support.size, self.dimension
        return sparse.csr_array((weights.T.ravel(), pixels.T.ravel(), starts), shape=shape) @ coefficients

    @cached_property
    def _quarter_turns(self) -> list[Array]:
        """Permutations of the disc's pixels that turn by 0, 1, 2, 3 times 90°, exactly: turned = x[:, permutation]."""
        pixels = np.arange(self.dimension).reshape(self.shape)
        turned = (np.rot90(pixels, turns).ravel()[self.support] for turns in range(4))
        return [np.searchsorted(self.support, order) for order in turned]

    def apply(self, x: ArrayLike, s: ArrayLike) -> Array:
        """x (..., D) turned by s, one angle for all or one for each (broadcast against the batch of x).

        >>> action, x = tsa.groups.ImageRotation(16), tsa.patch("square", 16)
        >>> np.allclose(action.apply(x, np.pi / 2), x, atol=1e-6)
        True
        """
        x, s = self._patches(x), checks.finite(checks.real(s, "s"), "s")
        shape = checks.common_shape("The patches x and the angles s", x.shape[:-1], s.shape)
        flat = np.broadcast_to(x, (*shape, self.dimension)).reshape(-1, self.dimension)
        angles, which = np.unique(np.broadcast_to(s, shape), return_inverse=True)
        result = np.zeros(flat.shape, x.dtype)
        for i, angle in enumerate(angles):
            rows = np.flatnonzero(which.ravel() == i)
            coefficients = self._coefficients(flat[np.ix_(rows, self.support)].T)
            result[np.ix_(rows, self.support)] = self._turned(coefficients, float(angle)).T
        return result.reshape(*shape, self.dimension)

    def operators(self) -> Iterator[Array]:
        """The action at every whole degree, as matrices (D, D): apply(x, lattice[i]) = x @ operator_i.T.

        >>> next(iter(tsa.groups.ImageRotation(8).operators())).shape
        (64, 64)
        """
        for permutation in self._quarter_turns:
            for s in self.lattice[:90]:
                operator = np.zeros((self.dimension, self.dimension), np.float32)
                operator[np.ix_(self.support, self.support)] = self._on_disc(float(s))[permutation]
                yield operator

    def apply_all_to_columns(self, x: Array) -> Iterator[tuple[int, Array]]:
        """Four degrees at a time, since a quarter turn is a permutation.

        >>> action = tsa.groups.ImageRotation(8)
        >>> len(list(action.apply_all_to_columns(np.eye(len(action.support)))))
        360
        """
        coefficients = self._coefficients(x)
        for degree in range(90):
            turned = self._turned(coefficients, float(self.lattice[degree]))
            for quarter, permutation in enumerate(self._quarter_turns):
                yield degree + 90 * quarter, turned[permutation]

    def _move_block(self, x: Array, index: Array, out: Array) -> None:
        degree, turn = index % 90, index // 90
        many = len(x) >= _MANY_PAIRS and self.size <= MAX_MATRIX_SIDE_PIXELS
        operators = _quarter(self.size) if many else None
        for d in range(90):
            rows = slice(*np.searchsorted(degree, (d, d + 1)))
            if operators is not None:
                np.matmul(x[rows], operators[d], out=out[rows])
            else:
                out[rows] = self._turned(self._coefficients(x[rows].T), float(self.lattice[d])).T
            for q in range(1, 4):
                part = slice(*(rows.start + np.searchsorted(turn[rows], (q, q + 1))))
                out[part] = np.take(out[part], self._quarter_turns[q], axis=1)

    def _ordered(self, index: Array) -> Array:
        return index[np.lexsort((index // 90, index % 90))]


@lru_cache(maxsize=2)
def _quarter(size: int) -> Array:
    """Transposed operators of the first 90° on the disc, float32: (90, d, d). The others are quarter turns more."""
    action = ImageRotation(size)
    return np.stack([action._on_disc(float(s)).T.astype(np.float32) for s in action.lattice[:90]])
