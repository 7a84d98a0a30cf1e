"""Film: a picture turns or slides, with noise and missing frames; filter, smoother, and a tracker with one guess."""

from functools import partial

import streamlit as st

from explorer.components.teaching.film import show_film
from explorer.session import caches, run, view
from explorer.session import film as films
from explorer.state import (
    FILM_GAPS,
    FILM_NOISES,
    FILM_STEPS,
    FILMS,
    MAX_FILM_SEED,
    OWN_FILM,
    SLIDE_SIDE,
    SLIDES,
    UPLOADED,
)

_LABELS = {OWN_FILM: "x of the lab", UPLOADED: "uploaded"}
_TURNS, _SLIDES = "Turns", "Slides"


@st.fragment
def page() -> None:
    """Controls on the left, the film on the right, as one fragment."""
    run.listen()
    controls, main = st.columns([1, 4], gap="medium")
    # Two containers: on a narrow screen the film stands between them.
    with controls.container(key="controls_film"):
        _what_turns()
    with controls.container(key="controls_rest"):
        _settings()
    with main:
        shown = films.shown()
        if shown.trouble:
            st.warning(shown.trouble)
        make = partial(caches.packed_film, shown.digest, shown.film)
        show_film(view.data_for("film", shown.digest, make))
    run.finish()


def _what_turns() -> None:
    slides = view.current().film_slides
    bound = view.bound(
        "film_movement", _SLIDES if slides else _TURNS, _choose_movement, view.obey("film_movement", "film_slides")
    )
    st.segmented_control("How it moves", [_TURNS, _SLIDES], required=True, width="stretch", **bound)
    bound = view.bound(
        "gallery_film", films.name(),
        lambda name: view.change("gallery_film", film=name, frame=0), view.obey("gallery_film", "film", "film_slides"),
    )  # fmt: skip
    st.pills(
        "What slides" if slides else "What turns", films.names(), format_func=_label, required=True, wrap=True, **bound
    )


def _choose_movement(movement: str) -> None:
    slides = movement == _SLIDES
    names, film = SLIDES if slides else FILMS, view.current().film
    view.change("film_movement", film_slides=slides, film=film if film in names else names[0], frame=0)


def _settings() -> None:
    st.slider(
        "Noise", *FILM_NOISES[:2], step=FILM_NOISES[2], **view.widget("film_noise", "film_noise"),
        help="Standard deviation of the noise on every pixel of a frame; that of the picture itself is 1.",
    )  # fmt: skip
    st.slider(
        "Missing frames in each gap", *FILM_GAPS, step=5, **view.widget("film_gap", "film_gap"),
        help="Two gaps, during which nothing is seen and the picture moves on.",
    )  # fmt: skip
    st.slider(
        "Size of a step", *FILM_STEPS, format="%d°", **view.widget("film_step", "film_step"),
        help="Standard deviation of the movement from one frame to the next."
        + (f" 360° are the width of the picture, {SLIDE_SIDE} pixels." if view.current().film_slides else ""),
    )  # fmt: skip
    seed = view.current().film_seed
    st.button(
        "Another film like this", width="stretch",
        on_click=lambda: view.change("another", film_seed=(seed + 1) % (MAX_FILM_SEED + 1), frame=0),
        help="Draws new steps and new noise.",
    )  # fmt: skip
    files = st.file_uploader(
        "Your own frames", type=["gif", "webp", "png"], accept_multiple_files=True, key="film_upload",
        help="A moving GIF or WebP, or several pictures of one size. "
        "The first frame is what the others are turns or shifts of.",
    )  # fmt: skip
    if files and (trouble := films.take(files)):
        st.error(trouble)


def _label(name: str) -> str:
    return _LABELS.get(name) or (caches.world_icon if view.current().film_slides else caches.shape_icon)(name)
