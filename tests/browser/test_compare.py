"""Pins beside each other, parts that a link or a file leaves out, and what a screen reader says; in Chromium."""

import json
import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

import tsa
from tests.shared.browser import address_has, at_rest, silent
from tsa.pictures import shapes
from tsa.stage import Compared, Scene, compare_page, comparison_words, stage_page

MODEL = tsa.load("rotation-16-refined")
FOUR = "x*shape.square**x*shape.square*sigma*1.0**x*shape.F**x*shape.square*model*rotation-16"


def scene(shape="square", sigma=0.5, model=MODEL, angle=30):
    return Scene(model.with_noise(sigma), shapes.draw(shape, 128), angle=angle)


def said(scenes):
    return comparison_words([Compared.of(one, whole=False) for one in scenes])[0]


def compare_opened(tab, address):
    tab.goto(address)
    tab.wait_for_selector(".compare[data-drawn]")


def test_pins_are_made_compared_turned_shown_and_removed(page):
    pin, compare = page.locator(".stage .pin"), page.locator(".stage .compare")
    expect(compare).to_be_hidden()
    pin.click()
    expect(pin).to_have_text("Pinned: 1")
    expect(pin).to_be_disabled()
    page.get_by_role("radio", name="F", exact=True).click()
    expect(pin).to_have_text("Pin")
    expect(pin).to_be_enabled()
    pin.click()
    expect(compare).to_have_text("Compare 2")
    compare.click()
    page.wait_for_selector(".compare[data-drawn]")
    expect(page.locator(".pin .label")).to_have_text(["square", "F"])
    certainty, shared = said([scene(), scene("F")])
    expect(page.locator(".certainty")).to_have_text(certainty)
    expect(page.locator(".shared")).to_have_text(shared)
    # One dial turns all: by the pointer on the second, then by a key.
    hold = page.locator(".hold").nth(1)
    box = hold.bounding_box()
    x, y, r = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["width"] * 0.4
    page.mouse.move(x + r, y)
    page.mouse.down()
    page.mouse.move(x, y - r, steps=8)
    page.mouse.up()
    expect(page.locator(".compare .turn")).to_have_text("120°")
    address_has(page, "angle=120")
    page.keyboard.press("ArrowLeft")  # the dial has the focus
    expect(page.locator(".compare .turn")).to_have_text("121°")
    expect(page.locator(".pin-answer").nth(1)).to_have_text("By 121°.")
    expect(page.locator(".shared")).to_have_text(said([scene(angle=121), scene("F", angle=121)])[1])
    # The second on the stage, and back; then without it.
    page.get_by_role("button", name="Show pin 2 on the stage").click()
    page.wait_for_selector(".stage[data-drawn]")
    expect(page.locator(".answer")).to_have_text("By 121°.")
    expect(pin).to_have_text("Pinned: 2")
    compare.click()
    page.wait_for_selector(".compare[data-drawn]")
    silent(page)
    page.get_by_role("button", name="Remove pin 2").click()
    expect(page.locator(".pin .label")).to_have_text(["square, σ = 0.5"])
    page.get_by_role("button", name="← Stage").click()
    expect(pin).to_have_text("Pin")
    page.wait_for_function("() => !location.search.includes('compare=1')")  # or Back would lead one step further
    page.go_back()
    expect(page.locator(".pin .label")).to_have_text(["square, σ = 0.5"])


def test_a_press_counts_although_the_next_message_follows_at_once(page, server):
    """Streamlit keeps the newest message of a component only, as when the server is busy with something else."""
    compare_opened(page, f"{server}/?compare=1&pins={FOUR}")
    silent(page)
    page.locator(".compare").evaluate("""all => {
        const key = new KeyboardEvent('keydown', { key: 'ArrowLeft' });
        for (const number of [2, 1]) {
            all.querySelector(`.pin:nth-child(${number}) .remove`).click();
            all.querySelector('.dial').dispatchEvent(key);
        }
    }""")
    expect(page.locator(".pin .label")).to_have_count(2)
    expect(page.locator(".compare .turn")).to_have_text("32°")
    address_has(page, "angle=32")


def test_a_link_restores_four_pins(page, browser, server):
    compare_opened(page, f"{server}/?compare=1&pins={FOUR}&angle=50&log=1")
    expect(page.locator(".pin")).to_have_count(4)
    other = tsa.load("rotation-16")
    certainty, shared = said(
        [scene(angle=50), scene(sigma=1.0, angle=50), scene("F", angle=50), scene(model=other, angle=50)]
    )
    expect(page.locator(".certainty")).to_have_text(certainty)
    expect(page.locator(".shared")).to_have_text(shared)
    expect(page.locator(".scale")).to_have_attribute("aria-pressed", "true")
    page.locator(".scale").click()
    page.wait_for_function("() => !location.search.includes('log=1')")
    address = page.url
    assert len(address) <= 2000
    again = browser.new_page(viewport={"width": 1440, "height": 900})
    compare_opened(again, address)
    at_rest(again)
    at_rest(page)
    assert again.locator(".certainty").inner_text() == certainty
    for canvas in (".strip", ".pin:nth-child(3) .dial-canvas"):
        pictures = [tab.locator(canvas).evaluate("canvas => canvas.toDataURL()") for tab in (page, again)]
        assert pictures[0] == pictures[1]
    again.close()


def test_every_dial_and_the_strip_change_with_every_degree(page, server):
    compare_opened(page, f"{server}/?compare=1&pins={FOUR}")
    canvases = page.locator("canvas")
    pictures = "all => all.map((canvas) => canvas.toDataURL())"
    page.locator(".compare .dial").focus()
    before = canvases.evaluate_all(pictures)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".compare .turn")).to_have_text("31°")
    after = canvases.evaluate_all(pictures)
    assert len(before) == 5
    assert all(one != other for one, other in zip(before, after, strict=True))


def test_turning_sends_nothing_to_the_server(page, server):
    compare_opened(page, f"{server}/?compare=1&pins={FOUR}")
    silent(page)
    page.locator(".compare .play").click()
    page.traffic.clear()
    expect(page.locator(".compare .turn")).to_have_text(re.compile("^(9.|1..)°$"))
    assert page.traffic == []  # for more than 60 drawings


PARTS = {
    "scenes": ".starts",
    "tools": ".tools",
    "pins": ".stage .pin",
    "player": ".player",
    "try": ".try",
    "waves": ".waves-card",
}


@pytest.mark.parametrize("part", PARTS)
def test_a_link_leaves_out_a_part_of_the_stage(page, server, part):
    expect(page.locator(PARTS[part])).to_be_visible()
    page.goto(f"{server}/?hide={part}")
    page.wait_for_selector(".stage[data-drawn]")
    expect(page.locator(PARTS[part])).to_be_hidden()
    for other, selector in PARTS.items():
        if other != part and (part, other) != ("tools", "pins"):
            expect(page.locator(selector)).to_be_visible()
    assert page.locator(".dial-canvas").bounding_box()["width"] > 300
    expect(page.get_by_role("radio", name="hexagon", exact=True)).to_be_visible()


@pytest.mark.parametrize(("hide", "gone", "there"), [
    (["tools", "player"], [".tools", ".player"], [".try", ".waves-card"]),
    (["waves", "try"], [".try", ".waves-card"], [".tools", ".player"]),
])  # fmt: skip
def test_a_file_opens_with_what_it_leaves_out(browser, tmp_path, hide, gone, there):
    """No server, no network: what is left out stands in the file."""
    (tmp_path / "stage.html").write_text(stage_page(scene(), hide=hide), encoding="utf-8")
    with offline(browser, tmp_path / "stage.html", ".stage") as tab:
        for selector in gone:
            expect(tab.locator(selector)).to_be_hidden()
        for selector in there:
            expect(tab.locator(selector)).to_be_visible()
        tab.keyboard.press("ArrowLeft")
        expect(tab.locator(".answer")).to_contain_text("31°")


def test_a_comparison_works_from_a_file(browser, tmp_path):
    pins = [scene(), scene(sigma=1.0), scene("F")]
    file = tmp_path / "compare.html"
    file.write_text(compare_page(pins, ["one", "two", "three"], hide=["player"], describe=True), encoding="utf-8")
    with offline(browser, file, ".compare") as tab:
        expect(tab.locator(".player")).to_be_hidden()
        expect(tab.get_by_role("button", name="Remove pin 1")).to_be_hidden()
        expect(tab.locator(".certainty")).to_have_text(said(pins)[0])
        tab.keyboard.press("ArrowLeft")
        expect(tab.locator(".pin-answer").nth(2)).to_have_text("By 31°.")
        expect(tab.locator(".described li").first).to_contain_text("31 degrees")


@contextmanager
def offline(browser, file, ready):
    """A file, opened in a browser without a network; an error on the page, or a request, fails the test."""
    context, troubles = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True), []
    tab = context.new_page()
    tab.on("pageerror", lambda error: troubles.append(str(error)))
    tab.on("request", lambda one: one.url.startswith(("file:", "blob:", "data:")) or troubles.append(one.url))
    tab.goto(file.as_uri())
    tab.wait_for_selector(f"{ready}[data-drawn]")
    yield tab
    context.close()
    assert troubles == []


def accessible_names(tab):
    """Names of pictures and sliders, as Chromium computes them for assistive technology."""
    session = tab.context.new_cdp_session(tab)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    told = [node for node in nodes if node.get("role", {}).get("value") in ("image", "slider") and not node["ignored"]]
    return {node["name"]["value"] for node in told}


PICTURES = ":is([role=img][aria-label], [role=slider])"
LABELS = """all => all.filter((one) => one.checkVisibility({ visibilityProperty: true })).map((one) =>
    [one.ariaLabel, one.role === 'img' ? null : one.ariaValueText ?? one.ariaValueNow])"""


@pytest.mark.parametrize("ready", [".stage", ".compare"])
def test_the_description_is_what_a_screen_reader_gets(page, server, ready):
    if ready == ".compare":
        compare_opened(page, f"{server}/?compare=1&pins={FOUR}")
        page.locator(".compare .describe").click()
    else:
        page.locator(".stage .describe").click()
        address_has(page, "describe=1")
    for key, angle in (("ArrowLeft", 31), ("PageUp", 41)):
        page.locator(f"{ready} .dial").focus()
        page.keyboard.press(key)
        at_rest(page)
        expect(page.locator(".described")).to_contain_text(f"{angle} degrees")  # when the dial has come to rest
        described = page.locator(".described li").all_inner_texts()
        shown = page.locator(f"{ready} {PICTURES}").evaluate_all(LABELS)  # all else on the page is left out
        assert len(shown) >= 5
        # Chromium's tree has the number of a slider, and not the text that ARIA puts in its place.
        assert {name for name, _ in shown} <= accessible_names(page)
        assert {name if value is None else f"{name}: {value}" for name, value in shown} <= set(described)


def test_a_hidden_answer_is_not_described(page, server):
    page.goto(f"{server}/?predict=1&describe=1&x=shape.F&angle=137")
    page.wait_for_selector(".stage[data-drawn]")
    at_rest(page)
    expect(page.locator(".described")).to_contain_text("137 degrees")
    described = page.locator(".described li").all_inner_texts()
    assert described
    assert not any("By 137°" in text or "peaks at" in text for text in described)
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator(".described")).to_contain_text("By 137°")
    expect(page.locator(".described")).to_contain_text("peaks at 137°")


def test_a_link_is_built_and_previewed_and_the_file_leaves_out_the_same(page, browser, server, tmp_path):
    page.goto(f"{server}/share?x=shape.F&angle=120")
    preview = page.frame_locator("iframe")
    expect(preview.locator(".answer")).to_have_text("By 120°.")
    expect(preview.locator(".waves-card")).to_be_visible()
    for name in ("Waves", "Play", "Picture x"):
        page.get_by_role("checkbox", name=name, exact=True).press("Space")
        expect(page.get_by_role("checkbox", name=name, exact=True)).to_be_checked()
    page.locator("[data-testid=stCode]", has_text="hide=player,waves,x").first.wait_for()
    expect(preview.locator(".waves-card")).to_be_hidden()
    expect(preview.locator(".player")).to_be_hidden()
    expect(preview.locator(".try")).to_be_visible()
    link = page.locator("[data-testid=stCode] code").first.inner_text().strip()
    page.get_by_role("button", name="A page in one file").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="A page in one file").click()
    (tmp_path / "stage.html").write_bytes(download.value.path().read_bytes())
    with offline(browser, tmp_path / "stage.html", ".stage") as tab:
        expect(tab.locator(".answer")).to_have_text("By 120°.")
        expect(tab.locator(".waves-card")).to_be_hidden()
        expect(tab.locator(".player")).to_be_hidden()
        expect(tab.locator(".try")).to_be_visible()
    page.goto(link)
    page.wait_for_selector(".stage[data-drawn]")
    expect(page.locator(".waves-card")).to_be_hidden()
    expect(page.get_by_text("Expected noise σ")).to_be_visible()
    expect(page.get_by_text("Picture x", exact=True)).to_be_hidden()


def test_a_link_opens_on_the_whole_window(page, server):
    page.goto(f"{server}/?present=1&angle=40")
    page.wait_for_selector(".stage:popover-open[data-drawn]")
    expect(page.locator(".waves-card")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator(".waves-card")).to_be_visible()


def test_the_summaries_of_pins_are_saved(page, server):
    compare_opened(page, f"{server}/?compare=1&pins={FOUR}&angle=10&hide=player")
    page.get_by_role("button", name="Save").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Summaries (JSON)").click()
    read = json.loads(download.value.path().read_text())
    assert [pin["sigma"] for pin in read["pins"]] == [0.5, 1.0, 0.5, 0.5]
    assert read["in words"].startswith(page.locator(".certainty").inner_text())
