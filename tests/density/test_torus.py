"""Densities on the 2-torus: product laws, quadrature, ridges."""

import numpy as np
import pytest
from scipy import stats

from tests.hard import TURN, random_eta
from tsa import GeneralizedVonMises, InputError, ShapeError, TorusVonMises, fourier_model

FREQUENCIES = np.array([(i, j) for i in range(-2, 3) for j in range(0, 3) if (j, i) > (0, 0)])


def product(a, b):
    """Two independent circles as one torus."""
    frequencies = [(k, 0) for k in range(1, a.size + 1)] + [(0, k) for k in range(1, b.size + 1)]
    return TorusVonMises(np.concatenate([a, b]), frequencies), GeneralizedVonMises(a), GeneralizedVonMises(b)


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0, pytest.param(1000.0, marks=pytest.mark.slow)])
def test_product_of_circles(scale):
    rng = np.random.default_rng(0)
    torus, one, two = product(random_eta(rng, 3, scale), random_eta(rng, 4, scale))
    tolerance = 1e-12 * max(1.0, scale)
    assert torus.log_normalizer == pytest.approx(one.log_normalizer + two.log_normalizer, abs=tolerance)
    assert torus.entropy() == pytest.approx(one.entropy() + two.entropy(), abs=10 * tolerance)
    moment = torus.moments([(2, 3), (-2, -3), (0, 0), (7, 0)])
    expected = one.moments(2)[1] * two.moments(3)[2]
    np.testing.assert_allclose(moment, [expected, expected.conj(), 1, one.moments(7)[6]], atol=1e-13)
    grid = TURN * np.arange(50) / 50
    peak = one.density(one.mode())
    np.testing.assert_allclose(torus.marginal(0, 50), one.density(grid), atol=1e-11 * peak)
    np.testing.assert_allclose(torus.marginal(1, 7), two.density(TURN * np.arange(7) / 7), atol=1e-11 * peak)
    np.testing.assert_allclose(torus.mode(), [one.mode(), two.mode()], atol=1e-9)
    found = torus.modes()
    assert found.mass.sum() == pytest.approx(1.0)
    assert found.mass.size == one.modes().mass.size * two.modes().mass.size


def test_normalizer_and_moments_by_quadrature():
    rng = np.random.default_rng(1)
    eta = random_eta(rng, len(FREQUENCIES), 2.0, (3,))
    torus = TorusVonMises(eta, FREQUENCIES)
    axis = TURN * np.arange(200) / 200
    s = np.stack(np.meshgrid(axis, axis, indexing="ij"), -1)
    for row in range(3):
        energy = (torus.eta[row].conj() * np.exp(1j * s @ torus.frequencies.T)).real.sum(-1)
        z = np.exp(energy - energy.max()).mean()
        assert torus.log_normalizer[row] == pytest.approx(np.log(z * TURN**2) + energy.max(), abs=1e-11)
        np.testing.assert_allclose(torus.grid(200, 200)[row], np.exp(energy - torus.log_normalizer[row]), rtol=1e-9)
        weight = np.exp(energy - energy.max()) / (z * 200**2)
        moment = (weight[..., None] * np.exp(1j * s @ np.array([[1, 1], [3, -2]]).T)).sum((0, 1))
        np.testing.assert_allclose(torus.moments([[1, 1], [3, -2]])[row], moment, atol=1e-12)
    assert np.all(torus.certificate.error < 1e-11)
    assert np.all(torus.certificate.truncation < 1e-15)


def test_frequencies_fold_onto_a_half_plane():
    a = TorusVonMises([1 + 2j, 3j], [(1, -2), (-1, 2)])
    assert a.frequencies.tolist() == [[1, -2]]
    np.testing.assert_allclose(a.eta, [(1 + 2j) - 3j])
    point = np.array([0.3, 1.1])
    energy = (np.conj(1 + 2j) * np.exp(1j * (0.3 - 2.2))).real + (np.conj(3j) * np.exp(1j * (-0.3 + 2.2))).real
    assert a.log_density(point) == pytest.approx(energy - a.log_normalizer)


def test_samples():
    rng = np.random.default_rng(2)
    torus = TorusVonMises(random_eta(rng, len(FREQUENCIES), 1.0, (2,)), FREQUENCIES)
    draws = torus.sample(8000, rng)
    assert draws.shape == (8000, 2, 2)
    orders = [(1, 0), (0, 1), (1, 1), (2, -1)]
    gap = np.exp(1j * draws @ np.transpose(orders)).mean(0) - torus.moments(orders)
    assert np.abs(gap).max() < 5 / np.sqrt(8000)
    np.testing.assert_allclose(-torus.log_density(draws).mean(0), torus.entropy(), atol=0.06)
    sharp, one, two = product(random_eta(rng, 3, 20.0), random_eta(rng, 2, 20.0))
    draws = sharp.sample(5000, rng)
    assert stats.kstest(draws[:, 0], one.cdf).pvalue > 1e-3
    assert stats.kstest(draws[:, 1], two.cdf).pvalue > 1e-3
    assert stats.kstest(draws[:, 1] * 0.9, two.cdf).pvalue < 1e-3


def test_modes_are_stationary_and_ordered():
    torus = TorusVonMises(random_eta(np.random.default_rng(3), len(FREQUENCIES), 3.0, (5,)), FREQUENCIES)
    angle, mass = torus.modes()
    np.testing.assert_allclose(mass.sum(-1), 1.0)
    for row in range(5):
        for top in angle[row][~np.isnan(angle[row, :, 0])]:
            term = torus.eta[row].conj() * np.exp(1j * top @ torus.frequencies.T)
            np.testing.assert_allclose(-term.imag @ torus.frequencies, 0, atol=1e-9)
    highest = torus.log_density(torus.mode())
    everywhere = np.log(torus.grid(300, 300)).reshape(5, -1).max(-1)
    assert np.all(highest >= everywhere - 1e-12)


def test_a_ridge_is_one_mode():
    """The aperture problem: nothing tells positions along one direction apart."""
    for frequencies in ([(1, 0), (2, 0)], [(1, 1), (2, 2)], [(1, 2), (2, 4)]):
        found = TorusVonMises([5.0, 1.0], frequencies).modes()
        assert found.mass.shape == (1,)
        assert found.mass[0] == pytest.approx(1.0)
    uniform = TorusVonMises(np.zeros(1), [(1, 0)])
    assert uniform.entropy() == pytest.approx(2 * np.log(TURN))
    assert uniform.modes().mass.tolist() == [1.0]


def test_nearly_flat_directions():
    """Stripes and constant images: one direction speaks, the other only through rounding."""
    model = fourier_model((8, 8))
    x = np.zeros((8, 8))
    x[:, 3] = 1.0
    stripes = x.ravel() + 1e-13 * np.random.default_rng(4).normal(size=64)
    for patch in (x.ravel(), stripes, np.ones(64), np.zeros(64)):
        assert np.isfinite(model.log_evidence(patch, patch))
        assert model.distance(patch, patch) < 1e-9
    moved = np.roll(x, 2, axis=1).ravel()
    assert model.align(x.ravel(), moved)[1] == pytest.approx(TURN * 2 / 8)


def test_saddles_are_not_modes():
    torus = TorusVonMises([1, 0.3, 0.95], [[1, 0], [1, 1], [1, -1]])
    angle, mass = torus.modes()
    assert mass.sum() == pytest.approx(1.0)
    for top in angle:
        term = torus.eta.conj() * np.exp(1j * top @ torus.frequencies.T)
        bend = -np.einsum("m,mi,mj->ij", term.real, torus.frequencies, torus.frequencies)
        assert np.linalg.eigvalsh(bend).max() < 0


def test_fusion_unites_frequencies():
    a, b = TorusVonMises([1.0], [(1, 0)]), TorusVonMises([[2j], [1j]], [(-1, 0)])
    fused = a.fuse(b)
    assert fused.frequencies.tolist() == [[1, 0]]
    np.testing.assert_allclose(fused.eta, [[1 - 2j], [1 - 1j]])
    np.testing.assert_allclose(fused.fuse_batch().eta, [2 - 3j])


def test_bad_input():
    with pytest.raises(ShapeError, match=r"\(M, 2\)"):
        TorusVonMises([1.0], [1])
    with pytest.raises(InputError, match="constant"):
        TorusVonMises([1.0], [(0, 0)])
    with pytest.raises(InputError, match="finite"):
        TorusVonMises([np.nan], [(1, 0)])
    with pytest.raises(ShapeError, match="finer"):
        TorusVonMises([1.0], [(4, 0)]).grid(8, 8)
    assert TorusVonMises(np.empty((0, 1)), [(1, 0)]).log_normalizer.shape == (0,)
    assert TorusVonMises(np.empty((0, 1)), [(1, 0)]).sample(3, 0).shape == (3, 0, 2)
