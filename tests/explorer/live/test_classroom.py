"""A class by hand, without a network: what the teacher's page shows reaches the students, and nothing the other way."""

import asyncio
import json
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette

from explorer.live import classroom

PATIENCE = 5.0  # seconds


@pytest.fixture
def room(monkeypatch):
    monkeypatch.setattr(classroom, "_current", None)
    monkeypatch.setattr(classroom, "_RELOAD_SECONDS", 0.05)
    return classroom.begin_class(("http://192.168.1.5:8501",))


class Page:
    """A socket of a page: what it says and hears."""

    def __init__(self):
        self.said, self.heard, self.closed = asyncio.Queue(), asyncio.Queue(), None

    async def send(self, message):
        if message["type"] == "websocket.send":
            await self.heard.put(json.loads(message["text"]))
        elif message["type"] == "websocket.close":
            self.closed = message["code"]
            await self.heard.put(None)

    def say(self, text):
        kind = "bytes" if isinstance(text, bytes) else "text"
        self.said.put_nowait({"type": "websocket.receive", kind: text})

    async def hears(self):
        """The next message; None when the line is closed."""
        return await asyncio.wait_for(self.heard.get(), PATIENCE)

    async def hears_until(self, **wanted):
        while True:
            message = await self.hears()
            assert message is not None, "closed"
            if all(message.get(name) == value for name, value in wanted.items()):
                return message


@asynccontextmanager
async def joined(key="", ticket="t"):
    page = Page()
    page.said.put_nowait({"type": "websocket.connect"})
    page.say(json.dumps({"key": key, "ticket": ticket}))
    app = Starlette(routes=[classroom.ROUTE])
    scope = {"type": "websocket", "path": "/class", "headers": [], "query_string": b"", "subprotocols": []}
    task = asyncio.create_task(app(scope, page.said.get, page.send))
    try:
        yield page
    finally:
        page.said.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await asyncio.wait_for(task, PATIENCE)


def played(scene):
    """Run a coroutine in a thread: tests in a browser have a loop of their own in this one."""
    with ThreadPoolExecutor(1) as apart:
        apart.submit(lambda: asyncio.run(scene())).result()


def test_students_see_pages_views_and_angles(room):
    async def scene():
        room.show("t", "", {"x": "shape.F"})  # the first run ends before the line is open
        async with joined(room.key) as teacher, joined() as student:
            message = await student.hears_until(teaches=True)
            assert message == {"teaches": True, "angle": 30, "address": "?angle=30&x=shape.F"}
            teacher.say('{"angle": 31}')
            assert await student.hears() == {"teaches": True, "angle": 31}
            room.show("t", "motion", {"x": "shape.F", "angle": "31"})
            assert (await student.hears())["address"] == "motion?angle=31&x=shape.F"
            async with joined() as late:
                assert (await late.hears())["address"] == "motion?angle=31&x=shape.F"

    played(scene)


def test_runs_of_other_pages_are_not_shown(room):
    async def scene():
        room.show("t", "", {})
        async with joined(room.key), joined() as student:
            await student.hears_until(teaches=True)
            room.show("another", "film", {"x": "shape.F"})
            room.show("t", "", {"log": "1"})
            assert (await student.hears())["address"] == "?angle=30&log=1"

    played(scene)


@pytest.mark.parametrize("key", ["guess", "ключ", " ", "\ud800"])
def test_who_has_no_key_does_not_teach(room, key):
    async def scene():
        async with joined() as student, joined(key) as stranger:
            assert await stranger.hears() == {"refused": True}
            assert await stranger.hears() is None
            assert await student.hears() == {"teaches": False}
            assert not room._teaches

    played(scene)


def test_a_key_is_another_one_after_each_start(room):
    before = room.key
    assert classroom.begin_class(()).key != before
    assert len(before) >= 22  # 128 bits


def test_a_teacher_sees_how_many_follow(room):
    async def scene():
        async with joined(room.key) as teacher:
            assert await teacher.hears() == {"followers": 0, "replaced": False}
            async with joined(), joined():
                await teacher.hears_until(followers=2)
            await teacher.hears_until(followers=0)

    played(scene)


def test_students_are_told_when_the_teacher_leaves_but_not_of_a_reload(room):
    async def scene():
        room.show("first", "", {"log": "1"})
        async with joined() as student:
            async with joined(room.key, "first"):
                await student.hears_until(teaches=True)
            room.show("second", "", {"log": "1"})  # a reloaded page has another ticket
            async with joined(room.key, "second"):
                assert (await student.hears()) == {"teaches": True, "angle": 30}  # nothing to open again
                await asyncio.sleep(0.1)
                room.show("first", "film", {})  # whose session still runs
                room.show("second", "dft", {})
                assert (await student.hears())["address"] == "dft?angle=30"
            assert (await student.hears_until(teaches=False))["angle"] == 30

    played(scene)


def test_the_newest_page_of_the_teacher_teaches(room):
    async def scene():
        room.show("second", "", {})
        async with joined(room.key, "first") as first, joined(room.key, "second") as second, joined() as student:
            await first.hears_until(replaced=True)
            assert await first.hears() is None
            first.say('{"angle": 99}')
            second.say('{"angle": 98}')
            await student.hears_until(angle=98)
            room.show("first", "film", {})  # which does not teach any more
            room.show("second", "dft", {"angle": "7"})
            assert (await student.hears())["address"] == "dft?angle=7"

    played(scene)


def odd(rng):
    kind = rng.randrange(6)
    angle = {"angle": rng.choice([-1, 0, 5, 359, 360, "5", None, 1.5, [], 2**70])}
    return [
        json.dumps(angle),
        json.dumps({**angle, "page": "film", "address": "//evil.example", "key": "", "ticket": "t"}),
        json.dumps({"key": rng.choice(["", "x", 5]), "ticket": rng.choice(["t", "s", None])}),
        rng.randbytes(rng.randrange(40)),
        "".join(map(chr, rng.choices(range(1, 0xD000), k=rng.randrange(40)))),
        "[" * rng.randrange(5000),
    ][kind]


def test_nothing_a_student_sends_reaches_anybody(room):
    """Fuzzed: a student's line ends at the first word; the teacher hears how many follow, other students nothing."""

    async def scene():
        rng = random.Random(26)
        room.show("t", "", {"x": "shape.F"})
        async with joined(room.key) as teacher, joined() as other:
            await other.hears_until(teaches=True)
            before = room._shown
            for _ in range(300):
                async with joined(ticket=rng.choice(["t", "s"])) as student:
                    assert "address" in await student.hears()
                    student.say(odd(rng))
                    student.say('{"angle": 123}')
                    assert await student.hears() is None
            assert room._shown == before
            assert other.heard.empty()
            while not teacher.heard.empty():
                assert set(await teacher.hears()) == {"followers", "replaced"}
            teacher.say('{"angle": 123}')  # the same words of the teacher do change it
            assert (await other.hears())["angle"] == 123

    played(scene)


@pytest.mark.parametrize("first", ["", "{}", "[]", b"x", '{"key": "", "ticket": ""', "x" * 5000])
def test_odd_first_words_end_a_line(room, first):
    page = Page()

    async def served():
        app = Starlette(routes=[classroom.ROUTE])
        scope = {"type": "websocket", "path": "/class", "headers": [], "query_string": b"", "subprotocols": []}
        page.said.put_nowait({"type": "websocket.connect"})
        page.say(first)
        page.said.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await app(scope, page.said.get, page.send)

    played(served)
    heard = [page.heard.get_nowait() for _ in range(page.heard.qsize())]
    assert all(message is None or message == {"refused": True} for message in heard)


def test_a_student_who_does_not_listen_hears_the_newest(room):
    async def scene():
        room.show("t", "", {})
        async with joined(room.key) as teacher, joined() as student:
            await student.hears_until(teaches=True)
            for angle in range(100, 200):
                teacher.say(json.dumps({"angle": angle}))
            message = await student.hears_until(angle=199)
            assert message == {"teaches": True, "angle": 199}
            assert student.heard.empty()

    played(scene)


def test_more_students_than_there_is_room_for_are_sent_away(room, monkeypatch):
    monkeypatch.setattr(classroom, "_MAX_FOLLOWERS", 2)

    async def scene():
        async with joined(), joined(), joined() as third:
            assert await third.hears() is None
            assert third.closed == 1013

    played(scene)


def test_views_of_many_pages_do_not_pile_up(room):
    for number in range(classroom._MAX_VIEWS + 50):
        room.show(f"visitor {number}", "", {})
    assert len(room._views) == classroom._MAX_VIEWS


def test_without_a_class_there_is_nothing_to_follow(monkeypatch):
    monkeypatch.setattr(classroom, "_current", None)

    async def scene():
        async with joined() as page:
            assert await page.hears() is None

    played(scene)
