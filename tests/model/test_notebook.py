"""What a notebook shows of a model: one short line, and a picture."""

import pickle

import numpy as np
import pytest

import tsa


@pytest.mark.parametrize(
    ("model", "line"),
    [
        (
            tsa.load("rotation-16-refined").with_noise(0.5),
            "<Subgroup: 16×16 pixels, 48 planes and 7 lines, weights "
            "7x0 + 8x1 + 7x2 + 5x3 + 5x4 + 4x5 + 4x6 + 3x7 + 3x8 + 2x9 +…, σ = 0.5>",
        ),
        (
            tsa.fourier_model(9),
            "<FourierSubgroup: 3×3 pixels, 4 planes and 1 line, weights 1x0 + 1x1 + 1x2 + 1x3 + 1x4, σ = 1>",
        ),
        (tsa.Torus(np.eye(5)[:, :2], 0.125), "<Torus: 5 samples, 2 lines, σ = 0.125>"),
    ],
    ids=["rotation", "fourier", "torus"],
)
def test_a_model_is_one_line(model, line):
    assert repr(model) == line
    html = model._repr_html_()
    assert html.count("<img" if "pixels" in line else "<svg") == min(model.subspaces, 12)
    assert len(html) < 40_000
    assert "<code>&lt;" in html


def test_a_large_model_is_not_made_to_be_shown():
    model = tsa.fourier_model((64, 64))
    assert "<img" not in model._repr_html_()
    assert "filters" not in vars(model)


def test_a_shown_stage_has_a_picture_for_print():
    assert tsa.show("F")._repr_png_().startswith(b"\x89PNG")


def test_models_still_travel():
    model = tsa.load("shift-32")
    assert repr(pickle.loads(pickle.dumps(model))) == repr(model)
