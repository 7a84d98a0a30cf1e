"""The bispectral invariants: invariant, stable, complete (they can be inverted), and finer than κ̂."""

import numpy as np
import pytest

from tests.hard import TURN, random_filters
from tsa import InputError, ShapeError, Subgroup, fourier_model, load
from tsa.model import balanced, principal
from tsa.pictures import SHAPES, datasets, patch
from tsa.recognition import BispectralDistance, Bispectrum, nearest


@pytest.fixture(scope="module")
def model():
    return load("rotation-16-refined")


@pytest.fixture(scope="module")
def digits(model):
    """Rotated digits, as the model sees them: in the span of its filters."""
    seen = datasets.rotated(datasets.sample("test")[:30], 0).patches.astype(float)
    return model.reconstruct(model.coordinates(seen))


@pytest.fixture(scope="module")
def invariant(model, digits):
    return Bispectrum(model, digits)


def relative(gap, x):
    return np.linalg.norm(gap, axis=-1) / np.linalg.norm(x, axis=-1)


@pytest.mark.parametrize("leading", [1, 2, 3])
def test_a_turn_changes_nothing(model, digits, leading):
    invariant = Bispectrum(model, digits, leading)
    angles = np.random.default_rng(0).uniform(0, TURN, len(digits))
    assert relative(invariant(model.act(digits, angles)) - invariant(digits), digits).max() < 1e-6


def test_signed_weights_and_fixed_planes():
    rng = np.random.default_rng(1)
    model = Subgroup(random_filters(rng, 14, 5, 2), [-2, 1, 0, 3, -1, 0, 0], 0.5)
    invariant = Bispectrum(model, rng.normal(size=(50, 14)))
    x = model.reconstruct(model.coordinates(rng.normal(size=(3, 4, 14))))
    np.testing.assert_allclose(invariant(model.act(x, 1.3)), invariant(x), atol=1e-12)
    np.testing.assert_allclose(model.distance(invariant.invert(invariant(x)), x), 0, atol=1e-6)


def test_size_and_scale(invariant, digits):
    """As large as the patch, and twice as large for twice the patch."""
    np.testing.assert_allclose(invariant(2 * digits), 2 * invariant(digits), rtol=1e-9, atol=1e-9)
    ratio = relative(invariant(digits), digits)
    assert ratio.min() > 0.9
    assert ratio.max() < 3
    np.testing.assert_array_equal(invariant(np.zeros(256)), 0)
    assert invariant(digits.astype(np.float32)).dtype == np.float32
    assert invariant(digits[0]).shape == (invariant(digits).shape[1],)


def test_few_triples(invariant):
    K = len(invariant.weights)
    assert len(invariant.triples) <= K * np.log2(K)


@pytest.mark.parametrize("name", ["rotation-16-refined", "rotation-28"])
def test_the_orbit_comes_back(name):
    """Digits, and shapes of every symmetry, in which most weights have no energy at all."""
    model = load(name)
    size = int(np.sqrt(model.dimension))
    shapes = np.stack([patch(shape.draw(56), size) for shape in SHAPES.values()])
    seen = np.concatenate([shapes, datasets.rotated(datasets.sample("test")[:30], 0, size).patches])
    x = model.reconstruct(model.coordinates(seen.astype(float)))
    invariant = Bispectrum(model, x)
    back = invariant.invert(invariant(x))
    assert (model.distance(back, x) / np.linalg.norm(x, axis=1)).max() < 1e-3
    assert relative(invariant(back) - invariant(x), x).max() < 1e-3


def test_the_orbit_comes_back_in_one_dimension():
    model = fourier_model(21)
    x = np.random.default_rng(0).normal(size=(40, 21))
    invariant = Bispectrum(model)
    np.testing.assert_allclose(model.distance(invariant.invert(invariant(x)), x), 0, atol=1e-6)


def test_what_kappa_cannot_tell_apart(model, invariant, digits):
    """Free phases in every subspace leave κ̂, one phase for each weight leaves even the pooled norms: not these."""
    rng = np.random.default_rng(2)
    z = model.coordinates(digits)
    per_subspace = rng.uniform(0, TURN, z.shape)
    per_weight = rng.uniform(0, TURN, (len(z), model.weights.max() + 1))[:, model.weights]
    for phase in (per_subspace, per_weight):
        other = model.reconstruct(z * np.where(model.weights == 0, 1, np.exp(1j * phase)))
        np.testing.assert_allclose(model.invariants(other), model.invariants(digits), atol=1e-4)
        orbit = model.distance(digits, other)
        assert np.all(orbit > 0.1 * np.linalg.norm(digits, axis=1))
        assert np.all(np.linalg.norm(invariant(digits) - invariant(other), axis=1) > 0.5 * orbit)


def test_stable_where_differences_of_angles_are_not(model, invariant, digits):
    """Noise moves the invariants by a constant times its size; ω_jθ_k − ω_kθ_j jumps where a subspace is silent."""
    rng = np.random.default_rng(3)
    z = model.coordinates(digits)
    silent = np.where(model.weights == 5, 1e-4 * z, z)
    x = model.reconstruct(silent)
    noise = 1e-3 * rng.normal(size=x.shape)
    noise *= np.linalg.norm(x, axis=1, keepdims=True) / np.sqrt(256)
    moved = np.linalg.norm(invariant(x + noise) - invariant(x), axis=1)
    assert np.all(moved < 6 * np.linalg.norm(noise, axis=1))

    def angles(patches):
        theta, weights = np.angle(model.coordinates(patches)), model.weights
        j, k = np.flatnonzero(weights == 1)[0], np.flatnonzero(weights == 5)[0]
        return np.exp(1j * (weights[j] * theta[:, k] - weights[k] * theta[:, j]))

    np.testing.assert_allclose(angles(model.act(x, 0.4)), angles(x), atol=0.05)
    assert np.median(np.abs(angles(x + noise) - angles(x))) > 0.5


def test_lipschitz_on_the_orbits(model, invariant, digits):
    """Never further apart than a constant times the manifold distance, for near and for unrelated patches."""
    rng = np.random.default_rng(4)
    for step in (1e-4, 1e-2, 1.0):
        other = model.act(digits + step * rng.normal(size=digits.shape), rng.uniform(0, TURN, len(digits)))
        apart = np.linalg.norm(invariant(other) - invariant(digits), axis=1)
        assert np.all(apart < 6 * model.distance(digits, other) + 1e-6)


def test_mistakes_are_named(model, invariant):
    with pytest.raises(InputError, match="lead"):
        Bispectrum(model, leading=0)
    with pytest.raises(ShapeError, match="invariants in the last axis"):
        invariant.invert(np.zeros(7))


def test_search_by_invariants(model, digits):
    """Turned copies are found without turning anything; the projection on the main axes finds them too."""
    turned = model.act(digits, np.random.default_rng(0).uniform(0, TURN, len(digits)))
    for metric in (BispectralDistance(Bispectrum(model, digits)), BispectralDistance.fitted(model, digits, 20)):
        index, distance = nearest(digits, turned, metric)
        np.testing.assert_array_equal(index[:, 0], np.arange(len(digits)))
        np.testing.assert_allclose(distance, 0, atol=1e-5)
    assert metric.embed(digits).shape == (30, 20)


@pytest.mark.parametrize("recut", [principal, balanced])
@pytest.mark.parametrize("name", ["rotation-16", "rotation-16-refined"])
def test_another_cut_is_the_same_group(recut, name, digits):
    """Weights, orbits and distances stay; the energies of the planes become what was asked for."""
    model = load(name)
    other = recut(model, digits)
    np.testing.assert_array_equal(np.sort(np.abs(model.weights)), other.weights)
    np.testing.assert_allclose(other.act(digits, 0.7), model.act(digits, 0.7), atol=1e-5)
    np.testing.assert_allclose(
        other.distance(digits[:15], digits[15:]), model.distance(digits[:15], digits[15:]), atol=1e-5
    )
    energy = other.invariants(digits).mean(axis=0)
    for k in range(1, 6):
        spread = energy[other.weights == k]
        if recut is principal:
            assert np.all(np.diff(spread) <= 1e-6)
        else:
            np.testing.assert_allclose(spread, spread.mean(), rtol=1e-4)


def test_another_cut_of_shifts():
    rng = np.random.default_rng(5)
    model = fourier_model((3, 4))
    x = rng.normal(size=(30, 12))
    other = balanced(model, x)
    np.testing.assert_allclose(other.act(x, [0.3, 0.4]), model.act(x, [0.3, 0.4]), atol=1e-9)


@pytest.mark.parametrize("n", [8, 9, 16])
def test_inversion_with_and_without_a_nyquist_line(n):
    model, rng = fourier_model(n), np.random.default_rng(0)
    invariant = Bispectrum(model)
    x = rng.normal(size=(5, n))
    back = invariant.invert(invariant(x))
    np.testing.assert_allclose(invariant(back), invariant(x), atol=1e-6)
    np.testing.assert_allclose(model.distance(x, back), 0, atol=1e-6)


def test_weights_that_no_triple_ties_stay_untied():
    """Energy at 2 and 3 alone: what the docstring says it cannot tell."""
    model = fourier_model(17)
    z = np.zeros((2, model.subspaces), complex)
    z[:, np.abs(model.weights) == 2] = 1
    z[:, np.abs(model.weights) == 3] = np.array([[1], [1j]])
    x = model.reconstruct(z)
    invariant = Bispectrum(model)
    np.testing.assert_allclose(*invariant(x), atol=1e-12)
    assert model.distance(*x) > 0.5


def test_without_patches_the_planes_lead_in_their_order(model):
    cut = Bispectrum(model).model
    order = np.argsort(np.abs(model.weights), kind="stable")
    overlap = np.abs(
        np.sum(cut.filters.conj() * np.where(model.weights < 0, model.filters.conj(), model.filters)[:, order], 0)
    )
    np.testing.assert_allclose(np.sort(overlap)[:5], np.where(cut.lines, 1, 2)[np.argsort(overlap)][:5], rtol=1e-5)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_homogeneous_at_any_size(invariant, digits, scale):
    np.testing.assert_allclose(invariant(scale * digits), scale * invariant(digits), rtol=1e-9, atol=1e-9 * scale)
    single = invariant((scale * digits).astype(np.float32))
    assert relative(single - scale * invariant(digits), scale * digits).max() < 1e-4


def test_empty_batches(invariant):
    assert invariant(np.empty((0, 256))).shape[0] == 0
    assert BispectralDistance(invariant).distance(np.empty((0, 256)), np.zeros(256)).shape == (0,)
