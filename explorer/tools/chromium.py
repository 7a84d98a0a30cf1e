"""Start an explorer and a Chromium that opens it: for benchmarks, screenshots and tests."""

import importlib.util
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urljoin

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def in_chromium(work: Callable[[Any, str], None]) -> int:
    """Start an explorer and a Chromium, and call `work` with the browser and the address; returns the exit code."""
    if CHROMIUM is None or importlib.util.find_spec("playwright") is None:
        print("This needs chromium on the path and `pip install playwright`.", file=sys.stderr)
        return 2
    with serving(port=8750) as address, browsing() as browser:
        work(browser, address)
    return 0


@contextmanager
def serving(port: int, *options: str) -> Iterator[str]:
    """The address of an explorer with these options that listens on this port, or the next free one."""
    with _started(port, options, r"http://127\.0\.0\.1:\d+") as found:
        yield found[0]


@contextmanager
def serving_class(port: int) -> Iterator[tuple[str, str]]:
    """The address of an explorer for a class on this machine alone, and the key of its teacher."""
    with _started(port, ["--class", "--host", "127.0.0.1"], r"(http://127\.0\.0\.1:\d+)/\S*#teacher=(\S+)") as found:
        yield found[1], found[2]


@contextmanager
def _started(port: int, options: Iterable[str], said: str) -> Iterator[re.Match[str]]:
    """An explorer, and the line of its output that matches the pattern, which names its address."""
    command = [sys.executable, "-m", "explorer", "--no-browser", "--port", str(port), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8") as server:
        assert server.stdout is not None
        try:
            found = next(filter(None, (re.search(said, line) for line in server.stdout)), None)
            if found is None:
                raise RuntimeError("The explorer did not start.")
            threading.Thread(target=_drain, args=(server.stdout,), daemon=True).start()
            _wait_until_it_answers(urljoin(found[0], "/"))
            yield found
        finally:
            server.terminate()


def _drain(output: Iterable[str]) -> None:
    """Read and forget what the server says later: it would wait for a reader when the pipe is full."""
    with suppress(ValueError, OSError):  # closed in the meantime
        deque(output, 0)


def _wait_until_it_answers(address: str) -> None:
    """Wait for the server: it prints the address shortly before it listens."""
    deadline = time.monotonic() + 30
    while True:
        try:
            return urllib.request.urlopen(f"{address}_stcore/health", timeout=5).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@contextmanager
def browsing() -> Iterator[Any]:
    """A headless Chromium, driven by Playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        yield browser
        browser.close()
