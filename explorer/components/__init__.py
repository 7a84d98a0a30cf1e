"""Our own components: JavaScript and CSS that show and listen, and the Python that mounts them and doubts them."""

from pathlib import Path
from typing import Any

import streamlit as st

from tsa.stage import FILES


def component(package: str, *scripts: str) -> Any:
    """A component from the files beside a package: `name.html`, `name.css`, and the scripts joined into one.

    What is not beside the package is shared and lies here, or with the stage.
    """
    own = Path(__file__).parent / package.rpartition(".")[2]
    places = [own, own.parent, FILES]

    def text(name: str) -> str:
        return next(place / name for place in places if (place / name).exists()).read_text(encoding="utf-8")

    css = text("card.css") + text(f"{own.name}.css")
    js = "".join(map(text, scripts))
    return st.components.v2.component(f"tsa_{own.name}", html=text(f"{own.name}.html"), css=css, js=js)


def stamp(message: object) -> tuple[int, bool] | None:
    """The number of a message from a mailbox and whether the hand has let go; None if it is not one."""
    if not isinstance(message, dict):
        return None
    number, done = message.get("number"), message.get("done")
    return (number, done) if type(number) is int and isinstance(done, bool) and abs(number) < 2**53 else None
