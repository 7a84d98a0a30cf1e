"""The delays of the motion page, measured in Chromium: how many posteriors a second follow a hand, and how soon."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

_SECONDS = 3.0  # of each drag
_PARTS = {"picture": (0.25, 0.25), "rim": (0.5, 0.25), "centre": (0.5, 0.5)}  # places on the world, from 0 to 1

# Put into the page: for each answer that is painted, how long ago the move was that it answers, what of that passed
# until the answer arrived, and whether something older than this answer is on the screen.
_PROBE = """
root => {
  const probe = window.motionProbe = { delays: [], asked: [], stale: 0 };
  const sent = new Map();
  let [moved, newest] = [0, 0];
  root.querySelector('.world').addEventListener('pointermove', (event) => { moved = event.timeStamp; }, true);
  window.addEventListener('tsa-ask', ({ detail: { message } }) => {
    const { sequence, shift, window: wide, window_at: at } = message;
    sent.set(sequence, { moved, asked: performance.now(), shown: [...shift, wide, ...at].join() });
  });
  window.addEventListener('tsa-show', ({ detail: { sequence } }) => {
    const message = sent.get(sequence);
    if (!message) return;
    const answered = performance.now(), port = new MessageChannel();
    newest = sequence;
    port.port1.onmessage = () => {
      probe.delays.push(performance.now() - message.moved);
      probe.asked.push(answered - message.asked);
      const shown = [root.dataset.answered, root.dataset.seen].join();
      probe.stale += newest === sequence && shown !== message.shown; // else a newer answer is painted
    };
    requestAnimationFrame(() => port.port2.postMessage(0));
  });
}
"""

# Moves the pointer once a frame, inside the page: a driver outside would wait for each move.
_DRAG = """
([root, x, y, reach, duration]) => new Promise((done) => {
  const [world, start, before] = [root.querySelector('.world'), performance.now(), Number(root.dataset.drawn)];
  const step = (now) => {
    if (now - start > duration) return done(Number(root.dataset.drawn) - before);
    const angle = (now - start) / 250;
    const place = { clientX: x + reach * (Math.cos(angle) - 1), clientY: y - reach * Math.sin(angle), bubbles: true };
    world.dispatchEvent(new PointerEvent('pointermove', place));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})
"""

_FORGET = "Object.assign(window.motionProbe, { delays: [], asked: [], stale: 0 })"


def time_motion(browser: Any, address: str) -> None:
    """Print how soon the page is drawn, in a browser that has nothing of it, and how its parts follow a hand."""
    for visit in ("first", "second"):
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        start = time.perf_counter()
        page.goto(f"{address}/motion", wait_until="commit")
        page.wait_for_selector(".motion[data-drawn]")
        print(f"motion, {visit} visitor: drawn after {time.perf_counter() - start:.2f} s")
        if visit == "second":
            _time_drags(page)
        context.close()


def _time_drags(page: Any) -> None:
    page.wait_for_selector(".line[data-open]", state="attached")
    page.wait_for_timeout(1000)
    root, box = page.locator(".motion"), page.locator(".world").bounding_box()
    root.evaluate(_PROBE)
    for part, (across, down) in _PARTS.items():
        x, y = box["x"] + across * box["width"], box["y"] + down * box["height"]
        page.mouse.move(x, y)
        page.mouse.down()
        drawn = page.evaluate(_DRAG, [root.element_handle(), x, y, 40, 1e3 * _SECONDS])
        page.evaluate(_FORGET)
        # The delay is taken from real input, which carries the time at which it happened.
        for angle in np.arange(0, 9, 0.1).tolist():
            page.mouse.move(x + 40 * (np.cos(angle) - 1), y - 40 * np.sin(angle))
        probe = page.evaluate("window.motionProbe")
        page.mouse.up()
        page.wait_for_timeout(700)
        print(f"motion, dragging the {part}: {drawn / _SECONDS:.0f} posteriors/s, {probe['stale']} stale")
        print(f"  event to paint {_percentiles(probe['delays'])}; answer after {_percentiles(probe['asked'])}")
        page.evaluate(_FORGET)


def _percentiles(delays: Sequence[float]) -> str:
    middle, late = np.percentile(delays, [50, 95])
    return f"median {middle:.0f} ms, p95 {late:.0f} ms"
