"""The HTML of every page: Streamlit's own, with `shell.js` before its scripts."""

import re
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_PAGE = re.compile("/(?!help$)[a-z]*")  # the addresses of pages, and of nothing else that the server has


class Index:
    """Middleware that answers requests for pages, and passes all others on."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI requires."""
        is_page = scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and _PAGE.fullmatch(scope["path"])
        answer = HTMLResponse(html(), headers={"Cache-Control": "no-cache"}) if is_page else self.app
        await answer(scope, receive, send)


@cache
def html() -> str:
    """Streamlit's page with our script in its head."""
    page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    shell = Path(__file__).with_name("shell.js").read_text(encoding="utf-8")
    head, found, rest = page.partition("<head>")
    return f"{head}{found}<script>\n{shell}</script>{rest}"
