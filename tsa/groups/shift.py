"""Cyclic shifts of samples or pixels: permutations, and between them shifts of the Fourier series."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft

from tsa._base import Array, InputError, checks
from tsa.groups.action import MAX_MATRIX_SIDE_PIXELS, LatticeAction
from tsa.model import Weights, lattice_points


@dataclass(frozen=True, eq=False, repr=False)
class CyclicShift(LatticeAction):
    """Cyclic shift of n samples, or of h×w pixels in row-major order: s = 2πm/n shifts by m samples, like numpy.roll.

    Angles between the lattice points shift the Fourier series through the samples.

    >>> action = tsa.groups.CyclicShift(8)
    >>> action.apply(np.arange(1.0, 9), 2 * np.pi / 8 * 3).round(6)
    array([6., 7., 8., 1., 2., 3., 4., 5.])
    """

    sizes: tuple[int, ...]

    def __init__(self, sizes: int | tuple[int, int]) -> None:
        given = sizes if isinstance(sizes, tuple | list) else (sizes,)
        if len(given) not in (1, 2):
            raise InputError(f"CyclicShift is made for n samples or (h, w) pixels; got {sizes!r}.")
        shape = tuple(checks.size(n, "CyclicShift is made for n samples or (h, w) pixels") for n in given)
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

    @property
    def lattice_shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """(n,) or (h, w): every whole shift."""
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
        return np.asarray(Weights.of_dft(self.shape))

    def _sources(self, index: Array | int) -> Array:
        """sources[..., p]: the pixel that shift number `index` (...) brings to pixel p."""
        moved = np.mod(self._steps - self._steps[index][..., None, :], self.shape)
        return np.ravel_multi_index(tuple(np.moveaxis(moved, -1, 0)), self.shape)

    @cached_property
    def _all_sources(self) -> Array:
        return self._sources(np.arange(self.dimension))

    def apply(self, x: ArrayLike, s: ArrayLike) -> Array:
        """x (..., D) shifted by s (...) or (..., 2), broadcast against the batch of x.

        >>> tsa.groups.CyclicShift(4).apply(np.arange(1.0, 5), 2 * np.pi / 4 * np.arange(3)).round(6)
        array([[1., 2., 3., 4.],
               [4., 1., 2., 3.],
               [3., 4., 1., 2.]])
        """
        x, s = self._patches(x), checks.as_points(s, self.parameters)
        checks.common_shape("The patches x and the shifts s", x.shape[:-1], s.shape[:-1])
        frequencies = np.stack(np.meshgrid(*(fft.fftfreq(n, 1 / n) for n in self.shape), indexing="ij"), axis=-1)
        phase = np.exp(-1j * np.tensordot(s, frequencies, ([-1], [-1])))
        axes = tuple(range(-len(self.shape), 0))
        spectrum = fft.fftn(x.reshape(*x.shape[:-1], *self.shape), axes=axes) * phase
        moved = fft.ifftn(spectrum, axes=axes).real
        return moved.reshape(*moved.shape[: -len(self.shape)], self.dimension).astype(x.dtype)

    def operators(self) -> Iterator[Array]:
        """The action at every whole shift, as permutation matrices (D, D).

        >>> list(tsa.groups.CyclicShift(4).operators())[1]
        array([[0., 0., 0., 1.],
               [1., 0., 0., 0.],
               [0., 1., 0., 0.],
               [0., 0., 1., 0.]], dtype=float32)
        """
        for i in range(self.dimension):
            yield np.eye(self.dimension, dtype=np.float32)[self._sources(i)]

    def apply_all_to_columns(self, x: Array) -> Iterator[tuple[int, Array]]:
        """All whole shifts in order.

        >>> len(list(tsa.groups.CyclicShift(4).apply_all_to_columns(np.eye(4))))
        4
        """
        for i in range(self.dimension):
            yield i, x[self._sources(i)]

    def _move_block(self, x: Array, index: Array, out: Array) -> None:
        if self.dimension <= MAX_MATRIX_SIDE_PIXELS**2:
            np.copyto(out, np.take_along_axis(x, self._all_sources[index], axis=-1))
            return
        for row, i in enumerate(index):
            out[row] = x[row, self._sources(i)]
