"""The noise σ of highest evidence under the paper's model, in which y alone is noisy: expectation maximisation in σ."""

import numpy as np

from tsa._base import Array
from tsa.model import Subgroup, squared_norm

_MAX_STEPS, _TOLERANCE = 50, 1e-3
_MIN_NOISE = 1e-4  # of the contrast of the patches: an exact model has no σ of highest evidence


def with_fitted_noise(model: Subgroup, x: Array, y: Array) -> tuple[Subgroup, float]:
    """The model with the σ of highest evidence for pairs of patches (n, D), and their mean log evidence.

    σ is in the units of the patches. It counts all that the model does not explain: noise of y, what resampling
    changed, and what lies outside the span of the filters.
    """
    u, v = model.coordinates(x), model.coordinates(y)
    # What the best s leaves over: a little less than the σ² to find, since the posterior has a width.
    left = np.mean(model.distance_from(u, v) ** 2 + np.sum(y**2, axis=1) - squared_norm(v)) / model.dimension
    floor = max(_MIN_NOISE * float(np.sqrt(np.mean(y**2))), 1e-12)
    model = model.with_noise(max(float(np.sqrt(max(left, 0.0))), floor))
    value = -np.inf
    for _ in range(_MAX_STEPS):
        value, _, slope = model.evidence_gradient(x, y)
        ratio = noise_ratio(model, slope / len(x))
        if abs(ratio - 1) < _TOLERANCE or model.noise <= floor:
            break
        model = model.with_noise(max(model.noise * float(np.sqrt(ratio)), floor))
    return model, value / len(x)


def noise_ratio(model: Subgroup, slope: float) -> float:
    """E‖y − act(x, s)‖² / Dσ² under the posterior, from the slope of the mean log evidence in σ.

    σ² times this is the next σ² of expectation maximisation.
    """
    return max(1 + model.noise * slope / model.dimension, 1e-3)
