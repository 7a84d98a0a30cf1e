"""The drawing pad: a square canvas that sends what is drawn while it is being drawn, one message in flight."""

import base64
import binascii
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

SIDE = 64
_HERE = Path(__file__).parent

_mount = st.components.v2.component(
    "tsa_pad",
    html=(_HERE / "pad.html").read_text(),
    css=(_HERE / "pad.css").read_text(),
    js=(_HERE / "pad.js").read_text(),
)


def pad(acknowledged: int, on_drawing_change: Callable[[], None]) -> Any:
    """Mount the pad; `acknowledged` is the number of the last drawing that was answered."""
    return _mount(key="pad", data={"ack": acknowledged}, on_drawing_change=on_drawing_change, height="content")


def decode(message: object) -> tuple[NDArray[np.float64], int, bool] | None:
    """The drawing in a message from the browser: picture (64, 64) in 0…1, its number, whether the pen is up.

    None if it is not what our pad sends: a browser can send anything.
    """
    if not isinstance(message, dict):
        return None
    pixels, number, done = message.get("pixels"), message.get("number"), message.get("done")
    if not isinstance(pixels, str) or not isinstance(number, int) or not isinstance(done, bool) or len(pixels) > 8192:
        return None
    try:
        data = base64.b64decode(pixels, validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(data) != SIDE * SIDE:
        return None
    return np.frombuffer(data, np.uint8).reshape(SIDE, SIDE) / 255, number, done
