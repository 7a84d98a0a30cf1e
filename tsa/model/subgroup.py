"""A one- or two-parameter subgroup: the phases of all subspaces move together (paper, section 3.3)."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError, checks
from tsa.density import Density, VonMises, from_harmonics
from tsa.model import _window
from tsa.model._both_noisy import Whitening, noisy_x
from tsa.model._shared import EvidenceGradient, PhaseModel, squared_norm
from tsa.model.torus import Torus
from tsa.model.weights import Weight, Weights

_MAX_WEIGHT = 10_000  # periods per turn; the density over s has as many harmonics


@dataclass(frozen=True, eq=False)
class Subgroup(PhaseModel[Density]):
    """A subgroup of p parameters: the phases are φ_j = ω_j·s (paper, section 3.3).

    `weights` are integers (J,), or (J, p) if p > 1; `irreps` is the same as a `Weights`, which folds, orders and pools
    them. The posterior over s is one generalised von Mises density, known for p = 1, 2 and 3.

    A line of non-zero weight (the Nyquist line) belongs to a cyclic group: e^{iω·s} is ±1 at the shifts that exist. In
    between, `act` multiplies the coordinate u of the line by cos ω·s, and so loses some of its energy. Posterior,
    evidence and distance are those of y = act(x, s) plus noise. The square (u cos ω·s)² = u²(1 + cos 2ω·s)/2 adds
    −u²/4σ² to the natural parameter of the harmonic 2ω.

    >>> model = tsa.fourier_model(8, noise=0.5)
    >>> x = np.arange(8.0)
    >>> posterior = model.posterior(x, np.roll(x, 3))
    >>> print((posterior.mode() * 8 / (2 * np.pi)).round(3))
    3.0
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

    def without(self, weights: Collection[Weight]) -> "Subgroup":
        """The model of the other subspaces: those of weight ±ω are left out for each ω in `weights`.

        >>> str(tsa.fourier_model(8).without([0, 4]).irreps)
        '1x1 + 1x2 + 1x3'
        """
        left_out = {one for weight, members in self.irreps.spaces().items() if weight in weights for one in members}
        kept = [j for j in range(self.subspaces) if j not in left_out]
        if not kept:
            raise InputError("No subspace would be left; keep at least one weight.")
        return Subgroup(self.filters[:, kept], self.weights[kept], self.noise)

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

    def posterior(
        self,
        x: ArrayLike,
        y: ArrayLike,
        prior: Density | None = None,
        seen: ArrayLike | None = None,
        noise_x: float = 0.0,
        power: ArrayLike | None = None,
    ) -> Density:
        """p(s | x, y): a `GeneralizedVonMises`, or a `TorusVonMises` for a two-parameter group.

        η⁺_k = Σ_{ω_j=k} η̂_j + Σ_{ω_j=−k} conj(η̂_j), and the squares of lines at 2ω. Several pairs moved by the same
        s: `.fuse_batch()`.

        `seen` (..., D) says how much of each pixel of y is seen: its Gaussian is taken to the power m, between 0 and 1.
        The harmonics then reach twice as far; if nothing is seen the posterior is the prior. The result is exact for
        `act`, whatever the filters. For rotations it is as exact as the model: on digits of which half is seen,
        `rotation-28` is off by 0.2 % of the range of the log likelihood and 0.01° in its mode, `rotation-16-refined`
        by 2 % and 0.2°.

        `noise_x` is the standard deviation of the noise in x; 0 is the paper's form. `power` (..., J) is the mean
        square of the clean coordinates of x in each real dimension, τ_j²; without it every power is taken to be equally
        likely, which is the paper's form at √(σ_x² + σ²). See `tsa.model._both_noisy` for the formulas.

        >>> model, x = tsa.fourier_model(8, noise=0.5), np.cos(np.pi / 2 * np.arange(8))  # of period 4
        >>> angle, mass = model.posterior(x, np.roll(x, 1)).modes()[:2]
        >>> (np.sort(angle) * 8 / (2 * np.pi)).round(3), mass.round(3)
        (array([1., 5.]), array([0.5, 0.5]))
        """
        if noisy_x(noise_x):
            _, _, u, v, _ = self._both_noisy(x, y, seen, noise_x, power)
            return self.posterior_from(u, v, prior)
        if seen is None:
            _, _, u, v = self._pair(x, y)
            return self.posterior_from(u, v, prior)
        pair = self._seen_pair(x, y, seen)
        return _fused(from_harmonics(checks.precision_of(pair.like, pair.eta), self._seen_grid.harmonics), prior)

    def log_likelihood_series(self, x: ArrayLike, y: ArrayLike, seen: ArrayLike) -> tuple[Array, Array]:
        """The part of log p(y | x, s) that changes with s: natural parameters (..., H) and their harmonics (H, p).

        These are the parameters of `posterior(x, y, seen=seen)`, without making a density of them; in proportion to
        1/σ².

        >>> model, x = tsa.fourier_model(8), np.arange(8.0)
        >>> eta, harmonics = model.log_likelihood_series(x, x, seen=np.arange(8) < 4)
        >>> eta.shape, harmonics.shape
        ((8,), (8, 1))
        """
        return self._seen_pair(x, y, seen).eta, self._seen_grid.harmonics

    def posterior_from(self, u: Array, v: Array, prior: Density | None = None) -> Density:
        """p(s | x, y) from the coordinates u = z(x) and v = z(y).

        >>> model, x = tsa.fourier_model(8), np.arange(8.0)
        >>> u, v = model.coordinates(x), model.coordinates(np.roll(x, 3))
        >>> np.allclose(model.posterior_from(u, v).eta, model.posterior(x, np.roll(x, 3)).eta)
        True
        """
        return _fused(self._density(self.likelihood_from(u, v)), prior)

    def stabilizer(self, x: ArrayLike) -> Density:
        """p(s | x, x): the symmetries of x, as a density that does not change when x is moved.

        By any s; by the shifts that exist if there are `moving_lines`.

        >>> model, x = tsa.fourier_model(8), np.cos(np.pi / 2 * np.arange(8))  # of period 4
        >>> (np.sort(model.stabilizer(x).modes()[0]) * 8 / (2 * np.pi)).round(3)
        array([0., 4.])
        """
        return self.posterior(x, x)

    def pooled_norms(self, x: ArrayLike, fixed: bool = False) -> Array:
        """‖η̂⁺_k‖ of x with itself, the energy in each weight space over σ²: (..., H), invariant.

        With `fixed` the energy at weight 0 comes first, (..., 1 + H), and all of them sum to ‖Wᵀx‖²/σ².

        >>> model, x = tsa.fourier_model(8), np.arange(8.0)
        >>> model.pooled_norms(x).round(2)
        array([27.31,  8.  ,  4.69,  2.  ])
        """
        z = self.coordinates(x)
        eta = self.natural_from(z, z)
        norms = np.abs(self.irreps.pool(eta))
        if not fixed:
            return norms
        return np.concatenate([eta[..., self.irreps.fixed].real.sum(axis=-1, keepdims=True), norms], axis=-1)

    def act(self, x: ArrayLike, s: ArrayLike) -> Array:
        """ρ_s x = W R(ω s) Wᵀ x (eq. block_diag_omega_s1); s broadcasts against the batch of x.

        >>> model, x = tsa.fourier_model(8), np.arange(8.0)
        >>> np.allclose(model.act(x, 2 * np.pi / 8 * 3), np.roll(x, 3))
        True
        """
        z, phases = self.coordinates(x), self.irreps.phases(s)
        checks.common_shape("The elements s and the patches x", phases.shape[:-1], z.shape[:-1])
        return self.reconstruct(phases.astype(z.dtype) * z)

    def align(self, x: ArrayLike, y: ArrayLike, prior: Density | None = None) -> Array:
        """The most probable s, argmax p(s | x, y): (...) or (..., 2).

        >>> x = np.arange(8.0)
        >>> print((tsa.fourier_model(8).align(x, np.roll(x, 3)) * 8 / (2 * np.pi)).round(3))
        3.0
        """
        return self.posterior(x, y, prior).mode()

    def distance(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Exact manifold distance min_s ‖z(y) − z(act(x, s))‖ within the span of the filters: (...).

        It is symmetric in x and y unless a line has a non-zero weight: between the shifts that exist, `act` shortens x.

        >>> x = np.arange(8.0)
        >>> tsa.fourier_model(8).distance(x, [np.roll(x, 3), x[::-1]]).round(3)
        array([0.   , 6.237])
        """
        _, _, u, v = self._pair(x, y)
        return self.distance_from(u, v)

    def distance_from(self, u: Array, v: Array) -> Array:
        """The distance of two orbits from the coordinates u = z(x) and v = z(y).

        >>> model, x = tsa.fourier_model(8), np.arange(8.0)
        >>> u, v = model.coordinates(x), model.coordinates(np.roll(x, 3))
        >>> bool(model.distance_from(u, v) < 1e-6)
        True
        """
        eta = self.likelihood_from(u, v)
        # Summed as squares at the best s: the expanded form would lose half the digits of a small distance.
        best = self._density(eta.astype(np.complex128)).mode()
        moved = self.irreps.phases(best) * u
        gap = v - (np.where(self.moving_lines, moved.real, moved) if self.moving_lines.any() else moved)
        return checks.precision_of(eta, np.sqrt(squared_norm(gap)))

    def _log_ratio(self, eta: Array, prior: Density | None) -> Array:
        fixed = np.sum(eta[..., self.likelihood_weights.fixed].real, axis=-1, dtype=np.float64)
        density = _fused(self._density(eta.astype(np.complex128)), prior)
        start = self.parameters * np.log(2 * np.pi) if prior is None else prior.log_normalizer_only()
        return fixed + density.log_normalizer_only() - start

    def _mean_rotation(self, eta: Array, prior: Density | None) -> Array:
        weights = self.likelihood_weights
        return weights.spread(_fused(self._density(eta), prior).moments(weights.harmonics))

    # -- y seen in part: `seen` gives each pixel of y a weight m between 0 and 1 ---------------------------

    def log_evidence(
        self,
        x: ArrayLike,
        y: ArrayLike,
        prior: Density | None = None,
        seen: ArrayLike | None = None,
        noise_x: float = 0.0,
        power: ArrayLike | None = None,
    ) -> Array:
        """log p(y | x), s integrated out, as `Torus.log_evidence`: (...).

        With `seen` a pixel of weight m has its Gaussian taken to the power m, constant included (−½ m log 2πσ²): for
        weights 0 and 1 this is the density of the pixels that are seen. `noise_x` and `power` as for `posterior`; what
        y has outside the span of the filters is noise of variance σ².

        >>> model, x = tsa.fourier_model(8), np.arange(8.0)
        >>> bool(model.log_evidence(x, np.roll(x, 3)) > model.log_evidence(x, x[::-1] ** 2))
        True
        """
        if noisy_x(noise_x):
            _, y, u, v, whitening = self._both_noisy(x, y, seen, noise_x, power)
            evidence = self.log_evidence_from(u, v, _beyond(self, y) + squared_norm(v), prior)
            return checks.precision_of(u, evidence + whitening.log_volume())
        if seen is None:
            return super().log_evidence(x, y, prior)
        pair = self._seen_pair(x, y, seen)
        return checks.precision_of(pair.like, pair.constant + self._log_mean(pair, prior)[0])

    def evidence_gradient(
        self,
        x: ArrayLike,
        y: ArrayLike,
        prior: Density | None = None,
        seen: ArrayLike | None = None,
        noise_x: float = 0.0,
        power: ArrayLike | None = None,
    ) -> EvidenceGradient:
        """The log evidence of a batch, summed, with its gradient in the filters and the noise.

        With `seen` this takes, for each pixel of each pair, FFTs over (4K)^p nodes, K the largest weight. `noise_x` and
        `power` are held fixed.

        >>> model, x = tsa.fourier_model(8), np.eye(8)
        >>> gradient = model.evidence_gradient(x, np.roll(x, 1, axis=1))
        >>> np.allclose(gradient.log_evidence, model.log_evidence(x, np.roll(x, 1, axis=1)).sum())
        True
        """
        if noisy_x(noise_x):
            return self._both_noisy_gradient(x, y, prior, seen, noise_x, power)
        if seen is None:
            return super().evidence_gradient(x, y, prior)
        pair = self._seen_pair(x, y, seen)
        log_mean, density = self._log_mean(pair, prior)
        moments = np.asarray(density.moments(self._seen_grid.harmonics), np.complex128)
        evidence = pair.constant + log_mean
        batch, pairs = evidence.shape, evidence.size
        # E[log p(y | x, s)] under the posterior; all of it but the Gaussian constant falls as 1/σ².
        expected = pair.constant + np.sum((pair.eta.conj() * moments).real, axis=-1)
        total_weight = pair.m.sum(axis=-1)
        squares = -2 * expected - total_weight * np.log(2 * np.pi * self.noise**2)
        noise = np.sum(np.broadcast_to(squares - total_weight, batch)) / self.noise
        rows = (np.broadcast_to(a, (*batch, a.shape[-1])).reshape(pairs, a.shape[-1]) for a in (*pair[:3], moments))
        filters = _window.filter_gradient(self, self.irreps, self._seen_grid, *rows)
        return EvidenceGradient(float(evidence.sum()), checks.precision_of(pair.like, filters), float(noise))

    # -- noise in x too ------------------------------------------------------------------------------------

    def _both_noisy(
        self, x: ArrayLike, y: ArrayLike, seen: ArrayLike | None, noise_x: float, power: ArrayLike | None
    ) -> tuple[Array, Array, Array, Array, Whitening]:
        """x and y, their coordinates in the paper's form, and how these were scaled."""
        if seen is not None:
            raise InputError("noise_x is for pairs that are seen as a whole; give either seen or noise_x.")
        x, y, u, v = self._pair(x, y)
        whitening = Whitening.of(noise_x, power, self.noise, self.lines)
        checks.common_shape("power and the pairs", whitening.gain.shape[:-1], u.shape[:-1], v.shape[:-1])
        return x, y, *whitening.pair(u, v), whitening

    def _both_noisy_gradient(
        self,
        x: ArrayLike,
        y: ArrayLike,
        prior: Density | None,
        seen: ArrayLike | None,
        noise_x: float,
        power: ArrayLike | None,
    ) -> EvidenceGradient:
        x, y, u, v, whitening = self._both_noisy(x, y, seen, noise_x, power)
        evidence = self.log_evidence(x, y, prior, None, noise_x, power)
        batch, variance = evidence.shape, self.noise**2
        mean_terms = self._mean_rotation(self.likelihood_from(u, v), prior)
        mean, share = mean_terms[..., : self.subspaces], self._mean_energy_share(mean_terms)
        u, v, mean, share = (np.broadcast_to(a, (*batch, self.subspaces)) for a in (u, v, mean, share))
        # Derivatives in the scaled coordinates, then in those of x and y; the rest of y, ‖y‖² − ‖z(y)‖², loses z(y).
        d_u = whitening.gain * whitening.scale * (mean.conj() * v - share * u) / variance
        d_v = whitening.scale * (mean * u - v) / variance + v / whitening.scale / variance
        columns = [np.broadcast_to(p, (*batch, self.dimension)).reshape(-1, self.dimension).T for p in (x, y)]
        filters = columns[0] @ d_u.reshape(-1, self.subspaces) + columns[1] @ d_v.reshape(-1, self.subspaces)
        filters[:, self.lines] = filters[:, self.lines].real
        squares = share * np.abs(u) ** 2 + np.abs(v) ** 2 - 2 * (mean.conj() * u.conj() * v).real
        rest = self.dimension - whitening.dimensions.sum()
        noise = whitening.noise_slope(squares, self.noise) + (_beyond(self, y) / variance - rest) / self.noise
        return EvidenceGradient(
            float(evidence.sum(dtype=np.float64)),
            checks.precision_of(u, filters),
            float(np.broadcast_to(noise, batch).sum()),
        )

    @cached_property
    def _seen_grid(self) -> _window.SeriesGrid:
        """The harmonics of the log likelihood when part of y is seen: those of the square of a moved patch."""
        return _window.SeriesGrid(tuple(2 * int(k) for k in np.abs(self.irreps.values).max(axis=0)))

    def _seen_pair(self, x: ArrayLike, y: ArrayLike, seen: ArrayLike) -> _window.SeenPair:
        """log p(y | x, s) as a series in s."""
        x, y = self._patches(x, y)
        like, m = x, _window.checked(seen, self.dimension)
        batch = checks.common_shape("The batches of x, y and seen", x.shape[:-1], y.shape[:-1], m.shape[:-1])
        x, y = x.astype(np.float64, copy=False), y.astype(np.float64, copy=False)
        u, v, variance = self._coordinates(x), self._coordinates(m * y), self.noise**2
        linear = self.natural_from(u, v)
        mean_energy, energy = self._seen_energy(u, m)
        eta = np.broadcast_to(energy / (-2 * variance), (*batch, energy.shape[-1])).copy()
        eta[..., self._seen_grid.index(self.irreps.harmonics)] += self.irreps.pool(linear)
        squares = np.sum(m * y * y, axis=-1) + mean_energy
        constant = np.sum(linear[..., self.irreps.fixed].real, axis=-1) - squares / (2 * variance)
        constant = constant - m.sum(axis=-1) / 2 * np.log(2 * np.pi * variance)
        return _window.SeenPair(x, y, m, like, constant, checks.finite(eta, "the natural parameters of the pair"))

    def _seen_energy(self, u: Array, m: Array) -> tuple[Array, Array]:
        """Σ_p m_p |(ρ_s x)_p|² as a series in s: the mean (...) and the harmonics of `_seen_grid` (..., H)."""
        return _window.energy_series(self, self.irreps, self._seen_grid, u, m)

    def _log_mean(self, pair: _window.SeenPair, prior: Density | None) -> tuple[Array, Density]:
        """Log of the mean over the prior of exp(the moving part of the series), and the posterior."""
        density = _fused(from_harmonics(pair.eta, self._seen_grid.harmonics), prior)
        start = self.parameters * np.log(2 * np.pi) if prior is None else prior.log_normalizer_only()
        return density.log_normalizer_only() - start, density


def _beyond(model: Subgroup, y: Array) -> Array:
    """What y has outside the span of the filters: ‖y‖² − ‖z(y)‖², (...)."""
    return np.sum(y * y, axis=-1, dtype=np.float64) - squared_norm(model.coordinates(y))


def _fused(density: Density, prior: Density | None) -> Density:
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
