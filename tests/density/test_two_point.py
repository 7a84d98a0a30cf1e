"""Phases of lines, 0 or π: every method against sums over the two points, and the rest of a batch against VonMises."""

import numpy as np
import pytest

from tests.hard import TURN
from tsa import GeneralizedVonMises, InputError, VonMises
from tsa.density import TwoPointVonMises

ETA = np.array([1.2527 + 0.3j, -0.7 + 5j, 0.0, 40.0, -400.0, 0.5 + 0.5j])
MARKS = np.array([True, True, True, True, True, False])
POINTS = np.array([0.0, np.pi])


def probabilities(eta):
    """(..., 2): of the phases 0 and π."""
    weights = np.stack([np.exp(eta.real - np.abs(eta.real)), np.exp(-eta.real - np.abs(eta.real))], axis=-1)
    return weights / weights.sum(axis=-1, keepdims=True)


@pytest.fixture
def law():
    return TwoPointVonMises(ETA, MARKS)


def test_against_sums_over_both_points(law):
    p = probabilities(ETA)[:5]
    np.testing.assert_allclose(law.density(POINTS[:, None])[:, :5].T, p, atol=1e-15)
    assert np.all(law.density(1.0)[:5] == 0)
    for n in (-3, 0, 1, 2, 5):
        np.testing.assert_allclose(law.moment(n)[:5], p @ np.exp(1j * n * POINTS), atol=1e-14)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.nansum(p * np.log(p), axis=-1)
    np.testing.assert_allclose(law.entropy()[:5], entropy, atol=1e-14)
    variance = p @ np.cos(POINTS) ** 2 - (p @ np.cos(POINTS)) ** 2
    np.testing.assert_allclose(law.fisher_information()[:5, 0, 0], variance, atol=1e-14)
    assert not law.fisher_information()[:5].reshape(5, 4)[:, 1:].any()
    np.testing.assert_allclose(law.log_normalizer[:3], np.log(2 * np.cosh(ETA.real[:3])), atol=1e-14)
    other = TwoPointVonMises(np.array([0.1, 0.2, 0.3, 39.0, -399.0, 1.0]), MARKS)
    q = probabilities(other.eta)[:3]
    np.testing.assert_allclose(law.kl(other)[:3], np.sum(p[:3] * np.log(p[:3] / q), axis=-1), atol=1e-14)
    np.testing.assert_allclose(law.std()[:2], np.sqrt(-2 * np.log(np.abs(np.tanh(ETA.real[:2])))), rtol=1e-12)
    assert np.isinf(law.std()[2])


def test_points_and_sets(law):
    p = probabilities(ETA)[:5]
    np.testing.assert_allclose(law.mode()[:5], np.where(ETA.real[:5] < 0, np.pi, 0))
    angle, mass = law.modes()
    assert angle.shape == (6, 2)
    np.testing.assert_allclose(mass[:5], -np.sort(-p, axis=-1), atol=1e-15)
    np.testing.assert_allclose(angle[2], POINTS)
    assert np.isnan(angle[5, 1])
    np.testing.assert_allclose(law.cdf(np.array([[0.0], [3.0], [4.0], [TURN], [4 + TURN]]))[:, :5].T,
                               [[0, 0, b, 1, 1 + b] for _, b in p], atol=1e-15)  # fmt: skip
    np.testing.assert_allclose(law.quantile(np.array([[0.01], [0.9], [1.0]]))[:, :2], [[np.pi] * 2, [0, 0], [TURN] * 2])
    arcs = law.credible_set(0.95)
    assert arcs.shape == (6, 2, 2)
    np.testing.assert_array_equal(arcs[3], [[0, 0], [np.nan, np.nan]])
    np.testing.assert_array_equal(arcs[2], [[0, 0], [np.pi, np.pi]])
    draws = law.sample(4000, 0)
    assert set(np.unique(draws[:, :5])) == {0.0, np.pi}
    np.testing.assert_allclose((draws[:, :5] == 0).mean(axis=0), p[:, 0], atol=4 * 0.5 / np.sqrt(4000))


def test_the_others_are_von_mises(law):
    one = VonMises(ETA[5])
    s = np.linspace(0, TURN, 7)
    np.testing.assert_array_equal(law[5].density(s), one.density(s))
    np.testing.assert_array_equal(law[5].cdf(s), one.cdf(s))
    np.testing.assert_array_equal(law.moments(3)[5], one.moments(3))
    np.testing.assert_array_equal(law[5].credible_set(), one.credible_set())
    np.testing.assert_array_equal(law.entropy()[5], one.entropy())
    np.testing.assert_array_equal(law[5].diffuse(2.0).eta, one.diffuse(2.0).eta)


def test_products(law):
    prior = VonMises(np.full(6, 0.25 + 1j))
    for fused in (law.fuse(prior), prior.fuse(law)):
        assert isinstance(fused, TwoPointVonMises)
        np.testing.assert_allclose(fused.eta, np.where(MARKS, ETA.real + 0.25, ETA + 0.25 + 1j))
    assert len(law[:5].fuse_batch().batch_shape) == 0
    assert "TwoPointVonMises" in law._repr_html_()


def test_mistakes_are_named(law):
    calls = [
        lambda: law.diffuse(1.0),
        lambda: law.generalized,
        lambda: law.kl(VonMises(ETA)),
        lambda: VonMises(ETA).kl(law),
        lambda: law.fuse(GeneralizedVonMises(np.ones((6, 2)))),
        lambda: law.fuse_batch(),
        lambda: TwoPointVonMises(ETA, MARKS[:4]),
    ]
    for call in calls:
        with pytest.raises(InputError):
            call()
