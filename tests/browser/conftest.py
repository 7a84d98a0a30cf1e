"""A running explorer and a real Chromium."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from explorer.tools import CHROMIUM, browsing, serving
from tests.shared.browser import TIMEOUT_MS, Returning, lab

expect.set_options(timeout=TIMEOUT_MS)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Without Chromium none of these run. With it, the first look at the lab is in every run; the others are slow."""
    for item in items:
        if Path(__file__).parent not in item.path.parents:
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
        yield Returning(chromium)


@pytest.fixture
def page(browser, server):
    with lab(browser, server) as tab:
        yield tab
