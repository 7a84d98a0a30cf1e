"""The app without a browser: pages run by Streamlit's `AppTest`, and what they send to components."""

import base64
import json
import struct
from dataclasses import replace

import numpy as np
from streamlit.testing.v1 import AppTest


def opened(page):
    def script(page):
        import importlib

        from explorer.session import run

        run.begin(page)
        importlib.import_module(f"explorer.pages.{page}").page()

    return AppTest.from_function(script, args=(page,), default_timeout=60).run()


def upload(app, name, data):
    return app.file_uploader(key="model_upload").set_value((name, data, "application/octet-stream")).run()


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


def choose_model(app, name):
    """As a link or another page would."""
    stored = app.session_state["view"]
    app.session_state["view"] = replace(stored, view=replace(stored.view, model=name))


def message(picture, number=1, done=True, app=None):
    """What the pad sends, in the session of this app."""
    pixels = base64.b64encode(picture.tobytes()).decode()
    session = "" if app is None else app.session_state["view"].session
    return {"session": session, "obeyed": 1, "sequence": number, "done": done, "pixels": pixels}


def unframe(data):
    """The header and the body of what a component was sent."""
    (length,) = struct.unpack("<I", data[:4])
    return json.loads(data[4 : 4 + length]), data[4 + length :]
