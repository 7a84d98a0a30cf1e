"""Pictures drawn in Python beside the browser: the same as SVG and as PNG."""

import io

import numpy as np
import pytest
from PIL import Image

from tsa import Subgroup, load
from tsa.pictures import draw, to_disc
from tsa.stage import sweep
from tsa.stage.draw import SIZE_PIXELS, DialView, stage_png, stage_svg

pytestmark = pytest.mark.slow
DIAL = np.s_[25:52, 15:43]  # in squares of 12 pixels


@pytest.fixture(scope="module")
def model():
    learned = load("rotation-16-refined")
    return Subgroup(learned.filters, learned.weights, noise=0.5)


@pytest.fixture
def tab(browser):
    page = browser.new_page(viewport={"width": SIZE_PIXELS[0], "height": SIZE_PIXELS[1]})
    yield page
    page.close()


def coarse(image):
    """Squares of 12 pixels: what is drawn, not how an edge falls."""
    return np.asarray(image.convert("RGB").reduce(12), float)


@pytest.mark.parametrize(("name", "look"), [("square", "light"), ("F", "dark"), ("pentagon", "light")])
def test_svg_and_png_look_alike(name, look, model, tab, tmp_path):
    picture = draw(name)
    swept = sweep(model, to_disc(picture), 16)
    file = tmp_path / "stage.svg"
    file.write_text(stage_svg(DialView.of(swept, picture, 30, look=look), model), encoding="utf-8")
    tab.goto(file.as_uri())
    vector = coarse(Image.open(io.BytesIO(tab.screenshot())))

    def gap(angle, theme):
        drawn = Image.open(io.BytesIO(stage_png(DialView.of(swept, picture, angle, look=theme), model)))
        return np.abs(coarse(drawn) - vector)

    same = gap(30, look)
    assert same.mean() < 1.5  # all of it, where fonts differ too
    assert same[DIAL].max() < 35  # picture, rim and knob
    assert gap(75, look)[DIAL].mean() > 10
    assert gap(30, {"light": "dark", "dark": "light"}[look]).mean() > 100
