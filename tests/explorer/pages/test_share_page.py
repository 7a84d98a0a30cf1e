"""The page Share without a browser."""

from dataclasses import replace

import numpy as np

from explorer.state import DRAWING_PIXELS, Pixels, ViewState, decode_link
from tests.shared.apps import opened


def link(app):
    return app.code[0].value


def hidden(app):
    return decode_link(dict(part.split("=") for part in link(app).partition("?")[2].split("&"))).hide


def test_choices_are_in_the_link_at_once():
    app = opened("share")
    assert not app.exception
    assert link(app) == "http://localhost/?angle=30"
    app.checkbox(key="without waves").check().run()
    assert hidden(app) == {"waves"}
    assert "hide=waves" in app.code[1].value
    app.radio(key="form 3").set_value("embedded").run()
    assert link(app).endswith("embed=true")
    assert not [box for box in app.checkbox if box.key == "without model"]
    app.selectbox(key="start").set_value("noise").run()
    assert "noise=1.0" in link(app)
    app.selectbox(key="to").set_value("film").run()
    assert link(app) == "http://localhost/film?embed=true" or link(app) == "http://localhost/film"
    assert not app.checkbox
    assert not app.exception


def test_the_view_itself_does_not_change():
    app = opened("share")
    app.checkbox(key="without try").check().run()
    assert app.session_state["view"].view == ViewState()


def test_a_link_that_is_too_long_has_no_code():
    app = opened("share")
    codes = [one for one in app.get("html") if "<svg" in one.proto.body]
    assert len(codes) == 1
    noise = np.random.default_rng(0).integers(0, 8, (DRAWING_PIXELS, DRAWING_PIXELS)) / 7
    stored = app.session_state["view"]
    app.session_state["view"] = replace(stored, view=ViewState(Pixels.of(noise)))
    app.run()
    assert len(link(app)) > 1000
    assert not [one for one in app.get("html") if "<svg" in one.proto.body]
    assert any("too many for a QR code" in one.value for one in app.caption)
