"""The film of the film page: from a shape, the picture of the lab, or uploaded frames."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.session import caches, pictures, view
from explorer.state import (
    FILMS,
    LAB_MODEL,
    OWN_FILM,
    SLIDES,
    UPLOADED,
    Film,
    Shape,
    digest_of,
    film_of_frames,
    sliding_film,
    turning_film,
)
from tsa._base import Array, InputError
from tsa.pictures import PictureError, open_frames, open_picture

_MAX_FILES = 200
_WORLD_PIXELS = 128


@dataclass(frozen=True, eq=False)
class Clip:
    """Uploaded frames (n, h, w) in 0…1, and a hash of their files."""

    frames: Array
    name: str


@dataclass(frozen=True, eq=False)
class ShownFilm:
    """The film that is shown, its digest, and why what was asked for cannot be shown, if so."""

    film: Film
    digest: str
    trouble: str = ""


def names() -> list[str]:
    """The films there are to choose from: shapes that turn or pictures that slide, x of the lab, uploaded frames."""
    return [name for name in _all_names() if name != UPLOADED or "clip" in st.session_state]


def _all_names() -> tuple[str, ...]:
    return SLIDES if view.current().film_slides else FILMS


def name() -> str:
    """The film that is chosen, or the first where the chosen one is not there."""
    chosen = view.current().film
    return chosen if chosen in names() else names()[0]


def shown() -> ShownFilm:
    """The film of the view; if it cannot be made, the first of the list, with the reason."""
    chosen, first = view.current(), names()[0]
    settings = (chosen.film_noise, chosen.film_step, chosen.film_gap, chosen.film_seed)
    try:
        return _film(name(), chosen.film_slides, *settings)
    except InputError as error:
        return replace(_film(first, chosen.film_slides, *settings), trouble=str(error))


def _film(name: str, slides: bool, *settings: Any) -> ShownFilm:
    model = caches.shared_model(LAB_MODEL).model
    if name == UPLOADED:
        clip: Clip = st.session_state["clip"]
        film = film_of_frames(None if slides else model, clip.frames, *settings)
        return ShownFilm(film, digest_of(clip.name, slides, *settings))
    own = name == OWN_FILM
    if slides:
        picture = caches.picture(pictures.source("x")) if own else caches.world(name, _WORLD_PIXELS)
        return ShownFilm(sliding_film(picture, *settings), digest_of(picture, slides, *settings))
    picture = caches.picture(pictures.source("x") if own else Shape(name))
    return ShownFilm(turning_film(model, picture, *settings), digest_of(picture, *settings))


def take(files: Sequence[UploadedFile]) -> str:
    """Use uploaded files as the film: a moving GIF or WebP, or several pictures; returns why not, or nothing."""
    data = [file.getvalue() for file in files[:_MAX_FILES]]
    name = hashlib.sha256(b"".join(data)).hexdigest()[:16]
    known: Clip | None = st.session_state.get("clip")
    if known is not None and known.name == name:
        return ""
    try:
        frames = open_frames(data[0]) if len(data) == 1 else _stills(files, data)
    except PictureError as error:
        return str(error)
    if len(frames) < 2:
        return "This is a single picture. A film is a moving GIF or WebP, or several pictures of one size."
    st.session_state["clip"] = Clip(frames, name)
    view.change("film_upload", film=UPLOADED, film_noise=0.5, film_gap=0, frame=0)
    return ""


def _stills(files: Sequence[UploadedFile], data: Sequence[bytes]) -> Array:
    order = sorted(range(len(data)), key=lambda i: files[i].name)
    stills = [open_picture(data[i]) for i in order]
    if len({still.shape for still in stills}) > 1:
        raise PictureError("These pictures have different sizes; the frames of a film have one.")
    return np.stack(stills)
