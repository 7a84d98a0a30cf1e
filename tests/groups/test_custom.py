"""Actions of one's own, permutations, hues and products: the laws of a group, and what is said where they break."""

import numpy as np
import pytest

import tsa
from tsa import InputError, ShapeError, Subgroup, Torus, estimate_weights, fourier_model, inspect, recovery, refine
from tsa.groups import (
    CustomAction,
    CyclicShift,
    HueRotation,
    ImageRotation,
    ModelAction,
    Permutation,
    Product,
    as_lattice_action,
    check_action,
    shift_and_hue,
)


class TurnedPlanes:
    """A user's class: three planes of R⁶ seen through a rotation, turned with the weights 1, 2 and 5."""

    shape, lattice_shape = (6,), (12,)

    def __init__(self, weights=(1, 2, 5), stretch=1.0, period=1.0):
        self.basis = np.linalg.qr(np.random.default_rng(3).standard_normal((6, 6)))[0] * np.r_[stretch, np.ones(5)]
        self.weights, self.period = np.array(weights), period

    def apply(self, x, s):
        z = np.ascontiguousarray(x @ np.linalg.inv(self.basis).T).view(complex)
        z = z * np.exp(1j * self.period * np.asarray(s)[..., None] * self.weights)
        return z.view(float) @ self.basis.T


class Wrong(TurnedPlanes):
    """A user's class with something changed."""

    def __init__(self, apply=None, **attributes):
        super().__init__()
        if apply is not None:
            self.apply = apply
        vars(self).update(attributes)


PERMUTED = np.array([1, 2, 0, 4, 3, 6, 7, 8, 5])  # cycles of 3, 2 and 4


@pytest.mark.parametrize(
    "action",
    [
        TurnedPlanes(),
        Permutation(PERMUTED),
        HueRotation(2),
        shift_and_hue(3),
        CyclicShift(7),
        CyclicShift((2, 3)),
        ModelAction(Subgroup(np.eye(5, 2) + 1j * np.eye(5, 2, -2), np.array([1, 3])), (5,)),
    ],
    ids=lambda action: str(action).partition(" object at")[0],
)
def test_the_laws_of_a_group(action):
    check_action(action)
    lattice = as_lattice_action(action)
    matrices = list(lattice.operators())
    x = np.random.default_rng(0).standard_normal((4, lattice.dimension))
    for i, moved in lattice.apply_all(x):
        np.testing.assert_allclose(moved, x @ matrices[i].T, atol=1e-5)
        np.testing.assert_allclose(moved, lattice.apply(x, lattice.lattice[i]), atol=1e-6)
    first, second, index = lattice.pairs(50, rng=1)
    expected = np.stack([a @ matrices[i].T for a, i in zip(first, index, strict=True)])
    np.testing.assert_allclose(second, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (TurnedPlanes(stretch=1.3), r"not orthogonal.*by up to 0\.\d"),
        (TurnedPlanes(period=1.5), r"period 2π \(by up to"),
        (Wrong(apply=lambda x, s: np.asarray(x) + np.asarray(s)), "linear|period"),
        (Wrong(apply=lambda x, s: np.asarray(x) * 0.5), "at s = 0"),
        (Wrong(apply=lambda x, s: x[:, :3]), "keeps the shape"),
        (Wrong(lattice_shape=12), "lattice_shape"),
        (Wrong(lattice_shape=(0,)), "lattice_shape"),
        (Wrong(apply=3), "method"),
    ],
)
def test_what_is_wrong_with_an_action_is_said(action, message):
    with pytest.raises(InputError, match=message):
        check_action(action)
    with pytest.raises(InputError, match=message):
        estimate_weights(Torus(np.eye(6, 3) + 1j * np.eye(6, 3, -3)), action)


class QuarterTurns:
    """Quarter turns about two axes of space: each is a group of order 4, but they do not commute."""

    shape, lattice_shape = (3,), (4, 4)

    def apply(self, x, s):
        moved = np.asarray(x, float)
        for (i, j), angle in zip(((0, 1), (1, 2)), np.asarray(s), strict=True):
            turned = moved.copy()
            turned[:, i] = np.cos(angle) * moved[:, i] - np.sin(angle) * moved[:, j]
            turned[:, j] = np.sin(angle) * moved[:, i] + np.cos(angle) * moved[:, j]
            moved = turned
        return moved


def test_actions_that_do_not_commute_are_refused_with_their_defect():
    with pytest.raises(InputError, match=r"does not commute.*by up to \d"):
        check_action(QuarterTurns())
    with pytest.raises(InputError, match=r"do not commute.*up to 1"):
        Product(CyclicShift(9), Permutation(PERMUTED))
    with pytest.raises(ShapeError, match="not the same patches"):
        Product(CyclicShift(9), CyclicShift(8))


def test_a_users_action_is_used_by_training_weights_refinement_recovery_and_inspection():
    action = TurnedPlanes()
    columns = action.basis
    model = Torus(columns[:, ::2] + 1j * columns[:, 1::2])
    weights = estimate_weights(model, action)
    np.testing.assert_array_equal(np.abs(weights), [1, 2, 5])
    assert weights.confidence.min() > 0.999
    mixed = Torus((columns[:, ::2] + 1j * columns[:, 1::2]) @ np.linalg.qr(np.ones((3, 3)) + np.eye(3))[0])
    refined = refine(mixed, action)
    assert str(refined.irreps) == "1x1 + 1x2 + 1x5"
    score = recovery(refined, action)
    assert score.affinity.min() > 0.999
    assert score.purity.min() > 0.999
    report = inspect(refined, action, pairs=20)
    assert report.equivariance.on_white_noise.max() < 1e-5
    learned = tsa.TSA(3, random_state=0, n_pairs=20_000, noise=0.5).fit_stream(as_lattice_action(action).stream(0))
    assert recovery(tsa.Subgroup(learned.model_.filters, estimate_weights(learned.model_, action)), action).score > 0.9


def test_a_permutation_of_one_cycle_is_a_shift():
    x = np.random.default_rng(0).standard_normal((3, 8))
    permutation, shift = Permutation(np.roll(np.arange(8), 1)), CyclicShift(8)
    for s in (0.0, 2 * np.pi / 8, 6 * np.pi / 8, 0.3):
        np.testing.assert_allclose(permutation.apply(x, s), shift.apply(x, s), atol=1e-12)
    estimated = np.asarray(estimate_weights(fourier_model(8), permutation))
    np.testing.assert_array_equal(np.mod(estimated - fourier_model(8).weights, 8), 0)


def test_the_powers_of_a_permutation():
    action = Permutation(PERMUTED)
    assert action.order == 12
    x, moved = np.arange(9.0), np.arange(9.0)
    for power in range(13):
        np.testing.assert_allclose(action.apply(x, 2 * np.pi * power / 12), moved, atol=1e-9)
        moved = moved[PERMUTED]
    with pytest.raises(InputError, match="each once"):
        Permutation([0, 0, 1])
    with pytest.raises(InputError, match="at most"):
        Permutation(np.concatenate([np.roll(np.arange(n), 1) + start for start, n in
                                    zip(np.cumsum([0, 7, 11, 13, 17]), [7, 11, 13, 17, 19], strict=True)]))  # fmt: skip


def test_a_third_of_a_turn_takes_red_to_green_to_blue():
    red, green, blue = np.eye(3)
    hue = HueRotation(1)
    np.testing.assert_allclose(hue.apply(red, 2 * np.pi / 3), green, atol=1e-12)
    np.testing.assert_allclose(hue.apply(green, 2 * np.pi / 3), blue, atol=1e-12)
    colours = np.random.default_rng(0).uniform(size=(5, 3))
    np.testing.assert_allclose(hue.apply(colours, np.linspace(0, 6, 5)).sum(axis=1), colours.sum(axis=1))


def test_shifts_and_hues_have_weights_in_two_parameters():
    action = shift_and_hue(5)
    whole = tsa.orthonormalize(np.random.default_rng(0).standard_normal((15, 7)) * (1 + 0j)
                               + 1j * np.random.default_rng(1).standard_normal((15, 7)))  # fmt: skip
    refined = refine(Torus(whole), action)
    assert refined.parameters == 2
    assert recovery(refined, action).purity.min() > 0.99
    shifts, hues = refined.irreps.values.T
    assert set(np.abs(hues)) == {0, 1}
    assert set(np.abs(shifts)) == {0, 1, 2}


def test_built_in_actions_are_used_as_they_are():
    action = ImageRotation(6)
    assert as_lattice_action(action) is action
    with pytest.raises(InputError, match="alone at s = 0"):
        CustomAction(action)  # the corners of a picture are set to zero, which is no rotation


def test_the_group_that_a_model_describes():
    model = fourier_model(8)
    action, shift = ModelAction(model, (8,), (8,)), CyclicShift(8)
    x = np.random.default_rng(0).standard_normal((3, 8))
    for s in shift.lattice:
        np.testing.assert_allclose(action.apply(x, s), shift.apply(x, s), atol=1e-12)
    assert action.words == "a group found in pairs (Z/8)"
    with pytest.raises(InputError, match="orders"):
        ModelAction(model, (8,), (0, 0))
    with pytest.raises(InputError, match="orders"):
        ModelAction(model, (4,))
