"""The line for moving hands: it answers our own pages, and doubts everything else."""

import asyncio
import base64
import json
import struct
from concurrent.futures import ThreadPoolExecutor

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


def asking(ticket="t", hand="x", **message):
    pixels = base64.b64encode(np.full(SIDE * SIDE, 255, np.uint8)).decode()
    return {"ticket": ticket, "hand": hand, "message": {"number": 1, "done": False, "pixels": pixels, **message}}


def test_a_ticket_gets_its_answer():
    live.prepare("t", echo)
    assert live.reply(json.dumps(asking())) == struct.pack("<d", 1) + f"x {SIDE * SIDE}".encode()
    assert live.reply(json.dumps(asking(hand="y"))) == struct.pack("<d", 1) + f"y {SIDE * SIDE}".encode()
    live.prepare("t", lambda hand, message: b"newer")
    assert live.reply(json.dumps(asking(number=7))) == struct.pack("<d", 7) + b"newer"


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "3", "[" * 10_000, json.dumps(asking(ticket="stolen")), json.dumps(asking(ticket=["t"])),
     json.dumps(asking(hand="z")), json.dumps(asking(hand=["x"])), json.dumps(asking(pixels="@@")),
     json.dumps(asking(pixels="A" * 20_000)), json.dumps(asking(number="1")), json.dumps({"ticket": "t", "hand": "x"})],
)  # fmt: skip
def test_what_is_not_a_message_gets_none(text):
    live.prepare("t", echo)
    assert live.reply(text) is None


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


def knock(origin, *messages):
    """What a socket from this origin hears, until it is closed; run by hand, without a network."""
    heard = []
    coming = [{"type": "websocket.connect"}, *messages, {"type": "websocket.disconnect", "code": 1000}]

    async def receive():
        return coming.pop(0)

    async def send(message):
        heard.append(message)

    headers = [(b"host", b"here:8501"), *([(b"origin", origin.encode())] if origin is not None else [])]
    scope = {"type": "websocket", "path": "/live", "headers": headers, "query_string": b"", "subprotocols": []}
    app = Starlette(routes=[live.ROUTE])
    with ThreadPoolExecutor(1) as apart:  # tests in a browser have a loop of their own in this thread
        apart.submit(lambda: asyncio.run(app(scope, receive, send))).result()
    return heard


def text(asked):
    return {"type": "websocket.receive", "text": json.dumps(asked)}


def test_our_own_page_is_answered():
    live.prepare("t", echo)
    heard = knock("http://here:8501", text(asking()), text(asking(hand="y")))
    assert [m["type"] for m in heard] == ["websocket.accept", "websocket.send", "websocket.send"]
    assert heard[1]["bytes"] == struct.pack("<d", 1) + f"x {SIDE * SIDE}".encode()


@pytest.mark.parametrize("origin", [None, "", "null", "http://elsewhere", "http://here:8501.evil", "http://here:8502"])
def test_other_pages_are_turned_away(origin):
    live.prepare("t", echo)
    assert [m["type"] for m in knock(origin, text(asking()))] == ["websocket.close"]


@pytest.mark.parametrize(
    "odd",
    [text(asking(ticket="stolen")), {"type": "websocket.receive", "bytes": b"x"}, text([1])],
    ids=["stolen ticket", "bytes", "list"],
)
def test_an_odd_message_ends_the_line(odd):
    live.prepare("t", echo)
    heard = knock("http://here:8501", odd, text(asking()))
    assert "websocket.send" not in [m["type"] for m in heard]


def test_a_socket_closes_without_a_traceback():
    assert [m["type"] for m in knock("http://here:8501")] == ["websocket.accept"]
