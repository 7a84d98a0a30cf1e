"""A real Chromium that looks at a real explorer: for measuring and for taking pictures."""

import importlib.util
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from typing import Any

_FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]


def in_chromium(work: Callable[[Any, str], None]) -> int:
    """Start an explorer and a Chromium, and hand over the browser and the address; the exit code of it all."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or importlib.util.find_spec("playwright") is None:
        print("This needs chromium on the path and `pip install playwright`.", file=sys.stderr)
        return 2
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "explorer", "--no-browser", "--port", "8750"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        assert server.stdout is not None
        address = next(part for line in server.stdout for part in line.split() if part.startswith("http://"))
        _wait_until_it_answers(address)
        try:
            with sync_playwright() as play:
                browser = play.chromium.launch(executable_path=chromium, args=_FLAGS)
                work(browser, address)
                browser.close()
        finally:
            server.terminate()
    return 0


def _wait_until_it_answers(address: str) -> None:
    """The address is printed a moment before anything listens there."""
    for _ in range(300):
        try:
            return urllib.request.urlopen(f"{address}/_stcore/health", timeout=5).close()
        except OSError:
            time.sleep(0.1)
