"""The lab: draw, choose or upload a picture, turn it, and watch the posterior over the turn."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from explorer import compute, media, store
from explorer.components.pad import pad
from explorer.components.stage import stage
from explorer.compute import Question
from tsa.shapes import SHAPES

Picture = NDArray[np.float64]


@st.fragment
def page() -> None:
    """Controls on the left, the stage on the right; only this reruns when something moves."""
    controls, main = st.columns([1, 4], gap="medium")
    with controls:
        source = st.segmented_control(
            "Patch x", ["Shapes", "Draw", "Digits", "Upload"], default="Shapes", required=True, key="source",
            wrap=True,
        )  # fmt: skip
        x, done = _picture(source)
        y = _second()
        question = _question()
    with main:
        stage(compute.answer(x, y, question, None if done else store.angle()), angle=30, on_angle_change=lambda: None)
    with controls:
        _again(x, y, question)


def _picture(source: str) -> tuple[Picture, bool]:
    """The chosen picture, and whether it is finished."""
    if source == "Draw":
        picture, number, done = store.drawing()
        pad(number, on_drawing_change=lambda: None)
        if not picture.any():
            st.caption("Draw something: the posterior follows the pen.")
        return picture, done
    if source == "Digits":
        images, labels = compute.digits()
        chosen = st.pills(
            "Digit", range(len(labels)), default=9, format_func=lambda i: str(labels[i]), required=True,
            key="digit", label_visibility="collapsed", wrap=True,
        )  # fmt: skip
        return images[chosen], True
    if source == "Upload":
        return _uploaded(), True
    return _shape("shape", "square"), True


def _shape(key: str, default: str) -> Picture:
    name = st.pills(
        "Shape", list(SHAPES), default=default, format_func=_symmetry, required=True, key=key,
        label_visibility="collapsed", wrap=True,
    )  # fmt: skip
    return compute.shape_picture(name)


def _symmetry(name: str) -> str:
    fold = SHAPES[name].fold
    return f"{name} · {'any' if fold == 0 else f'{fold}-fold'}"


def _uploaded() -> Picture:
    file = st.file_uploader("A picture", type=media.EXTENSIONS, key="upload", label_visibility="collapsed")
    picture, trouble = store.upload(file.getvalue() if file is not None else None)
    if trouble:
        st.error(trouble)
    if picture is None:
        st.caption("PNG, JPEG, WebP, BMP or GIF. Until then, the letter F.")
        return compute.shape_picture("F")
    zoom = st.slider("Zoom", 1.0, 8.0, 1.0, 0.1, key="zoom")
    across = st.slider("Across", 0.0, 1.0, 0.5, 0.01, key="across")
    down = st.slider("Down", 0.0, 1.0, 0.5, 0.01, key="down")
    return media.crop(picture, across, down, zoom)


def _second() -> Picture | None:
    """The second picture, or None for a turned copy of the first."""
    kind = st.segmented_control(
        "Second patch y", ["Turned copy", "Another shape"], default="Turned copy", required=True, key="second"
    )
    return None if kind == "Turned copy" else _shape("other", "triangle")


def _question() -> Question:
    noise = st.slider("Pixel noise on y", 0.0, 1.0, 0.0, 0.05, key="pixel_noise", help="Added to every pixel of y.")
    sigma = st.slider("Model noise σ", 0.2, 2.0, 0.5, 0.05, key="sigma", help="How far the model trusts a pixel.")
    times, prior = store.observations()
    if not times:
        strength = st.slider(
            "Prior strength", 0.0, 10.0, 0.0, 0.5, key="strength", help="A von Mises prior over s: 0 knows nothing."
        )
        if strength:
            centre = st.slider("Prior around", 0, 359, 0, format="%d°", key="centre")
            prior = (complex(strength * np.exp(1j * np.radians(centre))),)
    return Question(sigma=sigma, pixel_noise=noise, observation=times, prior=prior)


def _again(x: Picture, y: Picture | None, question: Question) -> None:
    """Observe again: today's posterior is tomorrow's prior."""

    def observe() -> None:
        store.observe_again(compute.observed(x, y, question, store.angle()))

    meaning = "The posterior becomes the prior, and y is seen with fresh noise."
    st.button("Observe again", on_click=observe, help=meaning, width="stretch")
    times = question.observation
    if times:
        st.button(f"Forget {times} observation{'s' * (times > 1)}", on_click=store.forget, width="stretch")
