"""Filters of an action that is not exact, from pairs with unknown s: those of its projections, by regression."""

import numpy as np
import pytest
from scipy.stats import ortho_group

from tsa.learning.discovery._completion import refined_by_projections

PLANES = np.array([[1], [2], [4]])


def _filters(size):
    filters = np.zeros((size, len(PLANES)), np.complex128)
    for j in range(len(PLANES)):
        filters[2 * j, j], filters[2 * j + 1, j] = 1, 1j
    return filters


def _pairs(n, damped, noise=0.02):
    """Planes of R⁷ that turn, each with a length that falls to `damped`, and a line; by brute force."""
    rng = np.random.default_rng(0)
    s, seen = rng.uniform(0, 2 * np.pi, n), ortho_group.rvs(7, random_state=1)
    x, y = rng.standard_normal((n, 7)), np.zeros((n, 7))
    y[:, 6] = x[:, 6]
    for j, (weight,) in enumerate(PLANES):
        cos, sin, length = np.cos(weight * s), np.sin(weight * s), (1 + damped * j) / (1 + j)
        y[:, 2 * j] = length * (cos * x[:, 2 * j] - sin * x[:, 2 * j + 1])
        y[:, 2 * j + 1] = length * (sin * x[:, 2 * j] + cos * x[:, 2 * j + 1])
    y += noise * rng.standard_normal(y.shape)
    return x @ seen, y @ seen, seen


def _start(seen, error):
    line = np.zeros((7, 1))
    line[6] = 1
    filters = seen.T @ np.concatenate([_filters(7), line], axis=1)
    turned = ortho_group.rvs(7, random_state=2)
    generator = turned - turned.T
    return np.linalg.solve(np.eye(7) - error * generator, (np.eye(7) + error * generator) @ filters)


def test_planes_that_lose_energy_are_found_from_an_inexact_start():
    x, y, seen = _pairs(4000, damped=0.5)
    weights = np.concatenate([PLANES, [[0]]])
    filters, found = refined_by_projections(x[:3000], y[:3000], x[3000:], y[3000:], _start(seen, 0.03), weights, 0.05)
    assert sorted(found.ravel().tolist()) == [0, 1, 2, 4]
    for f, (weight,) in zip(filters.T, found, strict=True):
        j = {1: 0, 2: 1, 4: 2, 0: 3}[weight]
        true = seen[2 * j : 2 * j + (2 if j < 3 else 1)].T
        columns = np.stack([f.real, f.imag], axis=1)[:, : true.shape[1]]
        assert np.linalg.svd(true.T @ columns, compute_uv=False).min() > 0.9995


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_an_exact_action_keeps_its_filters(noise):
    x, y, seen = _pairs(2000, damped=1.0, noise=noise)
    weights = np.concatenate([PLANES, [[0]]])
    assert refined_by_projections(x[:1500], y[:1500], x[1500:], y[1500:], _start(seen, 0), weights, 0.05) is None
