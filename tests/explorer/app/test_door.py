"""A running server, reached as strangers would: foreign names, odd frames, wrong values of widgets."""

import json
import os
import random
import socket
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from explorer.tools import STREAM, exceptions, serving
from tests.shared.hosts import HOSTS, ORIGINS
from tests.shared.mutations import mutate
from tests.shared.visitor import (
    SECONDS,
    Visitor,
    leaks,
    likely_message,
    likely_state,
    odd_json,
    odd_state,
    odd_text,
)

pytestmark = pytest.mark.slow

MESSAGES = int(os.environ.get("TSA_FUZZ", "200"))  # for all pages together; a thorough run has 10,000
SOCKETS = (STREAM, "/live")


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


@pytest.mark.parametrize(
    "path", ["/", "/filters", "/_stcore/host-config", "/static/favicon.png", "/help/", "/nothing/here"]
)
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


@pytest.mark.parametrize(
    "path", ["/", "/filters", "/help/index.html", "/_stcore/health", "/_stcore/host-config", "/nothing/here"]
)
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


def test_the_manual_is_served(server):
    for path, kind in (("/help", "text/html"), ("/help/style.css", "text/css"), ("/help/icon.png", "image/png")):
        code, headers = fetch(server, path)
        assert (code, headers.get_content_type()) == (200, kind)
    for path in ("/help/nothing.html", "/help/..%2fsite.py", "/help/%00"):
        assert fetch(server, path)[0] in (400, 404)


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


PAGES = ["", "home", "lesson", "motion", "film", "filters", "recognise", "model", "train", "orbits", "dft"]


@pytest.mark.fuzz
@pytest.mark.parametrize("page", PAGES)
def test_fuzzed_values_of_widgets_show_no_exception(server, page):
    """Right values, which lead to other states of the page, and odd ones; several before the page has answered."""
    rng = random.Random(page)
    with Visitor(server) as visitor:
        visitor.send(page=page)
        visitor.hear()
        assert visitor.widgets
        for number in range(-(-MESSAGES // len(PAGES))):
            if number % 10 == 0:
                visitor.drain(0.2)
            chosen = rng.choices(visitor.widgets, k=rng.randrange(1, 4))
            likely = rng.random() < 0.6
            visitor.send(*(likely_state(rng, w, visitor) if likely else odd_state(rng, w) for w in chosen), page=page)
        visitor.drain()
        visitor.send(page=page)
        assert exceptions(visitor.hear()) == []


@pytest.mark.parametrize("choice", [[], ["square"], ["rotation", "rotation"], ["rotation", "x"]])
def test_a_choice_that_is_no_option_is_left_out_and_the_rest_of_the_message_counts(server, choice):
    with Visitor(server) as visitor:
        visitor.send(page="train")
        visitor.hear()
        by_key = {name.rpartition("-")[2]: name for name in visitor.widgets}
        strange = WidgetState(id=by_key["train_kind"])
        strange.string_array_value.SetInParent()
        strange.string_array_value.data.extend(choice)
        right = WidgetState(id=by_key["train_pairs"])
        right.string_array_value.data.append("2,000")
        visitor.drain()
        visitor.send(strange, right, page="train")
        assert exceptions(visitor.hear()) == []
        (start,) = [one for one, (_, shown) in visitor.elements.items() if getattr(shown, "label", "") == "Start"]
        visitor.send(WidgetState(id=start, trigger_value=True), page="train")
        run = visitor.hear()
        assert exceptions(run) == []
        assert any(b"of 2,000 pairs" in message.SerializeToString() for message in run)


@pytest.mark.fuzz
def test_a_first_message_with_wrong_values_tells_nothing(server):
    """The server cannot know the type of a widget that it has not drawn for this visitor."""
    rng = random.Random(5)
    with Visitor(server) as first:
        first.send()
        first.hear()
        for _ in range(MESSAGES // 40):
            with Visitor(server) as visitor:
                visitor.send(*(odd_state(rng, widget) for widget in first.widgets))
                assert exceptions(visitor.hear()) == []
                visitor.send()
                assert exceptions(visitor.hear()) == []


@pytest.mark.fuzz
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


LINKS = [
    one["link"] for one in json.loads((Path(__file__).parents[2] / "fixtures" / "links.json").read_text())["links"]
]
TEXTS = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'", "${7*7}", "javascript:alert(1)"]


def odd_address(rng):
    """A link that somebody has shared, damaged; or parameters with any values."""
    if rng.random() < 0.5:
        return mutate(rng, rng.choice(LINKS).encode()).decode("latin-1")
    names = [name for link in LINKS for name, _ in parse_qsl(link)]
    values = [value for link in LINKS for _, value in parse_qsl(link)]
    pick = {rng.choice(names): rng.choice([*values, *TEXTS, odd_text(rng)]) for _ in range(rng.randrange(1, 5))}
    return urlencode(pick)


@pytest.mark.fuzz
def test_fuzzed_addresses_open_a_page(server):
    """Each is a visit of its own page; several follow each other in one session, as Back and Forward do."""
    rng, slowest = random.Random(7), 0.0
    for _ in range(-(-MESSAGES // 40)):
        with Visitor(server) as visitor:
            for _ in range(4):
                start = time.perf_counter()
                visitor.send(query=odd_address(rng), page=rng.choice(PAGES))
                assert exceptions(visitor.hear()) == []
                slowest = max(slowest, time.perf_counter() - start)
    assert slowest < SECONDS


@pytest.mark.fuzz
def test_fuzzed_messages_of_the_live_line_end_it_or_are_answered(server):
    """The line of a real visitor, who has a ticket; a right message is answered after each odd one."""
    rng = random.Random(8)
    with Visitor(server) as visitor:
        visitor.send()
        visitor.hear()
        (line,) = [
            one for kind, one in visitor.elements.values() if getattr(one, "component_name", "") == "tsa_live_line"
        ]
        ticket = json.loads(line.json)
        right = {"session": visitor.session, "obeyed": 1, "sequence": 1, "done": False, "pixels": "A" * 3072}
        answered = 0
        for number in range(-(-MESSAGES // 10)):
            with connect(server.replace("http", "ws") + "/live", origin=server, max_size=None) as live:
                live.send(ticket)
                odd = {"patch": rng.choice(["x", "y", "motion", "z"]), **likely_message(rng, visitor.session)}
                sent = json.dumps(odd if rng.random() < 0.7 else odd_json(rng))
                live.send(mutate(rng, sent.encode()).decode("latin-1") if rng.random() < 0.3 else sent)
                with suppress(ConnectionClosed):
                    data = live.recv(timeout=SECONDS)
                    assert leaks(data) == []
                    answered += 1
                if number % 10 == 0:
                    with connect(server.replace("http", "ws") + "/live", origin=server, max_size=None) as next_line:
                        next_line.send(ticket)
                        next_line.send(json.dumps({"patch": "x", "message": right}))
                        assert len(next_line.recv(timeout=SECONDS)) > 1000
        assert answered
