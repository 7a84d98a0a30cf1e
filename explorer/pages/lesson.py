"""Lessons: a text that asks, beside the live piece of another page that answers."""

from collections.abc import Callable, Set
from dataclasses import fields, replace
from functools import partial

import streamlit as st

from explorer.components.live_line import live_line
from explorer.components.orbits import orbits, pack_orbits
from explorer.components.teaching.lesson import pack_course, pack_lesson, show_lesson
from explorer.course import Lesson, LessonError, find_lesson, learned_phases, lesson_page, lessons
from explorer.pages import dft, lab, motion, train
from explorer.pages.controls import choose, symmetry_panel
from explorer.session import caches, models, pictures, run, view
from explorer.session import motion as shown_motion
from explorer.state import CONTROLS, LAB_MODEL, LESSON_STEPS, ViewState, digest_of

_KEPT = ("lesson", "step", "hide")  # fields of the view that a lesson does not set
# Settings of the train page that a lesson about it begins with.
_TRAINING = {"train_kind": "shift in 1-D", "train_size_shift in 1-D": 16, "train_subspaces_shift in 1-D_16": 7}
_DOTS = 400  # pairs drawn as dots


@st.fragment
def page() -> None:
    """The list of lessons, or a lesson: its text and controls on the left, the live piece on the right."""
    run.listen()
    lesson = find_lesson(view.current().lesson)
    if lesson is None:
        show_lesson(view.data_for("lesson", "course", partial(pack_course, lessons())))
        run.finish()
        return
    _open_step(lesson)
    step = lesson.steps[view.current().step - 1]
    text, live = st.columns([2, 3], gap="small")
    with live.container(key="lesson_live"):
        _PIECES[lesson.page](lesson)
    with text:
        _text(lesson)
        with st.container(key="lesson_controls"):
            _controls(lesson, step.controls)
    live_line(view.visitor())
    if lesson.page != "train":  # whose page has ended the run
        run.finish()


def _open_step(lesson: Lesson) -> None:
    """Set the view to that of the step when the step changes, unless it came with a link that says more."""
    chosen = view.current()
    if not view.opens((lesson.name, chosen.step)):
        return
    if view.writer("lesson", "step") == "link" and run.link_says_more_than(*_KEPT):
        return
    if lesson.page == "train":
        view.preset(**_TRAINING)
    wanted = lesson.steps[chosen.step - 1].view
    if not wanted.model and caches.default_model() != LAB_MODEL:
        wanted = replace(wanted, model=LAB_MODEL)
    view.change("lesson", **{one.name: getattr(wanted, one.name) for one in fields(ViewState) if one.name not in _KEPT})


def _text(lesson: Lesson) -> None:
    verdict = None
    if view.current().step == len(LESSON_STEPS):
        verdict = _verdict(lesson)
    extra = {"verdict": verdict}
    show_lesson(view.data_for("lesson", lesson.name, partial(pack_lesson, lesson, lessons()), extra=extra))


def _verdict(lesson: Lesson) -> bool:
    subject = replace(lesson.subject(view.current()), open_model=models.named)
    try:
        return lesson.passes(subject)
    except LessonError:  # there is nothing to judge yet, such as an answer that does not exist
        return False


def _controls(lesson: Lesson, shown: Set[str]) -> None:
    if lesson.page == "motion":
        if "x" in shown:
            motion.choose_world()
    elif lesson.page == "lab":
        if "x" in shown:
            choose("x", "Picture x")
        if "y" in shown:
            kinds = [pictures.COPY, pictures.OTHER]
            st.segmented_control("Picture y", kinds, required=True, **pictures.second_widget())
        if "symmetry" in shown:
            symmetry_panel(lab.shown_x())
        lab.show_settings(set(CONTROLS) - (shown - {"symmetry"}))
    st.download_button(
        "Print or keep this lesson (HTML)", lambda: lesson_page([lesson]), f"{lesson.name}.html", "text/html",
        on_click="ignore", width="stretch", type="tertiary",
    )  # fmt: skip


def _lab(lesson: Lesson) -> None:
    lab.show_stage(in_lesson=True)


def _motion(lesson: Lesson) -> None:
    controls = lesson.steps[view.current().step - 1].controls
    motion.show_motion(shown_motion.shown(), set(CONTROLS) - controls)


def _orbits(lesson: Lesson) -> None:
    picture = caches.picture(pictures.source("x"))
    shows = lesson.pairs is not None and view.current().step > 1
    dots = learned_phases(lesson.pairs)[:_DOTS] if shows and lesson.pairs is not None else None
    extra = {"dots": [] if dots is None else dots.round(3).tolist()}
    orbits(view.data_for("orbits", digest_of(picture), partial(pack_orbits, picture), extra=extra))


def _train(lesson: Lesson) -> None:
    train.page()


def _dft(lesson: Lesson) -> None:
    dft.show_dft()


_PIECES: dict[str, Callable[[Lesson], None]] = {
    "lab": _lab,
    "motion": _motion,
    "orbits": _orbits,
    "train": _train,
    "dft": _dft,
}
