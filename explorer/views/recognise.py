"""Recognise a digit at any angle: its nearest neighbours and their vote, under each distance side by side."""

import streamlit as st

from explorer import compute, live, store
from explorer.components.line import line
from explorer.components.recognise import recognise
from explorer.views.picture import choose, moved
from tsa.framing import framed


@st.fragment
def page() -> None:
    """Controls on the left, the votes on the right; only this reruns when something moves."""
    controls, main = st.columns([1, 4], gap="medium")
    with controls:
        chosen = choose("x", "Draw a digit")
        source = store.choice("source_x", "Shapes")
        entry = store.lab_entry()
        st.caption(
            f"Searched among the first 1,000 digits of MNIST, each turned at random once and seen by **{entry.name}**."
            + (" Drawings are centred and scaled as those digits are." if source == "Draw" else "")
        )
    with main:
        compute.jury(entry)  # here, so that its spinner shows where the votes will be
        picture = framed(chosen.picture) if source == "Draw" else chosen.picture
        label = int(compute.digits()[1][store.choice("gallery_digit_x", store.DIGIT)]) if source == "Digits" else None
        blob = compute.votes(entry, picture, label, None if chosen.done else store.angle())
        if blob is None:
            st.info("There is nothing to recognise yet: draw a digit, at any angle.")
        else:
            recognise(blob, store.command("recognise"))
        hand, vote, angle = moved("x"), compute.voting(entry, label), store.angle()

        def answer(patch: str, message: object) -> bytes | None:
            picture = hand(message) if patch == "x" else None
            return None if picture is None else vote(framed(picture) if source == "Draw" else picture, angle) or b""

        live.prepare(store.visitor(), answer)
    line(store.visitor())
    store.finish()
