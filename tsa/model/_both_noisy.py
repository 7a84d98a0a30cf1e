"""Noise in x as well as in y (beyond the paper, which has it in y alone).

In subspace j a clean coordinate c_j has power τ_j² in each real dimension; z_j(x) = c_j + noise of variance n_x and
z_j(y) = e^{iω_j·s} c_j + noise of variance n_y. Given x, c_j is normal with mean g_j z_j(x), so that

    p(y | x, s) = N(z_j(y); e^{iω_j·s} g_j z_j(x), v_j),   g_j = τ_j²/(τ_j² + n_x),   v_j = n_y + g_j n_x,

and η_j = conj(z_j(x)) z_j(y) g_j/v_j = conj(z_j(x)) z_j(y) τ_j²/(n_x n_y + τ_j²(n_x + n_y)). Multiplying z_j(x) by
g_j σ/√v_j and z_j(y) by σ/√v_j brings this to the paper's form with noise σ, and all its formulas apply.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError, checks
from tsa.density import Density
from tsa.model._coupled import CoupledModel
from tsa.model._shared import EvidenceGradient, squared_norm


class Whitening(NamedTuple):
    """Factors that bring both coordinates of a pair to the paper's form with noise σ; (J,) or (..., J), float64."""

    gain: Array  # g: the share of z(x) that is not noise
    scale: Array  # σ/√v, of z(y); z(x) has g times that
    n_y: float  # σ²
    dimensions: Array  # (J,): 2, and 1 for a line

    @classmethod
    def of(cls, noise_x: float, power: ArrayLike | None, noise_y: float, lines: Array) -> Self:
        """From the standard deviations of the noise and the power τ² (..., J); None: τ = ∞, nothing is known of x."""
        n_x, n_y = checks.positive(noise_x, "noise_x") ** 2, noise_y**2
        if power is None:
            gain = np.ones(len(lines))
        else:
            tau2 = checks.finite(checks.real(power, "power"), "power").astype(np.float64)
            if tau2.ndim == 0 or tau2.shape[-1] != len(lines):
                raise ShapeError(
                    f"power has an entry for each of the {len(lines)} subspaces in its last axis; got {tau2.shape}."
                )
            if np.any(tau2 < 0):
                raise InputError(f"power is a mean of squares and not negative; got {tau2.min():.3g}.")
            gain = tau2 / (tau2 + n_x)
        return cls(gain, np.sqrt(n_y / (n_y + gain * n_x)), n_y, np.where(lines, 1.0, 2.0))

    def pair(self, u: Array, v: Array) -> tuple[Array, Array]:
        """The coordinates of x and y in the paper's form, in their own precision."""
        return (self.gain * self.scale).astype(u.real.dtype) * u, self.scale.astype(v.real.dtype) * v

    def log_volume(self) -> Array:
        """log |det| of the map z(y) → scaled z(y): what it adds to a log density of y, (...)."""
        return np.asarray((self.dimensions * np.log(self.scale)).sum(axis=-1))

    def noise_slope(self, squares: Array, noise: float) -> Array:
        """d/dσ of the log density of the coordinates of y, from E|scaled z(y) − e^{iωs} scaled z(x)|² (..., J): (...).

        v_j = σ² + g_j n_x and scale² = σ²/v, so the expected square over v is `squares`/σ².
        """
        v = self.n_y / self.scale**2
        return np.asarray(((squares / self.n_y - self.dimensions) * noise / v).sum(axis=-1))


class ScaledPair(NamedTuple):
    """x and y, their coordinates in the paper's form, and how these were scaled."""

    x: Array
    y: Array
    u: Array
    v: Array
    whitening: Whitening


@dataclass(frozen=True, eq=False)
class BothNoisyLikelihood:
    """The likelihood when x has noise of standard deviation `noise_x`, and mean squares `power` (..., J) without it."""

    model: CoupledModel
    noise_x: float
    power: ArrayLike | None

    def pair(self, x: ArrayLike, y: ArrayLike) -> ScaledPair:
        """The pair in the paper's form with noise σ."""
        model = self.model
        x, y, u, v = model._pair(x, y)
        whitening = Whitening.of(self.noise_x, self.power, model.noise, model.lines)
        checks.common_shape("power and the pairs", whitening.gain.shape[:-1], u.shape[:-1], v.shape[:-1])
        return ScaledPair(x, y, *whitening.pair(u, v), whitening)

    def posterior(self, x: ArrayLike, y: ArrayLike, prior: Density | None) -> Density:
        """p(s | x, y)."""
        pair = self.pair(x, y)
        return self.model.posterior_from(pair.u, pair.v, prior)

    def log_evidence(self, x: ArrayLike, y: ArrayLike, prior: Density | None) -> Array:
        """log p(y | x), s integrated out; what y has outside the span of the filters is noise of variance σ²: (...)."""
        return self._log_evidence(self.pair(x, y), prior)

    def _log_evidence(self, pair: ScaledPair, prior: Density | None) -> Array:
        scaled = self.model.log_evidence_from(pair.u, pair.v, self._beyond(pair.y) + squared_norm(pair.v), prior)
        return checks.precision_of(pair.u, scaled + pair.whitening.log_volume())

    def evidence_gradient(self, x: ArrayLike, y: ArrayLike, prior: Density | None) -> EvidenceGradient:
        """The gradient of the log evidence, summed over a batch; `noise_x` and `power` are held fixed."""
        model, pair = self.model, self.pair(x, y)
        whitening = pair.whitening
        evidence = self._log_evidence(pair, prior)
        batch, variance = evidence.shape, model.noise**2
        mean_terms = model._mean_rotation(model.likelihood_from(pair.u, pair.v), prior)
        mean, share = mean_terms[..., : model.subspaces], model._mean_energy_share(mean_terms)
        u, v, mean, share = (np.broadcast_to(a, (*batch, model.subspaces)) for a in (pair.u, pair.v, mean, share))
        # Derivatives in the scaled coordinates, then in those of x and y; the rest of y, ‖y‖² − ‖z(y)‖², loses z(y).
        d_u = whitening.gain * whitening.scale * (mean.conj() * v - share * u) / variance
        d_v = whitening.scale * (mean * u - v) / variance + v / whitening.scale / variance
        columns = [np.broadcast_to(p, (*batch, model.dimension)).reshape(-1, model.dimension).T for p in pair[:2]]
        filters = columns[0] @ d_u.reshape(-1, model.subspaces) + columns[1] @ d_v.reshape(-1, model.subspaces)
        filters[:, model.lines] = filters[:, model.lines].real
        squares = share * np.abs(u) ** 2 + np.abs(v) ** 2 - 2 * (mean.conj() * u.conj() * v).real
        rest = model.dimension - whitening.dimensions.sum()
        noise = whitening.noise_slope(squares, model.noise) + (self._beyond(pair.y) / variance - rest) / model.noise
        return EvidenceGradient(
            float(evidence.sum(dtype=np.float64)),
            checks.precision_of(pair.u, filters),
            float(np.broadcast_to(noise, batch).sum()),
        )

    def _beyond(self, y: Array) -> Array:
        """What y has outside the span of the filters: ‖y‖² − ‖z(y)‖², (...)."""
        return np.sum(y * y, axis=-1, dtype=np.float64) - squared_norm(self.model.coordinates(y))


def noisy_x(noise_x: float) -> bool:
    """Whether x has noise; without it the power of x does not matter, because x is known."""
    if np.ndim(noise_x) or not 0 <= float(noise_x) < np.inf:
        raise InputError(f"noise_x is one standard deviation, 0 or more; got {noise_x!r}.")
    return float(noise_x) > 0
