"""The app in Chromium: opening it, what people do there, and waiting for what they see."""

import re
from contextlib import contextmanager

from playwright.sync_api import expect

TIMEOUT_MS = 60_000  # of every wait: long, as other tests may share the machine


class Returning:
    """A browser whose visitors have been here before: an address without a link opens the lab, not Home."""

    def __init__(self, chromium):
        self.first_visits = chromium

    def new_context(self, **options):
        return _marked(self.first_visits.new_context(**options))

    def new_page(self, **options):
        return _marked(self.first_visits.new_page(**options))


def _marked(tab):
    tab.add_init_script("try { localStorage.setItem('tsa-been', '1') } catch {}")
    return tab


@contextmanager
def lab(browser, server, **options):
    """The lab, opened and drawn; anything the tab logs as an error, or asks of another host, fails the test.

    `traffic` of the tab is everything that goes to the server, `sockets` the WebSockets it opened.
    """
    tab = browser.new_page(viewport={"width": 1440, "height": 900}, **options)
    troubles = []
    tab.on("pageerror", lambda error: troubles.append(str(error)))
    tab.on("console", lambda message: message.type == "error" and troubles.append(message.text))
    tab.on("request", lambda request: "127.0.0.1" in request.url or troubles.append(request.url))
    tab.set_default_timeout(TIMEOUT_MS)
    tab.traffic, tab.sockets = [], []
    tab.on("websocket", lambda socket: tab.sockets.append(socket))
    tab.on("request", lambda request: tab.traffic.append(request.url))
    tab.on("websocket", lambda socket: socket.on("framesent", lambda frame: tab.traffic.append("frame")))
    tab.goto(server)
    tab.wait_for_selector(".stage[data-drawn]")
    yield tab
    tab.close()
    troubles = [t for t in troubles if not t.startswith(("data:", "blob:"))]
    assert troubles == [], troubles  # pytest does not explain assertions of this module


def at_rest(page):
    """Wait until Streamlit runs no script for this page, and what the last one sent is drawn."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def silent(page):
    """Wait until the tab is at rest and sends nothing while twenty frames are drawn: its earlier messages are out."""
    sent = -1
    while sent != len(page.traffic):
        sent = len(page.traffic)
        for _ in range(10):
            at_rest(page)


def ask_again(page, times):
    """Wait until the page has asked the server so many times more, as pages do that look at something by themselves."""
    stream = next(socket for socket in page.sockets if socket.url.endswith("/stream") and not socket.is_closed())
    for _ in range(times):
        with stream.expect_event("framesent", timeout=TIMEOUT_MS):
            pass
    at_rest(page)


def angle(page):
    return int(page.locator(".stage").get_attribute("data-angle"))


def drawn(page):
    return int(page.locator(".stage").get_attribute("data-drawn"))


def dial_points(page):
    box = page.locator(".dial").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["height"] * 0.3


def circle_at(page, j):
    """The place of the circle of subspace j on the page."""
    inside = page.locator(".circles-canvas").evaluate("(el, j) => JSON.parse(el.dataset.cells)[j]", j)
    box = page.locator(".circles-canvas").bounding_box()
    return box["x"] + inside[0], box["y"] + inside[1]


def open_sheet(page, name):
    """Press a button of the dock, which narrow screens have: it opens a sheet of controls, or closes it."""
    page.locator(".dock").get_by_role("button", name=name).click()


def choose(page, name):
    page.get_by_role("radio", name=name, exact=True).first.click()


ONE_TURN = re.compile(r"^By (about )?\d+°\.$")


def says(page, words):
    """Wait until the answer has these words, in upper or lower case, or matches a pattern."""
    pattern = words if isinstance(words, re.Pattern) else re.compile(re.escape(words), re.IGNORECASE)
    expect(page.locator(".answer")).to_have_text(pattern)


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


def draw_something(page):
    page.get_by_text("Draw", exact=True).click()
    box = page.locator(".paper").bounding_box()
    at = lambda u, v: (box["x"] + u * box["width"], box["y"] + v * box["height"])  # noqa: E731
    page.mouse.move(*at(0.35, 0.2))
    page.mouse.down()
    for point in ((0.35, 0.8), (0.7, 0.8), (0.65, 0.55)):
        page.mouse.move(*at(*point), steps=6)
    page.mouse.up()
    says(page, ONE_TURN)


def address_has(page, part):
    """Wait until the address says so: the run that followed a choice has ended, and Back leads to what was before."""
    page.wait_for_function("part => location.search.includes(part)", arg=part)
