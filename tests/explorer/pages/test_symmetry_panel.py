"""The panel "Symmetry of x" and its notch, without a browser."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.pages.controls.save import snippet
from explorer.session import caches
from explorer.state import DRAWING_PIXELS, Shape, ViewState, scene
from tests.shared.apps import message, opened, unframe, unpack
from tsa.pictures import draw, notched
from tsa.stage import as_bytes


def sent(app, component):
    """The header and the body of what a component was sent."""
    (one,) = (one.proto for one in app.get("bidi_component") if one.proto.component_name == f"tsa_{component}")
    return unframe(one.bytes)


def title(app):
    return unpack(sent(app, "symmetry")[1])[0]["words"]["title"]


def with_notch(app, depth):
    app.slider(key="notch").set_value(depth).run()
    assert not app.exception
    return app


@pytest.fixture
def lab():
    app = opened("lab")
    assert not app.exception
    return app


def test_the_lab_says_that_the_square_is_4_fold(lab):
    header, arrays = unpack(sent(lab, "symmetry")[1])
    assert header["words"]["title"] == "4-fold"
    assert header["petals"] == 4
    assert arrays["picture"].tobytes() == as_bytes(draw("square")).tobytes()
    assert arrays["density"].size == 720
    assert arrays["bars"].argmax() == 3


def test_petals_have_the_area_of_their_probability(lab):
    for sigma in (0.2, 1.0, 2.0):
        lab.slider(key="sigma").set_value(sigma).run()
        header, arrays = unpack(sent(lab, "symmetry")[1])
        rim = header["rim"] + header["rimHalfWidth"]
        radius = np.sqrt(rim**2 + 2 * header["petalScale"] * arrays["density"])
        area = np.mean((radius**2 - rim**2) / 2) * 2 * np.pi
        assert area == pytest.approx(header["petalScale"], rel=1e-3)
        assert radius.max() <= 0.98


def test_the_notch_reaches_x_on_the_stage_and_in_the_panel(lab):
    before = sent(lab, "stage")[0]["digest"]
    with_notch(lab, 0.5)
    picture = as_bytes(notched(draw("square"), 0.5)).tobytes()
    assert title(lab) == "Almost 4-fold"
    assert picture in sent(lab, "symmetry")[1]
    assert picture in sent(lab, "stage")[1]  # y is a turned copy of the notched x
    assert sent(lab, "stage")[0]["digest"] != before
    assert title(with_notch(lab, 1.0)) == "No symmetry"
    # The digest of the square is one that the component still has: its bytes are not sent again.
    with_notch(lab, 0.0)
    assert sent(lab, "symmetry")[1] == b""
    assert sent(lab, "stage")[0]["digest"] == before


def test_only_what_it_depends_on_is_sent_again(lab):
    digest = sent(lab, "symmetry")[0]["digest"]
    lab.slider(key="pixel_noise").set_value(0.5).run()
    header, body = sent(lab, "symmetry")
    assert (header["digest"], body) == (digest, b"")
    lab.slider(key="sigma").set_value(1.0).run()
    header, body = sent(lab, "symmetry")
    assert header["digest"] != digest
    assert body != b""


def test_the_notch_is_cut_while_the_pen_moves(monkeypatch):
    """The live line answers with the notched drawing."""
    answers = []
    monkeypatch.setattr("explorer.live.prepare", lambda visitor, revision, answer: answers.append(answer))
    app = opened("lab")
    app.segmented_control(key="source_x").set_value("Draw").run()
    with_notch(app, 0.5)
    drawn = np.zeros((DRAWING_PIXELS, DRAWING_PIXELS), np.uint8)
    drawn[10:38, 10:38] = 255
    header, arrays = unpack(answers[-1]("x", message(drawn, done=False, app=app)))
    assert header["only"] == 30
    assert arrays["picture"].tobytes() == as_bytes(notched(drawn / 255, 0.5)).tobytes()


def test_a_link_has_the_notch_and_can_hide_the_panel():
    def script():
        from explorer.pages import lab
        from explorer.session import run

        run.begin("lab")
        lab.page()

    app = AppTest.from_function(script, default_timeout=60)
    app.query_params["notch"] = "0.4"
    assert app.run().slider(key="notch").value == 0.4
    assert title(app) == "Almost 4-fold"
    app = AppTest.from_function(script, default_timeout=60)
    app.query_params["hide"] = "symmetry"
    assert not app.run().exception
    assert "notch" not in [slider.key for slider in app.slider]
    assert not [one for one in app.get("bidi_component") if one.proto.component_name == "tsa_symmetry"]


def test_the_snippet_of_a_notched_picture_has_its_pixels():
    named = caches.shared_model("rotation-16-refined")
    for depth, by_name in ((0.0, True), (0.5, False)):
        view = ViewState(Shape("square"), notch=depth)
        pair = scene(view, named.model, notched(draw("square"), depth), None)
        assert ("shapes.draw" in snippet(pair, named, view)) == by_name
