"""What an attack sees: the server's address, what it may attack there, and when it begins and ends.

An attack is a coroutine in a process of its own, so that its work is not measured as the server's. It prepares,
waits for `begin`, attacks while `is_on`, says what it did, and keeps its sockets open until it returns.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from cornered.bench.attacks.sockets import RawSocket, request

__all__ = ["ATTACKS", "Attack", "Stage", "attack"]

AT_ONCE: Final = 50
"""Handshakes under way at a time."""

Run: TypeAlias = "Callable[[Stage], Awaitable[str]]"


@dataclass
class Stage:
    """One attack's view. `network` is the first three numbers of the attack's own loopback addresses."""

    address: str
    network: str
    seconds: float
    scale: float
    """How many sockets and matches, as a part of the whole attack."""
    players: tuple[str, ...]
    """The bystanders' ids."""
    started: Callable[[], Awaitable[None]]
    options: Mapping[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    """What the attack itself found wrong, each a sentence."""
    _until: float = 0.0

    async def begin(self) -> None:
        """Wait until the attack may begin; its time runs from now."""
        await self.started()
        self._until = time.monotonic() + self.seconds

    @property
    def is_on(self) -> bool:
        """Whether the attack goes on."""
        return time.monotonic() < self._until

    async def rest(self) -> None:
        """Do nothing until the attack's time is over."""
        await asyncio.sleep(max(0.0, self._until - time.monotonic()))

    def local(self, number: int = 0) -> str:
        """Return one of the attack's own addresses."""
        return f"{self.network}.{number % 250 + 1}"

    async def open(self, number: int = 0, *, shake: bool = True) -> RawSocket:
        """Open a socket from the attack's address `number`. Raises OSError."""
        return await RawSocket.connect(self.address, local=self.local(number), shake=shake)

    async def guest(self, number: int = 0, **fields: object) -> RawSocket:
        """Open a socket and say hello. Raises OSError."""
        return await (await self.open(number)).greet("Eve", **fields)

    async def guests(self, count: int, *, per_address: int = 150) -> list[RawSocket]:
        """Open many sockets, each a player of its own; those that are not let in are missing."""
        return await self._many(count, lambda index: self.guest(index // per_address))

    async def sockets(self, count: int, *, per_address: int = 150, shake: bool = True) -> list[RawSocket]:
        """Open many sockets that say nothing; those that are not let in are missing."""
        return await self._many(count, lambda index: self.open(index // per_address, shake=shake))

    async def _many(self, count: int, one: Callable[[int], Awaitable[RawSocket]]) -> list[RawSocket]:
        found: list[RawSocket] = []
        for start in range(0, count, AT_ONCE):
            group = (one(index) for index in range(start, min(count, start + AT_ONCE)))
            done = await asyncio.gather(*group, return_exceptions=True)
            found += [socket for socket in done if isinstance(socket, RawSocket)]
        return found

    async def again(self, number: int = 0) -> AsyncIterator[RawSocket]:
        """Yield a guest's socket after the other while the attack goes on: one that is cut off is replaced."""
        while self.is_on:
            try:
                socket = await self.guest(number)
            except OSError:
                await asyncio.sleep(0.05)
                continue
            yield socket
            socket.abort()

    async def every(self, seconds: float) -> AsyncIterator[int]:
        """Count while the attack goes on, with a pause after each number."""
        for number in itertools.count():
            if not self.is_on:
                return
            yield number
            await asyncio.sleep(seconds)

    async def request(self, text: str, number: int = 0) -> tuple[int, str, bytes]:
        """Send a plain HTTP request from one of the attack's addresses; return status, head and body."""
        return await request(self.address, text, local=self.local(number))

    async def match(self, one: RawSocket, two: RawSocket, game: Mapping[str, Any], **fields: object) -> str:
        """Start a match of two guests; return its id. Raises OSError when the server refuses."""
        sent = await one.ask("challenge", to=two.player, game=game, seat=0, **fields)
        accepted = await two.ask("accept_challenge", challenge=sent["ref"]) if sent["type"] == "acknowledged" else sent
        if accepted["type"] != "acknowledged":
            raise ConnectionError(f"the match was refused: {accepted['code']}")
        return str(accepted["ref"])

    def fault(self, text: str) -> None:
        """Note something wrong, once."""
        if text not in self.faults:
            self.faults.append(text)


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack of the registry."""

    name: str
    words: str
    run: Run
    settings: Mapping[str, str]
    """What the server is started with, beyond the defaults."""
    keeps_matches: bool
    """Whether live matches stay when the attackers are gone."""
    is_timed: bool = True
    """Whether latencies count; others look at what the server answers, and end by themselves."""
    module: str = "cornered.bench.attacks.attacker"
    """The program that carries it out."""


ATTACKS: Final[dict[str, Attack]] = {}


def attack(
    name: str, words: str, *, keeps_matches: bool = False, is_timed: bool = True, **settings: str
) -> Callable[[Run], Run]:
    """Register an attack."""

    def register(run: Run) -> Run:
        ATTACKS[name] = Attack(name, words, run, settings, keeps_matches, is_timed)
        return run

    return register
