"""One way to make a density from pooled parameters, and what both kinds answer alike."""

import numpy as np
import pytest

from tests.hard import random_eta
from tsa import GeneralizedVonMises, InputError, ShapeError, TorusVonMises, VonMises
from tsa.density import fold, from_harmonics


def test_the_number_of_parameters_decides():
    rng = np.random.default_rng(0)
    eta = random_eta(rng, 3, 1.0, (2,))
    circle = from_harmonics(eta, np.array([[1], [2], [3]]))
    torus = from_harmonics(eta, np.array([[0, 1], [1, -1], [2, 0]]))
    assert isinstance(circle, GeneralizedVonMises)
    assert isinstance(torus, TorusVonMises)
    for density, p in ((circle, 1), (torus, 2)):
        assert density.parameters == p
        assert density.batch_shape == (2,)
        np.testing.assert_allclose(density.log_normalizer_only(), density.log_normalizer, rtol=1e-14)
        assert density.fuse(density).fuse_batch().batch_shape == ()
    three = from_harmonics(eta, np.eye(3, dtype=int))
    assert three.parameters == 3
    for harmonics in ([[1], [3], [2]], np.eye(3, 4, dtype=int)):
        with pytest.raises(InputError, match="density"):
            from_harmonics(eta, np.array(harmonics))


def test_one_rule_for_moments():
    """Orders as a whole number, (m,) or (m, 1) on the circle, (m, 2) on the torus; 0 and negative ones included."""
    rng = np.random.default_rng(1)
    density = GeneralizedVonMises(random_eta(rng, 4, 2.0, (3,)))
    np.testing.assert_array_equal(density.moments(np.arange(1, 5)), density.moments(4))
    for one in (density, VonMises(density.eta[:, 0])):
        upto = one.moments(6)
        expected = np.stack([upto[:, 1], np.ones(3), upto[:, 0].conj(), upto[:, 5]], axis=-1)
        for orders in ([2, 0, -1, 6], np.array([[2], [0], [-1], [6]])):
            np.testing.assert_allclose(one.moments(orders), expected, atol=1e-14)
        assert one.moments(0).shape == one.moments(np.empty((0, 1), int)).shape == (3, 0)
        for wrong in ([[1, 2]], [1.0], [[[1]]]):
            with pytest.raises(ShapeError, match="Harmonics"):
                one.moments(wrong)
        for wrong in (-1, 1.5, "one"):
            with pytest.raises(InputError, match="whole number"):
                one.moments(wrong)
    torus = TorusVonMises(random_eta(rng, 2, 1.0), [[1, 0], [1, 2]])
    one, none, minus = torus.moments(np.array([[1, 2], [0, 0], [-1, -2]]))
    assert none == 1
    assert minus == pytest.approx(one.conjugate())


def test_a_marginal_of_the_torus_is_the_circle():
    """Harmonics of one coordinate alone: both kinds of density must say the same."""
    eta = random_eta(np.random.default_rng(2), 3, 1.5)
    circle = from_harmonics(eta, np.arange(1, 4)[:, None])
    torus = from_harmonics(eta, np.array([[1, 0], [2, 0], [3, 0]]))
    np.testing.assert_allclose(torus.log_normalizer, circle.log_normalizer + np.log(2 * np.pi), rtol=1e-13)
    np.testing.assert_allclose(torus.moments(np.array([[1, 0], [4, 0]])), circle.moments(4)[[0, 3]], atol=1e-13)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_folding_any_number_of_coordinates(p):
    k = np.random.default_rng(p).integers(-2, 3, (50, p))
    folded, negated = fold(k)
    np.testing.assert_array_equal(np.where(negated[:, None], -folded, folded), k)
    again, still = fold(folded)
    np.testing.assert_array_equal(again, folded)
    assert not still.any()
    assert all(tuple(row) >= (0,) * p for row in folded.tolist())
