"""The normaliser against 50 digits, everywhere we claim it holds."""

import mpmath as mp
import numpy as np
import pytest

from tests.density.multiprecision import integral, log_normalizer
from tests.hard import all_eta, fejer, random_eta
from tsa import GeneralizedVonMises, InputError, generalized_bessel
from tsa.density.numerics import certified_nodes

CASES = list(all_eta(np.random.default_rng(0)))
LONG = [c for c in CASES if c[1].size == 64 and np.abs(c[1]).max() > 100]
QUICK = [c for c in CASES if not any(c is other for other in LONG)]


def check(eta):
    density = GeneralizedVonMises(eta)
    truth = log_normalizer(eta)
    error = abs(float(truth - mp.mpf(float(density.log_normalizer))))
    assert error <= 1e-12 * max(1.0, abs(float(truth)))
    assert error <= density.certificate.error
    single = GeneralizedVonMises(eta.astype(np.complex64)).log_normalizer
    assert single.dtype == np.float32
    double = float(GeneralizedVonMises(eta.astype(np.complex64).astype(complex)).log_normalizer)
    assert abs(float(single) - double) <= 1e-5 * max(1.0, abs(double))


@pytest.mark.parametrize(("name", "eta"), QUICK, ids=[c[0] for c in QUICK])
def test_log_normalizer(name, eta):
    check(eta)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "eta"), LONG, ids=[c[0] for c in LONG])
def test_log_normalizer_of_many_sharp_harmonics(name, eta):
    check(eta)


def test_the_oracle_has_converged():
    for eta in (fejer(12, 1e3), random_eta(np.random.default_rng(1), 12, 100.0)):
        assert abs(log_normalizer(eta) - log_normalizer(eta, 1.7)) < mp.mpf(10) ** -28


@pytest.mark.parametrize("kappa", [0.0, 1e-8, 1.0, 300.0, 1e6])
def test_one_harmonic_is_the_bessel_function(kappa):
    truth = mp.log(2 * mp.pi * mp.besseli(0, mp.mpf(kappa)))
    assert abs(float(truth - mp.mpf(float(GeneralizedVonMises([kappa]).log_normalizer)))) <= 1e-12 * max(1, kappa)


def test_the_guarantee_is_tight_and_needed():
    """Far fewer nodes than certified do go wrong: the certificate is not idle."""
    eta = random_eta(np.random.default_rng(2), 12, 100.0)
    n = int(certified_nodes(np.abs(eta)))
    truth = float(log_normalizer(eta))
    s = 2 * np.pi * np.arange(n // 4) / (n // 4)
    energy = (eta.conj() * np.exp(1j * s[:, None] * np.arange(1, 13))).real.sum(-1)
    coarse = energy.max() + np.log(np.exp(energy - energy.max()).mean() * 2 * np.pi)
    assert abs(coarse - truth) > 1e-9


def test_batch_agrees_with_singles_whatever_its_neighbours():
    rng = np.random.default_rng(3)
    eta = random_eta(rng, 12, 1.0, (50,)) * 10 ** rng.uniform(-3, 5, (50, 1))
    batch = GeneralizedVonMises(eta.reshape(5, 10, 12)).log_normalizer
    singles = np.array([GeneralizedVonMises(e).log_normalizer for e in eta])
    np.testing.assert_allclose(batch.ravel(), singles, rtol=1e-14)


def test_moments_and_bessel_functions():
    rng = np.random.default_rng(4)
    eta = random_eta(rng, 4, 3.0)
    density = GeneralizedVonMises(eta)
    moments = density.moments(9)
    z = integral(lambda s, p: p, eta)
    orders = np.arange(-9, 10)
    bessel = generalized_bessel(orders, np.abs(eta), np.angle(eta))
    for n in (0, 1, 4, 9):
        truth = integral(lambda s, p, n=n: p * mp.expj(n * s), eta)
        if n:
            assert abs(complex(truth / z) - moments[n - 1]) < 1e-14
        assert abs(complex(mp.conj(truth) / (2 * mp.pi)) - bessel[9 + n]) < 1e-13 * abs(bessel[9])
    np.testing.assert_allclose(bessel, bessel[::-1].conj(), rtol=1e-15)
    # Z = 2π I_0(κ; e^{−iμ}), eq. GvM_Z
    np.testing.assert_allclose(2 * np.pi * bessel[9].real, np.exp(density.log_normalizer), rtol=1e-13)


def test_bessel_recurrence():
    """2n I_n = Σ_k k κ_k (e^{−iμ_k} I_{n−k} − e^{iμ_k} I_{n+k}): Dattoli's recurrence."""
    rng = np.random.default_rng(5)
    eta = random_eta(rng, 6, 2.0, (3,))
    orders = np.arange(-30, 31)
    value = generalized_bessel(orders, np.abs(eta), np.angle(eta))
    for n in range(-20, 21):
        right = sum(
            k * (eta[:, k - 1].conj() * value[:, 30 + n - k] - eta[:, k - 1] * value[:, 30 + n + k])
            for k in range(1, 7)
        )
        np.testing.assert_allclose(2 * n * value[:, 30 + n], right, atol=1e-12 * np.abs(value).max())


def test_bessel_of_one_variable_is_scipys():
    from scipy.special import iv

    np.testing.assert_allclose(generalized_bessel(np.arange(6), [2.5], [0.0]).real, iv(np.arange(6), 2.5), rtol=1e-13)


def test_overflow_is_said_not_returned():
    with pytest.raises(InputError, match="log_normalizer"):
        generalized_bessel(0, [1000.0], [0.0])
    with pytest.raises(InputError, match="narrower"):
        _ = GeneralizedVonMises([1e30]).log_normalizer
    with pytest.raises(InputError, match="integer"):
        generalized_bessel(0.5, [1.0], [0.0])


@pytest.mark.parametrize("s", [0.2, 1.9, 3.3, 6.2])
def test_cdf(s):
    eta = random_eta(np.random.default_rng(6), 5, 4.0)
    truth = integral(lambda _, p: p, eta, s) / integral(lambda _, p: p, eta)
    assert abs(float(truth) - GeneralizedVonMises(eta).cdf(s)) < 1e-14
