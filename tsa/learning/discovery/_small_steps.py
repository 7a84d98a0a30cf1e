"""Groups seen through small steps (neighbouring frames): the mean action shows planes and weights at once.

E[y xᵀ]C⁻¹ is normal with eigenvalues E[e^{iω_j s}]. If s stays small these are far from 0, their eigenvectors are the
planes, and their angles are multiples of the mean step. For one parameter only: with more, the angles need not be
multiples of one number.
"""

from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.learning.discovery._planes import nearest_filters
from tsa.learning.discovery._whitening import mean_action

_MIN_MEAN_SQUARE = 0.3  # of the eigenvalues that turn, from which steps count as small
_CHANCE_DRAWS = 1000
_UNITS = np.linspace(1.4, 0.2, 1000)  # of the smallest angle, tried as common unit


class SmallSteps(NamedTuple):
    """Filters (d, J) and weights (J, 1) from small steps, and the share of random angles that fit integers as well."""

    filters: Array
    weights: Array
    chance: float


def steps_are_small(x: Array, y: Array) -> bool:
    """Whether the mean action turns planes, instead of averaging them away."""
    values = mean_action(x, y)[0]
    values = values[np.abs(values.imag) > 6 / np.sqrt(len(x))]
    return bool(values.size > 2 and np.mean(np.square(np.abs(values))) > _MIN_MEAN_SQUARE)


def planes_of_small_steps(x: Array, y: Array) -> SmallSteps:
    """Planes and weights of a one-parameter group from whitened pairs (n, d) with small steps."""
    values, vectors = np.linalg.eig(np.linalg.solve(x.T @ x, x.T @ y).T)
    moving = values.imag > 1.5 / np.sqrt(len(x))
    angles = np.angle(values[moving])
    unit, fit = _common_unit(angles)
    random = np.random.default_rng(0).uniform(angles.min(), angles.max(), (_CHANCE_DRAWS, len(angles)))
    random[:, 0] = angles.min()
    weights = np.rint(angles / unit).astype(np.int64)[:, None]
    filters = nearest_filters(vectors[:, moving].conj() * np.sqrt(2))
    return SmallSteps(filters, weights, float(np.mean(_common_unit(random)[1] >= fit)))


def _common_unit(angles: Array) -> tuple[Array, Array]:
    """The largest unit of which the angles (..., J) are multiples, and the mean cosine of what is left over."""
    units = angles.min(axis=-1, keepdims=True) * _UNITS
    fit = np.cos(2 * np.pi * angles[..., None, :] / units[..., None]).mean(axis=-1)
    near = np.argmax(fit > 0.9 * fit.max(axis=-1, keepdims=True), axis=-1)[..., None]
    fit = np.where(np.abs(units / np.take_along_axis(units, near, -1) - 1) < 0.1, fit, 0.0)
    best = fit.argmax(axis=-1)[..., None]
    return np.take_along_axis(units, best, -1)[..., 0], np.take_along_axis(fit, best, -1)[..., 0]
