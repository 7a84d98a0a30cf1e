"""The film of the film page: from a shape, the picture of the lab, or uploaded frames."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.session import caches, pictures, view
from explorer.state import LAB_MODEL, OWN_FILM, UPLOADED, Film, Shape, digest_of, film_of_frames, turning_film
from tsa._base import Array, InputError
from tsa.pictures import PictureError, open_frames, open_picture

_MAX_FILES = 200
_FIRST_FILM = "S"


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


def shown() -> ShownFilm:
    """The film of the view; if it cannot be made, that of the letter S, with the reason."""
    chosen, trouble = view.current(), ""
    settings = (chosen.film_noise, chosen.film_step, chosen.film_gap, chosen.film_seed)
    model = caches.shared_model(LAB_MODEL).model
    clip: Clip | None = st.session_state.get("clip")
    try:
        if chosen.film == UPLOADED and clip is not None:
            return ShownFilm(film_of_frames(model, clip.frames, *settings), digest_of(clip.name, *settings))
        name = _FIRST_FILM if chosen.film == UPLOADED else chosen.film
        source = pictures.source("x") if name == OWN_FILM else Shape(name)
        picture = caches.picture(source)
        return ShownFilm(turning_film(model, picture, *settings), digest_of(picture, *settings))
    except InputError as error:
        trouble = str(error)
    picture = caches.picture(Shape(_FIRST_FILM))
    return ShownFilm(turning_film(model, picture, *settings), digest_of(picture, *settings), trouble)


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
