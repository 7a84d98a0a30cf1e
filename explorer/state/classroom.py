"""A class: what the teacher shows, as a value that students' pages follow. Pure: no sockets, no Streamlit."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, ip_address
from urllib.parse import urlencode

from explorer.state.link import decode_link, encode_link
from explorer.state.view import ViewState

_PAGE = re.compile("[a-z]{0,20}")  # the path of a page below the root of the app; the lab has none
_ECHO_SECONDS = 0.5  # after the dial moved: the time in which a run may still report an angle from before
_MAX_CHARACTERS = 256  # in a message of a page


@dataclass(frozen=True)
class Shown:
    """What the teacher shows: a page, the link of its view without the angle, and the angle of the dial in degrees.

    `number` grows with each change of page or link, so that a page knows whether it has them.
    """

    page: str
    link: str
    angle: int
    number: int = 0

    @property
    def address(self) -> str:
        """Page and view as an address below the root of the app.

        The angle always stands in it: an address without parameters would leave the view of the student as it is.
        """
        return f"{self.page}?{urlencode({'angle': self.angle})}{'&' if self.link else ''}{self.link}"


def shown(page: str, parameters: Mapping[str, str]) -> Shown | None:
    """What a page with these query parameters shows to others: only what `decode_link` accepts; None for no page.

    A model of the teacher's own is left out, as in every link.
    """
    if not _PAGE.fullmatch(page):
        return None
    view = decode_link(parameters)
    rest = encode_link(replace(view, angle=ViewState().angle))
    return Shown(page, urlencode(rest), view.angle)


def after_run(before: Shown | None, now: Shown, since_turn: float) -> Shown | None:
    """What to show after a run of the teacher's page that shows `now`; None if nothing changes for the students.

    `since_turn` says how many seconds ago the dial reported its angle itself. Runs come later than the dial: shortly
    after it moved, a run that differs in the angle alone is about an angle from before.
    """
    if before is None:
        return replace(now, number=1)
    if (now.page, now.link) != (before.page, before.link):
        return replace(now, number=before.number + 1)
    if now.angle == before.angle or since_turn < _ECHO_SECONDS:
        return None
    return replace(before, angle=now.angle)


def read_hello(text: str) -> tuple[str, str] | None:
    """The key and the ticket in the first message of a page, `{"key": "…", "ticket": "…"}`; students have no key."""
    message = _read(text)
    key, ticket = message.get("key"), message.get("ticket")
    return (key, ticket) if isinstance(key, str) and isinstance(ticket, str) and len(message) == 2 else None


def read_turn(text: str) -> int | None:
    """The angle in a message of the teacher's page: `{"angle": 47}`, whole degrees; None if it is anything else."""
    message = _read(text)
    angle = message.get("angle")
    return angle if type(angle) is int and 0 <= angle < 360 and len(message) == 1 else None


def _read(text: str) -> dict[str, object]:
    if len(text) > _MAX_CHARACTERS:
        return {}
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def news(shown: Shown | None, teaches: bool, known: int) -> str:
    """The message for a student's page that knows the view of this number: the angle, and the address if it is new."""
    message: dict[str, object] = {"teaches": teaches}
    if shown is not None:
        message["angle"] = shown.angle
        if shown.number != known:
            message["address"] = shown.address
    return json.dumps(message)


def reachable(found: Iterable[str], preferred: str | None = None) -> list[str]:
    """Those of this machine's addresses by which others in the network reach it, the likeliest first.

    IPv4 only: it can be read out and typed. `preferred` is the one that leads to other networks; then come those of
    private networks. Addresses of this machine alone, and those a machine gives itself when nobody gives it one, come
    last or not at all.
    """
    wanted = []
    for text in found:
        try:
            address = ip_address(text)
        except ValueError:
            continue
        if isinstance(address, IPv4Address) and not (
            address.is_loopback or address.is_unspecified or address.is_multicast
        ):
            wanted.append(address)

    def rank(address: IPv4Address) -> tuple[bool, bool, bool]:
        return str(address) != preferred, address.is_link_local, not address.is_private

    return [str(address) for address in sorted(dict.fromkeys(wanted), key=rank)]


def address_of(host: str, port: int) -> str:
    """The address of the app on a host, which may be an IPv6 address."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
