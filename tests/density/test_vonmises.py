"""One circle, κ from 0 to 1e8, against 50 digits."""

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

from tsa import GeneralizedVonMises, InputError, VonMises

KAPPAS = [0.0, 1e-8, 0.5, 30.0, 999.0, 1001.0, 1e5, 1e8]


@pytest.mark.parametrize("kappa", KAPPAS)
def test_against_mpmath(kappa):
    density = VonMises.from_conventional(0.7, kappa)
    k = mp.mpf(float(density.kappa))
    log_z = mp.log(2 * mp.pi * mp.besseli(0, k))
    ratio = mp.besseli(1, k) / mp.besseli(0, k)
    assert abs(float(log_z - mp.mpf(float(density.log_normalizer)))) <= 1e-14 * max(1, kappa)
    np.testing.assert_allclose(density.entropy(), float(log_z - k * ratio), rtol=1e-12)
    for n in (1, 2, 7):
        np.testing.assert_allclose(np.abs(density.moment(n)), float(mp.besseli(n, k) / mp.besseli(0, k)), rtol=1e-12)
    for phi in (0.7, 0.7 + 1 / np.sqrt(kappa + 1), 3.0):
        truth = k * mp.cos(mp.mpf(phi) - mp.mpf(float(density.mu))) - log_z
        assert abs(float(truth) - density.log_density(phi)) <= 1e-12 * max(1, abs(float(truth)))


@pytest.mark.parametrize("kappa", KAPPAS[1:])
def test_kl(kappa):
    p, q = VonMises.from_conventional(0.2, kappa), VonMises.from_conventional(0.2 + 1e-3, 1.5 * kappa)
    a, b = mp.mpf(float(p.kappa)), mp.mpf(float(q.kappa))
    ratio = mp.besseli(1, a) / mp.besseli(0, a)
    gap = mp.mpf(float(p.mu)) - mp.mpf(float(q.mu))
    truth = mp.log(mp.besseli(0, b) / mp.besseli(0, a)) + ratio * (a - b * mp.cos(gap))
    np.testing.assert_allclose(p.kl(q), float(truth), rtol=1e-9, atol=1e-16)
    assert p.kl(p) == pytest.approx(0.0, abs=1e-15)


def test_is_the_one_harmonic_case():
    eta = np.array([0.0, 0.3 - 2j, 40j, -1e4])
    one, general = VonMises(eta), GeneralizedVonMises(eta[:, None])
    phi = np.linspace(0, 6, 7)[:, None]
    np.testing.assert_allclose(one.log_normalizer, general.log_normalizer, rtol=1e-13)
    np.testing.assert_allclose(one.log_density(phi), general.log_density(phi), rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(one.entropy(), general.entropy(), atol=1e-10)
    np.testing.assert_allclose(one.moment(1), general.moments(1)[:, 0], atol=1e-14)
    np.testing.assert_allclose(one.kl(VonMises(1.0)), general.kl(GeneralizedVonMises([1.0])), rtol=1e-11, atol=1e-14)


def test_parameters_round_trip():
    density = VonMises.from_conventional([0.3, -2.0], [2.0, 5.0])
    np.testing.assert_allclose(density.kappa, [2.0, 5.0])
    np.testing.assert_allclose(density.mu, [0.3, -2.0])
    np.testing.assert_allclose(density.fuse(density).kappa, [4.0, 10.0])


@pytest.mark.parametrize("kappa", [0.0, 2.0, 300.0])
def test_samples(kappa):
    density = VonMises.from_conventional(1.0, kappa)
    draws = density.sample(20_000, rng=0)
    law = GeneralizedVonMises([complex(density.eta)]).cdf
    assert stats.kstest(np.mod(draws, 2 * np.pi), law).pvalue > 1e-3
    assert stats.kstest(np.mod(draws + 0.05, 2 * np.pi), law).pvalue < (1e-3 if kappa else 2)
    np.testing.assert_array_equal(draws, density.sample(20_000, rng=0))


def test_precision_is_kept():
    density = VonMises(np.array([1 + 1j, 0], np.complex64))
    answers = (density.kappa, density.mu, density.log_normalizer, density.entropy(), density.sample(3, 0))
    assert all(a.dtype == np.float32 for a in (*answers, density.log_density(0.5), density.kl(density)))
    assert density.moment(2).dtype == np.complex64


def test_bad_input():
    with pytest.raises(InputError, match="finite"):
        VonMises([1.0, np.nan])
    with pytest.raises(InputError, match="negative"):
        VonMises.from_conventional(0.0, -1.0)
    with pytest.raises(InputError, match="numbers"):
        VonMises(["one"])
    assert VonMises(np.empty((0, 3))).log_normalizer.shape == (0, 3)
