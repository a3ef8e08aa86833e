"""Players without a window, who play whole games by the client kit beside the browser of a test."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any, Final, TypeVar

from cornered.clients.sdk import Client
from cornered.engine.game import OptionValue
from cornered.protocol.commands import AcceptChallenge, Challenge, Play, Resign
from cornered.protocol.messages import Acknowledged
from cornered.protocol.values import NO_CLOCK, Clock, GameSpec

__all__ = ["Club", "running_club"]

T = TypeVar("T")
STEP_S: Final = 60.0
"""Seconds that one step may take on a busy machine."""


class Club:
    """The members, by name, whose connections live in an event loop of their own."""

    def __init__(self, loop: asyncio.AbstractEventLoop, address: str) -> None:
        self._loop = loop
        self.address = address.replace("http", "ws", 1)
        self._stack = AsyncExitStack()
        self.members: dict[str, Client] = {}

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for work in the club's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(STEP_S)

    @contextlib.contextmanager
    def doing(self, work: Coroutine[Any, Any, object]) -> Iterator[None]:
        """Let work go on in the club's loop; it is cancelled at the end, unless it has failed before."""
        task = asyncio.run_coroutine_threadsafe(work, self._loop)
        yield
        if not task.cancel():
            task.result()

    def enter(self, context: AbstractAsyncContextManager[T]) -> T:
        """Enter a context, as of a client's connection, which lasts as long as the club."""
        return self.do(self._stack.enter_async_context(context))

    def admit(self, *names: str) -> None:
        """Connect members, unless they are here."""
        for name in names:
            if name not in self.members:
                self.members[name] = self.enter(Client.connect(self.address, name=name))

    def id(self, name: str) -> str:
        return self.members[name].player.id

    def begin(
        self,
        one: str,
        other: str,
        moves: Sequence[str] = (),
        *,
        game: str = "trapgrid",
        clock: Clock = NO_CLOCK,
        rated: bool = False,
        **options: OptionValue,
    ) -> str:
        """Begin a match of two, of whom `one` has the first seat, and play its first moves; return its id."""
        self.admit(one, other)
        spec = GameSpec(name=game, options=options)
        pair = self.members[one], self.members[other]

        async def play() -> str:
            challenge = Challenge(
                id=pair[0].new_id(), to=pair[1].player.id, game=spec, clock=clock, seat=0, rated=rated
            )
            sent = await pair[0].ask(challenge, Acknowledged)
            accept = AcceptChallenge(id=pair[1].new_id(), challenge=sent.ref or "")
            match = (await pair[1].ask(accept, Acknowledged)).ref or ""
            for ply, move in enumerate(moves):
                client = pair[ply % 2]
                await client.ask(Play(id=client.new_id(), match=match, ply=ply, move=move), Acknowledged)
            return match

        return self.do(play())

    def resign(self, name: str, match: str) -> None:
        client = self.members[name]
        self.do(client.ask(Resign(id=client.new_id(), match=match), Acknowledged))

    def play(self, one: str, other: str, moves: Sequence[str], **how: Any) -> str:
        """Play a match that the second player resigns after some moves; return its id."""
        match = self.begin(one, other, moves, **how)
        self.resign(other, match)
        return match

    async def close(self) -> None:
        await self._stack.aclose()


@contextlib.contextmanager
def running_club(address: str) -> Iterator[Club]:
    """Run a club without members yet beside a server."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="club")
    thread.start()
    club = Club(loop, address)
    try:
        yield club
    finally:
        club.do(club.close())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(STEP_S)
        loop.close()
