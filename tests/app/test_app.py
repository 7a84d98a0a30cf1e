"""The app, without a browser."""

import base64
import io
import json
import os
import socket
import struct
import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile, UploadedFileRec
from streamlit.testing.v1 import AppTest

import explorer
from explorer import compute, hands, store
from explorer.__main__ import free_port, main
from explorer.components.crop import decode as decode_circle
from explorer.components.pad import SIDE, decode
from explorer.compute import Question
from tsa import Subgroup, load, save
from tsa.pictures import Circle, PictureError, cut, open_picture
from tsa.polar import to_polar
from tsa.scene import Scene
from tsa.shapes import SHAPES, draw
from tsa.stage import pack_sweep
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
    app.session_state["source_x"] = "Draw"
    app.run()
    assert not app.exception
    good = np.zeros((SIDE, SIDE), np.uint8)
    good[15:33, 21:27] = 255
    for sent in (message(good), {"number": 2, "done": True, "pixels": "@@"}, {"pixels": 3}, [1, 2], None, "x" * 10_000):
        app.session_state["pad_x"] = {"drawing": sent}
        app.run()
        assert not app.exception
        np.testing.assert_array_equal(app.session_state["drawing_x"][0], good / 255)


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
    np.testing.assert_allclose(found * 255, picture, atol=255 / 14 + 1e-9)  # to the nearest of eight greys
    assert (number, done) == (5, False)


@pytest.mark.parametrize(
    "bad",
    [None, {}, {"number": 1, "done": True}, {"number": 1, "done": True, "name": "a", "circle": [0.5, 0.5]},
     {"number": 1, "done": True, "name": "a", "circle": [0.5, float("nan"), 1]}, {"number": True, "done": True},
     {"number": 1, "done": True, "name": "a", "circle": [0.5, 2, 1]}, {"number": 10**30, "done": True, "circle": []}],
)  # fmt: skip
def test_what_the_crop_circle_did_not_send_is_ignored(bad):
    assert decode_circle(bad) is None


def test_a_circle_is_cut_where_it_lies():
    picture = np.zeros((100, 200))
    picture[:, 150:] = 1.0
    assert cut(picture, Circle(0.9, 0.5, 0.4)).min() > 0.99  # 40 pixels around column 180: all white
    assert cut(picture, Circle(0.25, 0.5, 1.0)).max() < 0.01
    assert cut(picture, Circle(7.0, -3.0, 99.0)).shape == (128, 128)  # moved inside
    message = {"number": 3, "done": False, "name": "a", "circle": [0.1, 0.2, 0.3]}
    assert decode_circle(message) == (Circle(0.1, 0.2, 0.3), "a", 3, False)


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
    header, arrays = unpack(pack_sweep(result, model, picture, 16))
    assert header["only"] is None
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
    one, row = unpack(pack_sweep(sweep(model, to_polar(picture), 16, only=17), model, picture, 16, only=17))
    assert one["only"] == 17
    np.testing.assert_allclose(row["density"], arrays["density"].reshape(360, 360)[17].astype(float), atol=20)
    np.testing.assert_allclose(row["z"][110:], arrays["z"].reshape(361, -1)[18], atol=1e-4)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_the_app_tells_symmetries_truthfully(shape):
    """What the stage is sent at default settings: n equal modes in their places, or a flat posterior."""
    default = Question(compute.entry(compute.default_model()))
    header, arrays = unpack(compute.answer(compute.shape_picture(shape.name), None, default))
    modes = arrays["modes"].reshape(360, -1, 2)
    for turn in (17, 5, 33, 61, 100, 213):
        if shape.fold == 0:
            drop = (arrays["density"].reshape(360, 360)[turn] / 65535 - 1) * header["logRange"]
            density = np.exp(drop) * arrays["peak"][turn] * 2 * np.pi
            assert np.abs(density - 1).max() < 0.25
            continue
        angle, mass = modes[turn][modes[turn, :, 1] >= 0.01].T
        assert len(angle) == shape.fold
        true = np.radians(turn) + 2 * np.pi * np.arange(shape.fold) / shape.fold
        gap = np.abs(np.angle(np.exp(1j * (angle[:, None] - true))))
        assert np.degrees(gap.min(axis=1)).max() < 2
        assert len(set(gap.argmin(axis=1))) == shape.fold
        assert np.abs(mass * shape.fold - 1).max() < 0.2


def test_a_busy_port_is_passed_over():
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        assert free_port("127.0.0.1", port) != port


def test_models_named_at_the_start(tmp_path, capsys, monkeypatch):
    learned = compute.entry("rotation-28")
    assert learned.turns
    assert learned.shape == (28, 28)
    w = np.stack([learned.model.filters.real, learned.model.filters.imag], -1).reshape(784, -1)[:, 60:80]
    np.save(tmp_path / "w.npy", w)
    bare = compute.entry(str(tmp_path / "w.npy"))
    np.testing.assert_array_equal(np.abs(bare.model.weights), np.abs(learned.model.weights[30:40]))
    monkeypatch.setenv("TSA_EXPLORER_MODEL", "rotation-28")
    assert compute.default_model() == "rotation-28"
    monkeypatch.delenv("TSA_EXPLORER_MODEL")
    assert main(["--no-browser", "--model", "nowhere.npz"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert "TSA_EXPLORER_MODEL" not in os.environ


def test_no_free_port_is_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr("explorer.__main__.free_port", lambda host, first: None)
    assert main(["--no-browser"]) == 2
    assert "try --port" in capsys.readouterr().err


def jpeg(mode="RGB", size=(60, 40), **options):
    buffer = io.BytesIO()
    pixels = np.random.default_rng(0).integers(0, 255, (size[1], size[0], 3), np.uint8)
    Image.fromarray(pixels).convert(mode).save(buffer, **{"format": "PNG", **options})
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("png", jpeg()),
        ("grey", jpeg("L")),
        ("alpha", jpeg("RGBA")),
        ("palette", jpeg("P")),
        ("jpeg", jpeg(format="JPEG")),
        ("cmyk", jpeg("CMYK", format="JPEG")),
        ("webp", jpeg(format="WEBP")),
        ("bmp", jpeg(format="BMP")),
        ("animation", jpeg("P", format="GIF", save_all=True, append_images=[Image.new("P", (60, 40))])),
    ],
)
def test_pictures_of_all_kinds(name, data):
    picture = open_picture(data)
    assert picture.shape == (40, 60)
    assert 0 <= picture.min() < picture.max() <= 1
    square = cut(picture, Circle(0.5, 0.5, 0.5))
    assert square.shape == (128, 128)


def test_sixteen_bits_and_exif():
    buffer = io.BytesIO()
    Image.fromarray(np.arange(600, dtype=np.uint16).reshape(20, 30) * 100).save(buffer, format="PNG")
    assert np.ptp(open_picture(buffer.getvalue())) == pytest.approx(1.0)
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by 90°
    buffer = io.BytesIO()
    Image.new("RGB", (30, 20)).save(buffer, format="JPEG", exif=exif)
    assert open_picture(buffer.getvalue()).shape == (30, 20)


def bomb():
    """A PNG header that promises 30,000 × 30,000 pixels."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1000)))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"just text", "not a PNG"),
        (jpeg(format="JPEG")[:200], "damaged"),
        (jpeg()[:100], "damaged"),
        (bomb(), "megapixels"),
        (jpeg(size=(1, 1)), "only 1"),
        (bytes(21 * 2**20), "MB"),
        (jpeg(format="TIFF"), "not a PNG"),
    ],
    ids=["empty", "text", "half a jpeg", "half a png", "bomb", "one pixel", "many bytes", "tiff"],
)
def test_bad_pictures_are_one_sentence(data, message):
    with pytest.raises(PictureError, match=message) as caught:
        open_picture(data)
    assert "\n" not in str(caught.value)


def test_a_bad_upload_keeps_what_was_there(app):
    app.session_state["source_x"] = "Upload"
    app.run()
    app.file_uploader[0].set_value(("a.png", jpeg(), "image/png")).run()
    before = app.session_state["photo_x"][0]
    assert not app.exception
    app.file_uploader[0].set_value(("b.png", b"just text", "image/png")).run()
    assert not app.exception
    assert app.error[0].value == "This is not a PNG, JPEG, WebP, BMP or GIF picture."
    np.testing.assert_array_equal(app.session_state["photo_x"][0], before)


def test_digits_a_second_shape_and_repeated_observation(app):
    app.session_state["source_x"] = "Digits"
    app.session_state["second"] = "Another picture"
    app.run()
    assert not app.exception
    app.button[0].click().run()
    assert not app.exception
    times, prior = app.session_state["observations"]
    assert times == 1
    assert len(prior) > 5
    app.button[1].click().run()
    assert "observations" not in app.session_state


@pytest.mark.parametrize("source", ["Shapes", "Draw", "Digits", "Upload"])
def test_every_source_for_both_patches(app, source):
    app.session_state["source_x"] = source
    app.session_state["second"] = "Another picture"
    app.session_state["source_y"] = source
    app.run()
    assert not app.exception


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


def test_pictures_are_opened_side_by_side_without_a_trace():
    """Warnings are a matter of the whole process; two visitors must not change them for everybody."""
    data = io.BytesIO()
    Image.new("L", (300, 200)).save(data, "PNG")
    before = list(warnings.filters)
    with ThreadPoolExecutor(4) as visitors:
        list(visitors.map(lambda _: open_picture(data.getvalue()), range(200)))
    assert warnings.filters == before


@pytest.mark.parametrize("size", [(2, 30_000), (30_000, 2), (1, 1)])
def test_a_hair_is_no_picture(size):
    data = io.BytesIO()
    Image.new("L", size).save(data, "PNG")
    with pytest.raises(PictureError, match="has only"):
        open_picture(data.getvalue())


def test_a_model_is_opened_by_no_strangers_path(app, tmp_path):
    save(load("rotation-16"), tmp_path / "secret.npz")
    for name in (str(tmp_path / "secret.npz"), "/etc/hostname", "../x"):
        app.session_state["chosen_model"] = name
        app.run()
        assert not app.exception
        assert app.selectbox(key="lab_model").value == compute.default_model()


def test_a_link_with_a_model_that_is_not_here_says_so():
    app = AppTest.from_file(Path(explorer.__file__).with_name("app.py"), default_timeout=30)
    app.query_params["model"] = "somebody's own"
    app.query_params["x"] = "shape.hexagon"
    app.run()
    assert not app.exception
    assert "somebody's own" in app.toast[0].value
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

    whole = sent()
    assert len(whole) > 100_000
    number = app.session_state["command"][0]
    app.session_state["stage"] = {"angle": {"number": number, "angle": 31}}  # it is on the page now
    app.run()
    assert sent()[16:] == whole[16:32]  # its moment and digest
    app.session_state["stage"] = {"angle": {"number": number, "angle": 31, "missing": whole[24:32].hex()}}
    app.run()
    assert sent()[16:] == whole[16:]
    assert not app.exception


def test_an_upload_that_the_server_has_lost_is_none(monkeypatch):
    """After a restart the page still says it has a file, and the server has not."""
    monkeypatch.setattr(hands.st, "session_state", {"upload_x": DeletedFile("gone")})
    assert hands.upload("x") == ""
    assert hands.photo("x") is None


def test_the_same_file_can_be_chosen_again(monkeypatch):
    session = {}
    monkeypatch.setattr(hands.st, "session_state", session)
    for number, shade in enumerate((10, 200, 10)):
        buffer = io.BytesIO()
        Image.fromarray(np.full((20, 20), shade, np.uint8)).save(buffer, "PNG")
        record = UploadedFileRec(str(number), "a.png", "image/png", buffer.getvalue())
        session["upload_x"] = UploadedFile(record, FileURLs())
        for _ in range(2):
            assert hands.upload("x") == ""
            assert hands.photo("x").pixels[0, 0] == shade
        hands.set_photo("x", np.full((4, 4), 77, np.uint8), "from a link")
        hands.upload("x")
        assert hands.photo("x").pixels[0, 0] == 77


def test_moments_grow_even_if_the_clock_is_put_back(monkeypatch):
    monkeypatch.setattr(store.st, "session_state", {})
    moments = []
    for now, scene in ((100.0, "a"), (40.0, "b"), (40.0, "c"), (200.0, "d")):
        monkeypatch.setattr(store.time, "time", lambda now=now: now)
        moments.append(store.since(scene))
        assert store.since(scene) == (moments[-1][0], False)
    assert all(new for _, new in moments)
    assert sorted({moment for moment, _ in moments}) == [moment for moment, _ in moments]
