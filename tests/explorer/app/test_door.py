"""A running server, reached as strangers would: foreign names, odd frames, wrong values of widgets."""

import itertools
import json
import os
import random
import re
import socket
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import explorer
from explorer.tools import serving
from tests.shared.hosts import HOSTS, ORIGINS

pytestmark = pytest.mark.slow

MESSAGES = int(os.environ.get("TSA_FUZZ", "200"))  # for all pages together; a thorough run has 10,000
SOCKETS = ("/_stcore/stream", "/live")
ROOT = str(Path(explorer.__file__).parents[1]).encode()
LEAK = re.compile(rb'Traceback|site-packages|line \d+, in |File ["&\\]|' + re.escape(ROOT))
SECONDS = 60.0  # to wait for an answer, on a machine that does other things


@pytest.fixture(scope="module")
def server():
    with serving(port=8790) as address:
        yield address


def status(server, path, host, origin, upgrade=True):
    """The status of the answer to a request with exactly these headers; None leaves one out."""
    lines = [f"GET {path} HTTP/1.1"]
    lines += [f"Host: {host}"] if host is not None else []
    lines += [f"Origin: {origin}"] if origin is not None else []
    if upgrade:
        lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        lines += ["Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
    else:
        lines += ["Connection: close"]
    with socket.create_connection(("127.0.0.1", urlsplit(server).port), timeout=SECONDS) as line:
        line.sendall("\r\n".join([*lines, "", ""]).encode())
        return int(line.recv(1000).split()[1])


@pytest.mark.parametrize("path", SOCKETS)
def test_sockets_answer_our_own_pages_under_our_own_names_alone(server, path):
    wrong = []
    for host, right in HOSTS:
        for origin in (f"http://{host}", "http://evil.example:8501", "null", None):
            if (status(server, path, host, origin) == 101) is not (right and origin == f"http://{host}"):
                wrong.append((host, origin))
    for origin, right in ORIGINS:
        for host in ("localhost:8501", "evil.example:8501"):
            if (status(server, path, host, origin) == 101) is not (right and host == "localhost:8501"):
                wrong.append((host, origin))
    assert wrong == []


@pytest.mark.parametrize("path", ["/", "/filters", "/_stcore/host-config", "/static/favicon.png", "/nothing/here"])
def test_pages_and_files_answer_under_our_names_alone(server, path):
    for host, right in HOSTS:
        assert (status(server, path, host, None, upgrade=False) in (200, 404)) is right, host
    assert status(server, path, "localhost:8501", "http://evil.example", upgrade=False) == 403


def fetch(server, path):
    try:
        with urllib.request.urlopen(server + path, timeout=SECONDS) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


@pytest.mark.parametrize("path", ["/", "/filters", "/_stcore/health", "/_stcore/host-config", "/nothing/here"])
def test_every_answer_has_its_headers(server, path):
    headers = fetch(server, path)[1]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Frame-Options"] == "SAMEORIGIN"
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["frame-ancestors"] == "'self'"
    assert policy["default-src"] == "'self'"
    assert "unsafe" not in policy["script-src"]


@pytest.mark.parametrize(("query", "framed"), [("embed=true", True), ("embed=True&x=1", True), ("embed=false", False)])
def test_only_an_embedded_page_may_be_framed_elsewhere(server, query, framed):
    headers = fetch(server, f"/?{query}")[1]
    assert ("frame-ancestors *" in headers["Content-Security-Policy"]) is framed
    assert (headers["X-Frame-Options"] is None) is framed


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/agent/openapi.json", "/_stcore/agent/mcp"])
def test_what_is_for_the_host_alone_is_not_served(server, path):
    assert fetch(server, path)[0] == 404


class Visitor:
    """A page without a browser: it sends messages, and keeps what the server says."""

    def __init__(self, server):
        self.url = server
        self.ids = set()
        self.connection = connect(server.replace("http", "ws") + SOCKETS[0], origin=server, max_size=None)

    def __enter__(self):
        self.line = self.connection.__enter__()
        return self

    def __exit__(self, *failure):
        self.connection.__exit__(*failure)

    def send(self, *widgets, query="", page=""):
        message = BackMsg()
        run = message.rerun_script
        run.query_string, run.page_name, run.context_info.url = query, page, self.url
        run.widget_states.widgets.extend(widgets)
        self.line.send(message.SerializeToString())

    def hear(self):
        """What the server says until a run has ended by itself: the messages of that run."""
        run, deadline = [], time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            data = self.line.recv(timeout=SECONDS)
            assert leaks(data) == []
            message = ForwardMsg.FromString(data)
            run = [] if message.WhichOneof("type") == "new_session" else [*run, message]
            self.ids.update(widget_ids(data))
            if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY and message.WhichOneof("type") == (
                "script_finished"
            ):
                return run
        raise TimeoutError

    def drain(self):
        """Hear everything until nothing comes for a while; how many messages that were."""
        for count in itertools.count():
            try:
                data = self.line.recv(timeout=1.0)
            except TimeoutError:
                return count
            assert leaks(data) == []
            exception = ForwardMsg.FromString(data).delta.new_element.exception
            assert not exception.message, exception.message

    @property
    def widgets(self):
        return sorted(self.ids)


def widget_ids(data):
    """Names of widgets in a message: each stands after a byte that holds its length."""
    starts = [match.start() for match in re.finditer(rb"\$\$ID-[0-9a-f]{32}-", data)]
    return [data[at : at + data[at - 1]].decode() for at in starts]


def leaks(data):
    """What a message says that visitors need not know, with what stands around it."""
    return [data[max(0, match.start() - 60) : match.end() + 60] for match in LEAK.finditer(data)]


def exceptions(run):
    return [m.delta.new_element.exception.message for m in run if m.delta.new_element.WhichOneof("type") == "exception"]


def odd_text(rng):
    odd = ["", "square", "Shapes", "rotation-16", "../x", "\x00", "ॐ" * 50, "9" * 5000, "<b>", "nan", "None", "[]"]
    return rng.choice(odd)


def odd_number(rng):
    return rng.choice([0, 1, -1, 2**31, -(2**53), 0.5, 1e308, -1e308, float("nan"), float("inf"), rng.random()])


def odd_json(rng, depth=0):
    kind = rng.randrange(8 if depth < 3 else 5)
    if kind < 5:
        return [None, True, odd_text(rng), odd_number(rng), rng.randrange(400)][kind]
    if kind == 5:
        return [odd_json(rng, depth + 1) for _ in range(rng.randrange(4))]
    names = [
        "message",
        "session",
        "obeyed",
        "sequence",
        "angle",
        "circle",
        "pixels",
        "done",
        "log",
        "without",
        "ticket",
    ]
    return {rng.choice(names): odd_json(rng, depth + 1) for _ in range(rng.randrange(5))}


def odd_state(rng, widget):
    state = WidgetState(id=widget)
    kind = rng.randrange(12)
    if kind == 0:
        state.trigger_value = True
    elif kind == 1:
        state.bool_value = rng.random() < 0.5
    elif kind == 2:
        state.double_value = odd_number(rng)
    elif kind == 3:
        state.int_value = rng.choice([0, -1, 2**62, rng.randrange(100)])
    elif kind == 4:
        state.string_value = odd_text(rng)
    elif kind == 5:
        state.double_array_value.data.extend(odd_number(rng) for _ in range(rng.randrange(4)))
    elif kind == 6:
        state.int_array_value.data.extend(rng.choice([0, -1, 99, 2**62]) for _ in range(rng.randrange(4)))
    elif kind == 7:
        state.string_array_value.data.extend(odd_text(rng) for _ in range(rng.randrange(4)))
    elif kind == 8:
        state.json_value = rng.choice(["{", "[" * 5000, odd_text(rng), json.dumps(odd_json(rng))])
    elif kind == 9:
        state.bytes_value = rng.randbytes(rng.randrange(50))
    elif kind == 10:
        state.json_trigger_value = rng.choice(["", json.dumps(odd_json(rng))])
    else:
        state.file_uploader_state_value.uploaded_file_info.add(file_id=odd_text(rng)[:20], name="x.png")
    return state


def test_a_wrong_value_is_ignored_and_what_was_on_screen_stays(server):
    """The value named in the issue: a list of integers for the gallery of shapes."""
    with Visitor(server) as visitor:
        visitor.send()
        visitor.hear()
        (gallery,) = [name for name in visitor.widgets if name.endswith("-gallery_shape_x")]
        wrong = WidgetState(id=gallery)
        wrong.int_array_value.data.extend([3])
        visitor.drain()
        visitor.send(wrong)
        assert visitor.drain() == 0  # nothing is drawn again
        visitor.send(query="x=shape.triangle")
        run = visitor.hear()
        assert exceptions(run) == []
        assert any(m.delta.new_element.WhichOneof("type") == "bidi_component" for m in run)


@pytest.mark.parametrize("page", ["", "motion", "filters", "recognise", "model", "train", "orbits"])
def test_fuzzed_values_of_widgets_show_no_exception(server, page):
    rng = random.Random(page)
    with Visitor(server) as visitor:
        visitor.send(page=page)
        visitor.hear()
        assert visitor.widgets
        for number in range(MESSAGES // 7):
            if number % 10 == 0:
                visitor.drain()
            visitor.send(*(odd_state(rng, rng.choice(visitor.widgets)) for _ in range(rng.randrange(1, 4))), page=page)
        visitor.drain()
        visitor.send(page=page)
        assert exceptions(visitor.hear()) == []


def test_a_first_message_with_wrong_values_tells_nothing(server):
    """The server cannot know the type of a widget that it has not drawn for this visitor."""
    rng = random.Random(5)
    with Visitor(server) as first:
        first.send()
        first.hear()
        for _ in range(MESSAGES // 40):
            with Visitor(server) as visitor:
                visitor.send(*(odd_state(rng, widget) for widget in first.widgets))
                visitor.hear()  # which looks for leaks
                visitor.send()
                assert exceptions(visitor.hear()) == []


def test_odd_frames_end_the_connection_and_the_next_page_is_served(server):
    rng = random.Random(6)
    for number in range(MESSAGES // 4):
        path = SOCKETS[number % 2]
        with connect(server.replace("http", "ws") + path, origin=server, max_size=None) as line:
            line.send(rng.choice(["text", "{}", rng.randbytes(rng.randrange(1, 300)), b"\xff" * 10, b""]))
            with suppress(ConnectionClosed):
                while True:
                    assert leaks(line.recv(timeout=SECONDS)) == []
    with Visitor(server) as visitor:
        visitor.send()
        assert exceptions(visitor.hear()) == []
