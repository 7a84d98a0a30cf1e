"""What a visitor's hands have made: drawings, and photos with a circle on them, kept in st.session_state.

There are two patches, "x" and "y", and each has a drawing, an upload and a crop circle of its own.
"""

import hashlib
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.components import crop, pad
from explorer.state import PHOTO, Pixels
from tsa.pictures import Circle, PictureError, cut, open_picture

Picture = NDArray[np.float64]


class Drawing(NamedTuple):
    """The last good drawing; `fresh` says that its pad is new on the page and does not show it yet."""

    picture: Picture
    number: int
    done: bool
    fresh: bool


class Photo(NamedTuple):
    """The last good upload and the circle on it; `fresh` says that the page does not have its pixels yet."""

    pixels: NDArray[np.uint8]
    name: str
    circle: Circle
    number: int
    done: bool
    fresh: bool

    @property
    def picture(self) -> Picture:
        """In 0…1."""
        return self.pixels / 255

    @property
    def cut(self) -> Picture:
        """What the circle holds, as a link would hold it."""
        return Pixels.of(cut(self.picture, self.circle, PHOTO), photo=True).picture


def drawing(patch: str) -> Drawing:
    """The last good drawing; an empty page at first."""
    message = pad.decode(sent(f"pad_{patch}", "drawing"))
    empty = (np.zeros((pad.SIDE, pad.SIDE)), 0, True)
    picture, number, done = st.session_state.get(f"drawing_{patch}", empty)
    mine = message is not None and message[1] >= number  # a link may have brought a newer one
    if message is not None and mine:
        st.session_state[f"drawing_{patch}"] = picture, number, done = message
    return Drawing(picture, number, done, fresh=not mine)


def set_drawing(patch: str, picture: Picture) -> None:
    """A drawing that comes from a link, newer than whatever a pad has said."""
    st.session_state[f"drawing_{patch}"] = (picture, drawing(patch).number + 1, True)


def upload(patch: str) -> str:
    """Take in what the uploader of this patch holds, once; what is wrong with it, if it cannot be used."""
    file = st.session_state.get(f"upload_{patch}")
    if not isinstance(file, UploadedFile):  # none, or one that the server has lost meanwhile
        return ""
    last, trouble = st.session_state.get(f"file_{patch}", ("", ""))
    if file.file_id == last:
        return trouble
    trouble = ""
    try:
        pixels = np.rint(255 * open_picture(file.getvalue())).astype(np.uint8)
        set_photo(patch, pixels, hashlib.sha256(pixels).hexdigest()[:16])
    except PictureError as error:
        trouble = str(error)
    st.session_state[f"file_{patch}"] = (file.file_id, trouble)
    return trouble


def set_photo(patch: str, pixels: NDArray[np.uint8], name: str) -> None:
    """A photo as bytes, which are many; its circle as at first, and newer than whatever was said of one before."""
    number = st.session_state.get(f"circle_{patch}", (Circle(), "", 0, True))[2] + 1
    st.session_state[f"photo_{patch}"] = (pixels, name)
    st.session_state[f"circle_{patch}"] = (Circle(), name, number, True)


def photo(patch: str) -> Photo | None:
    """The last good upload and where its circle is."""
    if f"photo_{patch}" not in st.session_state:
        return None
    picture, name = st.session_state[f"photo_{patch}"]
    message = crop.decode(sent(f"crop_{patch}", "circle"))
    circle, _, number, done = st.session_state[f"circle_{patch}"]
    mine = message is not None and message[1] == name and message[2] >= number  # a link may have brought a newer one
    if message is not None and mine:
        st.session_state[f"circle_{patch}"] = message
        circle, _, number, done = message
    return Photo(picture, name, circle, number, done, fresh=not mine)


def moving() -> bool:
    """Whether some pen is down or some circle held."""
    kept = (st.session_state.get(f"{kind}_{patch}") for kind in ("drawing", "circle") for patch in "xy")
    return any(not one[-1] for one in kept if one)


def sent(component: str, name: str) -> Any:
    """What a component last sent under this name, if it is on the page."""
    state = st.session_state.get(component)
    return dict(state).get(name) if state else None
