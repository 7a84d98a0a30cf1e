"""Weights, refinement and recovery: what was learned, taken apart and held against the truth."""

import numpy as np
import pytest
from scipy import ndimage

from tests.hard import random_filters
from tsa import InputError, Subgroup, Torus, Weights, estimate_weights, fourier_model, load, recovery, refine
from tsa.groups import CyclicShift, ImageRotation
from tsa.recipes import BUNDLED, Recipe
from tsa.stiefel import real_columns
from tsa.weights import as_subgroup, describe, velocities


@pytest.mark.parametrize("shape", [9, 8, (4, 4), (3, 5)])
def test_weights_of_the_dft_are_its_frequencies(shape):
    model, action = fourier_model(shape), CyclicShift(shape)
    found = estimate_weights(model, action)
    planes = ~model.lines
    # Frequencies −n/2 and n/2 are one on the lattice.
    modulus = np.array(action.shape)
    gap = np.mod(np.atleast_2d((found.values - model.weights).T).T[planes], modulus)
    assert not gap.any()
    np.testing.assert_allclose(found.confidence, 1.0, atol=1e-6)


def test_paper_and_projection_agree_on_pure_filters():
    model, action = fourier_model(16), CyclicShift(16)
    planes = np.flatnonzero(~model.lines)
    np.testing.assert_allclose(velocities(model, action)[planes], model.weights[planes], atol=0.05)
    flat, two = fourier_model((4, 4)), CyclicShift((4, 4))
    inner = np.flatnonzero(~flat.lines & (np.abs(flat.weights).max(axis=1) < 2))
    np.testing.assert_allclose(velocities(flat, two)[inner], flat.weights[inner], atol=0.1)


def test_a_mixed_filter_has_low_confidence():
    model, action = fourier_model(9), CyclicShift(9)
    mixed = (model.filters[:, 1] + model.filters[:, 2]) / np.sqrt(2)
    found = estimate_weights(Torus(mixed[:, None]), action)
    assert found.confidence[0] == pytest.approx(0.5, abs=0.01)


def test_weights_print_like_a_sum():
    assert str(Weights(np.array([0, 1, -1, 2]), np.ones(4))) == "1x0 + 2x1 + 1x2"
    assert describe(np.array([[0, 1], [0, -1], [1, -1]])) == "2x(0,1) + 1x(1,-1)"
    weights = Weights(np.array([1, 2]), np.ones(2))
    assert len(weights) == 2
    assert Subgroup(random_filters(np.random.default_rng(0), 4, 2), weights).weights.tolist() == [1, 2]


def scrambled(model, rng):
    """The same span in a random basis of planes: what learning would hand over at its worst."""
    columns = real_columns(model.filters)
    turned = columns @ np.linalg.qr(rng.normal(size=(columns.shape[1],) * 2))[0]
    return Torus(turned[:, ::2] + 1j * turned[:, 1::2])


@pytest.mark.parametrize("shape", [8, 32, (4, 4)])
def test_refinement_takes_any_basis_apart(shape):
    model, action = fourier_model(shape), CyclicShift(shape)
    refined = refine(scrambled(model, np.random.default_rng(0)), action)
    assert refined.subspaces == model.subspaces
    assert refined.lines.sum() == model.lines.sum()
    assert recovery(refined, action).affinity.min() > 1 - 1e-6
    assert recovery(refined, action).relative_purity.min() > 1 - 1e-6
    assert not len(refined.completed)
    assert not len(refined.dropped)
    np.testing.assert_allclose(refined.kept, 1.0, atol=1e-6)


def test_refinement_is_deterministic():
    """Two bases of one span give the same filters: phases and signs are fixed."""
    model, action = fourier_model(12), CyclicShift(12)
    a, b = (refine(scrambled(model, np.random.default_rng(seed)), action) for seed in (1, 2))
    np.testing.assert_array_equal(a.weights, b.weights)
    np.testing.assert_allclose(a.filters, b.filters, atol=1e-9)


def test_half_a_plane_is_completed_or_dropped():
    model, action = fourier_model(9), CyclicShift(9)
    half = model.filters[:, 3].real
    learned = Torus(np.stack([model.filters[:, 1], model.filters[:, 2], half], axis=1))
    refined = refine(learned, action)
    assert describe(refined.weights) == "1x1 + 1x2 + 1x3"
    assert refined.completed.tolist() == [3]
    assert refined.kept[2] == pytest.approx(np.sqrt(0.5))
    np.testing.assert_allclose(refined.kept[:2], 1.0)
    assert recovery(refined, action).affinity.min() > 1 - 1e-9


def test_refinement_of_the_wrong_group_is_refused():
    with pytest.raises(InputError, match="not the same patches"):
        refine(fourier_model(9), ImageRotation(4))


def test_bundled_rotation_model():
    """The paper's run: after refinement no weight is wrong, all filters near the ceiling, the evidence not lower."""
    learned, refined, action = load("rotation-16"), load("rotation-16-refined"), ImageRotation(16)
    np.testing.assert_array_equal(estimate_weights(refined, action).values, refined.weights)
    score = recovery(refined, action)
    assert score.relative_purity.min() >= 0.97
    assert recovery(learned, action).relative_purity.min() < 0.6  # the paper's mixed pairs
    x, y, _ = action.pairs(2000, rng=5)
    assert refined.torus.log_evidence(x, y).mean() > learned.torus.log_evidence(x, y).mean()
    assert refined.log_evidence(x, y).mean() > learned.log_evidence(x, y).mean()
    again = refine(learned.torus, action)
    np.testing.assert_array_equal(again.weights, refined.weights)
    np.testing.assert_allclose(again.filters, refined.filters, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("shape", "n"), [((32,), 16), ((8, 8), 32)])
def test_every_irreducible_of_a_shift_is_recovered(shape, n, seed):
    recipe = Recipe("shift", shape, n, n_pairs=100_000, seed=seed, refined=True)
    *_, last = recipe.train()
    result = recipe.finish(last.filters, [])
    score = recovery(result.model, recipe.action)
    assert result.model.subspaces == len(recipe.action.characters)
    assert score.affinity.min() >= 0.999
    assert score.purity.min() >= 0.999


@pytest.mark.slow
def test_the_bundled_model_is_what_its_recipe_makes():
    recipe = BUNDLED["rotation-16"]
    *_, last = recipe.train()
    model = as_subgroup(Torus(last.filters), recipe.action)
    bundled = load("rotation-16")
    np.testing.assert_allclose(model.filters, bundled.filters, atol=1e-3)
    np.testing.assert_array_equal(model.weights, bundled.weights)


def winding(filter_, size):
    """How often the phase of a filter winds around rings about the centre: its weight, by an independent road."""
    theta = 2 * np.pi * np.arange(128) / 128
    power = np.zeros(65)
    for radius in np.arange(1, size / 2, 0.5):
        ring = (size - 1) / 2 + radius * np.array([-np.sin(theta), np.cos(theta)])
        parts = (
            ndimage.map_coordinates(p.reshape(size, size), ring, mode="mirror") for p in (filter_.real, filter_.imag)
        )
        spectrum = radius * np.abs(np.fft.fft(sum(c * p for c, p in zip((1, 1j), parts, strict=True)))) ** 2
        power += np.concatenate([spectrum[:1], spectrum[1:64] + spectrum[:64:-1], spectrum[64:65]])
    return int(power.argmax())


@pytest.mark.parametrize(("name", "size"), [("rotation-16-refined", 16), ("rotation-28", 28)])
def test_no_weight_is_wrong(name, size):
    model = load(name)
    assert [winding(f, size) for f in model.filters.T] == np.abs(model.weights).tolist()
