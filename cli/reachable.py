"""The addresses under which people reach a server that listens on every address of this machine."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

__all__ = ["loopback", "network_addresses", "reachable"]

_ROUTES: Final = {
    "0.0.0.0": (socket.AF_INET, ("192.0.2.1", "192.168.0.1", "172.16.0.1", "10.0.0.1")),
    "::": (socket.AF_INET6, ("2001:db8::1", "fd00::1")),
}
"""Destinations by wildcard address: documentation addresses for the default route, and the private networks."""
_PORT: Final = 9


def reachable(address: str, find: Callable[[str], Sequence[str]] | None = None) -> list[str]:
    """Return the URLs for the one that the server listens at: for a wildcard localhost, then this machine's addresses.

    `find` returns the machine's addresses for a wildcard, by default `network_addresses`.
    """
    parts = urlsplit(address)
    host = parts.hostname or ""
    if host not in _ROUTES:
        return [address]
    found = (find or network_addresses)(host)
    hosts = ["localhost", *(f"[{one}]" if ":" in one else one for one in found)]
    return [f"{parts.scheme}://{one}:{parts.port}" for one in hosts]


def loopback(address: str) -> str:
    """Return the URL for connections from this machine: a wildcard is no destination on Windows.

    A node that listens on a wildcard is stored under the machine's name; `localhost` tries both families of addresses.
    """
    hosts = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]", socket.gethostname(): "localhost"}
    for host, local in hosts.items():
        address = address.replace(f"//{host}:", f"//{local}:")
    return address


def network_addresses(wildcard: str) -> list[str]:
    """Return the source addresses of this machine's routes to other machines. Sends nothing: UDP only looks them up."""
    family, destinations = _ROUTES[wildcard]
    found: dict[str, None] = {}
    for destination in destinations:
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((destination, _PORT))
            found[str(probe.getsockname()[0])] = None
    addresses = {one: ip_address(one.partition("%")[0]) for one in found}
    return [one for one, ip in addresses.items() if not (ip.is_loopback or ip.is_link_local or ip.is_unspecified)]
