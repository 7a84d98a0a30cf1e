"""`tsa-explorer shots`: the pictures of the README, taken from the running app."""

from pathlib import Path
from typing import Any

from explorer.tools.chromium import in_chromium
from tsa.stage import exports, show

# Controls load their code when they are first drawn, and stand as grey boxes until then.
_WHOLE = """
() => !document.querySelector('[data-testid=stSkeleton]')
  && [...document.images].every((image) => image.complete && image.naturalWidth)
"""


def take_shots(folder: Path) -> int:
    """Write lab.png (light), lab-dark.png, lab-phone.png, motion.png and turn.webp into a folder."""
    done = in_chromium(lambda browser, address: _take(browser, address, folder))
    if done == 0:
        (folder / "turn.webp").write_bytes(exports.turning(show("square").scene))
    return done


def wait_until_whole(page: Any, drawn: str) -> None:
    """Wait for a page: `drawn` selects its stage once that is drawn, then for every control, picture and font."""
    page.wait_for_selector(drawn)
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_load_state("networkidle")
    page.wait_for_function(_WHOLE)
    page.evaluate("document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(done)))")


def _take(browser: Any, address: str, folder: Path) -> None:
    for name, path, drawn, scheme, width, height in (
        ("lab.png", "/?angle=30", ".stage[data-drawn]", "light", 1440, 900),
        ("lab-dark.png", "/?angle=30", ".stage[data-drawn]", "dark", 1440, 900),
        ("lab-phone.png", "/?angle=30", ".stage[data-drawn]", "light", 390, 844),
        ("motion.png", "/motion", ".motion[data-drawn]", "light", 1440, 900),
    ):
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.goto(address + path)
        wait_until_whole(page, drawn)
        page.screenshot(path=folder / name)
        page.close()
