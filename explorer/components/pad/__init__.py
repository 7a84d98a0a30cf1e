"""The drawing pad: a square canvas that sends what is drawn while it is being drawn, one message in flight."""

import base64
import binascii

import numpy as np
from numpy.typing import NDArray

from explorer.components import component, stamp

SIDE = 48
LEVELS = 8  # of grey: few, so that a drawing fits into a link

_mount = component(__name__, "instance.js", "canvas.js", "mailbox.js", "pad.js")


def pad(hand: str, acknowledged: int, start: NDArray[np.float64] | None) -> None:
    """Mount the pad of patch `hand`: the last drawing answered was number `acknowledged`; a new pad shows `start`."""
    pixels = None if start is None else base64.b64encode(np.rint(255 * start).astype(np.uint8).tobytes()).decode()
    data = {"hand": hand, "ack": acknowledged, "start": pixels}
    _mount(key=f"pad_{hand}", data=data, on_drawing_change=lambda: None, height="content")


def decode(message: object) -> tuple[NDArray[np.float64], int, bool] | None:
    """The drawing in a message from the browser: picture (48, 48) in 0…1, its number, whether the pen is up.

    None if it is not what our pad sends: a browser can send anything.
    """
    stamped = stamp(message)
    if stamped is None:
        return None
    assert isinstance(message, dict)
    pixels = message.get("pixels")
    if not isinstance(pixels, str) or len(pixels) > 8192:
        return None
    try:
        data = base64.b64decode(pixels, validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(data) != SIDE * SIDE:
        return None
    levels = np.rint(np.frombuffer(data, np.uint8).reshape(SIDE, SIDE) / 255 * (LEVELS - 1))
    return levels / (LEVELS - 1), *stamped
