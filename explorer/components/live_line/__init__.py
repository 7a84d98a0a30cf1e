"""The browser's end of the live line, an element that shows nothing; the server's end is `explorer.live`."""

from explorer.components import component

_mount = component(__name__)


def live_line(ticket: str) -> None:
    """Keep the WebSocket open for the visitor with this ticket, as long as the component is on the page."""
    _mount(key="line", data=ticket, height="content")
