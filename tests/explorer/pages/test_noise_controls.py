"""The lab says when σ does not fit the pair and offers the one that does; a switch for noise in both pictures."""

import numpy as np
import pytest

from explorer.pages.controls.noise import fitting_sigma
from explorer.state import ViewState, decode_link, encode_link
from tests.shared.apps import opened
from tsa import load
from tsa.pictures import draw
from tsa.stage import Scene


def pair(sigma, noise, **more):
    return Scene(load("rotation-16-refined").with_noise(sigma), draw("F"), angle=40, pixel_noise=noise, **more)


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_the_offered_noise_is_that_of_the_pair(both, noise):
    for sigma in (0.05, 0.5, 1.0):
        assert fitting_sigma(pair(sigma, noise, both=both)) == pytest.approx(noise, abs=0.051)
    assert fitting_sigma(pair(noise, noise, both=both)) is None


def test_nothing_is_offered_for_pictures_that_no_turn_explains():
    assert fitting_sigma(pair(0.2, 0.0, y=draw("S"))) is None
    assert fitting_sigma(pair(0.5, 0.0)) == 0.05  # exact copies: the least on the slider


def test_a_press_sets_what_is_offered_and_the_switch_moves_the_noise():
    app = opened("lab")
    app.slider(key="pixel_noise").set_value(0.3).run()
    app.button(key="fitting_sigma").click().run()
    assert app.session_state["view"].view.sigma == pytest.approx(0.3, abs=0.051)
    assert app.slider(key="sigma").value == app.session_state["view"].view.sigma
    assert not [button for button in app.button if button.key == "fitting_sigma"]
    (switch,) = [one for one in app.get("button_group") if one.key == "noise_in"]
    switch.set_value("x and y").run()
    assert not app.exception
    assert app.session_state["view"].view.both
    assert app.slider(key="pixel_noise").label == "Pixel noise on x and y"


def test_a_link_holds_the_switch_and_small_noise():
    view = ViewState(both=True, sigma=0.05)
    assert encode_link(view) == {"sigma": "0.05", "both": "1"}
    assert decode_link(encode_link(view)) == view
    assert not decode_link({"both": "yes"}).both
    assert np.isclose(decode_link({"sigma": "0.01"}).sigma, 0.5)  # below the slider: ignored


@pytest.mark.slow
def test_coverage_is_measured_on_request():
    app = opened("model")
    before = len(app.table)
    app.toggle(key="measure_coverage").set_value(True).run(timeout=300)
    assert not app.exception
    assert len(app.table) == before + 1
    assert any("handwritten digits, turned by Pillow" in caption.value for caption in app.caption)
