"""How soon a class sees the teacher's dial turn: in a second browser, and by thirty plain clients at once."""

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from explorer.tools.chromium import serving_class
from explorer.tools.shots import wait_until_whole

_FOLLOWERS = 30
_TURNS, _TURNS_PER_SECOND = 300, 60  # of the plain teacher; fewer than 360, so that an angle tells which turn it is

# Put into the teacher's page: when each angle came onto the dial, by the event of the pointer that brought it.
_NOTE_TURNS = """
() => {
  let moved = 0;
  window.turns = {};
  addEventListener('pointermove', (event) => { moved = event.timeStamp; }, true);
  addEventListener('tsa-turned', ({ detail }) => { window.turns[detail] = performance.timeOrigin + moved; });
}
"""
# Put into the student's page: when each angle was painted.
_NOTE_PAINTS = """
stage => {
  window.paints = {};
  new MutationObserver(() => {
    const [angle, port] = [stage.dataset.angle, new MessageChannel()];
    port.port1.onmessage = () => { window.paints[angle] ??= performance.timeOrigin + performance.now(); };
    requestAnimationFrame(() => port.port2.postMessage(0));
  }).observe(stage, { attributes: true, attributeFilter: ['data-angle'] });
}
"""


def time_class(browser: Any) -> None:
    """Print the delays of a class on a server of its own, which listens on this machine alone."""
    with serving_class(port=8770) as (address, key):
        _time_two_browsers(browser, address, key)
        with ThreadPoolExecutor(1) as apart:  # the browser's driver has a loop of its own in this thread
            apart.submit(lambda: asyncio.run(_time_followers(address, key))).result()


def _time_two_browsers(browser: Any, address: str, key: str) -> None:
    contexts = [browser.new_context(viewport={"width": 1440, "height": 900}) for _ in range(2)]
    teacher, student = (context.new_page() for context in contexts)
    teacher.goto(f"{address}/?angle=0#teacher={key}")
    teacher.wait_for_selector(".stage[data-angle='0']")
    student.goto(f"{address}/?angle=90")
    student.wait_for_selector(".stage[data-drawn]")
    student.get_by_role("button", name="Follow the teacher").click()
    student.wait_for_selector(".stage[data-angle='0']")
    for page in (teacher, student):  # in a class they have been open for a while
        wait_until_whole(page, ".stage[data-drawn]")
    box = teacher.locator(".dial").bounding_box()
    x, y, r = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["height"] * 0.3
    teacher.mouse.move(x + r, y)
    teacher.mouse.down()
    teacher.evaluate(_NOTE_TURNS)
    student.locator(".stage").evaluate(_NOTE_PAINTS)
    for step in range(1, 171):
        teacher.mouse.move(x + r * np.cos(np.radians(2 * step)), y - r * np.sin(np.radians(2 * step)))
    student.wait_for_selector(".stage[data-angle='340']")
    student.wait_for_timeout(100)
    turns, paints = teacher.evaluate("window.turns"), student.evaluate("window.paints")
    teacher.mouse.up()
    delays = [paints[angle] - turns[angle] for angle in turns if angle in paints]
    print(f"class: the teacher's dial, event to paint in a second browser {_percentiles(delays)}")
    print(f"  {len(delays)} of {len(turns)} angles painted, the others passed over for newer ones")
    for context in contexts:
        context.close()


async def _time_followers(address: str, key: str) -> None:
    """The delay of an angle: until a follower has it, or a newer one. The view is still that of the last teacher."""
    line = address.replace("http", "ws") + "/class"
    sent: list[float] = []
    async with connect(line, origin=address) as teacher:  # type: ignore[arg-type]
        followers = [await connect(line, origin=address) for _ in range(_FOLLOWERS)]  # type: ignore[arg-type]
        await teacher.send(json.dumps({"key": key, "ticket": ""}))
        for follower in followers:
            await follower.send(json.dumps({"key": "", "ticket": ""}))
        heard = [asyncio.create_task(_listen(follower)) for follower in followers]
        await asyncio.sleep(1.0)
        start = time.perf_counter()
        for angle in range(1, _TURNS + 1):
            await asyncio.sleep(max(0.0, start + angle / _TURNS_PER_SECOND - time.perf_counter()))
            sent.append(time.perf_counter())
            await teacher.send(json.dumps({"angle": angle}))
        times = await asyncio.gather(*(asyncio.wait_for(one, 30) for one in heard), return_exceptions=True)
        for follower in followers:
            await follower.close()
    errors = sum(isinstance(one, BaseException) for one in times)
    delays = [1e3 * (at - sent[turn]) for one in times if isinstance(one, list) for turn, at in enumerate(one)]
    rate = _TURNS / (sent[-1] - sent[0])
    print(f"class: {_FOLLOWERS} followers, {rate:.0f} turns/s: {_percentiles(delays)}, {errors} errors")


async def _listen(follower: ClientConnection) -> list[float]:
    """When this follower had each turn or a newer one."""
    times: list[float] = []
    async for text in follower:
        angle = json.loads(text).get("angle", 0)
        if len(times) < angle <= _TURNS:
            times += [time.perf_counter()] * (angle - len(times))
        if len(times) == _TURNS:
            return times
    raise ConnectionError("The line was closed.")


def _percentiles(delays: list[float]) -> str:
    middle, late = np.percentile(delays, [50, 95])
    return f"median {middle:.0f} ms, p95 {late:.0f} ms"
