"""What a class sees, without a browser: addresses, messages, and when a run of the teacher's page is news."""

import json
import random
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.state import (
    Digit,
    Shape,
    Shown,
    ViewState,
    address_of,
    after_run,
    decode_link,
    encode_link,
    news,
    reachable,
    read_hello,
    read_turn,
    shown,
)

LONG_AGO = 60.0


def opened(view: Shown) -> tuple[str, ViewState]:
    """What a student's page shows that opens the address."""
    parts = urlsplit(view.address)
    return parts.path, decode_link(dict(parse_qsl(parts.query)))


@pytest.mark.parametrize(
    "view",
    [
        ViewState(),
        ViewState(angle=0),
        ViewState(x=Shape("triangle"), angle=200, sigma=1.0, without=(4, 8)),
        ViewState(y=Digit(7), world="plaid", shift=(-3.2, 4.0), lesson="symmetry", step=3, hide=frozenset({"x", "y"})),
    ],
)
def test_a_student_sees_the_teachers_view(view):
    assert opened(shown("motion", encode_link(view))) == ("motion", view)


def test_an_address_always_says_something():
    """A page that is opened without parameters keeps the view it had, which is the student's own."""
    assert shown("", {}).address == "?angle=30"


def test_what_no_link_may_say_is_not_passed_on():
    odd = {"x": "shape.nothing", "model": "mine", "sigma": "1e99", "new": "<b>", "angle": "400", "log": "1"}
    assert shown("", odd).address == "?angle=30&log=1"


@pytest.mark.parametrize("page", ["..", "a/b", "//evil.example", "lab?x", "A", "x" * 30, "javascript:"])
def test_what_is_no_page_is_not_shown(page):
    assert shown(page, {}) is None


def test_runs_of_the_teacher_that_change_the_view_are_news():
    first = after_run(None, shown("", {}), LONG_AGO)
    assert first.number == 1
    other = after_run(first, shown("", {"x": "shape.F"}), 0.0)
    assert (other.number, other.address) == (2, "?angle=30&x=shape.F")
    assert after_run(other, shown("filters", {"x": "shape.F"}), 0.0).number == 3


def test_a_run_that_changes_nothing_is_no_news():
    first = after_run(None, shown("", {"angle": "40"}), LONG_AGO)
    assert after_run(first, shown("", {"angle": "40"}), LONG_AGO) is None


def test_a_run_does_not_pull_back_a_dial_that_has_turned_on():
    """The dial reported 50 itself; a run that knows of 45 only comes later."""
    turning = Shown("", "", angle=50, number=1)
    assert after_run(turning, shown("", {"angle": "45"}), 0.1) is None
    assert after_run(turning, shown("", {"angle": "45"}), LONG_AGO).angle == 45


@pytest.mark.parametrize(("text", "angle"), [('{"angle": 0}', 0), ('{"angle":359}', 359), (' {"angle": 47} ', 47)])
def test_angles_of_the_dial(text, angle):
    assert read_turn(text) == angle


@pytest.mark.parametrize(
    "text",
    ['{"angle": 360}', '{"angle": -1}', '{"angle": 1.0}', '{"angle": true}', '{"angle": "1"}', '{"angle": null}', "{}",
     '{"angle": 1, "page": "x"}', "[1]", "1", "", "{", '{"angle": NaN}', '{"angle": 1e999}', "[" * 200,
     '{"angle": 1}' + " " * 300],
)  # fmt: skip
def test_what_is_no_angle_is_none(text):
    assert read_turn(text) is None


def test_first_messages():
    assert read_hello('{"key": "", "ticket": "t"}') == ("", "t")
    for odd in ['{"key": 1, "ticket": "t"}', '{"key": ""}', "[]", '{"key": "", "ticket": "t", "page": ""}', "x" * 999]:
        assert read_hello(odd) is None


@given(st.text() | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps))
def test_odd_texts_are_read_as_nothing(text):
    assert read_turn(text) is None
    assert read_hello(text) is None


def test_the_address_is_said_once_and_the_angle_always():
    view = Shown("lesson", "step=2", 40, number=3)
    assert json.loads(news(view, True, known=2)) == {"teaches": True, "angle": 40, "address": "lesson?angle=40&step=2"}
    assert json.loads(news(view, True, known=3)) == {"teaches": True, "angle": 40}
    assert json.loads(news(None, False, known=0)) == {"teaches": False}


NETWORKS = ["127.0.0.1", "169.254.3.4", "10.8.0.2", "192.168.1.5", "fe80::1", "fd00::2", "0.0.0.0", "224.0.0.1", "x"]


def test_addresses_in_networks_the_likeliest_first():
    for seed in range(10):
        found = random.Random(seed).sample(NETWORKS, len(NETWORKS))
        wanted = reachable(found, "192.168.1.5")
        assert wanted[0] == "192.168.1.5"
        assert wanted[-1] == "169.254.3.4"  # what a machine gives itself
        assert sorted(wanted) == ["10.8.0.2", "169.254.3.4", "192.168.1.5"]
    assert reachable(["8.8.8.8", "10.0.0.1"]) == ["10.0.0.1", "8.8.8.8"]
    assert reachable(["10.0.0.1", "10.0.0.1"]) == ["10.0.0.1"]


@pytest.mark.parametrize("found", [[], ["127.0.0.1", "::1", "fe80::1"]])
def test_a_machine_without_a_network_has_none(found):
    assert reachable(found) == []


def test_an_ipv6_address_stands_in_brackets():
    assert address_of("192.168.1.5", 8501) == "http://192.168.1.5:8501"
    assert address_of("fd00::2", 8501) == "http://[fd00::2]:8501"
