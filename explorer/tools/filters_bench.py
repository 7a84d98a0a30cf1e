"""Delays of the page Filters with thousands of filters, measured in Chromium: until they are painted, and scrolling."""

import io
import time
from typing import Any

import numpy as np

_FILTERS, _SIDE = 4096, 16
_SECONDS = 3.0  # of scrolling

# Scrolls a little in every frame, down and up again; returns frames a second and the longest pause in ms between
# two frames.
_SCROLL = """
([frame, duration]) => new Promise((done) => {
  const start = performance.now();
  let [frames, last, longest, way] = [0, start, 0, 12];
  const step = (now) => {
    if (now - start > duration) return done([frames / (now - start) * 1e3, longest]);
    frames += 1;
    longest = Math.max(longest, now - last);
    last = now;
    if (frame.scrollTop + frame.clientHeight >= frame.scrollHeight - 12 || frame.scrollTop + way < 0) way = -way;
    frame.scrollTop += way;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})
"""
_PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def time_many_filters(browser: Any, address: str) -> None:
    """A dictionary of 4,096 real filters of 16×16 pixels, uploaded; then opened, and opened again."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(120_000)
    page.goto(f"{address}/model")
    upload = page.locator("input[type=file]")
    upload.wait_for(state="attached")
    upload.set_input_files({"name": "many.npy", "mimeType": "application/octet-stream", "buffer": _dictionary()})
    page.get_by_text("which need not be orthonormal").wait_for()
    page.get_by_text("Every subspace").wait_for()
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    first = _open(page)
    page.get_by_role("link", name="Home", exact=True).click()
    page.wait_for_selector(".sheet", state="detached")
    again = _open(page)
    frame = page.locator(".sheet .scroll").element_handle()
    rate, longest = page.evaluate(_SCROLL, [frame, 1e3 * _SECONDS])
    print(
        f"filters: {_FILTERS:,} painted {first:.2f} s after the click, {again:.2f} s when opened again; scrolling "
        f"{rate:.0f} frames/s, longest {longest:.0f} ms"
    )
    page.close()


def _open(page: Any) -> float:
    start = time.perf_counter()
    page.get_by_role("link", name="Filters", exact=True).click()
    page.wait_for_selector(".sheet[data-chosen]")
    page.evaluate(_PAINTED)
    return time.perf_counter() - start


def _dictionary() -> bytes:
    """Waves of all frequencies and phases in windows at random places, as an .npy."""
    rng = np.random.default_rng(0)
    y, x = np.indices((_SIDE, _SIDE))
    k, at = rng.uniform(-np.pi, np.pi, (2, _FILTERS, 1, 1)), rng.uniform(4, _SIDE - 4, (2, _FILTERS, 1, 1))
    waves = np.cos(k[0] * y + k[1] * x + rng.uniform(0, 2 * np.pi, (_FILTERS, 1, 1)))
    window = np.exp(-((y - at[0]) ** 2 + (x - at[1]) ** 2) / 18)
    buffer = io.BytesIO()
    np.save(buffer, (waves * window).reshape(_FILTERS, -1).astype(np.float32))
    return buffer.getvalue()
