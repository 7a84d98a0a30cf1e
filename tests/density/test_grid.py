"""`GridDensity` against the density it was sampled from."""

import numpy as np
import pytest

import tsa
from tsa.density import GridDensity


def sampled(eta, n=256):
    """A generalised von Mises density, and its values on a grid."""
    density = tsa.GeneralizedVonMises(np.asarray(eta, complex))
    angles = 2 * np.pi * np.arange(n) / n
    values = np.moveaxis(density.density(angles.reshape(n, *(1,) * len(density.batch_shape))), 0, -1)
    return density, GridDensity(values * (2 * np.pi / n))


ETA = [[1.0, 4.0j, 0.5], [20.0, 3.0, -2.0j], [0.1, 0.0, 6.0]]


def test_values_moments_and_entropy():
    exact, grid = sampled(ETA)
    s = np.random.default_rng(0).uniform(0, 7, (5, 3))
    assert np.allclose(grid.density(s), exact.density(s), atol=1e-12)
    assert np.allclose(grid.moments([0, 1, -2, 9]), exact.moments([0, 1, -2, 9]))
    assert np.allclose(grid.entropy(), exact.entropy())
    assert np.allclose(np.exp(1j * grid.mean()), np.exp(1j * exact.mean()))
    assert np.allclose(grid.std(), exact.std())


def test_modes_and_sets():
    exact, grid = sampled(ETA)
    assert np.allclose(grid.mode(), exact.mode(), atol=1e-4)
    ours, theirs = grid.modes(), exact.modes()
    assert np.allclose(ours.angle, theirs.angle, atol=1e-3, equal_nan=True)
    assert np.allclose(ours.mass, theirs.mass, atol=1e-3)
    for p in (0.5, 0.95):
        assert np.allclose(grid.credible_set(p), exact.credible_set(p), atol=4e-3, equal_nan=True)
    s = exact.sample(4000, 1)
    assert np.allclose(grid.contains(s).mean(axis=0), 0.95, atol=0.015)


def test_samples_have_the_density():
    exact, grid = sampled(ETA[0])
    assert exact.watson_u2(grid.sample(3000, 2)).pvalue > 0.01


def test_a_uniform_density_has_one_arc():
    grid = GridDensity(np.full(64, 1 / 64))
    assert np.allclose(grid.credible_set(), [[0, 2 * np.pi]])
    assert np.isnan(grid.mean())


def test_two_parameters():
    exact = tsa.TorusVonMises([2.0, 1.0j, 0.5], [[1, 0], [0, 1], [1, -1]])
    grid = GridDensity(exact.grid(64, 48) * (2 * np.pi) ** 2 / (64 * 48), 2)
    s = np.random.default_rng(0).uniform(0, 7, (5, 2))
    assert np.allclose(grid.density(s), exact.density(s))
    assert np.allclose(grid.moments([[1, 0], [1, -1]]), exact.moments([[1, 0], [1, -1]]))
    assert np.allclose(grid.mode(), exact.mode(), atol=0.1)
    assert np.allclose(grid.marginal(1).density(0.3), exact.marginal(1, 1000)[..., [48]], atol=0.01)
    assert np.allclose((grid.masses * grid.credible_set(0.9)).sum(), 0.9, atol=0.01)
    assert grid.sample(7, 0).shape == (7, 2)


def test_single_precision_and_batches():
    _, grid = sampled(ETA)
    single = GridDensity(grid.masses.astype(np.float32))
    assert single.density(1.0).dtype == single.mode().dtype == single.credible_set().dtype == np.float32
    assert len(single) == 3
    assert single[1].batch_shape == ()
    assert [one.sides for one in single] == [(256,)] * 3
    assert "batch (3,), 256 points" in repr(single)


@pytest.mark.parametrize("masses", [np.ones(4), [-1.0, 2.0], [np.nan, 1.0], 1.0, []])
def test_what_is_no_density_is_refused(masses):
    with pytest.raises(tsa.InputError):
        GridDensity(masses)
