"""What one client, one player and one address may take: the registries behind the rate limits."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import sub
from typing import Final, Generic, Protocol, TypeVar

from cornered.server.runtime.token_bucket import FairQueue, TokenBucket
from cornered.server.settings import Settings

__all__ = ["MAX_DOWNLOADS", "MAX_REPLAYS", "AccountLimits", "AddressLimits", "Limits", "PlayerLimits"]

CHAT_RATE: Final = 0.5
CHAT_BURST: Final = 5.0
"""Lines of chat of one player, a second for ever and at once."""
ADDRESS_FAILURE_RATE: Final = 0.2
ADDRESS_FAILURE_BURST: Final = 30.0
"""Failed attempts to sign in from one address, a second for ever and at once: a class forgets that many passwords."""
ACCOUNT_FAILURE_RATE: Final = 0.05
ACCOUNT_FAILURE_BURST: Final = 10.0
"""Failed attempts for one account, a second for ever and at once: 4,300 a day, from all addresses together."""
SPENT_RATE: Final = 0.5
SPENT_BURST: Final = 200.0
"""Signed texts that are used from one address, a second for ever and at once: two for a sign-in at the provider, so 250
people sign in there in ten minutes. What is recorded as used at any time is 500 for an address at most."""
PASSWORD_RATE: Final = 5.0
PASSWORD_BURST: Final = 4.0
"""Passwords that are hashed for all clients, a second for ever and at once: 0.4 of a core. Those at once stand before
the ones from known addresses in the hashing threads."""
KNOWN_ADDRESS_PASSWORD_RATE: Final = 2.0
KNOWN_ADDRESS_PASSWORD_BURST: Final = 8.0
"""The same for sign-ins from an address that the account knows, in a queue of their own, which a flood from other
addresses does not fill."""
MAX_REPLAYS: Final = 4
"""Matches that one address may have read from the store and not paid for yet."""
MAX_DOWNLOADS: Final = 2
"""The same for records that are downloaded: these are counted apart, or they would keep players waiting."""
MAX_IDLE: Final = 10_000
"""Addresses, and players, that are remembered after their last connection closed."""


class _Limited(Protocol):
    connections: int

    @property
    def buckets(self) -> tuple[TokenBucket, ...]: ...


L = TypeVar("L", bound=_Limited)


class AddressLimits:
    """What all connections from one address share."""

    __slots__ = ("arrivals", "connections", "downloads", "failures", "newcomers", "replays", "share", "spent")

    def __init__(self, settings: Settings, loop: asyncio.AbstractEventLoop) -> None:
        self.connections = 0
        """Open TCP connections, whether or not a WebSocket came of them."""
        self.arrivals = TokenBucket(settings.arrival_rate, settings.arrival_burst, loop.time())
        """New connections."""
        self.share = FairQueue(settings.address_rate, settings.address_burst, loop)
        """Commands of all players, shared fairly among them."""
        self.newcomers = FairQueue(settings.guest_rate, settings.guest_burst, loop)
        """New guests, in the order in which they came."""
        self.failures = TokenBucket(ADDRESS_FAILURE_RATE, ADDRESS_FAILURE_BURST, loop.time())
        """Sign-ins and recoveries that failed, for whatever account."""
        self.spent = TokenBucket(SPENT_RATE, SPENT_BURST, loop.time())
        """Challenges, links and codes that are recorded as used."""
        self.replays = asyncio.Semaphore(MAX_REPLAYS)
        """Matches that players have read from the store, and pay for afterwards."""
        self.downloads = asyncio.Semaphore(MAX_DOWNLOADS)
        """Matches that are read for their records, and paid for afterwards."""

    @property
    def buckets(self) -> tuple[TokenBucket, ...]:
        """The buckets that all nodes share."""
        return (self.arrivals, self.share.bucket, self.newcomers.bucket, self.failures, self.spent)


class AccountLimits:
    """What the attempts to sign in to one account share, or those from one address that the account knows."""

    __slots__ = ("connections", "failures")

    def __init__(self, now: float) -> None:
        self.connections = 0
        self.failures = TokenBucket(ACCOUNT_FAILURE_RATE, ACCOUNT_FAILURE_BURST, now)
        """Sign-ins and recoveries that failed."""

    @property
    def buckets(self) -> tuple[TokenBucket, ...]:
        """The buckets that all nodes share."""
        return (self.failures,)


class PlayerLimits:
    """What all connections of one player share, so that opening another one gains nothing."""

    __slots__ = ("chat", "commands", "connections")

    def __init__(self, settings: Settings, now: float) -> None:
        self.connections = 0
        self.commands = TokenBucket(settings.message_rate, settings.message_burst, now)
        self.chat = TokenBucket(CHAT_RATE, CHAT_BURST, now)

    @property
    def buckets(self) -> tuple[TokenBucket, ...]:
        """The buckets that all nodes share."""
        return (self.commands, self.chat)


class _Registry(Generic[L]):
    """Entries by name. Those in use stay; of the others the `MAX_IDLE` newest do."""

    def __init__(self, make: Callable[[], L]) -> None:
        self._make = make
        self._used: dict[str, L] = {}
        self._idle: OrderedDict[str, L] = OrderedDict()
        # Connections of each name to other nodes, by node.
        self._elsewhere: dict[str, dict[str, int]] = {}
        # What the other nodes were told: connections, and tokens taken of each bucket.
        self._told: dict[str, tuple[int, tuple[float, ...]]] = {}
        # The last name that was told where there was no room for all; empty where all were told.
        self._told_last = ""

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
            self._set_idle(name, self._used.pop(name))

    def _set_idle(self, name: str, entry: L) -> None:
        self._idle[name] = entry
        if len(self._idle) > MAX_IDLE:
            forgotten, _ = self._idle.popitem(last=False)
            if forgotten not in self._used:
                self._told.pop(forgotten, None)

    # Other nodes

    def connections(self, name: str) -> int:
        """Return the connections of `name` to all nodes."""
        entry = self._used.get(name)
        return (0 if entry is None else entry.connections) + self.elsewhere(name)

    def elsewhere(self, name: str) -> int:
        """Return the connections of `name` to other nodes, as they were a moment ago."""
        return sum(self._elsewhere.get(name, {}).values())

    def usage(self, most: int) -> list[tuple[str, int, tuple[float, ...]]]:
        """Return up to `most` names with their connections here and the tokens taken since the last call told."""
        found: list[tuple[str, int, tuple[float, ...]]] = []
        for name, entry in self._in_turn():
            taken = tuple(bucket.taken for bucket in entry.buckets)
            connections, known = self._told.get(name, (0, (0.0,) * len(taken)))
            if (entry.connections, taken) == (connections, known):
                continue
            if len(found) == most:
                self._told_last = found[-1][0]
                return found
            self._told[name] = (entry.connections, taken)
            found.append((name, entry.connections, tuple(map(sub, taken, known))))
        self._told_last = ""
        return found

    def _in_turn(self) -> Iterable[tuple[str, L]]:
        """Return all entries, beginning with one that had no room last time: the first may change in every second."""
        entries = chain(self._used.items(), self._idle.items())
        if not self._told_last:
            return entries
        listed = list(entries)
        start = next((number for number, (name, _) in enumerate(listed, 1) if name == self._told_last), 0)
        return listed[start:] + listed[:start]

    def tell_again(self) -> None:
        """Have the next `usage` name everything that is connected: a node may have missed it."""
        for name, (_, taken) in self._told.items():
            self._told[name] = (-1, taken)

    def take_elsewhere(self, node: str, name: str, connections: int, taken: Sequence[float], now: float) -> None:
        """Count what `node` gave to `name`: its connections there now, and tokens of each bucket."""
        nodes = self._elsewhere.setdefault(name, {})
        nodes[node] = connections
        if not connections:
            del nodes[node]
            if not nodes:
                del self._elsewhere[name]
        entry = self._used.get(name) or self._idle.get(name)
        if entry is None:
            if not any(taken):
                return
            entry = self._make()
            self._set_idle(name, entry)
        for bucket, cost in zip(entry.buckets, taken, strict=False):
            bucket.take_elsewhere(now, cost)

    def forget_node(self, node: str) -> None:
        """A node has no connections any more."""
        for name, nodes in tuple(self._elsewhere.items()):
            if nodes.pop(node, None) is not None and not nodes:
                del self._elsewhere[name]


class Limits:
    """The limits of one server."""

    def __init__(self, settings: Settings) -> None:
        loop = asyncio.get_running_loop()
        self.settings = settings
        self.all_clients = FairQueue(settings.server_rate, settings.server_burst, loop)
        """Commands of all addresses, shared fairly among them. Moves that a match waits for pass by it."""
        self.addresses: _Registry[AddressLimits] = _Registry(lambda: AddressLimits(settings, loop))
        self.passwords = FairQueue(PASSWORD_RATE, PASSWORD_BURST, loop)
        """Passwords that are hashed, in the turns of their addresses."""
        self.known_address_passwords = FairQueue(KNOWN_ADDRESS_PASSWORD_RATE, KNOWN_ADDRESS_PASSWORD_BURST, loop)
        """Those from addresses that the accounts know."""
        self.accounts: _Registry[AccountLimits] = _Registry(lambda: AccountLimits(loop.time()))
        """Attempts to sign in, by the name that is tried; with the address where it is one that the account knows."""
        self.players: _Registry[PlayerLimits] = _Registry(lambda: PlayerLimits(settings, loop.time()))
