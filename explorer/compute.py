"""The only module with caches: thin wrappers around `tsa`, each bounded, keyed by small things."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from explorer.components.stage import pack
from tsa import files, shapes
from tsa.model import Subgroup
from tsa.polar import to_polar
from tsa.sweep import sweep

DEFAULT_MODEL = "rotation-16-refined"
PICTURE = 128  # pixels on a side of a picture before the model sees it


@st.cache_resource(max_entries=8)
def model(name: str, noise: float) -> tuple[Subgroup, int]:
    """A bundled rotation model at noise σ, and the side of its patches."""
    file = files.read(files.bundled_path(name) or name)
    assert isinstance(file.model, Subgroup)
    return Subgroup(file.model.filters, file.model.weights, noise), file.shape[0]


@st.cache_data(max_entries=64)
def shape_picture(name: str) -> NDArray[np.float64]:
    """A shape of known symmetry, drawn."""
    return shapes.draw(name, PICTURE)


@st.cache_data(max_entries=64)
def shape_stage(name: str, model_name: str, sigma: float, pixel_noise: float, seed: int) -> bytes:
    """The packed sweep of a shape."""
    chosen, size = model(model_name, sigma)
    picture = shape_picture(name)
    noise = pixel_noise * np.random.default_rng(seed).normal(size=size * size) if pixel_noise else None
    return pack(sweep(chosen, to_polar(picture), size, noise), chosen, picture, size)
