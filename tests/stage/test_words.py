"""Answer, why and fit: true of the pair, whatever is shown."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from tsa import GeneralizedVonMises, Subgroup, load
from tsa.pictures import SHAPES, draw, patch_of, to_disc, turn_disc
from tsa.stage import Scene, sweep
from tsa.stage.reading import read_sweep
from tsa.stage.words import (
    GLOSSARY,
    NUMBERS,
    QUESTION,
    answer,
    fit,
    is_flat,
    modes,
    numbers,
    sweep_words,
    templates,
    why,
)

LEARNED = load("rotation-16-refined")
COUNTS = {1: "", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
PICTURES = {name: draw(name) for name in SHAPES} | {"blank": np.zeros((64, 64))}


@pytest.fixture(scope="module")
def model():
    return LEARNED.with_noise(0.5)


def swept(model, name, angle, other=None):
    return sweep(model, to_disc(draw(name)), 16, other=None if other is None else to_disc(draw(other)), only=angle)


def scene(x, sigma=0.5, noise=0.0, prior=(), y=None, angle=30, observation=0, learned=LEARNED):
    second = None if y is None else PICTURES[y]
    return Scene(learned.with_noise(sigma), PICTURES[x], second, angle, noise, observation, prior)


def said(*arguments, **settings):
    return sweep_words(scene(*arguments, **settings).sweep(whole=False))


def told(words):
    """Answer, why and fit of the only turn."""
    return words.answers[0], words.whys[0], words.fits[0]


# -- sentences ---------------------------------------------------------------------------------------------------------


def test_a_square_has_four_answers(model):
    row = swept(model, "square", 30)
    assert QUESTION == "By how much was x turned to become y?"
    assert answer(row) == "By 30°, 120°, 210° or 300°: four turns fit equally well."
    assert why(row) == "Only weights 4 and 8 are loud, both multiples of 4: four turns, 90° apart, fit alike."
    assert fit(row) == (
        "The best turn leaves less over than noise of σ = 0.5 would: this pair suggests a σ below 0.05."
    )
    assert sweep_words(row).equations == ["4 × 90° = 360°"]
    assert (1 + np.flatnonzero(sweep_words(row).loud[0])).tolist() == [4, 8]


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("angle", [0, 213])
def test_every_shape_is_told_by_its_symmetry(shape, angle, model):
    row = swept(model, shape.name, angle)
    words, order = sweep_words(row), shape.symmetry_order
    if order == 0:
        assert is_flat(row)
        assert modes(row) == []
        assert answer(row) == "By any angle: every turn fits equally well."
        assert why(row).startswith("To this model x looks the same however it is turned")
        assert words.equations == [""]
        return
    assert answer(row).startswith("By ")
    assert answer(row).endswith(f": {COUNTS[order]} turns fit equally well." if order > 1 else "°.")
    assert words.equations == [f"{order} × {360 // order}° = 360°" if order > 1 else ""]
    named = [int(number) for number in re.findall(r"(\d+)°", answer(row))]
    assert named == sorted(named)
    true = np.sort(angle + 360 / order * np.arange(order)) % 360
    assert all(min((n - t) % 360, (t - n) % 360) <= 2 for n, t in zip(np.sort(named), np.sort(true), strict=True))


def test_one_turn():
    assert told(said("F", noise=0.5)) == (
        "By 24°.",
        "Weights 1, 2, 4, 5 and 6 are loud; their crests meet at one turn only.",
        "What the best turn leaves over looks like noise of σ = 0.5 (z = −0.3).",
    )


def test_a_broad_answer_is_approximate():
    assert said("square", 1.0).answers == ["By about 30°, 120°, 210° or 300°: four turns fit equally well."]


def test_a_hexagon_under_large_sigma_is_too_noisy_and_not_empty():
    assert told(said("hexagon", 2.0))[:2] == (
        "It cannot be told: noise of σ = 2 is too large.",
        "Even an exact copy of x could not be placed at σ = 2: that takes a σ of about 0.62 or less.",
    )
    assert said("hexagon", 1.0).answers[0].startswith("It can hardly be told: 30°, 90°, 150°, 210°, 270° and 330° are")


def test_blank_pictures():
    assert told(said("blank"))[:2] == ("By any angle: there is nothing in x to turn.", "x has no contrast.")
    assert said("blank", y="F").answers == ["No turn makes x into y: there is nothing in x to turn."]
    assert told(said("F", y="blank"))[:2] == (
        "No turn makes x into y, and none comes closer than another.",
        "y has no contrast.",
    )
    assert "y could also be noise alone." in said("hexagon", 2.0, 2.0, y="blank").whys[0]


def test_what_no_turn_explains_is_said():
    assert told(said("F", y="S", angle=0, sigma=0.2)) == (
        "No turn makes x into y; 176° and 356° come equally close.",
        "Only weights 2 and 4 are loud, both multiples of 2: their waves repeat every 180°.",
        "The best turn leaves more over than noise of σ = 0.2 would (z > 8).",
    )
    hidden = said("F", y="S").fits[0]
    assert hidden == (
        "Noise of σ = 0.5 could hide what the best turn leaves over, but y itself has noise of at most 0.14."
    )
    uneven = said("noise", 1.0, y="F")
    assert re.fullmatch(r"No turn makes x into y; \d+° comes closest, ahead of .*°\.", uneven.answers[0])
    assert uneven.equations == [""]


def test_sigma_is_judged():
    assert said("F", 0.2, 0.5).fits == [
        "y is noisier than σ = 0.2 assumes: this pair suggests σ ≈ 0.49, so the posterior is surer than it should be."
    ]
    assert "surer" not in said("disc", 0.2, 0.5).fits[0]
    assert said("F", 0.5, 0.1).fits[0].startswith("The best turn leaves less over than noise of σ = 0.5 would: this")
    assert re.search(r"σ ≈ 0\.1\b|σ ≈ 0\.09", said("F", 0.5, 0.1).fits[0])


def test_pair_and_prior_are_told_apart():
    sharp = tuple(20 * np.exp(1j * np.radians([0])))
    alone = said("disc", prior=sharp)
    assert alone.answers == ["The pair cannot tell; with the prior, about 0° is the most probable."]
    assert alone.whys[0].endswith("The answer is the prior's: the pair adds less than 0.1 bits.")
    assert said("F", 4.0, prior=sharp).answers[0].startswith("The pair can hardly tell; with the prior, ")
    both = said("bar", prior=(1 + 0j,))
    assert both.answers == ["By 30° (85 %) or 210° (15 %): two turns are possible, but not equally probable."]
    assert both.whys[0].endswith("The pair adds 3.9 bits to the prior, the prior 0.4 bits to the pair.")
    idle = said("F", prior=(1 + 0j,))
    assert idle.whys[0].endswith("the prior hardly changes what the pair says.")
    against = said("F", prior=tuple(np.array([300 * np.exp(2j)])))
    assert re.search(r"Without the prior, \d+° would fit better\.$", against.whys[0])
    cancelled = scene("pinwheel", 2.0)
    opposite = tuple(-cancelled.posterior().eta)
    assert said("pinwheel", 2.0, prior=opposite).answers == ["It cannot be told: pair and prior cancel each other."]


def test_a_pair_that_agrees_with_the_prior_is_not_called_idle():
    again = scene("F", 0.5, 0.5).again().again().again()
    assert "The pair agrees with the prior and adds less than 0.1 bits to it." in why(again.sweep(whole=False))


def test_uneven_and_nearly_even_turns(model):
    row = swept(model, "bar", 40)
    spare = [0] * (row.mode_masses.shape[1] - 2)
    uneven = replace(row, mode_masses=row.mode_masses * np.array([1.6, 0.4, *spare]))
    assert answer(uneven) == "By 40° (80 %) or 220° (20 %): two turns fit, but not equally well."
    assert why(uneven).endswith("their waves repeat every 180°, and quieter weights make the difference.")
    nearly = replace(row, mode_masses=row.mode_masses * np.array([1.14, 0.86, *spare]))
    assert answer(nearly) == "By 40° or 220°: two turns fit about equally well."
    sure = replace(row, mode_masses=np.array([[0.9875, 0.0125, *spare]]))
    assert "40° (99 %) or 220° (1 %)" in answer(sure)


def test_a_mode_just_before_the_full_turn_is_named_zero(model):
    row = swept(model, "square", 0)
    turned = replace(row, mode_angles=np.mod(row.mode_angles - 1e-4, 2 * np.pi))
    assert answer(turned).startswith("By 0°, 90°, 180° or 270°:")


def test_many_turns_and_many_weights(model):
    row = swept(model, "square", 30)
    many = replace(row, mode_angles=np.radians(np.arange(0, 360, 30))[None], mode_masses=np.full((1, 12), 1 / 12))
    assert answer(many).endswith("300° or 330°: 12 turns fit equally well.")
    row = swept(model, "F", 30)
    assert why(replace(row, likelihood=np.ones_like(row.likelihood))).startswith("15 weights from 1 to 15 are loud;")
    third = replace(row, likelihood=np.eye(1, row.likelihood.shape[1], 2, dtype=complex))
    assert why(third) == "Only weight 3 is loud: its wave repeats every 120°, and quieter weights make the difference."
    first = replace(row, likelihood=np.eye(1, row.likelihood.shape[1], dtype=complex))
    assert why(first) == "Only weight 1 is loud: its wave has one crest."
    wide = replace(row, likelihood=np.ones((1, 40), complex))
    assert why(wide) == "No weight is much louder than the others."


def test_a_step_that_is_no_whole_number_is_marked(model):
    row = swept(model, "square", 30)
    seven = replace(
        row,
        likelihood=np.eye(1, 15, 6, dtype=complex),
        mode_angles=2 * np.pi * np.arange(7)[None] / 7,
        mode_masses=np.full((1, 7), 1 / 7),
    )
    assert sweep_words(seven).equations == ["7 × 51.4° ≈ 360°"]


def test_a_model_without_the_weights_of_a_square():
    """The words do not claim that the square is round, only that this model sees nothing turn."""
    keep = ~np.isin(LEARNED.weights, (4, 8, 12))
    deaf = Subgroup(LEARNED.filters[:, keep], LEARNED.weights[keep])
    assert said("square", learned=deaf).whys[0].startswith("To this model x looks the same")


# -- a table of scenes -------------------------------------------------------------------------------------------------

SHARP, BROAD = (20 * np.exp(1j),), (0.5 + 0j, 1j)
COPIES = ("F", "square", "hexagon", "disc", "S", "noise")
SCENES = [  # x, σ, pixel noise over σ, prior, y
    *product(COPIES, (0.2, 0.5, 1.0, 2.0), (0, 1, 2), ((), SHARP, BROAD), (None,)),
    *product(("F", "bar", "ring", "blank"), (0.3, 0.5), (0, 1), ((), BROAD), ("S", "disc", "blank")),
]  # fmt: skip


def test_there_are_enough_scenes():
    assert len(SCENES) >= 200


@pytest.mark.slow
@pytest.mark.parametrize("sigma", sorted({row[1] for row in SCENES}))
def test_every_sentence_is_true(sigma):
    exact = []
    for number, (x, _, noise, prior, y) in enumerate(row for row in SCENES if row[1] == sigma):
        made = scene(x, sigma, noise * sigma, prior, y, angle=37 * number % 360, observation=number).sweep(whole=False)
        reading, words = read_sweep(made.model, made, made.prior), sweep_words(made)
        explained = bool(reading.explained[0])
        said, because, fits = told(words)
        heavy = int((made.mode_masses[0] >= 0.01).sum())
        silent = (reading.flat[0] != "" and not prior) or 2 * np.pi * made.density[0].max() < 1.25
        named = [int(d) for d in words.degrees[0] if d >= 0]
        assert len(named) == (0 if silent else heavy)
        assert [mode.degrees for mode in modes(made)] == named
        assert sorted(map(int, re.findall(r"(\d+)°", said))) == sorted(named)
        assert said.startswith("No turn makes x into y") is not explained
        assert ("prior" in because) is bool(prior)
        idle = bool(prior) and bool(reading.pair_bits[0] < 0.1) and bool(reading.likelihood_bits[0] < 0.5)
        assert ("prior's" in because) is idle
        assert ("quieter" in because or "fit alike" in because) <= (not prior and reading.flat[0] == "")
        assert f"σ = {sigma:g}" in fits
        assert bool(re.search("more over|could hide", fits)) is not explained
        assert ("noisier" in fits) <= (reading.level[0] == "noisier")
        for text in (said, because, fits):
            assert text.endswith((".", ".)"))
            assert "-" not in text
            assert "  " not in text
            assert not re.search(r"nan|inf|None", text)
        if not silent:
            prior_density = GeneralizedVonMises(np.array(prior)) if prior else None
            posterior = made.model.posterior(made.x, made.y[0], prior_density)
            exact.append(int((posterior.modes().mass >= 0.01).sum()) == len(named))
    assert np.mean(exact) >= 0.98  # the half-degree grid of a sweep merges a shoulder that `modes` resolves


@pytest.mark.parametrize("sigma", [0.3, 0.5])
def test_noise_like_sigma_stays_explained_after_three_more_observations(sigma):
    unexplained = 0
    for seed, name in enumerate(SHAPES):
        last = scene(name, sigma, sigma, observation=10 * seed, angle=25 * seed).again().again().again()
        unexplained += answer(last.sweep(whole=False)).startswith("No turn")
    assert unexplained <= 1


# -- numbers, templates, terms -----------------------------------------------------------------------------------------


def test_modes_are_those_of_the_model(model):
    disc = to_disc(draw("bar"))
    angle, mass = model.posterior(patch_of(disc, 16), patch_of(turn_disc(disc, 1.0), 16)).modes()
    row = sweep(model, disc, 16)
    near = sweep(model, disc, 16, only=round(np.degrees(1.0)))
    assert len(modes(near)) == np.sum(mass >= 0.01)
    for mode, a, m in zip(modes(near), np.sort(angle), mass[np.argsort(angle)], strict=True):
        assert mode.angle == pytest.approx(a, abs=0.02)
        assert mode.mass == pytest.approx(m, abs=0.01)
    assert answer(row, 57) == answer(near)


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
    assert numbers(swept(model, "disc", 10))["Uncertainty"] == "8.5 of 8.5 bits"
    assert numbers(replace(row, log_evidence=np.array([-0.04])))["Log evidence"] == "0.0"


def test_templates_say_what_the_dial_turns():
    assert templates(copy=True)["mark"] == "true turn"
    assert templates(copy=False)["turnedY"] == "The patch y: another picture turned by {angle}°."
    assert templates(copy=True)["backwards"].startswith("A turn by s turns this plane backwards, by {weight}·s.")
    assert templates(copy=True)["slight"] == "κ̂ < 0.01"


def test_every_term_has_a_plain_explanation():
    for term, meaning in GLOSSARY.items():
        assert term.strip() == term != ""
        assert 0 < len(meaning) <= 240
        assert meaning.endswith(".")
    wanted = (
        "s, weight, subspace, posterior, likelihood, prior, evidence, σ, κ̂, η̂, loudness, uncertainty, torus distance, "
        "manifold distance, Euclidean distance, symmetry, left over"
    )
    assert set(wanted.split(", ")) <= set(GLOSSARY)


def test_terms_that_are_used_are_explained():
    technical = r"σ|κ̂|η̂|weights?|subspaces?|posterior|prior|likelihood|(?:un)?certainty|evidence|\w+ distance|\bs\b"
    texts = [*templates(copy=True).values(), *templates(copy=False).values(), *NUMBERS, *GLOSSARY.values()]
    used = {match for text in texts for match in re.findall(technical, re.sub(r"{\w+}", "", text), re.IGNORECASE)}
    known = {term.lower() for term in GLOSSARY}
    assert {term for term in used if term.lower() not in known and term.lower().removesuffix("s") not in known} <= {
        "The distance"
    }
