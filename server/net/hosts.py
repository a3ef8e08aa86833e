"""The names that this server is reached by. A web page that reaches it by another name is a DNS rebinding attack."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final, Self
from urllib.parse import urlsplit

from cornered.server.settings import Settings

__all__ = ["KnownHosts"]

_HOST_PATTERN: Final = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(?::[0-9]{0,5})?")
_LOCAL_DOMAINS: Final = ("local", "lan", "home.arpa", "internal")
"""Domains of local networks, in which no name can be registered for a machine elsewhere."""


class KnownHosts:
    """The hosts whose requests are answered: named ones, and all IP addresses, which no DNS server can move."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(filter(None, map(_normalised, names)))

    @classmethod
    def of(cls, settings: Settings, machine: str | None = None) -> Self:
        """Return the hosts of the settings and of the machine's own name, by default that of this machine."""
        full = _normalised(machine if machine is not None else socket.gethostname())
        short = full.partition(".")[0]
        own = [full, short, *(f"{short}.{domain}" for domain in _LOCAL_DOMAINS if short)]
        return cls(["localhost", settings.host, *own, *settings.hosts, *map(_host_of, settings.origins)])

    def knows(self, host: str) -> bool:
        """Return whether the value of a Host field names this server; the port does not matter."""
        parts = _HOST_PATTERN.fullmatch(host.strip())
        if parts is None:
            return False
        name = _normalised(parts["name"])
        return name in self._names or _is_address(name)


def _normalised(name: str) -> str:
    return name.strip().removesuffix(".").lower()


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
