"""Noise in x as well as in y (beyond the paper, which has it in y alone).

In subspace j a clean coordinate c_j has power τ_j² in each real dimension; z_j(x) = c_j + noise of variance n_x and
z_j(y) = e^{iω_j·s} c_j + noise of variance n_y. Given x, c_j is normal with mean g_j z_j(x), so that

    p(y | x, s) = N(z_j(y); e^{iω_j·s} g_j z_j(x), v_j),   g_j = τ_j²/(τ_j² + n_x),   v_j = n_y + g_j n_x,

and η_j = conj(z_j(x)) z_j(y) g_j/v_j = conj(z_j(x)) z_j(y) τ_j²/(n_x n_y + τ_j²(n_x + n_y)). Multiplying z_j(x) by
g_j σ/√v_j and z_j(y) by σ/√v_j brings this to the paper's form with noise σ, and all its formulas apply.
"""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError, checks


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


def noisy_x(noise_x: float) -> bool:
    """Whether x has noise; without it the power of x does not matter, because x is known."""
    if np.ndim(noise_x) or not 0 <= float(noise_x) < np.inf:
        raise InputError(f"noise_x is one standard deviation, 0 or more; got {noise_x!r}.")
    return float(noise_x) > 0
