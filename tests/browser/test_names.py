"""Names that a server answers to, in Chromium: its own and allowed ones open the app, others see one sentence."""

import pytest

from explorer.tools import CHROMIUM, serving
from tests.shared.browser import TIMEOUT_MS


@pytest.fixture(scope="module")
def tab(browser):
    """A page in a browser that finds every name on this machine, as after DNS rebinding; and the port of a server."""
    rules = "--host-resolver-rules=MAP *.test 127.0.0.1, MAP *.test. 127.0.0.1"
    with serving(8690, "--allowed-host", "tsa.test") as address:
        found = browser.browser_type.launch(executable_path=CHROMIUM, args=["--no-sandbox", rules])
        page = found.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        yield page, address.rpartition(":")[2]
        found.close()


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


@pytest.mark.parametrize(("query", "shown"), [("?embed=true", True), ("", False)])
def test_a_page_elsewhere_may_frame_what_is_meant_to_be_embedded(tab, query, shown):
    page, port = tab
    frame = f'<iframe src="http://localhost:{port}/{query}" width="1200" height="900"></iframe>'
    page.route("http://school.test/", lambda route: route.fulfill(body=frame, content_type="text/html"))
    refusals = []
    page.on("console", lambda message: "frame-ancestors" in message.text and refusals.append(message.text))
    page.goto("http://school.test/")
    if shown:
        page.frame_locator("iframe").locator(".stage[data-drawn]").wait_for()
    else:
        page.wait_for_function("() => document.querySelector('iframe')")
        page.wait_for_load_state("networkidle")
        assert page.frame_locator("iframe").locator(".stage").count() == 0
    assert bool(refusals) is not shown
