"""A one- or two-parameter subgroup: the phases of all subspaces move together (paper, section 3.3)."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, checks
from tsa.density import Density
from tsa.model._both_noisy import BothNoisyLikelihood, noisy_x
from tsa.model._coupled import CoupledModel
from tsa.model._shared import EvidenceGradient, squared_norm
from tsa.model._window import WindowLikelihood
from tsa.model.torus import Torus
from tsa.model.weights import Weight


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Subgroup(CoupledModel):
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

    @cached_property
    def torus(self) -> Torus:
        """The same filters without the coupling."""
        return Torus(self.filters, self.noise)

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
        likelihood = self._likelihood_of(seen, noise_x, power)
        if likelihood is not None:
            return likelihood.posterior(x, y, prior)
        _, _, u, v = self._pair(x, y)
        return self.posterior_from(u, v, prior)

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
        likelihood = self._likelihood_of(seen, noise_x, power)
        if likelihood is not None:
            return likelihood.log_evidence(x, y, prior)
        return super().log_evidence(x, y, prior)

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
        likelihood = self._likelihood_of(seen, noise_x, power)
        if likelihood is not None:
            return likelihood.evidence_gradient(x, y, prior)
        return super().evidence_gradient(x, y, prior)

    def _likelihood_of(
        self, seen: ArrayLike | None, noise_x: float, power: ArrayLike | None
    ) -> WindowLikelihood | BothNoisyLikelihood | None:
        """The likelihood that these arguments ask for; None: the paper's, with all of y seen and noise in y alone."""
        if not noisy_x(noise_x):
            return None if seen is None else WindowLikelihood(self, seen)
        if seen is not None:
            raise InputError("noise_x is for pairs that are seen as a whole; give either seen or noise_x.")
        return BothNoisyLikelihood(self, noise_x, power)

    def log_likelihood_series(self, x: ArrayLike, y: ArrayLike, seen: ArrayLike) -> tuple[Array, Array]:
        """The part of log p(y | x, s) that changes with s: natural parameters (..., H) and their harmonics (H, p).

        These are the parameters of `posterior(x, y, seen=seen)`, without making a density of them; in proportion to
        1/σ².

        >>> model, x = tsa.fourier_model(8), np.arange(8.0)
        >>> eta, harmonics = model.log_likelihood_series(x, x, seen=np.arange(8) < 4)
        >>> eta.shape, harmonics.shape
        ((8,), (8, 1))
        """
        return WindowLikelihood(self, seen).pair(x, y).eta, self._seen_grid.harmonics

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
