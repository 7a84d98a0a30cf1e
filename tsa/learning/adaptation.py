"""Fine-tuning a model on pairs: SGD on the evidence of the coupled model. Beyond the paper."""

from collections.abc import Iterator

import numpy as np

from tsa._base import Array
from tsa.learning._sgd import PAIRS_PER_PASS, Pairs
from tsa.model import Subgroup, complex_filters, nearest_orthonormal, real_columns


def fine_tune(
    model: Subgroup, batches: Pairs, *, learning_rate: float = 0.05, learn_noise: bool = True
) -> Iterator[tuple[Subgroup, float]]:
    """SGD on the *coupled* evidence, weights held fixed: yields the model after each batch, and its mean log evidence.

    The paper trains only the decoupled model. Lines stay lines; the step of σ is its own gradient on a logarithmic
    scale.
    """
    for step, (x, y) in enumerate(batches):
        value, gradient, slope = model.evidence_gradient(x.astype(np.float64), y.astype(np.float64))
        rate = learning_rate / np.sqrt(1 + step * len(x) // PAIRS_PER_PASS) / len(x)
        noise = model.noise
        if learn_noise:
            noise *= float(np.exp(np.clip(rate * slope * noise / model.dimension, -0.1, 0.1)))
        model = Subgroup(_moved(model.filters, rate * gradient), model.weights, noise)
        yield model, value / len(x)


def _moved(filters: Array, step: Array) -> Array:
    """filters + step, made orthonormal again; lines stay lines."""
    planes = filters.imag.any(axis=0)
    return complex_filters(nearest_orthonormal(real_columns(filters + np.where(planes, step, step.real))), planes)
