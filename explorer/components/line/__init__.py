"""The page's end of the live line, which shows nothing; the server's end is `explorer.live`."""

from explorer.components import component

_mount = component(__name__, "instance.js", "line.js")


def line(ticket: str) -> None:
    """Keep a line open for whoever has this ticket, as long as this is on the page."""
    _mount(key="line", data=ticket, height="content")
