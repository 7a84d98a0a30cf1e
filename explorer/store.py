"""The only module that touches st.session_state: what this visitor has chosen and drawn."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from explorer.components.pad import SIDE, decode


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


def _component(key: str) -> dict[str, Any]:
    state = st.session_state.get(key)
    return dict(state) if state else {}
