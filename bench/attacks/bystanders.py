"""Honest players beside an attack: pairs that play slowly, a watcher, and newcomers; every move's latency is
recorded."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from cornered.bench.attacks.sockets import RawSocket, frame, start_match
from cornered.bench.load import PLAY, scripts

__all__ = ["Bystanders", "Phase"]

PAIR_COUNT: Final = 2
PACE_S: Final = 0.02
"""Seconds between receiving a move and sending the next one."""
MOVE_TIMEOUT_S: Final = 4.0
"""Seconds without an event after which a bystander abandons a match."""
NEWCOMER_INTERVAL_S: Final = 0.2
LOOPBACK_PREFIX: Final = "127.0.1"
NEWCOMERS: Final = "127.0.3.1"
_HAPPENED_PREFIX: Final = b'{"type":"happened"'


@dataclass
class Phase:
    """Measurements of one phase. Latencies are in seconds."""

    moves: list[float] = field(default_factory=list)
    """From sending a move to its acknowledgement."""
    told: list[float] = field(default_factory=list)
    """From sending a move to the last of its events, over both players and the watcher."""
    arrivals: list[float] = field(default_factory=list)
    """From opening a socket to the welcome message."""
    faults: list[str] = field(default_factory=list)

    def fault(self, text: str) -> None:
        """Record a fault, once."""
        if text not in self.faults:
            self.faults.append(text)


class _Receiver:
    """One socket's view of the current match; checks that every event arrives once and in order."""

    def __init__(self, name: str, socket: RawSocket, pair: BystanderPair) -> None:
        self.name = name
        self.socket = socket
        self._pair = pair
        self._seq = 0
        """The sequence number of the last event received."""
        self.plies = 0
        """Moves of the match received so far."""
        socket.hear = self.hear

    def begin(self, seq: int) -> None:
        self._seq = seq
        self.plies = 0

    def hear(self, payload: bytes) -> None:
        if payload.startswith(b'{"type":"acknowledged"'):
            self._pair.acknowledged()
        elif payload.startswith(_HAPPENED_PREFIX):
            message = json.loads(payload)
            if message["match"] != self._pair.match:
                return
            for event in message["events"]:
                if event["seq"] != self._seq + 1:
                    self._pair.phase.fault(f"{self.name} is told event {event['seq']} after {self._seq}")
                self._seq = event["seq"]
                self.plies += event["type"] == "played"
            self._pair.told()
        elif payload.startswith(b'{"type":"refused"'):
            self._pair.refused(json.loads(payload)["code"])


class BystanderPair:
    """Two players and their watchers, who play one match after another."""

    def __init__(self, number: int, players: tuple[RawSocket, RawSocket], watchers: tuple[RawSocket, ...]) -> None:
        self.number = number
        self.match = ""
        self.phase = Phase()
        self.is_stopping = False
        self.is_in_play = asyncio.Event()
        self._players = players
        names = ("the first player", "the second player", *("the watcher" for _ in watchers))
        self._receivers = [_Receiver(name, one, self) for name, one in zip(names, (*players, *watchers), strict=True)]
        self._sent = 0.0
        """When the move in flight was sent; `_ply` is the number of plies with it."""
        self._ply = 0
        self._acknowledged: asyncio.Future[None] | None = None
        """Set by the mover's acknowledgement of the move in flight."""
        self._told: asyncio.Future[None] | None = None
        """Set when all receivers have the event of the move in flight."""

    async def play(self) -> None:
        """Play until told to stop and a move was made in the present phase, then resign the last match."""
        games = itertools.cycle(scripts(8)[self.number % 2 :: 2])
        while not self._is_done:
            try:
                await self._begin()
                await self._play(next(games))
                for receiver in self._receivers:
                    await receiver.socket.ask("leave", match=self.match)
            except TimeoutError:
                self.phase.fault(f"a bystander gets no answer for {MOVE_TIMEOUT_S:.0f} s")
            except OSError as error:
                self.phase.fault(f"a bystander cannot play: {error}")
                return
        self.is_in_play.clear()
        self.match = ""

    @property
    def _is_done(self) -> bool:
        return self.is_stopping and bool(self.phase.moves)

    async def _begin(self) -> None:
        one, two = self._players
        self.match = await start_match(one, two, game={"name": "trapgrid"})
        for receiver in self._receivers:
            snapshot = await receiver.socket.ask("join", match=self.match)
            if snapshot["type"] == "refused":
                raise ConnectionError(f"a bystander may not join: {snapshot['code']}")
            receiver.begin(snapshot["seq"])
        self.is_in_play.set()

    async def _play(self, moves: tuple[str, ...]) -> None:
        loop = asyncio.get_running_loop()
        for ply, move in enumerate(moves):
            await asyncio.sleep(PACE_S)
            if self._is_done:
                await self._players[0].ask("resign", match=self.match)
                return
            self._ply = ply + 1
            self._acknowledged, self._told = loop.create_future(), loop.create_future()
            phase, self._sent = self.phase, time.perf_counter()
            payload = PLAY % (b"m%d" % ply, self.match.encode(), ply, move.encode())
            self._players[ply & 1].write(frame(1, payload))
            try:
                async with asyncio.timeout(MOVE_TIMEOUT_S):
                    await self._acknowledged
                    phase.moves.append(time.perf_counter() - self._sent)
                    await self._told
                    phase.told.append(time.perf_counter() - self._sent)
            except TimeoutError:
                late = [receiver.name for receiver in self._receivers if receiver.plies < self._ply]
                if self._acknowledged.done() and not self._acknowledged.cancelled():
                    phase.fault(f"{' and '.join(late)} are not told of a move")
                else:
                    phase.fault(f"a move is not answered for {MOVE_TIMEOUT_S:.0f} s")
                    phase.moves.append(MOVE_TIMEOUT_S)
                return

    def acknowledged(self) -> None:
        if self._acknowledged is not None and not self._acknowledged.done():
            self._acknowledged.set_result(None)

    def told(self) -> None:
        if (
            self._told is not None
            and not self._told.done()
            and all(receiver.plies >= self._ply for receiver in self._receivers)
        ):
            self._told.set_result(None)

    def refused(self, code: str) -> None:
        self.phase.fault(f"a bystander's move was refused: {code}")
        self.acknowledged()


class Bystanders:
    """All honest clients. `phase` receives the current latencies and faults."""

    def __init__(self, addresses: Sequence[str], pairs: list[BystanderPair], sockets: list[RawSocket]) -> None:
        self._addresses = itertools.cycle(addresses)
        self.pairs = pairs
        self._sockets = sockets
        self._playing = [asyncio.create_task(pair.play(), name="pair") for pair in pairs]
        self._arriving = asyncio.create_task(self._arrive(), name="newcomers")
        self.phase = Phase()

    @classmethod
    @contextlib.asynccontextmanager
    async def at(cls, addresses: Sequence[str]) -> AsyncIterator[Bystanders]:
        """Run the bystanders inside the block, with the nodes in turn: the players of a pair are at different ones."""
        nodes = itertools.cycle(addresses)
        sockets = [
            await (await RawSocket.connect(next(nodes), local=f"{LOOPBACK_PREFIX}.{number + 1}")).greet(f"By {number}")
            for number in range(3 * PAIR_COUNT)
        ]
        pairs = [
            BystanderPair(number, (sockets[3 * number], sockets[3 * number + 1]), (sockets[3 * number + 2],))
            for number in range(PAIR_COUNT)
        ]
        everybody = cls(addresses, pairs, sockets)
        try:
            yield everybody
        finally:
            for task in (*everybody._playing, everybody._arriving):
                task.cancel()
            await asyncio.gather(*everybody._playing, everybody._arriving, return_exceptions=True)
            await asyncio.gather(*(socket.close() for socket in sockets))

    @property
    def players(self) -> Iterator[RawSocket]:
        """The sockets of the players."""
        return (socket for number, socket in enumerate(self._sockets) if number % 3 < 2)

    def turn(self, phase: Phase) -> Phase:
        """Begin a new phase."""
        self.phase = phase
        for pair in self.pairs:
            pair.phase = phase
        return phase

    async def settle(self) -> None:
        """Wait until all pairs play."""
        async with asyncio.timeout(2 * MOVE_TIMEOUT_S):
            for pair in self.pairs:
                await pair.is_in_play.wait()

    async def finish(self) -> None:
        """End every match, and check that the server has released it."""
        for pair in self.pairs:
            pair.is_stopping = True
        done, late = await asyncio.wait(self._playing, timeout=3 * MOVE_TIMEOUT_S)
        for task in done:
            task.result()
        if late:
            self.phase.fault("a bystanders' match does not come to its end")
            return
        try:
            await self._look_at_books()
        except (OSError, TimeoutError) as error:
            self.phase.fault(f"a bystander cannot ask for its matches: {error!r}")

    async def _look_at_books(self) -> None:
        for player in self.players:
            listed = await player.ask("ask_my_matches")
            if listed["type"] == "refused":
                self.phase.fault(f"a bystander's matches are refused: {listed['code']}")
            elif listed["live"]:
                self.phase.fault(f"{len(listed['live'])} matches that are over stay among a bystander's live ones")
        lobby = await self._sockets[0].ask("watch_lobby")
        await self._sockets[0].ask("leave_lobby")
        known = {player.player for player in self.players}
        busy = [one for one in lobby.get("players", ()) if one["player"]["id"] in known and one["playing"]]
        if busy:
            self.phase.fault("the lobby shows bystanders playing who do not")

    async def _arrive(self) -> None:
        """Connect as a new player and say hello, repeatedly."""
        token = ""
        while True:
            await asyncio.sleep(NEWCOMER_INTERVAL_S)
            phase, began = self.phase, time.perf_counter()
            try:
                async with asyncio.timeout(MOVE_TIMEOUT_S):
                    socket = await RawSocket.connect(next(self._addresses), local=NEWCOMERS)
                    socket.token = token
                    try:
                        token = (await socket.greet("New")).token
                        took = time.perf_counter() - began
                    finally:
                        await socket.close()
                phase.arrivals.append(took)
            except TimeoutError:
                phase.fault(f"a newcomer waits for {MOVE_TIMEOUT_S:.0f} s")
            except OSError as error:
                phase.fault(f"a newcomer is not let in: {error}")
