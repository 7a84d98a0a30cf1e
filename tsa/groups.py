"""The actions that make training pairs: image rotation, and cyclic shifts in one and two dimensions.

Each is linear in the patch, so a batch costs a matrix product; each has a lattice of angles fine enough to resolve
every weight it can show, and streams of pairs that a seed reproduces from any point.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft, ndimage, sparse

from tsa import checks
from tsa.checks import Array
from tsa.errors import InputError, ShapeError

_SMALL = 32  # pixels along a side up to which all that moves training pairs is kept as matrices
_CHUNK = 10_000  # pairs made at once: enough that each angle's share is a matrix product worth calling


class _Action(ABC):
    """What the actions share: checks, and the stream of training pairs."""

    shape: tuple[int, ...]
    lattice: Array
    words: str  # for people
    characters: Array  # the weights the lattice can tell apart, one of each pair ±ω: (m,) or (m, 2), 0 first

    @property
    def dimension(self) -> int:
        """The number D of pixels of a patch."""
        return int(np.prod(self.shape))

    def _patches(self, x: ArrayLike) -> Array:
        x = checks.real(x, "x")
        if x.ndim == 0 or x.shape[-1] != self.dimension:
            raise ShapeError(f"Patches of {self} have {self.dimension} pixels in the last axis; got {x.shape}.")
        return x

    @abstractmethod
    def operators(self) -> Iterator[Array]:
        """The action at each angle of the lattice, as matrices (D, D): apply(x, lattice[i]) = x @ operator_i.T."""

    def orbit(self, x: ArrayLike) -> Iterator[tuple[int, Array]]:
        """Patches x (n, D) moved by each element of the lattice: (i, apply(x, lattice[i])), in any order."""
        for i, moved in self.orbit_of_columns(self._patches(x)[:, self.support].T):
            yield i, self._embedded(moved.T)

    @abstractmethod
    def orbit_of_columns(self, x: Array) -> Iterator[tuple[int, Array]]:
        """The same for columns of values on the support alone, (support, n)."""

    def _ordered(self, index: Array) -> Array:
        """Lattice indices in the order in which `_move_block` is fastest."""
        return index

    @abstractmethod
    def _move_block(self, x: Array, index: Array, out: Array) -> None:
        """Row i of x (n, support) moved by lattice[index[i]], for indices in that order."""

    @property
    def support(self) -> Array:
        """Flat indices of the pixels the action moves; all others are zero before and after."""
        return np.arange(self.dimension)

    def is_real(self, weight: Array) -> bool:
        """Whether e^{iωs} is ±1 on the whole lattice: then the irreducible of weight ω is a line, not a plane."""
        phase = self.lattice * weight if self.lattice.ndim == 1 else self.lattice @ weight
        return bool(np.all(np.abs(np.sin(phase)) < 1e-9))

    def pairs(self, n: int, rng: checks.Rng = None, patches: Array | None = None) -> tuple[Array, Array, Array]:
        """n training pairs (x, y), y moved by a random element of the lattice, and its index; float32.

        Pairs moved alike stand together, so that they are moved by one product.
        """
        *pair, index = self._pairs_on_support(n, checks.generator(rng), patches)
        return self._embedded(pair[0]), self._embedded(pair[1]), index

    def _pairs_on_support(
        self, n: int, rng: np.random.Generator, patches: Array | None = None
    ) -> tuple[Array, Array, Array]:
        if patches is None:
            x = white_noise(rng, (n, self.support.size))
        else:
            x = np.asarray(patches[np.ix_(rng.integers(len(patches), size=n), self.support)], np.float32)
        index = self._ordered(rng.integers(len(self.lattice), size=n))
        y = np.empty_like(x)
        self._move_block(x, index, y)
        return x, y, index

    def _embedded(self, x: Array) -> Array:
        """Patches (n, D) from their values on the support."""
        if self.support.size == self.dimension:
            return x
        full = np.zeros((len(x), self.dimension), x.dtype)
        full[:, self.support] = x
        return full

    def stream(
        self,
        seed: int,
        batch_size: int = 100,
        patches: ArrayLike | None = None,
        start: int = 0,
        on_support: bool = False,
    ) -> Iterator[tuple[Array, Array]]:
        """Endless batches (x, y) of float32 pairs: white noise, or rows drawn from `patches` (n, D).

        Batch number i is the same whether the stream began at 0 or at i: a stopped training resumes bit for bit.
        `on_support` leaves out the pixels that are always zero.
        """
        source = None if patches is None else self._patches(patches)
        per_chunk = max(1, _CHUNK // batch_size)
        chunk, first = divmod(start, per_chunk)
        while True:
            rng = np.random.default_rng([seed, chunk])
            x, y, _ = self._pairs_on_support(per_chunk * batch_size, rng, source)
            if not on_support:
                x, y = self._embedded(x), self._embedded(y)
            for batch in range(first, per_chunk):  # every so-many-th pair: each batch sees all angles
                yield x[batch::per_chunk], y[batch::per_chunk]
            chunk, first = chunk + 1, 0


@dataclass(frozen=True, eq=False, repr=False)
class ImageRotation(_Action):
    """Rotation of square images about their centre, counter-clockwise on screen for s > 0.

    Cubic spline interpolation (mirrored at the border) on a disc: pixels whose centre lies outside the inscribed
    circle are zero before and after, so corners do not matter. Between the pixels a rotation is not exactly
    invertible: what it loses bounds how pure any filter can be (`recovery.ceiling`), whatever the model.
    """

    size: int

    def __post_init__(self) -> None:
        if self.size < 2:
            raise InputError(f"An image to rotate has at least 2×2 pixels; got size {self.size}.")

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
        """x (..., D) turned by s, one angle for all or one for each (broadcast against the batch of x)."""
        x, s = self._patches(x), checks.finite(checks.real(s, "s"), "s")
        shape = np.broadcast_shapes(x.shape[:-1], s.shape)
        flat = np.broadcast_to(x, (*shape, self.dimension)).reshape(-1, self.dimension)
        angles, which = np.unique(np.broadcast_to(s, shape), return_inverse=True)
        result = np.zeros(flat.shape, x.dtype)
        for i, angle in enumerate(angles):
            rows = np.flatnonzero(which.ravel() == i)
            coefficients = self._coefficients(flat[np.ix_(rows, self.support)].T)
            result[np.ix_(rows, self.support)] = self._turned(coefficients, float(angle)).T
        return result.reshape(*shape, self.dimension)

    def operators(self) -> Iterator[Array]:
        """The action at every whole degree, as matrices (D, D): apply(x, lattice[i]) = x @ operator_i.T."""
        for permutation in self._quarter_turns:
            for s in self.lattice[:90]:
                operator = np.zeros((self.dimension, self.dimension), np.float32)
                operator[np.ix_(self.support, self.support)] = self._on_disc(float(s))[permutation]
                yield operator

    def orbit_of_columns(self, x: Array) -> Iterator[tuple[int, Array]]:
        """Four degrees at a time, since a quarter turn is a permutation."""
        coefficients = self._coefficients(x)
        for degree in range(90):
            turned = self._turned(coefficients, float(self.lattice[degree]))
            for quarter, permutation in enumerate(self._quarter_turns):
                yield degree + 90 * quarter, turned[permutation]

    def _move_block(self, x: Array, index: Array, out: Array) -> None:
        degree, turn = index % 90, index // 90
        operators = _quarter(self.size) if self.size <= _SMALL else None
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


def white_noise(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Standard normal float32, by Box and Muller: vectorised, it takes half the time of the generator's own."""
    half = -(-shape[0] * shape[1] // 2)
    radius, angle = rng.random((2, half), np.float32)
    radius = np.sqrt(-2 * np.log(1 - radius))
    angle *= np.float32(2 * np.pi)
    noise = np.empty((2, half), np.float32)
    np.cos(angle, out=noise[0])
    np.sin(angle, out=noise[1])
    noise *= radius
    return noise.reshape(-1)[: shape[0] * shape[1]].reshape(shape)


def lattice_points(shape: tuple[int, ...]) -> Array:
    """Every index of an array of this shape, in row-major order: (D, dimensions)."""
    return np.moveaxis(np.indices(shape), 0, -1).reshape(-1, len(shape))


def fourier_weights(shape: tuple[int, ...]) -> Array:
    """The frequencies of a real DFT of this shape, one of each conjugate pair, by length: (m, dimensions)."""
    lattice = lattice_points(shape)
    conjugate = np.ravel_multi_index(tuple(np.mod(-lattice, shape).T), shape)
    weights = lattice[np.arange(len(lattice)) <= conjugate]
    weights = np.where(2 * weights > np.array(shape), weights - shape, weights)
    return weights[np.argsort((weights**2).sum(axis=1), kind="stable")]


@dataclass(frozen=True, eq=False, repr=False)
class CyclicShift(_Action):
    """Cyclic shift of n samples, or of h×w pixels in row-major order: s = 2πm/n shifts by m samples, like numpy.roll.

    Angles between the lattice points shift the Fourier series through the samples.
    """

    sizes: tuple[int, ...]

    def __init__(self, sizes: int | tuple[int, int]) -> None:
        shape = (int(sizes),) if isinstance(sizes, int | np.integer) else tuple(int(n) for n in sizes)
        if len(shape) not in (1, 2) or min(shape) < 1:
            raise InputError(f"CyclicShift is made for n samples or (h, w) pixels; got {sizes!r}.")
        object.__setattr__(self, "sizes", shape)

    def __repr__(self) -> str:
        return f"CyclicShift({self.sizes[0] if len(self.sizes) == 1 else self.sizes})"

    @property
    def words(self) -> str:  # type: ignore[override]
        """`shifts of 32 samples`, or `shifts of 16×16 pixels`."""
        return f"shifts of {'×'.join(map(str, self.sizes))} {'samples' if len(self.sizes) == 1 else 'pixels'}"

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """(n,) or (h, w)."""
        return self.sizes

    @cached_property
    def _steps(self) -> Array:
        """Every shift, in samples: (D, dimensions)."""
        return lattice_points(self.shape)

    @cached_property
    def lattice(self) -> Array:  # type: ignore[override]
        """Every whole shift: (n,) or (h·w, 2)."""
        angles = 2 * np.pi * self._steps / np.array(self.shape)
        return angles[:, 0] if len(self.shape) == 1 else angles

    @cached_property
    def characters(self) -> Array:  # type: ignore[override]
        """One of each pair of conjugate frequencies of the DFT."""
        weights = fourier_weights(self.shape)
        return weights[:, 0] if len(self.shape) == 1 else weights

    def _sources(self, index: Array | int) -> Array:
        """sources[..., p]: the pixel that shift number `index` (...) brings to pixel p."""
        moved = np.mod(self._steps - self._steps[index][..., None, :], self.shape)
        return np.ravel_multi_index(tuple(np.moveaxis(moved, -1, 0)), self.shape)

    @cached_property
    def _all_sources(self) -> Array:
        return self._sources(np.arange(self.dimension))

    def apply(self, x: ArrayLike, s: ArrayLike) -> Array:
        """x (..., D) shifted by s (...) or (..., 2), broadcast against the batch of x."""
        x, s = self._patches(x), checks.finite(checks.real(s, "s"), "s")
        if len(self.shape) == 2 and (s.ndim == 0 or s.shape[-1] != 2):
            raise ShapeError(f"A shift in two dimensions needs s of shape (..., 2); got {s.shape}.")
        s = s[..., None] if len(self.shape) == 1 else s
        frequencies = np.stack(np.meshgrid(*(fft.fftfreq(n, 1 / n) for n in self.shape), indexing="ij"), axis=-1)
        phase = np.exp(-1j * np.tensordot(s, frequencies, ([-1], [-1])))
        axes = tuple(range(-len(self.shape), 0))
        spectrum = fft.fftn(x.reshape(*x.shape[:-1], *self.shape), axes=axes) * phase
        moved = fft.ifftn(spectrum, axes=axes).real
        return moved.reshape(*moved.shape[: -len(self.shape)], self.dimension).astype(x.dtype)

    def operators(self) -> Iterator[Array]:
        """The action at every whole shift, as permutation matrices (D, D)."""
        for i in range(self.dimension):
            yield np.eye(self.dimension, dtype=np.float32)[self._sources(i)]

    def orbit_of_columns(self, x: Array) -> Iterator[tuple[int, Array]]:
        """All whole shifts in order."""
        for i in range(self.dimension):
            yield i, x[self._sources(i)]

    def _move_block(self, x: Array, index: Array, out: Array) -> None:
        if self.dimension <= _SMALL**2:
            np.copyto(out, np.take_along_axis(x, self._all_sources[index], axis=-1))
            return
        for row, i in enumerate(index):
            out[row] = x[row, self._sources(i)]
