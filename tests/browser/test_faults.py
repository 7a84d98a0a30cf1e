"""A server that is killed, restarted or suspended under an open page: the page says so, and goes on where it was."""

import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from explorer.__main__ import free_port
from tests.shared.browser import TIMEOUT_MS, address_has, at_rest, says


class Server:
    """An explorer on a port of its own, which can be started again there."""

    def __init__(self, stack):
        self.port = free_port("127.0.0.1", 8920)
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()
        stack.callback(lambda: (self.process.kill(), self.process.wait()))

    def start(self):
        command = [sys.executable, "-m", "explorer", "--no-browser", "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with suppress(OSError):
                return urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=5).close()
            time.sleep(0.1)
        raise TimeoutError("The explorer did not start.")

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def own_server():
    with ExitStack() as stack:
        yield Server(stack)


@pytest.fixture
def tab(browser, own_server):
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    tab = context.new_page()
    tab.set_default_timeout(TIMEOUT_MS)
    tab.goto(f"{own_server.address}/?x=shape.triangle&angle=50&sigma=0.6")
    says(tab, "Three turns")
    yield tab
    context.close()


def test_a_page_says_that_its_server_is_gone_and_goes_on_when_it_is_back(own_server, tab):
    own_server.kill()
    lost = tab.get_by_role("dialog", name="The explorer does not answer")
    expect(lost).to_contain_text("This page goes on by itself when it is back")
    assert "internet" not in tab.locator("body").inner_text()
    asked = []
    tab.on("websocket", lambda line: "stream" in line.url and line.on("framesent", lambda frame: asked.append(frame)))
    own_server.start()
    expect(lost).to_have_count(0)
    while not asked:  # the page asks the new server to draw it, without being touched
        tab.wait_for_timeout(100)
    at_rest(tab)
    tab.get_by_role("slider", name="Expected noise σ").press("ArrowRight")
    address_has(tab, "sigma=0.65")
    assert {"x=shape.triangle", "angle=50"} <= set(urlsplit(tab.url).query.split("&"))
    says(tab, "Three turns")


def test_what_is_done_while_a_server_sleeps_happens_when_it_wakes_up(own_server, tab):
    own_server.process.send_signal(signal.SIGSTOP)
    try:
        tab.get_by_role("slider", name="Expected noise σ").press("ArrowRight")
        tab.wait_for_timeout(6000)
        assert "sigma=0.6&" in tab.url + "&"
    finally:
        own_server.process.send_signal(signal.SIGCONT)
    address_has(tab, "sigma=0.65")
    says(tab, "Three turns")
