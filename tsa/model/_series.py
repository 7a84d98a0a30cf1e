"""Trigonometric polynomials on the circle or a torus: their harmonics, and a grid of nodes fine enough for them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft

from tsa._base import Array
from tsa.model.weights import lattice_points


@dataclass(frozen=True, eq=False)
class SeriesGrid:
    """The harmonics |k_a| ≤ `degree`_a on the circle or the 2-torus, and a grid of nodes fine enough for all of them.

    A series is a constant and η (..., H): f(s) = constant + Re Σ_k conj(η_k) e^{ik·s}.
    """

    degree: tuple[int, ...]

    @cached_property
    def harmonics(self) -> Array:
        """(H, p): of each ±k the one that `fold` chooses, without 0, sorted."""
        lattice = lattice_points(tuple(2 * n + 1 for n in self.degree)) - np.array(self.degree)
        return lattice[len(lattice) // 2 + 1 :]  # 0 stands in the middle, −k as far before it as k behind it

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Nodes per axis, more than twice the degree; node i lies at 2πi/shape."""
        return tuple(int(fft.next_fast_len(2 * n + 1, real=True)) for n in self.degree)

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return int(np.prod(self.shape))

    def index(self, harmonics: Array) -> Array:
        """Where these folded harmonics (m, p) stand in `harmonics`."""
        sizes = [2 * n + 1 for n in self.degree]
        return np.ravel_multi_index(tuple((harmonics + np.array(self.degree)).T), sizes) - len(self.harmonics) - 1

    def series(self, values: Array) -> tuple[Array, Array]:
        """The constant (...) and η (..., H) of a real function of at most this degree, from its values (..., nodes)."""
        spectrum = self._transform(fft.fftn, values, "forward")
        return spectrum[..., 0].real, 2 * spectrum[..., self._places].conj()

    @cached_property
    def _places(self) -> Array:
        return dft_places(self.harmonics, self.shape)

    def values(self, constant: ArrayLike, above: Array, below: Array, harmonics: Array) -> Array:
        """constant + Σ_k (above_k e^{ik·s} + below_k e^{−ik·s}) at the nodes, k in `harmonics` (m, p): (..., nodes)."""
        spectrum = np.zeros((*above.shape[:-1], self.nodes), np.complex128)
        spectrum[..., 0] = constant
        spectrum[..., dft_places(harmonics, self.shape)] = above
        spectrum[..., dft_places(-harmonics, self.shape)] = below
        return self._transform(fft.ifftn, spectrum, "forward")

    def node_weights(self, moments: Array) -> Array:
        """The w (..., nodes) with E[f] = Σ_i w_i f(s_i) for f of at most this degree, from E[e^{ik·s}] (..., H)."""
        return self.values(1.0, moments.conj(), moments, self.harmonics).real / self.nodes

    def expectations(self, weighted: Array, weights: Array) -> Array:
        """E[f e^{iω·s}] for integer ω (J, p), from values of f times the node weights: (..., nodes) → (..., J)."""
        return self._transform(fft.fftn, weighted, "backward")[..., dft_places(-weights, self.shape)]

    def _transform(self, transform: Callable[..., Any], values: Array, norm: str) -> Array:
        grid = values.reshape(*values.shape[:-1], *self.shape)
        return np.asarray(transform(grid, axes=tuple(range(-len(self.shape), 0)), norm=norm)).reshape(values.shape)


def dft_places(frequencies: Array, shape: tuple[int, ...]) -> Array:
    """Where these frequencies (m, p) stand in a flattened DFT of this shape."""
    return np.ravel_multi_index(tuple(np.mod(frequencies, shape).T), shape)
