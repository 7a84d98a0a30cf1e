"""A component without a picture: it keeps the ticket for a visitor's own models in the storage of the tab."""

from explorer.components import component

_mount = component(__name__)


def keep_ticket(ticket: str, asks: bool) -> None:
    """Store the ticket, if there is one, and report the one from before the tab was reloaded as `before`.

    If there is none, the component reports the empty text, but only if the page `asks`.
    """
    _mount(
        key="ticket",
        data={"ticket": ticket, "asks": asks},
        default={"before": None},
        on_before_change=lambda: None,
        height="content",
    )
