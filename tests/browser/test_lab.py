"""The lab as a person uses it: mouse, wheel, keys and pen in real Chromium."""

import pytest
from PIL import Image


def angle(page):
    return int(page.locator(".stage").get_attribute("data-angle"))


def drawn(page):
    return int(page.locator(".stage").get_attribute("data-drawn"))


def dial_points(page):
    box = page.locator(".dial").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["height"] * 0.3


def test_first_look_is_complete_without_scrolling(page):
    assert "Four turns explain this pair equally well: 30°, 120°, 210°, 300°." in page.locator(".sentence").inner_text()
    for card in page.locator(".stage .card").all():
        box = card.bounding_box()
        assert box["y"] + box["height"] <= 900
        assert box["x"] + box["width"] <= 1440


def test_dragging_turns_without_the_network(page):
    x, y, r = dial_points(page)
    page.mouse.move(x + r, y)
    page.mouse.down()
    page.traffic.clear()
    before = drawn(page)
    page.mouse.move(x + 0.7 * r, y - 0.7 * r, steps=12)  # up is counter-clockwise
    assert angle(page) == pytest.approx(75, abs=3)
    assert drawn(page) >= before + 5
    assert page.traffic == []
    assert "75°" in page.locator(".sentence").inner_text() or "74°" in page.locator(".sentence").inner_text()
    page.mouse.up()
    assert angle(page) == pytest.approx(75, abs=3)


def test_wheel_and_keys(page):
    x, y, _ = dial_points(page)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -100)
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
    assert "turns explain" in dial.get_attribute("aria-valuetext")


def test_play_and_pause(page):
    page.locator(".play").click()
    page.wait_for_function("el => Number(el.dataset.angle) > 45", arg=page.locator(".stage").element_handle())
    page.locator(".play").click()
    rest = angle(page)
    page.locator(".scale").click()
    assert angle(page) == rest
    assert page.locator(".scale").get_attribute("aria-pressed") == "true"


def test_hovering_a_circle_takes_it_apart(page):
    title = page.locator(".detail-title").inner_text()
    box = page.locator(".circles-canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 16, box["y"] + box["height"] / 16)
    page.wait_for_function(
        "([el, old]) => el.textContent !== old", arg=[page.locator(".detail-title").element_handle(), title]
    )
    assert page.locator(".detail-title").inner_text() == "Subspace 1 · weight 0"
    assert "A line" in page.locator(".detail-text").inner_text()


def test_a_shape_changes_the_answer(page):
    page.get_by_text("triangle · 3-fold").click()
    page.wait_for_function(
        "el => el.textContent.startsWith('Three turns')", arg=page.locator(".sentence").element_handle()
    )
    page.get_by_text("disc · any").click()
    page.wait_for_function(
        "el => el.textContent.startsWith('Every turn')", arg=page.locator(".sentence").element_handle()
    )


def test_drawing_with_the_mouse_updates_during_the_stroke(page):
    page.get_by_text("Draw", exact=True).click()
    paper = page.locator(".paper")
    paper.wait_for()
    sentence = page.locator(".sentence").element_handle()
    page.wait_for_function("el => el.textContent.startsWith('Every turn')", arg=sentence)
    box = paper.bounding_box()
    at = lambda u, v: (box["x"] + u * box["width"], box["y"] + v * box["height"])  # noqa: E731
    page.mouse.move(*at(0.5, 0.2))
    page.mouse.down()
    page.mouse.move(*at(0.5, 0.8), steps=20)
    page.wait_for_function("el => !el.textContent.startsWith('Every turn')", arg=sentence)  # the pen is still down
    page.mouse.up()
    page.wait_for_function("el => el.textContent.startsWith('Two turns')", arg=sentence)
    page.locator(".clear").click()
    page.wait_for_function("el => el.textContent.startsWith('Every turn')", arg=sentence)
    page.locator(".undo").click()
    page.wait_for_function("el => el.textContent.startsWith('Two turns')", arg=sentence)


def test_drawing_with_the_keyboard(page):
    page.get_by_text("Draw", exact=True).click()
    page.locator(".paper").focus()
    page.keyboard.press("Space")
    for _ in range(8):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    sentence = page.locator(".sentence").element_handle()
    page.wait_for_function("el => el.textContent.startsWith('One turn')", arg=sentence)


def test_symmetric_brush_makes_symmetric_images(page):
    page.get_by_text("Draw", exact=True).click()
    paper = page.locator(".paper")
    page.get_by_label("Symmetric brush").last.select_option("3")
    box = paper.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.45 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.15 * box["height"], steps=8)
    page.mouse.up()
    page.wait_for_function(
        "el => el.textContent.startsWith('Three turns')", arg=page.locator(".sentence").element_handle()
    )


def test_upload_and_crop(page, tmp_path):
    picture = Image.new("L", (300, 200))
    picture.paste(255, (30, 90, 120, 110))  # a bar at the left, out of the middle
    picture.save(tmp_path / "bar.png")
    page.get_by_text("Upload", exact=True).first.click()
    page.locator("input[type=file]").set_input_files(tmp_path / "bar.png")
    page.get_by_text("Zoom").wait_for()
    sentence = page.locator(".sentence").element_handle()
    page.get_by_role("slider", name="Across").focus()
    page.keyboard.press("Home")
    page.wait_for_function("el => el.textContent.startsWith('One turn')", arg=sentence)  # off centre: no symmetry
    (tmp_path / "fake.png").write_text("not a picture")
    page.locator("input[type=file]").set_input_files(tmp_path / "fake.png")
    page.get_by_text("This is not a PNG, JPEG, WebP, BMP or GIF picture.").wait_for()
    assert page.locator(".sentence").inner_text().startswith("One turn")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_can_show_it(browser, server, scheme):
    tab = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    tab.goto(server)
    tab.wait_for_selector(".stage[data-drawn]")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.close()
