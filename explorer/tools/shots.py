"""`tsa-explorer shots`: the pictures of the README, taken from the running app."""

from pathlib import Path
from typing import Any

from explorer.tools.chromium import in_chromium
from tsa.stage import exports, show


def take_shots(folder: Path) -> int:
    """Write lab.png (light), lab-dark.png, lab-phone.png and turn.webp into a folder."""
    done = in_chromium(lambda browser, address: _take(browser, address, folder))
    if done == 0:
        (folder / "turn.webp").write_bytes(exports.turning(show("square").scene))
    return done


def _take(browser: Any, address: str, folder: Path) -> None:
    for name, scheme, width, height in (
        ("lab.png", "light", 1440, 900),
        ("lab-dark.png", "dark", 1440, 900),
        ("lab-phone.png", "light", 390, 844),
    ):
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.goto(address)
        page.wait_for_selector(".stage[data-drawn]")
        page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
        page.evaluate("document.fonts.ready")
        page.screenshot(path=folder / name)
        page.close()
