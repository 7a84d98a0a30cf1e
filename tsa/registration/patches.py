"""`register_patches`: as `register`, for patches and any subgroup: shifts in one and two dimensions, learned groups."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, checks
from tsa.density import Mixture
from tsa.model import Subgroup
from tsa.registration.hyperprior import Hyperprior
from tsa.registration.noise import find_noise, pairs_of_patches
from tsa.registration.odds import Odds
from tsa.registration.planes import Camera, NoisyPlanes
from tsa.registration.posterior import noisy_pair, pair_posterior


@dataclass(frozen=True, eq=False)
class PatchRegistration:
    """The elements s that take patches x to patches y, for each pair of the batch (...).

    `posterior` is the density over s, `noise` (...) is σ in x and in y.
    """

    posterior: Mixture
    noise: Array
    _odds: Odds = field(repr=False)

    @cached_property
    def z_score(self) -> Array:
        """(...): the signed root of twice the log odds that y is x moved, found when it is first asked for.

        The alternative is another picture of the same kind: below −`DECIDED` nothing explains the pair.
        """
        return self._odds.z_scores.reshape(self.noise.shape)


def register_patches(
    model: Subgroup,
    x: ArrayLike,
    y: ArrayLike,
    *,
    noise: float | None = None,
    hyperprior: Hyperprior | None = None,
    camera: Camera | None = None,
) -> PatchRegistration:
    """By which s are patches y (..., D) moved against patches x, if both are noisy?

    `noise` is σ in both; it is estimated from each pair if not given. It is white on the patches, unless `camera` says
    how they were made from pictures.

    >>> model, rng = tsa.fourier_model(32), np.random.default_rng(0)
    >>> x = np.cumsum(rng.normal(size=32))
    >>> found = tsa.register_patches(model, x, np.roll(x, 5), noise=0.1)
    >>> print((found.posterior.mode() * 32 / (2 * np.pi)).round(1))
    5.0
    """
    planes = NoisyPlanes.of(model, camera)
    pair, batch = pairs_of_patches(model, planes, x, y)
    known = None if noise is None else np.full(len(pair.x), checks.positive(noise, "noise"))
    sigma = find_noise(planes, pair) if known is None else known
    density = pair_posterior(planes, noisy_pair(planes, pair, sigma, sigma), hyperprior or Hyperprior()).density
    places = np.arange(len(pair.x)).reshape(batch)
    return PatchRegistration(density[places], sigma.reshape(batch), Odds(planes, pair, sigma, known is not None))
