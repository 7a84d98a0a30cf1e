"""The stage on a page: dial, posterior and circles in one component, fed by a whole sweep."""

import hashlib
import struct
from collections.abc import Container

from explorer.components import component
from tsa.stage import SCRIPTS

_mount = component(__name__, *SCRIPTS)


def stage(blob: bytes, moment: float, command: tuple[int, int, bool, int | None], known: Container[str]) -> str:
    """Show a packed sweep; the stage reports the angle at which its dial is let go, its scale and its chosen circle.

    `moment` is since when this is to be seen: an early answer about something newer stays. `command` is a number, an
    angle, whether the scale is logarithmic, and a circle: the stage shows itself so when the number is new to it. A
    sweep whose digest is `known` need not be sent again; the digest of this one is returned.
    """
    number, angle, log, circle = command
    digest = hashlib.blake2b(blob, digest_size=8).digest()
    data = struct.pack("<IIiid", number, angle, log, -1 if circle is None else circle, moment) + digest
    data += b"" if digest.hex() in known else blob
    heard = {"on_angle_change": lambda: None, "on_view_change": lambda: None}
    _mount(key="stage", data=data, default={"angle": None}, height="content", **heard)
    return digest.hex()
