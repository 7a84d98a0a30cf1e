"""The lab: draw, choose or upload a picture, turn it, and watch the posterior over the turn."""

from collections.abc import Set
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from explorer import live
from explorer.components.live_line import live_line
from explorer.components.stage import comparison, stage
from explorer.pages.controls import choose, noise_controls, save, save_comparison, symmetry_panel
from explorer.session import caches, models, pictures, pins, run, view
from explorer.state import CONTROLS, scenario_of, scene, scene_digest
from tsa import files
from tsa.pictures import notched
from tsa.stage import Scene

_SAVE_PIXELS = 56  # height of the button below a comparison


@st.fragment
def page() -> None:
    """Controls on the left, the stage on the right, as one fragment: a change does not rerun the rest of the script.

    The stage is drawn first, so that it does not wait for the controls. A link can hide controls; an embedded page has
    none.
    """
    run.listen()
    hide = set(CONTROLS) if st.context.is_embedded else view.current().hide
    if view.current().comparing and view.current().pins:
        _comparison(hide)
    elif hide >= set(CONTROLS) - {"symmetry", "window"}:  # links older than the one, and without the other, mean all
        show_stage()
    else:
        controls, main = st.columns([1, 5], gap="small")
        with main:
            show_stage()
        with controls:
            _controls(hide)
    live_line(view.visitor())
    run.finish()


@dataclass(frozen=True)
class _Shown:
    """The scene of the view with the pictures as edited so far, finished or not."""

    scene: Scene
    digest: str
    done: bool  # whether the pictures are finished
    sequence: int  # of the last edit that the pictures show


def _shown() -> _Shown:
    chosen, named = view.current(), models.for_lab()
    editors = [pictures.editor(patch) for patch in pictures.PATCHES if getattr(chosen, patch) is not None]
    x, y = [*(caches.picture(editor.source) for editor in editors), None][:2]
    assert x is not None
    x = notched(x, chosen.notch)
    pair = scene(chosen, caches.model(named, chosen.sigma), x, y)
    digest = scene_digest(chosen, named.digest, x, y)
    return _Shown(pair, digest, all(editor.done for editor in editors), max(editor.sequence for editor in editors))


def shown_x() -> NDArray[np.float64]:
    """The picture x as it is now, with its notch."""
    return _shown().scene.x


def show_stage(in_lesson: bool = False, alone: bool = False) -> None:
    """The stage, for the pictures as edited so far; in a lesson without scenes to start with, or the dial alone."""
    shown = _shown()
    pair, digest, notch = shown.scene, shown.digest, view.current().notch
    moved = {patch: pictures.moved(patch) for patch in pictures.PATCHES if patch == "x" or pair.y is not None}

    def answer(patch: str, message: object) -> bytes | None:
        source = moved[patch](message) if patch in moved else None
        if source is None:
            return None
        picture = caches.picture(source)
        edited = replace(pair, x=notched(picture, notch)) if patch == "x" else replace(pair, y=picture)
        return edited.packed(whole=False)

    live.prepare(view.visitor(), view.revision(), answer)
    at_angle = partial(pair.packed, whole=False)
    # One angle over the live line at once; the page follows with all angles.
    if shown.done and view.is_new("stage", digest):
        live.push(view.visitor(), view.revision(), at_angle)
    make = partial(caches.packed_sweep, digest, pair) if shown.done else at_angle
    scenario = scenario_of(view.current())
    extra: dict[str, object] = {"scenario": scenario.name, "question": scenario.question} if scenario else {}
    now = view.current()
    extra |= {"hide": sorted(now.hide), "present": now.presenting, "pins": pins.of_stage()}
    if in_lesson:
        extra = {"lesson": True, "alone": alone}
    stage(view.data_for("stage", digest, make, shown.sequence, whole=shown.done, extra=extra))


def _comparison(hide: Set[str]) -> None:
    """The pinned scenes beside each other, in place of the stage and its controls."""
    shown, now = pins.shown(), view.current()
    live.prepare(view.visitor(), view.revision(), lambda patch, message: None)  # nothing is drawn here; the line stays
    extra = {"names": [pin.name for pin in shown], "hide": sorted(now.hide), "describe": now.describe}
    extra |= {} if "save" in hide else {"below": _SAVE_PIXELS}
    comparison(view.data_for("compare", pins.digest(shown), partial(pins.packed, shown), extra=extra))
    if "save" not in hide:
        save_comparison(shown)


def _controls(hide: Set[str]) -> None:
    # Two containers, because on a narrow screen the style sheet makes a sheet of each.
    with st.container(key="labcontrols_picture"):
        if "x" not in hide:
            choose("x", "Picture x")
        if "y" not in hide:
            kinds = [pictures.COPY, pictures.OTHER]
            if st.segmented_control("Picture y", kinds, required=True, **pictures.second_widget()) == pictures.OTHER:
                choose("y", "Picture of y")
    with st.container(key="labcontrols_settings"):
        show_settings(hide)


def show_settings(hide: Set[str]) -> None:
    """The controls below those of the pictures, without those in `hide`."""
    noise_controls(hide, _shown().scene)
    if "observe" not in hide:  # above the prior, which disappears after the first press
        _observe_again()
    if "prior" not in hide and not view.current().observations:
        strength = st.slider(
            "Prior strength", 0.0, 10.0, step=0.5, **view.widget("strength", "strength"),
            help="Concentration κ of a von Mises prior over the turn s. At 0 every turn is equally probable before the "
            "pair is seen.",
        )  # fmt: skip
        if strength:
            st.slider("Prior around", 0, 359, format="%d°", **view.widget("centre", "centre"))
    if "model" not in hide:
        named = models.for_lab()
        names = [name for name in models.names() if models.named(name).turns]
        st.selectbox("Model", names, **models.menu("lab_model", named), help="The model that compares x and y.")
        if named.name not in files.bundled():
            st.caption("Links cannot include your own model. Other people who open this link see the default model.")
        if notice := models.replaced_notice():
            st.caption(notice)
    if "symmetry" not in hide:
        symmetry_panel(_shown().scene.x)
    if "save" not in hide:
        save(lambda: (_shown().scene, models.for_lab(), view.current().effective))


def _observe_again() -> None:
    """Buttons to use the posterior as the prior of another observation, and to discard the observations."""
    times = view.current().observations

    def observe() -> None:
        run.listen()  # the dial may have been released by the same click
        after = _shown().scene.again()
        view.change("observe", observations=after.observation, prior=after.prior)

    def discard() -> None:
        view.change("observe", observations=0, prior=())

    # Always two buttons in the same places, so that a second click does not meet another one.
    again, forget = st.columns([3, 2], gap="small")
    again.button(
        "Observe again", on_click=observe, width="stretch",
        help="Uses the posterior as the prior, and observes y once more with new pixel noise.",
    )  # fmt: skip
    forget.button(
        f"Forget {times}" if times else "Forget", on_click=discard, width="stretch", disabled=not times,
        help="Returns to the prior before the first observation.",
    )  # fmt: skip
