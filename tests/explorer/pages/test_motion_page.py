"""The motion page without a browser: what it sends, what it takes in, what it says when something is wrong."""

import json
import math

import numpy as np
import pytest

from explorer.live import line as live
from explorer.state import PRESETS, ViewState, decode_link, encode_link, read_motion, read_view
from tests.shared.apps import opened, unframe, unpack, upload
from tsa.files import pack_model
from tsa.model import Subgroup, fourier_model
from tsa.pictures import draw_periodic
from tsa.stage import MotionScene


def body(app):
    """What the component was sent: header of the message, header and arrays of the packed scene."""
    sent = next(one for one in app.get("bidi_component") if one.proto.component_name.endswith("motion"))
    header, packed = unframe(sent.proto.bytes)
    return header, unpack(packed) if packed else None


def said(fields, app, sequence=1):
    return {"session": app.session_state["view"].session, "obeyed": 99, "sequence": sequence, **fields}


FIELDS = {
    "world": "bar",
    "shift": [1.0, 2.0],
    "window": 20.0,
    "window_at": [0.0, 0.0],
    "tried_shift": None,
    "on_torus": False,
}


@pytest.fixture
def app():
    return opened("motion")


def test_the_page_opens_with_the_aperture_problem(app):
    assert not app.exception
    header, (packed, arrays) = body(app)
    assert packed["words"]["headline"] == "Every shift on one line fits: the aperture problem."
    assert header["fields"]["shift"] == [6.4, 2.6]
    assert arrays["map"].size == 192**2


def test_a_drag_that_ends_changes_the_view_and_the_link(app):
    app.session_state["motion"] = {"message": said(FIELDS, app)}
    app.run()
    view = app.session_state["view"].view
    assert (view.shift, view.window) == ((1.0, 2.0), 20.0)
    assert app.query_params["shift"] == "1,2"


def test_while_a_hand_moves_the_live_line_answers(app):
    ticket = app.session_state["visitor"]
    message = said(FIELDS | {"world": "dot"}, app) | {"done": False}
    answer = live.reply(ticket, json.dumps({"patch": "motion", "message": message}))
    packed, arrays = unpack(answer[16:])
    assert packed["motion"] == [1.0, 2.0]
    assert packed["words"]["kind"] == "point"
    assert "otherMaps" not in arrays
    assert live.reply(ticket, json.dumps({"patch": "motion", "message": message | {"shift": ["a", 1]}})) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"shift": [1.0]}, {"shift": [math.nan, 0.0]}, {"shift": [1e9, 0.0]}, {"shift": "1,2"}, {"window": -1},
        {"window": math.nan}, {"world": "moon"}, {"tried_shift": [True, 1]}, {"window_at": None}, {"on_torus": 1},
    ],
)  # fmt: skip
def test_messages_that_make_no_sense_are_not_read(wrong):
    good = {"session": "", "obeyed": 1, "sequence": 1, "done": False, **FIELDS}
    assert read_motion(good) is not None
    assert read_view("motion", good) is not None
    assert read_motion(good | wrong) is None
    assert read_view("motion", good | wrong) is None


def test_the_sliders_change_what_is_sent(app):
    before = body(app)[0]["digest"]
    app.slider(key="shift_sigma").set_value(2.0).run()
    assert body(app)[0]["digest"] != before
    app.button[0].click().run()
    assert app.session_state["view"].view.looks == 2
    app.button[1].click().run()
    assert app.session_state["view"].view.looks == 1


def test_the_answer_at_each_window_size_stands_under_its_slider(app):
    header, (packed, _) = body(app)
    assert header["sized"]
    assert [label for _, label in packed["steps"]] == ["nothing", "line", "point"]


def test_a_link_can_hide_the_slider_of_the_window(app):
    app.query_params["hide"] = "window"
    app.run()
    assert not body(app)[0]["sized"]


def test_the_answer_goes_over_the_live_line_before_the_page(app, monkeypatch):
    pushed = []
    monkeypatch.setattr("explorer.live.push", lambda ticket, revision, make: pushed.append((revision, make())))
    app.slider(key="shift_sigma").set_value(2.0).run()
    (revision, early), (header, (packed, _)) = pushed[-1], body(app)
    assert len(pushed) == 1
    assert revision == header["revision"]
    assert unpack(early)[0]["words"] == packed["words"]
    app.run()
    assert len(pushed) == 1  # nothing new


def test_another_model_scales_the_world(app):
    app.selectbox(key="shift_model").set_value("shift-16x16").run()
    assert not app.exception
    view = app.session_state["view"].view
    assert (view.window, view.shift) == (8.0, (2.1, 0.9))
    assert body(app)[1][0]["side"] == 16
    app.selectbox(key="shift_model").set_value("fourier-64").run()
    assert body(app)[1][0]["side"] == 64


@pytest.mark.parametrize("side", [8, 37, 64])
def test_a_link_may_ask_for_a_world_of_any_size(app, side):
    app.query_params["moves"] = f"fourier-{side}"
    app.query_params["window"] = "8"
    app.run()
    assert not app.exception
    assert not app.warning
    assert body(app)[1][0]["side"] == side
    assert f"Fourier {side} × {side}, exact" in app.selectbox(key="shift_model").options


def test_a_picture_without_contrast_leaves_what_was_shown(app):
    digest = body(app)[0]["digest"]
    app.pills(key="gallery_world").set_value("own").run()
    assert body(app)[0]["digest"] != digest  # the square of the lab
    shown = body(app)[0]["digest"]
    app.segmented_control(key="source_x").set_value("Draw").run()
    assert [one.value for one in app.warning] == [
        "This picture is the same everywhere, so nobody could see it move. Choose another one."
    ]
    assert body(app)[0]["digest"] == shown
    assert not app.exception


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ({"moves": "rotation-16"}, "Motion needs a model of two parameters"),
        ({"moves": "fourier-16", "window": "40"}, "The window is larger than the world"),
    ],
)
def test_what_is_shown_otherwise_is_said_in_one_sentence(app, link, sentence):
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert [one.value.startswith(sentence) for one in app.warning] == [True]


def test_a_window_with_nothing_in_it_says_so(app):
    app.query_params["window"] = "0.5"
    app.run()
    assert not app.exception
    assert not app.warning
    assert body(app)[1][0]["words"]["headline"] == "Nothing in the window says how far it moved."


def test_numbers_in_a_link_that_are_none_leave_what_was_shown(app):
    digest = body(app)[0]["digest"]
    for value in ("nan", "-1e400", "nan,nan", ""):
        for name in ("shift", "window", "at", "tryshift", "expected", "pixelnoise", "slow"):
            app.query_params[name] = value
        app.run()
        assert not app.exception
        assert body(app)[0]["digest"] == digest


@pytest.mark.parametrize("shape", [(9, 9), (8, 12), (4, 16)])
def test_own_models_of_odd_and_unequal_sides(app, shape):
    """Odd sides are worlds like any other; unequal ones cannot be chosen, and the page stays as it was."""
    model = fourier_model(shape)
    digest = body(app)[0]["digest"]
    models = opened("model")
    upload(models, "own.npz", pack_model(Subgroup(model.filters, model.weights), shape))
    assert not models.exception
    app.session_state["models"] = models.session_state["models"]
    app.run()
    assert not app.exception
    names = app.selectbox(key="shift_model").options
    assert any("own" in name for name in names) == (shape == (9, 9))
    if shape == (9, 9):
        app.selectbox(key="shift_model").set_value(next(name for name in names if "own" in name)).run()
        assert not app.exception
        assert body(app)[1][0]["side"] == 9
    else:
        assert body(app)[0]["digest"] == digest


@pytest.mark.parametrize("preset", PRESETS, ids=lambda one: one.name)
def test_presets_say_what_the_posterior_says(preset):
    fields = preset.fields
    scene = MotionScene(
        fourier_model((48, 48)), draw_periodic(fields["world"]), fields["shift"], fields["window"], fields["window_at"],
        fields["shift_noise"], fields["shift_sigma"], fields["slow"],
    )  # fmt: skip
    right, up = scene.answer.mean
    expected = {
        "Thin rhombus, clear": (-10, 0), "Thin rhombus, faint": (-45, -30), "Fat rhombus, faint": (-2, 2),
        "Fat rhombus, clear": (-1, 1),
        "Plaid, clear": (-33, -25), "Plaid, faint": (3, 9), "Barber pole": (85, 95), "Stripes alone": (-28, -25),
    }[preset.name]  # fmt: skip
    assert expected[0] < np.degrees(np.arctan2(up, right)) < expected[1]


def test_a_preset_is_named_when_a_link_leads_to_it(app):
    app.selectbox(key="preset").set_value("Fat rhombus, faint").run()
    assert app.session_state["view"].view.world == "fat rhombus"
    assert any("very different directions" in one.value for one in app.caption)


def test_links_keep_everything():
    view = ViewState(
        world="dot", shift=(-3.1, 0.0), window=30.5, window_at=(1.0, -2.0), tried_shift=(0.5, 0.5), shift_noise=0.05,
        shift_sigma=1.4, slow=2.5, looks=3, shift_model="shift-16x16", on_torus=True,
    )  # fmt: skip
    assert decode_link(encode_link(view)) == view
    broken = {
        "world": "moon",
        "shift": "1",
        "window": "-3",
        "at": "a,b",
        "slow": "nan",
        "looks": "0",
        "moves": "fourier-65",
    }
    assert decode_link(broken) == ViewState()


def test_controls_can_be_hidden():
    hidden = opened("motion")
    stored = hidden.session_state["view"]
    hidden.query_params["hide"] = "x,noise,sigma,prior,model,observe,save,window"
    hidden.run()
    assert hidden.session_state["view"].view.hide != stored.view.hide
    assert not hidden.slider
    assert body(hidden)[0]["digest"]
