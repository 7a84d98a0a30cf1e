"""Answers that need no drawing of the page come over a line of their own; without that line, the ordinary way."""

import re

import pytest

from tests.shared.browser import address_has, at_rest, choose, drawn, says


@pytest.fixture
def sent(browser, server):
    """Opens the lab; gives the page, and what it says over sockets: (path, payload)."""
    tab = browser.new_page(viewport={"width": 1440, "height": 900})
    tab.said = []

    def listen(socket):
        path = re.sub(r"^\w+://[^/]*", "", socket.url)
        socket.on("framesent", lambda frame: tab.said.append((path, frame)))

    tab.on("websocket", listen)
    yield tab
    tab.close()


def stroke(page, hold=lambda: None):
    paper = page.locator(".paper")
    paper.wait_for()
    box = paper.bounding_box()
    at = lambda u, v: (box["x"] + u * box["width"], box["y"] + v * box["height"])  # noqa: E731
    page.mouse.move(*at(0.5, 0.25))
    page.mouse.down()
    page.mouse.move(*at(0.5, 0.75), steps=30)
    says(page, "Two turns")  # the pen is still down
    hold()
    page.mouse.up()
    address_has(page, "draw.")
    says(page, "Two turns")


def test_a_stroke_runs_no_script(sent, server):
    sent.goto(server)
    sent.get_by_text("Draw", exact=True).click()
    sent.wait_for_selector(".line[data-open]", state="attached")
    says(sent, "By any angle")
    sent.said.clear()

    def hold():
        assert {path for path, _ in sent.said} == {"/live"}
        assert len(sent.said) > 3

    stroke(sent, hold)
    assert "/_stcore/stream" in {path for path, _ in sent.said}  # what was drawn in the end


def test_without_the_line_strokes_are_answered_all_the_same(sent, server):
    sent.route_web_socket(re.compile("/live$"), lambda socket: socket.close())
    sent.goto(server)
    sent.get_by_text("Draw", exact=True).click()
    says(sent, "By any angle")
    stroke(sent)


def relayed(tab):
    """The lines that the tab will open, each of which can be closed."""
    lines = []

    def relay(socket):
        lines.append(socket)
        socket.connect_to_server()

    tab.route_web_socket(re.compile("/live$"), relay)
    return lines


def test_a_line_that_breaks_during_a_stroke_loses_nothing(sent, server):
    lines = relayed(sent)
    sent.goto(server)
    sent.get_by_text("Draw", exact=True).click()
    sent.wait_for_selector(".line[data-open]", state="attached")
    stroke(sent, hold=lambda: lines[0].close())


def test_a_line_that_broke_comes_back(sent, server):
    lines = relayed(sent)
    sent.goto(server)
    sent.wait_for_selector(".line[data-open]", state="attached")
    lines[0].close()
    sent.wait_for_selector(".line:not([data-open])", state="attached")
    sent.wait_for_selector(".line[data-open]", state="attached")
    assert len(lines) == 2


@pytest.fixture
def slow(sent, server):
    """The lab, where nothing that Streamlit sends arrives until `slow.release()`."""
    held = []
    sent.holding = False

    def relay(socket):
        upstream = socket.connect_to_server()
        upstream.on_message(lambda frame: held.append(frame) if sent.holding else socket.send(frame))
        sent.release = lambda: [socket.send(held.pop(0)) for _ in list(held)]

    sent.route_web_socket(re.compile("/stream$"), relay)
    sent.goto(server)
    sent.wait_for_selector(".line[data-open]", state="attached")
    says(sent, "Four turns")
    sent.holding = True
    return sent


def test_the_answer_does_not_wait_for_the_page(slow):
    choose(slow, "triangle")
    says(slow, "By 30°, 150° or 270°: three turns")
    slow.holding = False
    slow.release()
    address_has(slow, "triangle")
    slow.locator(".dial").focus()
    slow.keyboard.press("ArrowLeft")  # all other turns are here too
    says(slow, "By 31°, 151° or 271°: three turns")


def test_who_turns_on_before_all_turns_are_here_sees_what_is_known(slow):
    choose(slow, "triangle")
    says(slow, "By 30°, 150° or 270°: three turns")
    slow.locator(".dial").focus()
    slow.keyboard.press("ArrowLeft")
    slow.wait_for_selector(".stage.pending[data-angle='31']")  # the picture turns, nothing is said of it yet
    slow.holding = False
    slow.release()
    says(slow, "By 31°, 151° or 271°: three turns")
    slow.wait_for_selector(".stage[data-angle='31']:not(.pending)")


def test_a_page_that_comes_late_does_not_bring_back_what_is_over(slow):
    slow.locator(".answer").evaluate(
        "el => { window.heard = []; const hear = () => window.heard.push(el.textContent.match(/(\\w+) turns/)?.[1]);"
        " new MutationObserver(hear)"
        ".observe(el, { childList: true, characterData: true, subtree: true }) }"
    )
    for shape, word in (("triangle", "three"), ("pentagon", "five")):
        choose(slow, shape)
        says(slow, word)
    slow.holding = False
    slow.release()
    address_has(slow, "pentagon")
    at_rest(slow)
    assert slow.evaluate("window.heard") == ["three", "five"]


def test_a_dial_that_is_elsewhere_waits_for_all_turns(slow):
    """The early answer is about the turn that Python knows of."""
    box = slow.locator(".dial").bounding_box()
    x, y, r = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["height"] * 0.3
    slow.mouse.move(x + r, y)
    slow.mouse.down()
    slow.mouse.move(x + 0.7 * r, y - 0.7 * r, steps=5)
    turned = slow.locator(".stage").get_attribute("data-angle")
    told = "window.told = new Promise((done) => window.addEventListener('tsa-stage', done, { once: true })); 0"
    slow.evaluate(told)
    slow.get_by_role("radio", name="triangle", exact=True).evaluate("button => button.click()")
    slow.evaluate("window.told.then(() => 0)")
    assert slow.locator(".stage").get_attribute("data-angle") == turned
    slow.holding = False
    slow.release()
    says(slow, "Three turns")
    assert slow.locator(".stage").get_attribute("data-angle") == turned
    slow.mouse.up()


def test_the_stage_comes_back_to_a_picture_it_had(page):
    """Python does not send again what the stage said it has; the stage must still have it."""
    says(page, "Four turns")
    page.locator(".dial").focus()
    page.keyboard.press("ArrowLeft")  # tells Python which sweep is here
    address_has(page, "angle=31")
    choose(page, "triangle")
    says(page, "Three turns")
    before = drawn(page)
    choose(page, "square")
    says(page, "By 31°, 121°, 211° or 301°: four turns")
    assert drawn(page) > before
