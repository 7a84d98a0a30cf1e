"""One circle, κ from 0 to 1e20, against 50 digits."""

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

from tsa import GeneralizedVonMises, InputError, ShapeError, VonMises

mp.mp.dps = 50
KAPPAS = [0.0, 1e-8, 0.5, 30.0, 999.0, 1001.0, 1e5, 1e8, 3e9, 1e14, 1e20]


@pytest.mark.parametrize("kappa", KAPPAS)
def test_against_mpmath(kappa):
    density = VonMises.from_conventional(mu=0.7, kappa=kappa)
    k = mp.mpf(float(density.kappa))
    log_z = mp.log(2 * mp.pi * mp.besseli(0, k))
    ratio = mp.besseli(1, k) / mp.besseli(0, k)
    assert abs(float(log_z - mp.mpf(float(density.log_normalizer)))) <= 1e-14 * max(1, kappa)
    assert abs(float(log_z - mp.mpf(float(density.log_normalizer)))) <= density.certificate.error
    np.testing.assert_allclose(density.entropy(), float(log_z - k * ratio), rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(density.std(), float(mp.sqrt(-2 * mp.log(ratio))) if kappa else np.inf, rtol=1e-13)
    for n in (1, 2, 7):
        np.testing.assert_allclose(np.abs(density.moment(n)), float(mp.besseli(n, k) / mp.besseli(0, k)), rtol=1e-12)
    for phi in (0.7, 0.7 + 1 / np.sqrt(kappa + 1), 3.0):
        truth = k * mp.cos(mp.mpf(phi) - mp.mpf(float(density.mu))) - log_z
        assert abs(float(truth) - density.log_density(phi)) <= 1e-12 * max(1, abs(float(truth)))


@pytest.mark.parametrize("kappa", KAPPAS[1:])
def test_kl(kappa):
    p, q = VonMises.from_conventional(mu=0.2, kappa=kappa), VonMises.from_conventional(mu=0.201, kappa=1.5 * kappa)
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
    density = VonMises.from_conventional(mu=[0.3, -2.0], kappa=[2.0, 5.0])
    np.testing.assert_allclose(density.kappa, [2.0, 5.0])
    np.testing.assert_allclose(density.mu, [0.3, -2.0])
    np.testing.assert_allclose(density.fuse(density).kappa, [4.0, 10.0])


@pytest.mark.parametrize("phase", [0.0, 0.1, 1.0, 2.5, -3.0])
def test_divergence_of_sharp_densities_does_not_depend_on_the_phase(phase):
    """KL([1e12] ‖ [1.01e12]) = (x − log(1 + x))/2 with x = 0.01, up to 1/κ."""
    p, q = VonMises(1e12 * np.exp(1j * phase)), VonMises(1.01e12 * np.exp(1j * phase))
    assert p.kl(q) == pytest.approx((0.01 - np.log1p(0.01)) / 2, rel=1e-9)


@pytest.mark.parametrize("kappa", [0.0, 2.0, 300.0, 0.9e6, 1.1e6, 1e10, 1e14])
@pytest.mark.parametrize("mu", [0.0, 1.0])
def test_samples(kappa, mu):
    """Draws from [0, 2π) follow the cdf; turned by half a standard deviation or 3 % wider they do not."""
    density = VonMises.from_conventional(mu=mu, kappa=kappa)
    draws = density.sample(20_000, rng=0)
    assert np.all((draws >= 0) & (draws < 2 * np.pi))
    np.testing.assert_array_equal(draws, density.sample(20_000, rng=0))
    from_mean = np.mod(draws - mu + np.pi, 2 * np.pi) - np.pi
    if kappa < 1e5:
        law, unit = GeneralizedVonMises([kappa]).cdf, 1.0
        from_mean = np.mod(from_mean, 2 * np.pi)
    else:  # 2√κ sin(φ/2) is normal up to 1/8κ, far below what 20,000 draws can show
        law, unit = stats.norm.cdf, 2 * np.sqrt(kappa)
        from_mean = unit * np.sin(from_mean / 2)
    assert stats.kstest(from_mean, law).pvalue > 1e-3
    if kappa:
        width = 1.0 if unit > 1.0 else 1 / np.sqrt(kappa)
        assert stats.kstest(from_mean + width / 20, law).pvalue < 1e-3


def test_rejection_loses_no_draws():
    """Just above κ = 1e6, where most are rejected: every place of a large batch is filled, with unit variance."""
    draws = VonMises(np.full(100_000, 1.0000001e6)).sample(3, rng=1)
    assert np.isfinite(draws).all()
    u = 2e3 * np.sin(draws / 2) * np.sign(np.cos(draws / 2))
    assert u.var() == pytest.approx(1.0, abs=5 * np.sqrt(2 / u.size))


@pytest.mark.parametrize("kappa", [1e-6, 0.3, 5.0, 1e3, 1e8, 1e14])
def test_diffusion_multiplies_the_first_moment(kappa):
    """Against a root found with 50 digits; in the sharp limit variances add."""
    step = 7.0 if kappa < 100 else kappa / 2
    predicted = VonMises.from_conventional(mu=0.4, kappa=kappa).diffuse(step)

    def ratio(k):
        return mp.besseli(1, k) / mp.besseli(0, k)

    target = ratio(mp.mpf(kappa)) * ratio(mp.mpf(step))
    truth = mp.findroot(lambda k: mp.log(ratio(k) / target), mp.mpf(float(predicted.kappa)))
    assert float(predicted.kappa) == pytest.approx(float(truth), rel=1e-9 if kappa < 1e-3 else 1e-12)
    assert float(predicted.mu) == pytest.approx(0.4)
    if kappa > 1e7:
        assert float(predicted.kappa) == pytest.approx(kappa / 3, rel=1e-6)


@pytest.mark.parametrize("kappa", [0.0, 1e-200, 0.5, 39.0, 41.0, 1e4, 1e9, 1e14])
def test_fisher_information(kappa):
    """Along μ the variance of cos, across it that of sin; turned by μ."""
    info = VonMises.from_conventional(mu=0.6, kappa=kappa).fisher_information()
    k = mp.mpf(kappa)
    ratio = mp.besseli(1, k) / mp.besseli(0, k)
    across = ratio / k if kappa else mp.mpf(1) / 2
    turn = np.array([[np.cos(0.6), -np.sin(0.6)], [np.sin(0.6), np.cos(0.6)]])
    found = turn.T @ info @ turn
    assert found[0, 0] == pytest.approx(float(1 - across - ratio**2), rel=1e-11, abs=1e-15 * float(across))
    assert found[1, 1] == pytest.approx(float(across), rel=1e-13)
    assert found[0, 1] == pytest.approx(0.0, abs=1e-15)


def test_precision_is_kept():
    density = VonMises(np.array([1 + 1j, 0], np.complex64))
    answers = (density.kappa, density.mu, density.log_normalizer, density.entropy(), density.sample(3, 0))
    assert all(a.dtype == np.float32 for a in (*answers, density.log_density(0.5), density.kl(density)))
    assert density.moment(2).dtype == np.complex64


def test_bad_input():
    with pytest.raises(InputError, match="finite"):
        VonMises([1.0, np.nan])
    with pytest.raises(InputError, match="negative"):
        VonMises.from_conventional(mu=0.0, kappa=-1.0)
    with pytest.raises(InputError, match="numbers"):
        VonMises(["one"])
    with pytest.raises(InputError, match="whole number"):
        VonMises(1.0).sample(-1)
    with pytest.raises(InputError, match="whole number"):
        VonMises(1.0).moment(1.5)
    with pytest.raises(ShapeError, match="fit together"):
        VonMises.from_conventional(mu=np.zeros(2), kappa=np.ones(3))
    two, three = VonMises([1, 1]), VonMises([1, 1, 1])
    for question in (lambda: two.log_density(np.zeros(3)), lambda: two.fuse(three), lambda: two.kl(three)):
        with pytest.raises(ShapeError, match="fit together"):
            question()
    assert VonMises(np.empty((0, 3))).log_normalizer.shape == (0, 3)
