"""The only module that touches st.session_state: what this visitor has chosen and drawn."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from explorer.components.pad import SIDE, decode
from explorer.media import PictureError, open_picture


def angle() -> int:
    """Degrees at which the dial was last let go."""
    value = _component("stage").get("angle")
    return value % 360 if isinstance(value, int) else 30


def drawing() -> tuple[NDArray[np.float64], int, bool]:
    """The last good drawing, its number, and whether the pen is up; an empty page at first."""
    message = decode(_component("pad").get("drawing"))
    if message is not None:
        st.session_state["last_drawing"] = message
    empty = (np.zeros((SIDE, SIDE)), 0, True)
    return st.session_state.get("last_drawing", empty)


def upload(data: bytes | None) -> tuple[NDArray[np.float64] | None, str]:
    """The last good upload, and what is wrong with the newest if it is not it."""
    trouble = ""
    if data is not None:
        try:
            st.session_state["last_upload"] = open_picture(data)
        except PictureError as error:
            trouble = str(error)
    return st.session_state.get("last_upload"), trouble


def observations() -> tuple[int, tuple[complex, ...]]:
    """How often this visitor observed again, and the prior that came of it."""
    return st.session_state.get("observations", (0, ()))


def observe_again(posterior: tuple[complex, ...]) -> None:
    """Yesterday's posterior becomes today's prior."""
    st.session_state["observations"] = (observations()[0] + 1, posterior)


def forget() -> None:
    """Back to knowing nothing."""
    st.session_state.pop("observations", None)


def _component(key: str) -> dict[str, Any]:
    state = st.session_state.get(key)
    return dict(state) if state else {}
