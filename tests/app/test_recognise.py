"""The recognise page without a browser: every source, blank pictures, and that what is packed is what was voted."""

import base64

import numpy as np
import pytest

from explorer import compute
from explorer.components import recognise
from explorer.components.pad import SIDE
from tests.app.test_app import unpack
from tests.app.test_pages import opened
from tsa import datasets
from tsa.polar import to_polar
from tsa.votes import DISTANCES, Jury

MD = DISTANCES.index("MD")


def shown(app):
    """What the component was given, without the eight bytes of the dial; None if it is not on the page."""
    mounted = [
        element.proto for element in app.get("bidi_component") if element.proto.component_name == "tsa_recognise"
    ]
    return unpack(mounted[0].bytes[8:]) if mounted else None


@pytest.fixture
def page():
    return opened("recognise")


@pytest.fixture(scope="module")
def jury():
    digits = datasets.sample("train")[:60]
    return Jury(compute.entry(compute.default_model()).model, datasets.upright(digits), 16)


def test_packed_votes_are_the_votes(jury):
    images = datasets.sample("train").images
    picture = compute.digits()[0][9]
    votes = jury.ask(to_polar(picture))
    header, arrays = unpack(recognise.pack(votes, jury, images, picture, 3))
    shape = (len(header["names"]), header["steps"], header["k"])
    assert shape == (5, 72, 7)
    neighbours = arrays["neighbours"].reshape(shape)
    np.testing.assert_array_equal(arrays["labels"][neighbours], jury.train.labels[votes.neighbours])
    pictures = arrays["images"].reshape(-1, 28, 28)
    np.testing.assert_array_equal(pictures[neighbours[MD, 5, 2]], images[votes.neighbours[MD, 5, 2]])
    difference = np.exp(1j * np.radians(arrays["turns"])).reshape(shape) - np.exp(1j * votes.turns)
    assert np.abs(difference).max() < 1e-5
    np.testing.assert_array_equal(arrays["winners"].reshape(shape[:2]), votes.winners)
    assert (header["known"], header["digit"]) == (True, 3)
    assert header["right"][MD] == np.mean(votes.winners[MD] == 3)


def test_without_a_label_manifold_distance_names_it(jury):
    picture = compute.digits()[0][0]
    votes = jury.ask(to_polar(picture))
    header, _ = unpack(recognise.pack(votes, jury, datasets.sample("train").images, picture, None))
    assert not header["known"]
    assert header["digit"] == np.bincount(votes.winners[MD]).argmax()
    assert header["right"][MD] == votes.right(header["digit"])[MD]


def test_the_page_from_every_source(page):
    assert not page.exception
    header, _ = shown(page)  # the shape the lab starts with
    assert not header["known"]
    page.segmented_control(key="source_x").set_value("Digits").run()
    header, arrays = shown(page)
    assert header["known"]
    assert header["digit"] == compute.digits()[1][9]
    assert len(arrays["winners"]) == 5 * 72
    page.segmented_control(key="source_x").set_value("Draw").run()
    assert not page.exception
    assert shown(page) is None
    assert page.info[0].value == "There is nothing to recognise yet: draw a digit, at any angle."
    page.segmented_control(key="source_x").set_value("Upload").run()
    assert not page.exception
    assert shown(page)[0]["side"] == 128  # the letter F, until something is uploaded


def test_drawings_are_framed_and_answered_at_one_turn_while_the_pen_is_down(page):
    page.segmented_control(key="source_x").set_value("Draw").run()
    drawing = np.zeros((SIDE, SIDE), np.uint8)
    drawing[3:18, 8:10] = 255  # a small one, in a corner
    for number, done in ((1, False), (2, True)):
        pixels = base64.b64encode(drawing.tobytes()).decode()
        page.session_state["pad_x"] = {"drawing": {"number": number, "done": done, "pixels": pixels}}
        page.run()
        assert not page.exception
        header, arrays = shown(page)
        assert (header["steps"], header["only"]) == ((72, None) if done else (1, 30))
        seen = arrays["picture"].reshape(SIDE, SIDE) / 255
        rows = np.flatnonzero(seen.max(axis=1) > 0.5)
        assert 30 < np.ptp(rows) < 45  # as long as the ink of a digit, in the middle
        assert abs(rows.mean() - (SIDE - 1) / 2) < 2
    assert header["digit"] == 1
    pixels = base64.b64encode(bytes(SIDE * SIDE)).decode()
    page.session_state["pad_x"] = {"drawing": {"number": 3, "done": True, "pixels": pixels}}
    page.run()
    assert shown(page) is None
    assert len(page.info) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rotation-16", "rotation-28"])
def test_other_models_of_rotation(page, name):
    page.session_state["chosen_model"] = name
    page.run()
    assert not page.exception
    assert shown(page)[0]["steps"] == 72
