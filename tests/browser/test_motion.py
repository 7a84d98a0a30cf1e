"""The motion page in Chromium: dragging picture and window, trying shifts, keys, links."""

import re

import pytest
from playwright.sync_api import expect

from tests.shared.browser import address_has, at_rest, lab
from tsa.model import fourier_model
from tsa.pictures import draw_periodic
from tsa.stage import MotionScene, motion_page


@pytest.fixture
def tab(browser, server):
    with lab(browser, server) as tab:
        tab.goto(f"{server}/motion")
        tab.wait_for_selector(".motion[data-drawn]")
        tab.wait_for_selector(".line[data-open]", state="attached")
        at_rest(tab)
        yield tab


def place(tab, right, up, selector=".world"):
    """The place on the page of a point (right, up) in pixels from the middle of the world."""
    box = tab.locator(selector).bounding_box()
    scale = box["width"] / 48
    return box["x"] + box["width"] / 2 + right * scale, box["y"] + box["height"] / 2 - up * scale


def drag(tab, start, end, steps=12):
    tab.mouse.move(*start)
    tab.mouse.down()
    tab.mouse.move(*end, steps=steps)


def data(tab, name):
    return tab.locator(".motion").get_attribute(f"data-{name}")


def test_the_headline_is_the_aperture_problem(tab):
    expect(tab.locator(".headline")).to_have_text("Every shift on one line fits: the aperture problem.")
    expect(tab.locator(".others button")).to_have_count(5)
    expect(tab.locator(".sums canvas")).to_have_count(4)


def test_dragging_the_picture_moves_the_truth_before_it_is_let_go(tab):
    drag(tab, place(tab, -15, 15), place(tab, -18, 13))
    expect(tab.locator(".motion")).to_have_attribute("data-answered", re.compile(r"^3\.\d,0\.\d$"))  # still held
    tab.mouse.up()
    address_has(tab, "shift=3.")
    assert data(tab, "kind") == "line"


def test_widening_the_window_by_its_rim_turns_the_line_into_a_point(tab):
    drag(tab, place(tab, 0, 12), place(tab, 0, 24))
    expect(tab.locator(".motion")).to_have_attribute("data-kind", "point")
    tab.mouse.up()
    address_has(tab, "window=")
    expect(tab.locator(".headline")).to_have_text(re.compile(r"^One shift fits: \(6\.\d, 2\.\d\)\.$"))


def test_the_slider_sizes_the_window_while_it_is_held(tab):
    box = tab.locator(".size").bounding_box()
    middle = box["y"] + box["height"] / 2
    drag(tab, (box["x"] + 0.49 * box["width"], middle), (box["x"] + 0.97 * box["width"], middle))
    expect(tab.locator(".motion")).to_have_attribute("data-kind", "point")  # still held
    expect(tab.locator(".steps .now")).to_have_text("point")
    tab.mouse.up()
    address_has(tab, "window=4")
    tab.locator(".size").focus()
    tab.keyboard.press("Home")
    expect(tab.locator(".size-text")).to_have_text("1 px")
    expect(tab.locator(".steps .now")).to_have_text("nothing")
    expect(tab.locator(".headline")).to_have_text("Nothing in the window says how far it moved.")


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_every_answer_under_the_slider_is_named_and_none_lies_over_another(tab, width, height):
    tab.set_viewport_size({"width": width, "height": height})
    at_rest(tab)
    labels = tab.locator(".steps b")
    assert labels.all_inner_texts() == ["nothing", "line", "point"]
    boxes = [one.bounding_box() for one in labels.all() if one.is_visible()]
    assert len(boxes) == 3
    around = tab.locator(".steps").bounding_box()
    ends = [around["x"], *(edge for box in boxes for edge in (box["x"], box["x"] + box["width"]))]
    assert [*ends, around["x"] + around["width"]] == sorted([*ends, around["x"] + around["width"]])


def test_dragging_the_centre_moves_the_window(tab):
    drag(tab, place(tab, 0, 0), place(tab, -17, 0))
    tab.mouse.up()
    address_has(tab, "at=-1")
    assert data(tab, "shift") == "6.4,2.6"


def test_a_click_on_the_plane_tries_that_shift_and_home_returns(tab):
    expect(tab.locator(".tried-text")).to_contain_text("most probable shift, (9.1, 7.5)")
    expect(tab.locator(".back")).to_be_hidden()
    box = tab.locator(".plane").bounding_box()
    tab.mouse.click(box["x"] + 60, box["y"] + 70)
    address_has(tab, "tryshift=")
    expect(tab.locator(".tried-text")).to_contain_text("density is 0 %")
    tab.locator(".plane").focus()
    tab.keyboard.press("Home")
    expect(tab.locator(".tried-text")).to_contain_text("most probable shift")
    tab.keyboard.press("ArrowUp")
    expect(tab.locator(".tried-text")).to_contain_text("Its density is")
    tab.locator(".back").click()
    expect(tab.locator(".tried-text")).to_contain_text("most probable shift")


def test_keys_move_the_picture_and_size_the_window(tab):
    tab.locator(".world").focus()
    tab.keyboard.press("ArrowRight")
    expect(tab.locator(".motion")).to_have_attribute("data-answered", "6.9,2.6")
    tab.keyboard.press("+")
    expect(tab.locator(".motion")).to_have_attribute("data-window", "25")
    address_has(tab, "window=25.0")


def test_another_picture_is_one_click_away_and_back_returns(tab):
    tab.locator(".others button").nth(1).click()
    expect(tab.locator(".headline")).to_have_text("17 shifts fit equally well, one for each common period.")
    address_has(tab, "world=plaid")
    tab.go_back()
    expect(tab.locator(".headline")).to_have_text("Every shift on one line fits: the aperture problem.")


def test_a_link_opens_what_it_says(tab, server):
    tab.goto(f"{server}/motion?world=dot&shift=-5,3&window=30&expected=0.8")
    expect(tab.locator(".headline")).to_have_text(re.compile(r"^One shift fits: \(−[45]\.\d, [23]\.\d\)\.$"))


def test_answers_follow_the_hand_and_the_last_one_is_shown(tab):
    """How fast they follow is measured by `tsa-explorer bench`."""
    start = place(tab, -15, 15)
    tab.mouse.move(*start)
    tab.mouse.down()
    before, shown = int(data(tab, "drawn")), []
    for step in range(1, 41):
        tab.mouse.move(start[0] - step, start[1])
        shown.append(float(data(tab, "answered").split(",")[0]))
    last = f"{round(6.4 - 40 / tab.locator('.world').bounding_box()['width'] * 48, 1):g},2.6"
    expect(tab.locator(".motion")).to_have_attribute("data-answered", last)
    assert shown == sorted(shown, reverse=True)  # the hand goes to the left, and nothing older comes back
    assert int(data(tab, "drawn")) - before > 3
    tab.mouse.up()


# How bright a place [right, up] of the world is drawn.
BRIGHTNESS = """
(world, [right, up]) => {
  const [x, y] = [right, -up].map((value) => Math.round((0.5 + value / 48) * world.width));
  return world.getContext('2d').getImageData(x, y, 1, 1).data[0];
}
"""


def test_playing_moves_the_picture_there_and_back_until_it_is_stopped(tab):
    world = tab.locator(".world")
    still = world.screenshot()
    tab.locator(".play").click()
    expect(tab.locator(".play")).to_have_attribute("aria-label", "Pause")
    assert world.screenshot() != still
    tab.locator(".play").click()
    expect(tab.locator(".play")).to_have_attribute("aria-label", "Play")
    assert world.screenshot() == still


def test_only_the_window_can_be_shown(tab):
    world, outside = tab.locator(".world"), [16.4, 20.6]  # on the moved bar
    assert world.evaluate(BRIGHTNESS, outside) > 50
    tab.locator(".only").click()
    assert world.evaluate(BRIGHTNESS, outside) == 0
    tab.locator(".only").click()
    assert world.evaluate(BRIGHTNESS, outside) > 50


def test_the_torus_turns_and_a_click_on_it_tries_a_shift(tab):
    tab.locator(".torus").click()
    address_has(tab, "torus=1")
    expect(tab.locator(".turn")).to_have_attribute("aria-label", "Stop turning")
    tab.locator(".turn").click()
    expect(tab.locator(".turn")).to_have_attribute("aria-label", "Turn")
    box = tab.locator(".plane").bounding_box()
    middle, low = box["x"] + box["width"] / 2, box["y"] + 0.78 * box["height"]
    before = tab.locator(".plane").screenshot()
    drag(tab, (middle, low), (middle + 80, low))
    tab.mouse.up()
    assert tab.locator(".plane").screenshot() != before
    assert "tryshift" not in tab.url  # a drag turns the torus, and tries nothing
    tab.mouse.click(middle, low)
    address_has(tab, "tryshift=")
    tab.locator(".flat").click()
    expect(tab.locator(".turn")).to_be_hidden()
    expect(tab.locator(".flat")).to_have_attribute("aria-pressed", "true")


def test_the_offline_page_opens_and_closes_its_window(browser, tmp_path):
    file = tmp_path / "motion.html"
    file.write_text(motion_page(MotionScene(fourier_model((48, 48)), draw_periodic("bar"))), encoding="utf-8")
    context = browser.new_context(offline=True, viewport={"width": 1300, "height": 1000})
    tab = context.new_page()
    errors = []
    tab.on("pageerror", lambda error: errors.append(error))
    tab.goto(file.as_uri())
    expect(tab.locator(".motion")).to_have_attribute("data-kind", "line")
    tab.locator(".size").focus()
    tab.keyboard.press("End")
    expect(tab.locator(".motion")).to_have_attribute("data-kind", "point")
    expect(tab.locator(".headline")).to_have_text(re.compile("^One shift fits"))
    expect(tab.locator(".size-text")).to_have_text("48 px")
    tab.locator(".torus").click()
    expect(tab.locator(".turn")).to_be_visible()
    tab.locator(".flat").click()
    drag(tab, place(tab, 0, 24), place(tab, 0, 12))
    tab.mouse.up()
    expect(tab.locator(".motion")).to_have_attribute("data-kind", "line")
    assert data(tab, "answered") == "6.4,2.6"
    assert errors == []
    context.close()
