"""The generalised von Mises density: modes, quantiles, credible sets, and inference in time."""

import numpy as np
import pytest
from scipy import stats

from tests.hard import TURN, all_eta, fejer, random_eta, sparse, symmetric
from tsa import GeneralizedVonMises, InputError, ShapeError, VonMises
from tsa.density.numerics import critical_points, evaluate, on_grid, trigpoly


def companion_maxima(eta):
    """Angles of all maxima from the eigenvalues of a companion matrix, which has nothing in common with our way."""
    k = np.arange(1, eta.size + 1)
    slope = 1j * k * eta.conj() / 2  # E' = Σ c_k z^k + conj(c_k) z^{-k} on the unit circle
    roots = np.roots(np.concatenate([slope[::-1], [0], slope.conj()]))
    angles = np.mod(np.angle(roots[np.abs(np.abs(roots) - 1) < 1e-6]), TURN)
    for _ in range(3):
        angles = angles - evaluate(eta, angles, 1) / evaluate(eta, angles, 2)
    return np.sort(np.mod(angles[evaluate(eta, angles, 2) < 0], TURN))


def circular_gap(a, b):
    return np.abs(np.angle(np.exp(1j * (a - b))))


def assert_same_angles(found, expected, tolerance=1e-9):
    found, expected = np.sort(found), np.sort(expected)
    assert found.size == expected.size
    # The smallest angle may have slipped over 0.
    assert min(circular_gap(np.roll(found, r), expected).max(initial=0.0) for r in (-1, 0, 1)) < tolerance


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0, pytest.param(1e5, marks=pytest.mark.slow)])
def test_modes_are_the_companion_roots(scale):
    rng = np.random.default_rng(0)
    for K in (1, 2, 5, 12, 24):
        eta = random_eta(rng, K, scale, (50,))
        angle, mass = GeneralizedVonMises(eta).modes()
        for row in range(50):
            assert_same_angles(angle[row][~np.isnan(angle[row])], companion_maxima(eta[row]))
        np.testing.assert_allclose(mass.sum(-1), 1.0, atol=1e-12)
        assert np.all(np.diff(mass, axis=-1) <= 0)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 12])
@pytest.mark.parametrize("turn", [0.0, 0.3, np.pi / 4])
def test_symmetric_modes(n, turn):
    density = GeneralizedVonMises(symmetric(n, 12, turn=turn))
    angle, mass = density.modes()
    expected = np.mod(turn + TURN * np.arange(n) / n, TURN)
    heavy = mass > 1e-3
    assert_same_angles(angle[heavy], expected)
    assert np.ptp(mass[heavy]) < 1e-12
    assert mass.sum() == pytest.approx(1.0, abs=1e-12)
    assert_same_angles(angle, companion_maxima(density.eta[: 12 // n * n]))


def test_no_pair_of_extrema_is_missed_however_close():
    """A shallow ripple hides a maximum and a minimum a hundredth of a grid cell apart."""
    for ripple in (1e-2, 1e-4, 1e-6):
        # E' has a near-double root: cos s + (1/4 − ε)·cos 2s is almost flat at π.
        eta = np.array([1.0, 0.25 + ripple], complex)
        found = critical_points(eta[None])
        assert found.angle.size == 4
        assert found.is_maximum.sum() == 2
        flat = critical_points(np.array([[1.0, 0.25 - ripple]], complex))
        assert flat.angle.size == 2


@pytest.mark.parametrize("near", [1.0, 1 + 1e-11, 1 - 1e-9])
def test_degenerate_extrema_alternate(near):
    """cos s − ¼ cos 2s has a maximum where two more derivatives vanish: rounding must not split or lose it."""
    turns = np.random.default_rng(0).uniform(0, TURN, 100)
    density = GeneralizedVonMises(np.array([1, -0.25 * near]) * np.exp(1j * turns[:, None] * np.array([1, 2])))
    found = density.modes()
    assert found.angle.shape == (100, 1)
    np.testing.assert_allclose(found.mass, 1.0)
    assert circular_gap(density.mode(), turns).max() < 2e-3
    assert np.isfinite(density.credible_set(0.5)).all()


@pytest.mark.parametrize("n", [3, 6, 12])
def test_a_flat_top_is_one_mode(n):
    """−(1 − cos s)^n is level to rounding over a whole stretch."""
    s = TURN * np.arange(256) / 256
    eta = 2 * np.fft.rfft(-((1 - np.cos(s)) ** n))[1 : n + 1].conj() / 256
    assert GeneralizedVonMises(eta).modes().mass.tolist() == [1.0]


@pytest.mark.parametrize("eta", [[1e-16], [1e-14], [1e-280], [1.0, 2.0], np.full(16, 1e6)])
@pytest.mark.parametrize("p", [1e-4, 0.5, 0.95, 1 - 1e-16, 1.0])
def test_credible_sets_of_extreme_densities(eta, p):
    density = GeneralizedVonMises(eta)
    arcs = density.credible_set(p)
    assert (density.cdf(arcs[:, 1]) - density.cdf(arcs[:, 0])).sum() == pytest.approx(p, abs=1e-5)


def test_many_credible_sets():
    eta = random_eta(np.random.default_rng(11), 6, 10.0, (1200,))
    arcs = GeneralizedVonMises(eta).credible_set(0.9)
    for row in (0, 511, 512, 1199):
        own = GeneralizedVonMises(eta[row]).credible_set(0.9)
        np.testing.assert_allclose(arcs[row, : len(own)], own)


def test_mode_is_the_highest_mode():
    rng = np.random.default_rng(1)
    eta = random_eta(rng, 12, 10.0, (300,))
    density = GeneralizedVonMises(eta)
    s = np.linspace(0, TURN, 4097)
    best = GeneralizedVonMises(eta[:, None]).log_density(s).max(-1)
    assert np.all(density.log_density(density.mode()) >= best - 1e-12)
    found, _ = density.modes()
    assert circular_gap(found, density.mode()[:, None]).min(axis=-1, where=~np.isnan(found), initial=9).max() < 1e-9


@pytest.mark.parametrize("scale", [0.1, 3.0, 100.0, 1e4])
def test_quantile_inverts_cdf(scale):
    rng = np.random.default_rng(2)
    density = GeneralizedVonMises(random_eta(rng, 12, scale, (20,)))
    s = density.sample(50, rng)
    np.testing.assert_allclose(density.quantile(density.cdf(s)), s, atol=1e-9)
    p = np.linspace(0, 1, 11)[:, None]
    np.testing.assert_allclose(density.cdf(density.quantile(p)), np.broadcast_to(p, (11, 20)), atol=1e-12)
    np.testing.assert_allclose(density.cdf(s + TURN), density.cdf(s) + 1, atol=1e-12)


@pytest.mark.parametrize("eta", [[0.0], [3 + 1j], symmetric(3, 6), 50 * symmetric(2, 12), fejer(8, 30.0)])
def test_samples_pass_and_a_wrong_density_fails(eta):
    density = GeneralizedVonMises(eta)
    draws = density.sample(20_000, rng=0)
    assert draws.min() >= 0
    assert draws.max() < TURN
    assert stats.kstest(draws, density.cdf).pvalue > 1e-3
    wrong = GeneralizedVonMises(np.asarray(eta) * 1.3 + 0.1)
    assert stats.kstest(draws, wrong.cdf).pvalue < 1e-3
    np.testing.assert_array_equal(draws, density.sample(20_000, rng=0))


@pytest.mark.parametrize("K", [1, 3, 16, 64])
def test_expansions_are_the_polynomial_nearby(K):
    rng = np.random.default_rng(K)
    eta = rng.normal(size=(3, K)) + 1j * rng.normal(size=(3, K))
    row, x = rng.integers(0, 3, 200), rng.uniform(-1, 8, 200)
    terms = trigpoly.taylor_terms(0.5)
    about = trigpoly.expansions(np.concatenate([np.zeros((1, 3)), eta.conj().T]), row, x, terms)
    for h in (0.0, 0.3 / K, -0.5 / K):
        exact = (eta[row].conj() * np.exp(1j * np.arange(1, K + 1) * (x + h)[:, None])).real.sum(axis=1)
        np.testing.assert_allclose(trigpoly.polynomial(about, np.full(200, h)), exact, atol=1e-13 * K)
    # With four terms fewer the rest is seen.
    assert np.abs(trigpoly.polynomial(about[:-4], np.full(200, 0.5 / K)) - exact).max() > 1e-13 * K


def test_credible_set():
    rng = np.random.default_rng(3)
    for scale in (0.05, 1.0, 20.0, 1e4):
        eta = random_eta(rng, 8, scale, (10,))
        for p in (0.1, 0.5, 0.95):
            arcs = GeneralizedVonMises(eta).credible_set(p)
            for row in range(10):
                one, own = GeneralizedVonMises(eta[row]), arcs[row][~np.isnan(arcs[row, :, 0])]
                assert np.all((own[:, 0] >= 0) & (own[:, 0] < TURN) & (own[:, 1] > own[:, 0]))
                assert (one.cdf(own[:, 1]) - one.cdf(own[:, 0])).sum() == pytest.approx(p, abs=1e-9)
                # Highest density: all edges at one level, everything inside above it, everything outside below.
                level = one.log_density(own)
                assert np.ptp(level) < 1e-6 * max(1.0, scale)
                s = np.linspace(0, TURN, 997)
                inside = np.any([(s >= a) & (s <= b) | (s + TURN >= a) & (s + TURN <= b) for a, b in own], axis=0)
                assert np.all(one.log_density(s[inside]) >= level.min() - 1e-9 * max(1.0, scale))
                assert np.all(one.log_density(s[~inside]) <= level.max() + 1e-9 * max(1.0, scale))


def test_credible_set_of_a_square_is_four_arcs():
    assert GeneralizedVonMises(symmetric(4, 12, 20.0)).credible_set(0.9).shape == (4, 2)
    np.testing.assert_allclose(GeneralizedVonMises(np.zeros(3)).credible_set(0.5), [[0, TURN]])
    np.testing.assert_allclose(GeneralizedVonMises([2.0]).credible_set(1.0), [[0, TURN]])
    np.testing.assert_allclose(GeneralizedVonMises([5e-324]).credible_set(0.5), [[0, TURN]])


def test_fisher_information_is_the_hessian_of_log_z():
    rng = np.random.default_rng(4)
    eta = random_eta(rng, 4, 2.0)
    info = GeneralizedVonMises(eta).fisher_information()
    step = 1e-4
    for j in range(8):
        shift = np.zeros(8)
        shift[j] = step
        plus, minus = (GeneralizedVonMises(eta + sign * shift.view(complex)).moments(4) for sign in (1, -1))
        np.testing.assert_allclose(((plus - minus) / (2 * step)).view(float), info[j], atol=1e-7)


def test_entropy_and_kl_by_sampling():
    rng = np.random.default_rng(5)
    p, q = GeneralizedVonMises(random_eta(rng, 5, 1.0)), GeneralizedVonMises(random_eta(rng, 7, 1.0))
    s = p.sample(200_000, rng)
    assert -p.log_density(s).mean() == pytest.approx(p.entropy(), abs=0.01)
    assert (p.log_density(s) - q.log_density(s)).mean() == pytest.approx(p.kl(q), abs=0.02)


@pytest.mark.parametrize("scale", [0.1, 2.0, 50.0, 1e4])
def test_diffuse_multiplies_moments(scale):
    density = GeneralizedVonMises(random_eta(np.random.default_rng(6), 8, scale, (4,)))
    for kappa in (2.0, 50.0, 5000.0):
        damping = np.array([VonMises(kappa).moment(k) for k in range(1, 9)])
        predicted = density.diffuse(kappa)
        np.testing.assert_allclose(predicted.moments(8), density.moments(8) * damping, atol=2e-7)
        assert np.all(predicted.entropy() > density.entropy())


def test_fuse_batch_is_repeated_fusion():
    eta = random_eta(np.random.default_rng(7), 3, 1.0, (4, 2))
    together = GeneralizedVonMises(eta).fuse_batch()
    one_by_one = GeneralizedVonMises.uniform(3)
    for pair in eta:
        one_by_one = one_by_one.fuse(GeneralizedVonMises(pair))
    np.testing.assert_allclose(together.eta, one_by_one.eta)


def test_everything_works_on_everything():
    """No warning (they are errors here), no nan, on every hard input and on an empty batch."""
    for _, eta in all_eta(np.random.default_rng(8)):
        if eta.size < 64:
            density = GeneralizedVonMises(eta)
            assert np.isfinite(density.entropy())
            assert density.modes().mass.sum() == pytest.approx(1.0)
            assert np.isfinite(density.sample(3, 0)).all()
            assert np.isfinite(density.credible_set(0.9)).all()
            assert density.kl(density) == pytest.approx(0.0, abs=1e-9 * max(1, np.abs(eta).sum()))
    empty = GeneralizedVonMises(np.empty((0, 3)))
    assert empty.log_normalizer.shape == empty.entropy().shape == empty.mode().shape == (0,)
    assert empty.moments(5).shape == (0, 5)
    assert empty.cdf(1.0).shape == empty.quantile(0.5).shape == (0,)
    assert empty.sample(4, 0).shape == (4, 0)
    assert empty.modes().angle.shape == (0, 1)
    assert empty.credible_set().shape == (0, 1, 2)
    assert empty.diffuse(3.0).eta.shape == (0, 3)


def test_shapes_and_precision():
    eta = random_eta(np.random.default_rng(9), 3, 2.0, (2, 5)).astype(np.complex64)
    density = GeneralizedVonMises(eta)
    assert density.sample(7, 0).shape == (7, 2, 5)
    assert density.log_density(np.zeros((7, 1, 1))).shape == (7, 2, 5)
    assert GeneralizedVonMises(eta[..., None, :]).density(np.zeros(11)).shape == (2, 5, 11)
    answers = (density.log_normalizer, density.entropy(), density.mode(), density.credible_set(), density.cdf(0.3))
    assert all(a.dtype == np.float32 for a in answers)
    assert density.moments(2).dtype == density.diffuse(5.0).eta.dtype == np.complex64
    assert GeneralizedVonMises(np.complex64([5 * np.exp(-1e-8j)])).mode() < TURN
    sharp = GeneralizedVonMises([1e6, 0, 0, 0, 1e6])
    assert sharp.log_density(np.float32(0.01)) == pytest.approx(sharp.log_density(float(np.float32(0.01))))
    with pytest.raises(ValueError, match="read-only"):
        density.eta[0] = 1


def test_evaluation_on_a_grid_agrees_with_points():
    rng = np.random.default_rng(10)
    eta = np.stack([random_eta(rng, 9, 1.0), sparse(rng, 9, 1.0)])
    s = TURN * np.arange(64) / 64
    for derivative in range(4):
        np.testing.assert_allclose(
            on_grid(eta, 64, derivative), evaluate(eta[:, None], s, derivative), atol=1e-12 * 9**derivative
        )


@pytest.mark.parametrize("bad", [[np.nan], [np.inf, 1], ["a"]])
def test_bad_parameters(bad):
    with pytest.raises(InputError):
        GeneralizedVonMises(bad)


def test_bad_questions():
    density = GeneralizedVonMises([1.0])
    with pytest.raises(ShapeError, match="last axis"):
        GeneralizedVonMises(3.0)
    with pytest.raises(InputError, match="between 0 and 1"):
        density.quantile(1.5)
    with pytest.raises(InputError, match=r"\(0, 1\]"):
        density.credible_set(0.0)
    with pytest.raises(InputError, match="positive"):
        density.diffuse(-1.0)
    with pytest.raises(InputError, match="finite"):
        density.cdf(np.nan)
    with pytest.raises(InputError, match="whole number"):
        density.moments(-1)
    with pytest.raises(ShapeError, match="fit together"):
        GeneralizedVonMises(np.ones((2, 1))).cdf(np.zeros(3))
    with pytest.raises(ShapeError, match="no axis"):
        density.fuse_batch()
    assert density.diffuse(1e12).eta == pytest.approx(density.eta)
    assert GeneralizedVonMises.uniform().diffuse(2.0).eta.shape == (0,)
