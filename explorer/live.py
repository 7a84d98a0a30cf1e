"""The live line: answers that do not wait until a run of the script has drawn all of the page again.

While a pen or a crop circle moves, its page asks and is answered here, without any run; and what a run has for the
stage, it tells the page here first, in short. It is a second door to the server, so it is guarded: only our own pages
may use it, only for what a run has prepared for that visitor, and what comes in is doubted as it is everywhere else.
Where the line is missing or breaks, everything takes the ordinary way.
"""

import asyncio
import json
import struct
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from explorer.components import stamp

Answer = Callable[[str, object], bytes | None]  # which hand, and what it says → what its page should show

_HANDS = {"x": 1, "y": 2}  # 0 is nobody's, and not an answer
_LONGEST = 16_384  # characters in a message: twice a drawing
_MOST_VISITORS = 200
_FORGOTTEN = 1800.0  # seconds after which a visitor is taken to have left
_POLICY_VIOLATION = 1008
_prepared: OrderedDict[str, tuple[float, Answer]] = OrderedDict()  # the longest absent first
_lines: dict[str, Callable[[bytes | None], None]] = {}  # open ones, by ticket; None is for the end
_lock = threading.Lock()


def prepare(ticket: str, answer: Answer) -> None:
    """From now on, whoever shows this ticket gets this answer; it must not touch the session, and be quick."""
    now = time.monotonic()
    with _lock:
        _prepared[ticket] = (now, answer)
        _prepared.move_to_end(ticket)
        while len(_prepared) > _MOST_VISITORS or next(iter(_prepared.values()))[0] < now - _FORGOTTEN:
            _prepared.popitem(last=False)


def tell(ticket: str, moment: float, make: Callable[[], bytes]) -> None:
    """Make what is to be seen since this moment, and send it to the page that shows this ticket, if there is one."""
    with _lock:
        line = _lines.get(ticket)
    if line is not None:
        line(_head(moment, 0) + make())


def reply(ticket: str, text: str) -> bytes | None:
    """The answer to a message, with its number and hand; None if it is not one of ours."""
    if len(text) > _LONGEST:
        return None
    try:
        asked = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(asked, dict) or not isinstance(hand := asked.get("hand"), str) or hand not in _HANDS:
        return None
    stamped, answer = stamp(asked.get("message")), _answer(ticket)
    if stamped is None or answer is None:
        return None
    shown = answer(hand, asked["message"])
    return None if shown is None else _head(stamped[0], _HANDS[hand]) + shown


def _answer(ticket: str) -> Answer | None:
    with _lock:
        return _prepared[ticket][1] if ticket in _prepared else None


def _head(number: float, hand: int) -> bytes:
    return struct.pack("<dIxxxx", number, hand)


async def _line(socket: WebSocket) -> None:
    """One page's line: first its ticket, then an answer for each message, until it leaves or says something odd."""
    if not _is_ours(socket):
        return await socket.close(_POLICY_VIOLATION)
    await socket.accept()
    with suppress(WebSocketDisconnect, KeyError):  # KeyError: bytes where text was expected
        ticket = await socket.receive_text()
        if _answer(ticket) is not None:
            async with _listed(ticket, socket) as send:
                while (answer := await run_in_threadpool(reply, ticket, await socket.receive_text())) is not None:
                    await send(answer)
        await socket.close(_POLICY_VIOLATION)


def _is_ours(socket: WebSocket) -> bool:
    """Whether the page that asks is one we have served."""
    try:
        return urlsplit(socket.headers.get("origin", "")).netloc == socket.headers.get("host")
    except ValueError:
        return False


@asynccontextmanager
async def _listed(ticket: str, socket: WebSocket) -> AsyncIterator[Callable[[bytes], Awaitable[None]]]:
    """Meanwhile, `tell` reaches this page, and no other that has shown the ticket before. Yields what sends.

    A page that is slow to listen hears the newest only.
    """
    waiting: asyncio.Queue[bytes | None] = asyncio.Queue(1)
    loop = asyncio.get_running_loop()

    def offer(news: bytes | None) -> None:
        if waiting.full():
            waiting.get_nowait()
        waiting.put_nowait(news)

    def line(news: bytes | None) -> None:
        loop.call_soon_threadsafe(offer, news)

    async def send(data: bytes) -> None:
        try:
            await socket.send_bytes(data)
        except RuntimeError as error:  # what it is called when two tasks notice that a page has left
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
