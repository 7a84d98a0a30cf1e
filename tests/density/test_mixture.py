"""Mixtures against sums over a fine grid, which share no code with them, and against their components."""

import numpy as np
import pytest

from tests.hard import TURN, random_eta
from tsa import InputError, ShapeError
from tsa.density import GeneralizedVonMises, Mixture, TorusVonMises, VonMises

N = 2**16
S = TURN * np.arange(N) / N


def brute(eta, weights):
    """p at S from (C, K) natural parameters and weights, normalised by its own sum."""
    k = np.arange(1, eta.shape[1] + 1)
    total = np.zeros(N)
    for one, w in zip(eta, weights, strict=True):
        energy = np.zeros(N)
        for order, value in zip(k, one, strict=True):
            energy += abs(value) * np.cos(order * S - np.angle(value))
        p = np.exp(energy - energy.max())
        total += w * p / (p.sum() * TURN / N)
    return total / (total.sum() * TURN / N)


def circle(seed, scale, components=3, K=5):
    rng = np.random.default_rng(seed)
    eta = random_eta(rng, K, scale, (components,))
    weights = rng.dirichlet(np.ones(components))
    return Mixture(GeneralizedVonMises(eta), np.log(weights)), brute(eta, weights)


CASES = [(seed, scale) for seed in range(3) for scale in (0.3, 5.0, 200.0)]


@pytest.mark.parametrize(("seed", "scale"), CASES)
def test_density_cdf_moments_and_entropy(seed, scale):
    mixture, p = circle(seed, scale)
    np.testing.assert_allclose(mixture.density(S[::64]), p[::64], rtol=1e-8, atol=1e-12)
    cumulative = np.concatenate([[0], np.cumsum((p + np.roll(p, -1)) / 2)]) * TURN / N
    np.testing.assert_allclose(mixture.cdf(S[::512]), cumulative[:-1:512], atol=1e-5)
    moments = [(p * np.exp(1j * k * S)).mean() * TURN for k in (0, 1, -2, 7)]
    np.testing.assert_allclose(mixture.moments(np.array([0, 1, -2, 7])), moments, atol=1e-9)
    entropy = -np.mean(p * np.log(np.maximum(p, 1e-300))) * TURN
    assert abs(mixture.entropy() - entropy) <= mixture.entropy_error() + 1e-9
    assert mixture.entropy_error() < 1e-4
    quantiles = mixture.quantile([0.0, 0.2, 0.9, 1.0])
    np.testing.assert_allclose(mixture.cdf(quantiles[1:3]), [0.2, 0.9], atol=1e-12)
    assert quantiles[0] == 0
    assert quantiles[3] == pytest.approx(TURN)


@pytest.mark.parametrize(("seed", "scale"), CASES)
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_credible_sets_are_the_smallest_with_their_probability(seed, scale, level):
    mixture, p = circle(seed, scale)
    arcs = mixture.credible_set(level)
    arcs = arcs[~np.isnan(arcs[:, 0])]
    inside = np.zeros(N, bool)
    for start, stop in arcs:
        inside |= np.mod(S - start, TURN) <= stop - start
    assert p[inside].sum() * TURN / N == pytest.approx(level, abs=2 * len(arcs) * p.max() * TURN / N + 1e-6)
    assert p[inside].min() >= p[~inside].max() * (1 - 0.02)
    edges = mixture.log_density(arcs.ravel())
    np.testing.assert_allclose(edges, edges[0], atol=1e-6)


@pytest.mark.parametrize(("seed", "scale"), CASES)
def test_modes_have_the_mass_between_their_valleys(seed, scale):
    mixture, p = circle(seed, scale)
    top = np.flatnonzero((p > np.roll(p, 1)) & (p >= np.roll(p, -1)))
    low = np.flatnonzero((p <= np.roll(p, 1)) & (p < np.roll(p, -1)))
    expected = []
    for peak in top:
        after, before = low[np.searchsorted(low, peak) % len(low)], low[np.searchsorted(low, peak) - 1]
        span = (np.arange((after - before) % N or N) + before) % N
        expected.append((S[peak], p[span].sum() * TURN / N))
    expected = [e for e in expected if e[1] > 1e-6]
    expected.sort(key=lambda e: -e[1])
    found = mixture.modes()
    keep = found.mass > 1e-6
    assert keep.sum() == len(expected)
    np.testing.assert_allclose(found.mass[keep], [m for _, m in expected], atol=1e-4)
    np.testing.assert_allclose(found.angle[keep], [a for a, _ in expected], atol=2e-4)
    assert found.mass.sum() == pytest.approx(1)
    assert mixture.density(mixture.mode()) == pytest.approx(p.max(), rel=1e-5)


def test_one_component_is_that_density():
    eta = random_eta(np.random.default_rng(1), 4, 5.0, (6,))
    one, mixture = GeneralizedVonMises(eta), Mixture(GeneralizedVonMises(eta[:, None]), np.zeros((6, 1)))
    for ask in ("mode", "entropy", "mean", "std", "credible_set"):
        np.testing.assert_allclose(getattr(mixture, ask)(), getattr(one, ask)(), atol=1e-6)
    np.testing.assert_allclose(mixture.marginal(0, 8), one.marginal(0, 8), atol=1e-9)
    assert mixture.certificate.error.max() < 1e-9


def test_the_batch_is_a_sequence():
    rng = np.random.default_rng(0)
    mixture = Mixture(GeneralizedVonMises(random_eta(rng, 3, 2.0, (4, 5, 2))), rng.normal(size=(4, 5, 2)))
    assert len(mixture) == 4
    assert [part.batch_shape for part in mixture] == [(5,)] * 4
    modes = mixture.mode()
    assert modes.shape == (4, 5)
    np.testing.assert_allclose(mixture[1, 2].mode(), modes[1, 2])
    np.testing.assert_allclose(mixture[:, [0, 3]].entropy(), mixture.entropy()[:, [0, 3]])
    with pytest.raises(TypeError, match="one density"):
        len(mixture[0, 0])
    np.testing.assert_allclose(mixture.weights.sum(axis=-1), 1)
    assert "batch (4, 5)" in repr(mixture)
    assert "2 components" in repr(mixture[0, 0])
    single = Mixture(GeneralizedVonMises(mixture.components.eta.astype(np.complex64)), mixture.log_weights)
    assert single.mode().dtype == single.density(0.3).dtype == np.float32


def test_draws_have_the_distribution():
    mixture, _ = circle(4, 5.0)
    draws = np.sort(mixture.cdf(mixture.sample(4000, rng=2)))
    assert np.abs(draws - (np.arange(4000) + 0.5) / 4000).max() < 1.95 / np.sqrt(4000)  # Kolmogorov, 0.1 %


def test_products_are_products():
    mixture, p = circle(5, 2.0)
    other, q = circle(6, 2.0, components=2)
    for second, density in ((other, q), (VonMises(2j), np.exp(2 * np.sin(S)))):
        product = p * density
        product /= product.mean() * TURN
        np.testing.assert_allclose(mixture.fuse(second).density(S[::256]), product[::256], rtol=1e-8)
    expected = np.mean(p * np.log(p / q)) * TURN
    assert mixture.kl(other) == pytest.approx(expected, rel=1e-8)
    step = mixture.diffuse(8.0)
    assert step.entropy() > mixture.entropy()


def test_on_the_torus():
    rng = np.random.default_rng(3)
    k = [[1, 0], [0, 1], [1, 1], [2, -1]]
    eta, weights = random_eta(rng, 4, 3.0, (2,)), np.array([0.3, 0.7])
    mixture = Mixture(TorusVonMises(eta, k), np.log(weights))
    n = 256
    s = np.stack(np.indices((n, n)), -1) * TURN / n
    p = np.zeros((n, n))
    for one, w in zip(eta, weights, strict=True):
        density = np.exp(sum(abs(e) * np.cos(s @ f - np.angle(e)) for e, f in zip(one, np.array(k), strict=True)))
        p += w * density / (density.mean() * TURN**2)
    np.testing.assert_allclose(mixture.density(s[::16, ::16]), p[::16, ::16], rtol=1e-8)
    entropy = -(p * np.log(p)).mean() * TURN**2
    assert abs(mixture.entropy() - entropy) <= mixture.entropy_error() + 1e-9
    assert mixture.density(mixture.mode()) == pytest.approx(p.max(), rel=1e-2)
    found = mixture.modes()
    assert found.mass.sum() == pytest.approx(1)
    region = mixture.credible_set(0.8)
    inside = p >= np.exp(region.log_density)
    assert p[inside].mean() * inside.mean() * TURN**2 == pytest.approx(0.8, abs=0.02)
    assert region.area == pytest.approx(inside.mean() * TURN**2, rel=0.05)
    assert sum(piece.mass for piece in region.pieces) == pytest.approx(0.8, abs=0.02)
    assert mixture.kl(mixture) == pytest.approx(0, abs=1e-12)
    draws = mixture.sample(2000, rng=0)
    assert np.abs(np.exp(1j * draws).mean(axis=0) - mixture.moments(np.eye(2, dtype=int))).max() < 4 / np.sqrt(2000)
    with pytest.raises(InputError, match="no distribution function"):
        mixture.cdf(0.0)


def test_what_is_refused():
    density = GeneralizedVonMises(np.ones((2, 3)))
    with pytest.raises(ShapeError, match="do not fit"):
        Mixture(density, np.zeros(3))
    with pytest.raises(InputError, match="at least one"):
        Mixture(density, [-np.inf, -np.inf])
    with pytest.raises(InputError, match="generalised von Mises"):
        Mixture(VonMises(np.ones(2)), np.zeros(2))
    with pytest.raises(InputError, match="tabulated"):
        Mixture(GeneralizedVonMises(np.full((2, 1), 1e13)), np.zeros(2)).modes()


def test_sharp_mixtures_on_the_torus_are_laid_out_in_a_window():
    """Peaks of a thousandth of a radian: a grid of the whole torus would have 3e8 nodes."""
    kappa = np.array([1e6, 4e5])
    peaks, weights = np.array([[0.001, 6.28], [0.013, 6.28]]), np.array([0.75, 0.25])
    mixture = Mixture(TorusVonMises(kappa * np.exp(1j * peaks), [[1, 0], [0, 1]]), np.log(weights))
    alone = VonMises(kappa).entropy().sum()
    assert mixture.entropy() == pytest.approx(alone - (weights * np.log(weights)).sum(), abs=1e-6)
    assert mixture.entropy_error() < 1e-6
    angle, mass = mixture.modes()
    np.testing.assert_allclose(angle, peaks, atol=1e-5)
    np.testing.assert_allclose(mass, weights, atol=1e-6)
    np.testing.assert_allclose(mixture.mode(), peaks[0], atol=1e-5)
    region = mixture.credible_set(0.95)
    # Two ellipses, each to its own level: −2 log(1 − p) π/√κ₁κ₂ of a normal density.
    assert len(region.pieces) == 2
    assert sum(piece.mass for piece in region.pieces) == pytest.approx(0.95, abs=2e-3)
    centres = np.array([piece.centre for piece in region.pieces])
    np.testing.assert_allclose(np.angle(np.exp(1j * (centres - peaks))), 0, atol=1e-4)
    draws = mixture.sample(4000, rng=0)
    inside = mixture.log_density(draws) >= region.log_density
    assert inside.mean() == pytest.approx(0.95, abs=0.015)
    assert mixture.kl(mixture) == pytest.approx(0, abs=1e-9)


def test_a_window_and_the_whole_torus_give_the_same(monkeypatch):
    rng = np.random.default_rng(3)
    k = [[1, 0], [0, 1], [1, 1], [2, -1]]
    eta, weights = random_eta(rng, 4, 300.0, (3,)), np.log([0.3, 0.4, 0.3])
    limit = "tsa.density.numerics._torus_mixture._MAX_WHOLE_NODES"
    monkeypatch.setattr(limit, 2**24)
    mixture = Mixture(TorusVonMises(eta, k), weights)
    whole = mixture.entropy(), mixture.modes(), mixture.credible_set(0.8)
    nodes = next(mixture._torus_grids()).log_p.size
    monkeypatch.setattr(limit, 0)
    again = Mixture(TorusVonMises(eta, k), weights)
    assert next(again._torus_grids()).log_p.size < nodes / 2
    assert again.entropy() == pytest.approx(float(whole[0]), abs=1e-9)
    heavy = whole[1].mass > 1e-9
    np.testing.assert_allclose(again.modes().mass[: heavy.sum()], whole[1].mass[heavy], atol=1e-7)
    np.testing.assert_allclose(again.modes().angle[: heavy.sum()], whole[1].angle[heavy], atol=2e-5)
    assert again.credible_set(0.8).area == pytest.approx(whole[2].area, rel=0.01)


def test_notebooks_show_a_curve():
    mixture, _ = circle(0, 5.0)
    assert "<polyline" in mixture._repr_html_()
    assert mixture[None]._repr_html_().count("<svg") == 1
