"""Pins: what a link says of them, what actions do to them, what tells them apart."""

from dataclasses import fields, replace
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from explorer.state import (
    DRAWING_PIXELS,
    MAX_PINS,
    Digit,
    Pixels,
    Shape,
    ViewState,
    after_action,
    decode_link,
    encode_link,
    pin_labels,
    pin_name,
    pin_of,
    unreadable,
)
from tests.shared.views import states
from tsa.pictures import SHAPES

DRAWING = Pixels.of(np.tri(DRAWING_PIXELS))
SCENE = {
    "x", "y", "noise", "sigma", "both", "strength", "centre", "observations", "prior", "notch", "without", "model",
}  # fmt: skip


def by_link(state):
    query = urlencode(encode_link(state))
    assert query.isascii()
    return decode_link(dict(parse_qsl(query)))


def distinct(pins):
    return tuple(dict.fromkeys(pins))


@settings(max_examples=200, deadline=None)
@given(states(), some.lists(states().map(pin_of), max_size=MAX_PINS).map(distinct), some.booleans())
def test_pins_come_back_from_a_link(state, pins, comparing):
    state = replace(state, pins=pins, comparing=comparing)
    assert by_link(state) == state


@settings(max_examples=50, deadline=None)
@given(states())
def test_a_pin_is_the_scene_and_nothing_else(state):
    pin, effective, default = pin_of(state), state.effective, ViewState()
    for field in fields(ViewState):
        wanted = effective if field.name in SCENE else default
        assert getattr(pin, field.name) == getattr(wanted, field.name)


@settings(max_examples=300, deadline=None)
@given(some.text(alphabet="x*shape.quarg0-_%~digt8", max_size=60))
def test_any_text_is_at_most_four_valid_pins(text):
    pins = decode_link({"pins": text}).pins
    assert len(pins) <= MAX_PINS
    assert all(pin_of(pin) == pin for pin in pins)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("x*shape.F**x*shape.nothing", [Shape("F")]),
        ("x*shape.F**x*shape.F", [Shape("F")]),  # twice the same
        ("x*shape.F*sigma**x*shape.S", [Shape("S")]),
        ("x*shape.F*angle*30**x*digit.3", [Digit(3)]),  # the angle is no part of a pin
        ("x*shape.F*pins*x**x*digit.3", [Digit(3)]),
        ("**".join(f"x*digit.{i}" for i in range(6)), [Digit(i) for i in range(4)]),
        ("", []),
    ],
)
def test_a_pin_that_is_not_valid_is_left_out_alone(text, kept):
    assert [pin.x for pin in decode_link({"pins": text}).pins] == kept
    assert unreadable({"pins": text}) == ([] if kept else ["pins"])


@pytest.mark.parametrize(("model", "harmonics"), [("rotation-16", 15), ("rotation-28", 26)])
def test_the_longest_link_of_shapes_and_digits_has_less_than_two_thousand_characters(model, harmonics):
    """Four pins and a stage, each of two pictures with noise in both, own σ, and observed again, so with a prior."""
    rng, scenes = np.random.default_rng(0), []
    longest = max(SHAPES, key=len)
    for i in range(5):
        prior = rng.normal(size=(2, harmonics)).astype(np.float32)
        scenes.append(
            ViewState(
                Shape(longest), Digit(20 + i), 339, 0.35, round(1.05 + 0.05 * i, 6), True, observations=100 + i,
                notch=0.35, prior=tuple((prior[0] + 1j * prior[1]).tolist()), model=model, log=True, circle=15,
                tried=359,
            )
        )  # fmt: skip
    state = replace(scenes[4], pins=tuple(map(pin_of, scenes[:4])), comparing=True, describe=True)
    address = f"http://localhost:8501/?{urlencode(encode_link(state), safe='*')}"
    assert decode_link(dict(parse_qsl(address.partition("?")[2]))).pins == state.pins
    assert len(address) <= 2000, len(address)


def test_actions():
    view = ViewState(angle=77, log=True)
    for i in range(MAX_PINS):
        view = replace(view, sigma=round(0.5 + 0.1 * i, 6))
        view = replace(view, **after_action(view, "pin"))
        assert after_action(view, "pin") == {}  # the same again
    assert [pin.sigma for pin in view.pins] == [0.5, 0.6, 0.7, 0.8]
    assert after_action(replace(view, sigma=1.9), "pin") == {}  # four are the most
    assert after_action(view, "compare") == {"comparing": True}
    assert after_action(ViewState(), "compare") == {"comparing": False}  # nothing to compare
    view = replace(view, comparing=True)
    second = pin_name(view.pins[1])
    shown = replace(view, **after_action(view, f"open {second}"))
    assert (shown.sigma, shown.comparing, shown.angle, shown.log, shown.pins) == (0.6, False, 77, True, view.pins)
    assert pin_of(shown) == view.pins[1]
    fewer = replace(view, **after_action(view, f"remove {second}"))
    assert [pin.sigma for pin in fewer.pins] == [0.5, 0.7, 0.8]
    assert fewer.comparing
    assert after_action(fewer, f"remove {second}") == {}  # it comes too late
    one = replace(view, pins=view.pins[:1])
    assert after_action(one, f"remove {pin_name(one.pins[0])}") == {"pins": (), "comparing": False}
    for action in ("", "open", "remove ", "leave", "pins", "open 0", "remove " + "0" * 99):
        assert after_action(view, action) == {}


def test_names_tell_pins_apart_and_agree_for_equal_ones():
    pins = [ViewState(), ViewState(sigma=0.55), ViewState(without=(4,)), ViewState(Shape("F")), ViewState(DRAWING)]
    assert len({pin_name(pin) for pin in pins}) == len(pins)
    assert pin_name(ViewState(Pixels.of(np.tri(DRAWING_PIXELS)))) == pin_name(ViewState(DRAWING))


def test_labels_say_what_differs():
    square = ViewState()
    models = ["rotation-16-refined"] * 4
    assert pin_labels((square,), models[:1]) == ["square, σ = 0.5"]
    assert pin_labels((square, replace(square, sigma=1.0)), models[:2]) == ["σ = 0.5", "σ = 1"]
    assert pin_labels((square, square), ["a", "b"]) == ["a", "b"]
    others = (ViewState(Shape("F"), Digit(28)), ViewState(DRAWING, notch=0.3))
    assert pin_labels(others, models[:2]) == ["F and digit 9, number 29", "drawing with a notch of 30 %"]
    settings = (
        replace(square, noise=0.2, both=True), replace(square, strength=2.0, centre=90),
        replace(square, observations=2, prior=(1j,)), replace(square, without=(4, 8)),
    )  # fmt: skip
    assert pin_labels(settings, models) == [
        "σ = 0.5 in both, pixel noise 0.2 in both, no prior, all weights",
        "σ = 0.5, no pixel noise, prior 2 around 90°, all weights",
        "σ = 0.5, no pixel noise, observed 3 times, all weights",
        "σ = 0.5, no pixel noise, no prior, without weights 4, 8",
    ]
