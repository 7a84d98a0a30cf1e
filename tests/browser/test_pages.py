"""The other pages as a person uses them, in real Chromium."""

import io

import numpy as np
from PIL import Image
from playwright.sync_api import expect

from tests.shared.browser import (
    TIMEOUT_MS,
    address_has,
    angle,
    ask_again,
    choose,
    choose_model,
    dial_points,
    lab,
    says,
    text_changes,
    visit,
)


def test_filters_are_chosen_sorted_and_taken_away(page, tmp_path):
    visit(page, "Filters")
    page.get_by_text("48 filter pairs and 7 single filters").wait_for()
    assert page.locator(".name").inner_text() == "Subspace 28 · weight 4"  # the loudest for a square
    assert page.locator(".verdict").inner_text().startswith("Clearly weight 4")
    assert text_changes(page, ".name", lambda: page.locator(".grid").click(position={"x": 20, "y": 30})) == (
        "Subspace 1 · weight 0 · a single filter"
    )
    page.locator(".grid").focus()
    assert text_changes(page, ".name", lambda: page.keyboard.press("End")) == "Subspace 55 · weight 15"
    box = page.locator(".histogram").bounding_box()
    shown = text_changes(
        page, ".count", lambda: page.locator(".histogram").click(position={"x": box["width"] * 4.5 / 16, "y": 50})
    )
    assert shown == "5 of 55 shown"
    assert text_changes(page, ".count", lambda: page.locator(".all").click()) == "55 of 55 shown"
    shown = text_changes(page, ".count", lambda: page.locator(".pure").fill("99"))
    assert 0 < int(shown.split()[0]) < 55
    before = page.locator(".turn").input_value()
    page.wait_for_function("([el, old]) => el.value !== old", arg=[page.locator(".turn").element_handle(), before])
    page.locator(".player .play").click()
    with page.expect_download() as download:
        page.get_by_text("Filters as PNG").click()
    download.value.save_as(tmp_path / "sheet.png")
    with Image.open(tmp_path / "sheet.png") as sheet:
        assert sheet.width > 1000
    choose_model(page, "shift-16x16")
    page.get_by_text("shift-16x16: 126 filter pairs and 4 single filters").wait_for()
    assert "(" in page.locator(".name").inner_text()


def test_what_was_chosen_follows_to_all_pages_and_back(page):
    choose(page, "triangle")
    says(page, "Three turns")
    x, y, r = dial_points(page)
    page.mouse.move(x + r, y)
    page.mouse.down()
    page.mouse.move(x, y - r, steps=5)
    page.mouse.up()
    turned = angle(page)
    visit(page, "Filters")
    page.locator(".response-text").wait_for()
    choose_model(page, "rotation-16")
    page.get_by_text("rotation-16: 50 filter pairs").wait_for()
    visit(page, "Lab")
    says(page, "Three turns")
    assert angle(page) == turned
    assert page.locator(".circles-canvas [role=option]").count() == 50


def test_a_strangers_model_is_read_compared_and_used(page):
    visit(page, "Model")
    page.get_by_text("confirmed weights").first.wait_for(state="attached")
    buffer = io.BytesIO()
    np.save(buffer, np.linalg.qr(np.random.default_rng(0).normal(size=(64, 20)))[0])
    files = page.locator("input[type=file]")
    files.set_input_files({"name": "theirs.npy", "mimeType": "application/x", "buffer": buffer.getvalue()})
    page.get_by_text("No known group acts on these filters").wait_for()
    files.set_input_files({"name": "text.npz", "mimeType": "application/x", "buffer": b"hello"})
    page.get_by_text("This is not an .npy, .npz, .mat or .safetensors file").wait_for()
    page.get_by_role("tab", name="Compare").click()
    page.get_by_text("Models are compared on the same patches").wait_for()
    with page.expect_download() as download:
        page.get_by_role("tab", name="Report").click()
        page.get_by_text("Model (.npz)").click()
    assert download.value.suggested_filename == "theirs.npz"
    visit(page, "Filters")
    page.get_by_text("theirs: 10 filter pairs").wait_for()


def test_own_models_survive_a_reload_of_the_tab(page, server):
    buffer = io.BytesIO()
    np.save(buffer, np.linalg.qr(np.random.default_rng(0).normal(size=(64, 20)))[0])
    visit(page, "Model")
    files = page.locator("input[type=file]")
    files.wait_for(state="attached")
    files.set_input_files({"name": "mine.npy", "mimeType": "application/x", "buffer": buffer.getvalue()})
    address_has(page, "model=mine")
    page.wait_for_function("() => sessionStorage.getItem('tsa-models')")
    page.reload()
    page.get_by_text("No known group acts on these filters").wait_for()
    assert "model=mine" in page.url
    page.goto(f"{server}/filters?model=mine")
    page.get_by_text("mine: 10 filter pairs").wait_for()
    other = page.context.browser.new_page()  # another tab has no ticket
    other.goto(f"{server}/filters?model=mine")
    other.get_by_text("a model that is not available here (mine)").wait_for()
    other.get_by_text("rotation-16-refined: 48 filter pairs").wait_for()
    other.close()


def snapshot(page, **wanted):
    """Wait until the training component shows this; the data of its element."""
    element = page.locator(".film")
    element.wait_for()
    page.wait_for_function(
        "([el, wanted]) => Object.entries(wanted).every(([name, value]) => el.dataset[name] === value)",
        arg=[element.element_handle(), wanted],
        timeout=90_000,
    )
    return element.evaluate("el => ({ ...el.dataset, picture: el.querySelector('.frame').toDataURL() })")


def watch(page):
    """From now on, note what the component shows while it plays."""
    page.locator(".film").evaluate("""el => {
        el.played = [];
        new MutationObserver(() => el.dataset.playing === 'true' && el.played.push(Number(el.dataset.at)))
            .observe(el, { attributes: true });
    }""")


def choose_pairs(page, steps):
    page.get_by_role("slider", name="Training pairs").focus()
    for _ in range(abs(steps)):
        page.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")


def test_filters_emerge(browser, server):
    with lab(browser, server, reduced_motion="no-preference") as page:
        visit(page, "Train")
        page.get_by_text("shift in 1-D").click()
        watch(page)
        page.get_by_role("button", name="Start").click()
        page.get_by_text("Finished: learned from 100,000 pairs.").wait_for(timeout=90_000)
        snapshot(page, playing="true")  # by itself
        last = snapshot(page, playing="false", snapshots="21", at="20")["picture"]
        played = page.locator(".film").evaluate("el => el.played")
        assert played == sorted(played)
        assert played[0] == 0
        assert len(set(played)) > 10
        assert page.locator(".seen").inner_text() == "100,000 pairs"
        page.locator(".seek").fill("4")
        earlier = snapshot(page, at="4", playing="false")["picture"]
        assert earlier != last
        assert page.locator(".seen").inner_text() == "20,000 pairs"
        assert page.locator(".seek").get_attribute("aria-valuetext") == "20,000 pairs"
        ask_again(page, 2)  # two looks at the training change nothing
        assert snapshot(page, at="4", playing="false")["picture"] == earlier
        page.locator(".seek").focus()
        page.keyboard.press("End")
        assert snapshot(page, at="20")["picture"] == last
        page.locator(".film .play").click()
        snapshot(page, playing="true")
        page.locator(".film .play").click()
        assert int(snapshot(page, playing="false")["at"]) < 20
        page.get_by_role("button", name="Use on all pages").click()
        page.get_by_text("is now used on the page Filters").wait_for()
        address_has(page, "model=my+shift+32")
        visit(page, "Filters")
        page.get_by_text("my shift 32, 16 planes, 100k pairs: 16 filter pairs").wait_for()
        visit(page, "Train")
        assert snapshot(page, snapshots="21", at="20", playing="false")["picture"] == last  # still there after leaving
        page.get_by_role("button", name="Discard").click()
        page.get_by_text("Pairs to learn from").wait_for()


def test_a_training_survives_a_reload_and_a_copy_of_its_tab(browser, server):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{server}/train")
    page.get_by_text("Pairs to learn from").wait_for(timeout=TIMEOUT_MS)
    choose_pairs(page, 4)
    page.get_by_text("2,000,000").first.wait_for()
    page.get_by_role("button", name="Start").click()
    page.get_by_text("Learning: about").wait_for(timeout=TIMEOUT_MS)
    page.reload()
    page.get_by_text("of 2,000,000 pairs").wait_for(timeout=TIMEOUT_MS)
    with page.expect_popup() as opened:
        page.evaluate("() => { window.open(location.href); }")  # copies the storage of the tab
    copy = opened.value
    copy.get_by_text("Pairs to learn from").wait_for(timeout=TIMEOUT_MS)
    names = [tab.evaluate("sessionStorage.getItem('tsa-visitor')") for tab in (page, copy)]
    copy.wait_for_function("name => sessionStorage.getItem('tsa-visitor') !== name", arg=names[0])  # it was refused
    assert copy.get_by_text("Pairs to learn from").is_visible()
    page.get_by_role("button", name="Pause").click()  # still ours
    page.get_by_text("Paused at").wait_for()
    page.get_by_role("button", name="Discard").click()
    page.get_by_text("Pairs to learn from").wait_for()
    copy.close()
    page.close()


def test_snapshots_do_not_play_if_reduced_motion_is_preferred(browser, server):
    with lab(browser, server, reduced_motion="reduce") as page:
        visit(page, "Train")
        page.get_by_text("shift in 1-D").click()
        choose_pairs(page, -2)
        page.get_by_text("10,000").first.wait_for()
        watch(page)
        page.get_by_role("button", name="Start").click()
        page.get_by_text("Finished: learned from 10,000 pairs.").wait_for(timeout=90_000)
        snapshot(page, snapshots="3", at="2", playing="false")
        page.get_by_text("above its weight").wait_for()
        assert page.locator(".film").evaluate("el => el.played") == []
        page.locator(".film .play").click()  # unless they ask for it
        snapshot(page, playing="true")
        page.get_by_role("button", name="Discard").click()
        page.get_by_text("Pairs to learn from").wait_for()


def test_no_page_asks_for_what_is_not_there(browser, server):
    tab = browser.new_page()
    failed = []
    tab.on("response", lambda response: response.status >= 400 and failed.append(response.url))
    for path, drawn in (
        ("filters", ".sheet[data-chosen]"),
        ("orbits", ".orbit[data-drawn]"),
        ("motion", ".motion[data-drawn]"),
        ("", ".stage[data-drawn]"),
    ):
        tab.goto(f"{server}/{path}")
        tab.wait_for_selector(drawn)
    assert failed == []
    tab.close()


def test_the_menu_of_a_phone_is_closed_until_it_is_wanted(browser, server):
    tab = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    tab.goto(f"{server}/orbits")
    tab.wait_for_selector(".orbit[data-drawn]")
    link = tab.get_by_test_id("stSidebarNavLink").filter(has_text="Filters")
    for _ in range(2):
        expect(link).not_to_be_in_viewport()
        tab.get_by_test_id("stExpandSidebarButton").click()
        expect(link).to_be_in_viewport()
        tab.reload()  # the browser has kept that the menu was open
        tab.wait_for_selector(".orbit[data-drawn]")
    tab.get_by_test_id("stExpandSidebarButton").click()
    link.click()
    tab.wait_for_selector(".sheet[data-chosen]")
    expect(link).not_to_be_in_viewport()
    tab.close()


def test_an_embedded_page_has_no_navigation(browser, server):
    tab = browser.new_page()
    tab.goto(f"{server}/orbits?embed=true")
    tab.wait_for_selector(".orbit[data-drawn]")
    assert tab.get_by_role("link", name="Filters", exact=True).count() == 0
    assert tab.get_by_test_id("stHeaderLogo").count() == 0
    tab.close()


def test_steps_add_nothing_to_the_history(browser, server):
    tab = browser.new_page()
    tab.goto(f"{server}/recognise")
    tab.wait_for_selector(".recognise[data-drawn]")
    before = tab.evaluate("history.length")
    tab.locator(".dial").focus()
    for degrees in (35, 40, 45):
        tab.keyboard.press("ArrowLeft")
        address_has(tab, f"angle={degrees}")
    assert tab.evaluate("history.length") == before
    tab.goto(f"{server}/orbits")
    tab.wait_for_selector(".orbit[data-drawn]")
    before = tab.evaluate("history.length")
    tab.locator("input.first").focus()
    tab.keyboard.press("ArrowRight")
    address_has(tab, "orbit=")
    assert tab.evaluate("history.length") == before
    tab.get_by_role("button", name="4 : 8").click()  # a choice, to which Back leads
    address_has(tab, "orbit=4-8")
    assert tab.evaluate("history.length") == before + 1
    tab.close()
