"""The address of a visitor behind proxies, and the key of its rate limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, TypeAlias

import structlog
from websockets.http11 import Request

from cornered.server.net.requests import field_of

__all__ = ["Visitor", "Visitors", "client_address", "rate_limit_key"]

Address: TypeAlias = IPv4Address | IPv6Address
IPNetwork: TypeAlias = IPv4Network | IPv6Network

_IPV6_PREFIX_BITS: Final = 64
"""What one subscriber gets at least: all addresses of such a network are one visitor's."""
_FORWARDING_FIELDS: Final = ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via")
_MAX_WARNINGS: Final = 8
"""Peers that are named in a warning, since any stranger can send these fields."""
_WITH_PORT: Final = re.compile(r"(?:\[(?P<six>[^\]]*)\]|(?P<four>[0-9.]+))(?::[0-9]{1,5})?")

log = structlog.get_logger("visitors")


def client_address(peer: str, forwarded_for: str, proxies: Sequence[IPNetwork]) -> str:
    """Return the client's address: the last one that a trusted proxy forwards and that is no proxy itself.

    `forwarded_for` is the list of X-Forwarded-For. Its entries may carry ports and quotes, as some proxies write them;
    it ends at the first entry, from the right, that is no address.
    """
    address, shown = _parsed(peer), peer
    for entry in reversed(forwarded_for.split(",")):
        if address is None or not any(address in network for network in proxies):
            break
        forwarded = _parsed(entry)
        if forwarded is None:
            break
        address, shown = forwarded, str(forwarded)
    return str(address) if address is not None else shown


def rate_limit_key(address: str) -> str:
    """Return what the limits of an address are counted by: an IPv4 address itself, an IPv6 address's /64 network."""
    parsed = _parsed(address)
    if isinstance(parsed, IPv6Address):
        return str(IPv6Network((int(parsed), _IPV6_PREFIX_BITS), strict=False))
    return address if parsed is None else str(parsed)


def _parsed(text: str) -> Address | None:
    """Return the address in `IP`, `IPv4:port`, `[IPv6]` or `[IPv6]:port`, quoted or not; an IPv4-mapped one as IPv4."""
    text = text.strip().strip('"')
    if parts := _WITH_PORT.fullmatch(text):
        text = parts["six"] or parts["four"] or ""
    try:
        parsed = ip_address(text)
    except ValueError:
        return None
    if not isinstance(parsed, IPv6Address):
        return parsed
    # Without the scope, which names an interface of this machine.
    return parsed.ipv4_mapped or IPv6Address(int(parsed))


@dataclass(frozen=True, slots=True)
class Visitor:
    """The sender of a request. `is_direct` is False where headers show that a proxy forwards the request.

    `is_proxy`: a trusted proxy asks for itself, such as whether the server is ready.
    """

    address: str
    is_direct: bool
    is_proxy: bool = False

    @property
    def key(self) -> str:
        """What the limits of this visitor are counted by: a proxy has its own, whoever else has its address."""
        key = rate_limit_key(self.address)
        return f"proxy {key}" if self.is_proxy else key

    @property
    def is_local(self) -> bool:
        """Whether the request comes from a process of this machine itself, and not through a proxy on it."""
        parsed = _parsed(self.address)
        return self.is_direct and parsed is not None and parsed.is_loopback


class Visitors:
    """Finds visitors' addresses behind the proxies of the settings, and warns of a proxy that is not among them."""

    def __init__(self, proxies: Iterable[IPNetwork]) -> None:
        self._proxies = tuple(proxies)
        self._warned: set[str] = set()

    def is_proxy(self, peer: str) -> bool:
        """Return whether the peer of a connection is a trusted proxy, whose requests name their visitors."""
        address = _parsed(peer)
        return address is not None and any(address in network for network in self._proxies)

    def of(self, peer: str, request: Request) -> Visitor:
        """Return the sender of `request`; `peer` is the peer address of the connection, empty if unknown."""
        is_direct = not any(name in request.headers for name in _FORWARDING_FIELDS)
        if not is_direct:
            self._warn(peer)
        address = client_address(peer, field_of(request, "X-Forwarded-For"), self._proxies)
        return Visitor(address, is_direct, is_proxy=is_direct and self.is_proxy(peer))

    def _warn(self, peer: str) -> None:
        if not peer or self.is_proxy(peer):
            return
        if peer not in self._warned and len(self._warned) < _MAX_WARNINGS:
            self._warned.add(peer)
            log.warning(
                "a request was forwarded by an unknown proxy; if it is yours, name its address in CORNERED_PROXIES, "
                "or all its visitors share one address's limits",
                peer=peer,
            )
