"""The recognise page as a person uses it, in real Chromium."""

import re

import pytest
from playwright.sync_api import expect

from tests.shared.browser import choose, dial_points, silent, visit
from tsa.recognition import DISTANCES


@pytest.fixture
def recognise(page):
    visit(page, "Recognise")
    page.wait_for_selector(".recognise[data-drawn]")
    return page


@pytest.fixture
def digit(recognise):
    """The first handwritten 2 of the sample."""
    choose(recognise, "Digits")
    recognise.get_by_role("radio", name="a handwritten 2").first.click()
    recognise.get_by_text("It is a 2.").wait_for()
    return recognise


def angle(page):
    return int(page.locator(".recognise").get_attribute("data-angle"))


def winner(page, distance):
    return int(page.locator(f".row[data-distance='{distance}']").get_attribute("data-winner"))


def sentence(page):
    return page.locator(".sentence").inner_text()


@pytest.mark.slow
def test_first_look_is_complete_without_scrolling(digit):
    for card in digit.locator(".recognise .card").all():
        box = card.bounding_box()
        assert box["y"] + box["height"] <= 900
        assert box["x"] + box["width"] <= 1440
    assert digit.locator(".row").count() == len(DISTANCES)
    for canvas in digit.locator(".recognise canvas[role=img]").all():
        assert canvas.get_attribute("aria-label")
    name = digit.locator(".name").first
    assert "far from itself" in name.get_attribute("aria-description")


@pytest.mark.slow
def test_the_words_are_true_at_every_angle(digit):
    dial = digit.locator(".dial")
    dial.focus()
    digit.keyboard.press("Home")
    digit.wait_for_selector(".recognise[data-angle='0']")
    claimed = int(re.search(r"\(changes (\d+) times", sentence(digit))[1])
    share = int(re.search(r"Euclidean distance is right at (\d+) %", digit.locator(".because").inner_text())[1])
    # All angles in one go, by the keys a person would press: what each distance says, and what is said of it.
    seen = digit.evaluate(
        """(dial) => {
          const root = dial.closest(".recognise");
          const winner = (name) => Number(root.querySelector(`[data-distance="${name}"]`).dataset.winner);
          return Array.from({ length: 72 }, () => {
            const words = root.querySelector(".sentence").textContent;
            const row = [Number(root.dataset.angle), winner("ED"), winner("MD"), words];
            dial.onkeydown(new KeyboardEvent("keydown", { key: "ArrowLeft" }));
            return row;
          });
        }""",
        dial.element_handle(),
    )
    assert [row[0] for row in seen] == list(range(0, 360, 5))
    euclid = [row[1] for row in seen]
    assert claimed == sum(a != b for a, b in zip(euclid, euclid[1:] + euclid[:1], strict=True)) > 5
    assert share == int(100 * euclid.count(2) / 72)
    assert {row[2] for row in seen} == {2}
    for degrees, said, _, words in seen:
        assert words.startswith(f"At {degrees}°, Euclidean distance says {said} (changes")
        assert words.endswith("manifold distance says 2 (the same at every angle).")


@pytest.mark.slow
def test_dragging_turns_without_the_network(digit):
    silent(digit)
    x, y, r = dial_points(digit)
    before = angle(digit)
    digit.mouse.move(x + r, y)
    digit.mouse.down()
    digit.traffic.clear()
    digit.mouse.move(x + 0.5 * r, y - 0.87 * r, steps=12)
    assert angle(digit) == pytest.approx(before + 60, abs=4)
    assert digit.traffic == []
    digit.mouse.up()
    turned = angle(digit)
    strip = digit.locator(".round-canvas")
    box = strip.bounding_box()
    strip.click(position={"x": 118 + (box["width"] - 118 - 96) / 2, "y": 40})
    digit.wait_for_selector(".recognise[data-angle='180']")
    assert turned != 180
    assert digit.locator(".angle").inner_text() == "180°"
    assert digit.locator(".dial").get_attribute("aria-valuenow") == "180"
    assert "distance says" in digit.locator(".dial").get_attribute("aria-valuetext")


@pytest.mark.slow
def test_right_and_wrong_are_said_without_colour(digit):
    marks = digit.locator(".row .mark")
    for i in range(5):
        distance = digit.locator(".row").nth(i).get_attribute("data-distance")
        assert marks.nth(i).inner_text() == ("✓ right" if winner(digit, distance) == 2 else "✗ wrong")


def test_a_drawing_is_recognised_at_any_angle(recognise):
    choose(recognise, "Draw")
    recognise.get_by_text("There is nothing to recognise yet").wait_for()
    box = recognise.locator(".paper").bounding_box()
    recognise.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.3 * box["height"])
    recognise.mouse.down()
    recognise.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.6 * box["height"], steps=10)
    recognise.wait_for_selector(".recognise[data-steps='1']")
    expect(recognise.locator(".sentence")).to_have_text(re.compile("^At 30°, Euclidean distance says"))
    recognise.mouse.up()
    recognise.wait_for_selector(".recognise[data-steps='72']")
    assert sentence(recognise).endswith("manifold distance says 1 (the same at every angle).")
    assert recognise.locator(".because").inner_text().startswith("The digit has no label,")
    assert recognise.locator(".row .mark").first.inner_text() == ""
    visit(recognise, "Lab")
    recognise.wait_for_selector(".stage[data-drawn]")
    expect(recognise.locator(".paper")).to_be_visible()  # the same drawing; the controls follow the stage


@pytest.mark.slow
def test_on_a_telephone(digit):
    digit.set_viewport_size({"width": 390, "height": 844})
    digit.wait_for_function("() => document.documentElement.scrollWidth <= 390")
    for part in digit.locator(".recognise .card, .recognise canvas").all():
        box = part.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    digit.locator(".play").click()
    before = angle(digit)
    digit.wait_for_function(
        "([el, old]) => Number(el.dataset.angle) !== old", arg=[digit.locator(".recognise").element_handle(), before]
    )
    digit.locator(".play").click()
