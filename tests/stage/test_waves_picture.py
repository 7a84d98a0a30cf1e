"""The mechanism: waves on one axis and one scale add up to the log posterior, in words that nothing covers."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from tests.shared.drawings import SVG, outside_the_page, overlapping_texts, text_boxes
from tsa import Subgroup, load
from tsa.pictures import draw
from tsa.stage import Scene, exports
from tsa.stage.words import kappa_label, row_label, waves_heading

pytestmark = pytest.mark.slow  # whole pictures, a third of a second each


def model(name="rotation-16-refined", sigma=0.5):
    learned = load(name)
    return Subgroup(learned.filters, learned.weights, noise=sigma)


SCENES = {
    "square": lambda: Scene(model(), draw("square")),
    "F": lambda: Scene(model(), draw("F"), angle=200),
    "F, σ 2": lambda: Scene(model(sigma=2), draw("F"), angle=340),
    "F, σ 0.2": lambda: Scene(model(sigma=0.2), draw("F"), angle=2),
    "disc": lambda: Scene(model(), draw("disc"), angle=77),
    "hexagon": lambda: Scene(model(), draw("hexagon"), angle=10),
    "noise": lambda: Scene(model(), draw("triangle"), angle=355, pixel_noise=0.5),
    "prior": lambda: Scene(model(), draw("square"), prior=(2j, 0.5 + 0j)),
    "single prior": lambda: Scene(model(), draw("F"), angle=150, prior=(3 + 0j,)),
    "two pictures": lambda: Scene(model(), draw("square"), draw("F"), angle=50),
    "without": lambda: Scene(model(), draw("square"), without=(4, 13)),
    "crowded": lambda: Scene(
        model("rotation-16", 0.3), draw("hexagon"), draw("S"), 187, 1.0, prior=(1.5 - 1.9j, 1.1 - 0.6j), without=(7,)
    ),
    "rotation-28": lambda: Scene(model("rotation-28"), draw("F"), angle=100, pixel_noise=0.2),
    "rotation-16": lambda: Scene(model("rotation-16"), draw("square"), angle=120),
    "many modes": lambda: Scene(model(sigma=0.3), draw("disc"), draw("noise"), angle=359, pixel_noise=1.0),
}


@pytest.fixture(scope="module", params=SCENES)
def scene(request):
    return SCENES[request.param]()


@pytest.fixture(scope="module")
def svg(scene):
    return exports.picture_svg(scene)


def curves(svg):
    """Every curve over the whole axis as (colour, heights in pixels), from top to bottom; the last is the posterior."""
    found = []
    for line in ET.fromstring(svg).iter(f"{SVG}polyline"):
        points = np.array([pair.split(",") for pair in line.get("points").split()], float)
        if len(points) in (361, 721) and (np.diff(points[:, 0]) >= 0).all():
            found.append((line.get("stroke"), points[:, 1]))
    return found


def scale(svg):
    """Pixels per nat, by the scale bar."""
    root = ET.fromstring(svg)
    label = next(t for t in root.iter(f"{SVG}text") if re.fullmatch(r"\d+ nats?", t.text))
    bars = [line for line in root.iter(f"{SVG}line") if line.get("x1") == line.get("x2")]
    x, y = float(label.get("x")), float(label.get("y"))
    bar = next(b for b in bars if abs(float(b.get("x1")) - x) < 10 and abs(float(b.get("y2")) - y) < 30)
    return (float(bar.get("y2")) - float(bar.get("y1"))) / int(label.text.split()[0])


def waves_and_sum(svg, scene):
    """The waves in use and their sum as drawn, in pixels above their means."""
    *waves, total, _ = curves(svg)
    above = [(colour, y[:360].mean() - y[:360]) for colour, y in (*waves, total)]
    if scene.without:  # a loud weight left out is pale, and no part of the sum
        above = [(colour, y) for colour, y in above if colour != "#b2b1b0" or np.ptp(y) < 2]
    return [y for _, y in above[:-1]], above[-1][1]


def test_the_drawn_waves_add_up_to_the_drawn_sum(svg, scene):
    waves, total = waves_and_sum(svg, scene)
    tolerance = 1.2 + 0.05 * len(waves)  # a line, and the rounding of each wave
    np.testing.assert_allclose(np.sum(waves, axis=0), total, atol=tolerance)


def test_the_drawn_sum_is_the_log_posterior(svg, scene):
    _, total = waves_and_sum(svg, scene)
    log_density = scene.posterior().log_density(np.radians(np.arange(360)))
    expected = scale(svg) * (log_density - log_density.mean())
    np.testing.assert_allclose(total, expected, atol=0.5 + 0.015 * np.ptp(expected))  # the bar is read to 0.1 pixels
    assert scale(svg) < 6.1


def test_a_missing_wave_is_caught():
    scene = SCENES["square"]()
    waves, total = waves_and_sum(exports.picture_svg(scene), scene)
    loudest = int(np.argmax([np.ptp(y) for y in waves]))
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(np.sum(waves[:loudest] + waves[loudest + 1 :], axis=0), total, atol=2)
    with pytest.raises(AssertionError):
        test_the_drawn_sum_is_the_log_posterior(exports.picture_svg(replace(scene, angle=31)), scene)


def test_next_to_nothing_looks_like_next_to_nothing():
    """A disc has 0.09 nats: drawn to fill the card, they would look like evidence."""
    svg = exports.picture_svg(SCENES["disc"]())
    assert scale(svg) == pytest.approx(6, abs=0.05)
    assert all(np.ptp(y) < 2 for _, y in curves(svg)[:-1])


def test_no_text_covers_another(svg):
    assert overlapping_texts(svg) == []


def test_all_of_it_is_on_the_page(svg):
    assert outside_the_page(svg) == []


def test_texts_that_cover_each_other_or_leave_the_page_are_caught():
    svg = exports.picture_svg(SCENES["F"]())
    assert overlapping_texts(svg.replace(">weight<", ">weight of a subspace<")) == [
        ("weight of a subspace", "its circles")
    ]
    assert outside_the_page(svg.replace("</svg>", '<text x="1430" y="730" font-size="20">far</text></svg>')) == ["far"]
    lines = svg.replace("</svg>", '<line x1="5" y1="899.8" x2="9" y2="899.8" stroke-width="2"/></svg>')
    assert outside_the_page(lines) == ["line"]


def test_heads_rows_and_loudness(svg, scene):
    said = [words for words, *_ in text_boxes(svg)]
    for words in ("weight", "its circles", "loudness κ", "Sum", "Posterior", "area of 5 %"):
        assert words in said
    assert "the same for every turn: no say" in said
    assert ("prior" in said) == bool(scene.prior)
    assert ("true turn" in said) == (scene.y is None)
    assert ("turn of y" in said) == (scene.y is not None)


def test_loudness_is_that_of_the_pair_and_a_prior_has_its_own_row():
    boxes = {words: box for words, *box in text_boxes(exports.picture_svg(SCENES["single prior"]()))}
    middle = lambda words: (boxes[words][1] + boxes[words][3]) / 2  # noqa: E731
    assert middle("prior") == pytest.approx(middle("3.0"), abs=1)
    square = {words: box for words, *box in text_boxes(exports.picture_svg(SCENES["square"]()))}
    assert {"4", "8", "11.8", "1.3", "1–3", "13, 15"} <= set(square)
    assert square["4"][3] - square["4"][1] > 1.3 * (square["1–3"][3] - square["1–3"][1])  # in large type


def test_a_weight_left_out_is_pale_and_no_longer_loud():
    svg = exports.picture_svg(SCENES["without"]())
    said = [words for words, *_ in text_boxes(svg)]
    assert "Each weight adds one wave. Only 8 is loud." in said
    loudest = max(curves(svg)[:-2], key=lambda curve: np.ptp(curve[1]))
    assert loudest[0] == "#b2b1b0"
    in_use = exports.picture_svg(SCENES["square"]())
    assert max(curves(in_use)[:-2], key=lambda curve: np.ptp(curve[1]))[0] == "#2f2d2b"


def test_words_of_rows():
    assert waves_heading([], 12).endswith("None is loud.")
    assert waves_heading([4], 12).endswith("Only 4 is loud.")
    assert waves_heading([4, 8, 12], 12) == "Each weight adds one wave. Only 4, 8 and 12 are loud."
    assert waves_heading([1, 2, 3, 4, 5, 6], 12).endswith("6 of 12 are loud.")
    assert [row_label(w) for w in ((4,), (13, 15), (5, 6, 7))] == ["4", "13, 15", "5–7"]
    assert [kappa_label(k) for k in (0, 0.049, 0.05, 11.83, 99.94, 99.96)] == ["0", "0", "0.1", "11.8", "99.9", "100"]
