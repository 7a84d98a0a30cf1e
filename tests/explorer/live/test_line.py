"""The live line: it answers our own pages, and doubts everything else."""

import asyncio
import base64
import json
import struct
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from starlette.applications import Starlette

from explorer.live import line as live
from explorer.state import DRAWING_PIXELS, read_drawing


def echo(patch, message):
    drawing = read_drawing(message)
    return None if drawing is None else f"{patch} {drawing[0].sum():.0f}".encode()


@pytest.fixture(autouse=True)
def nobody_prepared():
    live._prepared.clear()
    yield
    live._prepared.clear()


def asking(patch="x", **message):
    pixels = base64.b64encode(np.full(DRAWING_PIXELS * DRAWING_PIXELS, 255, np.uint8)).decode()
    numbers = {"session": "s", "obeyed": 1, "sequence": 1, "done": False}
    return {"patch": patch, "message": {**numbers, "pixels": pixels, **message}}


def head(revision, sequence, patch):
    return struct.pack("<IIIxxxx", revision, sequence, patch)


WHITE = head(4, 1, 1) + f"x {DRAWING_PIXELS * DRAWING_PIXELS}".encode()  # the answer to a white drawing


def test_a_ticket_gets_its_answer():
    live.prepare("t", 4, echo)
    assert live.reply("t", json.dumps(asking())) == WHITE
    assert (
        live.reply("t", json.dumps(asking(patch="y")))
        == head(4, 1, 2) + f"y {DRAWING_PIXELS * DRAWING_PIXELS}".encode()
    )
    live.prepare("t", 5, lambda patch, message: b"newer")
    assert live.reply("t", json.dumps(asking(sequence=7))) == head(5, 7, 1) + b"newer"


def test_another_ticket_gets_none():
    live.prepare("t", 4, echo)
    assert live.reply("stolen", json.dumps(asking())) is None


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "3", "[" * 10_000, json.dumps(asking(patch="z")), json.dumps(asking(patch=["x"])),
     json.dumps(asking(pixels="@@")), json.dumps(asking(pixels="A" * 20_000)), json.dumps(asking(sequence="1")),
     json.dumps({"patch": "x"})],
)  # fmt: skip
def test_what_is_not_a_message_gets_none(text):
    live.prepare("t", 4, echo)
    assert live.reply("t", text) is None


def test_the_longest_absent_are_forgotten():
    for number in range(live._MAX_VISITORS + 10):
        live.prepare("faithful", 4, echo)
        live.prepare(f"visitor {number}", 4, echo)
    assert len(live._prepared) == live._MAX_VISITORS
    assert "faithful" in live._prepared
    assert "visitor 0" not in live._prepared


def test_who_left_long_ago_is_forgotten(monkeypatch):
    live.prepare("gone", 4, echo)
    monkeypatch.setattr(live, "_IDLE_SECONDS", -1e-9)
    live._prepared["here"] = live._Prepared(float("inf"), 1, echo)
    live.prepare("new", 4, echo)
    assert "gone" not in live._prepared


def knock(*messages, gone=False):
    """What a socket hears, until it is closed; run by hand, without a network.

    A message may be something to do instead: then what comes of it is heard before the next. Who is gone cannot be sent
    anything.
    """
    heard = []
    coming = [{"type": "websocket.connect"}, *messages, {"type": "websocket.disconnect", "code": 1000}]

    async def receive():
        while callable(coming[0]):
            coming.pop(0)()
            await asyncio.sleep(0.05)
        return coming.pop(0)

    async def send(message):
        if gone and message["type"] == "websocket.send":
            raise RuntimeError("gone")
        heard.append(message)

    headers = [(b"host", b"here:8501")]
    scope = {"type": "websocket", "path": "/live", "headers": headers, "query_string": b"", "subprotocols": []}
    app = Starlette(routes=[live.ROUTE])
    with ThreadPoolExecutor(1) as apart:  # tests in a browser have a loop of their own in this thread
        apart.submit(lambda: asyncio.run(app(scope, receive, send))).result()
    return heard


def text(said):
    return {"type": "websocket.receive", "text": said if isinstance(said, str) else json.dumps(said)}


def test_our_own_page_is_answered():
    live.prepare("t", 4, echo)
    heard = knock(text("t"), text(asking()), text(asking(patch="y")))
    assert [m["type"] for m in heard] == ["websocket.accept", "websocket.send", "websocket.send"]
    assert heard[1]["bytes"] == WHITE


@pytest.mark.parametrize("ticket", [text("stolen"), text(""), {"type": "websocket.receive", "bytes": b"t"}])
def test_without_a_ticket_nothing_is_said(ticket):
    live.prepare("t", 4, echo)
    tell = partial(live.push, "stolen", 1, lambda: b"secret")
    assert "websocket.send" not in [m["type"] for m in knock(ticket, tell, text(asking()))]


@pytest.mark.parametrize("odd", [{"type": "websocket.receive", "bytes": b"x"}, text([1])], ids=["bytes", "list"])
def test_an_odd_message_ends_the_line(odd):
    live.prepare("t", 4, echo)
    heard = knock(text("t"), odd, text(asking()))
    assert "websocket.send" not in [m["type"] for m in heard]


def test_a_page_is_told_what_is_new():
    live.prepare("t", 4, echo)
    live.prepare("other", 4, echo)
    told = [partial(live.push, "t", 5, lambda: b"news"), partial(live.push, "other", 6, lambda: b"not for us")]
    heard = knock(text("t"), *told, text(asking()))
    assert [m.get("bytes") for m in heard] == [None, head(5, 0, 0) + b"news", WHITE]
    assert live._lines == {}  # it has left
    live.push("t", 7, lambda: pytest.fail("made for nobody"))


def test_who_is_slow_to_listen_hears_the_newest():
    live.prepare("t", 4, echo)

    def hurry():
        for revision in range(1, 4):
            live.push("t", revision, lambda: b"news")

    assert [m.get("bytes") for m in knock(text("t"), hurry)] == [None, head(3, 0, 0) + b"news"]


def test_a_second_line_of_a_ticket_ends_the_first():
    live.prepare("t", 4, echo)
    told = []

    def second():
        told.extend(m.get("bytes") for m in knock(text("t"), partial(live.push, "t", 1, lambda: b"news")))

    assert [m["type"] for m in knock(text("t"), second)] == ["websocket.accept", "websocket.close"]
    assert told[1:] == [head(1, 0, 0) + b"news"]


def test_who_leaves_while_being_answered_leaves_no_traceback():
    live.prepare("t", 4, echo)
    heard = knock(text("t"), text(asking()), gone=True)
    assert [m["type"] for m in heard] == ["websocket.accept"]


def test_a_socket_closes_without_a_traceback():
    assert [m["type"] for m in knock()] == ["websocket.accept"]


def test_telling_after_the_server_has_stopped_is_no_error(monkeypatch):
    """A run may still be busy when the loop is closed; its line is then still listed."""
    live.prepare("t", 4, echo)
    lines = []
    knock(text("t"), lambda: lines.append(live._lines["t"]))  # whose loop is closed afterwards
    monkeypatch.setitem(live._lines, "t", lines[0])
    live.push("t", 5, lambda: b"news")
