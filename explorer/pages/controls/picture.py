"""Choosing a picture: a shape, a drawing, a digit or a photo."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

from explorer.components.crop import crop
from explorer.components.pad import pad
from explorer.session import caches, pictures, view
from tsa.pictures import EXTENSIONS, SHAPES
from tsa.stage import data_url

T = TypeVar("T")
_PHOTO_PIXELS = 480  # along the longer side of a photo on the page


def choose(patch: str, label: str, kinds: Sequence[str] = pictures.KINDS) -> None:
    """Controls that choose the picture of patch "x" or "y", of one of these kinds."""
    kind = st.segmented_control(label, kinds, required=True, **pictures.kind_widget(patch, kinds))
    if kind == "Draw":
        _pad(patch)
    elif kind == "Upload":
        _photo(patch, "the letter F" if "Shapes" in kinds else "a digit")
    elif kind == "Digits":
        _gallery(patch, "digit", range(len(caches.digits()[1])), caches.digit_icon)
    else:
        name = _gallery(patch, "shape", list(SHAPES), caches.shape_icon)
        st.caption(f"**{name}**, {_symmetry(SHAPES[name].symmetry_order)}")


def _symmetry(order: int) -> str:
    if order == 0:
        return "the same at every angle"
    return "no symmetry" if order == 1 else f"{order}-fold symmetry"


def _gallery(patch: str, name: str, options: Sequence[T], icon: Callable[[T], str]) -> T:
    """Small pictures to choose from; the style sheet of the app makes them round."""
    return st.pills(
        "Picture", options, format_func=icon, required=True, label_visibility="collapsed", wrap=True,
        **pictures.gallery_widget(patch, name),
    )  # fmt: skip


def _pad(patch: str) -> None:
    drawing = pictures.editor(patch).drawing
    start = drawing.pixels if drawing.done else None  # during a stroke, the pad has it
    pad(patch, view.session(), drawing.obey, drawing.sequence, start)
    if not any(drawing.pixels.values):
        st.caption("Draw in the circle. The result is updated while you draw.")


def _photo(patch: str, substitute: str) -> None:
    st.file_uploader("Photo", type=EXTENSIONS, key=f"upload_{patch}", label_visibility="collapsed")
    editor = pictures.editor(patch)
    if trouble := editor.upload[1]:
        st.error(trouble)
    photo = editor.photo
    if photo is None:
        st.caption(f"PNG, JPEG, WebP, BMP or GIF. Until then, {substitute} is shown.")
        return
    known = pictures.on_page(f"crop_{patch}", photo)
    address = None if known else data_url(photo.picture, _PHOTO_PIXELS)
    crop(patch, view.session(), photo.obey, photo.sequence, photo.name, address, photo.circle)
