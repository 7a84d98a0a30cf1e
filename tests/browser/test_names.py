"""Names that a server answers to, in Chromium: its own and allowed ones open the app, others see one sentence."""

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from explorer.tools import CHROMIUM, serving
from tests.shared.browser import TIMEOUT_MS, Returning


@pytest.fixture(scope="module")
def tab(browser):
    """A page in a browser that finds every name on this machine, as after DNS rebinding; and the port of a server."""
    rules = "--host-resolver-rules=MAP *.test 127.0.0.1, MAP *.test. 127.0.0.1"
    with serving(8690, "--allowed-host", "tsa.test") as address:
        chromium = browser.first_visits.browser_type
        found = Returning(chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", rules]))
        page = found.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        yield page, address.rpartition(":")[2]
        found.first_visits.close()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "tsa.test", "tsa.test."])
def test_the_app_opens_under_its_names(tab, name):
    page, port = tab
    page.goto(f"http://{name}:{port}/")
    page.wait_for_selector(".stage[data-drawn]")
    page.wait_for_selector(".line[data-open]", state="attached")  # /live answers too


def test_another_name_opens_nothing(tab):
    page, port = tab
    answer = page.goto(f"http://evil.test:{port}/")
    assert answer.status == 403
    assert "--allowed-host" in page.inner_text("body")


def test_a_page_from_elsewhere_opens_no_socket(tab):
    """What a page that was rebound, or one on another port, would try."""
    page, port = tab
    opened = """address => new Promise((done) => {
      const line = new WebSocket(address);
      line.onopen = () => done(true);
      line.onerror = () => done(false);
    })"""
    page.goto(f"http://localhost:{port}/_stcore/health")
    assert page.evaluate(opened, f"ws://localhost:{port}/live")
    with serving(8696) as other:
        for path in ("/live", "/_stcore/stream"):
            assert not page.evaluate(opened, other.replace("http", "ws") + path)


@contextmanager
def page_elsewhere(body):
    """The address of a server on another port that answers everything with this HTML."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):  # the name that http.server asks for
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *about):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as other:
        Thread(target=other.serve_forever).start()
        yield f"http://localhost:{other.server_port}/"
        other.shutdown()


@pytest.mark.parametrize(("query", "shown"), [("?embed=true", True), ("", False)])
def test_a_page_elsewhere_may_frame_what_is_meant_to_be_embedded(tab, query, shown):
    page, port = tab
    frame = f'<iframe src="http://localhost:{port}/{query}" width="1200" height="900"></iframe>'
    with page_elsewhere(frame) as elsewhere:
        if shown:
            page.goto(elsewhere)
            page.frame_locator("iframe").locator(".stage[data-drawn]").wait_for()
        else:
            with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
                page.goto(elsewhere)
