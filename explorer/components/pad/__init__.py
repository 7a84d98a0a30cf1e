"""The drawing pad: a square canvas that sends its pixels while a stroke is drawn, one message at a time."""

import base64

import numpy as np

from explorer.components import component
from explorer.state import Pixels

_mount = component(__name__)


def pad(patch: str, session: str, obey: int, acknowledged: int, start: Pixels | None) -> None:
    """Mount the pad of a patch. It shows `start` if `obey` is new to it; `acknowledged` is the last message read."""
    grey = None if start is None else np.rint(255 * start.picture).astype(np.uint8)
    pixels = None if grey is None else base64.b64encode(grey.tobytes()).decode()
    data = {"patch": patch, "session": session, "obey": obey, "acknowledged": acknowledged, "start": pixels}
    _mount(key=f"pad_{patch}", data=data, default={"message": None}, on_message_change=lambda: None, height="content")
