"""The common part of image rotation and cyclic shifts: a lattice of group elements, and streams of training pairs.

An action is linear in the patch, so a batch costs a matrix product. Its lattice is fine enough to resolve every weight
that the pixels can show. A seed reproduces its streams from any batch on.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, ShapeError, checks


class Action(Protocol):
    """A commutative group acting on patches: what a class of one's own needs to be used as an action.

    `shape` is that of a patch, with D pixels in all. `lattice_shape` has an entry for each parameter of the group: the
    number n of elements 2πm/n that are looked at, all of a finite group, or more than twice the largest weight of a
    circle. `tsa.groups.check_action` says what is wrong with a class that does not act as a group.

    >>> class Swap:  # the group of order 2 that swaps neighbours
    ...     shape, lattice_shape = (8,), (2,)
    ...
    ...     def apply(self, x, s):
    ...         half = (1 - np.cos(s)) / 2
    ...         return (1 - half) * x + half * x.reshape(-1, 4, 2)[:, :, ::-1].reshape(x.shape)
    >>> tsa.groups.as_lattice_action(Swap()).dimension
    8
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a patch."""

    @property
    def lattice_shape(self) -> tuple[int, ...]:
        """Elements along each parameter."""

    def apply(self, x: Array, s: Array) -> Array:
        """Patches x (n, D) moved by s, one angle, or (p,) angles for p parameters; linear and orthogonal.

        >>> action: tsa.groups.Action = tsa.groups.CyclicShift(4)
        >>> action.apply(np.arange(4.0)[None], 2 * np.pi / 4).round(6)
        array([[3., 0., 1., 2.]])
        """


MAX_MATRIX_SIDE_PIXELS = 32  # up to which the operators that move training pairs are kept as matrices
_CHUNK_PAIRS = 10_000  # pairs made at once: enough that each angle's share is a matrix product worth calling


class LatticeAction(ABC):
    """Base of the actions: checks of patches, and the stream of training pairs.

    >>> tsa.groups.CyclicShift((4, 6)).lattice_shape
    (4, 6)
    """

    shape: tuple[int, ...]  # of a patch
    lattice_shape: tuple[int, ...]  # the number of group elements along each of the p parameters
    lattice: Array  # their angles in row-major order: (n,), or (n, p) if p > 1
    words: str  # the action as a phrase, such as `rotation of 16×16 pixels`
    characters: Array  # the weights that differ on the lattice, one of each pair ±ω: (m,), or (m, p); 0 first

    @property
    def parameters(self) -> int:
        """The number p of parameters of the group."""
        return len(self.lattice_shape)

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
    def apply(self, x: ArrayLike, s: ArrayLike) -> Array:
        """x (..., D) moved by s (...), or (..., p) if p > 1, broadcast against the batch of x.

        >>> tsa.groups.CyclicShift(4).apply(np.arange(1.0, 5), 2 * np.pi / 4).round(6)
        array([4., 1., 2., 3.])
        """

    @abstractmethod
    def operators(self) -> Iterator[Array]:
        """The action at each angle of the lattice, as matrices (D, D): apply(x, lattice[i]) = x @ operator_i.T.

        >>> [first.shape for first, _ in zip(tsa.groups.HueRotation(2).operators(), range(1))]
        [(6, 6)]
        """

    def apply_all(self, x: ArrayLike) -> Iterator[tuple[int, Array]]:
        """Patches x (n, D) moved by each element of the lattice: (i, apply(x, lattice[i])), in any order.

        >>> action = tsa.groups.CyclicShift(4)
        >>> dict(action.apply_all(np.array([[1.0, 0, 0, 0]])))[3]
        array([[0., 0., 0., 1.]])
        """
        for i, moved in self.apply_all_to_columns(self._patches(x)[:, self.support].T):
            yield i, self._embedded(moved.T)

    @abstractmethod
    def apply_all_to_columns(self, x: Array) -> Iterator[tuple[int, Array]]:
        """The same for columns of values on the support alone, (support, n).

        >>> action = tsa.groups.CyclicShift(4)
        >>> len(list(action.apply_all_to_columns(np.eye(4))))
        4
        """

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
        """Whether e^{iωs} is ±1 on the whole lattice: then the irreducible of weight ω is a line, not a plane.

        >>> action = tsa.groups.CyclicShift(8)
        >>> action.is_real((4,)), action.is_real((1,))
        (True, False)
        """
        phase = checks.as_points(self.lattice, self.parameters) @ np.atleast_1d(weight)
        return bool(np.all(np.abs(np.sin(phase)) < 1e-9))

    def pairs(self, n: int, rng: checks.Rng = None, patches: Array | None = None) -> tuple[Array, Array, Array]:
        """n training pairs (x, y), y moved by a random element of the lattice, and its index; float32.

        Pairs moved by the same element are neighbours, so that one matrix product moves them.

        >>> x, y, index = tsa.groups.CyclicShift(8).pairs(100, rng=0)
        >>> x.shape, x.dtype
        ((100, 8), dtype('float32'))
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

        >>> stream = tsa.groups.CyclicShift(8).stream(seed=0, batch_size=50)
        >>> [array.shape for array in next(stream)]
        [(50, 8), (50, 8)]
        """
        source = None if patches is None else self._patches(patches)
        per_chunk = max(1, _CHUNK_PAIRS // batch_size)
        chunk, first = divmod(start, per_chunk)
        while True:
            rng = np.random.default_rng([seed, chunk])
            x, y, _ = self._pairs_on_support(per_chunk * batch_size, rng, source)
            if not on_support:
                x, y = self._embedded(x), self._embedded(y)
            for batch in range(first, per_chunk):  # every per_chunk-th pair: each batch holds all angles
                yield x[batch::per_chunk], y[batch::per_chunk]
            chunk, first = chunk + 1, 0


def white_noise(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Standard normal float32 by the Box–Muller transform: vectorised, twice as fast as `Generator.standard_normal`.

    >>> tsa.groups.white_noise(np.random.default_rng(0), (3, 4)).shape
    (3, 4)
    """
    half = -(-shape[0] * shape[1] // 2)
    radius, angle = rng.random((2, half), np.float32)
    radius = np.sqrt(-2 * np.log(1 - radius))
    angle *= np.float32(2 * np.pi)
    noise = np.empty((2, half), np.float32)
    np.cos(angle, out=noise[0])
    np.sin(angle, out=noise[1])
    noise *= radius
    return noise.reshape(-1)[: shape[0] * shape[1]].reshape(shape)
