"""The posterior over s of two noisy patches of the same thing, whatever is pictured: a mixture over its spectra.

Also the evidence of the pair, with the picture, its spectrum and s summed over, and the evidence of the alternatives
that the two patches have little or nothing to do with each other.
"""

from typing import Any, NamedTuple, cast

import numpy as np
from scipy.special import logsumexp

from tsa._base import Array
from tsa.density import Mixture, from_harmonics
from tsa.registration.hyperprior import Hyperprior, NoisyPair
from tsa.registration.planes import NoisyPlanes

_MIN_SIGNAL = 0.02  # of the energy of a pair: what is not noise is taken to be at least this
_WHOLE_SHARE = 0.25  # of the energy of a whole patch, counted in what resampling changes
_TINY = 1e-30  # of squares of grey values
_FLOOR = 1e-9  # of the energy of a pair: exact copies would otherwise have no noise at all


class PairPosterior(NamedTuple):
    """B pairs: the posterior over s, and log p(x, y) if y is x moved, in natural units."""

    density: Mixture
    log_evidence: Array


class PlanePair(NamedTuple):
    """B pairs of patches in the planes: coordinates of x and y (B, J), and the mean of ‖x‖² and ‖y‖² (B,).

    `gain_y` (J,) is the noise gain of y where it differs from that of x, `planes.noise_gain`.
    """

    x: Array
    y: Array
    whole: Array
    gain_y: Array

    @classmethod
    def of(cls, planes: NoisyPlanes, x: Array, y: Array, gain_y: Array | None = None) -> "PlanePair":
        """From patches (B, D)."""
        whole = ((x * x).sum(axis=1) + (y * y).sum(axis=1)) / 2
        gain_y = planes.noise_gain if gain_y is None else gain_y
        return cls(planes.coordinates(x), planes.coordinates(y), whole, gain_y)

    def rows(self, index: Any) -> "PlanePair":
        """The pairs in these rows."""
        return self._replace(x=self.x[index], y=self.y[index], whole=self.whole[index])


def noisy_pair(planes: NoisyPlanes, pair: PlanePair, noise_x: Array, noise_y: Array) -> NoisyPair:
    """Pairs with their noise: standard deviations (B,), and what resampling changes, which a clean picture has too."""
    u, v, whole, gain_y = pair
    energy = ((np.abs(u) ** 2 + np.abs(v) ** 2).sum(axis=1) / 2)[:, None]
    n_x = np.asarray(noise_x, np.float64)[:, None] ** 2 * planes.noise_gain
    n_y = np.asarray(noise_y, np.float64)[:, None] ** 2 * gain_y
    signal = np.maximum(energy - (n_x + n_y).sum(axis=1, keepdims=True), _MIN_SIGNAL * energy) + _TINY
    # Resampling also spoils what does not move, and puts it into planes that do: the corners of a polygon, say.
    still = whole[:, None] - (n_x + n_y).mean(axis=1, keepdims=True) / 2 * planes.pixels
    spoilt = np.maximum(signal, _WHOLE_SHARE * still)
    extra = planes.resampled * spoilt / 2 + _FLOOR * energy / planes.noise_gain.size + _TINY
    return NoisyPair(u, v, n_x + extra, n_y + extra, signal)


def pair_posterior(
    planes: NoisyPlanes, pair: NoisyPair, hyperprior: Hyperprior, likeness: float = 1.0
) -> PairPosterior:
    """p(s | x, y) for B pairs, and how well they are explained; `likeness` as in `given_power`."""
    found = hyperprior.hypotheses(planes, pair, likeness)
    components = cast(Any, from_harmonics(found.eta, found.harmonics))
    mixture = Mixture.from_exponents(components, found.level)
    uniform = planes.weights.parameters * np.log(2 * np.pi)
    return PairPosterior(mixture, mixture.log_normalizer - uniform)


def log_evidence(planes: NoisyPlanes, pair: NoisyPair, hyperprior: Hyperprior, likeness: float = 1.0) -> Array:
    """log p(x, y) of B pairs, (B,)."""
    if not likeness:  # nothing depends on s
        return np.asarray(logsumexp(hyperprior.hypotheses(planes, pair, 0.0).level, axis=1))
    return pair_posterior(planes, pair, hyperprior, likeness).log_evidence
