"""Densities fitted to points: maximum likelihood, standard errors, order by BIC, goodness of fit."""

import mpmath as mp
import numpy as np
import pytest
from scipy import optimize, stats

from tests.hard import TURN, random_eta, symmetric
from tsa import ConvergenceError, GeneralizedVonMises, InputError, ShapeError, TorusVonMises, VonMises
from tsa.density.numerics import fitted_pvalue, known_pvalue, watson_u2
from tsa.density.numerics._watson import _tail

FREQUENCIES = np.array([[0, 1], [1, -1], [1, 0], [2, 1]])


def strong_eta(rng, K, batch=()):
    """Random parameters none of which is so weak that a sample of 5,000 could not show it."""
    eta = random_eta(rng, K, 0.8, batch)
    return eta * np.maximum(1.0, 0.3 / np.abs(eta))


def log_likelihood(density, points, weights=None):
    terms = density.log_density(points)
    return float((terms if weights is None else weights * terms).sum())


def test_the_likelihood_is_highest():
    """Against an optimiser that knows the log density alone."""
    rng = np.random.default_rng(0)
    angles = GeneralizedVonMises(strong_eta(rng, 2)).sample(300, rng)
    fit = GeneralizedVonMises.fit(angles, 2)

    def loss(parameters):
        return -log_likelihood(GeneralizedVonMises(parameters.view(complex)), angles)

    found = optimize.minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-6})
    np.testing.assert_allclose(fit.density.eta, found.x.view(complex), atol=1e-5)
    assert fit.log_likelihood == pytest.approx(log_likelihood(fit.density, angles), abs=1e-9)
    assert fit.log_likelihood == pytest.approx(-found.fun, abs=1e-8)
    assert fit.bic == {2: pytest.approx(2 * found.fun + 4 * np.log(300))}
    assert (fit.harmonics, fit.count) == (2, 300)
    # The Fisher information is the curvature of the likelihood.
    steps = 1e-3 * np.eye(4)
    curvature = [[loss(fit.density.eta.view(float) + a + b) for a in steps] for b in steps]
    sides = np.array([loss(fit.density.eta.view(float) + a) for a in steps])
    hessian = (np.array(curvature) - sides[:, None] - sides + loss(fit.density.eta.view(float))) / 1e-6
    np.testing.assert_allclose(np.linalg.inv(hessian), fit.covariance, rtol=0.02, atol=2e-4)


@pytest.mark.parametrize("kind", ["circle", "one harmonic", "torus"])
def test_weights_count_observations(kind):
    rng = np.random.default_rng(1)
    truth = {"circle": GeneralizedVonMises([1, 0.5j]), "one harmonic": VonMises(2 - 1j)}
    truth["torus"] = TorusVonMises([1, 0.5j, 1, 0.3], FREQUENCIES)
    points, weights = truth[kind].sample(60, rng), rng.integers(0, 4, 60)

    def fit(points, weights=None):
        if kind == "one harmonic":
            return VonMises.fit(points, weights)
        if kind == "circle":
            return GeneralizedVonMises.fit(points, 2, weights)
        return TorusVonMises.fit(points, FREQUENCIES, weights)

    weighted, repeated = fit(points, weights), fit(np.repeat(points, weights, axis=0))
    np.testing.assert_allclose(weighted.density.eta, repeated.density.eta, atol=1e-9)
    assert weighted.log_likelihood == pytest.approx(repeated.log_likelihood, abs=1e-9)
    assert weighted.log_likelihood == pytest.approx(log_likelihood(weighted.density, points, weights), abs=1e-9)
    assert weighted.count == weights.sum()
    for mine, theirs in zip(weighted.standard_errors, repeated.standard_errors, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6)
    assert not np.allclose(weighted.density.eta, fit(points).density.eta)


def test_one_harmonic_has_the_moment_of_the_sample():
    """η = κe^{iμ} of highest likelihood: μ is the direction of the mean of e^{is}, I₁(κ)/I₀(κ) its length."""
    angles = VonMises([3j, 0.2, -40]).sample(200, rng=2)
    one, general = VonMises.fit(angles), GeneralizedVonMises.fit(angles, 1)
    means = np.exp(1j * angles).mean(axis=0)
    for row, (mean, length) in enumerate(zip(means, np.abs(means), strict=True)):
        kappa = mp.findroot(lambda k, r=length: mp.besseli(1, k) / mp.besseli(0, k) - r, one.density.kappa[row])
        for eta in (one.density.eta[row], general.density.eta[row, 0]):
            assert eta == pytest.approx(float(kappa) * np.exp(1j * np.angle(mean)), rel=1e-9)
    np.testing.assert_allclose(one.log_likelihood, one.density.log_density(angles).sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(one.log_likelihood, general.log_likelihood, rtol=1e-12)
    for mine, theirs in zip(one.standard_errors, general.standard_errors, strict=True):
        np.testing.assert_allclose(mine, theirs[:, 0], rtol=1e-6)
    np.testing.assert_allclose(one.goodness_of_fit().pvalue, general.goodness_of_fit().pvalue, rtol=1e-6)


@pytest.mark.parametrize("harmonics", [None, 1, "bic"])
@pytest.mark.parametrize("kappa", [1e4, 1e9, 1e14])
def test_one_harmonic_at_any_concentration(kappa, harmonics):
    angles = VonMises.from_conventional(mu=0.1, kappa=kappa).sample(10_000, rng=3)
    fit = GeneralizedVonMises.fit(angles, harmonics) if harmonics else VonMises.fit(angles)
    assert fit.harmonics == 1
    assert np.abs(np.angle(np.exp(1j * (fit.density.mean() - 0.1)))) < 4 * fit.standard_errors.mu
    assert np.abs(fit.density.kappa - kappa) < 4 * fit.standard_errors.kappa
    assert fit.standard_errors.kappa == pytest.approx(kappa * np.sqrt(2 / 10_000), rel=0.05)


@pytest.mark.parametrize("kappa", [10.0, 1e12, 1e16, 1e18])
@pytest.mark.parametrize("step", [10.0, 1e14, 1e18])
def test_a_random_step_of_a_sharp_density(kappa, step):
    """Lengths of first moments multiply: their logarithms add, in 60 digits."""
    eta = kappa * np.exp(0.3j)
    after = [VonMises(eta).diffuse(step).eta, GeneralizedVonMises([eta]).diffuse(step).eta[0]]
    with mp.workdps(60):

        def log_length(k):
            return mp.log(mp.besseli(1, mp.mpf(float(k))) / mp.besseli(0, mp.mpf(float(k))))

        lost = log_length(kappa) + log_length(step)
        for found in after:
            assert float(log_length(abs(found)) / lost) == pytest.approx(1.0, rel=1e-12)
            assert np.angle(found) == pytest.approx(0.3)


def test_many_samples_at_once():
    rng = np.random.default_rng(4)
    density = GeneralizedVonMises(strong_eta(rng, 3, (2, 2)))
    angles = density.sample(100, rng)
    together = GeneralizedVonMises.fit(angles, 3)
    assert together.density.batch_shape == together.log_likelihood.shape == (2, 2)
    assert together.standard_errors.mu.shape == (2, 2, 3)
    pvalues = together.goodness_of_fit().pvalue
    assert pvalues.shape == (2, 2)
    for i, j in np.ndindex(2, 2):
        alone = GeneralizedVonMises.fit(angles[:, i, j], 3)
        np.testing.assert_allclose(together.density.eta[i, j], alone.density.eta, atol=1e-9)
        np.testing.assert_allclose(together.standard_errors.kappa[i, j], alone.standard_errors.kappa, rtol=1e-6)
        np.testing.assert_allclose(pvalues[i, j], alone.goodness_of_fit().pvalue, atol=1e-6)
    single = GeneralizedVonMises.fit(angles.astype(np.float32), 3)
    assert single.density.eta.dtype == np.complex64
    np.testing.assert_allclose(single.density.eta, together.density.eta, atol=1e-4)


@pytest.mark.slow
def test_standard_errors():
    """200 samples of 5,000, K = 1…6: 99 % of the estimates within 3 standard errors, which are not too large either."""
    rng = np.random.default_rng(5)
    natural, conventional = [], []
    for K in range(1, 7):
        eta = strong_eta(rng, K, (34,))
        fit = GeneralizedVonMises.fit(GeneralizedVonMises(eta).sample(5000, rng), K)
        gap, errors = fit.density.eta - eta, fit.standard_errors
        natural += [gap.real / errors.real, gap.imag / errors.imag]
        conventional += [(fit.density.kappa - np.abs(eta)) / errors.kappa, np.angle(fit.density.eta / eta) / errors.mu]
    for deviations in (natural, conventional):
        assert (np.abs(np.concatenate([each.ravel() for each in deviations])) < 3).mean() >= 0.99
    assert np.concatenate([each.ravel() for each in natural]).std() == pytest.approx(1.0, abs=0.05)


@pytest.mark.slow
def test_bic_finds_the_order_of_200_samples():
    rng = np.random.default_rng(15)
    right = 0
    for trial in range(200):
        angles = GeneralizedVonMises(strong_eta(rng, 1 + trial % 6)).sample(5000, rng)
        right += GeneralizedVonMises.fit(angles).harmonics == 1 + trial % 6
    assert right >= 180


def test_bic_finds_the_order():
    rng = np.random.default_rng(6)
    for K in range(4):
        angles = GeneralizedVonMises(strong_eta(rng, K)).sample(5000, rng)
        fit = GeneralizedVonMises.fit(angles)
        assert fit.harmonics == K
        assert sorted(fit.bic) == list(range(17))
        assert min(fit.bic, key=lambda order: fit.bic[order]) == K
    square = GeneralizedVonMises(symmetric(4, 4, 2.0)).sample(2000, rng)
    assert GeneralizedVonMises.fit(square).harmonics == 4  # harmonics 1 to 3 say nothing, and must not end the search


@pytest.mark.parametrize(("K", "n"), [(1, 100), (3, 50), pytest.param(6, 1000, marks=pytest.mark.slow)])
def test_goodness_of_fit_is_uniform_under_the_truth(K, n):
    """And the p-value for densities known beforehand is not, when parameters were estimated."""
    rng = np.random.default_rng(7)
    eta = np.broadcast_to(strong_eta(rng, K), (40 if n < 1000 else 300, K))
    angles = GeneralizedVonMises(eta).sample(n, rng)
    fit = GeneralizedVonMises.fit(angles, K)
    assert stats.kstest(fit.goodness_of_fit().pvalue, "uniform").pvalue > 0.01
    assert stats.kstest(fit.density.watson_u2(angles).pvalue, "uniform").pvalue < 1e-6
    assert stats.kstest(GeneralizedVonMises(eta).watson_u2(angles).pvalue, "uniform").pvalue > 0.01


def test_goodness_of_fit_is_that_of_a_parametric_bootstrap():
    """The limiting distribution against 200 samples from the fitted density, each fitted again."""
    rng = np.random.default_rng(8)
    angles = GeneralizedVonMises(strong_eta(rng, 2)).sample(200, rng)
    fit = GeneralizedVonMises.fit(angles, 2)
    again = GeneralizedVonMises(np.broadcast_to(fit.density.eta, (200, 2))).sample(200, rng)
    simulated = GeneralizedVonMises.fit(again, 2)
    statistics = watson_u2(np.mod(simulated.density.cdf(again), 1.0))
    wave = np.exp(1j * fit.density.quantile((np.arange(512) + 0.5) / 512)[:, None] * np.array([1, 2]))
    for level in (0.05, 0.2, 0.5, 0.9):
        threshold = float(np.quantile(statistics, 1 - level))
        pvalue = fitted_pvalue(threshold, np.concatenate([wave.real, wave.imag], axis=1))
        assert pvalue == pytest.approx(level, abs=3.5 * np.sqrt(level * (1 - level) / 200))
        assert abs(known_pvalue(np.array(threshold)) - level) > 0.02  # the one that ignores the estimation


def test_goodness_of_fit_rejects_a_wrong_family():
    """A narrow peak on a uniform floor has more than two harmonics, three equal peaks more than one."""
    rng = np.random.default_rng(9)
    peak = np.concatenate([rng.normal(1.0, 0.15, 300), rng.uniform(0, TURN, 700)])
    assert GeneralizedVonMises.fit(peak, 2).goodness_of_fit().pvalue < 1e-6
    three = GeneralizedVonMises(symmetric(3, 3, 1.0)).sample(500, rng)
    assert VonMises.fit(three).goodness_of_fit().pvalue < 1e-6
    assert VonMises(0.0).watson_u2(three).pvalue < 1e-3
    assert GeneralizedVonMises.fit(three, 3).goodness_of_fit().pvalue > 0.01


def test_distribution_of_watsons_statistic():
    """The inversion of the characteristic function against the closed series; U² against its sum over harmonics."""
    eigenvalues = np.repeat(1 / (2 * np.pi * np.arange(1, 65)) ** 2, 2)
    for u2 in (0.02, 0.05, 0.1, 0.187, 0.268, 0.5):
        tail = _tail(u2 - (1 / 12 - eigenvalues.sum()), eigenvalues)
        assert tail == pytest.approx(float(known_pvalue(np.array(u2))), abs=1e-6)
    assert known_pvalue(np.array(0.1869)) == pytest.approx(0.05, abs=1e-4)  # Watson's table
    assert known_pvalue(np.array(0.2684)) == pytest.approx(0.01, abs=1e-4)
    u = np.random.default_rng(10).random(40)
    series = sum(40 * np.abs(np.exp(2j * np.pi * j * u).mean()) ** 2 / (2 * np.pi**2 * j**2) for j in range(1, 20_000))
    assert watson_u2(u) == pytest.approx(series, abs=1e-5)
    assert watson_u2((u + 0.37) % 1) == pytest.approx(watson_u2(u), abs=1e-12)


def test_a_sample_without_a_maximum_is_refused():
    rng = np.random.default_rng(11)
    few = np.array([0.0, 0.0, 1.0, 1.0, 2.5, 2.5 + TURN])
    for angles, K in ((np.zeros(10), 1), (few, 3), (few, 7), (np.array([1.0]), 1)):
        with pytest.raises(InputError, match="more distinct angles than harmonics"):
            GeneralizedVonMises.fit(angles, K)
    with pytest.raises(InputError, match="distinct angles"):
        VonMises.fit(np.ones(5))
    np.testing.assert_allclose(VonMises.fit([0.5, 1.5]).density.mean(), 1.0)
    assert GeneralizedVonMises.fit(few, 2).density.moments(2) == pytest.approx(
        np.array([np.exp(1j * few).mean(), np.exp(2j * few).mean()])
    )
    narrow = rng.normal(0, 1e-3, 200)
    with pytest.raises(ConvergenceError, match="Use fewer harmonics") as caught:
        GeneralizedVonMises.fit(narrow, 4)
    assert isinstance(caught.value.estimate, GeneralizedVonMises)
    assert GeneralizedVonMises.fit(narrow).harmonics == 1  # the orders that cannot be told apart are not tried
    assert GeneralizedVonMises.fit(np.zeros(10)).harmonics == 0


@pytest.mark.parametrize(
    "frequencies", [FREQUENCIES, pytest.param([[0, 0, 1], [0, -1, 0], [1, 0, 0], [1, 1, 1]], marks=pytest.mark.slow)]
)
def test_the_torus_is_fitted_by_the_same_means(frequencies):
    rng = np.random.default_rng(12)
    truth = TorusVonMises(random_eta(rng, 4, 0.4), frequencies)
    points = truth.sample(1000, rng)
    fit = TorusVonMises.fit(points, frequencies)
    np.testing.assert_array_equal(fit.density.frequencies, truth.frequencies)
    sample = np.exp(1j * (points @ truth.frequencies.T)).mean(axis=0)
    np.testing.assert_allclose(fit.density.moments(truth.frequencies), sample, atol=1e-9)
    gap, errors = fit.density.eta - truth.eta, fit.standard_errors
    assert np.all(np.abs(np.concatenate([gap.real / errors.real, gap.imag / errors.imag])) < 4)
    assert fit.log_likelihood == pytest.approx(log_likelihood(fit.density, points), abs=1e-8)
    assert fit.harmonics == 4


def test_information_of_the_torus_is_the_hessian_of_log_z():
    eta = random_eta(np.random.default_rng(13), 4, 1.0)
    density = TorusVonMises(eta, FREQUENCIES)
    information, step = density.fisher_information(), 1e-4
    for j in range(8):
        shift = np.zeros(8)
        shift[j] = step
        plus, minus = (
            TorusVonMises(density.eta + sign * shift.view(complex), density.frequencies).moments(density.frequencies)
            for sign in (1, -1)
        )
        np.testing.assert_allclose(((plus - minus) / (2 * step)).view(float), information[j], atol=1e-7)


def test_a_random_step_on_the_torus():
    density = TorusVonMises(random_eta(np.random.default_rng(14), 4, 1.0, (2,)), FREQUENCIES)
    predicted = density.diffuse(3.0)
    factor = np.prod([VonMises(3.0).moments(np.abs(density.frequencies[:, a])) for a in (0, 1)], axis=0)
    np.testing.assert_allclose(
        predicted.moments(density.frequencies), density.moments(density.frequencies) * factor, atol=1e-8
    )


def test_matching_never_leaves_the_peak():
    """Many harmonics of a sharp density are nearly free: a step along them must not be taken without looking."""
    density = GeneralizedVonMises(random_eta(np.random.default_rng(3), 20, 30.0, (130,)))
    expected = density.moments(20) * VonMises(500.0).moments(20)
    np.testing.assert_allclose(density.diffuse(500.0).moments(20), expected, atol=2e-5)


def test_bad_samples():
    angles = np.linspace(0, 5, 20)
    for kind in (VonMises, GeneralizedVonMises):
        with pytest.raises(InputError, match="finite"):
            kind.fit([0.0, np.nan])
        for empty in ([], 1.0):
            with pytest.raises(ShapeError, match="at least one point"):
                kind.fit(empty)
        with pytest.raises(ShapeError, match="weights"):
            kind.fit(angles, weights=np.ones(3))
        with pytest.raises(InputError, match="negative"):
            kind.fit(angles, weights=-np.ones(20))
        with pytest.raises(InputError, match="all be zero"):
            kind.fit(angles, weights=np.zeros(20))
        with pytest.raises(InputError, match="single observations"):
            kind.fit(angles, weights=np.ones(20)).goodness_of_fit()
        with pytest.raises(ShapeError, match="at least two"):
            kind(np.ones(1)).watson_u2(1.0)
    with pytest.raises(InputError, match="bic"):
        GeneralizedVonMises.fit(angles, "aic")
    with pytest.raises(InputError, match="whole number"):
        GeneralizedVonMises.fit(angles, -1)
    with pytest.raises(InputError, match="one by one"):
        GeneralizedVonMises.fit(np.zeros((20, 2)))
    with pytest.raises(ShapeError, match="two parameters"):
        TorusVonMises.fit(angles, FREQUENCIES)
    assert repr(VonMises.fit(angles)).startswith("<CircleFit to 20 points: <VonMises: 1 harmonic, mode 2.5")
