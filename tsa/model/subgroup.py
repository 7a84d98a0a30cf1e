"""A one- or two-parameter subgroup: the phases of all subspaces move together (paper, section 3.3)."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError, checks
from tsa.density import Density, from_harmonics
from tsa.model._shared import PhaseModel, squared_norm
from tsa.model.torus import Torus
from tsa.model.weights import Weight, Weights

_MAX_WEIGHT = 10_000  # periods per turn; the density over s has as many harmonics


@dataclass(frozen=True, eq=False)
class Subgroup(PhaseModel[Density]):
    """A subgroup of p parameters: the phases are φ_j = ω_j·s (paper, section 3.3).

    `weights` are integers (J,), or (J, p) if p > 1; `irreps` is the same as a `Weights`, which folds, orders and pools
    them. The posterior over s is one generalised von Mises density, known for p = 1 and p = 2. A line of non-zero
    weight (the Nyquist line) belongs to a cyclic group: e^{iωs} is ±1 at the shifts that exist. In between, where the
    group has no element, posterior, evidence and distance treat the line as the real axis of a plane (they interpolate
    as a Fourier series does), while `act` returns its real part.
    """

    weights: Array

    def __init__(self, filters: ArrayLike, weights: ArrayLike, noise: float = 1.0) -> None:
        super().__init__(filters, noise)
        checked = Weights(weights)
        if len(checked) != self.subspaces:
            raise ShapeError(
                f"weights must be ({self.subspaces},) or ({self.subspaces}, p) for {self.subspaces} subspaces; "
                f"got {np.shape(weights)}."
            )
        if np.any(np.abs(checked.values) > _MAX_WEIGHT):
            raise InputError(f"weights up to {_MAX_WEIGHT:,} are supported; got {np.abs(checked.values).max():.3g}.")
        object.__setattr__(self, "weights", checks.frozen(np.asarray(checked)))

    @cached_property
    def torus(self) -> Torus:
        """The same filters without the coupling."""
        return Torus(self.filters, self.noise)

    @cached_property
    def irreps(self) -> Weights:
        """The weights as a value that folds ±ω, orders, pools and prints them."""
        return Weights(self.weights)

    @property
    def parameters(self) -> int:
        """The number p of parameters of the group: the dimension of s."""
        return self.irreps.parameters

    def without(self, weights: Collection[Weight]) -> "Subgroup":
        """The model of the other subspaces: those of weight ±ω are left out for each ω in `weights`."""
        left_out = {one for weight, members in self.irreps.spaces().items() if weight in weights for one in members}
        kept = [j for j in range(self.subspaces) if j not in left_out]
        if not kept:
            raise InputError("No subspace would be left; keep at least one weight.")
        return Subgroup(self.filters[:, kept], self.weights[kept], self.noise)

    def _density(self, eta: Array) -> Density:
        """The density over s with natural parameters η̂_j (..., J), pooled."""
        return from_harmonics(self.irreps.pool(eta), self.irreps.harmonics)

    def posterior(self, x: ArrayLike, y: ArrayLike, prior: Density | None = None) -> Density:
        """p(s | x, y): a `GeneralizedVonMises`, or a `TorusVonMises` for a two-parameter group.

        η⁺_k = Σ_{ω_j=k} η̂_j + Σ_{ω_j=−k} conj(η̂_j). Several pairs moved by the same s: `.fuse_batch()`.
        """
        _, _, u, v = self._pair(x, y)
        return self.posterior_from(u, v, prior)

    def posterior_from(self, u: Array, v: Array, prior: Density | None = None) -> Density:
        """p(s | x, y) from the coordinates u = z(x) and v = z(y)."""
        return _fused(self._density(self.natural_from(u, v)), prior)

    def stabilizer(self, x: ArrayLike) -> Density:
        """p(s | x, x): the symmetries of x, as a density that does not change when x is moved."""
        return self.posterior(x, x)

    def pooled_norms(self, x: ArrayLike) -> Array:
        """‖η̂⁺_k‖ of x with itself, the energy in each weight space over σ²: (..., H), invariant."""
        z = self.coordinates(x)
        return np.abs(self.irreps.pool(self.natural_from(z, z)))

    def act(self, x: ArrayLike, s: ArrayLike) -> Array:
        """ρ_s x = W R(ω s) Wᵀ x (eq. block_diag_omega_s1); s broadcasts against the batch of x."""
        z = self.coordinates(x)
        return self.reconstruct(self.irreps.phases(s).astype(z.dtype) * z)

    def align(self, x: ArrayLike, y: ArrayLike, prior: Density | None = None) -> Array:
        """The most probable s, argmax p(s | x, y): (...) or (..., 2)."""
        return self.posterior(x, y, prior).mode()

    def distance(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Exact manifold distance min_s ‖z(y) − e^{iωs} z(x)‖ within the span of the filters: (...)."""
        _, _, u, v = self._pair(x, y)
        return self.distance_from(u, v)

    def distance_from(self, u: Array, v: Array) -> Array:
        """The distance of two orbits from the coordinates u = z(x) and v = z(y)."""
        eta = self.natural_from(u, v)
        # Summed as squares at the best s: the expanded form would lose half the digits of a small distance.
        best = self._density(eta.astype(np.complex128)).mode()
        gap = v - self.irreps.phases(best) * u
        return checks.precision_of(eta, np.sqrt(squared_norm(gap)))

    def _log_ratio(self, eta: Array, prior: Density | None) -> Array:
        fixed = np.sum(eta[..., self.irreps.fixed].real, axis=-1, dtype=np.float64)
        density = _fused(self._density(eta.astype(np.complex128)), prior)
        start = self.parameters * np.log(2 * np.pi) if prior is None else prior.log_normalizer_only()
        return fixed + density.log_normalizer_only() - start

    def _mean_rotation(self, eta: Array, prior: Density | None) -> Array:
        return self.irreps.spread(_fused(self._density(eta), prior).moments(self.irreps.harmonics))


def _fused(density: Density, prior: Density | None) -> Density:
    """The density times the prior over s, which must be of the same kind."""
    if prior is None:
        return density
    if not isinstance(prior, type(density)):
        raise InputError(
            f"The prior over s must be a {type(density).__name__} for this model; got {type(prior).__name__}."
        )
    return density.fuse(prior)
