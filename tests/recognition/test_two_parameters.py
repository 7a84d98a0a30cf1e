"""Invariants and exact search for groups of two and three parameters, against brute force over the group."""

import numpy as np
import pytest

from tests.hard import random_filters
from tsa import Bispectrum, Subgroup, fourier_model, nearest
from tsa.groups import CyclicShift
from tsa.recognition import BispectralDistance


@pytest.fixture(params=["shifts of 5×5", "shifts of 4×6", "two circles", "three circles"])
def model(request):
    rng = np.random.default_rng(0)
    if request.param.startswith("shifts"):
        return fourier_model((5, 5) if "5×5" in request.param else (4, 6), noise=0.5)
    if request.param == "two circles":
        return Subgroup(random_filters(rng, 13, 5, 2), [(1, 0), (0, -1), (1, 1), (-1, 1), (2, 0), (0, 0), (0, 0)])
    weights = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, -1), (1, 1, 1)]
    return Subgroup(random_filters(rng, 12, 6), weights)


def moved(model, x, rng):
    """x moved by a group element: any for circles, whole pixels for shifts of pictures with an even side."""
    sizes = (4, 6) if model.dimension == 24 else (5, 5)
    s = rng.uniform(0, 2 * np.pi, model.parameters)
    if model.parameters == 2 and model.dimension in (24, 25):
        s = 2 * np.pi * rng.integers(sizes) / np.array(sizes)
    return model.act(x, s)


def test_moving_changes_nothing_and_other_patches_differ(model):
    rng = np.random.default_rng(1)
    x = model.reconstruct(model.coordinates(rng.standard_normal((6, model.dimension))))
    invariant = Bispectrum(model)
    np.testing.assert_allclose(invariant(moved(model, x, rng)), invariant(x), atol=1e-9)
    gaps = np.linalg.norm(invariant(x)[:, None] - invariant(x)[None], axis=-1) + 9 * np.eye(len(x))
    assert gaps.min() > 0.3
    np.testing.assert_allclose(invariant(3 * x), 3 * invariant(x), atol=1e-9)


def test_the_orbit_is_recovered(model):
    """Complete: the patch that the invariants are turned back into lies on the orbit of the one they came from."""
    rng = np.random.default_rng(2)
    x = model.reconstruct(model.coordinates(rng.standard_normal((4, model.dimension))))
    invariant = Bispectrum(model)
    back = invariant.invert(invariant(x))
    np.testing.assert_allclose(invariant(back), invariant(x), atol=1e-5)
    if model.parameters < 3:
        np.testing.assert_allclose(model.distance(back, x), 0, atol=1e-4)


def test_a_phase_that_differs_is_noticed():
    """Same energies, another relative phase: a different orbit, which κ̂ cannot tell apart."""
    model = Subgroup(random_filters(np.random.default_rng(0), 6, 3), [(1, 0), (0, 1), (1, 1)])
    z = np.array([[1, 1, 1], [1, 1, 1j]])
    x = model.reconstruct(z)
    np.testing.assert_allclose(model.invariants(x)[0], model.invariants(x)[1])
    assert np.linalg.norm(np.subtract(*Bispectrum(model)(x))) > 0.5


def test_nearest_is_exact_for_two_parameters():
    """Against the smallest distance over all whole shifts of all training patches."""
    rng, action = np.random.default_rng(3), CyclicShift((5, 5))
    model = fourier_model((5, 5))
    train = rng.standard_normal((12, 25))
    chosen = rng.integers(12, size=6)
    queries = np.stack([action.apply(train[i], action.lattice[rng.integers(25)]) for i in chosen])
    queries += 0.05 * rng.standard_normal(queries.shape)
    indices, distances = nearest(train, queries, model)
    np.testing.assert_array_equal(indices.ravel(), chosen)
    shifts = np.stack([moved for _, moved in sorted(action.apply_all(train), key=lambda item: item[0])])
    brute = np.linalg.norm(queries[:, None, None] - shifts[None], axis=-1).min(axis=(1, 2))
    assert np.all(distances.ravel() <= brute + 1e-9)  # shifts between the pixels are closer still
    assert np.all(distances.ravel() > 0.3 * brute)
    found, _ = nearest(train, queries, BispectralDistance(Bispectrum(model)))
    np.testing.assert_array_equal(found.ravel(), chosen)
