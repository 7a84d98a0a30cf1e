"""Recognise a digit at any angle: its nearest neighbours and their vote, under each distance side by side."""

import streamlit as st

from explorer import live
from explorer.components.live_line import live_line
from explorer.components.recognise import recognise
from explorer.limits import LimitError
from explorer.pages.controls import awaited, choose
from explorer.session import caches, models, pictures, run, view
from explorer.state import Digit, Pixels, Source, digest_of
from tsa._base import Array
from tsa.pictures import centred


@st.fragment
def page() -> None:
    """Controls on the left, the votes on the right, as one fragment: a change does not rerun the rest of the script."""
    run.listen()
    controls, main = st.columns([1, 4], gap="medium")
    with controls.container(key="controls_recognise"):
        choose("x", "Digit to recognise", pictures.DIGIT_KINDS)
        source, named = pictures.digit_source("x"), models.for_lab()
        is_drawing = isinstance(source, Pixels) and not source.photo
        st.caption(
            "The digit is compared with the first 1,000 training digits of MNIST, each turned by a random angle. "
            f"Model: **{named.name}**."
            + (" Your drawing is first centred and scaled as those digits are." if is_drawing else "")
        )
        if notice := models.replaced_notice("Recognise needs"):
            st.info(notice)
    with main:
        try:
            _votes()
        except LimitError as error:
            st.error(str(error))
    live_line(view.visitor())
    run.finish()


def _votes() -> None:
    """The votes, or what to do if the picture is empty; a bar until the training digits are prepared."""
    editor, named, angle = pictures.editor("x"), models.for_lab(), view.current().angle
    source = pictures.digit_source("x")
    label = int(caches.digits()[1][source.index]) if isinstance(source, Digit) else None
    search = awaited(caches.digit_search(named), "Turning 1,000 digits")
    if search is None:
        live.prepare(view.visitor(), view.revision(), lambda patch, message: None)
        return
    vote, moved = caches.voting(search, label), pictures.moved("x")

    def answer(patch: str, message: object) -> bytes | None:
        changed = moved(message) if patch == "x" else None
        return None if changed is None else vote(_as_digit(changed), angle) or b""

    live.prepare(view.visitor(), view.revision(), answer)
    picture, only = _as_digit(source), None if editor.done else angle
    votes = caches.votes(named, picture, label, only, search)
    if votes is None:
        st.info("There is nothing to recognise yet. Draw a digit, turned by any angle.")
    else:
        digest = digest_of(named.digest, picture, label)
        recognise(view.data_for("recognise", digest, lambda: votes, editor.sequence, whole=only is None))


def _as_digit(source: Source) -> Array:
    """The picture of a source; drawings are centred and scaled like the digits of MNIST."""
    picture = caches.picture(source)
    return centred(picture) if isinstance(source, Pixels) and not source.photo else picture
