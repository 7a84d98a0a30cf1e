"""Lessons in real Chromium: all of them by keyboard, all of them by touch, right and wrong answers, a lecture, Home."""

import pytest
from playwright.sync_api import expect

from explorer.course import lessons
from tests.shared.browser import TIMEOUT_MS, at_rest, dial_points

COURSE = lessons()
DRAWN = {
    "lab": ".stage[data-drawn]", "motion": ".motion[data-drawn]", "dft": ".dft[data-drawn]",
    "train": ".film[data-at]", "orbits": ".orbit[data-drawn]",
}  # fmt: skip


@pytest.fixture
def tab(browser):
    page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page.set_default_timeout(TIMEOUT_MS)
    yield page
    page.close()


@pytest.fixture
def phone(browser):
    page = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce")
    page.set_default_timeout(TIMEOUT_MS)
    yield page
    page.close()


def opened(page, lesson, step):
    """Wait until this step is on the page, and its piece is drawn."""
    page.wait_for_selector(f".lesson[data-lesson='{lesson.name}'][data-step='{step}']")
    page.wait_for_selector(DRAWN[lesson.page])
    at_rest(page)


def focused(page, name):
    """Press Tab until the button with this class has the focus."""
    inside = """() => {
        let e = document.activeElement;
        while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
        return e.className;
    }"""
    for key in ["Tab"] * 60:
        if name in page.evaluate(inside).split():
            return
        page.keyboard.press(key)
    raise AssertionError(f"{name} cannot be reached")


def test_a_pass_through_the_course_by_keyboard_alone(tab, server):
    tab.goto(f"{server}/lesson")
    tab.wait_for_selector(".course .cards li")
    focused(tab, "go-on")
    tab.keyboard.press("Enter")
    for lesson in COURSE:
        opened(tab, lesson, 1)
        tab.locator(".lesson .all").focus()  # where Tab begins in every lesson
        focused(tab, "choice")
        tab.keyboard.press("Enter")
        expect(tab.locator(".choice").first).to_have_attribute("aria-pressed", "true")
        focused(tab, "next")
        for step in (2, 3, 4):
            tab.keyboard.press("Enter")
            opened(tab, lesson, step)
            assert tab.locator(".lesson .text").inner_text()
            if step == 3:
                expect(tab.locator(".reply")).to_contain_text("You predicted")
        tab.keyboard.press("Shift+Tab")
        tab.keyboard.press("Shift+Tab")
        tab.keyboard.press("Enter")
        expect(tab.locator(".verdict.no")).to_be_visible()  # nothing was done yet
        focused(tab, "next")
        tab.keyboard.press("Enter")
    tab.wait_for_selector(".course .cards li")
    assert tab.locator(".go-on").inner_text() == "Go on with lesson 1"


def test_a_pass_through_the_course_by_touch(phone, server):
    phone.goto(f"{server}/lesson")
    phone.locator(".go-on").tap()
    for lesson in COURSE:
        opened(phone, lesson, 1)
        phone.locator(".choice").nth(1).tap()
        expect(phone.locator(".choice").nth(1)).to_have_attribute("aria-pressed", "true")
        assert phone.evaluate("document.documentElement.scrollWidth") == 390
        phone.locator(".steps button").nth(3).tap()
        opened(phone, lesson, 4)
        phone.locator(".check").tap()
        expect(phone.locator(".verdict.no")).to_be_visible()
        phone.locator(".next").tap()
    phone.wait_for_selector(".course .cards li")


@pytest.mark.parametrize("lesson", [one for one in COURSE if one.page != "train"], ids=lambda one: one.name)
def test_a_right_answer_passes_and_a_wrong_one_fails(tab, server, lesson):
    asked = lesson.steps[-1].link
    for trial in (next(t for t in lesson.trials if not t.passes), next(t for t in lesson.trials if t.passes)):
        parameters = dict(part.split("=", 1) for part in f"{asked}&{trial.link}".split("&") if part)
        link = "&".join(f"{name}={value}" for name, value in parameters.items())
        tab.goto(f"{server}/lesson?lesson={lesson.name}&step=4&{link}")
        opened(tab, lesson, 4)
        tab.locator(".check").click()
        expect(tab.locator(f".verdict.{'yes' if trial.passes else 'no'}")).to_be_visible()


def test_the_dial_answers_a_question_and_progress_is_kept(tab, server):
    tab.goto(f"{server}/lesson?lesson=turning&step=4")
    opened(tab, COURSE[1], 4)
    x, y, r = dial_points(tab)
    tab.mouse.move(x + r, y)
    tab.mouse.down()
    tab.mouse.move(x - r, y, steps=8)
    tab.mouse.up()
    tab.locator(".check").click()
    expect(tab.locator(".verdict.yes")).to_be_visible()
    tab.locator(".lesson .all").click()
    expect(tab.locator(".cards small").nth(1)).to_contain_text("✓ solved")
    tab.reload()
    expect(tab.locator(".cards small").nth(1)).to_contain_text("✓ solved")


def test_filters_learned_from_snow_answer_the_question(tab, server):
    lesson = next(one for one in COURSE if one.page == "train")
    tab.goto(f"{server}/lesson?lesson={lesson.name}&step=4")
    opened(tab, lesson, 4)
    tab.get_by_role("button", name="Start").click()
    tab.get_by_text("Finished: learned from 100,000 pairs.").wait_for(timeout=240_000)
    tab.get_by_role("button", name="Use on all pages").click()
    tab.get_by_text("It survives a reload").wait_for()
    tab.locator(".check").click()
    expect(tab.locator(".verdict.yes")).to_be_visible()


def test_a_lecture_goes_on_by_arrow_keys_and_a_clicker(tab, server):
    tab.goto(f"{server}/lesson?lesson=waves&step=1")
    opened(tab, COURSE[4], 1)
    tab.locator(".lecture").click()
    expect(tab.locator("html[data-lecture]")).to_be_attached()
    assert tab.evaluate("document.fullscreenElement !== null")
    expect(tab.get_by_test_id("stHeader")).to_be_hidden()
    for key, step in (("ArrowRight", 2), ("PageDown", 3), ("ArrowLeft", 2)):
        tab.keyboard.press(key)
        opened(tab, COURSE[4], step)
    assert tab.locator(".stage").get_attribute("data-angle") == "30"  # the dial did not turn
    tab.locator(".lecture").click()
    expect(tab.locator("html[data-lecture]")).to_have_count(0)


def test_the_first_visit_begins_at_home_and_a_link_does_not(browser, server):
    tab = browser.first_visits.new_page()
    tab.set_default_timeout(TIMEOUT_MS)
    tab.goto(f"{server}/?x=shape.F")
    tab.wait_for_selector(".stage[data-drawn]")
    assert tab.locator(".home").count() == 0
    tab.goto(server)
    tab.wait_for_selector(".home[data-drawn]")
    assert tab.url.endswith("/home")
    tab.goto(server)
    tab.wait_for_selector(".starts:visible")
    tab.close()
    other = browser.first_visits.new_page()
    other.set_default_timeout(TIMEOUT_MS)
    other.goto(server)
    other.wait_for_selector(".home[data-drawn]")
    other.get_by_role("link", name="Show me").click()
    other.wait_for_selector(".course .cards li")
    other.close()


def test_the_name_of_the_lab_as_an_address_opens_it(browser, server):
    tab = browser.first_visits.new_page()
    tab.set_default_timeout(TIMEOUT_MS)
    for address in ("/lab", "/lab?x=shape.F"):
        tab.goto(f"{server}{address}")
        tab.wait_for_selector(".stage[data-drawn]")
        assert "/lab" not in tab.url
        assert tab.get_by_text("Page not found").count() == 0
    tab.close()


def test_the_film_plays_steps_and_finds_where_the_guess_gets_lost(tab, server):
    tab.goto(f"{server}/film")
    tab.wait_for_selector(".film[data-drawn]")
    at_rest(tab)
    before = int(tab.locator(".film").get_attribute("data-frame"))
    tab.locator(".film .play").click()
    expect(tab.locator(".film")).not_to_have_attribute("data-frame", f"{before}")
    tab.locator(".film .play").click()
    tab.locator(".film .to-lost").click()
    lost = int(tab.locator(".film").get_attribute("data-frame"))
    assert f"from frame {lost + 1} on" in tab.locator(".film .headline").inner_text()
    tab.locator(".film .step-on").click()
    expect(tab.locator(".film")).to_have_attribute("data-frame", f"{lost + 1}")
    tab.wait_for_function("frame => location.search.includes(`frame=${frame}`)", arg=lost + 1)


def test_a_signal_is_drawn_by_hand(tab, server):
    tab.goto(f"{server}/dft")
    tab.wait_for_selector(".dft[data-drawn]")
    box = tab.locator(".x-canvas").bounding_box()
    tab.mouse.move(box["x"] + 0.72 * box["width"], box["y"] + 0.95 * box["height"])
    tab.mouse.down()
    tab.mouse.move(box["x"] + 0.78 * box["width"], box["y"] + 0.05 * box["height"], steps=6)
    tab.mouse.up()
    tab.wait_for_function("() => location.search.includes('signal=')")
    rows = tab.locator(".dft .rows tr")
    expect(rows).to_have_count(7)
    for row in rows.all():
        cells = [cell.inner_text() for cell in row.locator("td").all()]
        assert cells[1] == cells[2]
        assert cells[3] == cells[4]
