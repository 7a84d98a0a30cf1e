"""Which names this server answers to: without a list, a page elsewhere could reach it under a name of its own, whose
address it changes to this machine's (DNS rebinding). A page can do that with a name, never with an address.
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_NAME = re.compile("[a-z0-9._-]+|[0-9a-f:.]+")  # or an IPv6 address
_EVERY_ADDRESS = ("0.0.0.0", "::", "")  # to listen on


@dataclass(frozen=True)
class Hosts:
    """The names that a request may be addressed to; with `any_address`, every IP address too."""

    names: frozenset[str] = LOOPBACK
    any_address: bool = False

    @classmethod
    def of(cls, listens_on: str, allowed: Iterable[str] = ()) -> "Hosts":
        """Names of a server that listens on this host: those of loopback, its own, and what was allowed besides."""
        names = (name for host in (listens_on, *allowed) if (name := host_name(_bracketed(host))))
        return cls(LOOPBACK | frozenset(names), listens_on in _EVERY_ADDRESS)

    def admit(self, host: str | None) -> bool:
        """Whether a request with this `Host` header is for us."""
        name = host_name(host)
        return name is not None and (name in self.names or (self.any_address and _is_address(name)))


def host_name(host: str | None) -> str | None:
    """The name or address in a `Host` header, in lower case and without a trailing dot; None if it is not one."""
    try:
        parts = urlsplit(f"//{host or ''}")
        name, _ = (parts.hostname or "").removesuffix("."), parts.port  # reading the port checks it
    except ValueError:
        return None
    whole = parts.netloc == host and "@" not in parts.netloc  # no path, query or user
    return name if whole and _NAME.fullmatch(name) else None


def is_same_place(origin: str | None, host: str | None) -> bool:
    """Whether a page of this `Origin` came from the server that `Host` names; browsers write both alike."""
    return bool(host) and origin in (f"http://{host}", f"https://{host}")


def _bracketed(host: str) -> str:
    """A host of the command line as a header has it: an IPv6 address in brackets."""
    return f"[{host}]" if host.count(":") > 1 and not host.startswith("[") else host


def _is_address(name: str) -> bool:
    try:
        return bool(ipaddress.ip_address(name))
    except ValueError:
        return False
