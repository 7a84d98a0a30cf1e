"""A line for moving hands: while a pen or a crop circle moves, its answer does not wait for a run of the script.

It is a second door to the server, so it is guarded: only our own pages may use it, only for what a script run has
prepared for that visitor, and what comes in is doubted as it is everywhere else. Where the line is missing or breaks,
the same messages take the ordinary way.
"""

import json
import struct
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from explorer.components import stamp

Answer = Callable[[str, object], bytes | None]  # which hand, and what it says → what its page should show

_LONGEST = 16_384  # characters in a message: twice a drawing
_MOST_VISITORS = 200
_FORGOTTEN = 1800.0  # seconds after which a visitor is taken to have left
_POLICY_VIOLATION = 1008
_prepared: OrderedDict[str, tuple[float, Answer]] = OrderedDict()  # the longest absent first
_lock = threading.Lock()


def prepare(ticket: str, answer: Answer) -> None:
    """From now on, whoever shows this ticket gets this answer; it must not touch the session, and be quick."""
    now = time.monotonic()
    with _lock:
        _prepared[ticket] = (now, answer)
        _prepared.move_to_end(ticket)
        while len(_prepared) > _MOST_VISITORS or next(iter(_prepared.values()))[0] < now - _FORGOTTEN:
            _prepared.popitem(last=False)


def reply(text: str) -> bytes | None:
    """The number of a message and the answer to it; None if it is not one of ours."""
    if len(text) > _LONGEST:
        return None
    try:
        asked = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(asked, dict) or not isinstance(asked.get("ticket"), str) or asked.get("hand") not in ("x", "y"):
        return None
    stamped = stamp(asked.get("message"))
    with _lock:
        found = _prepared.get(asked["ticket"])
    if found is None or stamped is None:
        return None
    shown = found[1](asked["hand"], asked["message"])
    return None if shown is None else struct.pack("<d", stamped[0]) + shown


async def _line(socket: WebSocket) -> None:
    """One page's line: an answer for each message, until either side leaves or the page says something odd."""
    origin = urlsplit(socket.headers.get("origin", ""))
    if origin.netloc != socket.headers.get("host"):
        return await socket.close(_POLICY_VIOLATION)
    await socket.accept()
    try:
        while (answer := await run_in_threadpool(reply, await socket.receive_text())) is not None:
            await socket.send_bytes(answer)
        await socket.close(_POLICY_VIOLATION)
    except (WebSocketDisconnect, KeyError):  # KeyError: bytes where text was expected
        return


ROUTE = WebSocketRoute("/live", _line)
