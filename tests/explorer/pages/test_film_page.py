"""The film page without a browser: presets, settings, frames from files, and what is refused."""

import io

import numpy as np
import pytest
from PIL import Image

from tests.shared.apps import opened, unframe, unpack
from tsa import shapes


def sent(app):
    found = next(one for one in app.get("bidi_component") if one.proto.component_name == "tsa_film")
    header, packed = unframe(found.proto.bytes)
    return header, unpack(packed)[0] if packed else None


@pytest.fixture
def app():
    return opened("film")


def gif(count=12, size=(40, 30)):
    picture = Image.fromarray((255 * shapes.draw("F", 30)).astype(np.uint8))
    frames = []
    for i in range(count):
        frame = Image.new("L", size)
        frame.paste(picture.rotate(5 * i), (5, 0))
        frames.append(frame)
    buffer = io.BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:])
    return buffer.getvalue()


def upload(app, *files):
    return app.file_uploader(key="film_upload").set_value(list(files)).run()


def test_it_opens_on_a_film_in_which_a_guess_gets_lost(app):
    assert not app.exception
    header, packed = sent(app)
    assert header["fields"] == {"frame": 0}
    assert packed["frames"] == 200
    assert "is lost from frame" in packed["headline"]


def test_a_slider_makes_another_film(app):
    before = sent(app)[0]["digest"]
    app.slider(key="film_noise").set_value(1.0).run()
    assert sent(app)[0]["digest"] != before
    app.button[0].click().run()
    assert app.session_state["view"].view.film_seed == 7
    assert not app.exception


def test_a_moving_gif_is_followed(app):
    app = upload(app, ("turn.gif", gif(), "image/gif"))
    assert not app.exception
    assert not app.error
    assert app.session_state["view"].view.film == "upload"
    assert sent(app)[1]["frames"] == 12


def test_several_pictures_are_a_film(app):
    files = []
    for i in range(4):
        buffer = io.BytesIO()
        Image.fromarray((255 * shapes.draw("F", 40)).astype(np.uint8)).rotate(10 * i).save(buffer, "PNG")
        files.append((f"{i}.png", buffer.getvalue(), "image/png"))
    app = upload(app, *files)
    assert sent(app)[1]["frames"] == 4


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.gif", b"GIF89a nothing", "not a moving GIF"),
        ("b.gif", gif(1), "single picture"),
        ("c.gif", gif(6)[:200], "damaged"),
    ],
)
def test_what_is_no_film_is_refused_with_one_sentence(app, name, data, sentence):
    before = sent(app)[0]["digest"]
    app = upload(app, (name, data, "image/gif"))
    assert not app.exception
    assert [sentence in one.value for one in app.error] == [True]
    assert sent(app)[0]["digest"] == before


def test_a_frame_is_chosen_by_the_component(app):
    session = app.session_state["view"].session
    for frame, expected in ((77, 77), (200, 77), (-1, 77), ("3", 77)):
        app.session_state["film"] = {
            "message": {
                "session": session,
                "obeyed": 10**6,
                "sequence": 1 + abs(hash(str(frame))) % 1000,
                "frame": frame,
            }
        }
        app.run()
        assert app.session_state["view"].view.frame == expected


def test_pictures_slide_too(app):
    app.segmented_control(key="film_movement").set_value("Slides").run()
    assert not app.exception
    assert app.session_state["view"].view.film == "grating"
    packed = sent(app)[1]
    assert packed["slides"]
    assert " px" in packed["texts"][0]
    app.segmented_control(key="film_movement").set_value("Turns").run()
    assert app.session_state["view"].view.film == "S"


def test_uploaded_frames_slide(app):
    upload(app, ("slide.gif", gif(), "image/gif"))
    app.segmented_control(key="film_movement").set_value("Slides").run()
    assert not app.exception
    assert app.session_state["view"].view.film == "upload"
    assert sent(app)[1]["slides"]
