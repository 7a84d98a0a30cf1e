"""The app, without a browser."""

import base64
import json
import socket
import struct
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer.__main__ import free_port, main
from explorer.components.pad import SIDE, decode
from explorer.components.stage import pack
from tsa import Subgroup, load
from tsa.polar import to_polar
from tsa.shapes import draw
from tsa.sweep import sweep


@pytest.fixture
def app():
    return AppTest.from_file(Path(explorer.__file__).with_name("app.py"), default_timeout=30).run()


def message(picture, number=1, done=True):
    return {"number": number, "done": done, "pixels": base64.b64encode(picture.tobytes()).decode()}


def test_the_lab_opens_on_a_square(app):
    assert not app.exception
    assert app.slider(key="sigma").value == 0.5


def test_every_shape_and_slider_works(app):
    app.slider(key="pixel_noise").set_value(0.3)
    app.slider(key="sigma").set_value(1.0).run()
    assert not app.exception


def test_drawing_survives_malformed_messages(app):
    app.session_state["source"] = "Draw"
    app.run()
    assert not app.exception
    good = np.zeros((SIDE, SIDE), np.uint8)
    good[20:44, 28:36] = 255
    for sent in (message(good), {"number": 2, "done": True, "pixels": "@@"}, {"pixels": 3}, [1, 2], None, "x" * 10_000):
        app.session_state["pad"] = {"drawing": sent}
        app.run()
        assert not app.exception
        np.testing.assert_array_equal(app.session_state["last_drawing"][0], good / 255)


@pytest.mark.parametrize(
    "bad",
    [None, 7, [], {}, {"number": 1, "done": True, "pixels": "A" * 9000}, {"number": "1", "done": True, "pixels": ""},
     {"number": 1, "done": 1, "pixels": ""}, {"number": 1, "done": True, "pixels": "AAAA"}],
)  # fmt: skip
def test_what_the_pad_did_not_send_is_ignored(bad):
    assert decode(bad) is None


def test_what_the_pad_sends_is_read():
    picture = np.arange(SIDE * SIDE, dtype=np.uint8).reshape(SIDE, SIDE)
    found, number, done = decode(message(picture, 5, False))
    np.testing.assert_array_equal(np.rint(found * 255), picture)
    assert (number, done) == (5, False)


def unpack(blob):
    (length,) = struct.unpack("<I", blob[:4])
    header = json.loads(blob[4 : 4 + length])
    at, arrays = 4 + length, {}
    for name, dtype, size in header["arrays"]:
        assert at % 8 == 0
        arrays[name] = np.frombuffer(blob, dtype, size, at)
        at += -(-arrays[name].nbytes // 8) * 8
    assert at == len(blob)
    return header, arrays


def test_the_packed_picture_is_the_sweep_to_its_quantum():
    learned = load("rotation-16-refined")
    model = Subgroup(learned.filters, learned.weights, 0.5)
    picture = draw("pentagon")
    result = sweep(model, to_polar(picture), 16)
    header, arrays = unpack(pack(result, model, picture, 16))
    assert header["turns"] == 360
    quantum = header["logRange"] / 65535
    log_density = (arrays["density"].reshape(360, 360) / 65535 - 1) * header["logRange"] + np.log(arrays["peak"])[
        :, None
    ]
    shown = result.density > np.exp(1 - header["logRange"]) * result.density.max(axis=1, keepdims=True)
    np.testing.assert_allclose(log_density[shown], np.log(result.density[shown]), atol=quantum)
    np.testing.assert_allclose(np.abs(arrays["picture"].reshape(128, 128) / 255 - picture), 0, atol=0.5 / 255 + 1e-9)
    np.testing.assert_allclose(arrays["entropy"], result.entropy, rtol=1e-6)
    assert sorted(np.abs(header["weights"])) == header["weights"]
    assert np.isfinite(arrays["modes"]).all()
    one, row = unpack(pack(result, model, picture, 16, only=17))
    assert one["turns"] == 1
    np.testing.assert_array_equal(row["density"], arrays["density"].reshape(360, 360)[17])
    np.testing.assert_array_equal(row["z"][110:], arrays["z"].reshape(361, -1)[18])


def test_a_busy_port_is_passed_over():
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        assert free_port("127.0.0.1", port) != port


def test_no_free_port_is_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr("explorer.__main__.free_port", lambda host, first: None)
    assert main(["--no-browser"]) == 2
    assert "try --port" in capsys.readouterr().err
