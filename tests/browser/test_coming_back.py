"""What was chosen is still there, and shown as chosen, after other pages, other sources, Back, and a moment of play."""

import io
import json
import re

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.shared.browser import address_has, angle, at_rest, choose, circle_at, dial_points, draw_something, says


def visit(page, name):
    page.get_by_role("link", name=name, exact=True).click()


def go_back(page):
    """Back, and wait until the stage has heard of it."""
    before = page.locator(".stage").get_attribute("data-revision")
    page.go_back()
    page.wait_for_function(
        "([el, before]) => el.dataset.revision !== before", arg=[page.locator(".stage").element_handle(), before]
    )


def marked(page, key):
    return page.locator(f".st-key-{key} [aria-checked=true]")


def set_sigma(page, value):
    slider = page.get_by_role("slider", name="Expected noise σ")
    slider.focus()
    for _ in range(round((value - 0.5) / 0.05)):
        page.keyboard.press("ArrowRight")
    address_has(page, f"sigma={value}")


@pytest.mark.parametrize("other", ["Orbits", "Filters", "Train"])
def test_controls_show_what_is_on_the_stage(page, other):
    draw_something(page)
    set_sigma(page, 0.6)
    said = page.locator(".answer").inner_text()
    visit(page, other)
    page.wait_for_function("name => location.pathname.endsWith(name)", arg=other.lower())
    visit(page, "Lab")
    says(page, said)
    expect(marked(page, "source_x")).to_have_text("Draw")
    expect(page.get_by_role("slider", name="Expected noise σ")).to_have_attribute("aria-valuetext", "0.60")
    page.locator(".scale").click()
    address_has(page, "log=1")
    says(page, said)
    assert "draw." in page.url


@pytest.mark.parametrize("underway", [False, True])
def test_who_turns_round_at_once_finds_everything_as_it_was(page, server, underway):
    """The run of the page in between is cut short."""
    page.goto(f"{server}/?x=shape.triangle&sigma=1.0")
    says(page, "Three turns")
    visit(page, "Recognise")
    if underway:
        page.wait_for_function("() => location.pathname === '/recognise'")
    visit(page, "Lab")
    page.wait_for_selector(".stage[data-drawn]")
    at_rest(page)
    says(page, "Three turns")
    expect(marked(page, "gallery_shape_x").get_by_role("img")).to_have_attribute("alt", "triangle")
    expect(page.get_by_role("slider", name="Expected noise σ")).to_have_attribute("aria-valuetext", "1.00")


def test_each_source_remembers_its_choice(page):
    choose(page, "hexagon")
    says(page, "Six turns")
    page.get_by_text("Digits", exact=True).click()
    page.get_by_role("radio", name="a handwritten 7").first.click()
    address_has(page, "digit.21")
    link = page.url
    page.get_by_text("Shapes", exact=True).click()
    says(page, "Six turns")
    expect(marked(page, "gallery_shape_x").get_by_alt_text("hexagon")).to_have_count(1)
    page.get_by_text("Digits", exact=True).click()
    page.wait_for_function("link => location.href === link", arg=link)
    expect(marked(page, "gallery_digit_x").get_by_alt_text("a handwritten 7")).to_have_count(1)


def test_a_prior_comes_back_when_observations_are_forgotten(page):
    strength = page.get_by_role("slider", name="Prior strength")
    strength.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    address_has(page, "prior=2.0")
    page.get_by_role("button", name="Observe again").click()
    page.get_by_role("button", name="Forget 1").click()
    address_has(page, "prior=2.0")
    expect(strength).to_have_attribute("aria-valuetext", "2.00")


def test_back_from_another_page(page):
    choose(page, "hexagon")
    says(page, "Six turns")
    visit(page, "Filters")
    page.wait_for_selector(".sheet[data-chosen]")
    page.wait_for_function("() => location.pathname === '/filters' && location.search.includes('hexagon')")
    there = page.url
    page.go_back()  # to the bare address the menu led to, if the browser noticed it
    page.wait_for_function("there => location.href !== there", arg=there)
    visit(page, "Lab")
    says(page, "Six turns")


def test_back_undoes_a_crop(page):
    photo = io.BytesIO()
    Image.linear_gradient("L").resize((300, 200)).save(photo, "PNG")
    page.get_by_text("Upload", exact=True).first.click()
    page.locator("input[type=file]").set_input_files(
        {"name": "photo.png", "mimeType": "image/png", "buffer": photo.getvalue()}
    )
    page.wait_for_selector(".photo[data-name]")
    address_has(page, "photo.")
    whole = page.url
    page.locator(".photo").focus()
    for _ in range(3):
        before = page.url
        page.keyboard.press("-")
        page.wait_for_function("before => location.href !== before", arg=before)
    for _ in range(3):
        go_back(page)
    page.wait_for_function("whole => location.href === whole", arg=whole)
    page.locator(".dial").focus()
    page.keyboard.press("ArrowLeft")
    address_has(page, "angle=31")
    assert page.url == f"{whole}&angle=31"


def test_back_on_the_page_of_orbits(page):
    visit(page, "Orbits")
    orbit = page.locator(".orbit[data-drawn]")
    orbit.wait_for()
    page.get_by_role("button", name="4 : 8").click()
    address_has(page, "orbit=4-8")
    page.go_back()
    page.wait_for_selector("button[data-pair='2 3'][aria-pressed=true]")


def test_a_circle_under_the_pointer_does_not_hurt_the_stage(page):
    page.locator(".dial").focus()
    page.keyboard.press("ArrowLeft")
    address_has(page, "angle=31")
    page.mouse.click(*circle_at(page, 0))
    address_has(page, "circle=0")
    choose(page, "triangle")
    says(page, "Three turns")
    choose(page, "square")
    says(page, "Four turns")


def test_a_pen_that_is_left_down_is_lifted(page):
    page.get_by_text("Draw", exact=True).click()
    page.locator(".paper").focus()
    page.keyboard.press("Space")
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    page.locator(".dial").focus()
    address_has(page, "draw.")
    page.keyboard.press("PageUp")
    address_has(page, "angle=40")
    page.wait_for_selector(".stage[data-angle='40']")


def test_what_is_saved_while_playing_is_what_is_shown(page):
    page.locator(".play").click()
    page.wait_for_function("el => Number(el.dataset.angle) > 45", arg=page.locator(".stage").element_handle())
    page.get_by_role("button", name="Save").click()
    shown = angle(page)
    address_has(page, f"angle={shown}")
    with page.expect_download() as download:
        page.get_by_text("Summary (JSON)").click()
    assert json.loads(download.value.path().read_text())["angle"] == shown


def test_an_answer_that_comes_too_late_is_not_shown(browser, server):
    tab = browser.new_page(viewport={"width": 1440, "height": 900})
    held = []

    def hold_back(socket):
        line = socket.connect_to_server()
        line.on_message(lambda answer: held.append((socket, answer)))

    tab.route_web_socket(re.compile("/live$"), hold_back)
    tab.goto(server)
    tab.get_by_text("Draw", exact=True).click()
    tab.wait_for_selector(".line[data-open]", state="attached")
    box = tab.locator(".paper").bounding_box()
    at = lambda u, v: (box["x"] + u * box["width"], box["y"] + v * box["height"])  # noqa: E731
    tab.mouse.move(*at(0.5, 0.25))
    tab.mouse.down()
    tab.mouse.move(*at(0.5, 0.75), steps=10)
    tab.mouse.up()  # posted at once, though an answer is still due
    address_has(tab, "draw.")
    says(tab, "Two turns")
    for _ in range(100):
        if not held:
            tab.evaluate("new Promise(requestAnimationFrame)")
    assert held
    for socket, answer in held:
        socket.send(answer)
    x, y, r = dial_points(tab)
    tab.mouse.move(x + r, y)
    tab.mouse.down()
    tab.mouse.move(x, y - r, steps=5)
    tab.mouse.up()
    tab.wait_for_function("el => Number(el.dataset.angle) > 90", arg=tab.locator(".stage").element_handle())
    tab.close()
