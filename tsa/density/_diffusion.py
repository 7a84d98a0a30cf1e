"""Prediction: where a point is after a random step, as a density of the same family (moment matching)."""

from typing import TypeVar

import numpy as np

from tsa._base import Array, ConvergenceError, checks
from tsa.density._shared import in_double, with_eta
from tsa.density.numerics import Statistics, bessel_ratio, matching_eta
from tsa.density.protocol import Density

D = TypeVar("D", bound=Density)

_TOLERANCE = 1e-15  # of the match, relative to 1 + Σκ nats: moments to about 1e-8
_LARGEST_LACK = 1e-4  # nats between the density found and the one that has the predicted moments


def diffused(density: D, harmonics: Array, kappa: float, statistics_of: Statistics) -> D:
    """The density after each coordinate made an independent step with density VonMises(κ).

    The moment at k is multiplied by Π_a I_{k_a}(κ)/I₀(κ); the result has these moments at its own `harmonics` (M, p).
    """
    kappa = checks.positive(kappa, "kappa")
    eta = density.eta.astype(np.complex128)
    moments = in_double(density).moments(harmonics)
    # A first guess by variances: the sharpest feature, of variance v, widens to v + 1/κ.
    with np.errstate(divide="ignore"):
        variance = -2 * np.log(np.abs(moments)) / (harmonics**2).sum(axis=1)
    narrowest = np.min(variance, axis=-1, initial=np.inf)
    guess = eta * (1 / (1 + 1 / (kappa * np.maximum(narrowest, 1e-300))))[..., None]
    wanted = moments * bessel_ratio(np.abs(harmonics), kappa).prod(axis=1)
    predicted, lacking = matching_eta(wanted, guess, statistics_of, _TOLERANCE)
    result = with_eta(density, predicted.astype(density.eta.dtype))
    if lacking.max(initial=0.0) > _LARGEST_LACK:
        raise ConvergenceError(
            f"The predicted moments were matched only to {lacking.max():.1e} nats (expected: {_LARGEST_LACK:.0e}): the "
            "density is so sharp that rounding hides its shape. `estimate` of this error is the best density found.",
            estimate=result,
        )
    return result
