"""The recognise page without a browser: every source, blank pictures, and that what is packed is what was voted."""

import numpy as np
import pytest

from explorer.components.recognise import pack_votes
from explorer.session import caches
from explorer.state import DRAWING_PIXELS, Digit, Shape
from tests.shared.apps import choose_model, message, opened, unframe, unpack
from tsa.pictures import datasets, to_disc
from tsa.recognition import DISTANCES, DigitSearch
from tsa.stage.words.digits import sentences

MD = DISTANCES.index("MD")


def shown(app):
    """The votes that the component was given; None if it is not on the page."""
    mounted = [
        element.proto for element in app.get("bidi_component") if element.proto.component_name == "tsa_recognise"
    ]
    return unpack(unframe(mounted[0].bytes)[1]) if mounted else None


def labelled(header):
    return header["words"]["legend"] == f"{header['digit']}, the right answer"


@pytest.fixture
def page():
    return opened("recognise")


@pytest.fixture(scope="module")
def digit_search():
    digits = datasets.sample("train")[:60]
    return DigitSearch(caches.shared_model(caches.default_model()).model, datasets.upright(digits), 16)


def test_packed_votes_are_the_votes(digit_search):
    images = datasets.sample("train").images
    picture = caches.digits()[0][9]
    votes = digit_search.search(to_disc(picture))
    header, arrays = unpack(pack_votes(votes, digit_search, images, picture, 3))
    shape = (len(header["names"]), header["steps"], header["k"])
    assert shape == (5, 72, 7)
    neighbours = arrays["neighbours"].reshape(shape)
    np.testing.assert_array_equal(arrays["labels"][neighbours], digit_search.train.labels[votes.neighbours])
    pictures = arrays["images"].reshape(-1, 28, 28)
    np.testing.assert_array_equal(pictures[neighbours[MD, 5, 2]], images[votes.neighbours[MD, 5, 2]])
    difference = np.exp(1j * np.radians(arrays["turns"])).reshape(shape) - np.exp(1j * votes.turns)
    assert np.abs(difference).max() < 1e-5
    np.testing.assert_array_equal(arrays["winners"].reshape(shape[:2]), votes.winners)
    assert (labelled(header), header["digit"]) == (True, 3)
    assert header["words"]["shares"][MD] == f"{int(100 * np.mean(votes.winners[MD] == 3))} % right"
    said = [header["words"]["sentences"][place] for place in arrays["sentence"]]
    assert said == sentences(votes)


def test_without_a_label_manifold_distance_names_it(digit_search):
    picture = caches.digits()[0][0]
    votes = digit_search.search(to_disc(picture))
    header, _ = unpack(pack_votes(votes, digit_search, datasets.sample("train").images, picture, None))
    assert not labelled(header)
    assert header["digit"] == np.bincount(votes.winners[MD]).argmax()
    assert header["words"]["shares"][MD] == f"{int(100 * votes.accuracy(header['digit'])[MD])} % agree"


def test_the_page_from_every_source(page):
    assert not page.exception
    header, arrays = shown(page)  # a digit in the place of the shape that the lab starts with, which stays there
    assert labelled(header)
    assert header["digit"] == 3
    assert page.session_state["view"].view.x == Shape("square")
    assert page.segmented_control(key="source_x").value == "Digits"
    page.pills(key="gallery_digit_x").set_value(0).run()
    header, arrays = shown(page)
    assert header["digit"] == caches.digits()[1][0]
    assert page.session_state["view"].view.x == Digit(0)
    assert len(arrays["winners"]) == len(DISTANCES) * 72
    page.segmented_control(key="source_x").set_value("Draw").run()
    assert not page.exception
    assert shown(page) is None
    assert page.info[0].value == "There is nothing to recognise yet. Draw a digit, turned by any angle."
    page.segmented_control(key="source_x").set_value("Upload").run()
    assert not page.exception
    assert labelled(shown(page)[0])  # a digit, until something is uploaded


def test_drawings_are_framed_and_answered_at_one_turn_while_the_pen_is_down(page):
    page.segmented_control(key="source_x").set_value("Draw").run()
    drawing = np.zeros((DRAWING_PIXELS, DRAWING_PIXELS), np.uint8)
    drawing[3:18, 8:10] = 255  # a small one, in a corner
    for number, done in ((1, False), (2, True)):
        page.session_state["pad_x"] = {"message": message(drawing, number, done, page)}
        page.run()
        assert not page.exception
        header, arrays = shown(page)
        assert (header["steps"], header["only"]) == ((72, None) if done else (1, 30))
        seen = arrays["picture"].reshape(DRAWING_PIXELS, DRAWING_PIXELS) / 255
        rows = np.flatnonzero(seen.max(axis=1) > 0.5)
        assert 30 < np.ptp(rows) < 45  # as long as the ink of a digit, in the middle
        assert abs(rows.mean() - (DRAWING_PIXELS - 1) / 2) < 2
    assert header["digit"] == 1
    page.session_state["pad_x"] = {
        "message": message(np.zeros((DRAWING_PIXELS, DRAWING_PIXELS), np.uint8), 3, True, page)
    }
    page.run()
    assert shown(page) is None
    assert len(page.info) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rotation-16", "rotation-28"])
def test_other_models_of_rotation(page, name):
    choose_model(page, name)
    page.run()
    assert not page.exception
    assert shown(page)[0]["steps"] == 72
