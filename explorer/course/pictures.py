"""What a step of a lesson shows, as a drawing for its printed page; each is computed from the view of the step."""

from collections.abc import Callable

import numpy as np

from explorer.course.facts import (
    LabFacts,
    MotionFacts,
    drawn_dft,
    learned_filters,
    learned_phases,
    main_waves,
    training_pairs,
)
from explorer.course.lesson import Lesson, step_number
from explorer.state import STOPS
from tsa.groups import TorusPath
from tsa.stage import exports, motion_svg, phases_svg, shift_svg, signal_filters_svg, training_pairs_svg

_DOTS = 400  # pairs drawn as dots
_ROWS = 4  # training pairs that are drawn
_LEARNED_FROM = (2_000, 100_000)  # pairs


def step_picture(lesson: Lesson, place: int) -> str:
    """The drawing of a step, counted from 1, as SVG; empty where the step hides its answer or has none."""
    return "" if lesson.steps[place - 1].view.predict else _PICTURES[lesson.page](lesson, place)


def _lab(lesson: Lesson, place: int) -> str:
    view = lesson.steps[place - 1].view
    return exports.picture_svg(LabFacts(lesson.subject(view)).scene, "light", view.log)


def _motion(lesson: Lesson, place: int) -> str:
    return motion_svg(MotionFacts(lesson.subject(lesson.steps[place - 1].view)).scene, "light")


def _dft(lesson: Lesson, place: int) -> str:
    view = lesson.steps[place - 1].view
    x = np.array(view.signal, float) / max(*view.signal, 1)
    return shift_svg(drawn_dft(), x, np.roll(x, view.shifted), view.shifted)


def _orbits(lesson: Lesson, place: int) -> str:
    """The path; as on the page, the pairs of the lesson join it after the prediction."""
    first, second = (STOPS[name][0] for name in lesson.steps[place - 1].view.orbit)
    shows = lesson.pairs is not None and place > step_number("predict")
    return phases_svg(
        TorusPath(first, second), learned_phases(lesson.pairs)[:_DOTS] if shows and lesson.pairs else None
    )


def _train(lesson: Lesson, place: int) -> str:
    """Pairs to learn from, then what is learned from few and from many."""
    if place == step_number("predict"):
        return training_pairs_svg(*training_pairs(_ROWS))
    if place != step_number("reveal"):
        return ""
    rows = []
    for count in _LEARNED_FROM:
        filters = learned_filters(count)
        waves, shares = main_waves(filters)
        order = np.argsort(waves, kind="stable")
        texts = [f"{100 * shares[j]:.0f} % at k = {waves[j]}" for j in order]
        title = f"Learned from {count:,} pairs; below each filter pair how much of it is at one frequency k"
        rows.append((title, filters[:, order], texts))
    return signal_filters_svg(rows)


_PICTURES: dict[str, Callable[[Lesson, int], str]] = {
    "lab": _lab,
    "motion": _motion,
    "dft": _dft,
    "orbits": _orbits,
    "train": _train,
}
