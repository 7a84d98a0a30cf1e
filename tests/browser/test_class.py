"""A class in Chromium: joining, following the teacher's page, and leaving it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from explorer.tools import serving_class
from tests.shared.browser import TIMEOUT_MS, address_has, choose, says, visit

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
JUDGE = """async () => (await axe.run(document, { resultTypes: ['violations'] })).violations
    .filter((found) => ['serious', 'critical'].includes(found.impact))
    .map((found) => [found.id, ...found.nodes.map((node) => node.html.slice(0, 200))])"""
FOLLOWING, WAITING = "Following the teacher", "The teacher is not here; waiting"


@pytest.fixture(scope="module")
def school():
    """The address of a class, and its teacher's key."""
    with serving_class(port=8670) as found:
        yield found


@pytest.fixture
def tab(browser):
    """Opens pages, each in a browser of its own."""
    contexts = []

    def opened(address, **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}} | options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.goto(address)
        page.wait_for_selector(".sign:not([hidden])")
        return page

    yield opened
    for context in contexts:
        context.close()


def sign(page):
    return page.locator(".sign .state")


def follow(page):
    page.get_by_role("button", name="Follow the teacher").click()
    expect(sign(page)).to_have_text(FOLLOWING)


def angle_is(page, degrees):
    page.wait_for_selector(f".stage[data-angle='{degrees}']")


def hold_dial(page, degrees):
    """Press the dial at its knob's side and turn it to here, without letting go."""
    box = page.locator(".dial").bounding_box()
    x, y, r = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["height"] * 0.3
    page.mouse.move(x + r, y)
    page.mouse.down()
    page.mouse.move(x, y - r, steps=5)
    angle_is(page, degrees)


def test_a_student_sees_what_the_teacher_shows_until_they_touch_something(school, tab):
    address, key = school
    teacher = tab(f"{address}/?angle=10#teacher={key}")
    expect(sign(teacher)).to_have_text("You teach · followed by 0")
    assert key not in teacher.url  # the screen may be on the wall
    student = tab(f"{address}/filters?x=shape.F")
    follow(student)
    expect(sign(teacher)).to_have_text("You teach · followed by 1")
    angle_is(student, 10)  # another page, another picture
    choose(teacher, "triangle")
    says(student, "three turns")
    hold_dial(teacher, 100)
    angle_is(student, 100)  # while it is still held
    assert "angle=10" in teacher.url
    teacher.mouse.up()
    address_has(student, "angle=100")  # so that the student's link and tables follow
    visit(teacher, "Motion")
    student.wait_for_selector(".motion[data-drawn]")
    assert key not in student.content()

    student.mouse.click(640, 30)
    expect(sign(student)).to_have_text("")
    expect(sign(teacher)).to_have_text("You teach · followed by 0")
    visit(teacher, "Lab")
    says(teacher, "three turns")
    assert "/motion" in student.url

    visit(student, "Lab")  # by themselves: the teacher's page stays as it is
    choose(student, "pentagon")
    says(student, "five turns")
    says(teacher, "three turns")


def test_students_know_when_the_teacher_is_gone(school, tab):
    address, key = school
    teacher = tab(f"{address}/dft#teacher={key}")
    student = tab(f"{address}/dft")
    follow(student)
    teacher.reload()
    expect(sign(teacher)).to_have_text("You teach · followed by 1")
    expect(sign(student)).to_have_text(FOLLOWING)
    student.reload()
    expect(sign(student)).to_have_text(FOLLOWING)  # goes on by itself
    again = tab(f"{address}/dft#teacher={key}")
    expect(sign(again)).to_have_text("You teach · followed by 1")
    expect(sign(teacher)).to_have_text("Another page of yours teaches")
    teacher.get_by_role("button", name="Teach from here").click()
    expect(sign(again)).to_have_text("Another page of yours teaches")
    again.close()
    teacher.close()
    expect(sign(student)).to_have_text(WAITING)
    student.get_by_role("button", name="Stop").click()
    expect(sign(student)).to_have_text("")


def test_a_server_that_starts_again_has_another_key(tab):
    with serving_class(port=8674) as (address, key):
        teacher, student = tab(f"{address}/dft#teacher={key}"), tab(f"{address}/dft")
        follow(student)
    expect(sign(student)).to_have_text("No connection; trying again")
    with serving_class(port=int(address.rpartition(":")[2])) as (again, _):
        assert again == address
        expect(sign(student)).to_have_text(WAITING, timeout=TIMEOUT_MS)
        expect(sign(teacher)).to_have_text(re.compile("earlier start"), timeout=TIMEOUT_MS)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_joining_and_following_by_keyboard_and_for_axe(school, tab, scheme):
    address, key = school
    teacher = tab(f"{address}/home#teacher={key}")
    size = {"width": 390, "height": 844} if scheme == "dark" else {"width": 1280, "height": 800}
    page = tab(f"{address}/home", color_scheme=scheme, viewport=size)
    page.wait_for_selector(".stage[data-drawn]")
    page.wait_for_selector(".join.inline svg")
    page.evaluate(AXE)
    found = {"home": page.evaluate(JUDGE)}
    page.get_by_role("button", name="Join", exact=True).press("Enter")
    box = page.locator("dialog[open]")
    expect(box.locator(".address")).to_have_text(address)
    assert box.locator(".code").get_attribute("aria-label") == f"QR code of {address}"
    assert box.locator(".code svg").evaluate("svg => svg.getBoundingClientRect().width") > 120
    assert box.locator(".code").evaluate("el => getComputedStyle(el).backgroundColor") == "rgb(255, 255, 255)"
    found["join"] = page.evaluate(JUDGE)
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    page.get_by_role("button", name="Follow the teacher").press("Enter")
    expect(sign(page)).to_have_text(FOLLOWING)
    found["following"] = page.evaluate(JUDGE)
    page.keyboard.press("Tab")  # which reaches for the sign, and leaves nothing
    expect(sign(page)).to_have_text(FOLLOWING)
    page.locator("main").focus()
    page.keyboard.press("Escape")
    expect(sign(page)).to_have_text("")
    assert found == {"home": [], "join": [], "following": []}
    logo = page.locator("[data-testid=stHeader] img").first.bounding_box()
    place = page.locator(".sign").bounding_box()
    assert logo["x"] + logo["width"] < place["x"] < size["width"] - place["width"]
    teacher.close()


def test_the_preview_of_a_link_does_not_teach(school, tab):
    address, key = school
    teacher = tab(f"{address}/share#teacher={key}")
    student = tab(f"{address}/dft")
    follow(student)
    preview = teacher.frame_locator("iframe")
    preview.locator(".stage[data-drawn]").wait_for()
    preview.get_by_role("radio", name="F", exact=True).first.wait_for()
    expect(preview.locator(".sign")).to_be_hidden()
    expect(sign(teacher)).to_have_text("You teach · followed by 1")
    student.wait_for_url(re.compile("/share"))


def test_there_is_no_sign_without_a_class_or_in_a_frame(school, browser, server):
    for address in (server, f"{school[0]}/?embed=true"):
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector(".stage[data-drawn]")
        page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
        assert page.locator(".sign").count() == 0
        page.close()
