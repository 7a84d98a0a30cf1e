"""`tsa-explorer bench`: delays of the lab and of motion, measured in Chromium against a real server, in one run."""

import base64
import io
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from explorer.state import LAB_MODEL, open_named, turning_film
from explorer.tools.chromium import in_chromium
from explorer.tools.class_bench import time_class
from explorer.tools.filters_bench import time_many_filters
from explorer.tools.motion_bench import time_motion
from explorer.tools.timing import percentiles
from tsa.pictures import shapes, to_disc
from tsa.stage import PICTURE_RADIUS, RIM_OVER_PICTURE, data_url, show, sweep

# Put into the page: after every frame in which the dial was moved, how long ago the move was, and whether the frame
# shows it. The knob is a dot inside a ring of paper; both sides of the ring must be where the last move put them.
_PROBE_DIAL = """
dial => {
  const stage = dial.closest('.stage'), canvas = stage.querySelector('.dial-canvas'), pen = canvas.getContext('2d');
  const paper = getComputedStyle(stage).getPropertyValue('--st-secondary-background-color');
  const level = parseInt(paper.slice(1, 3), 16);
  const probe = window.probe = { turns: [], strokes: [], frames: 0, stale: 0, blank: 0 };
  const look = () => {
    const ratio = window.devicePixelRatio, s = stage.dataset.angle * Math.PI / 180;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    const outer = Math.min(w, h) / 2, rim = outer * RIM, side = 8 * outer / 215;
    const at = (x, y) => pen.getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data;
    const ring = [-side, side].map((d) => at(w / 2 + rim * Math.cos(s + d / rim), h / 2 - rim * Math.sin(s + d / rim)));
    probe.frames += 1;
    probe.blank += at(w / 2, h / 2)[3] === 0;
    probe.stale += ring.some((pixel) => Math.abs(pixel[0] - level) > 40);
  };
  dial.addEventListener('pointermove', (event) => {
    const port = new MessageChannel();
    port.port1.onmessage = () => { probe.turns.push(performance.now() - event.timeStamp); look(); };
    requestAnimationFrame(() => port.port2.postMessage(0));
  });
}
""".replace("RIM", f"{PICTURE_RADIUS * RIM_OVER_PICTURE}")


# How long after a click, or after a file was chosen, the page has painted another sentence about the pair.
_TIME_ANSWERS = """
stage => {
  window.answers = [];
  let asked = 0;
  for (const name of ['click', 'change']) window.addEventListener(name, (event) => { asked = event.timeStamp; }, true);
  new MutationObserver(() => {
    const port = new MessageChannel();
    port.port1.onmessage = () => window.answers.push(performance.now() - asked);
    requestAnimationFrame(() => port.port2.postMessage(0));
  }).observe(stage.querySelector('.answer'), { childList: true, characterData: true, subtree: true });
}
""".replace("RIM", f"{PICTURE_RADIUS * RIM_OVER_PICTURE}")


# How long after a click the page has painted what it changed.
_TIME_CHOICES = """
grid => {
  window.choices = [];
  grid.addEventListener('click', (event) => {
    const port = new MessageChannel();
    port.port1.onmessage = () => window.choices.push(performance.now() - event.timeStamp);
    requestAnimationFrame(() => port.port2.postMessage(0));
  });
}
"""


# Moves the pointer on the dial once a frame, inside the page: a driver outside waits for each move, and the measurement
# would include its own delay.
_TURN_DIAL = """
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
_FINISHED = "words => document.querySelector('[data-testid=stProgress]')?.innerText.includes(words)"
_SHAPES = (("triangle", "three"), ("pentagon", "five"), ("bar", "two"))  # and how many turns the answer has


def run_bench() -> int:
    """Measure and print; needs playwright (extra `test`) and a `chromium` on the path."""
    if hasattr(os, "getloadavg"):
        print(f"{os.cpu_count()} cores, load before the start {os.getloadavg()[0]:.1f}: other programs lengthen delays")
    _time_sweep()
    return in_chromium(_measure)


def _measure(browser: Any, address: str) -> None:
    """Each part prints its lines, or one that says that it could not be measured; the others go on."""
    from playwright.sync_api import Error  # not everybody has it

    page = browser.new_page(viewport={"width": 1440, "height": 900})
    parts: dict[str, Callable[[], None]] = {
        "opening": lambda: _time_opening(page, address),
        "dial": lambda: _time_dial(page),
        "motion": lambda: time_motion(browser, address),
        "dial, once more": lambda: _time_dial(page),
        "choosing a shape": lambda: _time_shape(page),
        "uploading a photo": lambda: _time_upload(page),
        "stroke": lambda: _time_stroke(page),
        "filters": lambda: _time_filters(page),
        "4,096 filters": lambda: time_many_filters(browser, address),
        "film": lambda: _time_film(page, address),
        "four pins": lambda: _time_pins(page, address),
        "offline page": lambda: _time_offline(browser),
        "class": lambda: time_class(browser),
        "a refinement at the same time": lambda: _time_meanwhile(page, browser, address),
        "training": lambda: _time_training(page, address),
    }
    for name, measure in parts.items():
        try:
            measure()
        except (Error, TimeoutError, AssertionError) as error:
            print(f"{name}: could not be measured ({str(error).partition(chr(10))[0]})")
            page.goto(f"{address}/?angle=30")
            page.wait_for_selector(".stage[data-drawn]")


def _time_sweep() -> None:
    named = open_named(LAB_MODEL)
    model, size = named.model.with_noise(0.5), named.shape[0]
    disc = to_disc(shapes.draw("square"))
    times = []
    with threadpool_limits(1):  # as the launcher does
        for _ in range(20):
            start = time.perf_counter()
            sweep(model, disc, size)
            times.append(1e3 * (time.perf_counter() - start))
    print(f"sweep of 360 angles, {model.subspaces} subspaces: median {np.median(times):.1f} ms")


def _time_opening(page: Any, address: str) -> None:
    for visit in ("first", "second"):
        start = time.perf_counter()
        page.goto(f"{address}/?angle=30")
        page.wait_for_selector(".stage[data-drawn]")
        print(f"{visit} opening: stage drawn after {time.perf_counter() - start:.2f} s")


def _time_dial(page: Any, seconds: float = 3.0) -> None:
    dial = page.locator(".dial")
    dial.evaluate(_PROBE_DIAL)
    box = dial.bounding_box()
    x, y, r = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["height"] * 0.3
    page.mouse.move(x + r, y)
    page.mouse.down()
    page.evaluate(_TURN_DIAL, [dial.element_handle(), x, y, r, 1e3 * seconds])
    rate = page.evaluate("window.probe.drawn") / seconds
    page.evaluate("window.probe.turns.length = 0")
    # The delay is taken from real input, which carries the time at which it happened.
    for step in range(180):
        page.mouse.move(x + r * np.cos(np.radians(2 * step)), y - r * np.sin(np.radians(2 * step)))
    page.mouse.up()
    probe = page.evaluate("window.probe")
    print(f"dial: {rate:.0f} updates/s, event to paint {percentiles(probe['turns'])}")
    print(f"dial: {probe['frames']} frames looked at, {probe['stale']} stale, {probe['blank']} blank")


def _time_shape(page: Any) -> None:
    page.locator(".stage").evaluate(_TIME_ANSWERS)
    for number, (name, word) in enumerate(_SHAPES * 4, 1):
        page.get_by_role("radio", name=name, exact=True).click()
        _wait_for_answer(page, number, word)
    print(f"choosing a shape: new posterior after {percentiles(page.evaluate('window.answers'))}")


def _wait_for_answer(page: Any, number: int, word: str) -> None:
    """Wait for this many answers, check that the last has `word` turns, then pause as between two clicks."""
    page.wait_for_function("number => window.answers.length >= number", arg=number)
    sentence = page.locator(".answer").inner_text()
    assert f": {word} turns" in sentence, f"the stage should name {word} turns, not {sentence!r}"
    page.wait_for_timeout(300)


def _time_upload(page: Any) -> None:
    page.get_by_text("Upload", exact=True).first.click()
    page.get_by_text("Until then, the letter F is shown.").wait_for()
    page.wait_for_timeout(300)
    page.evaluate("window.answers.length = 0")
    files = page.locator("input[type=file]")
    for number, (name, word) in enumerate(_SHAPES * 4, 1):
        data = base64.b64decode(data_url(shapes.draw(name, 512), 512).partition(",")[2])
        files.set_input_files({"name": f"{name}.webp", "mimeType": "image/webp", "buffer": data})
        _wait_for_answer(page, number, word)
    print(f"uploading a photo: new posterior after {percentiles(page.evaluate('window.answers'))}")


def _time_offline(browser: Any) -> None:
    """The dial of the downloaded page, without a server or a network."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "stage.html"
        show("pentagon").save(file)
        context = browser.new_context(viewport={"width": 1300, "height": 1000}, offline=True)
        page = context.new_page()
        page.goto(file.as_uri())
        page.wait_for_selector(".stage[data-drawn]")
        print(f"offline page of {file.stat().st_size / 1e6:.2f} MB:")
        _time_dial(page)
        context.close()


def _time_meanwhile(page: Any, browser: Any, address: str) -> None:
    """The lab once more, while another visitor trains a model."""
    other = browser.new_page()
    other.goto(f"{address}/train")
    other.get_by_role("button", name="Start").wait_for()
    for name in ("Pixels along a side", "Training pairs"):  # the largest values
        other.get_by_role("slider", name=name).focus()
        other.keyboard.press("End")
    other.get_by_text("2,000,000").first.wait_for()
    other.get_by_role("button", name="Start").click()
    other.get_by_text("The filters as they are now").wait_for(timeout=60_000)
    page.goto(f"{address}/?angle=30")
    page.wait_for_selector(".stage[data-drawn]")
    print("while another visitor trains:")
    for measure in (_time_dial, _time_shape, _time_upload, _time_stroke):
        measure(page)
        if "Finished" in other.get_by_test_id("stProgress").inner_text():
            print("  the training ended during this measurement; those that would follow are left out")
            break
    other.get_by_role("button", name="Discard").click()
    other.get_by_text("Pairs to learn from").wait_for()
    other.close()


def _time_training(page: Any, address: str, pairs: int = 1_000_000) -> None:
    """The same training on the page and by `tsa train`, in turn."""
    page.goto(f"{address}/train")
    page.get_by_role("slider", name="Training pairs").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.get_by_text(f"{pairs:,}").first.wait_for()
    ratios = []
    for _ in range(3):
        start = time.perf_counter()
        page.get_by_role("button", name="Start").click()
        # Playwright's own waiting would look at the whole page with every frame.
        page.wait_for_function(_FINISHED, arg=f"Finished: learned from {pairs:,} pairs.", polling=100, timeout=300_000)
        watched = time.perf_counter() - start
        page.get_by_role("button", name="Discard").click()
        page.get_by_text("Pairs to learn from").wait_for()
        with TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "tsa.cli", "train", "rotation", "--shape", "16", "--subspaces", "50"]
            start = time.perf_counter()
            subprocess.run(
                [*command, "--pairs", f"{pairs}", "--out", f"{folder}/model.npz"], check=True, capture_output=True
            )
            ratios.append(watched / (time.perf_counter() - start))
    each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"training {pairs:,} pairs on the page, watched, over `tsa train`: {each}, median {np.median(ratios):.2f}")


def _time_filters(page: Any) -> None:
    """A model of 392 pairs of 28×28 filters, uploaded; then chosen again when everything about it is known."""
    w = np.linalg.qr(np.random.default_rng(0).standard_normal((784, 784)))[0].astype(np.float32)
    buffer = io.BytesIO()
    np.save(buffer, w)
    page.get_by_role("link", name="Model").click()
    page.locator("input[type=file]").wait_for(state="attached")
    file = {"name": "many.npy", "mimeType": "application/octet-stream", "buffer": buffer.getvalue()}
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_text("No known group acts").wait_for(timeout=120_000)
    page.get_by_role("link", name="Filters").click()
    page.get_by_text("many: 392 filter pairs").wait_for(timeout=120_000)
    _choose_model(page, "rotation-16")
    page.get_by_text("rotation-16: 50 filter pairs").wait_for()
    start = time.perf_counter()
    _choose_model(page, "many")
    page.get_by_text("many: 392 filter pairs").wait_for()
    ready = time.perf_counter() - start
    sheet, box = page.locator(".sheet").element_handle(), page.locator(".grid").bounding_box()
    page.locator(".grid").evaluate(_TIME_CHOICES)
    for step in range(20):
        old = sheet.get_attribute("data-chosen")
        page.mouse.click(box["x"] + 20, box["y"] + 20 + 83 * step % 400)  # the first filter of a row
        page.wait_for_function("([el, old]) => el.dataset.chosen !== old", arg=[sheet, old])
    delays = page.evaluate("window.choices")
    print(f"filters: 392 pairs ready after {ready:.2f} s, choosing one, click to paint {percentiles(delays)}")


def _time_film(page: Any, address: str, seconds: float = 3.0) -> None:
    film = turning_film(open_named(LAB_MODEL).model, shapes.draw("S"), 4.0, 12, 40, 6)
    times = []
    for _ in range(5):
        fresh = replace(film)  # nothing of it computed yet
        start = time.perf_counter()
        _ = fresh.track
        times.append(1e3 * (time.perf_counter() - start))
    page.goto(f"{address}/film")
    shown = page.locator(".film[data-drawn]")
    shown.wait_for()
    page.locator(".film .at").focus()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Play", exact=True).click()
    before, start = int(shown.get_attribute("data-drawn")), time.perf_counter()
    page.wait_for_timeout(1e3 * seconds)
    rate = (int(shown.get_attribute("data-drawn")) - before) / (time.perf_counter() - start)
    print(f"film: {rate:.0f} drawings/s; {len(film.frames)} frames filtered and smoothed in {np.median(times):.0f} ms")


_TURN_PINS = """
([hold, x, y, r, duration]) => new Promise((done) => {
  const shown = hold.closest('.compare');
  const [start, before] = [performance.now(), Number(shown.dataset.drawn)];
  const step = (now) => {
    if (now - start > duration) return done((1e3 * (Number(shown.dataset.drawn) - before)) / (now - start));
    const angle = (2 * Math.PI * (now - start)) / duration;
    const place = { clientX: x + r * Math.cos(angle), clientY: y - r * Math.sin(angle) };
    hold.dispatchEvent(new PointerEvent('pointermove', place));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})
"""


def _time_pins(page: Any, address: str, seconds: float = 3.0) -> None:
    """Four pins, turned by one of their dials: new drawings of all four a second."""
    pins = "**".join(("x*shape.square", "x*shape.square*sigma*1.0", "x*shape.F", "x*shape.square*model*rotation-16"))
    start = time.perf_counter()
    page.goto(f"{address}/?compare=1&pins={pins}")
    page.wait_for_selector(".compare[data-drawn]")
    ready = time.perf_counter() - start
    hold = page.locator(".hold").first
    box = hold.bounding_box()
    x, y, r = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["height"] * 0.4
    page.mouse.move(x + r, y)
    page.mouse.down()
    rates = [page.evaluate(_TURN_PINS, [hold.element_handle(), x, y, r, 1e3 * seconds]) for _ in range(3)]
    page.mouse.up()
    print(f"four pins: shown after {ready:.2f} s, {np.median(rates):.0f} updates/s (median of three turns)")


def _choose_model(page: Any, name: str) -> None:
    page.get_by_role("combobox", name="Model", exact=True).click()
    page.get_by_role("option", name=name, exact=True).click()


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
    print(f"stroke: {len(delays) / elapsed:.0f} posteriors/s, stroke to posterior {percentiles(delays)}")
