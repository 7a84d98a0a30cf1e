"""By which addresses others in the network reach this machine."""

import socket

import ifaddr

from explorer.state import reachable

_ELSEWHERE = ("192.0.2.1", 9)  # an address that nobody has (RFC 5737)


def network_addresses() -> list[str]:
    """IPv4 addresses of this machine in its networks, the likeliest first; none without a network."""
    found = [ip.ip for adapter in ifaddr.get_adapters() for ip in adapter.ips if isinstance(ip.ip, str)]
    return reachable(found, _way_out())


def _way_out() -> str | None:
    """The address with which this machine would reach other networks; nothing is sent to find out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
        except OSError:
            return None
        return str(probe.getsockname()[0])
