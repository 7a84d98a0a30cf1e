"""A running server, reached as strangers would: foreign names, odd frames, wrong values of widgets."""

import os
import socket
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from explorer.tools import STREAM, exceptions, serving
from tests.shared.hosts import HOSTS, ORIGINS
from tests.shared.visitor import (
    SECONDS,
    Visitor,
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
