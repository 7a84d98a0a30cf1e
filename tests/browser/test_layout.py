"""Nothing is cut, off the screen or printed over something else: on all pages, from a phone to a projector."""

import numpy as np
import pytest

from explorer.state import DRAWING_PIXELS, PHOTO_PIXELS, Pixels, ViewState, encode_link
from tests.shared.browser import TIMEOUT_MS, at_rest
from tests.shared.layout import LISTEN, SIZES, layout_troubles

DRAWING = encode_link(ViewState(x=Pixels.of(np.tri(DRAWING_PIXELS))))["x"]
PHOTO = encode_link(ViewState(x=Pixels.of(np.tri(PHOTO_PIXELS), photo=True)))["x"]
PINS = "x*shape.square**x*shape.hexagon*sigma*1.0**x*digit.18*y*digit.28*noise*0.5**x*shape.disc*model*rotation-16"
# Address of a page, what to wait for there, and what to click before looking.
PAGES = {
    "lab": ("", ".stage[data-drawn]", None),
    "lab, six answers": ("?x=shape.hexagon&angle=10&sigma=1.0", ".stage[data-drawn]", None),
    "lab, a noisy letter and a prior": (
        "?x=shape.F&angle=93&noise=0.5&sigma=0.5&prior=3.0&around=90&try=250",
        ".stage[data-drawn]",
        None,
    ),
    "lab, a disc": ("?x=shape.disc&angle=0", ".stage[data-drawn]", None),
    "lab, two digits": ("?x=digit.18&y=digit.28&angle=359", ".stage[data-drawn]", None),
    "lab, without a weight": ("?without=4&angle=181", ".stage[data-drawn]", None),
    "lab, a large model": ("?model=rotation-28&x=shape.pinwheel&angle=270", ".stage[data-drawn]", None),
    "lab, pins": (f"?pins={PINS}", ".stage[data-drawn]", None),
    "lab, described": ("?describe=1", ".stage[data-drawn]", None),
    "four pins": (f"?compare=1&pins={PINS}", ".compare[data-drawn]", None),
    "two pins, described": ("?compare=1&describe=1&pins=x*shape.F**x*shape.S", ".compare[data-drawn]", None),
    "motion": ("motion", ".motion[data-drawn]", None),
    "motion, a point": ("motion?world=corner&shift=-20,15.5", ".motion[data-drawn]", None),
    "motion, own drawing": (f"motion?world=own&x={DRAWING}&window=48&expected=6", ".motion[data-drawn]", None),
    "filters": ("filters", ".sheet[data-chosen]", None),
    "signals": ("filters?model=shift-32", ".sheet[data-chosen]", None),
    "recognise": ("recognise", ".recognise[data-drawn]", None),
    "recognise a drawing": (f"recognise?x={DRAWING}", ".recognise[data-drawn]", None),
    "recognise a photo": (f"recognise?x={PHOTO}", ".photo[data-name]", None),
    "model": ("model", ".js-plotly-plot", None),
    "compare models": ("model", ".js-plotly-plot", "Compare"),
    "train": ("train", ".film[data-at]", None),
    "orbits": ("orbits", ".orbit[data-drawn]", None),
    "home": ("home", ".home[data-drawn]", None),
    "all lessons": ("lesson", ".course .cards li", None),
    "lesson, predict": ("lesson?lesson=opinions&step=1", ".stage[data-drawn]", None),
    "lesson, question": ("lesson?lesson=invariants&step=4", ".stage[data-drawn]", None),
    "lesson with motion": ("lesson?lesson=aperture&step=2", ".motion[data-drawn]", None),
    "lesson with orbits": ("lesson?lesson=nameless&step=3", ".orbit[data-drawn]", None),
    "lesson with the DFT": ("lesson?lesson=fourier&step=3", ".dft[data-drawn]", None),
    "lesson with training": ("lesson?lesson=snow&step=2", ".film[data-at]", None),
    "film": ("film?frame=138", ".film[data-drawn]", None),
    "DFT": ("dft", ".dft[data-drawn]", None),
    "share": ("share", ".st-key-share_preview iframe", None),
    "an orbit that never closes": ("orbits?orbit=1-2pi", ".orbit[data-drawn]", None),
}
TOUCH = ("phone", "tablet")


def size(name):
    return dict(zip(("width", "height"), SIZES[name], strict=True))


def troubles_of(browser, server, path, sizes, **options):
    """What is wrong with a page at each of these sizes, one after the other in one tab."""
    address, drawn, tab_name = PAGES[path]
    context = browser.new_context(viewport=size(sizes[0]), reduced_motion="reduce", **options)
    tab = context.new_page()
    tab.set_default_timeout(TIMEOUT_MS)
    tab.add_init_script(LISTEN)
    tab.goto(f"{server}/{address}")
    tab.wait_for_selector(drawn)
    if tab_name:
        tab.get_by_role("tab", name=tab_name).click()
    found = {}
    for name in sizes:
        tab.set_viewport_size(size(name))
        for _ in range(10):  # charts are drawn again some frames after the window has another size
            at_rest(tab)
        found[name] = layout_troubles(tab)
    context.close()
    return {name: troubles for name, troubles in found.items() if troubles}


@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_cut_or_overlaps(browser, server, path):
    desktop = [name for name in SIZES if name not in TOUCH]
    assert troubles_of(browser, server, path, TOUCH, has_touch=True) == {}
    assert troubles_of(browser, server, path, desktop) == {}


@pytest.mark.parametrize(
    "path", ["lab", "four pins", "lab, a noisy letter and a prior", "motion", "filters", "recognise", "orbits"]
)
def test_nor_in_the_dark(browser, server, path):
    assert troubles_of(browser, server, path, ["phone", "1280"], color_scheme="dark") == {}


def test_the_check_finds_what_is_wrong(browser):
    """A negative control: each trouble on a page made for it, and none on the page without them."""
    tab = browser.new_page(viewport=size("phone"))
    tab.add_init_script(LISTEN)
    tab.goto("data:text/html,<p>a page</p>")

    def found(html, script=""):
        tab.set_content(html)
        tab.evaluate(script)
        return layout_troubles(tab)

    label = '<span style="position: absolute; left: {}px; top: 20px">{}</span>'
    canvas = """() => {
        const pen = document.querySelector("canvas").getContext("2d");
        pen.reset();
        pen.font = "16px sans-serif";
        pen.fillText("one", 10, 40);
        pen.fillText("other", PLACE, 40);
    }"""
    assert found(label.format(10, "one") + label.format(90, "other")) == []
    assert found(label.format(10, "one") + label.format(20, "other")) == ["overlap: “one” and “other”"]
    hidden = f'<div><template shadowrootmode="open">{label.format(20, "other")}</template></div>'
    assert found(label.format(10, "one") + hidden) == ["overlap: “one” and “other”"]
    assert found('<div style="width: 40px; overflow: hidden; white-space: nowrap">much too long</div>') == [
        "cut: “much too long”"
    ]
    assert found('<div style="width: 40px; overflow: auto; white-space: nowrap">one can scroll</div>') == []
    assert any(text.startswith("off the screen") for text in found(label.format(360, "half outside")))
    assert any(text.startswith("the page is") for text in found('<div style="width: 500px">wide</div>'))
    assert found("<canvas></canvas>", canvas.replace("PLACE", "90")) == []
    assert found("<canvas></canvas>", canvas.replace("PLACE", "20")) == ["overlap: “other” and “one”"]
    assert "cut by its canvas: “other”" in found("<canvas></canvas>", canvas.replace("PLACE", "290"))
    tab.close()
