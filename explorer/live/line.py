"""The live line: a WebSocket that answers while a pen or a crop circle moves, without a run of the script.

A run also sends the new posterior at the current angle over it, before it draws the page. The line answers only pages
that this server has served (`app.Guard` refuses all others), only for the visitor a run has prepared it for, and it
checks every message. If it is missing or breaks, messages go through Streamlit.
"""

import asyncio
import json
import struct
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from explorer.state import read_edit

Answer = Callable[[str, object], bytes | None]  # patch and message → bytes to be shown
_PATCHES = {"x": 1, "y": 2, "motion": 3}  # numbers in the header of an answer; 0 for what a run sends by `push`
_MAX_CHARACTERS = 16_384  # in a message: twice a drawing
_MAX_VISITORS = 200
_IDLE_SECONDS = 1800.0  # without a run, until the handler of a visitor is removed
_POLICY_VIOLATION = 1008  # WebSocket close code
_prepared: OrderedDict[str, "_Prepared"] = OrderedDict()  # by ticket, the longest absent first
_lines: dict[str, Callable[[bytes | None], None]] = {}  # open ones, by ticket; None closes a line
_lock = threading.Lock()


class _Prepared(NamedTuple):
    seconds: float  # of the monotonic clock, when it was prepared
    revision: int
    answer: Answer


def prepare(ticket: str, revision: int, answer: Answer) -> None:
    """Register the handler of live messages for the visitor with this ticket, from a run at this revision.

    The handler runs in a worker thread, outside the script: it must not use `st.session_state`, and should return
    within about 10 ms.
    """
    now = time.monotonic()
    with _lock:
        _prepared[ticket] = _Prepared(now, revision, answer)
        _prepared.move_to_end(ticket)
        while len(_prepared) > _MAX_VISITORS or next(iter(_prepared.values())).seconds < now - _IDLE_SECONDS:
            _prepared.popitem(last=False)


def push(ticket: str, revision: int, make: Callable[[], bytes]) -> None:
    """Send what a run at this revision will show to the page with this ticket; `make` is called if its line is open."""
    with _lock:
        line = _lines.get(ticket)
    if line is not None:
        line(_header(revision, 0, 0) + make())


def reply(ticket: str, text: str) -> bytes | None:
    """The answer to a message; None if the message is not valid or nothing is prepared."""
    if len(text) > _MAX_CHARACTERS:
        return None
    try:
        asked = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(asked, dict) or not isinstance(patch := asked.get("patch"), str) or patch not in _PATCHES:
        return None
    edit, prepared = read_edit(asked.get("message")), _find(ticket)
    if edit is None or prepared is None:
        return None
    shown = prepared.answer(patch, asked["message"])
    return None if shown is None else _header(prepared.revision, edit.sequence, _PATCHES[patch]) + shown


def _find(ticket: str) -> _Prepared | None:
    with _lock:
        return _prepared.get(ticket)


def _header(revision: int, sequence: int, patch: int) -> bytes:
    """Sixteen bytes before each answer; the last four are not used."""
    return struct.pack("<IIIxxxx", revision, sequence, patch)


async def _line(socket: WebSocket) -> None:
    """Serve one page: it sends its ticket, then messages that are answered until it leaves or sends an invalid one."""
    await socket.accept()
    with suppress(WebSocketDisconnect, KeyError):  # KeyError: bytes instead of text
        ticket = await socket.receive_text()
        if _find(ticket) is not None:
            async with _listed(ticket, socket) as send:
                while (answer := await run_in_threadpool(reply, ticket, await socket.receive_text())) is not None:
                    await send(answer)
        await socket.close(_POLICY_VIOLATION)


@asynccontextmanager
async def _listed(ticket: str, socket: WebSocket) -> AsyncIterator[Callable[[bytes], Awaitable[None]]]:
    """Register the line of this page for `push`, and close an older one with the same ticket; yields the sender.

    At most one message of `push` waits to be sent: a newer one replaces it.
    """
    waiting: asyncio.Queue[bytes | None] = asyncio.Queue(1)
    loop = asyncio.get_running_loop()

    def offer(news: bytes | None) -> None:
        if waiting.full():
            waiting.get_nowait()
        waiting.put_nowait(news)

    def line(news: bytes | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: the server is shutting down
            loop.call_soon_threadsafe(offer, news)

    async def send(data: bytes) -> None:
        try:
            await socket.send_bytes(data)
        except RuntimeError as error:  # raised if another task has noticed first that the page has left
            raise WebSocketDisconnect from error

    async def pass_on() -> None:
        with suppress(WebSocketDisconnect):
            while (news := await waiting.get()) is not None:
                await send(news)
            await socket.close(_POLICY_VIOLATION)

    with _lock:
        before, _lines[ticket] = _lines.get(ticket), line
    if before is not None:
        before(None)
    passing = asyncio.create_task(pass_on())
    try:
        yield send
    finally:
        passing.cancel()
        with _lock:
            if _lines.get(ticket) is line:
                del _lines[ticket]


ROUTE = WebSocketRoute("/live", _line)
