"""The search for σ: its steps against plain formulas, and the σ it finds against all others."""

import numpy as np
import pytest
from scipy import stats

import tsa
from tests.shared.noisy_pairs import noisy_drawings
from tsa.registration import (
    Camera,
    Hyperprior,
    NoisyPlanes,
    PlanePair,
    find_noise,
    noisy_pair,
    pair_posterior,
)
from tsa.registration.noise import _highest, _peak, _unexplained


@pytest.fixture(scope="module")
def planes():
    return NoisyPlanes.of(tsa.load("rotation-16-refined"), Camera(16, 16, "patch"))


def test_three_points_of_the_likelihood_of_a_variance_give_its_maximum():
    """Of samples with standard deviation 0.7: at their own deviation, wherever the three points are."""
    samples = np.random.default_rng(0).normal(scale=0.7, size=50)
    at = np.log(0.5) + 0.3 * np.array([[-1.0], [0.0], [1.0]])
    value = np.array([[stats.norm.logpdf(samples, scale=np.exp(t)).sum()] for t in at[:, 0]])
    own = np.sqrt(np.mean(samples**2))
    assert np.exp(_peak(at, value)[0]) == pytest.approx(own, rel=1e-9)
    # Without a maximum, the better end; a flat one stays.
    rising = _peak(at, np.array([[0.0], [1.0], [2.0]]))
    assert rising[0] == pytest.approx(at[2, 0])
    assert _peak(at, np.zeros((3, 1)))[0] == pytest.approx(at[1, 0])


@pytest.mark.parametrize("spaces", [np.arange(1, 9)[:, None], np.array([[0, 1], [1, 0], [1, -2], [3, 1]])])
def test_the_highest_value_of_a_sum_of_waves(spaces):
    rng = np.random.default_rng(1)
    eta = rng.normal(size=(20, len(spaces))) + 1j * rng.normal(size=(20, len(spaces)))
    eta[0] = 0
    axes = [np.linspace(0, 2 * np.pi, 2000 if spaces.shape[1] == 1 else 300)] * spaces.shape[1]
    s = np.stack(np.meshgrid(*axes), -1).reshape(-1, spaces.shape[1])
    dense = (eta.conj() @ np.exp(1j * spaces @ s.T)).real.max(axis=1)
    found = _highest(eta, spaces)
    assert np.all(found >= dense - 1e-9)
    np.testing.assert_allclose(found, dense, atol=2e-2)


def test_what_a_turn_leaves_unexplained_is_the_noise(planes):
    sigma = _unexplained(planes, noisy_drawings(planes, 0.2, n=40))
    assert np.median(sigma) == pytest.approx(0.2, rel=0.1)


@pytest.mark.parametrize("sigma", [0.05, 0.3])
def test_no_other_noise_has_a_higher_evidence(planes, sigma):
    pair = noisy_drawings(planes, sigma)
    found = find_noise(planes, pair)
    grid = np.geomspace(0.02, 0.8, 60)
    evidence = np.stack(
        [
            pair_posterior(planes, noisy_pair(planes, pair, *np.full((2, 12), s)), Hyperprior()).log_evidence
            for s in grid
        ]
    )
    np.testing.assert_allclose(found, grid[evidence.argmax(axis=0)], rtol=0.15)
    own = pair_posterior(planes, noisy_pair(planes, pair, found, found), Hyperprior()).log_evidence
    assert np.all(own > evidence.max(axis=0) - 0.5)
    # All pairs together: as good as the best σ of the grid.
    shared = find_noise(planes, pair, shared=True)
    assert np.ptp(shared) == 0
    assert shared[0] == pytest.approx(grid[evidence.sum(axis=1).argmax()], rel=0.08)


def test_exact_copies_and_silence_have_a_noise_too(planes):
    x = np.stack([tsa.patch("F", 16), np.zeros(256)])
    found = find_noise(planes, PlanePair.of(planes, x, x))
    assert np.all(np.isfinite(found))
    assert np.all(found > 0)
    assert found[0] < 0.01
