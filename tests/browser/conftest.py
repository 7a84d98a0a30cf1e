"""A running explorer and a real Chromium."""

from contextlib import contextmanager

import pytest

from explorer.chromium import CHROMIUM, browsing, serving


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Without Chromium none of these run; with it, the lab's are quick enough for every run, the others are slow."""
    for item in items:
        if "browser" not in item.path.parts:
            continue
        if item.path.name != "test_lab.py":
            item.add_marker(pytest.mark.slow)
        if CHROMIUM is None:
            item.add_marker(pytest.mark.skip(reason="needs Debian's chromium"))


@pytest.fixture(scope="session")
def server():
    """The address of an explorer that listens on a free port."""
    with serving(port=8650) as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    with browsing() as chromium:
        yield chromium


@contextmanager
def lab(browser, server, **options):
    """The lab, opened and drawn; anything the tab logs as an error, or asks of another host, fails the test.

    `traffic` of the tab is everything that goes to the server.
    """
    tab = browser.new_page(viewport={"width": 1440, "height": 900}, **options)
    troubles = []
    tab.on("pageerror", lambda error: troubles.append(str(error)))
    tab.on("console", lambda message: message.type == "error" and troubles.append(message.text))
    tab.on("request", lambda request: "127.0.0.1" in request.url or troubles.append(request.url))
    tab.set_default_timeout(10_000)
    tab.traffic = []
    tab.on("request", lambda request: tab.traffic.append(request.url))
    tab.on("websocket", lambda socket: socket.on("framesent", lambda frame: tab.traffic.append("frame")))
    tab.goto(server)
    tab.wait_for_selector(".stage[data-drawn]", timeout=30_000)
    yield tab
    tab.close()
    assert [t for t in troubles if not t.startswith(("data:", "blob:"))] == []


@pytest.fixture
def page(browser, server):
    with lab(browser, server) as tab:
        yield tab
