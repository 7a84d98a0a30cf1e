"""What the stage draws and says is what `tsa` computes: areas, waves, switches, tried turns, scenarios; in Chromium."""

import base64
import io
import json
import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from explorer.state import SCENARIOS
from tests.shared.browser import TIMEOUT_MS, address_has, angle, at_rest, choose, lab, says, silent
from tsa import load
from tsa.pictures import picture
from tsa.stage import Scene
from tsa.stage.look import PETAL_MARGIN, PICTURE_RADIUS, RIM_HALF_WIDTH, RIM_OVER_PICTURE, petal_scale
from tsa.stage.words import answer, modes

SCALE = 3  # pixels of the screen per CSS pixel, for measuring


def scene(name, sigma=0.5, **options):
    return Scene(load("rotation-16-refined").with_noise(sigma), picture(name), **options)


@pytest.fixture
def fine(browser, server):
    """Opens the lab at a link, on a screen with small pixels."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, device_scale_factor=SCALE)
    tab = context.new_page()
    tab.set_default_timeout(TIMEOUT_MS)

    def opened(link):
        tab.goto(f"{server}/{link}")
        tab.wait_for_selector(".stage[data-drawn]")
        at_rest(tab)
        return tab

    yield opened
    context.close()


def pixels(tab, name):
    """What is drawn on a canvas, over white: (height, width, 3), 0 to 255."""
    address = tab.locator(name).evaluate("canvas => canvas.toDataURL()")
    drawn = Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))).convert("RGBA")
    return np.asarray(Image.alpha_composite(Image.new("RGBA", drawn.size, "white"), drawn).convert("RGB")).astype(float)


# -- petals ------------------------------------------------------------------------------------------------------------


def petal_edge(canvas, base):
    """The radius of the petals along rays a quarter of a degree apart, in CSS pixels: the middle of their contour."""
    height, width = canvas.shape[:2]
    degrees = np.arange(0, 360, 0.25)
    radii = np.arange((base - 4) * SCALE, min(height, width) / 2 - 1)
    row = np.rint((height - 1) / 2 - np.sin(np.radians(degrees))[:, None] * radii).astype(int)
    column = np.rint((width - 1) / 2 + np.cos(np.radians(degrees))[:, None] * radii).astype(int)
    ray = canvas[row, column]
    colour, ink = np.ptp(ray, axis=-1) > 60, ray.max(axis=-1) < 110
    edge = np.empty(len(degrees))
    for i in range(len(degrees)):  # the run of ink that follows the last pixel in colour
        last = len(radii) - 1 - int(np.argmax(colour[i, ::-1]))
        start = last + int(np.argmax(ink[i, last : last + 3 * SCALE]))
        stop = start + int(np.argmin(ink[i, start:]))
        edge[i] = radii[start : max(stop, start + 1)].mean() / SCALE
    return degrees, edge


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("", scene("square")),
        ("?x=shape.F&angle=40", scene("F", angle=40)),
        ("?x=shape.F&angle=40&sigma=2.0", scene("F", 2.0, angle=40)),
        ("?x=shape.hexagon&angle=10", scene("hexagon", angle=10)),
        ("?x=shape.triangle&noise=0.5", scene("triangle", pixel_noise=0.5)),
        ("?x=shape.disc", scene("disc")),
    ],
)
def test_the_area_of_a_petal_is_its_probability(fine, link, shown):
    tab = fine(link)
    tab.evaluate("document.activeElement.blur()")
    canvas = pixels(tab, ".dial-canvas")
    outer = min(canvas.shape[:2]) / 2 / SCALE
    unit = outer / 215
    base = outer * PICTURE_RADIUS * RIM_OVER_PICTURE + RIM_HALF_WIDTH * unit
    swept = shown.sweep(whole=False)
    scale = petal_scale(base, outer - PETAL_MARGIN * unit, float(swept.density[0].max()))
    degrees, edge = petal_edge(canvas, base)
    density = np.interp(degrees, np.arange(361), np.append(swept.density[0], swept.density[0][0]))
    computed = np.sqrt(base**2 + 2 * scale * density)
    turns = [shown.angle, *(mode.degrees for mode in modes(swept)[:1])]  # a knob, and a ring at the tried turn
    covered = np.any([np.abs((degrees - turn + 180) % 360 - 180) < 6 for turn in turns], axis=0)
    edge = np.where(covered & (computed - base < 20), computed, edge)
    area = 0.5 * (edge**2 - base**2) * np.radians(0.25)
    assert area.sum() / scale == pytest.approx(1, abs=0.03)
    found = modes(swept)
    for mode in found:  # its petal lies between the midpoints to its neighbours, where these are equally spaced
        near = np.abs((degrees - np.degrees(mode.angle) + 180) % 360 - 180) <= 180 / len(found)
        assert area[near].sum() / scale == pytest.approx(mode.mass, abs=0.03)
    lengths = (edge - base).clip(0)
    if len(found) == 1:  # the negative control: lengths would not do
        assert abs(lengths.sum() * np.radians(0.25) * base / scale - 1) > 0.05


# -- waves -------------------------------------------------------------------------------------------------------------


def test_the_drawn_waves_add_up_to_the_drawn_sum_which_is_the_log_posterior(fine):
    tab = fine("?try=200")
    layout = json.loads(tab.locator(".waves-canvas").get_attribute("data-layout"))
    canvas = pixels(tab, ".waves-canvas")
    ink = np.clip(1 - canvas.max(axis=-1) / 120, 0, 1)
    degrees = np.array([d for d in range(4, 357, 7) if min(abs(d - 30), abs(d - 200)) > 3])
    column = np.rint((layout["west"] + (layout["east"] - layout["west"]) * degrees / 360) * SCALE).astype(int)

    def values(top, bottom, zero):
        band = ink[round(top * SCALE) : round(bottom * SCALE), column]
        rows = np.arange(len(band))[:, None] / SCALE + top
        ink_of_column = band.sum(axis=0)  # none where a wave is a faint line
        height = zero - (rows * band).sum(axis=0) / np.maximum(ink_of_column, 1e-9)
        return np.where(ink_of_column > 0, height, 0) / layout["scale"]

    line = 1.5 / layout["scale"]  # nats in the width of a line
    waves = sum(
        values(row["top"] + 2, row["top"] + row["height"] - 2, row["top"] + row["height"] / 2)
        for row in layout["rows"]
        if row["kind"] in ("loud", "quiet")
    )
    total = values(layout["sumTop"] - 4, layout["sumTop"] + layout["sumHeight"] + 4, layout["zero"])
    np.testing.assert_allclose(waves, total, atol=line)
    swept = scene("square").sweep(whole=False)
    log_density = np.log(swept.density[0][degrees])
    np.testing.assert_allclose(total - total.mean(), log_density - log_density.mean(), atol=line)


@pytest.mark.parametrize("weight", [4, 8])
def test_switching_a_weight_off_shows_what_tsa_computes_without_it(page, weight):
    page.get_by_role("switch", name=f"Weight {weight}", exact=True).click()
    address_has(page, f"without={weight}")
    expect(page.locator(".question")).to_have_text(f"Without weight {weight}: by how much was x turned to become y?")
    expect(page.locator(".answer")).to_have_text(answer(scene("square", without=(weight,)).sweep(), 30))
    page.get_by_role("switch", name=f"Weight {weight}", exact=True).click()
    says(page, "four turns fit equally well")


def test_the_waves_build_up(page):
    page.locator(".build").click()
    page.wait_for_function("el => !el.textContent.includes('▶')", arg=page.locator(".build").element_handle())
    page.wait_for_function("el => el.textContent.includes('▶')", arg=page.locator(".build").element_handle())


# -- trying an answer --------------------------------------------------------------------------------------------------


def test_four_clicks_four_perfect_fits(page):
    for turn in (30, 120, 210, 300):
        page.locator(".answers").get_by_role("button", name=f"{turn}°").click()
        expect(page.locator(".odds")).to_have_text("No turn is more probable.")
        address_has(page, f"try={turn}")
        assert pixels(page, ".left-over")[10:-10, 10:-10].mean() < 12
    layout = json.loads(page.locator(".waves-canvas").get_attribute("data-layout"))
    box = page.locator(".waves-canvas").bounding_box()
    x = box["x"] + layout["west"] + (layout["east"] - layout["west"]) * 75 / 360
    page.mouse.click(x, box["y"] + layout["zero"])
    expect(page.locator(".odds")).to_have_text("About 30 billion times less probable than the best turn.")
    assert pixels(page, ".left-over").mean() > 15
    address_has(page, "try=75")


def test_a_turn_is_tried_by_keyboard(page):
    flag = page.get_by_role("slider", name="Turn to try")
    flag.focus()
    for _ in range(4):
        flag.press("Shift+ArrowRight")
    flag.press("ArrowRight")
    address_has(page, "try=71")
    expect(flag).to_have_attribute("aria-valuenow", "71")
    assert angle(page) == 30


def test_a_click_on_a_petal_or_its_label_tries_it(page):
    box = page.locator(".dial-canvas").bounding_box()
    radius = 0.43 * min(box["width"], box["height"])
    at = np.radians(120)
    page.mouse.click(
        box["x"] + box["width"] / 2 + radius * np.cos(at), box["y"] + box["height"] / 2 - radius * np.sin(at)
    )
    address_has(page, "try=12")
    page.locator(".answer .turn").last.click()
    address_has(page, "try=300")


# -- the first minute --------------------------------------------------------------------------------------------------


def test_keys_work_on_load_and_leave_no_history(page):
    silent(page)
    before = page.evaluate("history.length")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".stage[data-angle='31']")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    address_has(page, "angle=34")
    silent(page)
    assert page.evaluate("history.length") <= before + 1
    page.keyboard.press("Space")
    page.wait_for_function("el => Number(el.dataset.angle) > 40", arg=page.locator(".stage").element_handle())
    page.keyboard.press("Space")
    rest = angle(page)
    silent(page)
    assert angle(page) == rest


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_a_scenario_is_one_click_and_a_link(page, browser, scenario):
    choose(page, "triangle")
    says(page, "three turns")
    chip = page.locator(f".start[data-scenario={scenario.name}]")
    chip.click()
    expect(chip).to_have_attribute("aria-current", "")
    silent(page)
    shown = page.locator(".answer").inner_text()
    link = chip.evaluate("el => el.href")
    other = browser.new_page(viewport={"width": 1440, "height": 900})
    other.goto(link)
    expect(other.locator(".answer")).to_have_text(shown, timeout=TIMEOUT_MS)
    expect(other.locator(f".start[data-scenario={scenario.name}]")).to_have_attribute("aria-current", "")
    other.close()


def test_predict_first(page):
    page.locator(".predict-box").check()
    expect(page.locator(".answer")).to_be_hidden()
    address_has(page, "predict=1")
    page.locator(".start[data-scenario=all]").click()
    expect(page.locator(".question")).to_have_text("y is a disc, turned by 30°. Can the turn be found?")
    expect(page.locator(".answer")).to_be_hidden()
    page.locator(".reveal").click()
    says(page, "By any angle")
    choose(page, "triangle")
    expect(page.locator(".answer")).to_be_hidden()


# Notes the fonts of the texts on a canvas since it was last cleared.
NOTE_FONTS = """() => {
  const pens = CanvasRenderingContext2D.prototype;
  const [write, reset] = [pens.fillText, pens.reset];
  pens.reset = function () { this.canvas.fonts = []; return reset.call(this); };
  pens.fillText = function (...args) { (this.canvas.fonts ??= []).push(this.font); return write.apply(this, args); };
}"""


def test_presenting(page):
    page.evaluate(NOTE_FONTS)
    page.keyboard.press("f")
    expect(page.locator(".waves-card")).to_be_hidden()
    sizes = page.evaluate(
        """stage => [...stage.querySelectorAll('.question, .answer, .because, .equation')]
            .map((el) => parseFloat(getComputedStyle(el).fontSize))""",
        page.locator(".stage").element_handle(),
    )
    assert min(sizes) >= 24
    fonts = page.locator(".dial-canvas").evaluate("canvas => canvas.fonts")
    assert min(float(re.search(r"([\d.]+)px", font)[1]) for font in fonts) >= 24
    box = page.locator(".dial-box").bounding_box()
    assert box["y"] + box["height"] <= 900
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".stage[data-angle='31']")
    page.keyboard.press("Escape")
    expect(page.locator(".waves-card")).to_be_visible()


def test_presenting_on_a_phone_shows_the_dial_and_can_be_left_without_a_keyboard(browser, server):
    with lab(browser, server, has_touch=True) as phone:
        phone.set_viewport_size({"width": 390, "height": 844})
        phone.get_by_role("button", name="Present").tap()
        expect(phone.locator(".answer")).to_be_visible()
        assert phone.locator(".dial-canvas").bounding_box()["height"] > 300
        phone.get_by_role("button", name="End presenting").tap()
        expect(phone.locator(".waves-card")).to_be_visible()
        expect(phone.get_by_role("button", name="End presenting")).to_be_hidden()


@pytest.mark.parametrize(
    ("size", "least"), [((1280, 720), 260), ((1366, 768), 280), ((1440, 900), 300), ((1920, 1080), 400)]
)
def test_the_dial_is_large_and_nothing_needs_scrolling(browser, server, size, least):
    tab = browser.new_page(viewport={"width": size[0], "height": size[1]})
    tab.goto(server)
    tab.wait_for_selector(".stage[data-drawn]")
    at_rest(tab)
    box = tab.locator(".dial-box").bounding_box()
    assert PICTURE_RADIUS * min(box["width"], box["height"]) >= least
    for name in (".answer", ".dial-box", ".waves-canvas", ".try"):
        part = tab.locator(name).bounding_box()
        assert part["y"] + part["height"] <= size[1]
    assert tab.evaluate("document.querySelector('.stMain').scrollHeight") <= size[1]
    tab.close()


def test_only_the_disc_of_the_dial_holds_a_swipe(page):
    """Beside it, in the corners of the card, a swipe or the wheel scrolls the page."""
    box = page.locator(".dial-box").bounding_box()
    page.mouse.move(box["x"] + 6, box["y"] + 6)
    page.mouse.wheel(0, -100)
    silent(page)
    assert angle(page) == 30
    touch = "(el, [x, y]) => getComputedStyle(el.getRootNode().elementFromPoint(x, y)).touchAction"
    stage = page.locator(".stage")
    assert stage.evaluate(touch, [box["x"] + 6, box["y"] + 6]) == "auto"
    centre = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    assert stage.evaluate(touch, centre) == "none"


def test_noise_is_seen_on_y_and_leaves_x_alone(page):
    before = {name: pixels(page, name) for name in (".fine-x", ".seen-x", ".fine-y", ".seen-y")}
    slider = page.get_by_role("slider", name="Pixel noise on y")
    slider.focus()
    for _ in range(8):
        slider.press("ArrowRight")
    address_has(page, "noise=0.4")
    silent(page)
    for name in (".fine-x", ".seen-x"):
        np.testing.assert_array_equal(pixels(page, name), before[name])
    for name in (".fine-y", ".seen-y"):
        assert np.abs(pixels(page, name) - before[name]).mean() > 8


def test_labels_of_the_waves_are_explained(page):
    """By hovering, and by a click, which opens the glossary; Escape closes it."""
    box = page.locator(".waves-canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 30, box["y"] + 34)  # loudness κ
    assert "height of the wave" in page.locator(".waves-canvas").get_attribute("title")
    page.mouse.click(box["x"] + 30, box["y"] + 34)  # weight
    expect(page.locator(".terms")).to_be_visible()
    expect(page.locator(".terms [data-term=weight]")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(page.locator(".terms")).to_be_hidden()
