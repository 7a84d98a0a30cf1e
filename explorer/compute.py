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
_PICTURE = 128  # pixels on a side of a drawn shape, before the model sees it


@st.cache_resource(max_entries=16)
def model(name: str, sigma: float) -> tuple[Subgroup, int]:
    """A bundled rotation model at noise σ, and the side of its patches."""
    file = files.read(files.bundled_path(name) or name)
    assert isinstance(file.model, Subgroup)
    return Subgroup(file.model.filters, file.model.weights, sigma), file.shape[0]


@st.cache_data(max_entries=32)
def shape_picture(name: str) -> NDArray[np.float64]:
    """A shape of known symmetry, drawn."""
    return shapes.draw(name, _PICTURE)


@st.cache_data(max_entries=32)
def shape_stage(name: str, model_name: str, sigma: float, pixel_noise: float) -> bytes:
    """The packed sweep of a shape."""
    return stage_of(shape_picture(name), model_name, sigma, pixel_noise)


def stage_of(
    picture: NDArray[np.float64], model_name: str, sigma: float, pixel_noise: float, only: int | None = None
) -> bytes:
    """The packed sweep of any square picture; of one turn only while it is being drawn."""
    chosen, size = model(model_name, sigma)
    noise = pixel_noise * np.random.default_rng(0).normal(size=size * size) if pixel_noise else None
    return pack(sweep(chosen, to_polar(picture), size, noise), chosen, picture, size, only)


def warm() -> None:
    """Everything the first visitor would otherwise wait for."""
    stage_of(shapes.draw("square", _PICTURE), DEFAULT_MODEL, 0.5, 0.0)
