"""Answers from coordinates agree with answers from patches; another σ is another model of the same filters."""

import numpy as np
import pytest

from tests.hard import random_eta, random_filters
from tsa import GeneralizedVonMises, InputError, ShapeError, Subgroup, Torus, TorusVonMises, VonMises, load, refine
from tsa.groups import CyclicShift


def cases():
    rng = np.random.default_rng(0)
    filters = random_filters(rng, 12, 4, 1)
    yield "torus", Torus(filters, 0.7), VonMises(random_eta(rng, 5, 1.0))
    yield "one", Subgroup(filters, [1, -2, 2, 0, 0], 0.7), GeneralizedVonMises(random_eta(rng, 3, 1.0))
    two = TorusVonMises(random_eta(rng, 2, 1.0), [[1, -2], [0, 1]])
    yield "two", Subgroup(filters, [[1, 0], [-1, 2], [1, 1], [0, 0], [0, 0]], 0.7), two


CASES = {name: (model, prior) for name, model, prior in cases()}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("model", "prior"), CASES.values(), ids=CASES)
def test_coordinates_say_the_same_as_patches(model, prior, dtype):
    x, y = np.random.default_rng(1).normal(size=(2, 3, model.dimension)).astype(dtype)
    u, v = model.coordinates(x), model.coordinates(y)
    energy = np.sum(y * y, axis=-1, dtype=np.float64)
    np.testing.assert_allclose(model.natural_from(u, v), u.conj() * v / 0.49, rtol=1e-6)
    for p in (None, prior):
        np.testing.assert_array_equal(model.posterior_from(u, v, p).eta, model.posterior(x, y, p).eta)
        np.testing.assert_array_equal(model.log_evidence_from(u, v, energy, p), model.log_evidence(x, y, p))
    np.testing.assert_array_equal(model.distance_from(u, v), model.distance(x, y))


@pytest.mark.parametrize(("model", "prior"), CASES.values(), ids=CASES)
def test_coordinates_of_another_shape_are_refused(model, prior):
    z = model.coordinates(np.ones(12))
    for wrong in (z[:-1], z.real, z[0]):
        with pytest.raises(ShapeError, match="Coordinates"):
            model.posterior_from(z, wrong)
    with pytest.raises(ShapeError, match="fit together"):
        model.natural_from(np.stack([z, z]), np.stack([z, z, z]))


@pytest.mark.parametrize(("model", "prior"), CASES.values(), ids=CASES)
def test_another_noise_is_the_same_as_a_new_model(model, prior):
    model.log_evidence(*np.ones((2, 12)))  # whatever is cached belongs to the old σ
    other = model.with_noise(0.3)
    new = Torus(model.filters, 0.3) if isinstance(model, Torus) else Subgroup(model.filters, model.weights, 0.3)
    x, y = np.random.default_rng(1).normal(size=(2, 3, 12))
    assert type(other) is type(model)
    assert (other.noise, model.noise) == (0.3, 0.7)
    np.testing.assert_array_equal(other.log_evidence(x, y, prior), new.log_evidence(x, y, prior))
    if isinstance(model, Subgroup):
        assert model.torus.noise == 0.7
        assert model.with_noise(0.3).torus.noise == 0.3
    with pytest.raises(InputError, match="positive"):
        model.with_noise(0)


def test_another_noise_keeps_what_refinement_found():
    refined = refine(load("shift-32"), CyclicShift(32))
    other = refined.with_noise(0.2)
    assert type(other) is type(refined)
    np.testing.assert_array_equal(other.kept, refined.kept)
    np.testing.assert_array_equal(other.weights, refined.weights)


def test_models_at_several_noises_share_their_tables():
    """Sixteen of a model of 64×64 pixels would take gigabytes."""
    model = Subgroup(load("rotation-16").filters, load("rotation-16").weights)
    one, other = (model.with_noise(noise).coordinates(np.ones((2, 256), np.float32)) for noise in (0.1, 0.2))
    np.testing.assert_array_equal(one, other)
    assert model.with_noise(0.3)._basis(np.dtype(np.float32)) is model.with_noise(0.4)._basis(np.dtype(np.float32))
    assert np.shares_memory(model._basis(np.dtype(np.float32)), model.filters)  # which are in single precision too
