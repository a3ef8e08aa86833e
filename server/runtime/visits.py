"""Where a command about an account comes from, and the protocol by which changes of accounts are published."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Protocol
from urllib.parse import urlsplit

from cornered.protocol.values import Player
from cornered.server.accounts import Identity
from cornered.server.lobby.names import Names
from cornered.server.runtime.limits import AddressLimits

__all__ = ["Visit", "Visits", "passkey_site"]


async def _patiently(turn: Awaitable[object]) -> None:
    await turn


@contextmanager
def _of_no_socket() -> Iterator[Callable[[Identity], None]]:
    yield lambda identity: None


@dataclass(frozen=True, slots=True)
class Visit:
    """Where a command comes from: the client's address, and what its token permits, None before hello.

    `origin` is that of the page, which the gateway has checked; programs other than browsers have none. `queue_for`
    waits for a turn, and ends the wait with the socket. `replacing` lends what gives the socket another session in the
    place of its own one, which ends.
    """

    key: str
    address: AddressLimits
    identity: Identity | None
    origin: str = ""
    queue_for: Callable[[Awaitable[object]], Awaitable[None]] = _patiently
    replacing: Callable[[], AbstractContextManager[Callable[[Identity], None]]] = _of_no_socket


class Visits(Protocol):
    """Publishes changes of accounts to the connected clients."""

    @property
    def names(self) -> Names:
        """The visible names of all players in the lobby."""

    def changed(self, player: Player) -> None:
        """A player has an account from now on, or another name."""


def passkey_site(origin: str) -> str:
    """Return the host name by which passkeys belong to a page; empty where browsers have none for it.

    They have them by https and on localhost, and for names, not for IP addresses.
    """
    try:
        parts = urlsplit(origin)
        host = (parts.hostname or "").removesuffix(".")
    except ValueError:
        return ""
    if parts.scheme != "https" and not (parts.scheme == "http" and host == "localhost"):
        return ""
    try:
        ip_address(host)
    except ValueError:
        return host
    return ""
