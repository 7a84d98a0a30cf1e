"""A class: how to join it, following the teacher, and for the teacher how many follow."""

from collections.abc import Sequence

from explorer.components import component
from explorer.state import qr_svg

_mount = component(__name__)
_WORDS = {
    "follow": "Following the teacher",
    "alone": "The teacher is not here; waiting",
    "teach": "You teach · followed by {followers}",
    "connecting": "Connecting …",
    "lost": "No connection; trying again",
    "full": "Too many follow already; waiting",
    "refused": "This key is from an earlier start; the terminal shows the new address for teachers",
    "replaced": "Another page of yours teaches",
    "full screen": "Full screen",
    "window": "Leave full screen",
    "code": "QR code of {address}",
}


def classroom_sign(addresses: Sequence[str], ticket: str) -> None:
    """A small sign at the top of every page: join, follow, stop; it keeps the line of the page with this ticket."""
    _mount(key="classroom", data=_data(addresses, ticket), height="content")


def join_card(addresses: Sequence[str]) -> None:
    """The card that says how to join, as a part of the page."""
    _mount(key="join", data=_data(addresses, ""), height="content")


def _data(addresses: Sequence[str], ticket: str) -> dict[str, object]:
    joins = [{"address": address, "code": qr_svg(f"{address}/")} for address in addresses]
    return {"joins": joins, "words": _WORDS, "ticket": ticket}
