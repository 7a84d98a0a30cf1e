"""The lab: choose a shape, turn it, and watch the posterior over the turn."""

import streamlit as st

from explorer import compute
from explorer.components.stage import stage
from tsa.shapes import SHAPES


def _symmetry(name: str) -> str:
    fold = SHAPES[name].fold
    return f"{name} · {'any turn' if fold == 0 else f'{fold}-fold'}"


def page() -> None:
    """Controls on the left, the stage on the right."""
    controls, main = st.columns([1, 4.2], gap="medium")
    with controls:
        st.markdown("##### Patch x")
        shape = st.pills("Shape", list(SHAPES), default="square", format_func=_symmetry, required=True, key="shape")
        st.markdown("##### Second patch y")
        st.caption("A turned copy of x.")
        noise = st.slider("Pixel noise on y", 0.0, 1.0, 0.0, 0.05, key="pixel_noise")
        sigma = st.slider("Model noise σ", 0.2, 2.0, 0.5, 0.05, key="sigma")
    with main:
        blob = compute.shape_stage(shape or "square", compute.DEFAULT_MODEL, sigma, noise, seed=0)
        stage(blob, angle=30, on_angle_change=lambda: None)
