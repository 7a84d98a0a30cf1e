"""A class: the teacher's page is shown on the pages of all students who follow it, over a WebSocket, one way.

What the teacher shows comes from the runs of the teacher's page on this server, so it is checked as every link is;
over the socket comes only the angle while the dial moves. Who teaches has the key that was printed at the start. A
student's page only listens: whatever it sends ends its line.
"""

import asyncio
import hmac
import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from explorer.state import Shown, after_run, news, read_hello, read_turn, shown

_MAX_FOLLOWERS = 200
_MAX_VIEWS = 200  # of pages any of which may turn out to be the teacher's
_RELOAD_SECONDS = 4.0  # a teacher's page that comes back within this time has not left
_POLICY_VIOLATION, _TRY_LATER = 1008, 1013  # WebSocket close codes


class Classroom:
    """What the teacher shows, and who follows. Everything happens in the event loop of the server but `show`."""

    def __init__(self, addresses: tuple[str, ...]) -> None:
        self.addresses = addresses
        self.key = secrets.token_urlsafe(16)
        self._views: OrderedDict[str, Shown] = OrderedDict()  # by ticket, the longest absent first
        self._lock = threading.Lock()  # for `_views`, `_ticket` and `_shown`
        self._shown: Shown | None = None
        self._ticket = ""  # of the teacher's page
        self._turned = -1e9  # seconds of the monotonic clock, when the dial reported an angle
        self._followers: set[asyncio.Event] = set()  # each set when there is news
        self._teacher: asyncio.Event | None = None  # set when the number of followers has changed, or another teaches
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self._teaches = False

    def show(self, ticket: str, page: str, parameters: Mapping[str, str]) -> None:
        """Note what a run of the page with this ticket shows; if it is the teacher's, the students see it."""
        view = shown(page, parameters)
        if view is None:
            return
        with self._lock:
            self._views[ticket] = view
            self._views.move_to_end(ticket)
            while len(self._views) > _MAX_VIEWS:
                self._views.popitem(last=False)
            if ticket != self._ticket or not self._take(view):
                return
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed: the server is shutting down
                self._loop.call_soon_threadsafe(self._tell)

    def _take(self, view: Shown) -> bool:
        """Show a view of the teacher; whether anything changes for the students."""
        now = after_run(self._shown, view, time.monotonic() - self._turned)
        self._shown = now or self._shown
        return now is not None

    def _tell(self) -> None:
        for follower in self._followers:
            follower.set()

    async def serve(self, socket: WebSocket) -> None:
        """Serve one page: it says whether it teaches, then the teacher's page sends angles and the others listen."""
        await socket.accept()
        self._loop = asyncio.get_running_loop()
        with suppress(WebSocketDisconnect, RuntimeError):  # RuntimeError: it was closed before
            with suppress(KeyError):  # bytes instead of text
                await self._hear(socket)
            await socket.close(_POLICY_VIOLATION)

    async def _hear(self, socket: WebSocket) -> None:
        hello = read_hello(await socket.receive_text())
        if hello is not None and not hello[0]:
            await self._serve_student(socket)
        elif hello is not None and hmac.compare_digest(hello[0].encode(errors="replace"), self.key.encode()):
            await self._serve_teacher(socket, hello[1])
        else:
            await socket.send_text(json.dumps({"refused": True}))

    async def _serve_student(self, socket: WebSocket) -> None:
        if len(self._followers) >= _MAX_FOLLOWERS:
            return await socket.close(_TRY_LATER)

        async def pass_on(changed: asyncio.Event) -> None:
            known = 0
            with suppress(WebSocketDisconnect, RuntimeError):  # noticed below as well
                while await changed.wait():
                    changed.clear()  # what changes while a message is sent is in the next one
                    view = self._shown
                    await socket.send_text(news(view, self._teaches, known))
                    known = view.number if view else known

        with _passing(pass_on) as changed:
            self._followers.add(changed)
            self._count()
            changed.set()
            try:
                await socket.receive_text()  # a student's page has nothing to say
            finally:
                self._followers.discard(changed)
                self._count()

    async def _serve_teacher(self, socket: WebSocket, ticket: str) -> None:
        async def pass_on(changed: asyncio.Event) -> None:
            with suppress(WebSocketDisconnect, RuntimeError):
                while await changed.wait():
                    changed.clear()
                    teaches = self._teacher is changed
                    await socket.send_text(json.dumps({"followers": len(self._followers), "replaced": not teaches}))
                    if not teaches:
                        return await socket.close(_POLICY_VIOLATION)

        with _passing(pass_on) as changed:
            before, self._teacher = self._teacher, changed
            if before is not None:
                before.set()
            self._begin(ticket)
            changed.set()
            try:
                while (angle := read_turn(await socket.receive_text())) is not None and self._teacher is changed:
                    self._turn(angle)
            finally:
                if self._teacher is changed:
                    self._teacher = None
                    self._leaving = asyncio.get_running_loop().call_later(_RELOAD_SECONDS, self._left)

    def _begin(self, ticket: str) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
        self._teaches = True
        with self._lock:
            self._ticket = ticket
            if ticket in self._views:
                self._take(self._views[ticket])
        self._tell()

    def _turn(self, angle: int) -> None:
        self._turned = time.monotonic()
        with self._lock:
            if self._shown is None or self._shown.angle == angle:
                return
            self._shown = replace(self._shown, angle=angle)
        self._tell()

    def _left(self) -> None:
        self._teaches, self._ticket = False, ""
        self._tell()

    def _count(self) -> None:
        if self._teacher is not None:
            self._teacher.set()


@contextmanager
def _passing(pass_on: Callable[[asyncio.Event], Coroutine[None, None, None]]) -> Iterator[asyncio.Event]:
    """An event, and a task that passes on what it announces for as long as a page is served."""
    changed = asyncio.Event()
    task = asyncio.create_task(pass_on(changed))
    try:
        yield changed
    finally:
        task.cancel()


_current: Classroom | None = None  # one for each server


def begin_class(addresses: tuple[str, ...]) -> Classroom:
    """Begin a class on this server, which students reach by these addresses."""
    global _current
    _current = Classroom(addresses)
    return _current


def current_class() -> Classroom | None:
    """The class on this server, if there is one."""
    return _current


async def _serve(socket: WebSocket) -> None:
    if _current is None:
        return await socket.close(_POLICY_VIOLATION)
    await _current.serve(socket)


ROUTE = WebSocketRoute("/class", _serve)
