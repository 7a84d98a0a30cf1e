"""Errors modulo the stabiliser, and scores of ambiguous answers with known values."""

import numpy as np
import pytest
from scipy.special import i0

import tsa
from tsa import ambiguity_score, angular_error


def test_the_error_is_to_the_nearest_equivalent_turn():
    """Against the minimum over all equivalent turns and full circles."""
    rng = np.random.default_rng(0)
    estimate, truth = rng.uniform(-9, 9, (2, 200))
    for n in (1, 2, 3, 7):
        turns = 2 * np.pi / n * np.arange(-4 * n, 4 * n + 1)
        nearest = np.abs(estimate - truth + turns[:, None]).min(axis=0)
        np.testing.assert_allclose(angular_error(estimate, truth, n), nearest, atol=1e-12)
    assert (angular_error(estimate, truth, 0) == 0).all()
    assert angular_error(np.float32(1), np.float32(2)).dtype == np.float32
    with pytest.raises(tsa.ShapeError):
        angular_error(np.ones(3), np.ones(2))
    with pytest.raises(tsa.InputError, match="symmetry"):
        angular_error(1.0, 2.0, -1)


def test_all_turns_named():
    """A density with n equal peaks: κ − log I₀(κ) nats over the uniform one, in closed form."""
    for n in (1, 2, 5):
        eta = np.zeros(n, complex)
        eta[-1] = 30 * np.exp(0.7j * n)
        score = ambiguity_score(tsa.GeneralizedVonMises(eta), 0.7, n)
        assert np.isclose(score.log_likelihood, 30 - np.log(i0(30)), atol=1e-6)
        assert score.named == 1
        assert np.isclose(score.spread, np.sqrt(2 / np.pi / 30) / n, rtol=0.02)


def test_one_of_two_turns_named():
    density = tsa.VonMises.from_conventional(mu=0.7, kappa=30.0)
    score = ambiguity_score(density, 0.7, 2)
    assert score.named == 0.5
    assert np.isclose(score.log_likelihood, -np.log(i0(30)), atol=1e-6)  # (κ − κ)/2 − log I₀(κ)
    uniform = ambiguity_score(np.ones(360), 0.7, 2)
    assert np.isclose(uniform.log_likelihood, 0)
    assert np.isclose(uniform.spread, np.pi / 4, rtol=1e-3)


def test_other_methods_are_scored_by_their_values():
    values = np.random.default_rng(1).random((3, 360))
    density = tsa.GeneralizedVonMises(np.full((3, 2), 1.0 + 1j))
    angles = np.radians(np.arange(360))
    score = ambiguity_score(5 * density.density(angles[:, None]).T, [0.1, 0.2, 0.3], 3)
    ours = ambiguity_score(density, [0.1, 0.2, 0.3], 3)
    for a, b in zip(score, ours, strict=True):
        np.testing.assert_allclose(a, b, atol=2e-3)
    assert ambiguity_score(values, 0.0, 0).spread.max() == 0
    for bad in (-values, np.zeros(9), 1.0, tsa.TorusVonMises([1.0], [[1, 0]])):
        with pytest.raises(tsa.InputError):
            ambiguity_score(bad, 0.0)


def test_posteriors_of_shapes_name_their_turns():
    model = tsa.load("rotation-16-refined").with_noise(0.3)
    for name, n in (("bar", 2), ("triangle", 3), ("F", 1)):
        x, y = tsa.patch(name, 16), tsa.patch(name, 16, 0.6)
        score = ambiguity_score(model.posterior(x, y), 0.6, n)
        assert score.named == 1
        assert score.log_likelihood > 1
