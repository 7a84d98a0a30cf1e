"""The twelve lessons: right answers pass, wrong ones fail, claims are what `tsa` computes, words are explained."""

import re
from dataclasses import replace

import pytest

from explorer.course import examine, lessons
from explorer.course.lesson import Trial

SLOW = {"loudness", "best-answer", "snow", "nameless", "invariants"}  # hundreds of draws, or a training
COURSE = [pytest.param(one, id=one.name, marks=[pytest.mark.slow] * (one.name in SLOW)) for one in lessons()]


@pytest.mark.parametrize("lesson", COURSE)
def test_answers_and_claims_hold(lesson):
    assert examine(lesson) == []


@pytest.mark.parametrize("lesson", COURSE)
def test_a_wrong_number_or_answer_is_found(lesson):
    """Negative control: another number in the text, and each answer taken for the opposite."""
    assert any(claim.values for claim in lesson.claims)
    steps = tuple(replace(step, text=re.sub(r"\d", "7", step.text)) for step in lesson.steps)
    wrong = replace(lesson, steps=steps, right="Right.", trials=())
    assert any("which the lesson does not say" in trouble for trouble in examine(wrong))
    flipped = tuple(Trial(trial.link, not trial.passes) for trial in lesson.trials)
    assert len(examine(replace(lesson, trials=flipped, claims=()))) == len(lesson.trials)


def test_there_are_twelve_in_an_order_that_the_issue_names():
    names = [lesson.name for lesson in lessons()]
    assert names[:2] == ["arrows", "turning"]
    assert len(names) == len(set(names)) == 12
    assert {lesson.page for lesson in lessons()} == {"lab", "motion", "dft", "train", "orbits"}


# Words of the course that nobody can be expected to know.
JARGON = (
    "filter", "filter pair", "response", "arrow", "phase", "weight", "pixel noise", "σ", "κ", "loudness", "likelihood",
    "prior", "posterior", "von Mises", "wave", "symmetry", "ambiguous", "mode", "mass", "95 % set", "invariant", "bar",
    "manifold distance", "signal", "shift", "frequency", "DFT", "plane wave", "aperture problem", "snow", "evidence",
    "training pair", "pure wave", "group", "relation", "subspace",
)  # fmt: skip
EVERYDAY = {("bar", "arrows"), ("phase", "arrows")}


@pytest.mark.parametrize("word", JARGON)
def test_no_word_is_used_before_it_is_explained(word):
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(s|es)?(?!\w)", re.IGNORECASE)
    explained = [i for i, one in enumerate(lessons()) if any(pattern.search(term.name) for term in one.terms)]
    assert explained, f"no lesson explains {word}"
    used = [i for i, one in enumerate(lessons()) if pattern.search(said(one))]
    assert not used or min(used) >= explained[0], f"{lessons()[used[0]].name} uses {word}"


def said(lesson):
    """What a lesson says, without names of controls and without code."""
    return re.sub(r"`[^`]*`|\*[^*]+\*(?!\*)", "", lesson.texts.replace("**", ""))


# Numbers of a reveal that are settings or definitions, no results.
GIVEN = {
    "turning": {"3"},  # "an arrow of weight 3"
    "loudness": {"200"},
    "waves": {"95", "30"},
    "symmetry": {"5", "360"},
    "best-answer": {"1", "15", "165"},
    "fourier": {"2", "16", "3"},
    "aperture": {"24", "95"},
    "nameless": {"2", "3", "0", "1"},
}


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_every_number_of_a_reveal_is_computed(lesson):
    """What is left of the text without the claims has no numbers but those that are given."""
    rest = " ".join(lesson.steps[2].text.split())
    for claim in lesson.claims:
        pattern = re.escape(re.sub(r"\{[^}]*\}", "\0", " ".join(claim.text.split()))).replace("\0", r"[\d.,]*\d")
        rest = re.sub(pattern, " ", rest)
    assert set(re.findall(r"\d+(?:[.,]\d+)*", rest)) <= GIVEN.get(lesson.name, set())


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_texts_are_short_enough_for_a_wall(lesson):
    assert all(len(step.text.split()) <= 100 for step in lesson.steps)
