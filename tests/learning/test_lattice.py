"""Integer lattices behind phases: quotients against brute force, reduction, and relations against simulated phases."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsa import GeneralizedVonMises, TorusVonMises
from tsa.learning.discovery._character_group import character_group
from tsa.learning.discovery._lattice import (
    integer_box,
    quotient,
    reduced_modulo,
    short_combinations,
    smallest_generator,
)
from tsa.learning.discovery._pooled import most_probable
from tsa.learning.discovery._relations import (
    Phases,
    noise_variances,
    phases_between,
    relation_heights,
    relations_of_three,
)

small = st.integers(-6, 6)


def determinant(rows):
    """Exact, by expansion: shares no code with the quotient."""
    if len(rows) == 1:
        return int(rows[0][0])
    minors = ([row[:j] + row[j + 1 :] for row in rows[1:]] for j in range(len(rows)))
    return sum((-1) ** j * rows[0][j] * determinant(minor) for j, minor in enumerate(minors))


@given(st.lists(st.lists(small, min_size=3, max_size=3), min_size=3, max_size=3))
def test_the_order_of_a_quotient_is_the_determinant(rows):
    images, orders = quotient(np.array(rows))
    found = math.prod(int(order) for order in orders) if len(orders) else 1
    assert found == abs(determinant(rows))
    assert not reduced_modulo(np.array(rows, object) @ images, orders).any()


@given(st.lists(st.lists(small, min_size=4, max_size=4), min_size=1, max_size=3))
def test_images_generate_the_quotient_and_orders_divide_each_other(rows):
    images, orders = quotient(np.array(rows))
    finite = [int(order) for order in orders if order]
    assert all(b % a == 0 for a, b in pairwise(finite))
    assert np.sum(orders == 0) == 4 - np.linalg.matrix_rank(np.array(rows))
    # Surjective: the images of the unit vectors, with the orders, generate Z^k; the quotient by them is trivial.
    generators = np.vstack([images, np.diag(orders)]) if len(orders) else np.eye(1, dtype=object)
    assert len(quotient(generators)[1]) == 0


def test_a_quotient_by_brute_force():
    """Z² / ⟨(2, 4), (0, 6)⟩ has 12 cosets, and the images tell them apart."""
    rows = np.array([[2, 4], [0, 6]])
    images, orders = quotient(rows)
    lattice = {tuple(np.array(c) @ rows) for c in product(range(-9, 10), repeat=2)}
    points = [np.array(p) for p in product(range(4), range(7))]
    for a, b in product(points, repeat=2):
        same = tuple(a - b) in lattice
        assert same == (not reduced_modulo((a - b).astype(object) @ images, orders).any())


@settings(max_examples=30)
@given(st.lists(st.lists(st.floats(-5, 5), min_size=4, max_size=4), min_size=4, max_size=4))
def test_short_combinations_are_unimodular_and_short(rows):
    basis = np.array(rows) + 7 * np.eye(4)
    combination = short_combinations(basis)
    assert abs(determinant(combination.tolist())) == 1
    shortest = np.linalg.norm(basis, axis=1).min()
    assert np.linalg.norm((combination @ basis)[0]) <= 2**1.5 * shortest + 1e-9  # the guarantee of the algorithm


def test_a_reduced_basis_obeys_the_bound_of_lenstra_lenstra_and_lovasz():
    hidden = np.array([[1, 12345, 0], [0, 67890, 1], [0, 100000, 0]], float)
    lengths = np.linalg.norm(short_combinations(hidden) @ hidden, axis=1)
    assert np.prod(lengths) <= 2**1.5 * abs(np.linalg.det(hidden))
    assert lengths.min() <= 2**0.5 * abs(np.linalg.det(hidden)) ** (1 / 3)


def test_the_smallest_generator_of_a_cyclic_group():
    weights = np.array([[1], [2], [3]], object)
    assert np.abs(smallest_generator(reduced_modulo(weights * 7, np.array([12], object)), 12)).sum() == 6


def simulated(weights, n, sigma, rng, orders=None):
    weights = np.array(weights).reshape(len(weights), -1)
    s = rng.uniform(0, 2 * np.pi, (n, weights.shape[1]))
    if orders is not None:
        s = 2 * np.pi * rng.integers(orders, size=s.shape) / orders
    u = rng.standard_normal((n, len(weights))) + 1j * rng.standard_normal((n, len(weights)))
    noise = rng.standard_normal((2, n, len(weights)))
    v = u * np.exp(1j * s @ weights.T) + sigma * (noise[0] + 1j * noise[1])
    return u, v


@pytest.mark.parametrize("sigma", [0.1, 0.5, 1.0])
def test_the_height_of_a_relation_is_one_if_it_holds_and_zero_if_not(sigma):
    rng = np.random.default_rng(0)
    phases = phases_between(*simulated([1, 2, 5], 20_000, sigma, rng), sigma**2)
    height, z = relation_heights(phases, np.array([[2, -1, 0], [1, 2, -1], [1, 1, -1], [3, 0, -1]]))
    np.testing.assert_allclose(height[:2], 1, atol=0.12)
    assert z[:2].min() > 6
    assert np.abs(z[2:]).max() < 4.5


@pytest.mark.parametrize(("in_u", "in_v"), [(0.0, 0.2), (0.0, 1.0), (0.5, 0.5), (1.0, 1.0)])
def test_the_precision_of_a_phase_in_whichever_half_the_noise_is(in_u, in_v):
    """Of one real dimension of u and of v turned back: κ/|u v| is the element off the diagonal of −C⁻¹."""
    rng = np.random.default_rng(2)
    u, v = simulated([1, 2], 100_000, in_v, rng)
    u = u + in_u * (rng.standard_normal(u.shape) + 1j * rng.standard_normal(u.shape))
    covariance = np.array([[1 + in_u**2, 1], [1, 1 + in_v**2]])
    np.testing.assert_allclose(noise_variances(u, v), -1 / np.linalg.inv(covariance)[0, 1], rtol=0.05)


def test_relations_of_three_agree_with_all_that_hold():
    """Of every ±θ_i ± θ_j ± θ_k, exactly those whose weights cancel."""
    rng = np.random.default_rng(1)
    weights = np.array([1, 2, 3, 5])
    phases = phases_between(*simulated(weights, 4000, 0.2, rng), 0.04)
    found = {tuple(m) for m in relations_of_three(phases)}
    box = integer_box(4, 2)
    sizes = np.abs(box).sum(axis=1)
    expected = {tuple(m) for m in box[(sizes >= 2) & (sizes <= 3) & (np.count_nonzero(box, axis=1) > 1)]
                if m @ weights == 0}  # fmt: skip
    assert found <= expected
    assert expected == found | {tuple(-np.array(m)) for m in found}


@pytest.mark.parametrize(
    ("weights", "orders", "expected"),
    [
        ([1, 2, 3], None, [0]),
        ([6, 10, 15], None, [0]),
        ([1, 2, 3, 4, 5], 12, [12]),
        ([(1, 0), (0, 1), (1, 1), (1, -2)], None, [0, 0]),
    ],
)
def test_the_group_of_characters_of_simulated_phases(weights, orders, expected):
    rng = np.random.default_rng(2)
    u, v = simulated(weights, 3000, 0.1, rng, orders)
    phases, strange = (phases_between(u, w, 0.01) for w in (v, np.roll(v, 1, axis=0)))
    group = character_group(phases, Phases(strange.angle, phases.variance), np.ones(len(weights)))
    assert list(group.orders) == expected
    assert group.least_z > 6 > group.chance_z
    # Up to an automorphism: a relation of the true weights is one of those found, and conversely.
    true = np.array(weights).reshape(len(weights), -1)
    for m in integer_box(len(weights), 2):
        holds = not np.any((m @ true) % orders if orders else m @ true)
        assert holds == (not reduced_modulo(m.astype(object) @ group.weights, group.orders).any())


@pytest.mark.parametrize("weights", [[[1], [2], [5]], [[1, 0], [0, 1], [2, -1]]])
def test_the_pooled_mode_is_that_of_the_exact_density(weights):
    rng, weights = np.random.default_rng(3), np.array(weights)
    eta = 8 * (rng.standard_normal((20, 3)) + 1j * rng.standard_normal((20, 3)))
    found = most_probable(eta, weights)[0]
    if weights.shape[1] == 1:
        series = np.zeros((20, 5), complex)
        series[:, weights[:, 0] - 1] = eta
        density, found = GeneralizedVonMises(series), found[:, 0]
    else:
        density = TorusVonMises(eta, weights)
    below = density.log_density(density.mode()) - density.log_density(found)
    assert np.median(below) < 1e-9
    assert below.max() < 0.5  # two modes of nearly the same height may be exchanged
