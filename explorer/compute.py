"""The only module with caches: thin wrappers around `tsa`, each bounded, keyed by small things."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from explorer import library
from explorer.components import recognise, sheet
from explorer.jobs import Jobs
from explorer.library import LAB_MODEL, Entry
from explorer.media import data_url
from tsa import datasets, recipes, shapes
from tsa.comparison import Comparison, compare
from tsa.files import ModelFile
from tsa.groups import ImageRotation
from tsa.inspection import Inspection, inspect
from tsa.model import Subgroup
from tsa.pictures import patch
from tsa.polar import to_polar
from tsa.progress import Report
from tsa.refinement import refine
from tsa.scene import Scene
from tsa.votes import Jury
from tsa.weights import frequencies, spectra

Picture = NDArray[np.float64]
T = TypeVar("T")
_MOST_REMEMBERED = 32
_PAIRS_SHOWN = 30
_PICTURE = 128  # pixels on a side of a drawn shape, before the model sees it


def default_model() -> str:
    """What `tsa-explorer --model` named, or the bundled model that tells symmetries most truthfully."""
    return os.environ.get("TSA_EXPLORER_MODEL", LAB_MODEL)


@st.cache_resource(max_entries=16, show_spinner=False)
def entry(name: str) -> Entry:
    """The bundled model of this name, or the one in the file that `--model` named."""
    return library.open_named(name)


@st.cache_resource(max_entries=16, hash_funcs={Entry: repr}, show_spinner=False)
def model(entry: Entry, sigma: float) -> Subgroup:
    """The model at noise σ."""
    return Subgroup(entry.model.filters, entry.model.weights, sigma)


@st.cache_data(max_entries=32, show_spinner=False)
def shape_picture(name: str) -> Picture:
    """A shape of known symmetry, drawn."""
    return shapes.draw(name, _PICTURE)


@st.cache_data(max_entries=1, show_spinner=False)
def digits() -> tuple[Picture, NDArray[np.uint8]]:
    """Thirty handwritten digits of the MNIST test set, in 0…1 (30, 28, 28), and their labels."""
    return datasets.gallery()


@st.cache_data(max_entries=32, show_spinner=False)
def shape_icon(name: str) -> str:
    """A shape as a small picture in Markdown, for the label of a widget."""
    return f"![{name}]({data_url(shape_picture(name), 80)})"


@st.cache_data(max_entries=64, show_spinner=False)
def digit_icon(index: int) -> str:
    """A digit of the sample as a small picture in Markdown."""
    pictures, labels = digits()
    return f"![a handwritten {labels[index]}]({data_url(pictures[index], 80)})"


@dataclass(frozen=True)
class Question:
    """What is asked of a pair, besides the pictures: all of it small, so that it can be a key."""

    entry: Entry
    sigma: float = 0.5
    pixel_noise: float = 0.0
    observation: int = 0  # which draw of the pixel noise
    prior: tuple[complex, ...] = ()  # natural parameters of the prior over s


def scene(x: Picture, y: Picture | None, question: Question, angle: int) -> Scene:
    """The scene of a picture and its turned copy, or of y."""
    chosen = model(question.entry, question.sigma)
    return Scene(chosen, x, y, angle, question.pixel_noise, question.observation, question.prior)


@st.cache_data(max_entries=24, hash_funcs={Question: repr}, show_spinner=False)
def answer(x: Picture, y: Picture | None, question: Question, only: int | None = None) -> bytes:
    """The packed sweep of a scene; one turn only while a pen is down."""
    return scene(x, y, question, only or 0).blob(whole=only is None)


@st.cache_data(max_entries=16, hash_funcs={Entry: repr}, show_spinner="Finding the weight spectra …")
def weight_spectra(entry: Entry) -> Picture:
    """The character projection of every filter."""
    return spectra(entry.model.filters, entry.action)


@st.cache_data(max_entries=8, hash_funcs={Entry: repr})
def filters(entry: Entry, picture: Picture, chosen: int | None, sigma: float, angle: int) -> bytes:
    """The packed filters of a model and what they say about a picture, if they are about pictures."""
    square = len(entry.shape) == 2 and entry.shape[0] == entry.shape[1]
    response = entry.model.coordinates(patch(picture, entry.shape[0])) if square else None
    known = frequencies(entry.action)
    # Those the patch can tell apart (and those the model claims), in order.
    limit = max(np.abs(entry.action.characters).max(), np.abs(entry.model.weights).max())
    near = np.flatnonzero(np.abs(known.reshape(len(known), -1)).max(axis=1) <= limit)
    near = near[np.lexsort(known[near].reshape(len(near), -1).T[::-1])]
    return sheet.pack(entry, weight_spectra(entry)[:, near], known[near], response, chosen, sigma, angle)


@st.cache_resource(max_entries=4, hash_funcs={Entry: repr}, show_spinner="Turning 1,000 digits…")
def jury(entry: Entry) -> Jury:
    """The bundled training digits, each turned at random once as in the experiment, to be searched with this model."""
    size = entry.shape[0]
    return Jury(entry.model, datasets.rotated(_training_digits(), seed=0, size=size), size)


@st.cache_resource(max_entries=1, show_spinner=False)
def _training_digits() -> datasets.Digits:
    return datasets.sample("train")


@st.cache_data(max_entries=24, hash_funcs={Entry: repr}, show_spinner=False)
def votes(entry: Entry, picture: NDArray[np.float64], label: int | None, only: int | None) -> bytes | None:
    """The packed votes on a picture at all turns, or at one while a pen is down; None if there is nothing on it."""
    return voting(entry, label)(picture, only)


def voting(entry: Entry, label: int | None) -> Callable[[Picture, int | None], bytes | None]:
    """The same, nothing remembered: for a pen that moves on."""
    members, images = jury(entry), _training_digits().images

    def vote(picture: Picture, only: int | None) -> bytes | None:
        found = members.ask(to_polar(picture), only=only)
        return None if found is None else recognise.pack(found, members, images, picture, label, only)

    return vote


def inspection(entry: Entry, report: Report) -> Inspection:
    """The report on a model; a callback says how far it is if it is not known yet."""
    return _remembered("inspection", entry, lambda: inspect(entry.model, entry.action, report=report))


def refined(entry: Entry, name: str, report: Report) -> Entry:
    """The model taken apart into irreducibles, under another name."""

    model = _remembered("refined", entry, lambda: refine(entry.model, entry.action, report))
    about = {
        "group": "rotation" if isinstance(entry.action, ImageRotation) else "shift",
        "refined from": entry.name,
    } | entry.file.about
    return library.entry(name, ModelFile(model, entry.shape, about))


@st.cache_resource(max_entries=32, hash_funcs={Entry: repr})
def comparison(first: Entry, second: Entry) -> Comparison:
    """Two models, weight by weight."""
    return compare(first.model, second.model)


@st.cache_data(max_entries=16, show_spinner=False)
def training_pairs(group: str, shape: tuple[int, ...], seed: int) -> tuple[Picture, Picture]:
    """The first pairs that a training sees, (n, D) each."""
    return next(recipes.group(group, shape).stream(seed, _PAIRS_SHOWN))


@st.cache_resource(max_entries=1)
def jobs() -> Jobs:
    """The trainings of all visitors."""
    return Jobs()


def _remembered(kind: str, entry: Entry, work: Callable[[], T]) -> T:
    """What `work` gave for this model, or gives now. A cached function could not show a progress bar."""
    shelf = _shelf()
    key = kind, entry.digest
    if (found := shelf.get(key)) is None:
        found = shelf[key] = work()
        for old in list(shelf)[:-_MOST_REMEMBERED]:
            shelf.pop(old, None)
    return found


@st.cache_resource(max_entries=1)
def _shelf() -> dict[tuple[str, str], Any]:
    return {}


def warm() -> None:
    """What the first visitor would otherwise wait for: imports, the camera, the first model."""
    with suppress(ImportError):
        import_module("pandas")  # Streamlit does, when a component is first given a dictionary
    first = entry(default_model())
    Scene((first if first.turns else entry(LAB_MODEL)).model, shapes.draw("square", _PICTURE)).blob()
