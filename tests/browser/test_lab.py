"""The lab as a person uses it: mouse, wheel, keys and pen in real Chromium."""

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.shared.browser import (
    ONE_TURN,
    address_has,
    angle,
    choose,
    circle_at,
    dial_points,
    drawn,
    open_sheet,
    says,
    silent,
)


def test_first_look_is_complete_without_scrolling(page):
    assert "By 30°, 120°, 210° or 300°: four turns fit equally well." in page.locator(".answer").inner_text()
    for card in page.locator(".stage .card:visible").all():
        box = card.bounding_box()
        assert box["y"] + box["height"] <= 900
        assert box["x"] + box["width"] <= 1440


@pytest.mark.slow
def test_dragging_turns_without_the_network(page):
    silent(page)
    x, y, r = dial_points(page)
    page.mouse.move(x + r, y)
    page.mouse.down()
    page.traffic.clear()
    before = drawn(page)
    page.mouse.move(x + 0.7 * r, y - 0.7 * r, steps=12)  # up is counter-clockwise
    assert angle(page) == pytest.approx(75, abs=3)
    assert drawn(page) >= before + 5
    assert page.traffic == []
    assert "75°" in page.locator(".answer").inner_text() or "74°" in page.locator(".answer").inner_text()
    page.mouse.up()
    assert angle(page) == pytest.approx(75, abs=3)


@pytest.mark.slow
def test_wheel_and_keys(page):
    x, y, _ = dial_points(page)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -20)  # a degree for every twenty pixels
    page.wait_for_selector(".stage[data-angle='31']")
    dial = page.locator(".dial")
    dial.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".stage[data-angle='32']")
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_selector(".stage[data-angle='22']")
    page.keyboard.press("Home")
    page.wait_for_selector(".stage[data-angle='0']")
    assert dial.get_attribute("role") == "slider"
    assert dial.get_attribute("aria-valuenow") == "0"
    assert "turns fit" in dial.get_attribute("aria-valuetext")


@pytest.mark.slow
def test_play_and_pause(page):
    page.locator(".play").click()
    page.wait_for_function("el => Number(el.dataset.angle) > 45", arg=page.locator(".stage").element_handle())
    page.locator(".play").click()
    rest = angle(page)
    page.locator(".scale").click()
    assert angle(page) == rest
    assert page.locator(".scale").get_attribute("aria-pressed") == "true"


@pytest.mark.slow
def test_hovering_a_circle_takes_it_apart(page):
    panel = page.locator(".detail")
    assert panel.is_hidden()
    page.mouse.move(*circle_at(page, 0))
    expect(page.locator(".detail-title")).to_have_text("Subspace 1 · weight 0")
    assert "this line" in page.locator(".detail-text").inner_text()
    page.mouse.move(5, 5)
    expect(panel).to_be_hidden()
    page.mouse.click(*circle_at(page, 27))  # pinned: it stays open
    page.mouse.move(5, 5)
    expect(page.locator(".detail-title")).to_have_text("Subspace 28 · weight 4")
    address_has(page, "circle=27")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


@pytest.mark.slow
def test_a_shape_changes_the_answer(page):
    choose(page, "triangle")
    says(page, "Three turns")
    choose(page, "disc")
    says(page, "By any angle")


@pytest.mark.slow
def test_drawing_with_the_mouse_updates_during_the_stroke(page):
    page.get_by_text("Draw", exact=True).click()
    paper = page.locator(".paper")
    paper.wait_for()
    says(page, "By any angle")
    box = paper.bounding_box()
    at = lambda u, v: (box["x"] + u * box["width"], box["y"] + v * box["height"])  # noqa: E731
    page.mouse.move(*at(0.5, 0.2))
    page.mouse.down()
    page.mouse.move(*at(0.5, 0.8), steps=20)
    sentence = page.locator(".answer").element_handle()
    page.wait_for_function("el => !el.textContent.startsWith('By any angle')", arg=sentence)  # the pen is still down
    page.mouse.up()
    says(page, "Two turns")
    page.locator(".clear").click()
    says(page, "By any angle")
    page.locator(".undo").click()
    says(page, "Two turns")


@pytest.mark.slow
def test_drawing_with_the_keyboard(page):
    page.get_by_text("Draw", exact=True).click()
    page.locator(".paper").focus()
    page.keyboard.press("Space")
    for _ in range(8):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    says(page, ONE_TURN)


@pytest.mark.slow
def test_symmetric_brush_makes_symmetric_images(page):
    page.get_by_text("Draw", exact=True).click()
    paper = page.locator(".paper")
    page.get_by_label("Symmetric brush").last.select_option("3")
    box = paper.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.45 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.15 * box["height"], steps=8)
    page.mouse.up()
    says(page, "Three turns")


@pytest.mark.slow
def test_upload_and_crop(page, tmp_path):
    picture = Image.new("L", (300, 200))
    picture.paste(255, (40, 90, 120, 110))  # a bar at the left, out of the middle
    picture.save(tmp_path / "bar.png")
    page.get_by_text("Upload", exact=True).first.click()
    page.locator("input[type=file]").set_input_files(tmp_path / "bar.png")
    page.wait_for_selector(".photo[data-name]")
    says(page, ONE_TURN)  # off centre: no symmetry
    box = page.locator(".photo").bounding_box()
    at = lambda u, v: (box["x"] + u * box["width"], box["y"] + v * box["height"])  # noqa: E731
    page.mouse.move(*at(0.5, 0.5))
    for _ in range(9):
        page.mouse.wheel(0, -100)  # a smaller circle,
    page.mouse.down()
    page.mouse.move(*at(80 / 300, 0.5), steps=8)  # moved onto the bar
    says(page, "Two turns")  # before it is let go
    page.mouse.up()
    says(page, "Two turns")
    page.locator(".photo").focus()
    page.keyboard.press("Shift+ArrowRight")
    says(page, ONE_TURN)
    (tmp_path / "fake.png").write_text("not a picture")
    page.locator("input[type=file]").set_input_files(tmp_path / "fake.png")
    page.get_by_text("This is not a PNG, JPEG, WebP, BMP or GIF picture.").wait_for()
    assert ONE_TURN.search(page.locator(".answer").inner_text())


@pytest.mark.slow
def test_a_second_picture_and_the_drawing_that_comes_back(page):
    page.get_by_text("Another picture").click()
    says(page, "No turn makes x into y")
    source = page.locator(".st-key-source_y")
    source.get_by_text("Draw", exact=True).click()
    paper = page.locator(".st-key-pad_y .paper")
    box = paper.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.7 * box["height"], steps=8)
    page.mouse.up()
    page.wait_for_selector(".st-key-pad_y .paper[data-answered]")
    ink = "el => el.getContext('2d').getImageData(128, 128, 1, 1).data[0]"
    assert paper.evaluate(ink) == 255
    source.get_by_text("Digits", exact=True).click()
    paper.wait_for(state="detached")
    source.get_by_text("Draw", exact=True).click()
    paper.wait_for()
    page.wait_for_function(f"el => ({ink})(el) > 250", arg=paper.element_handle())


@pytest.mark.slow
def test_numbers_explain_themselves(page):
    expect(page.locator(".numbers-button")).to_have_text("Uncertainty: 5.8 of 8.5 bits")
    page.locator(".numbers-button").click()
    terms = page.locator(".numbers dt").all_inner_texts()
    values = dict(zip(terms, page.locator(".numbers dd").all_inner_texts(), strict=True))
    assert "after the best single turn" in values["Manifold distance"]
    torus, manifold, euclid = (
        float(values[f"{name} distance"].split(". ")[0]) for name in ("Torus", "Manifold", "Euclidean")
    )
    assert torus <= manifold <= euclid
    page.keyboard.press("Escape")
    expect(page.locator(".numbers")).to_be_hidden()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_can_show_it(browser, server, scheme):
    tab = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    tab.goto(server)
    tab.wait_for_selector(".stage[data-drawn]")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.close()


@pytest.mark.slow
def test_a_finger_draws_and_turns(browser, server):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    tab = context.new_page()
    tab.goto(server)
    tab.wait_for_selector(".stage[data-drawn]")
    finger = context.new_cdp_session(tab)

    def drag(box, start, end):
        for kind, t in [("Start", 0), *[("Move", i / 8) for i in range(1, 9)], ("End", 1)]:
            u, v = (a + t * (b - a) for a, b in zip(start, end, strict=True))
            point = {"x": box["x"] + u * box["width"], "y": box["y"] + v * box["height"]}
            finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": [point][: kind != "End"]})

    open_sheet(tab, "Picture")
    tab.get_by_text("Draw", exact=True).first.tap()
    paper = tab.locator(".paper")
    paper.wait_for()
    paper.scroll_into_view_if_needed()
    top = tab.evaluate("document.querySelector('.stMain').scrollTop")
    drag(paper.bounding_box(), (0.5, 0.25), (0.5, 0.75))
    says(tab, "Two turns")
    assert tab.evaluate("document.querySelector('.stMain').scrollTop") == top  # the page stayed where it was
    open_sheet(tab, "Picture")  # closes it
    dial = tab.locator(".dial")
    dial.scroll_into_view_if_needed()
    before = angle(tab)
    drag(dial.bounding_box(), (0.8, 0.5), (0.5, 0.2))
    tab.wait_for_function(
        "([el, old]) => Number(el.dataset.angle) > old + 30", arg=[tab.locator(".stage").element_handle(), before]
    )
    context.close()
