"""The lab: draw or choose a picture, turn it, and watch the posterior over the turn."""

import streamlit as st

from explorer import compute, store
from explorer.components.pad import pad
from explorer.components.stage import stage
from tsa.shapes import SHAPES


def _symmetry(name: str) -> str:
    fold = SHAPES[name].fold
    return f"{name} · {'any' if fold == 0 else f'{fold}-fold'}"


@st.fragment
def page() -> None:
    """Controls on the left, the stage on the right; only this reruns when something moves."""
    controls, main = st.columns([1, 4], gap="medium")
    with controls:
        source = st.segmented_control("Patch x", ["Shapes", "Draw"], default="Shapes", required=True, key="source")
        if source == "Draw":
            picture, number, done = store.drawing()
            pad(number, on_drawing_change=lambda: None)
            if not picture.any():
                st.caption("Draw something: the posterior follows the pen.")
        else:
            shape = st.pills(
                "Shape", list(SHAPES), default="square", format_func=_symmetry, required=True, key="shape",
                label_visibility="collapsed", wrap=True,
            )  # fmt: skip
        st.caption("The second patch, y, is a turned copy of x.")
        noise = st.slider("Pixel noise on y", 0.0, 1.0, 0.0, 0.05, key="pixel_noise", help="Added to every pixel of y.")
        sigma = st.slider("Model noise σ", 0.2, 2.0, 0.5, 0.05, key="sigma", help="How far the model trusts a pixel.")
    with main:
        if source == "Draw":
            only = None if done else store.angle()
            blob = compute.stage_of(picture, compute.DEFAULT_MODEL, sigma, noise, only)
        else:
            blob = compute.shape_stage(shape, compute.DEFAULT_MODEL, sigma, noise)
        stage(blob, angle=30, on_angle_change=lambda: None)
