"""y seen in part: a weight m_p between 0 and 1 for each pixel (the aperture problem).

A pixel of weight m contributes the Gaussian N(y_p; (ρ_s x)_p, σ²) to the power m, so that

    log p_m(y | x, s) = −Σ_p m_p (y_p − (ρ_s x)_p)²/2σ² − ½ Σ_p m_p log 2πσ².

Each pixel of ρ_s x is a trigonometric polynomial in s, of degree K, the largest weight. So the log likelihood is one of
degree 2K, and the posterior stays in the family: its natural parameters are those of the pair (x, m·y), plus −1/2σ²
times the Fourier coefficients of Q(s) = Σ_p m_p (ρ_s x)_p², which is constant only if everything is seen and no line
moves.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft

from tsa._base import Array, InputError, ShapeError, checks
from tsa.model._shared import PhaseModel
from tsa.model.weights import Weights, lattice_points


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


class SeenPair(NamedTuple):
    """x, y and m in double precision, and log p_m(y | x, s) as a series in s; `like` has the precision to answer in."""

    x: Array
    y: Array
    m: Array
    like: Array
    constant: Array
    eta: Array


def checked(seen: ArrayLike, dimension: int) -> Array:
    """The weights m (..., D) in double precision."""
    m = checks.finite(checks.real(seen, "seen"), "seen")
    if m.ndim == 0 or m.shape[-1] != dimension:
        raise ShapeError(f"seen must have a weight for each of the {dimension} pixels of y; got shape {m.shape}.")
    if np.any((m < 0) | (m > 1)):
        raise InputError(
            f"seen must lie between 0 (a pixel of y is hidden) and 1 (it is seen); got {m.min():.3g} to {m.max():.3g}."
        )
    return m.astype(np.float64)


def energy_series(model: PhaseModel[Any], irreps: Weights, grid: SeriesGrid, u: Array, m: Array) -> tuple[Array, Array]:
    """The series of Q(s) = Σ_p m_p (ρ_s x)_p² for coordinates u (..., J), whatever the filters: from its values."""
    batch = checks.common_shape("The batches of x and seen", u.shape[:-1], m.shape[:-1])
    flat_u, flat_m = (np.broadcast_to(a, (*batch, a.shape[-1])).reshape(-1, a.shape[-1]) for a in (u, m))
    energy = np.empty((len(flat_u), grid.nodes))
    for row, one_u in enumerate(flat_u):
        energy[row] = flat_m[row] @ _moved(model, irreps, grid, one_u) ** 2
    return grid.series(energy.reshape(*batch, grid.nodes))


def filter_gradient(
    model: PhaseModel[Any], irreps: Weights, grid: SeriesGrid, x: Array, y: Array, m: Array, moments: Array
) -> Array:
    """The gradient of Σ log p_m(y | x) in the filters, (D, J), for pairs in rows and moments (n, H) of the posterior.

    With the gaps g_p(s) = m_p (y_p − (ρ_s x)_p)/σ² and R_pj = E[g_p e^{iω_j·s}] under the posterior it is
    R_pj u_j + x_p Σ_q f_qj conj(R_qj): ρ_s x = Σ_j Re(conj(f_j) e^{iω_j·s} u_j) holds f_j itself and u_j = f_jᵀx.
    """
    gradient = np.zeros((model.dimension, model.subspaces), np.complex128)
    node_weights = grid.node_weights(moments)
    for row, u in enumerate(model.coordinates(x)):
        pull = m[row][:, None] * node_weights[row] / model.noise**2
        gap = y[row][:, None] - _moved(model, irreps, grid, u)
        expected = grid.expectations(pull * gap, irreps.values)
        gradient += expected * u + np.outer(x[row], (model.filters * expected.conj()).sum(axis=0))
    gradient[:, model.lines] = gradient[:, model.lines].real
    return gradient


def _moved(model: PhaseModel[Any], irreps: Weights, grid: SeriesGrid, u: Array) -> Array:
    """ρ_s x at every node from coordinates u (J,): (D, nodes)."""
    eta = (model.filters * u.conj()).astype(np.complex128)
    fixed, moving = eta[:, irreps.fixed].real.sum(axis=1), irreps.pool(eta)
    return grid.values(fixed, moving.conj() / 2, moving / 2, irreps.harmonics).real
