"""The powers of one permutation of pixels: a cyclic group on patches of any kind."""

import math

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, checks
from tsa.groups.custom import MatrixAction

_MAX_ORDER = 10_000


class Permutation(MatrixAction):
    """The cyclic group of a permutation: s = 2πm/n moves patches by its m-th power, n its order.

    `generator` (D,) says where each pixel comes from: moved = x[..., generator]. Between the powers each cycle is
    shifted as a Fourier series, as `CyclicShift` does.

    >>> action = tsa.groups.Permutation([1, 2, 0, 4, 3])  # a cycle of three and a swap
    >>> action.lattice_shape
    (6,)
    """

    def __init__(self, generator: ArrayLike, shape: tuple[int, ...] | None = None) -> None:
        self.generator = checks.frozen(np.array(generator))
        if self.generator.ndim != 1 or not np.array_equal(np.sort(self.generator), np.arange(len(self.generator))):
            raise InputError(
                "A permutation is given by where each pixel comes from: the numbers 0…D−1, each once; got "
                f"{np.array2string(self.generator.ravel()[:8])}…"
            )
        self._shape = (len(self.generator),) if shape is None else shape
        if math.prod(self._shape) != len(self.generator):
            raise InputError(f"A permutation of {len(self.generator)} pixels does not act on patches {self._shape}.")
        self.cycles = _cycles(self.generator)
        self.order = math.lcm(*(len(cycle) for cycle in self.cycles))
        if self.order > _MAX_ORDER:
            raise InputError(f"This permutation has the order {self.order:,}; at most {_MAX_ORDER:,} is supported.")

    def __repr__(self) -> str:
        return f"Permutation of {len(self.generator)} pixels of order {self.order}"

    @property
    def words(self) -> str:  # type: ignore[override]
        """`powers of a permutation of order 12`."""
        return f"powers of a permutation of order {self.order}"

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """(D,), or as given."""
        return self._shape

    @property
    def lattice_shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """(n,), n the order of the permutation."""
        return (self.order,)

    def apply(self, x: ArrayLike, s: ArrayLike) -> Array:
        """x (..., D) moved by s (...), broadcast against the batch of x.

        >>> tsa.groups.Permutation([1, 2, 0]).apply([10.0, 20, 30], 2 * np.pi / 3)
        array([20., 30., 10.])
        """
        x, s = self._patches(x), checks.finite(checks.real(s, "s"), "s")
        shape = np.broadcast_shapes(x.shape[:-1], s.shape)
        moved = np.broadcast_to(x, (*shape, self.dimension)).astype(np.float64)
        steps = np.broadcast_to(s, shape)[..., None] * (self.order / (2 * np.pi))
        for cycle in self.cycles:
            # Along a cycle, pixel i comes from pixel i + 1.
            frequency = np.fft.rfftfreq(len(cycle))
            wave = np.fft.rfft(moved[..., cycle]) * np.exp(2j * np.pi * frequency * steps)
            moved[..., cycle] = np.fft.irfft(wave, len(cycle))
        return moved.astype(x.dtype)


def _cycles(generator: Array) -> list[Array]:
    """The cycles of a permutation: each pixel is followed by the one it comes from."""
    left, cycles = set(range(len(generator))), list[Array]()
    while left:
        cycle = [min(left)]
        while (following := int(generator[cycle[-1]])) != cycle[0]:
            cycle.append(following)
        left -= set(cycle)
        cycles.append(np.array(cycle))
    return cycles
