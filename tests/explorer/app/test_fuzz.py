"""Odd messages of every kind, over real sockets to a running server: none tells about the server, and pages go on.

`TSA_FUZZ=10000` tries so many of each kind, together on all pages.
"""

import json
import os
import random
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from explorer.tools import STREAM, exceptions, load, serving, serving_class
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

pytestmark = [pytest.mark.slow, pytest.mark.fuzz, pytest.mark.timeout(3600)]

MESSAGES = int(os.environ.get("TSA_FUZZ", "200"))  # of each kind, for all pages together; a thorough run has 10,000
MEGABYTES = 200  # by which the memory of a server may grow, whatever is asked of it
FOUR = "x*shape.square**x*shape.square*sigma*1.0**x*shape.F**x*shape.square*model*rotation-16"
VIEWS = {
    "lab": ("", ""),
    "compare": ("", f"compare=1&pins={FOUR}"),
    "step": ("lesson", "lesson=turning&step=2"),
    **{page: (page, "") for page in (
        "home", "lesson", "motion", "film", "filters", "recognise", "model", "train", "orbits", "dft", "share",
    )},
}  # fmt: skip


@pytest.fixture(scope="module")
def server():
    with serving(port=8790) as address:
        yield address


def socket_of(server, path):
    return connect(server.replace("http", "ws") + path, origin=server, max_size=None)


def share_of(views):
    return -(-MESSAGES // len(views))


@pytest.mark.parametrize("view", VIEWS)
def test_values_of_widgets_and_components_show_no_exception(server, view):
    """Right values, which lead to other states of the page, and odd ones; several before the page has answered."""
    fuzz_page(server, view, lambda visitor: visitor.widgets)


@pytest.mark.parametrize("view", VIEWS)
def test_messages_of_components_show_no_exception(server, view):
    fuzz_page(server, view, lambda visitor: [w for w in visitor.widgets if is_component(visitor, w)])


def is_component(visitor, widget):
    return visitor.elements.get(widget, ("", None))[0] == "bidi_component"


def fuzz_page(server, view, choose_from):
    rng, (page, query) = random.Random(view), VIEWS[view]
    with Visitor(server) as visitor:
        visitor.send(page=page, query=query)
        visitor.hear()
        assert choose_from(visitor)
        for number in range(share_of(VIEWS)):
            if number % 10 == 0:
                visitor.drain(0.2)
            chosen = rng.choices(choose_from(visitor), k=rng.randrange(1, 4))
            likely = rng.random() < 0.6
            states = [likely_state(rng, w, visitor) if likely else odd_state(rng, w) for w in chosen]
            visitor.send(*states, page=rng.choice([None, page]))
            if number % 50 == 0:  # the next right message works: a link is opened
                visitor.drain()
                visitor.send(page=page, query=query or "angle=77")
                assert exceptions(visitor.hear()) == []
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
                assert exceptions(visitor.hear()) == []
                visitor.send()
                assert exceptions(visitor.hear()) == []


def test_odd_frames_end_the_connection_and_the_next_page_is_served(server):
    rng = random.Random(6)
    for number in range(MESSAGES):
        path = (STREAM, "/live")[number % 2]
        with socket_of(server, path) as line, suppress(ConnectionClosed):
            line.send(rng.choice(["text", "{}", rng.randbytes(rng.randrange(1, 300)), b"\xff" * 10, b""]))
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


def test_odd_addresses_open_a_page(server):
    """Each is a visit of its own page; several follow each other in one session, as Back and Forward do."""
    rng, slowest, pages = random.Random(7), 0.0, [page for page, _ in VIEWS.values()]
    for page in pages:  # what they all share is loaded once
        with Visitor(server) as visitor:
            visitor.send(page=page)
            visitor.hear()
    before = most = load.server_megabytes()
    for _ in range(-(-MESSAGES // 4)):
        with Visitor(server) as visitor:
            for _ in range(4):
                start = time.perf_counter()
                visitor.send(query=odd_address(rng), page=rng.choice(pages))
                assert exceptions(visitor.hear()) == []
                slowest = max(slowest, time.perf_counter() - start)
        most = max(most, load.server_megabytes())
    print(f"{MESSAGES:,} addresses: the slowest took {slowest:.1f} s; memory {before:.0f} MB, at the most {most:.0f}")
    assert slowest < SECONDS
    assert most - before < MEGABYTES


WITH_LINE = {name: VIEWS[name] for name in ("lab", "compare", "home", "step", "motion", "recognise")}


@pytest.mark.parametrize("view", WITH_LINE)
def test_odd_messages_of_the_live_line_end_it_or_are_answered(server, view):
    """The line of a real visitor, who has a ticket; the next right message is answered."""
    rng = random.Random(view)
    with Visitor(server) as visitor, ExitStack() as lines:
        open_prepared(visitor, view)
        ticket = component_data(visitor, "tsa_live_line")

        def opened():
            line = lines.enter_context(socket_of(server, "/live"))
            line.send(ticket)
            return line

        def answer(line, text):
            with suppress(ConnectionClosed):
                line.send(text)
                data = line.recv(timeout=SECONDS)
                assert leaks(data) == []
                return data
            return None

        live, answered = opened(), 0
        for number in range(share_of(WITH_LINE)):
            odd = {"patch": rng.choice(["x", "y", "motion", "z"]), **likely_message(rng, visitor.session)}
            sent = json.dumps(odd if rng.random() < 0.7 else odd_json(rng))
            data = answer(live, mutate(rng, sent.encode()).decode("latin-1") if rng.random() < 0.3 else sent)
            answered += data is not None
            if data is None or number % 10 == 0:
                lines.close()
                live = opened()
                right = json.dumps(right_message(view, visitor.session))
                assert bool(answer(live, right)) is (view != "compare")  # where nothing is drawn
                lines.close()
                live = opened()
        assert bool(answered) is (view != "compare")


def open_prepared(visitor, view):
    """Open a page, and again until the digits that Recognise prepares beside itself are there."""
    page, query = VIEWS[view]
    names = set()
    while not names or (view == "recognise" and "tsa_recognise" not in names):
        visitor.send(page=page, query=query)
        visitor.hear()
        names = {getattr(one, "component_name", "") for _, one in visitor.elements.values()}


def right_message(view, session):
    edit = {"session": session, "obeyed": 1, "sequence": 1, "done": False}
    if view == "motion":
        moved = {"world": "face", "shift": [1.5, -3], "window": 5, "window_at": [0, 0], "tried_shift": None}
        return {"patch": "motion", "message": {**edit, **moved, "on_torus": False}}
    return {"patch": "x", "message": {**edit, "pixels": "A" * 3072}}


def component_data(visitor, name):
    """The data of the component of this kind that is on every page once."""
    (one,) = [one for _, one in visitor.elements.values() if getattr(one, "component_name", "") == name]
    return json.loads(one.json)


def test_nothing_a_student_sends_changes_what_others_see():
    """Over both sockets of a class: a student's line ends at the first word, and their page is theirs alone."""
    rng = random.Random(26)
    with serving_class(port=8792) as (address, key), ExitStack() as pages:
        teacher, student = (pages.enter_context(Visitor(address)) for _ in range(2))
        tickets = []
        for page in (teacher, student):
            page.send(page="", query="x=shape.F")
            page.hear()
            tickets.append(component_data(page, "tsa_classroom")["ticket"])

        @contextmanager
        def joined(key="", ticket=""):
            with socket_of(address, "/class") as line:
                line.send(json.dumps({"key": key, "ticket": ticket}))
                yield line

        teaches, other = pages.enter_context(joined(key, tickets[0])), pages.enter_context(joined())
        shown = {"teaches": True, "angle": 30, "address": "?angle=30&x=shape.F"}
        heard = {}
        while heard != shown:
            heard = json.loads(other.recv(timeout=SECONDS))
        teacher.drain()

        def hear_the_count():  # which is all that a teacher hears of students
            with suppress(TimeoutError):
                while True:
                    assert json.loads(teaches.recv(timeout=0)).keys() == {"followers", "replaced"}

        for number in range(MESSAGES):
            hear_the_count()
            with joined(ticket=rng.choice(tickets)) as line:
                heard = line.recv(timeout=SECONDS)
                assert json.loads(heard) == shown
                with suppress(ConnectionClosed):
                    line.send(odd_words(rng))
                    line.send('{"angle": 123}')
                    raise AssertionError(line.recv(timeout=SECONDS))
            with socket_of(address, "/class") as stranger, suppress(ConnectionClosed):
                stranger.send(odd_words(rng))
                while True:
                    said = stranger.recv(timeout=SECONDS)
                    assert leaks(said.encode()) == []
                    assert json.loads(said) in ({"refused": True}, shown)
                    stranger.send('{"angle": 123}')
            if number % 20 == 0:
                states = [likely_state(rng, one, student) for one in rng.choices(student.widgets, k=3)]
                student.send(*states, page=rng.choice([None, "film", ""]))
                student.drain(0.1)
        assert teacher.drain() == 0
        with pytest.raises(TimeoutError):
            other.recv(timeout=0.5)
        hear_the_count()
        teaches.send('{"angle": 123}')  # the same words of the teacher do change it
        assert json.loads(other.recv(timeout=SECONDS)) == {"teaches": True, "angle": 123}


def odd_words(rng):
    angle = {"angle": rng.choice([-1, 0, 5, 359, 360, "5", None, 1.5, [], 2**70])}
    likely = [
        angle,
        {**angle, "page": "film", "address": "//evil.example", "key": "", "ticket": "t"},
        {"key": rng.choice(["", "x", 5, "\ud800"]), "ticket": rng.choice(["t", "s", None])},
        {"followers": 3, "replaced": True},
        odd_json(rng),
    ]
    text = json.dumps(rng.choice(likely))
    odd = mutate(rng, text.encode())
    return rng.choice([text, text, odd.decode("latin-1"), odd, "[" * 5000])
