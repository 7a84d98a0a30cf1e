"""The other pages as a person uses them, in real Chromium."""

import io

import numpy as np
from PIL import Image

from tests.browser.test_lab import angle, choose, dial_points, says


def visit(page, name):
    page.get_by_role("link", name=name, exact=True).click()


def choose_model(page, name):
    page.locator("[data-testid=stSelectbox] input").first.click()
    page.get_by_role("option", name=name, exact=True).click()


def text_changes(page, selector, action):
    """Do something and wait until this text is another one."""
    element = page.locator(selector)
    before = element.inner_text()
    action()
    page.wait_for_function("([el, old]) => el.innerText !== old", arg=[element.element_handle(), before])
    return element.inner_text()


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
        page.get_by_text("Sheet as PNG").click()
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
    assert page.locator(".circles-title").inner_text().startswith("50 subspaces")


def test_a_strangers_model_is_read_compared_and_used(page):
    visit(page, "Model")
    page.get_by_text("confirmed weights").first.wait_for(state="attached", timeout=30_000)
    buffer = io.BytesIO()
    np.save(buffer, np.linalg.qr(np.random.default_rng(0).normal(size=(64, 20)))[0])
    files = page.locator("input[type=file]")
    files.set_input_files({"name": "theirs.npy", "mimeType": "application/x", "buffer": buffer.getvalue()})
    page.get_by_text("No group we know acts on these filters").wait_for(timeout=30_000)
    files.set_input_files({"name": "text.npz", "mimeType": "application/x", "buffer": b"hello"})
    page.get_by_text("This is not a readable .npz or .npy file").wait_for()
    page.get_by_role("tab", name="Compare").click()
    page.get_by_text("Models are compared on the same patches").wait_for()
    with page.expect_download() as download:
        page.get_by_role("tab", name="Report").click()
        page.get_by_text("Model (.npz)").click()
    assert download.value.suggested_filename == "theirs.npz"
    visit(page, "Filters")
    page.get_by_text("theirs: 10 filter pairs").wait_for()


def test_filters_emerge(page):
    visit(page, "Train")
    page.get_by_text("shift in 1-D").click()
    page.get_by_role("button", name="Start").click()
    page.get_by_text("The filters as they are now").wait_for(timeout=30_000)
    page.get_by_text("Finished: learned from 100,000 pairs.").wait_for(timeout=90_000)
    page.get_by_role("button", name="Use on all pages").click()
    page.get_by_text("is now used in the lab").wait_for()
    visit(page, "Filters")
    page.get_by_text("my shift 32, 16 planes, seed 0: 16 filter pairs").wait_for()
    visit(page, "Train")
    page.get_by_text("The filters as they are now").wait_for()  # still there after leaving
    page.get_by_role("button", name="Discard").click()
    page.get_by_text("Nothing but pairs").wait_for()
