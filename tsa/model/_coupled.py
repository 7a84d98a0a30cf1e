"""The coupled model: phases that move together, φ_j = ω_j·s, and the likelihood of the paper (section 3.3)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError, checks
from tsa.density import Density, VonMises, from_harmonics
from tsa.model._series import SeriesGrid
from tsa.model._shared import PhaseModel, squared_norm
from tsa.model.weights import Weights

_MAX_WEIGHT = 10_000  # periods per turn; the density over s has as many harmonics


@dataclass(frozen=True, eq=False, repr=False)
class CoupledModel(PhaseModel[Density]):
    """What every likelihood of a `Subgroup` is made of: coupled phases, and arithmetic on coordinates."""

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
    def irreps(self) -> Weights:
        """The weights as a value that folds ±ω, orders, pools and prints them."""
        return Weights(self.weights)

    @property
    def parameters(self) -> int:
        """The number p of parameters of the group: the dimension of s."""
        return self.irreps.parameters

    @cached_property
    def moving_lines(self) -> Array:
        """(J,): which subspaces are lines of non-zero weight."""
        return self.lines & ~self.irreps.fixed

    @cached_property
    def likelihood_weights(self) -> Weights:
        """The weights of all terms of the log likelihood: `irreps`, then 2ω for each line of weight ω ≠ 0."""
        if not self.moving_lines.any():
            return self.irreps
        return Weights(np.concatenate([self.irreps.values, 2 * self.irreps.values[self.moving_lines]]))

    def _density(self, eta: Array) -> Density:
        """The density over s with the parameters η̂ of `likelihood_from`, pooled."""
        return from_harmonics(self.likelihood_weights.pool(eta), self.likelihood_weights.harmonics)

    def likelihood_from(self, u: Array, v: Array) -> Array:
        """η̂_j of the subspaces, then −u²/4σ² of the L lines that move, as `likelihood_weights`: (..., J + L).

        >>> model, x = tsa.fourier_model(8), np.arange(8.0)
        >>> z = model.coordinates(x)
        >>> model.likelihood_from(z, z).shape, len(model.likelihood_weights)
        ((6,), 6)
        """
        eta = self.natural_from(u, v)
        if not self.moving_lines.any():
            return eta
        squares = (u[..., self.moving_lines].real ** 2 / (-4 * self.noise**2)).astype(eta.dtype)
        squares = np.broadcast_to(squares, (*eta.shape[:-1], squares.shape[-1]))
        return checks.finite(np.concatenate([eta, squares], axis=-1), "the natural parameters of the pair")

    def _constant_energy(self, u: Array) -> Array:
        energy = squared_norm(u)
        return energy - squared_norm(u[..., self.moving_lines].real) / 2 if self.moving_lines.any() else energy

    def _mean_energy_share(self, mean: Array) -> Array | float:
        if not self.moving_lines.any():
            return 1.0
        share = np.ones((*mean.shape[:-1], self.subspaces), mean.real.dtype)
        share[..., self.moving_lines] = (1 + mean[..., self.subspaces :].real) / 2  # E[cos² ω·s]
        return share

    def posterior_from(self, u: Array, v: Array, prior: Density | None = None) -> Density:
        """p(s | x, y) from the coordinates u = z(x) and v = z(y).

        >>> model, x = tsa.fourier_model(8), np.arange(8.0)
        >>> u, v = model.coordinates(x), model.coordinates(np.roll(x, 3))
        >>> np.allclose(model.posterior_from(u, v).eta, model.posterior(x, np.roll(x, 3)).eta)
        True
        """
        return fused(self._density(self.likelihood_from(u, v)), prior)

    def _log_ratio(self, eta: Array, prior: Density | None) -> Array:
        fixed = np.sum(eta[..., self.likelihood_weights.fixed].real, axis=-1, dtype=np.float64)
        density = fused(self._density(eta.astype(np.complex128)), prior)
        start = self.parameters * np.log(2 * np.pi) if prior is None else prior.log_normalizer_only()
        return fixed + density.log_normalizer_only() - start

    def _mean_rotation(self, eta: Array, prior: Density | None) -> Array:
        weights = self.likelihood_weights
        return weights.spread(fused(self._density(eta), prior).moments(weights.harmonics))

    # -- x moved by every s, as a series in s ---------------------------------------------------------------

    @cached_property
    def _seen_grid(self) -> SeriesGrid:
        """The harmonics of the log likelihood when part of y is seen: those of the square of a moved patch."""
        return SeriesGrid(tuple(2 * int(k) for k in np.abs(self.irreps.values).max(axis=0)))

    def _moved_at_nodes(self, u: Array) -> Array:
        """ρ_s x at every node of `_seen_grid`, from coordinates u (J,): (D, nodes)."""
        eta = (self.filters * u.conj()).astype(np.complex128)
        fixed, moving = eta[:, self.irreps.fixed].real.sum(axis=1), self.irreps.pool(eta)
        return self._seen_grid.values(fixed, moving.conj() / 2, moving / 2, self.irreps.harmonics).real

    def _seen_energy(self, u: Array, m: Array) -> tuple[Array, Array]:
        """Q(s) = Σ_p m_p (ρ_s x)_p² as a series in s: the mean (...) and the harmonics of `_seen_grid` (..., H)."""
        batch = checks.common_shape("The batches of x and seen", u.shape[:-1], m.shape[:-1])
        flat_u, flat_m = (np.broadcast_to(a, (*batch, a.shape[-1])).reshape(-1, a.shape[-1]) for a in (u, m))
        energy = np.empty((len(flat_u), self._seen_grid.nodes))
        for row, one_u in enumerate(flat_u):
            energy[row] = flat_m[row] @ self._moved_at_nodes(one_u) ** 2
        return self._seen_grid.series(energy.reshape(*batch, self._seen_grid.nodes))


def fused(density: Density, prior: Density | None) -> Density:
    """The density times the prior over s: one of the same group, for every pair or for each."""
    if prior is None:
        return density
    if getattr(prior, "parameters", None) != density.parameters:
        raise InputError(
            f"The prior over s must be a density of {density.parameters} parameters for this model, like "
            f"{type(density).__name__}; got {type(prior).__name__}."
        )
    batch = density.batch_shape
    if isinstance(prior, VonMises) and checks.common_shape("prior and pairs", prior.batch_shape, batch) != batch:
        raise ShapeError(
            f"A VonMises prior over s is one density, or one for each pair; got a batch {prior.batch_shape} for pairs "
            f"{batch}. A density for each subspace is the prior of a Torus, where the phases are free."
        )
    return density.fuse(prior)
