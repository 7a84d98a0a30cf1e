"""The only module with caches: thin wrappers around `tsa`, each bounded, keyed by small things."""

import os
from dataclasses import dataclass, field

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from explorer.components.stage import pack
from tsa import files, shapes
from tsa.errors import ModelFileError
from tsa.groups import ImageRotation
from tsa.gvm import GeneralizedVonMises
from tsa.model import Subgroup
from tsa.polar import to_polar
from tsa.sweep import Sweep, sweep
from tsa.weights import as_subgroup

_PICTURE = 128  # pixels on a side of a drawn shape, before the model sees it


def default_model() -> str:
    """What `tsa-explorer --model` named, or the bundled model that tells symmetries most truthfully."""
    return os.environ.get("TSA_EXPLORER_MODEL", "rotation-16-refined")


@st.cache_resource(max_entries=16)
def model(name: str, sigma: float) -> tuple[Subgroup, int]:
    """A rotation model, bundled or from a file, at noise σ, and the side of its patches."""
    learned, size = rotation_model(name)
    return Subgroup(learned.filters, learned.weights, sigma), size


def rotation_model(name: str) -> tuple[Subgroup, int]:
    """The model of this name or file, its weights estimated if it has none; an error if it is not about rotation."""
    file = files.read(files.bundled_path(name) or name)
    if len(file.shape) != 2 or file.shape[0] != file.shape[1] or file.about.get("group", "rotation") != "rotation":
        raise ModelFileError(
            f"The lab turns square patches; {name} is a model of {file.about.get('group', file.shape)}."
        )
    if isinstance(file.model, Subgroup):
        return file.model, file.shape[0]
    return as_subgroup(file.model, ImageRotation(file.shape[0])), file.shape[0]


@st.cache_data(max_entries=32)
def shape_picture(name: str) -> NDArray[np.float64]:
    """A shape of known symmetry, drawn."""
    return shapes.draw(name, _PICTURE)


@st.cache_data(max_entries=1)
def digits() -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Thirty handwritten digits of the MNIST test set, in 0…1 (30, 28, 28), and their labels."""
    with np.load(files.assets("") / "digits.npz", allow_pickle=False) as sample:
        return sample["images"] / 255, sample["labels"]


@dataclass(frozen=True)
class Question:
    """What is asked of a pair, besides the pictures: all of it small, so that it can be a key."""

    model: str = field(default_factory=default_model)
    sigma: float = 0.5
    pixel_noise: float = 0.0
    observation: int = 0  # which draw of the pixel noise
    prior: tuple[complex, ...] = ()  # natural parameters of the prior over s


@st.cache_data(max_entries=24, hash_funcs={Question: repr})
def answer(x: NDArray[np.float64], y: NDArray[np.float64] | None, question: Question, only: int | None = None) -> bytes:
    """The packed sweep of a picture against a turned copy of itself, or of y; one turn only while a pen is down."""
    swept, chosen, size = _sweep(x, y, question, only)
    return pack(swept, chosen, x if y is None else y, size, copy=y is None)


def observed(
    x: NDArray[np.float64], y: NDArray[np.float64] | None, question: Question, turn: int
) -> tuple[complex, ...]:
    """Natural parameters of the posterior at this turn: tomorrow's prior."""
    return tuple(complex(value) for value in _sweep(x, y, question, turn)[0].pooled[0])


def _sweep(
    x: NDArray[np.float64], y: NDArray[np.float64] | None, question: Question, only: int | None
) -> tuple[Sweep, Subgroup, int]:
    chosen, size = model(question.model, question.sigma)
    noise = question.pixel_noise * np.random.default_rng(question.observation).normal(size=size * size)
    prior = GeneralizedVonMises(np.array(question.prior)) if question.prior else None
    other = None if y is None else to_polar(y)
    return sweep(chosen, to_polar(x), size, noise, prior, other, only), chosen, size


def warm() -> None:
    """What the first visitor would otherwise wait for: imports, the camera, the first model."""
    learned, size = rotation_model(default_model())
    polar = to_polar(shapes.draw("square", _PICTURE))
    pack(sweep(learned, polar, size), learned, shapes.draw("square", _PICTURE), size)
