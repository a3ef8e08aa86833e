"""What one client, one player and one address may take: the registries behind the rate limits."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

from cornered.server.runtime.token_bucket import FairQueue, TokenBucket
from cornered.server.settings import Settings

__all__ = ["MAX_DOWNLOADS", "MAX_REPLAYS", "AddressLimits", "Limits", "PlayerLimits"]

CHAT_RATE: Final = 0.5
CHAT_BURST: Final = 5.0
"""Lines of chat of one player, a second for ever and at once."""
MAX_REPLAYS: Final = 4
"""Matches that one address may have read from the store and not paid for yet."""
MAX_DOWNLOADS: Final = 2
"""The same for records that are downloaded: these are counted apart, or they would keep players waiting."""
MAX_IDLE: Final = 10_000
"""Addresses, and players, that are remembered after their last connection closed."""


class _Limited(Protocol):
    connections: int


L = TypeVar("L", bound=_Limited)


class AddressLimits:
    """What all connections from one address share."""

    __slots__ = ("arrivals", "connections", "downloads", "newcomers", "replays", "share")

    def __init__(self, settings: Settings, loop: asyncio.AbstractEventLoop) -> None:
        self.connections = 0
        """Open TCP connections, whether or not a WebSocket came of them."""
        self.arrivals = TokenBucket(settings.arrival_rate, settings.arrival_burst, loop.time())
        """New connections."""
        self.share = FairQueue(settings.address_rate, settings.address_burst, loop)
        """Commands of all players, shared fairly among them."""
        self.newcomers = FairQueue(settings.guest_rate, settings.guest_burst, loop)
        """New guests, in the order in which they came."""
        self.replays = asyncio.Semaphore(MAX_REPLAYS)
        """Matches that players have read from the store, and pay for afterwards."""
        self.downloads = asyncio.Semaphore(MAX_DOWNLOADS)
        """Matches that are read for their records, and paid for afterwards."""


class PlayerLimits:
    """What all connections of one player share, so that opening another one gains nothing."""

    __slots__ = ("chat", "commands", "connections")

    def __init__(self, settings: Settings, now: float) -> None:
        self.connections = 0
        self.commands = TokenBucket(settings.message_rate, settings.message_burst, now)
        self.chat = TokenBucket(CHAT_RATE, CHAT_BURST, now)


class _Registry(Generic[L]):
    """Entries by name. Those in use stay; of the others the `MAX_IDLE` newest do."""

    def __init__(self, make: Callable[[], L]) -> None:
        self._make = make
        self._used: dict[str, L] = {}
        self._idle: OrderedDict[str, L] = OrderedDict()

    def __len__(self) -> int:
        return len(self._used) + len(self._idle)

    def enter(self, name: str) -> L:
        """Return the entry of `name`, with one more connection."""
        entry = self._used.get(name)
        if entry is None:
            entry = self._used[name] = self._idle.pop(name, None) or self._make()
        entry.connections += 1
        return entry

    def leave(self, name: str) -> None:
        """Take one connection of `name` away."""
        entry = self._used[name]
        entry.connections -= 1
        if not entry.connections:
            # Not forgotten at once: coming back must not refill a bucket.
            self._idle[name] = self._used.pop(name)
            if len(self._idle) > MAX_IDLE:
                self._idle.popitem(last=False)


class Limits:
    """The limits of one server."""

    def __init__(self, settings: Settings) -> None:
        loop = asyncio.get_running_loop()
        self.settings = settings
        self.all_clients = FairQueue(settings.server_rate, settings.server_burst, loop)
        """Commands of all addresses, shared fairly among them. Moves that a match waits for pass by it."""
        self.addresses: _Registry[AddressLimits] = _Registry(lambda: AddressLimits(settings, loop))
        self.players: _Registry[PlayerLimits] = _Registry(lambda: PlayerLimits(settings, loop.time()))
