"""The app, without a browser."""

import io
import os
import socket
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile, UploadedFileRec
from streamlit.testing.v1 import AppTest

from explorer.__main__ import free_port, main
from explorer.app import SCRIPT
from explorer.session import caches, pictures, view
from explorer.state import DRAWING_PIXELS, Pixels, ViewState, read_circle, read_drawing, scene, scene_digest
from tests.shared.apps import message, unframe, unpack
from tests.shared.pictures import jpeg
from tsa import Subgroup, load, save
from tsa.pictures import SHAPES, CropCircle, crop, draw, to_disc
from tsa.stage import Scene, as_bytes, pack_sweep, sweep
from tsa.stage.words import numbers


@pytest.fixture
def app():
    return AppTest.from_file(SCRIPT, default_timeout=30).run()


def choose_source(app, kind, patch="x"):
    app.segmented_control(key=f"source_{patch}").set_value(kind).run()
    assert not app.exception


def test_addresses_of_pages_are_answered_by_our_script():
    """Streamlit would run the files of a folder `pages` beside its script instead."""
    assert SCRIPT.exists()
    assert not SCRIPT.with_name("pages").exists()


def on_stage(app):
    """The bytes that the stage is sent."""
    (stage,) = (one.proto for one in app.get("bidi_component") if one.proto.component_name == "tsa_stage")
    return stage.bytes


def test_the_lab_opens_on_a_square(app):
    assert not app.exception
    assert app.slider(key="sigma").value == 0.5
    assert as_bytes(draw("square")).tobytes() in on_stage(app)
    assert as_bytes(draw("triangle")).tobytes() not in on_stage(app)


@pytest.mark.parametrize(("slider", "value"), [("pixel_noise", 0.3), ("sigma", 1.0)])
def test_a_noise_slider_changes_what_the_stage_shows(app, slider, value):
    before = on_stage(app)
    app.slider(key=slider).set_value(value).run()
    assert not app.exception
    assert app.slider(key=slider).value == value
    assert on_stage(app)[100:] != before[100:]  # more than its number


def test_drawing_survives_malformed_messages(app):
    choose_source(app, "Draw")
    good = np.zeros((DRAWING_PIXELS, DRAWING_PIXELS), np.uint8)
    good[15:33, 21:27] = 255
    right = message(good, app=app)
    wrong = ({**right, "sequence": 2, "pixels": "@@"}, {"pixels": 3}, [1, 2], None, "x" * 10_000)
    for sent in (right, *wrong):
        app.session_state["pad_x"] = {"message": sent}
        app.run()
        assert not app.exception
        np.testing.assert_array_equal(app.session_state["pictures"]["x"].drawing.pixels.picture, good / 255)
        np.testing.assert_array_equal(app.session_state["view"].view.x.picture, good / 255)


@pytest.mark.parametrize(
    "bad",
    [None, 7, [], {}, {"pixels": "A" * 9000}, {"sequence": "1"}, {"sequence": -1}, {"sequence": 10**30},
     {"obeyed": None}, {"obeyed": True}, {"session": 7}, {"session": "s" * 10**6}, {"done": 1}, {"pixels": "AAAA"}],
)  # fmt: skip
def test_what_the_pad_did_not_send_is_ignored(bad):
    whole = message(np.zeros((DRAWING_PIXELS, DRAWING_PIXELS), np.uint8))
    assert read_drawing(whole) is not None
    assert read_drawing({**whole, **bad} if isinstance(bad, dict) and bad else bad) is None


def test_what_the_pad_sends_is_read():
    picture = np.arange(DRAWING_PIXELS * DRAWING_PIXELS, dtype=np.uint8).reshape(DRAWING_PIXELS, DRAWING_PIXELS)
    found, edit = read_drawing(message(picture, 5, False))
    np.testing.assert_allclose(found * 255, picture, atol=255 / 14 + 1e-9)  # to the nearest of eight greys
    assert (edit.sequence, edit.done) == (5, False)


CIRCLE = {"session": "s", "obeyed": 1, "sequence": 3, "done": False, "name": "a", "circle": [0.1, 0.2, 0.3]}


@pytest.mark.parametrize(
    "bad",
    [None, {}, {"circle": None}, {"circle": [0.5, 0.5]}, {"circle": [0.5, float("nan"), 1]}, {"sequence": True},
     {"circle": [0.5, 2, 1]}, {"sequence": 10**30}, {"circle": []}, {"name": 3}, {"name": "a" * 200}],
)  # fmt: skip
def test_what_the_crop_circle_did_not_send_is_ignored(bad):
    assert read_circle(CIRCLE) is not None
    assert read_circle({**CIRCLE, **bad} if bad else bad) is None


def test_a_circle_is_cut_where_it_lies():
    picture = np.zeros((100, 200))
    picture[:, 150:] = 1.0
    assert crop(picture, CropCircle(0.9, 0.5, 0.4)).min() > 0.99  # 40 pixels around column 180: all white
    assert crop(picture, CropCircle(0.25, 0.5, 1.0)).max() < 0.01
    assert crop(picture, CropCircle(7.0, -3.0, 99.0)).shape == (128, 128)  # moved inside
    assert read_circle(CIRCLE) == (CropCircle(0.1, 0.2, 0.3), "a", ("s", 1, 3, False))


def test_the_packed_picture_is_the_sweep_to_its_quantum():
    learned = load("rotation-16-refined")
    model = Subgroup(learned.filters, learned.weights, 0.5)
    picture = draw("pentagon")
    result = sweep(model, to_disc(picture), 16)
    header, arrays = unpack(pack_sweep(result, model, picture, 16))
    assert header["only"] is None
    span = header["look"]["logRange"]
    quantum = span / 65535
    peak = result.density.max(axis=1, keepdims=True)
    log_density = (arrays["density"].reshape(360, 360) / 65535 - 1) * span + np.log(peak)
    shown = result.density > np.exp(1 - span) * peak
    np.testing.assert_allclose(log_density[shown], np.log(result.density[shown]), atol=quantum)
    np.testing.assert_allclose(np.abs(arrays["picture"].reshape(128, 128) / 255 - picture), 0, atol=0.5 / 255 + 1e-9)
    assert [row[0] for row in header["words"]["values"]] == [numbers(result, row)["Uncertainty"] for row in range(360)]
    assert sorted(np.abs(header["weights"])) == header["weights"]
    assert np.isfinite(arrays["named"]).all()
    one, row = unpack(pack_sweep(sweep(model, to_disc(picture), 16, only=17), model, picture, 16, only=17))
    assert one["only"] == 17
    np.testing.assert_allclose(row["density"], arrays["density"].reshape(360, 360)[17].astype(float), atol=20)
    np.testing.assert_allclose(row["z"][110:], arrays["z"].reshape(361, -1)[18], atol=1e-4)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_the_app_tells_symmetries_truthfully(shape):
    """What the stage is sent at default settings: n equal modes in their places, or a flat posterior."""
    named, default, x = caches.shared_model(caches.default_model()), ViewState(), caches.shape_picture(shape.name)
    asked = scene(default, caches.model(named, default.sigma), x, None)
    header, arrays = unpack(caches.packed_sweep(scene_digest(default, named.digest, x, None), asked))
    modes = arrays["named"].reshape(360, -1, 2)
    for turn in (17, 5, 33, 61, 100, 213):
        if shape.symmetry_order == 0:
            share = np.exp((arrays["density"].reshape(360, 360)[turn] / 65535 - 1) * header["look"]["logRange"])
            assert np.abs(share / share.mean() - 1).max() < 0.25
            continue
        degrees, percent = modes[turn][modes[turn, :, 1] >= 0].T
        angle, mass = np.radians(degrees), percent / 100
        assert len(angle) == shape.symmetry_order
        true = np.radians(turn) + 2 * np.pi * np.arange(shape.symmetry_order) / shape.symmetry_order
        gap = np.abs(np.angle(np.exp(1j * (angle[:, None] - true))))
        assert np.degrees(gap.min(axis=1)).max() < 2
        assert len(set(gap.argmin(axis=1))) == shape.symmetry_order
        assert np.abs(mass * shape.symmetry_order - 1).max() < 0.2


def test_a_busy_port_is_passed_over():
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        assert free_port("127.0.0.1", port) != port


def test_models_named_at_the_start(tmp_path, capsys, monkeypatch):
    learned = caches.shared_model("rotation-28")
    assert learned.turns
    assert learned.shape == (28, 28)
    w = np.stack([learned.model.filters.real, learned.model.filters.imag], -1).reshape(784, -1)[:, 60:80]
    np.save(tmp_path / "w.npy", w)
    bare = caches.shared_model(str(tmp_path / "w.npy"))
    np.testing.assert_array_equal(np.abs(bare.model.weights), np.abs(learned.model.weights[30:40]))
    monkeypatch.setenv("TSA_EXPLORER_MODEL", "rotation-28")
    assert caches.default_model() == "rotation-28"
    monkeypatch.delenv("TSA_EXPLORER_MODEL")
    assert main(["--no-browser", "--model", "nowhere.npz"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert "TSA_EXPLORER_MODEL" not in os.environ


def test_no_free_port_is_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr("explorer.__main__.free_port", lambda host, first: None)
    assert main(["--no-browser"]) == 2
    assert "try --port" in capsys.readouterr().err


def test_a_bad_upload_keeps_what_was_there(app):
    choose_source(app, "Upload")
    app.file_uploader[0].set_value(("a.png", jpeg(), "image/png")).run()
    before = app.session_state["pictures"]["x"].photo.grey
    assert not app.exception
    app.file_uploader[0].set_value(("b.png", b"just text", "image/png")).run()
    assert not app.exception
    assert app.error[0].value == "This is not a PNG, JPEG, WebP, BMP or GIF picture."
    np.testing.assert_array_equal(app.session_state["pictures"]["x"].photo.grey, before)


def test_digits_a_second_shape_and_repeated_observation(app):
    choose_source(app, "Digits")
    app.segmented_control(key="second").set_value("Another picture").run()
    assert not app.exception
    app.button[0].click().run()
    assert not app.exception
    chosen = app.session_state["view"].view
    assert chosen.observations == 1
    assert len(chosen.prior) > 5
    app.button[1].click().run()
    chosen = app.session_state["view"].view
    assert (chosen.observations, chosen.prior) == (0, ())


@pytest.mark.parametrize("source", ["Shapes", "Draw", "Digits", "Upload"])
def test_every_source_for_both_patches(app, source):
    choose_source(app, source)
    app.segmented_control(key="second").set_value("Another picture").run()
    choose_source(app, source, "y")


def test_every_model_of_the_menu(app):
    for name in app.selectbox(key="lab_model").options:
        app.selectbox(key="lab_model").set_value(name).run()
        assert not app.exception
    assert "rotation-28" in app.selectbox(key="lab_model").options


def test_observing_again_sharpens():
    first = Scene(
        Subgroup(load("rotation-16-refined").filters, load("rotation-16-refined").weights, 2.0), draw("square")
    )
    once, twice = first.again(), first.again().again()
    assert np.abs(twice.prior).max() > 1.5 * np.abs(once.prior).max()
    assert twice.observation == 2


def test_a_model_is_opened_by_no_strangers_path(app, tmp_path):
    save(load("rotation-16"), tmp_path / "secret.npz")
    for name in (str(tmp_path / "secret.npz"), "/etc/hostname", "../x"):
        stored = app.session_state["view"]
        app.session_state["view"] = replace(stored, view=replace(stored.view, model=name))
        app.run()
        assert not app.exception
        assert app.selectbox(key="lab_model").value == caches.default_model()


def test_a_link_with_a_model_that_is_not_here_says_so():
    app = AppTest.from_file(SCRIPT, default_timeout=30)
    app.query_params["model"] = "somebody's own"
    app.query_params["x"] = "shape.hexagon"
    app.run()
    assert not app.exception
    assert not app.toast  # it may be one that the tab had before it was reloaded
    assert app.query_params["model"] == "somebody's own"
    app.session_state["ticket"] = {"before": ""}  # the tab had none
    app.run()
    assert "somebody's own" in app.toast[0].value
    assert "model" not in app.query_params
    app.run()
    assert not app.toast


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["--port", "99999"], "from 1 to 65535"), (["--host", "198.51.100.7"], "cannot listen on 198.51.100.7")],
)
def test_an_impossible_address_is_one_sentence(arguments, says, capsys):
    assert main([*arguments, "--no-browser"]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_a_sweep_is_sent_once_unless_it_got_lost(app):
    def sent():
        (stage,) = (one.proto for one in app.get("bidi_component") if one.proto.component_name == "tsa_stage")
        return stage.bytes

    header, sweep = unframe(sent())
    assert len(sweep) > 100_000
    session = app.session_state["view"].session
    message = {"session": session, "obeyed": 1, "sequence": 1, "angle": 31, "log": False, "circle": None, "tried": None,
               "without": [], "predict": False, "describe": False}  # fmt: skip
    app.session_state["stage"] = {"message": message}  # it is on the page now
    app.run()
    again, body = unframe(sent())
    assert (again["digest"], body) == (header["digest"], b"")
    assert (again["fields"]["angle"], again["obey"]) == (31, header["obey"])  # its own change is no order
    app.session_state["stage"] = {"message": {**message, "sequence": 2, "missing": header["digest"]}}
    app.run()
    again, body = unframe(sent())
    assert (again["digest"], body) == (header["digest"], sweep)
    app.run()
    assert unframe(sent())[1] == b""  # once is enough
    assert not app.exception


def test_an_upload_that_the_server_has_lost_is_none(monkeypatch):
    """After a restart the page still says it has a file, and the server has not."""
    monkeypatch.setattr(pictures.st, "session_state", {"upload_x": DeletedFile("gone")})
    pictures.listen()
    assert pictures.editor("x").upload == ("", "")
    assert pictures.editor("x").photo is None


def test_the_same_file_can_be_chosen_again(monkeypatch):
    session = {}
    monkeypatch.setattr(pictures.st, "session_state", session)
    for number, shade in enumerate((10, 200, 10)):
        buffer = io.BytesIO()
        Image.fromarray(np.full((20, 20), shade, np.uint8)).save(buffer, "PNG")
        record = UploadedFileRec(str(number), "a.png", "image/png", buffer.getvalue())
        session["upload_x"] = UploadedFile(record, FileURLs())
        for _ in range(2):
            pictures.listen()
            assert pictures.editor("x").upload[1] == ""
            assert pictures.editor("x").photo.grey[0, 0] == shade
        view.change("link", x=Pixels(bytes([77]) * 64**2, photo=True))
        pictures.listen()
        assert pictures.editor("x").photo.grey[0, 0] == 77
