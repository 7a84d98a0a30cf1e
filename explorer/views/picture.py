"""Choosing a picture: a shape, a drawing, a digit or a photo of one's own."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from explorer import compute, hands, media, store
from explorer.components.crop import crop
from explorer.components.crop import decode as decode_circle
from explorer.components.pad import decode as decode_drawing
from explorer.components.pad import pad
from tsa import pictures
from tsa.shapes import SHAPES

SOURCES = ["Shapes", "Draw", "Digits", "Upload"]
T = TypeVar("T")


class Chosen(NamedTuple):
    """A square grey picture, and whether it is finished: a pen that is down will change it in a moment."""

    picture: NDArray[np.float64]
    done: bool


def choose(patch: str, label: str) -> Chosen:
    """Controls that choose the picture of patch "x" or "y"."""
    source = st.segmented_control(label, SOURCES, default="Shapes", required=True, key=store.kept(f"source_{patch}"))
    if source == "Draw":
        _pad(patch)
    elif source == "Upload":
        _photo(patch)
    elif source == "Digits":
        _gallery(f"gallery_digit_{patch}", range(len(compute.digits()[1])), store.DIGIT, compute.digit_icon)
    else:
        name = _gallery(f"gallery_shape_{patch}", list(SHAPES), store.FIRST[patch], compute.shape_icon)
        fold = SHAPES[name].fold
        symmetry = {0: "the same however it is turned", 1: "no symmetry"}.get(fold, f"{fold}-fold symmetry")
        st.caption(f"**{name}**, {symmetry}")
    return current(patch)


def current(patch: str) -> Chosen:
    """The picture of patch "x" or "y" as it was last chosen, on whatever page."""
    source = store.choice(f"source_{patch}", "Shapes")
    if source == "Draw":
        drawing = hands.drawing(patch)
        return Chosen(drawing.picture, drawing.done)
    if source == "Upload":
        hands.upload(patch)
        photo = hands.photo(patch)
        if photo is None:
            return Chosen(compute.shape_picture("F"), True)
        return Chosen(photo.cut, photo.done)
    if source == "Digits":
        return Chosen(compute.digits()[0][store.choice(f"gallery_digit_{patch}", store.DIGIT)], True)
    return Chosen(compute.shape_picture(store.choice(f"gallery_shape_{patch}", store.FIRST[patch])), True)


def moved(patch: str) -> Callable[[object], NDArray[np.float64] | None]:
    """What a hand on this patch would make of it, from a message of its own; nothing of the session is needed then."""
    photo = hands.photo(patch) if store.choice(f"source_{patch}", "Shapes") == "Upload" else None

    def picture(message: object) -> NDArray[np.float64] | None:
        if photo is None:
            drawing = decode_drawing(message)
            return None if drawing is None else drawing[0]
        place = decode_circle(message)
        return None if place is None else photo._replace(circle=place[0]).cut

    return picture


def _gallery(key: str, options: Sequence[T], default: T, icon: Callable[[T], str]) -> T:
    """Little pictures to choose from; the style sheet of the app makes them round."""
    return st.pills(
        "Picture", options, default=default, format_func=icon, required=True, key=store.kept(key),
        label_visibility="collapsed", wrap=True,
    )  # fmt: skip


def _pad(patch: str) -> None:
    drawing = hands.drawing(patch)
    start = drawing.picture if drawing.fresh and drawing.number else None
    pad(patch, drawing.number, start)
    if not drawing.picture.any():
        st.caption("Draw something: the posterior follows the pen.")


def _photo(patch: str) -> None:
    st.file_uploader("A picture", type=pictures.EXTENSIONS, key=f"upload_{patch}", label_visibility="collapsed")
    if trouble := hands.upload(patch):
        st.error(trouble)
    photo = hands.photo(patch)
    if photo is None:
        st.caption("PNG, JPEG, WebP, BMP or GIF. Until then, the letter F.")
        return
    address = media.data_url(photo.picture, 480) if photo.fresh else None
    crop(patch, photo.number, photo.name, address, photo.circle)
