"""Links: what goes in comes out, and whatever comes in makes a valid state."""

import base64
import string
import zlib
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from PIL import Image, ImageDraw

from explorer.state import (
    DRAWING_PIXELS,
    HIDEABLE,
    STOPS,
    Digit,
    Pixels,
    Shape,
    ViewState,
    decode_link,
    encode_link,
)
from tests.shared.views import noise_of, states
from tsa import bundled
from tsa.pictures import SHAPES

MANY = settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def comes_back(state):
    query = urlencode(encode_link(state))
    assert query.isascii()
    assert decode_link(dict(parse_qsl(query))) == state


def is_valid(state):
    """Encoding it again and reading that gives the same: nothing in it is out of range."""
    assert decode_link(encode_link(state)) == state
    assert 0 <= state.angle < 360
    for source in (state.x, state.y):
        if isinstance(source, Pixels):
            assert 0 <= source.picture.min() <= source.picture.max() <= 1


@FEW
@given(states())
def test_a_state_survives_its_link(state):
    comes_back(state)


def random_state(seed):
    """Any state, quickly: hypothesis only draws the seed."""
    rng = np.random.default_rng(seed)
    pick = lambda *options: options[rng.integers(len(options))]  # noqa: E731
    source = lambda: pick(  # noqa: E731
        Shape(pick(*SHAPES)), Digit(int(rng.integers(30))), noise_of(int(rng.integers(2**31)), bool(rng.integers(2)))
    )
    prior = (rng.normal(size=(rng.integers(1, 65), 2)) * 10.0 ** rng.integers(-6, 2)).astype(np.float32)
    observations = int(rng.integers(1, 1001)) if rng.integers(2) else 0
    return ViewState(
        x=source(), y=pick(None, source()), angle=int(rng.integers(360)), noise=round(0.05 * int(rng.integers(21)), 6),
        sigma=round(0.2 + 0.05 * int(rng.integers(37)), 6), strength=0.5 * int(rng.integers(21)),
        centre=int(rng.integers(360)), observations=observations,
        prior=tuple(complex(a, b) for a, b in prior) if observations else (), model=pick("", *bundled_names),
        log=bool(rng.integers(2)), circle=pick(None, int(rng.integers(10_000))),
        filter=pick(None, int(rng.integers(10_000))), orbit=(pick(*STOPS), pick(*STOPS)),
        hide=frozenset(name for name in HIDEABLE if rng.integers(3) == 0),
    )  # fmt: skip


bundled_names = bundled()
seeds = some.integers(0, 2**63)


@pytest.mark.slow
@MANY
@given(seeds)
def test_ten_thousand_states_survive_their_links(seed):
    comes_back(random_state(seed))


@some.composite
def mutated(draw):
    """The link of a state with a few characters changed, cut, doubled or put elsewhere."""
    query = list(urlencode(encode_link(draw(states()))))
    for _ in range(draw(some.integers(1, 8))):
        at = draw(some.integers(0, len(query)))
        kind = draw(some.integers(0, 3))
        new = draw(some.text(string.printable + "é☃\0", max_size=3))
        query[at : at + draw(some.integers(0, 3))] = list(new) if kind else query[at : at + 9] * 2
    return "".join(query)


@FEW
@given(mutated())
def test_a_broken_link_still_opens(query):
    is_valid(decode_link(dict(parse_qsl(query, keep_blank_values=True))))


@pytest.mark.slow
@MANY
@given(seeds)
def test_ten_thousand_broken_links_still_open(seed):
    rng = np.random.default_rng(seed)
    query = bytearray(urlencode(encode_link(random_state(seed))).encode())
    for at in rng.integers(0, len(query) + 1, rng.integers(1, 8)):
        query[at : at + rng.integers(4)] = rng.bytes(rng.integers(4)) if rng.integers(3) else query[at : at + 9] * 2
    is_valid(decode_link(dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True))))


NAMES = "x y angle noise sigma prior around seen known model log circle filter orbit hide unknown"


@FEW
@given(some.dictionaries(some.sampled_from(NAMES.split()), some.text()))
def test_any_text_makes_a_valid_state(parameters):
    is_valid(decode_link(parameters))


@pytest.mark.parametrize(
    "bad",
    [{"x": "draw.eJw"}, {"x": "photo." + "A" * 30_000}, {"x": "shape.blob"}, {"x": "digit.99"}, {"angle": "360"},
     {"angle": "١٢"}, {"noise": "nan"}, {"sigma": "inf"}, {"known": "AAAA"}, {"seen": "3"}, {"model": "../x"},
     {"orbit": "2"}, {"circle": "-1"}],
)  # fmt: skip
def test_what_cannot_be_true_is_ignored(bad):
    assert decode_link(bad) == ViewState()
    assert decode_link({**bad, "log": "1"}).log  # and nothing else with it


def test_a_bomb_in_a_link_is_not_unpacked():
    bomb = base64.urlsafe_b64encode(zlib.compress(bytes(10**7), 9)).decode().rstrip("=")
    assert decode_link({"x": f"draw.{bomb}"}) == ViewState()


def test_a_prior_too_sharp_to_be_drawn_is_ignored():
    """It would take gigabytes; what observing again a thousand times gives does not."""
    wanted = ViewState(observations=1, prior=(1e5 + 0j,) * 16)
    assert decode_link(encode_link(wanted)) == ViewState()
    wanted = ViewState(observations=1000, prior=(1e4 + 0j,) * 8)
    assert decode_link(encode_link(wanted)) == wanted


def test_drawings_are_short():
    """A digit-like drawing of a few strokes with the pad's own brush: well under 600 characters."""
    rng = np.random.default_rng(1)
    for strokes in (1, 2, 3, 4):
        paper = Image.new("L", (1024, 1024))
        pen = ImageDraw.Draw(paper)
        for _ in range(strokes):
            points = np.clip(np.cumsum(rng.normal(size=(15, 2)) * 70, axis=0) + rng.uniform(300, 700, 2), 0, 1023)
            pen.line([tuple(p) for p in points], fill=255, width=104, joint="curve")
        drawn = np.asarray(paper.resize((DRAWING_PIXELS, DRAWING_PIXELS), Image.Resampling.LANCZOS)) / 255
        assert len("http://127.0.0.1:8501/?" + urlencode(encode_link(ViewState(x=Pixels.of(drawn), angle=123)))) <= 600
