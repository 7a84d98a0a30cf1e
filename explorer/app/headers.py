"""Headers of every answer: what a browser may load, who may frame the page, what other sites are told about it."""

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from urllib.parse import parse_qsl

from explorer.app.index import html

_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_EMBEDDED = ("embed", "true")


def security_headers(host: str, query: str) -> Iterator[tuple[bytes, bytes]]:
    """Names and values of the headers for a request to this host with this query string.

    Two things stay open because Streamlit needs them: styles in elements (`unsafe-inline`, which runs no script), and
    scripts from `blob:` addresses, which only scripts of the page can make: Streamlit loads components from them.
    """
    embedded = _EMBEDDED in [(name, value.lower()) for name, value in parse_qsl(query)]
    yield b"x-content-type-options", b"nosniff"
    yield b"referrer-policy", b"same-origin"
    yield b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"
    yield b"content-security-policy", _policy(host, "*" if embedded else "'self'").encode("latin-1")
    if not embedded:
        yield b"x-frame-options", b"SAMEORIGIN"  # for browsers that do not know frame-ancestors


def _policy(host: str, ancestors: str) -> str:
    allowed = {
        "default-src": "'self'",
        "script-src": f"'self' blob: {_inline_scripts()}",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "media-src": "'self' data: blob:",
        "connect-src": f"'self' ws://{host} wss://{host}",  # older browsers do not count WebSockets to 'self'
        "worker-src": "'self' blob:",
        "frame-src": "'self'",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": ancestors,
    }
    return "; ".join(f"{name} {sources}" for name, sources in allowed.items())


@cache
def _inline_scripts() -> str:
    """The scripts that stand in the HTML of a page, by their hashes."""
    hashes = (hashlib.sha256(script.encode()).digest() for script in _INLINE_SCRIPT.findall(html()))
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in hashes)
