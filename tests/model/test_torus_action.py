"""The torus acts: a law for each, and the energy at weight 0."""

import numpy as np
import pytest

import tsa


def model():
    w = np.linalg.qr(np.random.default_rng(0).normal(size=(9, 9)))[0]
    return tsa.Subgroup(np.concatenate([w[:, :8:2] + 1j * w[:, 1:8:2], w[:, 8:]], axis=1), [0, 1, -2, 2, 0], 0.5)


def test_the_torus_acts_and_a_subgroup_is_part_of_it():
    torus, rng = model().torus, np.random.default_rng(1)
    x, phi, psi = rng.normal(size=(3, 9)), rng.uniform(0, 7, (3, 5)), rng.uniform(0, 7, (3, 5))
    phi[:, 4] = psi[:, 4] = 0.0
    np.testing.assert_allclose(torus.act(torus.act(x, phi), psi), torus.act(x, phi + psi), atol=1e-12)
    s = np.array([0.3, 1.0, -2.0])
    np.testing.assert_allclose(torus.act(x, s[:, None] * model().weights), model().act(x, s), atol=1e-12)
    flipped = torus.act(x, np.array([0, 0, 0, 0, np.pi]))
    np.testing.assert_allclose(torus.coordinates(flipped)[:, 4], -torus.coordinates(x)[:, 4], atol=1e-12)


def test_the_stabilizer_of_the_torus_is_invariant():
    torus, rng = model().torus, np.random.default_rng(2)
    x = rng.normal(size=9)
    stabilizer = torus.stabilizer(x)
    np.testing.assert_allclose(stabilizer.eta, torus.invariants(x), atol=1e-12)
    np.testing.assert_allclose(
        torus.stabilizer(torus.act(x, rng.uniform(0, 7, 5) * [1, 1, 1, 1, 0])).eta, stabilizer.eta
    )


def test_pooled_norms_with_weight_zero_sum_to_all_energy():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, 9))
    norms = model().pooled_norms(x, fixed=True)
    np.testing.assert_allclose(norms[:, 1:], model().pooled_norms(x))
    np.testing.assert_allclose(norms.sum(axis=1), (x**2).sum(axis=1) / 0.25)
    np.testing.assert_allclose(model().pooled_norms(model().act(x, 1.1), fixed=True), norms)


def test_phases_that_do_not_fit():
    with pytest.raises(tsa.ShapeError, match="5 subspaces"):
        model().torus.act(np.ones(9), np.ones(4))
    with pytest.raises(tsa.ShapeError, match="do not fit together"):
        model().act(np.ones((3, 9)), np.ones(4))
