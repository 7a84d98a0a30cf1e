"""A link opens the same stage in a fresh browser; a page taken away turns without a network."""

import io

import numpy as np
import pytest
from PIL import Image, ImageChops
from playwright.sync_api import expect

from tests.shared.browser import address_has, angle, choose, draw_something, says
from tsa import show


def upload_something(page):
    photo = np.random.default_rng(0).integers(0, 255, (90, 120, 3), np.uint8)
    photo[20:70, 30:50] = 255
    buffer = io.BytesIO()
    Image.fromarray(photo).save(buffer, "PNG")
    page.get_by_text("Upload", exact=True).first.click()
    page.get_by_text("Until then").wait_for()
    page.locator("input[type=file]").set_input_files(
        {"name": "photo.png", "mimeType": "image/png", "buffer": buffer.getvalue()}
    )
    page.wait_for_selector(".photo[data-name]")
    address_has(page, "photo.")


def choose_digit(page):
    page.get_by_text("Digits", exact=True).click()
    page.get_by_role("radio", name="a handwritten 7").first.click()
    address_has(page, "digit.")


SOURCES = {
    "shape": lambda page: choose(page, "pentagon"),
    "drawing": draw_something,
    "digit": choose_digit,
    "photo": upload_something,
}


def copied_link(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".link").click()
    page.get_by_text("Copied", exact=True).wait_for()
    expect(page.locator(".link")).to_have_text("Copy link")  # the stage looks again as it did before the click
    return page.evaluate("navigator.clipboard.readText()")


def stage_pixels(page):
    page.mouse.move(1, 1)
    return Image.open(io.BytesIO(page.locator(".stage").screenshot())).convert("RGB")


def differing(a, b):
    """The part of the pixels that differ by more than 8 of 255."""
    return float((np.asarray(ImageChops.difference(a, b)).max(axis=-1) > 8).mean())


@pytest.mark.parametrize("source", SOURCES)
def test_a_copied_link_opens_the_same_stage(page, browser, source):
    SOURCES[source](page)
    page.locator(".scale").click()
    page.locator(".dial").focus()
    page.keyboard.press("PageUp")
    address_has(page, "angle=40")
    link = copied_link(page)
    if source == "drawing":
        assert len(link) <= 600
    fresh = browser.new_context(viewport={"width": 1440, "height": 900})
    other = fresh.new_page()
    other.goto(link)
    other.wait_for_selector(".stage[data-angle='40']")
    other.wait_for_function(
        "([el, text]) => el.textContent === text",
        arg=[other.locator(".answer").element_handle(), page.locator(".answer").inner_text()],
    )
    assert differing(stage_pixels(page), stage_pixels(other)) < 1e-3
    fresh.close()


def test_a_teacher_hides_controls_and_embeds_the_stage(browser, server):
    tab = browser.new_page(viewport={"width": 1440, "height": 900})
    tab.goto(f"{server}/?x=shape.hexagon&hide=x,sigma,nonsense")
    says(tab, "Six turns")
    tab.get_by_text("Pixel noise on y").wait_for()  # controls are drawn after the stage
    assert tab.get_by_text("Picture x", exact=True).count() == 0
    assert tab.get_by_text("Expected noise σ").count() == 0
    tab.goto(f"{server}/?embed=true&x=shape.triangle&angle=10")
    says(tab, "By 10°, 130° or 250°: three turns")
    assert tab.get_by_text("Pixel noise on y").count() == 0
    tab.close()


def test_back_and_forward(page):
    for name, start in (("triangle", "Three turns"), ("hexagon", "Six turns")):
        choose(page, name)
        says(page, start)
        address_has(page, name)
    page.go_back()
    says(page, "Three turns")
    page.go_back()
    says(page, "Four turns")
    page.go_forward()
    says(page, "Three turns")
    page.locator(".dial").focus()
    page.keyboard.press("ArrowLeft")
    address_has(page, "angle=31")
    assert angle(page) == 31


def test_a_page_taken_away_turns_without_a_network(browser, tmp_path):
    show("pentagon", angle=20).save(tmp_path / "stage.html")
    assert (tmp_path / "stage.html").stat().st_size < 1_500_000
    context = browser.new_context(viewport={"width": 1300, "height": 1000}, offline=True)
    tab = context.new_page()
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto((tmp_path / "stage.html").as_uri())
    says(tab, "By 20°, 92°, 164°, 236° or 308°: five turns")
    tab.locator(".dial").focus()
    tab.keyboard.press("ArrowLeft")
    says(tab, "By 21°, 93°, 165°, 237° or 309°: five turns")
    tab.locator(".play").click()
    tab.wait_for_function("el => Number(el.dataset.angle) > 40", arg=tab.locator(".stage").element_handle())
    assert tab.locator(".link").is_hidden()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    context.close()
