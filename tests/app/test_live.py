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

from explorer import live
from explorer.components.pad import SIDE, decode


def echo(hand, message):
    drawing = decode(message)
    return None if drawing is None else f"{hand} {drawing[0].sum():.0f}".encode()


@pytest.fixture(autouse=True)
def nobody_prepared():
    live._prepared.clear()
    yield
    live._prepared.clear()


def asking(hand="x", **message):
    pixels = base64.b64encode(np.full(SIDE * SIDE, 255, np.uint8)).decode()
    return {"hand": hand, "message": {"number": 1, "done": False, "pixels": pixels, **message}}


def head(number, hand):
    return struct.pack("<dIxxxx", number, hand)


WHITE = head(1, 1) + f"x {SIDE * SIDE}".encode()  # the answer to a white drawing


def test_a_ticket_gets_its_answer():
    live.prepare("t", echo)
    assert live.reply("t", json.dumps(asking())) == WHITE
    assert live.reply("t", json.dumps(asking(hand="y"))) == head(1, 2) + f"y {SIDE * SIDE}".encode()
    live.prepare("t", lambda hand, message: b"newer")
    assert live.reply("t", json.dumps(asking(number=7))) == head(7, 1) + b"newer"


def test_another_ticket_gets_none():
    live.prepare("t", echo)
    assert live.reply("stolen", json.dumps(asking())) is None


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "3", "[" * 10_000, json.dumps(asking(hand="z")), json.dumps(asking(hand=["x"])),
     json.dumps(asking(pixels="@@")), json.dumps(asking(pixels="A" * 20_000)), json.dumps(asking(number="1")),
     json.dumps({"hand": "x"})],
)  # fmt: skip
def test_what_is_not_a_message_gets_none(text):
    live.prepare("t", echo)
    assert live.reply("t", text) is None


def test_the_longest_absent_are_forgotten():
    for number in range(live._MOST_VISITORS + 10):
        live.prepare("faithful", echo)
        live.prepare(f"visitor {number}", echo)
    assert len(live._prepared) == live._MOST_VISITORS
    assert "faithful" in live._prepared
    assert "visitor 0" not in live._prepared


def test_who_left_long_ago_is_forgotten(monkeypatch):
    live.prepare("gone", echo)
    monkeypatch.setattr(live, "_FORGOTTEN", -1e-9)
    live._prepared["here"] = (float("inf"), echo)
    live.prepare("new", echo)
    assert "gone" not in live._prepared


def knock(origin, *messages, gone=False):
    """What a socket from this origin hears, until it is closed; run by hand, without a network.

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

    headers = [(b"host", b"here:8501"), *([(b"origin", origin.encode())] if origin is not None else [])]
    scope = {"type": "websocket", "path": "/live", "headers": headers, "query_string": b"", "subprotocols": []}
    app = Starlette(routes=[live.ROUTE])
    with ThreadPoolExecutor(1) as apart:  # tests in a browser have a loop of their own in this thread
        apart.submit(lambda: asyncio.run(app(scope, receive, send))).result()
    return heard


def text(said):
    return {"type": "websocket.receive", "text": said if isinstance(said, str) else json.dumps(said)}


HERE = "http://here:8501"


def test_our_own_page_is_answered():
    live.prepare("t", echo)
    heard = knock(HERE, text("t"), text(asking()), text(asking(hand="y")))
    assert [m["type"] for m in heard] == ["websocket.accept", "websocket.send", "websocket.send"]
    assert heard[1]["bytes"] == WHITE


@pytest.mark.parametrize(
    "origin", [None, "", "null", "http://elsewhere", "http://here:8501.evil", "http://here:8502", "http://["]
)
def test_other_pages_are_turned_away(origin):
    live.prepare("t", echo)
    assert [m["type"] for m in knock(origin, text("t"), text(asking()))] == ["websocket.close"]


@pytest.mark.parametrize("ticket", [text("stolen"), text(""), {"type": "websocket.receive", "bytes": b"t"}])
def test_without_a_ticket_nothing_is_said(ticket):
    live.prepare("t", echo)
    tell = partial(live.tell, "stolen", 1.0, lambda: b"secret")
    assert "websocket.send" not in [m["type"] for m in knock(HERE, ticket, tell, text(asking()))]


@pytest.mark.parametrize("odd", [{"type": "websocket.receive", "bytes": b"x"}, text([1])], ids=["bytes", "list"])
def test_an_odd_message_ends_the_line(odd):
    live.prepare("t", echo)
    heard = knock(HERE, text("t"), odd, text(asking()))
    assert "websocket.send" not in [m["type"] for m in heard]


def test_a_page_is_told_what_is_new():
    live.prepare("t", echo)
    live.prepare("other", echo)
    told = [partial(live.tell, "t", 5.0, lambda: b"news"), partial(live.tell, "other", 6.0, lambda: b"not for us")]
    heard = knock(HERE, text("t"), *told, text(asking()))
    assert [m.get("bytes") for m in heard] == [None, head(5.0, 0) + b"news", WHITE]
    assert live._lines == {}  # it has left
    live.tell("t", 7.0, lambda: pytest.fail("made for nobody"))


def test_who_is_slow_to_listen_hears_the_newest():
    live.prepare("t", echo)

    def hurry():
        for moment in range(1, 4):
            live.tell("t", float(moment), lambda: b"news")

    assert [m.get("bytes") for m in knock(HERE, text("t"), hurry)] == [None, head(3.0, 0) + b"news"]


def test_a_second_line_of_a_ticket_ends_the_first():
    live.prepare("t", echo)
    told = []

    def second():
        told.extend(m.get("bytes") for m in knock(HERE, text("t"), partial(live.tell, "t", 1.0, lambda: b"news")))

    assert [m["type"] for m in knock(HERE, text("t"), second)] == ["websocket.accept", "websocket.close"]
    assert told[1:] == [head(1.0, 0) + b"news"]


def test_who_leaves_while_being_answered_leaves_no_traceback():
    live.prepare("t", echo)
    heard = knock(HERE, text("t"), text(asking()), gone=True)
    assert [m["type"] for m in heard] == ["websocket.accept"]


def test_a_socket_closes_without_a_traceback():
    assert [m["type"] for m in knock(HERE)] == ["websocket.accept"]
