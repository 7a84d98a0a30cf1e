"""`tsa-explorer bench`: how live the lab is, measured in real Chromium against a real server, in one run."""

import importlib.util
import shutil
import subprocess
import sys
import time
import urllib.request
from typing import Any

import numpy as np

from explorer import compute
from tsa import shapes
from tsa.polar import to_polar
from tsa.sweep import sweep

_FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]

# Collects, inside the page: the time from each pointer event on the dial to the frame that shows it, and the time from
# each drawing the pad sends to the posterior that answers it.
_PROBE = """
dial => {
  window.probe = { turns: [], strokes: [] };
  dial.addEventListener('pointermove', (event) => {
    const port = new MessageChannel();
    port.port1.onmessage = () => window.probe.turns.push(performance.now() - event.timeStamp);
    requestAnimationFrame(() => port.port2.postMessage(0));
  });
}
"""


_HAND = """
([dial, x, y, r, duration]) => new Promise((done) => {
  const stage = dial.closest('.stage');
  const start = performance.now();
  const before = Number(stage.dataset.drawn);
  const step = (now) => {
    if (now - start > duration) {
      window.probe.drawn = Number(stage.dataset.drawn) - before;
      return done();
    }
    const angle = (2 * Math.PI * (now - start)) / duration;
    const place = { clientX: x + r * Math.cos(angle), clientY: y - r * Math.sin(angle), bubbles: true };
    dial.dispatchEvent(new PointerEvent('pointermove', place));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})
"""


def run() -> int:
    """Measure and print; needs playwright (extra `test`) and a `chromium` on the path."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or importlib.util.find_spec("playwright") is None:
        print("tsa-explorer bench needs chromium on the path and `pip install playwright`.", file=sys.stderr)
        return 2
    from playwright.sync_api import sync_playwright

    _time_sweep()
    command = [sys.executable, "-m", "explorer", "--no-browser", "--port", "8750"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        assert server.stdout is not None
        address = next(part for line in server.stdout for part in line.split() if part.startswith("http://"))
        _wait_until_it_answers(address)
        try:
            with sync_playwright() as play:
                browser = play.chromium.launch(executable_path=chromium, args=_FLAGS)
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                _time_opening(page, address)
                _time_dial(page)
                _time_shape(page)
                _time_stroke(page)
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


def _time_sweep() -> None:
    model, size = compute.model(compute.default_model(), 0.5)
    polar = to_polar(shapes.draw("square"))
    times = []
    for _ in range(20):
        start = time.perf_counter()
        sweep(model, polar, size)
        times.append(1e3 * (time.perf_counter() - start))
    print(f"sweep of 360 angles, {model.subspaces} subspaces: median {np.median(times):.1f} ms")


def _time_opening(page: Any, address: str) -> None:
    for visit in ("first", "second"):
        start = time.perf_counter()
        page.goto(address)
        page.wait_for_selector(".stage[data-drawn]")
        print(f"{visit} opening: stage drawn after {time.perf_counter() - start:.2f} s")


def _time_dial(page: Any, seconds: float = 3.0) -> None:
    dial = page.locator(".dial")
    dial.evaluate(_PROBE)
    box = dial.bounding_box()
    x, y, r = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["height"] * 0.3
    page.mouse.move(x + r, y)
    page.mouse.down()
    # The hand is inside the page, one move a frame: a driver outside waits for each move and would time itself.
    page.evaluate(_HAND, [dial.element_handle(), x, y, r, 1e3 * seconds])
    drawn = page.evaluate("window.probe.drawn")
    page.mouse.up()
    delays = page.evaluate("window.probe.turns")
    print(f"dial: {drawn / seconds:.0f} updates/s, event to paint {_percentiles(delays)}")


def _time_shape(page: Any) -> None:
    sentence = page.locator(".sentence")
    delays = []
    for name, word in (("triangle · 3-fold", "Three"), ("pentagon · 5-fold", "Five"), ("bar · 2-fold", "Two")):
        start = time.perf_counter()
        page.get_by_text(name).click()
        page.wait_for_function("([el, word]) => el.textContent.startsWith(word)", arg=[sentence.element_handle(), word])
        delays.append(1e3 * (time.perf_counter() - start))
    print(f"choosing a shape: new posterior after {max(delays):.0f} ms at the most")


def _time_stroke(page: Any, seconds: float = 3.0) -> None:
    page.get_by_text("Draw", exact=True).click()
    paper = page.locator(".paper")
    paper.wait_for()
    paper.evaluate(
        "el => new MutationObserver(() => window.probe.strokes.push(Number(el.dataset.answered)))"
        ".observe(el, { attributes: true, attributeFilter: ['data-answered'] })"
    )
    box = paper.bounding_box()
    x, y, r = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["width"] * 0.3
    page.mouse.move(x + r, y)
    page.mouse.down()
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        angle = 5 * elapsed
        page.mouse.move(x + r * np.cos(angle) * (1 - 0.2 * elapsed), y - r * np.sin(angle))
    page.mouse.up()
    delays = page.evaluate("window.probe.strokes")
    print(f"stroke: {len(delays) / elapsed:.0f} posteriors/s, stroke to posterior {_percentiles(delays)}")


def _percentiles(delays: list[float]) -> str:
    middle, late = np.percentile(delays, [50, 95])
    return f"median {middle:.0f} ms, p95 {late:.0f} ms"
