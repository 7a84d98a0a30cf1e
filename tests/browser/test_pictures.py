"""Pictures drawn in Python beside the browser: one SVG and PNG, one colour wheel, one wording."""

import io
import re

import numpy as np
import pytest
from PIL import Image

from tsa import Subgroup, load
from tsa.colours import hue
from tsa.polar import to_polar
from tsa.shapes import SHAPES, draw
from tsa.stage import FILES
from tsa.stage.dial import Frame
from tsa.stage.picture import SIZE, stage_png, stage_svg
from tsa.stage.words import numbers, reason, sentence
from tsa.sweep import sweep

pytestmark = pytest.mark.slow
SCRIPTS = FILES
DIAL = np.s_[14:38, 24:49]  # in squares of 12 pixels
SAY = """sweep => {
  const find = name => document.querySelector("." + name);
  const self = { sweep, angle: 0, log: false };
  say(self, find);
  tabulate(self, find);
  return [...document.querySelectorAll(".sentence, .because, dd")].map(element => element.textContent);
}"""


@pytest.fixture(scope="module")
def model():
    learned = load("rotation-16-refined")
    return Subgroup(learned.filters, learned.weights, noise=0.5)


@pytest.fixture
def tab(browser):
    page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
    yield page
    page.close()


def coarse(image):
    """Squares of 12 pixels: what is drawn, not how an edge falls."""
    return np.asarray(image.convert("RGB").reduce(12), float)


@pytest.mark.parametrize(("name", "look"), [("square", "light"), ("F", "dark"), ("pentagon", "light")])
def test_svg_and_png_look_alike(name, look, model, tab, tmp_path):
    picture = draw(name)
    swept = sweep(model, to_polar(picture), 16)
    file = tmp_path / "stage.svg"
    file.write_text(stage_svg(Frame.of(swept, picture, 30, look=look), model), encoding="utf-8")
    tab.goto(file.as_uri())
    vector = coarse(Image.open(io.BytesIO(tab.screenshot())))

    def gap(angle, theme):
        drawn = Image.open(io.BytesIO(stage_png(Frame.of(swept, picture, angle, look=theme), model)))
        return np.abs(coarse(drawn) - vector)

    same = gap(30, look)
    assert same.mean() < 1.2  # all of it, where fonts differ too
    assert same[DIAL].max() < 35  # picture, rim and knob
    assert gap(75, look)[DIAL].mean() > 10
    assert gap(30, {"light": "dark", "dark": "light"}[look]).mean() > 100


def load_scripts(tab):
    tab.set_content('<p class="sentence"></p><p class="because"></p><dl class="numbers"></dl>')
    for name in ("colour.js", "canvas.js", "draw.js", "words.js"):
        tab.add_script_tag(content=(SCRIPTS / name).read_text(encoding="utf-8"))


def test_hue_is_the_browsers(tab):
    load_scripts(tab)
    assert [list(hue(np.radians(d))[:3]) for d in range(360)] == tab.evaluate("WHEEL")


def test_words_are_the_browsers(model, tab):
    load_scripts(tab)
    pairs = [(name, name) for name in SHAPES] + [("F", "S"), ("square", "bar"), ("triangle", "F"), ("noise", "N")]
    for first, second in pairs:
        swept = sweep(model, to_polar(draw(first)), 16, other=to_polar(draw(second)))
        for row in range(0, 360, 23):
            said = tab.evaluate(SAY, as_javascript(swept, row))
            ours = [sentence(swept, row), reason(swept, row), *numbers(swept, row).values()]
            assert in_order(ours) == in_order(said), (first, second, row)


def in_order(said):
    """The browser lists a mode just short of 360° last, as 0°; here it comes first."""
    return [sorted(re.findall(r"\d+°", said[0])), re.sub(r"\d+°", "", said[0]), *said[1:]]


def as_javascript(swept, row):
    """One row, under the names that the stage component gives to its parts."""
    pooled = swept.pooled[row]
    found = np.stack([np.nan_to_num(swept.mode_angles[row], nan=-1.0), swept.mode_masses[row]], -1)
    return {
        "only": 0,
        "peak": [swept.density[row].max()],
        "modes": found.ravel().tolist(),
        "modesPerTurn": len(found),
        "unexplained": [swept.unexplained[row]],
        "pooled": np.stack([pooled.real, pooled.imag], -1).ravel().tolist(),
        "harmonics": len(pooled),
        "entropy": [swept.entropy[row]],
        "evidence": [swept.log_evidence[row]],
        "distances": swept.distances[row].tolist(),
    }
