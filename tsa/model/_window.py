"""y seen in part: a weight m_p between 0 and 1 for each pixel (the aperture problem).

A pixel of weight m contributes the Gaussian N(y_p; (ρ_s x)_p, σ²) to the power m, so that

    log p_m(y | x, s) = −Σ_p m_p (y_p − (ρ_s x)_p)²/2σ² − ½ Σ_p m_p log 2πσ².

Each pixel of ρ_s x is a trigonometric polynomial in s, of degree K, the largest weight. So the log likelihood is one of
degree 2K, and the posterior stays in the family: its natural parameters are those of the pair (x, m·y), plus −1/2σ²
times the Fourier coefficients of Q(s) = Σ_p m_p (ρ_s x)_p², which is constant only if everything is seen and no line
moves.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError, checks
from tsa.density import Density, from_harmonics
from tsa.model._coupled import CoupledModel, fused
from tsa.model._shared import EvidenceGradient


class SeenPair(NamedTuple):
    """x, y and m in double precision, and log p_m(y | x, s) as a series in s; `like` has the precision to answer in."""

    x: Array
    y: Array
    m: Array
    like: Array
    constant: Array
    eta: Array


@dataclass(frozen=True, eq=False)
class WindowLikelihood:
    """The likelihood when only part of y is `seen` (..., D), for a model of any filters."""

    model: CoupledModel
    seen: ArrayLike

    def pair(self, x: ArrayLike, y: ArrayLike) -> SeenPair:
        """log p(y | x, s) as a series in s."""
        model = self.model
        x, y = model._patches(x, y)
        like, m = x, _checked(self.seen, model.dimension)
        batch = checks.common_shape("The batches of x, y and seen", x.shape[:-1], y.shape[:-1], m.shape[:-1])
        x, y = x.astype(np.float64, copy=False), y.astype(np.float64, copy=False)
        u, v, variance = model._coordinates(x), model._coordinates(m * y), model.noise**2
        linear = model.natural_from(u, v)
        mean_energy, energy = model._seen_energy(u, m)
        eta = np.broadcast_to(energy / (-2 * variance), (*batch, energy.shape[-1])).copy()
        eta[..., model._seen_grid.index(model.irreps.harmonics)] += model.irreps.pool(linear)
        squares = np.sum(m * y * y, axis=-1) + mean_energy
        constant = np.sum(linear[..., model.irreps.fixed].real, axis=-1) - squares / (2 * variance)
        constant = constant - m.sum(axis=-1) / 2 * np.log(2 * np.pi * variance)
        return SeenPair(x, y, m, like, constant, checks.finite(eta, "the natural parameters of the pair"))

    def posterior(self, x: ArrayLike, y: ArrayLike, prior: Density | None) -> Density:
        """p(s | x, y), with harmonics that reach twice as far as those of the model."""
        pair = self.pair(x, y)
        return fused(from_harmonics(checks.precision_of(pair.like, pair.eta), self.model._seen_grid.harmonics), prior)

    def log_evidence(self, x: ArrayLike, y: ArrayLike, prior: Density | None) -> Array:
        """log p_m(y | x), s integrated out: (...)."""
        pair = self.pair(x, y)
        return checks.precision_of(pair.like, pair.constant + self._log_mean(pair, prior)[0])

    def evidence_gradient(self, x: ArrayLike, y: ArrayLike, prior: Density | None) -> EvidenceGradient:
        """The gradient of the log evidence, summed over a batch; for each pixel of each pair FFTs over all nodes."""
        pair, sigma = self.pair(x, y), self.model.noise
        log_mean, density = self._log_mean(pair, prior)
        moments = np.asarray(density.moments(self.model._seen_grid.harmonics), np.complex128)
        evidence = pair.constant + log_mean
        batch, pairs = evidence.shape, evidence.size
        # E[log p(y | x, s)] under the posterior; all of it but the Gaussian constant falls as 1/σ².
        expected = pair.constant + np.sum((pair.eta.conj() * moments).real, axis=-1)
        total_weight = pair.m.sum(axis=-1)
        squares = -2 * expected - total_weight * np.log(2 * np.pi * sigma**2)
        noise = np.sum(np.broadcast_to(squares - total_weight, batch)) / sigma
        rows = (np.broadcast_to(a, (*batch, a.shape[-1])).reshape(pairs, a.shape[-1]) for a in (*pair[:3], moments))
        filters = self._filter_gradient(*rows)
        return EvidenceGradient(float(evidence.sum()), checks.precision_of(pair.like, filters), float(noise))

    def _log_mean(self, pair: SeenPair, prior: Density | None) -> tuple[Array, Density]:
        """Log of the mean over the prior of exp(the moving part of the series), and the posterior."""
        density = fused(from_harmonics(pair.eta, self.model._seen_grid.harmonics), prior)
        start = self.model.parameters * np.log(2 * np.pi) if prior is None else prior.log_normalizer_only()
        return density.log_normalizer_only() - start, density

    def _filter_gradient(self, x: Array, y: Array, m: Array, moments: Array) -> Array:
        """The gradient of Σ log p_m(y | x) in the filters, (D, J), for pairs in rows and moments (n, H).

        With the gaps g_p(s) = m_p (y_p − (ρ_s x)_p)/σ² and R_pj = E[g_p e^{iω_j·s}] under the posterior it is
        R_pj u_j + x_p Σ_q f_qj conj(R_qj): ρ_s x = Σ_j Re(conj(f_j) e^{iω_j·s} u_j) holds f_j itself and u_j = f_jᵀx.
        """
        model, grid = self.model, self.model._seen_grid
        gradient = np.zeros((model.dimension, model.subspaces), np.complex128)
        node_weights = grid.node_weights(moments)
        for row, u in enumerate(model.coordinates(x)):
            pull = m[row][:, None] * node_weights[row] / model.noise**2
            gap = y[row][:, None] - model._moved_at_nodes(u)
            expected = grid.expectations(pull * gap, model.irreps.values)
            gradient += expected * u + np.outer(x[row], (model.filters * expected.conj()).sum(axis=0))
        gradient[:, model.lines] = gradient[:, model.lines].real
        return gradient


def _checked(seen: ArrayLike, dimension: int) -> Array:
    """The weights m (..., D) in double precision."""
    m = checks.finite(checks.real(seen, "seen"), "seen")
    if m.ndim == 0 or m.shape[-1] != dimension:
        raise ShapeError(f"seen must have a weight for each of the {dimension} pixels of y; got shape {m.shape}.")
    if np.any((m < 0) | (m > 1)):
        raise InputError(
            f"seen must lie between 0 (a pixel of y is hidden) and 1 (it is seen); got {m.min():.3g} to {m.max():.3g}."
        )
    return m.astype(np.float64)
