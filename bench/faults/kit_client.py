"""The client kit's own client, with a log of what it sends and gets."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Iterator
from typing import Final, TypeVar

from cornered.bench.faults.bare_client import Vanished
from cornered.bench.faults.history import Answered, ClientLog, Connected, Saw, Sent, Shown
from cornered.clients.sdk.backoff import retry
from cornered.clients.sdk.client import Client
from cornered.clients.sdk.errors import Closed, CommandRefused
from cornered.protocol.commands import Command, JoinSeek
from cornered.protocol.messages import Acknowledged, Answer, Happened, Refused, ServerMessage, Snapshot, Welcome
from cornered.protocol.values import SeekSettings, Value

__all__ = ["KitClient"]

MAX_PAUSE_S: Final = 0.5

T = TypeVar("T", bound=Value)


def _short_waits() -> Iterator[float]:
    """Yield short waits between attempts: a campaign's outages last seconds."""
    while True:
        yield random.uniform(0.02, MAX_PAUSE_S)


class _LoggedClient(Client):
    """Logs every command when it is asked, and every message when it arrives."""

    client_log: ClientLog
    connection = 0

    def welcomed(self, welcome: Welcome) -> list[Command]:
        self.connection += 1
        self.client_log.player = welcome.player.id
        self.client_log.entries.append(Connected(time.monotonic(), self.connection, self.url))
        return super().welcomed(welcome)

    async def ask(self, command: Command, expected: type[T]) -> T:
        self.client_log.entries.append(Sent(time.monotonic(), self.connection, command))
        return await super().ask(command, expected)

    def receive(self, message: ServerMessage) -> None:
        self._log(message, time.monotonic())
        super().receive(message)

    def _log(self, message: ServerMessage, now: float) -> None:
        entries = self.client_log.entries
        if isinstance(message, Happened):
            entries.append(Saw(now, self.connection, message.match, message.known))
        elif isinstance(message, Snapshot):
            entries.append(
                Shown(now, self.connection, message.match, message.seq, message.position, message.ply, message.over)
            )
        if isinstance(message, Refused) and message.id is not None:
            entries.append(Answered(now, self.connection, message.id, message.code))
        elif isinstance(message, Answer) and message.id is not None:
            entries.append(Answered(now, self.connection, message.id, seq=getattr(message, "seq", None)))


class KitClient:
    """One player of the client kit."""

    def __init__(self, client: Client, chance: random.Random) -> None:
        self._client = client
        self._chance = chance

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, name: str, address: str, chance: random.Random, log: ClientLog) -> AsyncIterator[KitClient]:
        """Connect a new guest inside the block."""

        class Own(_LoggedClient):
            """The kit makes its clients itself, so the log belongs to the class."""

            client_log = log

        async with Own.connect(address, name=name, kind="bot", patience=None, backoff=_short_waits) as client:
            yield cls(client, chance)

    async def live(self) -> set[str]:
        """Return the ids of this player's live matches."""
        return {one.id for one in (await retry(self._client.my_matches)).live}

    async def seek(self, settings: SeekSettings) -> str | None:
        """Open a table; return its id, None where that is refused."""
        with contextlib.suppress(CommandRefused):
            return await retry(lambda: self._client.seek(settings))
        return None

    async def join_seek(self, seek: str) -> str | None:
        """Join a table; return the id of the match that begins, None where there is none."""
        command = JoinSeek(id=self._client.new_id(), seek=seek)
        with contextlib.suppress(CommandRefused):
            return (await self._client.ask(command, Acknowledged)).ref
        return None

    async def play(self, match: str) -> None:
        """Play a match to its end. Raises Vanished."""
        while True:
            try:
                view = await retry(lambda: self._client.join(match))
            except CommandRefused as refusal:
                raise Vanished(f"match {match} is refused: {refusal.code}") from None
            try:
                while not view.over:
                    seen = view.version
                    if view.my_turn and (moves := view.state.moves()):
                        ply = view.ply
                        await asyncio.sleep(self._chance.uniform(0.0, 0.15))
                        if view.my_turn and view.ply == ply:
                            await view.play(self._chance.choice(moves), ply)
                    else:
                        await view.changed(seen)
                await view.leave()
                return
            except CommandRefused as refusal:
                # Time ran out, another event came first, or the store is away: look again.
                await asyncio.sleep(refusal.pause or 0.1)
            except Closed:
                await asyncio.sleep(0.1)

    async def watch(self, match: str) -> None:
        """Watch a match to its end, and leave it. Raises Vanished."""
        while True:
            try:
                view = await retry(lambda: self._client.join(match))
            except CommandRefused as refusal:
                raise Vanished(f"match {match} is refused: {refusal.code}") from None
            with contextlib.suppress(Closed):
                await view.ended()
                await view.leave()
                return
