"""The filters page: groups, the picture of a pair, its phase and its spectrum, as a person sees them."""

import io
import re
from contextlib import contextmanager

import numpy as np
import pytest
from PIL import Image

from tests.shared.browser import TIMEOUT_MS, angle, choose_model, dial_points, text_changes, visit
from tests.shared.dictionaries import gabors
from tsa import load
from tsa.files import pack_model
from tsa.model import Subgroup, real_columns

# Remembers what is written onto canvases, and in which font.
LISTEN = """
window.written = [];
const write = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
  window.written.push([this.canvas.className, `${text}`, this.font]);
  return write.call(this, text, ...rest);
};"""


@contextmanager
def filters(browser, server, link="", width=1440, height=900, **options):
    tab = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce", **options)
    tab.set_default_timeout(TIMEOUT_MS)
    tab.add_init_script(LISTEN)
    tab.goto(f"{server}/filters{link}")
    tab.wait_for_selector(".sheet[data-chosen]")
    yield tab
    tab.close()


def written(tab, canvas, action=None):
    """What was written onto a canvas, all in all or during something: [(text, font)]."""
    if action:
        tab.evaluate("window.written = []")
        action()
    tab.wait_for_function("name => window.written.some(([at]) => at === name)", arg=canvas)
    return [(text, font) for at, text, font in tab.evaluate("window.written") if at == canvas]


def open_file(tab, name, w):
    buffer = io.BytesIO()
    np.save(buffer, w)
    visit(tab, "Model")
    files = tab.locator("input[type=file]")
    files.wait_for(state="attached")
    files.set_input_files({"name": name, "mimeType": "application/x", "buffer": buffer.getvalue()})
    tab.get_by_text("No known group acts on these filters").wait_for()
    visit(tab, "Filters")
    tab.wait_for_selector(".sheet[data-chosen]")


def test_both_signs_of_a_weight_are_one_group(browser, server):
    with filters(browser, server, "?model=rotation-16") as tab:
        drawn = written(tab, "grid", lambda: tab.locator(".all").click())
        bold = [text for text, font in drawn if font.startswith("650") and text]
        assert bold == ["0", "−1", "±2", "±3", "±4", "±5", "±6", "±7", "±8", "±9", "±10", "−11", "−12", "−13", "15"]
        options = tab.locator(".grid [role=option]").all_text_contents()
        weights = [int(re.search(r"weight (\S+),", text)[1].replace("−", "-")) for text in options]
        assert weights == sorted(weights, key=lambda w: (abs(w), w < 0))


def test_the_invariant_is_of_the_labs_noise(browser, server):
    found = {}
    for sigma in ("1.5", "0.5"):
        with filters(browser, server, f"?x=shape.N&sigma={sigma}") as tab:
            words = tab.locator(".response-text").inner_text().replace("\u00a0", " ")
            assert f"at the lab’s σ = {sigma}" in words
            found[sigma] = float(re.search(r"σ² = ([\d.]+)", words)[1])
            if sigma == "1.5":
                text_changes(tab, ".name", lambda tab=tab: choose_model(tab, "shift-16x16"))
                assert "at the model’s own σ = 0.07." in tab.locator(".response-text").inner_text().replace(
                    "\u00a0", " "
                )
    assert found["0.5"] == pytest.approx(9 * found["1.5"], rel=0.05)


@pytest.mark.parametrize(
    ("scheme", "link", "picture"),
    [("light", "?model=shift-16x16&filter=0", "turning"), ("dark", "?filter=27", "phase")],
)
def test_a_picture_of_the_cards_own_colour_has_an_edge(browser, server, scheme, link, picture):
    """The constant filter is white, and where there is nothing of a filter its phase has no colour."""
    with filters(browser, server, link, color_scheme=scheme) as tab:
        assert tab.locator(".cosine").is_hidden() == (scheme == "light")  # a single filter is one picture
        box = tab.locator(f".{picture}").bounding_box()
        clip = {"x": box["x"] - 4, "y": box["y"] + 12, "width": 8, "height": 1}
        row = np.asarray(Image.open(io.BytesIO(tab.screenshot(clip=clip))).convert("L"), int)[0]
        assert np.ptp(row[[0, -1]]) < 8
        assert np.abs(row - row[0]).max() > 40


def test_a_spectrum_says_its_scale(browser, server):
    with filters(browser, server) as tab:
        texts = [text for text, _ in written(tab, "spectrum")]
        assert {"0 %", "50 %", "100 %", "ω", "−10", "4"} <= set(texts)
        choose = lambda: choose_model(tab, "shift-16x16")  # noqa: E731
        texts = [text for text, _ in written(tab, "spectrum", lambda: text_changes(tab, ".name", choose))]
        assert {"−8", "0", "8", "→ ω₂, periods across", "↓ ω₁, periods down", "100.0 %"} <= set(texts)
        tab.evaluate("window.written = []")
        open_file(tab, "theirs.npy", np.linalg.qr(np.random.default_rng(0).normal(size=(256, 80)))[0])
        texts = [text for text, _ in written(tab, "spectrum")]
        assert "100 %" not in texts
        assert "5 %" in texts or "10 %" in texts
        assert tab.locator(".verdict").inner_text().startswith("Perhaps weight")


def test_pictures_of_a_pair_are_large(browser, server):
    with filters(browser, server) as tab:
        assert tab.evaluate("document.querySelector('.stMain').scrollHeight") <= 900
        sizes = [tab.locator(f".{name}").bounding_box()["width"] for name in ("cosine", "sine", "phase", "turning")]
        assert min(sizes) > 190
    with filters(browser, server, width=390, height=844) as tab:
        assert tab.evaluate("document.querySelector('.stMain').scrollWidth") <= 390
        assert tab.locator(".cosine").bounding_box()["width"] > 150


def test_the_phase_is_where_the_lab_has_turned_the_plane(browser, server):
    with filters(browser, server, "?angle=50&filter=27") as tab:
        assert tab.locator(".name").inner_text() == "Subspace 28 · weight 4"
        assert tab.locator(".phi").inner_text() == "φ = 200°"  # 4 · 50°
        assert (
            tab.locator(".moved").inner_text()
            == "φ = ω·s for the picture turned by s = 50° (or any multiple of 90° more)."
        )
        assert text_changes(tab, ".phi", lambda: tab.locator(".turn").fill("90")) == "φ = 90°"
        assert "s = 22.5° (or any multiple of 90° more)" in tab.locator(".moved").inner_text()
        tab.locator(".grid").focus()
        text_changes(tab, ".phi", lambda: tab.keyboard.press("Home"))
        assert tab.locator(".turn").is_disabled()
        assert tab.locator(".moved").inner_text() == "Weight 0: no turn of the picture changes this filter."


def test_title_and_labels_follow_the_order(browser, server):
    with filters(browser, server) as tab:
        assert tab.locator(".title").inner_text().endswith("sorted by |ω|")
        drawn = written(tab, "grid", lambda: tab.locator(".order").select_option("purity"))
        assert tab.locator(".title").inner_text().endswith("sorted by purity")
        split_progress = [float(re.search(r"([\d.]+) %$", text)[1]) for text, _ in drawn if text]
        assert len(split_progress) == 55
        assert split_progress == sorted(split_progress, reverse=True)
        assert tab.locator(".mark").evaluate("el => getComputedStyle(el).backgroundColor") == "rgba(0, 0, 0, 0)"


def test_a_range_the_wrong_way_round_and_an_empty_one(browser, server):
    with filters(browser, server) as tab:
        tab.locator(".low").fill("9")
        shown = text_changes(tab, ".count", lambda: tab.locator(".high").fill("4"))
        assert shown == "21 of 55 shown"
        assert tab.locator(".nothing").is_hidden()
        tab.locator(".low").fill("14")
        tab.locator(".high").fill("14")
        tab.get_by_text("No filter is within these limits").wait_for()
        text_changes(tab, ".count", lambda: tab.locator(".all").click())
        assert tab.locator(".nothing").is_hidden()


def test_a_set_is_narrowed_by_lasso_numbers_and_copies(browser, server):
    """Twice the real columns of a bundled model: half of them are copies, the rest in quadrature pairs."""
    columns = real_columns(load("rotation-16-refined").filters)
    buffer = io.BytesIO()
    np.save(buffer, np.concatenate([columns, -2 * columns], axis=1))
    with filters(browser, server) as tab:
        visit(tab, "Model")
        files = tab.locator("input[type=file]")
        files.wait_for(state="attached")
        files.set_input_files({"name": "twice.npy", "mimeType": "application/x", "buffer": buffer.getvalue()})
        tab.get_by_text("which need not be orthonormal").wait_for()
        visit(tab, "Filters")
        tab.wait_for_selector(".sheet[data-chosen] .scatter:not([hidden])")
        number = columns.shape[1]
        assert tab.locator(".count").inner_text() == f"{number} of {2 * number} shown"
        assert "its quadrature partner is filter" in tab.locator(".kin").inner_text()
        assert (
            text_changes(tab, ".count", lambda: tab.locator(".fold").uncheck()) == f"{2 * number} of {2 * number} shown"
        )
        assert text_changes(tab, ".count", lambda: tab.locator(".numbers").fill("3, 10-14")).startswith("6 of ")
        text_changes(tab, ".count", lambda: tab.locator(".all").click())
        box = tab.locator(".scatter").bounding_box()

        def lasso():
            corners = [(40, 2), (box["width"] / 4, 2), (box["width"] / 4, box["height"] - 10), (40, box["height"] - 10)]
            tab.mouse.move(box["x"] + corners[0][0], box["y"] + corners[0][1])
            tab.mouse.down()
            for x, y in corners[1:]:
                tab.mouse.move(box["x"] + x, box["y"] + y, steps=3)
            tab.mouse.up()

        inside = int(text_changes(tab, ".count", lasso).split(" of ")[0])
        assert 0 < inside < number


def test_the_lab_opens_with_a_model_made_from_gabor_kernels(browser, server):
    """As a person would: a file, its group, the lab; and a turn of the dial is answered by that model."""
    buffer = io.BytesIO()
    np.save(buffer, gabors(11, np.random.default_rng(7)))
    with filters(browser, server) as tab:
        visit(tab, "Model")
        files = tab.locator("input[type=file]")
        files.wait_for(state="attached")
        files.set_input_files({"name": "gabors.npy", "mimeType": "application/x", "buffer": buffer.getvalue()})
        tab.get_by_text("which need not be orthonormal").wait_for()
        tab.get_by_role("button", name="Open with other settings").click()
        tab.get_by_role("combobox", name="Group").click()
        tab.get_by_role("option", name="rotation", exact=True).click()
        tab.get_by_text("gabors is now used on the pages Lab").wait_for()
        tab.keyboard.press("Escape")
        visit(tab, "Lab")
        tab.wait_for_selector(".stage[data-drawn]")
        assert tab.get_by_role("combobox", name="Model").input_value() == "gabors"
        first = tab.locator(".answer").inner_text()
        assert first
        x, y, r = dial_points(tab)
        tab.mouse.move(x + r, y)
        tab.mouse.down()
        tab.mouse.move(x, y - r, steps=8)
        tab.mouse.up()
        tab.wait_for_function("first => document.querySelector('.answer')?.innerText !== first", arg=first)
        assert angle(tab) > 60


def test_the_spectrum_of_three_parameters_lists_the_largest_weights(browser, server):
    """A model found in pairs alone, of three circles: one weight for each filter."""
    rng = np.random.default_rng(0)
    q = np.linalg.qr(rng.standard_normal((36, 8)))[0]
    model = Subgroup(q[:, ::2] + 1j * q[:, 1::2], [[1, 0, 0], [0, 1, -1], [0, 2, 1], [1, -1, 2]], 0.1)
    data = pack_model(model, (6, 6), {"discovered": True, "orders": [0, 0, 0]})
    with filters(browser, server) as tab:
        visit(tab, "Model")
        files = tab.locator("input[type=file]")
        files.wait_for(state="attached")
        files.set_input_files({"name": "three.npz", "mimeType": "application/x", "buffer": data})
        tab.get_by_text("three is now used").first.wait_for()
        visit(tab, "Filters")
        tab.wait_for_selector(".sheet[data-chosen]")
        tab.evaluate("window.written = []")
        last = tab.locator(".grid [role=option]").count() - 1
        tab.locator(".grid").focus()
        tab.keyboard.press("End")
        tab.wait_for_selector(f".sheet[data-chosen='{last}']")
        texts = [text for text, _ in written(tab, "spectrum")]
        assert texts[-2:] == ["(1, −1, 2)", "100.0 %"]
