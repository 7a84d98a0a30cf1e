"""Weights: folding, order, pooling, phases, printing and parsing, for groups of one to three parameters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from tests.hard import random_filters
from tsa import InputError, ShapeError, Subgroup, Weights, compare, load
from tsa.model import weight_name

VALUES = arrays(np.int64, array_shapes(min_dims=2, max_dims=2, max_side=12), elements=st.integers(-3, 3)).map(
    lambda values: values[:, :3]
)


def rows(values):
    return sorted(map(tuple, values.tolist()))


@given(VALUES)
def test_what_is_printed_is_read_back(values):
    weights = Weights(values)
    again = Weights.parse(str(weights))
    assert rows(again.values) == rows(weights.folded.values)
    assert str(again) == str(weights)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", []),
        ("2x0 + 1x3", [0, 0, 3]),
        ("1x-2+1x1", [-2, 1]),
        (" 1x(0,1)  +  2x( 1, -1 ) ", [[0, 1], [1, -1], [1, -1]]),
        ("1x(0,0,4)", [[0, 0, 4]]),
    ],
)
def test_parsing(text, values):
    assert Weights.parse(text) == Weights(values)


@pytest.mark.parametrize("text", ["3", "x1", "2x", "2x1.5", "1x(1)", "1x0 + 1x(0,1)", "1x1 +", "9999999x1", "-1x2"])
def test_what_is_not_written_like_weights_is_refused(text):
    with pytest.raises(InputError):
        Weights.parse(text)


@given(VALUES)
def test_folding(values):
    weights = Weights(values)
    folded = weights.folded
    assert folded.folded == folded
    assert not folded.negated.any()
    assert all(next((number for number in row if number), 1) > 0 for row in folded.values)
    np.testing.assert_array_equal(np.where(weights.negated[:, None], -folded.values, folded.values), values)
    assert Weights(-values).folded == folded


@given(VALUES)
def test_order_is_by_length_and_keeps_both_signs_together(values):
    weights = Weights(values)
    keys = [tuple(row) for row in weights.folded.values.tolist()]
    expected = sorted(
        range(len(keys)), key=lambda j: (sum(k * k for k in keys[j]), keys.index(keys[j]), weights.negated[j])
    )
    assert weights.order().tolist() == expected


@given(VALUES)
def test_spaces_hold_every_subspace_once_under_the_name_that_is_printed(values):
    weights = Weights(values)
    spaces = weights.spaces()
    np.testing.assert_array_equal(np.sort(np.concatenate(list(spaces.values()))), np.arange(len(weights)))
    for weight, members in spaces.items():
        assert {list(weights.folded)[j] for j in members} == {weight}
    assert str(weights) == " + ".join(f"{len(j)}x{weight_name(weight)}" for weight, j in spaces.items())
    lengths = [np.square(weight).sum() for weight in spaces]
    assert lengths == sorted(lengths)


@given(VALUES, st.integers(0, 10**6), st.sampled_from([np.complex64, np.complex128]))
def test_pool_sums_the_subspaces_of_a_weight_and_spread_is_its_adjoint(values, seed, dtype):
    weights, rng = Weights(values), np.random.default_rng(seed)
    J, H = len(weights), len(weights.harmonics)
    eta, moments = ((rng.normal(size=(3, n)) + 1j * rng.normal(size=(3, n))).astype(dtype) for n in (J, H))
    pooled, spread = weights.pool(eta), weights.spread(moments)
    assert pooled.dtype == spread.dtype == dtype
    for h, k in enumerate(weights.harmonics):
        plus, minus = ((values == sign * k).all(axis=1) for sign in (1, -1))
        expected = eta[:, plus].sum(axis=1) + eta[:, minus].conj().sum(axis=1)
        np.testing.assert_allclose(pooled[:, h], expected, atol=1e-5)
    np.testing.assert_array_equal(weights.fixed, ~values.any(axis=1))
    np.testing.assert_array_equal(spread[:, weights.fixed], 1)
    moving = ~weights.fixed
    inner = (eta[:, moving].conj() * spread[:, moving]).real.sum()
    np.testing.assert_allclose((pooled.conj() * moments).real.sum(), inner, atol=1e-4)


@given(VALUES, st.integers(0, 10**6))
def test_phases_are_characters(values, seed):
    weights, rng = Weights(values), np.random.default_rng(seed)
    p = weights.parameters
    s, t = rng.uniform(-4, 4, (2, 5) if p == 1 else (2, 5, p))
    np.testing.assert_allclose(weights.phases(s + t), weights.phases(s) * weights.phases(t), atol=1e-12)
    np.testing.assert_allclose(Weights(-values).phases(s), weights.phases(s).conj(), atol=1e-12)
    np.testing.assert_array_equal(weights.phases(np.zeros(() if p == 1 else p)), np.ones(len(weights)))


def test_harmonics_of_one_parameter_have_no_gaps_and_those_of_two_are_the_distinct_ones():
    assert Weights([3, -1, 0]).harmonics.tolist() == [[1], [2], [3]]
    assert Weights([[0, 0], [-1, 2], [1, -2], [0, 1]]).harmonics.tolist() == [[0, 1], [1, -2]]
    assert Weights([0, 0]).harmonics.shape == (0, 1)


def test_as_an_array_it_is_what_it_was_made_from():
    one, two = Weights([1, -2], [0.5, 1.0]), Weights([[1, 0], [0, -1]])
    assert np.asarray(one).tolist() == [1, -2]
    assert np.asarray(two).tolist() == [[1, 0], [0, -1]]
    assert list(one) == [1, -2]
    assert list(two) == [(1, 0), (0, -1)]
    assert one.values.shape == (2, 1)
    assert (one.parameters, two.parameters, len(two)) == (1, 2, 2)
    assert one.confidence.tolist() == [0.5, 1.0]
    assert two.confidence.tolist() == [1.0, 1.0]
    assert one == Weights([[1], [-2]])
    assert hash(one) == hash(Weights([1, -2]))
    assert one != two
    with pytest.raises(ValueError, match="read-only"):
        one.values[0] = 3


@pytest.mark.parametrize("shape", [(1,), (2,), (7,), (8,), (3, 4), (4, 4), (1, 5)])
def test_the_weights_of_a_dft_are_folded_and_hold_each_conjugate_pair_once(shape):
    weights = Weights.of_dft(shape)
    assert weights == weights.folded
    plus, minus = (rows(np.mod(sign * weights.values, shape)) for sign in (1, -1))
    assert len(set(plus)) == len(plus)
    assert set(plus) | set(minus) == set(np.ndindex(shape))
    assert (np.diff(np.square(weights.values).sum(axis=1)) >= 0).all()


def test_errors():
    for values in (3, np.zeros((2, 0)), np.zeros((2, 2, 2))):
        with pytest.raises(ShapeError):
            Weights(values)
    with pytest.raises(InputError, match="integers"):
        Weights([0.5])
    for values in ([1e300], [2**40], [-(2**63)], np.array([2**63], np.uint64)):
        with pytest.raises(InputError, match="between"):
            Weights(values)
    for values in ([np.nan], [np.inf], ["1"], [1j]):
        with pytest.raises(InputError, match="integers"):
            Weights(values)
    with pytest.raises(ShapeError, match="confidences"):
        Weights([1, 2], [1.0])
    with pytest.raises(ShapeError, match="two parameters"):
        Weights([[1, 2]]).phases(0.3)


def test_three_parameters_act_and_have_a_posterior():
    rng = np.random.default_rng(0)
    model = Subgroup(random_filters(rng, 8, 3), np.eye(3))
    x, s = rng.normal(size=8), rng.uniform(0, 6, 3)
    np.testing.assert_allclose(model.coordinates(model.act(x, s)), np.exp(1j * s) * model.coordinates(x), atol=1e-12)
    # Weights e_1, e_2, e_3 make three independent circles: log Z is the sum of theirs.
    posterior = model.posterior(x, model.act(x, s))
    circles = model.torus.posterior(x, model.act(x, s))
    np.testing.assert_allclose(posterior.log_normalizer, circles.log_normalizer.sum(), rtol=1e-12)
    np.testing.assert_allclose(posterior.mode(), s, atol=1e-9)


def test_four_parameters_act_but_have_no_density():
    rng = np.random.default_rng(0)
    model = Subgroup(random_filters(rng, 10, 4), np.eye(4))
    x, s = rng.normal(size=10), rng.uniform(0, 6, 4)
    np.testing.assert_allclose(model.coordinates(model.act(x, s)), np.exp(1j * s) * model.coordinates(x), atol=1e-12)
    with pytest.raises(InputError, match="p = 4"):
        model.posterior(x, x)


def test_a_comparison_names_weights_as_they_are_printed():
    model = load("shift-16x16")
    printed = [term.split("x")[1] for term in str(model.irreps).split(" + ")]
    same = compare(model, model)
    assert [weight_name(space.weight) for space in same.spaces] == printed
    keep = [j for j, weight in enumerate(model.irreps.folded) if weight != (1, -1)]
    verdict = compare(model, Subgroup(model.filters[:, keep], model.weights[keep])).verdict
    assert "(1,-1) (1 against 0 subspaces)" in verdict
