"""The stage for servers: players of the kit at the address of any server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Final

from websockets.exceptions import ConnectionClosed, WebSocketException

from cornered.cli.conformance.peer import Peer, connected, shown
from cornered.cli.conformance.verdict import NotApplicable, Scenario, Verdict, Violation, judge
from cornered.clients.sdk.address import require_listener, socket_url
from cornered.protocol.codec import JSON, Codec
from cornered.protocol.commands import AcceptChallenge, AskGames, AskMoves, Challenge, Join, Play, Resign
from cornered.protocol.messages import Acknowledged, Games, Happened, Moves, Paired, Snapshot
from cornered.protocol.values import NO_CLOCK, Clock, GameSpec

__all__ = ["ServerMatch", "ServerStage", "check_server", "restart_by"]

RESTART_S: Final = 30.0
"""Time limit of the restart, and seconds for which the protocol keeps players of a restarted server."""


class ServerMatch:
    """A match between two peers. It asks the server for the legal moves, so that it needs no rules of any game."""

    def __init__(self, players: tuple[Peer, Peer], match: str) -> None:
        self.players = players
        self.match = match

    @property
    def ply(self) -> int:
        """The number of plies that the first player has seen."""
        return self.players[0].newest(self.match)[1]

    @property
    def mover(self) -> Peer:
        """The player to move. Raises Violation where dice are rolled."""
        seat = self.players[0].newest(self.match)[2]
        if seat not in (0, 1):
            raise Violation(f"no player is to move, but seat {seat}")
        return self.players[seat]

    async def legal(self) -> str:
        """Return a legal move of the newest position."""
        answer = await self.mover.ask(AskMoves, match=self.match, ply=self.ply)
        if not isinstance(answer, Moves) or not answer.moves:
            raise Violation(f"`ask_moves` was answered by {shown(answer)}, without moves")
        return answer.moves[0]

    async def play(self, move: str | None = None, **fields: Any) -> Acknowledged:
        """Make a move, by default a legal one, and wait until both players see it; return its acknowledgement."""
        ply, mover = self.ply, self.mover
        chosen = move or await self.legal()
        done = await mover.do(Play, match=self.match, ply=ply, move=chosen, **fields)
        for player in self.players:
            await self.sees(player, lambda one: one.ply == ply + 1, f"a `happened` with the move at ply {ply}")
        return done

    async def sees(self, player: Peer, which: Callable[[Happened], bool], what: str) -> Happened:
        """Return the first news of this match that is so. Raises Violation."""
        return await player.hear(Happened, lambda one: one.match == self.match and which(one), what=what)


class ServerStage:
    """What the scenarios for servers use."""

    def __init__(self, url: str, restart: Callable[[], Awaitable[None]] | None = None) -> None:
        self.url = url
        self._restart = restart

    async def restart(self) -> None:
        """Restart the server. Raises NotApplicable, Violation."""
        if self._restart is None:
            raise NotApplicable("the kit cannot restart this server; name a command that does by --restart")
        await self._restart()

    @contextlib.asynccontextmanager
    async def peer(self, codec: Codec = JSON, **hello: Any) -> AsyncIterator[Peer]:
        """Connect a player inside the block; without fields of `hello` as a new guest."""
        async with connected(self.url, codec, **(hello or {"name": "Conformance"})) as peer:
            yield peer

    async def back(self, token: str) -> contextlib.AbstractAsyncContextManager[Peer]:
        """Return the connection of a player to a server that has been restarted, as soon as there is one."""
        loop = asyncio.get_running_loop()
        until = loop.time() + RESTART_S
        while True:
            try:
                async with connected(self.url, token=token):
                    return self.peer(token=token)
            except (OSError, EOFError, WebSocketException, Violation) as error:
                if loop.time() > until:
                    raise Violation(f"the restarted server does not take its player back: {error}") from None
            await asyncio.sleep(0.2)

    async def game(self, peer: Peer) -> GameSpec:
        """Return a game of the server for two, without dice where it has one."""
        answer = await peer.ask(AskGames)
        if not isinstance(answer, Games) or not answer.games:
            raise Violation(f"`ask_games` was answered by {shown(answer)}, without games")
        names = [game.name for game in answer.games]
        return GameSpec(name="isolation" if "isolation" in names else names[0])

    @contextlib.asynccontextmanager
    async def match(
        self, *, clock: Clock = NO_CLOCK, codecs: tuple[Codec, Codec] = (JSON, JSON)
    ) -> AsyncIterator[ServerMatch]:
        """Begin a match between two new guests, the first of whom has seat 0."""
        async with self.peer(codecs[0]) as first, self.peer(codecs[1]) as second:
            match = await self.pair(first, second, clock=clock)
            try:
                yield ServerMatch((first, second), match)
            finally:
                with contextlib.suppress(ConnectionClosed):
                    await first.tell(Resign(id=first.new_id(), match=match))

    async def pair(self, first: Peer, second: Peer, *, clock: Clock = NO_CLOCK) -> str:
        """Begin a match in which `first` has seat 0, and join it; return its id. Raises Violation."""
        game = await self.game(first)
        sent = await first.do(Challenge, to=second.player.id, game=game, clock=clock, seat=0)
        accepted = await second.do(AcceptChallenge, challenge=sent.ref or "")
        for peer in (first, second):
            paired = await peer.hear(Paired)
            if paired.match != accepted.ref:
                raise Violation(f"`paired` names {paired.match}, and the acknowledgement {accepted.ref}")
            answer = await peer.ask(Join, match=paired.match)
            if not isinstance(answer, Snapshot):
                raise Violation(f"`join` without `since` was answered by {shown(answer)}")
        return paired.match


def restart_by(command: Sequence[str]) -> Callable[[], Awaitable[None]]:
    """Return the function that restarts a server by a command, which ends when that is done. It raises Violation."""

    async def restart() -> None:
        process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.DEVNULL)
        try:
            async with asyncio.timeout(RESTART_S):
                code = await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
            raise Violation(f"the command of --restart did not end within {RESTART_S:.0f} s") from None
        if code:
            raise Violation(f"the command of --restart ended with exit code {code}")

    return restart


async def check_server(
    server: str,
    scenarios: Sequence[Scenario[ServerStage]],
    *,
    restart: Callable[[], Awaitable[None]] | None = None,
) -> AsyncIterator[Verdict]:
    """Play the scenarios at a server, one after another, and yield the verdicts. Raises ValueError for its address."""
    url = socket_url(server)
    await asyncio.to_thread(require_listener, server)
    stage = ServerStage(url, restart)
    for scenario in scenarios:
        yield await judge(scenario, stage)
