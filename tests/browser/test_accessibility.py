"""The explorer for everyone, in real Chromium: axe-core judges every page; no mouse, no motion, a phone, a zoom."""

from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.shared.browser import ONE_TURN, angle, at_rest, open_sheet, says
from tsa.stage import show

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
JUDGE = """async () => (await axe.run(document, { resultTypes: ['violations'] })).violations
    .filter((found) => ['serious', 'critical'].includes(found.impact))
    .map((found) => [found.id, ...found.nodes.map((node) => node.html.slice(0, 200))])"""

# Walks through open shadow roots as well.
ALL = """(selector) => {
    const inside = (root) => [...(root?.querySelectorAll('*') ?? [])].flatMap((e) => [e, ...inside(e.shadowRoot)]);
    return inside(document).filter((e) => e.matches(selector));
}"""
FOCUS = """() => {
    let e = document.activeElement;
    while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
    return e;
}"""


def judged(tab):
    tab.evaluate(AXE)
    return tab.evaluate(JUDGE)


@pytest.fixture
def tab(browser, scheme):
    page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
    page.set_default_timeout(30_000)
    yield page
    page.close()


# Each of these opens a page and stops wherever it is to be judged.


def lab(tab, address, tmp_path):
    tab.goto(address)
    tab.wait_for_selector(".stage[data-drawn]")
    yield "shapes"
    tab.locator(".keys-button").click()
    yield "keys"
    tab.keyboard.press("Escape")
    tab.locator(".terms-button").click()
    yield "terms"
    tab.keyboard.press("Escape")
    tab.get_by_text("Draw", exact=True).click()
    tab.wait_for_selector(".paper")
    yield "draw"
    tab.get_by_text("Digits", exact=True).click()
    tab.wait_for_selector(".st-key-gallery_digit_x")
    yield "digits"
    Image.linear_gradient("L").resize((300, 200)).save(tmp_path / "photo.png")
    tab.get_by_text("Upload", exact=True).click()
    tab.locator("input[type=file]").set_input_files(tmp_path / "photo.png")
    tab.wait_for_selector(".photo[data-name]")
    yield "upload"
    tab.get_by_text("Another picture").click()
    tab.wait_for_selector(".st-key-source_y")
    yield "another picture"
    tab.get_by_role("button", name="Save").click()
    tab.get_by_text("Posterior (CSV)").wait_for()
    yield "save"


def compare(tab, address, tmp_path):
    tab.goto(f"{address}/?compare=1&pins=x*shape.square**x*shape.F*sigma*1.0**x*digit.18*y*digit.28&angle=40")
    tab.wait_for_selector(".compare[data-drawn]")
    yield "pins"
    tab.get_by_role("button", name="Describe").click()
    tab.wait_for_selector(".described li")
    yield "described"


def motion(tab, address, tmp_path):
    tab.goto(f"{address}/motion")
    tab.wait_for_selector(".motion[data-drawn]")
    tab.get_by_role("button", name="Observe again").wait_for()
    yield "motion"
    tab.get_by_role("button", name="Save").click()
    tab.get_by_text("Posterior (CSV)").wait_for()
    yield "save"


def recognise(tab, server, tmp_path):
    tab.goto(f"{server}/recognise?x=digit.10")
    tab.wait_for_selector(".recognise .dial-canvas", timeout=60_000)
    tab.wait_for_selector(".recognise .sentence:not(:empty)")
    yield "recognise"


def filters(tab, address, tmp_path):
    tab.goto(f"{address}/filters")
    tab.wait_for_selector(".sheet[data-chosen]")
    yield "filters"


def model(tab, address, tmp_path):
    tab.goto(f"{address}/model")
    tab.get_by_text("confirmed weights").first.wait_for(state="attached")
    tab.wait_for_selector(".js-plotly-plot .main-svg")
    yield "report"
    tab.get_by_role("tab", name="Refine").click()
    tab.get_by_text("Refinement splits the learned subspaces").wait_for()
    yield "refine"
    tab.get_by_role("tab", name="Compare").click()
    tab.get_by_text("Pairs of subspaces with the same weight").wait_for()
    yield "compare"
    tab.get_by_role("tab", name="Provenance").click()
    tab.get_by_test_id("stJson").wait_for()
    yield "provenance"


def train(tab, address, tmp_path):
    tab.goto(f"{address}/train")
    tab.get_by_text("Pairs to learn from").wait_for()
    yield "before"
    tab.get_by_text("shift in 1-D").click()
    tab.get_by_role("button", name="Start").click()
    tab.get_by_text("The filters as they are now").wait_for()
    yield "while"
    tab.get_by_text("Finished: learned from 100,000 pairs.").wait_for(timeout=120_000)
    yield "after"


def orbits(tab, address, tmp_path):
    tab.goto(f"{address}/orbits")
    tab.wait_for_selector(".orbit[data-drawn]")
    yield "orbits"


def home(tab, address, tmp_path):
    tab.goto(f"{address}/home")
    tab.wait_for_selector(".home[data-drawn]")
    tab.wait_for_selector(".stage[data-drawn]")
    yield "home"


def lesson(tab, address, tmp_path):
    tab.goto(f"{address}/lesson")
    tab.wait_for_selector(".course .cards li")
    yield "all lessons"
    for step in range(1, 5):
        tab.goto(f"{address}/lesson?lesson=symmetry&step={step}")
        tab.wait_for_selector(f".lesson[data-step='{step}']")
        tab.wait_for_selector(".stage[data-drawn]")
        at_rest(tab)
        yield f"step {step}"
    tab.get_by_role("button", name="Check").click()
    tab.wait_for_selector(".verdict:not(:empty)")
    yield "verdict"


def film(tab, address, tmp_path):
    tab.goto(f"{address}/film?frame=138")
    tab.wait_for_selector(".film[data-drawn]")
    yield "film"


def dft(tab, address, tmp_path):
    tab.goto(f"{address}/dft")
    tab.wait_for_selector(".dft[data-drawn]")
    yield "dft"


def share(tab, address, tmp_path):
    tab.goto(f"{address}/share?angle=40")
    tab.frame_locator("iframe").locator(".stage[data-drawn]").wait_for()
    tab.get_by_text("HTML, to embed it").wait_for()
    yield "share"


def offline(tab, address, tmp_path):
    show("square").save(tmp_path / "stage.html")
    tab.goto((tmp_path / "stage.html").as_uri())
    tab.wait_for_selector(".stage[data-drawn]")
    yield "offline"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "visit", [lab, compare, motion, filters, recognise, model, train, orbits, home, lesson, film, dft, share, offline]
)
def test_axe_finds_nothing_serious(tab, server, tmp_path, visit):
    found = {place: judged(tab) for place in visit(tab, server, tmp_path)}
    assert {place: troubles for place, troubles in found.items() if troubles} == {}


@pytest.mark.parametrize("scheme", ["dark"])
def test_axe_finds_nothing_serious_at_first_sight(tab, server, tmp_path):
    next(lab(tab, server, tmp_path))
    assert judged(tab) == []
    tab.locator(".dial").evaluate("dial => dial.removeAttribute('aria-label')")
    assert [trouble[0] for trouble in judged(tab)] == ["aria-input-field-name"]  # it does look into our components


def go_to(page, selector, key="Tab"):
    """Press Tab until this has the focus, and see that it shows."""
    for _ in range(80):
        page.keyboard.press(key)
        focus = page.evaluate_handle(FOCUS).as_element()
        if focus.evaluate("(e, selector) => e.matches(selector)", selector):
            assert focus.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
            return focus
    raise AssertionError(f"{selector} cannot be reached")


def test_all_of_the_lab_without_a_mouse(page, tmp_path):
    go_to(page, ".st-key-source_x [role=radio]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.wait_for_selector(".paper")
    go_to(page, ".paper")
    page.keyboard.press("Space")
    for _ in range(8):
        page.keyboard.press("ArrowUp")
    assert page.locator(".st-key-pad_x .spoken").inner_text() == "Pen down, 50 % across, 50 % down."
    page.keyboard.press("Space")
    says(page, ONE_TURN)
    dial = go_to(page, ".dial")
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    assert angle(page) == 35
    assert dial.get_attribute("aria-valuetext") == "35 degrees. By 35°."
    go_to(page, ".circles-canvas")
    page.keyboard.press("Home")
    assert page.locator(".detail-title").inner_text() == "Subspace 1 · weight 0"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    chosen = page.locator(".circles-canvas [aria-selected=true]")
    assert chosen.get_attribute("id") == page.locator(".circles-canvas").get_attribute("aria-activedescendant")
    title = page.locator(".detail-title").inner_text()
    assert title != "Subspace 2 · weight 0"
    assert chosen.text_content().startswith(title.replace(" ·", ","))
    go_to(page, ".st-key-save_menu button", "Shift+Tab")
    page.keyboard.press("Enter")
    page.get_by_text("Posterior (CSV)").wait_for()
    for name in ("stage.html", "posterior.csv"):
        go_to(page, f"[class*='st-key-save-{name.replace('.', '-')}'] button")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    download.value.save_as(tmp_path / "posterior.csv")
    assert (tmp_path / "posterior.csv").read_text().count("\n") > 360


@pytest.mark.slow
def test_the_keys_are_explained(page):
    go_to(page, ".keys-button")
    page.keyboard.press("Enter")
    described = page.locator(".dial").get_attribute("aria-describedby")
    expect(page.locator(f"#{described}")).to_be_visible()
    assert "Space plays and pauses" in page.locator(f"#{described}").inner_text()
    page.keyboard.press("Escape")
    expect(page.locator(f"#{described}")).to_be_hidden()


@pytest.mark.slow
def test_every_picture_is_told_in_words(page):
    for canvas in page.evaluate_handle(ALL, "canvas:not([aria-hidden])").get_properties().values():
        label = canvas.as_element().get_attribute("aria-label")
        assert label, canvas.as_element().get_attribute("class")
    strip = page.locator(".waves-canvas").get_attribute("aria-label")
    assert "peaks at 30° with 25 % of the probability, 120°" in strip
    assert strip.endswith("The true turn is 30°. Uncertainty 5.8 of 8.5 bits.")
    chosen = page.locator(".circles-canvas [aria-selected=true]").text_content()
    assert chosen.startswith("Subspace 28, weight 4: phase 119°, certainty 94 %.")


@pytest.mark.slow
def test_nothing_is_spoken_while_it_moves(page):
    stage = page.locator(".stage").element_handle()
    page.locator(".play").click()
    page.wait_for_function("stage => Number(stage.dataset.angle) > 40", arg=stage)
    stage.evaluate("""stage => {
        const told = new MutationObserver(() => (stage.dataset.told = true));
        told.observe(stage.querySelector('.spoken'), { childList: true, characterData: true, subtree: true });
        told.observe(stage.querySelector('.dial'), { attributes: true });
        for (const one of stage.querySelectorAll('canvas')) told.observe(one, { attributeFilter: ['aria-label'] });
    }""")
    page.wait_for_function("stage => Number(stage.dataset.angle) > 80", arg=stage)
    assert stage.get_attribute("data-told") is None
    assert page.locator(".play").get_attribute("aria-label") == "Pause the rotation"
    page.locator(".play").click()
    page.wait_for_selector(f".dial[aria-valuenow='{angle(page)}']")
    assert stage.get_attribute("data-told") == "true"
    assert page.locator(".spoken").first.text_content() == page.locator(".answer").inner_text()


@pytest.mark.slow
def test_who_wants_no_motion_gets_none_until_it_is_asked_for(browser, server):
    tab = browser.new_page(reduced_motion="reduce")
    tab.goto(f"{server}/filters")
    tab.wait_for_selector(".sheet[data-chosen]")
    assert tab.locator(".play").get_attribute("aria-label") == "Play the phase"
    turn, start = tab.locator(".turn").element_handle(), tab.locator(".turn").input_value()
    tab.locator(".play").click()
    tab.wait_for_function("([el, start]) => el.value !== start", arg=[turn, start])
    tab.goto(f"{server}/orbits")
    tab.wait_for_selector(".orbit[data-drawn]")
    assert tab.locator(".play").get_attribute("aria-label") == "Play"
    tab.close()


# Smaller than a fingertip, or off the screen; a gallery goes on to the right.
UNTOUCHABLE = """all => all
    .filter((e) => e.checkVisibility({ visibilityProperty: true }))
    .map((e) => [e, e.getBoundingClientRect()])
    .filter(([e, box]) => box.height < 40 || box.width < 40 || (box.right > 390 && !e.closest('[class*=gallery]')))
    .map(([e, box]) => `${e.ariaLabel || e.textContent}: ${box.width} x ${box.height}, until ${box.right}`)"""


@pytest.mark.slow
@pytest.mark.parametrize("source", ["Shapes", "Draw", "Digits"])
def test_a_phone_has_the_dial_first_and_controls_in_sheets(browser, server, source):
    tab = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    tab.goto(server)
    tab.wait_for_selector(".stage[data-drawn]")
    dial = tab.locator(".dial").bounding_box()
    assert dial["y"] + dial["height"] < 844 - 64  # the dial is seen without scrolling, above the dock
    assert min(dial["width"], dial["height"]) > 240
    controls = tab.locator(".st-key-labcontrols_picture")
    assert controls.is_hidden()
    open_sheet(tab, "Picture")
    tab.get_by_text(source, exact=True).first.tap()
    tab.wait_for_selector({"Draw": ".paper"}.get(source, f".st-key-gallery_{source[:-1].lower()}_x"))
    sheet = controls.bounding_box()
    assert sheet["x"] >= 0
    assert sheet["x"] + sheet["width"] <= 390
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert tab.evaluate("document.querySelector('.stMain').scrollWidth") <= 390
    inside = "button:not(.switch), select, summary, [tabindex]:not(.flag)"  # a finger takes the axis
    touched = f":is(.stage, .pad) :is({inside}), [role=radio], .stButton button"
    assert tab.evaluate(UNTOUCHABLE, tab.evaluate_handle(ALL, touched)) == []
    tab.close()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["", "/motion", "/filters", "/model", "/train", "/orbits"])
def test_everything_fits_at_twice_the_size(browser, server, path):
    """A window of 1440 by 900 zoomed to 200 % has 720 by 450 pixels of its own."""
    context = browser.new_context(viewport={"width": 720, "height": 450}, device_scale_factor=2)
    tab = context.new_page()
    tab.goto(server + path)
    tab.wait_for_selector(
        ".stage[data-drawn], .motion[data-drawn], .sheet[data-chosen], .orbit[data-drawn], .stTabs, .film[data-at]"
    )
    tab.locator(".card, .stSlider, .stSelectbox").locator("visible=true").first.wait_for()
    at_rest(tab)
    assert tab.evaluate("document.querySelector('.stMain').scrollWidth") <= 720
    boxes = "all => all.filter((e) => e.clientWidth).map((e) => e.getBoundingClientRect().toJSON())"
    sizes = tab.evaluate(boxes, tab.evaluate_handle(ALL, ".card, .stSlider, .stSelectbox"))
    assert sizes
    assert all(box["width"] >= 250 and box["right"] <= 720 for box in sizes)
    context.close()
