"""What other programs learned, in the lab: the subset of an ICA, a dictionary or Gabor kernels gives posteriors."""

import io

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.shared import dictionaries as made
from tests.shared.apps import unframe, unpack
from tests.shared.model_files import npy
from tsa.pictures import draw, patch_of, to_disc, turn_disc

TURNS = [0, 17, 90, 133]  # degrees


def app():
    """Pages of one session, one after another: `page` says which."""
    import importlib

    import streamlit as st

    from explorer.session import run

    page = st.session_state.get("page", "model")
    run.begin(page)
    importlib.import_module(f"explorer.pages.{page}").page()


def weights_of(kind):
    if kind == "gabor":
        return made.gabors(11, np.random.default_rng(7))
    return made.learned(kind)


def posterior(file, x, y, sigma):
    """p(s | x, y) on 360 turns (angles, 360) from the arrays of a model file: the product over filters, normalised."""
    arrays = np.load(io.BytesIO(file))
    z, moved = x @ arrays["filters"], y @ arrays["filters"]
    s = np.radians(np.arange(360))
    turns = np.exp(1j * np.outer(arrays["weights"], s))
    log = (z * moved.conj() / sigma**2 @ turns).real
    p = np.exp(log - log.max(axis=-1, keepdims=True))
    return p / p.mean(axis=-1, keepdims=True) / (2 * np.pi)


@pytest.mark.parametrize("kind", ["gabor", "ica", "dictionary"])
def test_the_lab_shows_the_posterior_of_what_others_learned(kind, monkeypatch):
    w = weights_of(kind)
    shown = []
    monkeypatch.setattr("explorer.pages.lab.stage", shown.append)
    page = AppTest.from_function(app, default_timeout=120).run()
    page.file_uploader(key="model_upload").set_value((f"{kind}.npy", npy(w), "application/octet-stream")).run()
    assert not page.exception
    assert not page.error
    group = next(box for box in page.selectbox if box.label == "Group")
    group.set_value("rotation").run()
    named = page.session_state["models"].by_name[kind]
    assert named.turns
    assert named.report.filters.shape == (w[0].size, len(w))
    page.session_state["page"] = "lab"
    page.run()
    assert not page.exception
    assert page.selectbox(key="lab_model").value == kind

    side = named.shape[0]
    header, arrays = unpack(unframe(shown[-1])[1])
    square = to_disc(draw("square", 128))
    x, y = (np.stack([patch_of(turn_disc(square, s), side) for s in np.radians(t)]) for t in ([0], TURNS))
    expected = posterior(named.data, x, y, page.session_state["view"].view.sigma)
    density = arrays["density"].reshape(360, -1)[TURNS]
    span = header["look"]["logRange"]
    log = (density / 65535.0 - 1) * span  # below the peak
    wanted = np.log(expected / expected.max(axis=1, keepdims=True))
    likely = wanted > -5
    np.testing.assert_allclose(log[likely], wanted[likely], atol=0.02)
    assert wanted.min() < -0.3  # not flat: the model has seen the turn
