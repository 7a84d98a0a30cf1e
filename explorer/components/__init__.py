"""Streamlit components of this app: a folder each, with its JavaScript, HTML, CSS and the Python that mounts it."""

from pathlib import Path
from typing import Any

import streamlit as st

from tsa.stage import BROWSER, join

_HERE = Path(__file__).parent
SCRIPT_FOLDERS = (BROWSER, _HERE)  # JavaScript modules can be imported from these


def component(package: str, folder: Path | None = None, inserted: str = "") -> Any:
    """Register the component of the package `….name`: `name.html`, `name.css`, and `name.js` joined with its imports.

    The files are in the folder of the package, or else in `folder`. `inserted` takes the place of the comment
    `<!-- inserted -->` in the HTML.
    """
    name, here = package.rpartition(".")[2], _HERE.joinpath(*package.split(".")[2:])
    beside = (folder or here) / name
    own = here / f"{name}.js"

    def text(path: Path) -> str:
        return path.read_text(encoding="utf-8")

    css = text(BROWSER / "shared" / "card.css") + text(beside.with_suffix(".css"))
    js = join(own if own.is_file() else beside.with_suffix(".js"), SCRIPT_FOLDERS) + "export default main;\n"
    html = text(beside.with_suffix(".html")).replace("<!-- inserted -->", inserted)
    return st.components.v2.component(f"tsa_{name}", html=html, css=css, js=js)
