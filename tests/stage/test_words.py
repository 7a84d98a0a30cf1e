"""The sentence: true of the posterior, whatever is shown."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tsa import Subgroup, load
from tsa.pictures import SHAPES, draw, patch_of, to_disc, turn_disc
from tsa.stage import sweep
from tsa.stage.words import is_flat, modes, numbers, reason, sentence

COUNTS = {1: "One turn explains", 2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six"}


@pytest.fixture(scope="module")
def model():
    learned = load("rotation-16-refined")
    return Subgroup(learned.filters, learned.weights, noise=0.5)


def swept(model, name, angle, other=None):
    return sweep(model, to_disc(draw(name)), 16, other=None if other is None else to_disc(draw(other)), only=angle)


def test_a_square_has_four_answers(model):
    row = swept(model, "square", 30)
    assert sentence(row) == "Four turns explain this pair equally well: 30°, 120°, 210°, 300°."
    assert (
        reason(row)
        == "Only weights 4 and 8 carry substantial evidence. A single best answer would have hidden three of them."
    )


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("angle", [0, 213])
def test_every_shape_is_told_by_its_symmetry(shape, angle, model):
    row = swept(model, shape.name, angle)
    said = sentence(row)
    if shape.symmetry_order == 0:
        assert is_flat(row)
        assert modes(row) == []
        assert said == "Every turn explains this pair about equally well."
        assert reason(row).endswith("looks the same however it is turned.")
        return
    assert said.startswith(COUNTS[shape.symmetry_order])
    named = [int(number) for number in re.findall(r"(\d+)°", said)]
    assert named == sorted(named)
    true = np.sort(angle + 360 / shape.symmetry_order * np.arange(shape.symmetry_order)) % 360
    assert all(min((n - t) % 360, (t - n) % 360) <= 2 for n, t in zip(np.sort(named), np.sort(true), strict=True))
    hidden = {2: "one", 3: "two", 4: "three", 5: "four", 6: "five"}.get(shape.symmetry_order)
    assert reason(row).endswith(f"hidden {hidden} of them.") is (hidden is not None)


def test_modes_are_those_of_the_model(model):
    polar = to_disc(draw("bar"))
    angle, mass = model.posterior(patch_of(polar, 16), patch_of(turn_disc(polar, 1.0), 16)).modes()
    row = sweep(model, polar, 16)
    near = sweep(model, polar, 16, only=round(np.degrees(1.0)))
    assert len(modes(near)) == np.sum(mass >= 0.01)
    for mode, a, m in zip(modes(near), np.sort(angle), mass[np.argsort(angle)], strict=True):
        assert mode.angle == pytest.approx(a, abs=0.02)
        assert mode.mass == pytest.approx(m, abs=0.01)
    assert sentence(row, 57) == sentence(near)


def test_a_mode_just_before_the_full_turn_is_named_zero(model):
    row = swept(model, "square", 0)
    turned = replace(row, mode_angles=np.mod(row.mode_angles - 1e-4, 2 * np.pi))
    assert sentence(turned).endswith("0°, 90°, 180°, 270°.")


def test_uneven_modes_do_not_explain_equally_well(model):
    row = swept(model, "bar", 40)
    assert "equally well: 40°, 220°." in sentence(row)
    uneven = replace(row, mode_masses=row.mode_masses * np.array([1.6, 0.4] + [0] * (row.mode_masses.shape[1] - 2)))
    assert sentence(uneven) == "Two turns explain this pair, not equally well: 40°, 220°."


def test_what_no_turn_explains_is_said(model):
    row = swept(model, "F", 0, other="S")
    assert row.unexplained[0] > 0.6
    assert sentence(row).startswith("No turn explains this pair well.")
    assert "hidden" not in reason(row)
    alone = replace(row, mode_masses=np.eye(1, row.mode_masses.shape[1]))
    assert "The most probable turn is" in sentence(alone)
    unlike = swept(model, "square", 100, other="triangle")
    assert reason(unlike) == "No weight that x and y share is strong enough to distinguish one turn from another."


def test_many_weights_are_not_listed(model):
    row = swept(model, "F", 30)
    even = replace(row, pooled=np.ones_like(row.pooled))
    assert reason(even) == ""
    one = replace(row, pooled=np.eye(1, row.pooled.shape[1], 2, dtype=complex))
    assert reason(one) == "Only weight 3 carries substantial evidence."


def test_more_modes_than_words_for_them(model):
    row = swept(model, "square", 30)
    many = replace(
        row, mode_angles=np.radians(np.arange(0, 360, 30))[None], mode_masses=np.full((1, 12), 1 / 12)
    )  # fmt: skip
    assert sentence(many).startswith("12 turns explain this pair equally well: 0°, 30°,")
    assert reason(many).endswith("hidden 11 of them.")


def test_numbers_are_those_of_the_sweep(model):
    row = swept(model, "F", 30)
    told = numbers(row)
    assert float(told["Uncertainty"].split()[0]) == pytest.approx(
        (row.entropy[0] + np.log(360 / (2 * np.pi))) / np.log(2), abs=0.05
    )
    assert told["Log evidence"].startswith("−")
    assert float(told["Log evidence"].replace("−", "-")) == pytest.approx(row.log_evidence[0], abs=0.05)
    distances = [float(told[f"{name} distance"]) for name in ("Torus", "Manifold", "Euclidean")]
    np.testing.assert_allclose(distances, row.distances[0], atol=0.005)
    flat = swept(model, "disc", 10)
    assert numbers(flat)["Uncertainty"] == "8.5 of 8.5 bits"
