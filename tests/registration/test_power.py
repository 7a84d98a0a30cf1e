"""The power of a clean picture from a noisy pair: against quadrature over powers and turns, and by its coverage."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

import tsa
from tests.hard import TURN, random_filters
from tsa import Subgroup, estimate_power
from tsa.experiments import registration
from tsa.registration import covered


@pytest.mark.parametrize("noise_x", [None, 0.9])
def test_its_wave_is_the_first_harmonic_of_the_sum_over_powers(noise_x):
    rng = np.random.default_rng(0)
    model = Subgroup(random_filters(rng, 12, 4), [2, -2, 3, 0], 0.5)
    x, y = rng.normal(size=(2, 3, 12))
    power = estimate_power(model, x, y, noise_x)
    assert power.shape == (3, 4)
    np.testing.assert_array_equal(power[:, 0], power[:, 1])  # of one weight
    n_y, n_x = 0.25, 0.25 if noise_x is None else noise_x**2
    u, v = model.coordinates(x), model.coordinates(y)
    phi = np.linspace(0, TURN, 4001)
    rungs = [(0.5, 0.0)] + [(0.5 / 15, t * np.sqrt(n_x * n_y)) for t in np.logspace(-3, 4, 15)]
    for i in range(3):
        for members in ([0, 1], [2]):
            f = np.zeros(len(phi))
            for weight, tau2 in rungs:
                factor = weight
                for j in members:  # the joint normal law of both coordinates, at a turn of phi in this weight
                    b = v[i, j] * np.exp(-1j * phi * np.sign(model.weights[j]))
                    joint = np.array([[tau2 + n_x, tau2], [tau2, tau2 + n_y]])
                    inverse = np.linalg.inv(joint)
                    square = inverse[0, 0] * abs(u[i, j]) ** 2 + inverse[1, 1] * abs(b) ** 2
                    square = square + 2 * inverse[0, 1] * (u[i, j].conj() * b).real
                    factor = factor * np.exp(-square / 2) / np.linalg.det(joint)
                f += factor
            first = trapezoid(np.log(f) * np.exp(1j * phi), phi) / np.pi
            eta = model.posterior(x[i], y[i], noise_x=np.sqrt(n_x), power=power[i]).eta
            assert eta[abs(model.weights[members[0]]) - 1] == pytest.approx(first, abs=1e-4)


def test_silence_and_content():
    """Nothing but noise has little power; what is far above the noise has its own."""
    model = Subgroup(random_filters(np.random.default_rng(1), 6, 2), [1, 2], 0.1)
    x = model.reconstruct(np.array([30.0 + 0j, 0.01]))
    loud, quiet = estimate_power(model, x, x)
    assert loud > 10
    assert quiet < 0.1**2
    assert np.all(estimate_power(model, np.zeros(6), x) == 0)


@pytest.mark.slow
def test_a_single_density_covers_where_the_paper_does_not():
    model = tsa.load("rotation-16-refined").with_noise(0.2)
    pairs = registration.make_pairs(registration.kinds()["shapes"], 16, 120, seed=4)
    x, y = registration.noisy_patches(pairs, (0.2, 0.2))
    both = model.posterior(x, y, noise_x=0.2, power=estimate_power(model, x, y))
    assert covered(both, pairs.turn, 0.95)[0].mean() > 0.91
    assert covered(model.posterior(x, y), pairs.turn, 0.95)[0].mean() < 0.6  # the paper: noise in y alone
