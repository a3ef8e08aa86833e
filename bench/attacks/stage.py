"""The interface of attacks: the server's address, the attacked players and match, and the time of the attack. An attack
is a coroutine in a process of its own, so that its CPU time is not measured as the server's. It prepares, waits for
`begin`, attacks while `is_on`, returns a description, and keeps its sockets open until then."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from cornered.bench.attacks.sockets import RawSocket, request

__all__ = ["ATTACKS", "Attack", "Stage", "attack"]

MAX_HANDSHAKES: Final = 50
"""Maximum concurrent handshakes."""

RunAttack: TypeAlias = "Callable[[Stage], Awaitable[str]]"


@dataclass
class Stage:
    """One attack's environment. `network` is the first three numbers of the attack's own loopback addresses."""

    addresses: tuple[str, ...]
    """The nodes, of which the first is attacked unless the attack says otherwise."""
    network: str
    seconds: float
    scale: float
    """Factor on the number of sockets and matches."""
    players: tuple[str, ...]
    """The bystanders' player ids."""
    started: Callable[[], Awaitable[None]]
    broker: str = ""
    """The address of the nodes' broker with the user of the nodes; empty where there is one server."""
    options: Mapping[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    """Faults that the attack itself found, each a sentence."""
    _until: float = 0.0

    @property
    def address(self) -> str:
        """The attacked node."""
        return self.addresses[0]

    async def begin(self) -> None:
        """Wait for the start of the attack; its duration counts from here."""
        await self.started()
        self._until = time.monotonic() + self.seconds

    @property
    def is_on(self) -> bool:
        """Whether the attack's time is not over."""
        return time.monotonic() < self._until

    async def rest(self) -> None:
        """Wait for the end of the attack's time."""
        await asyncio.sleep(max(0.0, self._until - time.monotonic()))

    def local(self, number: int = 0) -> str:
        """Return the attack's own address of this number."""
        return f"{self.network}.{number % 250 + 1}"

    async def open(self, number: int = 0, *, shake: bool = True, node: int = 0) -> RawSocket:
        """Open a socket from the attack's address `number`. Raises OSError."""
        return await RawSocket.connect(self.addresses[node], local=self.local(number), shake=shake)

    async def guest(self, number: int = 0, **fields: object) -> RawSocket:
        """Open a socket and send hello. Raises OSError."""
        return await (await self.open(number)).greet("Eve", **fields)

    async def guests(self, count: int, *, per_address: int = 150) -> list[RawSocket]:
        """Open sockets of `count` new players; refused ones are missing."""
        return await self._many(count, lambda index: self.guest(index // per_address))

    async def sockets(self, count: int, *, per_address: int = 150, shake: bool = True) -> list[RawSocket]:
        """Open `count` sockets without a hello; refused ones are missing."""
        return await self._many(count, lambda index: self.open(index // per_address, shake=shake))

    async def _many(self, count: int, one: Callable[[int], Awaitable[RawSocket]]) -> list[RawSocket]:
        found: list[RawSocket] = []
        for start in range(0, count, MAX_HANDSHAKES):
            group = (one(index) for index in range(start, min(count, start + MAX_HANDSHAKES)))
            done = await asyncio.gather(*group, return_exceptions=True)
            found += [socket for socket in done if isinstance(socket, RawSocket)]
        return found

    async def again(self, number: int = 0) -> AsyncIterator[RawSocket]:
        """Yield sockets of guests, a new one after each disconnection, while the attack goes on."""
        while self.is_on:
            try:
                socket = await self.guest(number)
            except OSError:
                await asyncio.sleep(0.05)
                continue
            yield socket
            socket.abort()

    async def every(self, seconds: float) -> AsyncIterator[int]:
        """Count at intervals of `seconds` while the attack goes on."""
        for number in itertools.count():
            if not self.is_on:
                return
            yield number
            await asyncio.sleep(seconds)

    async def request(self, text: str, number: int = 0) -> tuple[int, str, bytes]:
        """Send a plain HTTP request from one of the attack's addresses; return status, head and body."""
        return await request(self.address, text, local=self.local(number))

    def fault(self, text: str) -> None:
        """Record a fault, once."""
        if text not in self.faults:
            self.faults.append(text)


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack in the registry."""

    name: str
    words: str
    run: RunAttack
    settings: Mapping[str, str]
    """The server's settings that differ from the defaults."""
    keeps_matches: bool
    """Whether its matches stay live after the attackers have disconnected."""
    needs_nodes: bool = False
    """Whether it attacks what is between several nodes."""
    is_timed: bool = True
    """Whether latencies are judged; other attacks check the server's answers, and end by themselves."""
    module: str = "cornered.bench.attacks.attacker"
    """The module that runs it as a program."""


ATTACKS: Final[dict[str, Attack]] = {}


def attack(
    name: str,
    words: str,
    *,
    keeps_matches: bool = False,
    needs_nodes: bool = False,
    is_timed: bool = True,
    **settings: str,
) -> Callable[[RunAttack], RunAttack]:
    """Register an attack."""

    def register(run: RunAttack) -> RunAttack:
        ATTACKS[name] = Attack(name, words, run, settings, keeps_matches, needs_nodes, is_timed)
        return run

    return register
