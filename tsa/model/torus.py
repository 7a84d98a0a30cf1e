"""The maximal torus: every subspace has a phase of its own (paper, section 3)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import i0e

from tsa._base import Array, InputError, ShapeError, checks
from tsa.density import TwoPointVonMises, VonMises, mean_rotation
from tsa.model._shared import PhaseModel


@dataclass(frozen=True, eq=False, repr=False)
class Torus(PhaseModel[VonMises]):
    """The maximal torus: every subspace has a phase of its own (paper, section 3).

    `filters` is complex (D, J) with orthonormal real and imaginary parts, `noise` is σ. On a line the only
    orthogonal maps are ±1, so its phase is 0 or π: the posterior is the von Mises law restricted to those two,
    and its normaliser is cosh where a plane has I₀.

    >>> torus = tsa.fourier_model(8, noise=0.5).torus
    >>> x = np.arange(8.0)
    >>> torus.posterior(x, np.roll(x, 1)).mode().shape  # a phase for each subspace
    (5,)
    """

    def __init__(self, filters: ArrayLike, noise: float = 1.0) -> None:
        super().__init__(filters, noise)

    def posterior(self, x: ArrayLike, y: ArrayLike, prior: VonMises | None = None) -> VonMises:
        """p(φ | x, y) = ∏_j VonMises(η̂_j), η̂_j = η_j + conj(z_j(x)) z_j(y)/σ² (eq. posterior_params): (..., J).

        With lines it is a `TwoPointVonMises`, which has the same methods: the phase of a line is 0 or π.

        >>> torus, x = tsa.fourier_model(8).torus, np.arange(8.0)
        >>> torus.posterior(x, np.roll(x, 1)).kappa.shape
        (5,)
        """
        _, _, u, v = self._pair(x, y)
        return self.posterior_from(u, v, prior)

    def posterior_from(self, u: Array, v: Array, prior: VonMises | None = None) -> VonMises:
        """p(φ | x, y) from the coordinates u = z(x) and v = z(y).

        >>> torus, x = tsa.fourier_model(8).torus, np.arange(8.0)
        >>> u, v = torus.coordinates(x), torus.coordinates(np.roll(x, 3))
        >>> np.allclose(torus.posterior_from(u, v).eta, torus.posterior(x, np.roll(x, 3)).eta)
        True
        """
        eta = self._with_prior(self.natural_from(u, v), prior)
        return TwoPointVonMises(eta, self.lines) if self.lines.any() else VonMises(eta)

    def stabilizer(self, x: ArrayLike) -> VonMises:
        """p(φ | x, x), with mode 0 and concentrations κ̂: the symmetries of x, unchanged when x is moved: (..., J).

        >>> torus, x = tsa.fourier_model(8).torus, np.arange(8.0)
        >>> np.allclose(torus.stabilizer(x).kappa, torus.invariants(x))
        True
        """
        return self.posterior(x, x)

    def act(self, x: ArrayLike, phases: ArrayLike) -> Array:
        """W R(φ) Wᵀ x: each coordinate z_j turned by its phase φ_j; phases (..., J) broadcast against the batch of x.

        On a line, where only 0 and π are elements of the torus, the real part of e^{iφ} is taken.

        >>> torus, x = tsa.fourier_model(8).torus, np.arange(8.0)
        >>> np.allclose(torus.act(x, np.zeros(torus.subspaces)), x)
        True
        """
        z = self.coordinates(x)
        phi = checks.finite(checks.real(phases, "phases"), "phases")
        if phi.ndim == 0 or phi.shape[-1] != self.subspaces:
            raise ShapeError(f"A torus of {self.subspaces} subspaces has as many phases (last axis); got {phi.shape}.")
        checks.common_shape("The phases and the patches", phi.shape, z.shape)
        return self.reconstruct(np.exp(1j * phi).astype(z.dtype) * z)

    def distance(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Distance of the two orbits within the span of the filters (eq. manifold_dist_maximal_torus): (...).

        d² = Σ_j (|z_j(x)| − |z_j(y)|)², which is 2σ² times the squared Hellinger distance of the κ̂.

        >>> torus, x = tsa.fourier_model(8).torus, np.arange(8.0)
        >>> bool(torus.distance(x, np.roll(x, 3)) < 1e-6)
        True
        """
        _, _, u, v = self._pair(x, y)
        return self.distance_from(u, v)

    def distance_from(self, u: Array, v: Array) -> Array:
        """The distance of two orbits from the coordinates u = z(x) and v = z(y).

        >>> torus, x = tsa.fourier_model(9).torus, np.arange(9.0)
        >>> u, v = torus.coordinates(x), torus.coordinates(np.roll(x, 3))
        >>> bool(torus.distance_from(u, v) < 1e-6)
        True
        """
        gap = np.abs(u) - np.abs(v)
        return checks.finite(np.sqrt(np.sum(gap * gap, axis=-1)), "the distance of the patches")

    def _with_prior(self, eta: Array, prior: VonMises | None) -> Array:
        if prior is None:
            return eta
        if not isinstance(prior, VonMises):
            raise InputError(f"The prior of a Torus is a VonMises of shape (..., J); got {type(prior).__name__}.")
        checks.common_shape("The prior and the subspaces", prior.eta.shape, eta.shape)
        return eta + prior.eta.astype(eta.dtype)

    def _log_ratio(self, eta: Array, prior: VonMises | None) -> Array:
        ratio = self._log_normalizers(self._with_prior(eta, prior))
        if prior is not None:
            ratio = ratio - self._log_normalizers(np.broadcast_to(prior.eta, (*prior.eta.shape[:-1], self.subspaces)))
        return ratio

    def _log_normalizers(self, eta: Array) -> Array:
        """Σ_j log I₀(|η_j|) over planes + log cosh(Re η_j) over lines."""
        kappa = np.abs(np.where(self.lines, eta.real, eta)).astype(np.float64)
        planes = np.log(i0e(kappa))
        lines = np.log1p(np.exp(-2 * kappa)) - np.log(2)
        return np.sum(kappa + np.where(self.lines, lines, planes), axis=-1)

    def _mean_rotation(self, eta: Array, prior: VonMises | None) -> Array:
        total = self._with_prior(eta, prior)
        return np.where(self.lines, np.tanh(total.real), mean_rotation(total))
