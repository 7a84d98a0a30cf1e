"""The lab: draw, choose or upload a picture, turn it, and watch the posterior over the turn."""

import hashlib
from collections.abc import Set
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from explorer import compute, live, store
from explorer.components.line import line
from explorer.components.stage import stage
from explorer.compute import Picture, Question
from explorer.library import Entry
from explorer.state import HIDEABLE, ViewState
from explorer.views.picture import Chosen, choose, current, moved
from explorer.views.save import save
from tsa import files
from tsa.scene import Scene


@st.fragment
def page() -> None:
    """Controls on the left, the stage on the right; only this reruns when something moves.

    The stage comes first: it should not wait for the controls. A link can hide controls, and an embedded page has none.
    """
    hide = set(HIDEABLE) if st.context.is_embedded else store.hidden()
    if hide >= set(HIDEABLE):
        _stage()
    else:
        controls, main = st.columns([1, 4], gap="medium")
        with main:
            _stage()
        with controls:
            _controls(hide)
    line(store.visitor())
    store.finish()


def _controls(hide: Set[str]) -> None:
    # Two containers, because on a narrow screen the style sheet puts the stage between them.
    with st.container(key="controls_patch"):
        if "x" not in hide:
            choose("x", "Patch x")
    with st.container(key="controls_rest"):
        _settings(hide)


def _settings(hide: Set[str]) -> None:
    if "y" not in hide:
        kinds = [store.COPY, store.OTHER]
        if (
            st.segmented_control("Patch y", kinds, default=store.COPY, required=True, key=store.kept("second"))
            == store.OTHER
        ):
            choose("y", "Picture of y")
    if "noise" not in hide:
        st.slider(
            "Pixel noise on y", 0.0, 1.0, 0.0, 0.05, key=store.kept("pixel_noise"), help="Added to every pixel of y."
        )
    if "sigma" not in hide:
        st.slider(
            "Model noise σ", 0.2, 2.0, 0.5, 0.05, key=store.kept("sigma"), help="How far the model trusts a pixel."
        )
    if "prior" not in hide and not store.observations()[0]:
        known = "A von Mises prior over s: 0 knows nothing."
        if st.slider("Prior strength", 0.0, 10.0, 0.0, 0.5, key=store.kept("strength"), help=known):
            st.slider("Prior around", 0, 359, 0, format="%d°", key=store.kept("centre"))
    if "model" not in hide:
        store.set_menu("lab_model", store.lab_entry().name)
        names = [name for name in store.model_names() if store.entry(name).turns]
        looks = "Who looks at the pair."
        st.selectbox("Model", names, key="lab_model", help=looks, on_change=store.follow_menu, args=("lab_model",))
        if store.lab_entry().name not in files.bundled():
            st.caption("This model is yours alone: a link opens elsewhere with the usual one.")
    if "observe" not in hide:
        _again()
    if "save" not in hide:
        save(_shown)


class _View(NamedTuple):
    """What is chosen, whether or not its controls are shown."""

    x: Chosen
    y: Chosen | None
    question: Question

    @property
    def pictures(self) -> tuple[Picture, Picture | None]:
        return self.x.picture, None if self.y is None else self.y.picture

    @property
    def scene(self) -> Scene:
        return compute.scene(*self.pictures, self.question, store.angle())

    @property
    def fingerprint(self) -> str:
        """The same as long as the answer at each turn is."""
        sha = hashlib.sha256(repr(self.question).encode())
        for picture in self.pictures:
            sha.update(b"none" if picture is None else picture.tobytes())
        return sha.hexdigest()


def _view() -> _View:
    times, prior = store.observations()
    strength = store.choice("strength", 0.0)
    if strength and not times:
        prior = (complex(strength * np.exp(1j * np.radians(store.choice("centre", 0)))),)
    question = Question(store.lab_entry(), store.choice("sigma", 0.5), store.choice("pixel_noise", 0.0), times, prior)
    return _View(current("x"), None if store.choice("second", store.COPY) == store.COPY else current("y"), question)


def _shown() -> tuple[Scene, Entry, ViewState]:
    """All that is to be known of what is on the stage."""
    view = _view()
    return view.scene, view.question.entry, store.view()


def _stage() -> None:
    view = _view()
    scene = view.scene
    moment, new = store.since(view.fingerprint)
    if new:  # this turn now, all turns with the page
        live.tell(store.visitor(), moment, partial(scene.blob, whole=False))
    still = view.x.done and (view.y is None or view.y.done)
    blob = compute.answer(*view.pictures, view.question, None if still else store.angle())
    store.note_sweep(stage(blob, moment, store.command("stage"), store.known_sweeps()))
    hands = {"x": moved("x")} if view.y is None else {"x": moved("x"), "y": moved("y")}

    def answer(hand: str, message: object) -> bytes | None:
        picture = hands[hand](message) if hand in hands else None
        if picture is None:
            return None
        return (replace(scene, x=picture) if hand == "x" else replace(scene, y=picture)).blob(whole=False)

    live.prepare(store.visitor(), answer)


def _again() -> None:
    """Observe again: today's posterior is tomorrow's prior."""

    def observe() -> None:
        store.observe_again(_shown()[0].again().prior)

    meaning = "The posterior becomes the prior, and y is seen with fresh noise."
    st.button("Observe again", on_click=observe, help=meaning, width="stretch")
    times, _ = store.observations()
    if times:
        st.button(f"Forget {times} observation{'s' * (times > 1)}", on_click=store.forget, width="stretch")
