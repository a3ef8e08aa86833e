"""The clients of a campaign: pairs that play match after match, and watchers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from cornered.bench.faults.bare_client import BareClient, Vanished
from cornered.bench.faults.history import ClientLog
from cornered.bench.faults.kit_client import KitClient
from cornered.protocol.codec import JSON, MSGPACK
from cornered.protocol.values import NO_CLOCK, Clock, Fischer, GameSpec, PerMove, SeekSettings

__all__ = ["Crowd"]

GAMES: Final = (
    GameSpec(name="trapgrid", options={"size": 5}),
    GameSpec(name="isolation", options={"width": 4, "height": 4}),
    GameSpec(name="bamboo", options={"radius": 2}),
    GameSpec(name="quoridor", options={"size": 3, "walls": 2}),
    GameSpec(name="isolation", options={"width": 4, "height": 4, "dice": True}),
)
CLOCKS: Final[tuple[Clock, ...]] = (Fischer(initial=20, increment=2), PerMove(seconds=15), NO_CLOCK)
REST_S: Final = 0.2


class Contestant(Protocol):
    """What a pair needs of each of its players."""

    async def live(self) -> set[str]: ...

    async def seek(self, settings: SeekSettings) -> str | None: ...

    async def join_seek(self, seek: str) -> str | None: ...

    async def play(self, match: str) -> None: ...


@dataclass
class Crowd:
    """All clients. `is_on` is false when pairs may begin no further match."""

    addresses: Sequence[str]
    balanced: str
    seed: int
    logs: list[ClientLog] = field(default_factory=list)
    is_on: bool = True
    faults: list[str] = field(default_factory=list)
    """What no client expected."""
    finished: int = 0
    _given_up: set[str] = field(default_factory=set)
    """Matches of which a player could not make sense."""
    _live: dict[str, None] = field(default_factory=dict)
    """Public matches that are played now, the oldest first."""

    def tasks(self, pairs: int, watchers: int, tasks: asyncio.TaskGroup) -> list[asyncio.Task[None]]:
        """Start `pairs` pairs of each kind of client, and as many watchers of each kind."""
        made = []
        for number in range(pairs):
            made.append(tasks.create_task(self._bare_pair(number), name=f"bare pair {number}"))
            made.append(tasks.create_task(self._kit_pair(number), name=f"kit pair {number}"))
        for number in range(watchers):
            made.append(tasks.create_task(self._bare_watcher(number), name=f"bare watcher {number}"))
            made.append(tasks.create_task(self._kit_watcher(number), name=f"kit watcher {number}"))
        return made

    def _log(self, name: str) -> ClientLog:
        self.logs.append(ClientLog(name))
        return self.logs[-1]

    def _chance(self, name: str) -> random.Random:
        return random.Random(f"{self.seed} {name}")

    def _bare(self, name: str, number: int) -> BareClient:
        turned = [*self.addresses[number % len(self.addresses) :], *self.addresses[: number % len(self.addresses)]]
        return BareClient(name, turned, (JSON, MSGPACK)[number % 2], self._chance(name), self._log(name))

    async def _bare_pair(self, number: int) -> None:
        one, two = (self._bare(f"bare{number}{letter}", number + index) for index, letter in enumerate("ab"))
        try:
            await self._play_on(one, two, number)
        finally:
            one.hang_up("the end")
            two.hang_up("the end")

    async def _kit_pair(self, number: int) -> None:
        async with contextlib.AsyncExitStack() as stack:
            one, two = [
                await stack.enter_async_context(
                    KitClient.open(name, self.balanced, self._chance(name), self._log(name))
                )
                for name in (f"kit{number}a", f"kit{number}b")
            ]
            await self._play_on(one, two, number + 1)

    async def _play_on(self, one: Contestant, two: Contestant, number: int) -> None:
        """Play matches in turn, and at the end every one that is still live."""
        for turn in itertools.count(number):
            spec, clock = GAMES[turn % len(GAMES)], CLOCKS[turn % len(CLOCKS)]
            settings = SeekSettings(game=spec, clock=clock, private=turn % 4 == 3)
            match = await self._find_match(one, two, settings)
            if match is None:
                return
            if not settings.private:
                self._live[match] = None
            async with asyncio.TaskGroup() as tasks:
                for player in (one, two):
                    tasks.create_task(self._play(player, match), name=f"player of {match}")
            self._live.pop(match, None)
            self.finished += 1

    async def _play(self, player: Contestant, match: str) -> None:
        try:
            await player.play(match)
        except Vanished as error:
            self.faults.append(str(error))
        except Exception as error:
            # What a true server's clients never meet, such as a position that is none. The checker finds the cause.
            self.faults.append(f"a player of match {match} cannot go on: {error!r}")
            self._given_up.add(match)

    async def _find_match(self, one: Contestant, two: Contestant, settings: SeekSettings) -> str | None:
        """Return a match of both, a new one while the crowd is on; None where there is none and none is to begin.

        A match may have begun although the answer was lost with the server.
        """
        while True:
            both = (await one.live() & await two.live()) - self._given_up
            if both:
                return min(both)
            if not self.is_on:
                return None
            table = await one.seek(settings)
            match = None if table is None else await two.join_seek(table)
            if match is not None:
                return match
            await asyncio.sleep(REST_S)

    async def _bare_watcher(self, number: int) -> None:
        watcher = self._bare(f"watcher{number}", number)
        try:
            while self.is_on:
                await self._watch_one(watcher, watcher.chance)
        finally:
            watcher.hang_up("the end")

    async def _kit_watcher(self, number: int) -> None:
        name = f"kit-watcher{number}"
        chance = self._chance(name)
        async with KitClient.open(name, self.balanced, chance, self._log(name)) as watcher:
            while self.is_on:
                await self._watch_one(watcher, chance)

    async def _watch_one(self, watcher: BareClient | KitClient, chance: random.Random) -> None:
        if not self._live:
            await asyncio.sleep(REST_S)
            return
        try:
            await watcher.watch(chance.choice(list(self._live)))
        except Vanished as error:
            self.faults.append(str(error))
