"""Two models are the same when they act the same, however their filters are written; and never otherwise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hard import random_filters
from tests.shared.model_files import disguised, npy
from tsa import InputError, Subgroup, compare, fourier_model, load
from tsa.analysis import identify_group
from tsa.files import read

SEEDS = st.integers(0, 10**6)


def rewritten(model, rng):
    """Another order, other phases, some pairs conjugate with their weights: the same representation."""
    filters, order, sign = disguised(model, rng)
    weights = model.weights[order]
    return Subgroup(filters, weights * (sign if weights.ndim == 1 else sign[:, None]))


def mixed_within(model, rng):
    """Planes of one weight mixed by a random unitary matrix."""
    filters = model.filters.astype(np.complex128)
    for weight in np.unique(model.weights, axis=0):
        same = (model.weights == weight) if model.parameters == 1 else (model.weights == weight).all(axis=1)
        j = np.flatnonzero(same & ~model.lines)
        filters[:, j] @= np.linalg.qr(rng.normal(size=(j.size, j.size)) + 1j * rng.normal(size=(j.size, j.size)))[0]
    return Subgroup(filters.astype(model.filters.dtype), model.weights)


def act_alike(a, b):
    """The oracle: the operators themselves, at a few elements of the group."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        s = rng.uniform(0, 2 * np.pi, None if a.parameters == 1 else 2)
        if np.abs(a.act(np.eye(a.dimension), s) - b.act(np.eye(b.dimension), s)).max() > 1e-3:
            return False
    return True


@pytest.mark.parametrize("name", ["rotation-16-refined", "shift-32", "shift-16x16"])
def test_a_rewritten_model_is_the_same(name):
    model = load(name)
    for other in (rewritten(model, np.random.default_rng(0)), mixed_within(model, np.random.default_rng(1))):
        result = compare(model, other)
        assert result.same
        assert act_alike(model, other)
        assert result.verdict.startswith("The same representation: ")
        assert min(space.affinity for space in result.spaces) > 0.9999


@settings(max_examples=60, deadline=None)
@given(
    SEEDS, st.sampled_from([1, 2]), st.sampled_from(["rewritten", "mixed", "conjugate", "weight", "across", "moved"])
)
def test_same_if_and_only_if_they_act_the_same(seed, parameters, change):
    rng = np.random.default_rng(seed)
    weights = rng.integers(-2, 3, (5,) if parameters == 1 else (5, 2))
    weights[3:] = 0  # lines; the group is continuous
    model = Subgroup(random_filters(rng, 14, 3, 2), weights)
    filters = model.filters.copy()
    if change == "rewritten":
        other = rewritten(model, rng)
    elif change == "mixed":
        other = mixed_within(model, rng)
    else:
        if change == "conjugate":
            filters[:, 0] = filters[:, 0].conj()
        elif change == "weight":
            weights = np.concatenate([weights[:1] + 1, weights[1:]])
        elif change == "across":
            filters[:, :2] @= np.array([[0.8, 0.6], [-0.6, 0.8]])
        else:
            filters = random_filters(rng, 14, 3, 2)
        other = Subgroup(filters, weights)
    assert compare(model, other).same == act_alike(model, other)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_symmetric_in_its_arguments(seed):
    rng = np.random.default_rng(seed)
    a = Subgroup(random_filters(rng, 12, 4, 1), rng.integers(-2, 3, 5))
    b = Subgroup(random_filters(rng, 12, 3, 2), rng.integers(-2, 3, 5))
    forth, back = compare(a, b), compare(b, a)
    assert forth.same == back.same
    for one, other in zip(forth.spaces, back.spaces, strict=True):
        assert one.weight == other.weight
        assert one.subspaces == other.subspaces[::-1]
        assert one.dimensions == other.dimensions[::-1]
        assert one.affinity == pytest.approx(other.affinity, abs=1e-9)
        assert one.agreement == pytest.approx(other.agreement, abs=1e-9)
    assert sum(m.affinity for m in forth.matches) == pytest.approx(sum(m.affinity for m in back.matches))


def test_subspaces_are_matched_to_their_copies():
    model, rng = load("rotation-16-refined"), np.random.default_rng(0)
    filters, order, sign = disguised(model, rng)
    result = compare(model, Subgroup(filters, sign * model.weights[order]))
    assert len(result.matches) == model.subspaces
    for match in result.matches:
        assert order[match.second] == match.first
        assert abs(model.weights[match.first]) == match.weight
        assert match.affinity == pytest.approx(1.0, abs=1e-5)


def test_the_affinity_of_a_match_is_that_of_its_principal_angles():
    rng = np.random.default_rng(0)
    a, b = (Subgroup(random_filters(rng, 6, 1, 0), [1]) for _ in range(2))
    cosines = np.linalg.svd(a.filters.view(float).T @ b.filters.view(float), compute_uv=False)
    result = compare(a, b)
    assert result.matches[0].affinity == pytest.approx(np.sqrt(np.mean(cosines**2)))
    assert result.spaces[0].affinity == pytest.approx(cosines[-1])


def test_a_mixture_across_weights_is_not_the_same():
    model = load("rotation-16-refined")
    one, two = (int(np.flatnonzero(model.weights == w)[0]) for w in (1, 2))
    filters, angle = model.filters.astype(np.complex128), np.radians(30)
    rotation = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    filters[:, [one, two]] = filters[:, [one, two]] @ rotation
    result = compare(model, Subgroup(filters.astype(np.complex64), model.weights))
    assert not result.same
    assert [space.weight for space in result.differing] == [1, 2]
    expected = "Not the same representation: different spaces at 2 weights: 1 (30° apart), 2 (30° apart)."
    assert result.verdict == expected
    assert [row["same"] for row in result.table()].count(False) == 2


def test_the_verdict_says_what_differs():
    model = fourier_model(9)
    fewer = Subgroup(model.filters[:, :3], model.weights[:3])
    assert compare(model, fewer).verdict == (
        "Not the same representation: different multiplicities at 2 weights: "
        "3 (1 against 0 subspaces), 4 (1 against 0 subspaces)."
    )
    backwards = Subgroup(model.filters, -model.weights)
    result = compare(model, backwards)
    assert min(space.affinity for space in result.spaces) == pytest.approx(1.0)
    assert result.verdict == (
        "Not the same representation: the same spaces but opposite directions of turning at 4 weights: 1, 2, 3, 4."
    )
    line = Subgroup(np.concatenate([model.filters[:, :1], model.filters[:, 1:2].real], axis=1), model.weights[:2])
    plane = Subgroup(model.filters[:, :2], model.weights[:2])
    assert "1 (2 against 1 dimensions)" in compare(plane, line).verdict


def test_two_lines_are_a_plane_only_where_nothing_turns():
    w = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 2)))[0]
    for weight, same in ((0, True), (3, False)):
        plane, lines = Subgroup(w[:, :1] + 1j * w[:, 1:], [weight]), Subgroup(w, [weight, weight])
        assert compare(plane, lines).same == same == act_alike(plane, lines)


def test_a_foreign_copy_of_a_bundled_model_is_recognised():
    """Read, weighed and compared: nothing but the real columns crosses over."""
    for name, seed in (("rotation-16-refined", 0), ("shift-16x16", 1)):
        model = load(name)
        columns = disguised(model, np.random.default_rng(seed))[0].view(np.float32)
        file = read(npy(columns))
        guess = identify_group(file.model, file.shape)
        assert compare(model, Subgroup(guess.model.filters, guess.weights)).same


def test_models_of_different_patches_are_not_compared():
    with pytest.raises(InputError, match="9 and 8 pixels"):
        compare(fourier_model(9), fourier_model(8))
    with pytest.raises(InputError, match="one parameter"):
        compare(fourier_model(9), fourier_model((3, 3)))
