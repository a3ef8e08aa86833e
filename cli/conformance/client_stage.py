"""The stage for clients: a real server, a proxy in front of it, the client, and opponents of the kit."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from cornered import engine
from cornered.cli.conformance.peer import PATIENCE_S, Peer, connected
from cornered.cli.conformance.proxy import Document, Proxy
from cornered.cli.conformance.restarting_server import RestartingServer
from cornered.cli.conformance.subject import Subject
from cornered.cli.conformance.verdict import NotApplicable, Scenario, Verdict, Violation, judge
from cornered.protocol.commands import Challenge, Join, Play, Resign
from cornered.protocol.events import Ended
from cornered.protocol.messages import Happened, Paired, Refused, Snapshot
from cornered.protocol.values import Clock, Fischer, GameSpec

__all__ = ["RETURN_S", "ClientStage", "Game", "check_client", "client_stage"]

START_S: Final = 25.0
"""Time limit of the client's start, until it has declared what it plays."""
RETURN_S: Final = 15.0
"""Time limit of a new connection after one that broke."""
NAME: Final = "conformance"
CLOCK: Final = Fischer(initial=10, increment=0)
"""Short enough that a client that follows its clock answers quickly."""
PREFERRED: Final = ("isolation", "trapgrid", "bamboo", "quoridor")
"""Games for scenarios that need any: those with quick rules first."""
TRANSIENT: Final = frozenset({"too_fast", "shutting_down", "internal", "server_full", "opponent_here"})
"""Refusals that are no fault of a client."""


class Game:
    """One match between the client and an opponent of the kit, which plays random legal moves of its own rules."""

    def __init__(
        self,
        stage: ClientStage,
        opponent: Peer,
        match: str,
        spec: GameSpec,
        began: int,
        allowed: Sequence[str] = (),
    ) -> None:
        self._stage = stage
        self._spec = spec
        self._chance = random.Random(7)
        self._own = 0
        """The number of plies after the opponent's newest move."""
        self.opponent = opponent
        self.match = match
        self.began = began
        """The index of the proxy's first line of this match."""
        self.allowed = allowed
        """Codes with which commands of the client may be refused."""

    def state(self) -> engine.State:
        """Return the newest position."""
        snapshots = (one for one in self.opponent.log if isinstance(one, Snapshot) and one.match == self.match)
        # The server fills in options.
        spec = next(snapshots).game
        return engine.load(spec.name, **spec.options).parse(self.opponent.newest(self.match)[0])

    @property
    def ply(self) -> int:
        """The number of plies so far."""
        return self.opponent.newest(self.match)[1]

    def is_over(self) -> bool:
        """Return whether the end of the match has come."""
        return any(
            isinstance(event, Ended)
            for message in self.opponent.log
            if isinstance(message, Happened) and message.match == self.match
            for event in message.events
        )

    async def move(self, *, prefers: str = "") -> None:
        """Make a legal move of the opponent, if there is one that ends so one that ends with `prefers`."""
        moves = self.state().moves()
        preferred = [move for move in moves if prefers and move.endswith(prefers)] or moves
        ply, move = self.ply, self._chance.choice(preferred)
        self.opponent.drop_news(self.match)
        await self.opponent.do(Play, match=self.match, ply=ply, move=move)
        self._own = (await self.happened(lambda message: message.ply > ply, what="the opponent's own move")).ply

    async def happened(self, which: Any, *, what: str, patience: float = PATIENCE_S) -> Happened:
        """Return the first news of the match that is so. Raises Violation, also where the client has ended."""
        try:
            return await self.opponent.hear(
                Happened, lambda one: one.match == self.match and which(one), what=what, patience=patience
            )
        except Violation as violation:
            # A refused command, or the end of the client, says more.
            self._stage.check(self)
            raise violation from None

    async def reply(self, patience: float = PATIENCE_S) -> None:
        """Wait for the client's answer to the opponent's newest move, or for the end of the match."""
        ply = self._own
        await self.happened(
            lambda one: one.ply > ply or any(isinstance(event, Ended) for event in one.events),
            what=f"a move of the client at ply {ply}",
            patience=patience,
        )

    async def resign(self) -> None:
        """End the match, if it goes on."""
        await self.opponent.ask(Resign, match=self.match)

    def require_no_loss(self) -> None:
        """Raise Violation where the client has lost, but not by the rules."""
        for message in self.opponent.log:
            if isinstance(message, Happened) and message.match == self.match:
                for event in message.events:
                    if isinstance(event, Ended) and event.reason in ("time", "resignation", "gone", "expired"):
                        raise Violation(f"it ended a match of {self._spec.name} by {event.reason}")

    async def exchange(self, moves: int) -> None:
        """Let both sides make so many moves, the opponent first; ends early with the match."""
        for _ in range(moves):
            if self.is_over():
                return
            await self.move()
            if self.is_over():
                return
            await self.reply()


class ClientStage:
    """What the scenarios for clients use."""

    def __init__(self, server: RestartingServer, proxy: Proxy, subject: Subject) -> None:
        self.server = server
        self.proxy = proxy
        self._subject = subject
        self.token = ""
        self._numbers = iter(range(1, 1000))

    async def ready(self) -> None:
        """Have the client connected, and what it plays declared; start it where it does not run. Raises Violation."""
        self.proxy.clear()
        if self._subject.ended() is None and self.token and self.proxy.is_connected:
            return
        await self._subject.stop()
        if not self.token:
            async with connected(self.server.url, name=NAME, kind="bot") as peer:
                self.token = peer.token
        await self._start(self.token)

    async def _start(self, token: str) -> None:
        since = len(self.proxy.lines)
        await self._subject.start(self.proxy.url, token, NAME)
        await self.declared(since, patience=START_S)

    async def kill_and_start(self) -> None:
        """End the client without asking it, and start it again as the same player. Raises Violation."""
        player, token = self.player, self.players_token
        await self._subject.stop(at_once=True)
        await self._start(token)
        if self.player != player:
            raise NotApplicable("it says `hello` without the token of CORNERED_TOKEN, so that it is a new player")

    async def renew(self) -> None:
        """Stop the client, after a scenario that it failed: it starts as a new player for the next one."""
        self.token = ""
        await self._subject.stop()

    async def declared(self, since: int, *, patience: float = RETURN_S) -> None:
        """Wait until the client has declared games, and the server has acknowledged it. Raises Violation."""
        what = "a `declare`, with which a bot says after each `welcome` what it plays"
        waiting = asyncio.ensure_future(
            self.proxy.until(
                "up",
                lambda one: one.get("type") == "declare" and bool(one.get("accepts")),
                since=since,
                what=what,
                patience=patience,
            )
        )
        while not waiting.done():
            await asyncio.wait([waiting], timeout=0.2)
            if not waiting.done() and (how := self._subject.ended()) is not None:
                waiting.cancel()
                await asyncio.gather(waiting, return_exceptions=True)
                raise Violation(how)
        try:
            index = waiting.result()
        except Violation as violation:
            raise self.explained(violation) from None
        command = self.proxy.lines[index].message.get("id")
        await self.proxy.until(
            "down",
            lambda one: one.get("id") == command,
            since=index,
            what="the answer to `declare`",
            patience=PATIENCE_S,
        )

    def explained(self, violation: Violation) -> Violation:
        """Return the violation with the end of the client, if it has ended."""
        how = self._subject.ended()
        return violation if how is None else Violation(f"{violation}; {how}")

    @property
    def declaration(self) -> Document:
        """The client's newest `declare` with games."""
        return next(
            line.message
            for line in reversed(self.proxy.lines)
            if line.direction == "up" and line.message.get("type") == "declare" and line.message.get("accepts")
        )

    @property
    def players_token(self) -> str:
        """The client's token, which it has had from the kit or from a welcome."""
        return next(
            str(line.message["token"])
            for line in reversed(self.proxy.lines)
            if line.message.get("type") in ("hello", "welcome") and line.message.get("token")
        )

    @property
    def player(self) -> str:
        """The client's player id."""
        return next(
            str(line.message["player"]["id"])
            for line in reversed(self.proxy.lines)
            if line.direction == "down" and line.message.get("type") == "welcome"
        )

    def games(self) -> list[GameSpec]:
        """Return the games for two that the client plays, with options that it accepts, in the order of preference."""
        known, found = {kind.name for kind in engine.games()}, {}
        for accepted in self.declaration["accepts"]:
            name = accepted.get("game")
            if name in known:
                options = {key: values[0] for key, values in (accepted.get("options") or {}).items() if values}
                found[name] = GameSpec(name=name, options=options)
        return sorted(found.values(), key=lambda spec: PREFERRED.index(spec.name) if spec.name in PREFERRED else 9)

    @contextlib.asynccontextmanager
    async def opponent(self) -> AsyncIterator[Peer]:
        """Connect another player of the kit, straight to the server."""
        async with connected(self.server.url, name=f"Opponent {next(self._numbers)}") as peer:
            yield peer

    @contextlib.asynccontextmanager
    async def match(
        self,
        *,
        clock: Clock = CLOCK,
        seat: int = 0,
        spec: GameSpec | None = None,
        allowed: Sequence[str] = (),
        may_lose: bool = False,
        **fields: Any,
    ) -> AsyncIterator[Game]:
        """Begin a match with the client, in which the opponent has `seat`. Raises Violation.

        At the end of the block no command of the client may have been refused but with an `allowed` code.
        """
        games = self.games()
        if not games:
            raise NotApplicable("the client plays none of this version's games")
        chosen = spec or games[0]
        async with self.opponent() as opponent:
            since = len(self.proxy.lines)
            match = await self.begin(opponent, chosen, clock=clock, seat=seat, **fields)
            game = Game(self, opponent, match, chosen, since, allowed)
            try:
                yield game
                self.check(game)
                if not may_lose:
                    game.require_no_loss()
            finally:
                self.proxy.clear()
                with contextlib.suppress(Violation):
                    await game.resign()

    def check(self, game: Game) -> None:
        """Raise Violation for a command of the client that was refused, and where the client has ended."""
        lines = self.proxy.lines[game.began :]
        commands = {line.message.get("id"): line.message for line in lines if line.direction == "up"}
        for line in lines:
            said = line.message
            if (
                line.direction == "down"
                and said.get("type") == "refused"
                and said["code"] not in {*TRANSIENT, *game.allowed}
            ):
                command = commands.get(said["id"], {})
                # A move that met the end of an earlier match belongs to that scenario.
                if command.get("match", game.match) == game.match:
                    what = command.get("type", "message")
                    raise Violation(f"the server refused its `{what}`: {said['code']} ({said['text']})")
        if (how := self._subject.ended()) is not None:
            raise Violation(how)

    async def challenge(self, opponent: Peer, spec: GameSpec, *, clock: Clock = CLOCK, **fields: Any) -> None:
        """Challenge the client, again while a match of an earlier scenario is not over yet. Raises Violation."""
        loop = asyncio.get_running_loop()
        until = loop.time() + PATIENCE_S
        while True:
            answer = await opponent.ask(Challenge, to=self.player, game=spec, clock=clock, **fields)
            if not isinstance(answer, Refused):
                return
            if answer.code not in ("busy", "unknown_player") or loop.time() > until:
                raise Violation(f"the client cannot be challenged to {spec.name}: {answer.code} ({answer.text})")
            await asyncio.sleep(0.1)

    async def begin(self, opponent: Peer, spec: GameSpec, **fields: Any) -> str:
        """Challenge the client, wait until it accepts, and join the match; return its id. Raises Violation."""
        await self.challenge(opponent, spec, **fields)
        return await self.paired(opponent)

    async def paired(self, opponent: Peer) -> str:
        """Wait until the client has accepted the challenge, and join the match; return its id. Raises Violation."""
        try:
            paired = await opponent.hear(Paired, what="a match, which begins when the client accepts the challenge")
        except Violation as violation:
            raise self.explained(violation) from None
        if not isinstance(await opponent.ask(Join, match=paired.match), Snapshot):
            raise Violation("the server gives no snapshot")
        return paired.match


@contextlib.asynccontextmanager
async def client_stage(subject: Subject, now: Callable[[], int] | None = None) -> AsyncIterator[ClientStage]:
    """Set the stage for a client inside the block; `now` is the match clock of its server."""
    async with RestartingServer.open(now) as server:
        proxy = Proxy(server.url)
        async with proxy.open():
            try:
                yield ClientStage(server, proxy, subject)
            finally:
                await subject.stop()


async def check_client(
    subject: Subject,
    scenarios: Sequence[Scenario[ClientStage]],
    now: Callable[[], int] | None = None,
    *,
    bot_failure: Callable[[], str | None] = lambda: None,
) -> AsyncIterator[Verdict]:
    """Play the scenarios with a client, one after another, and yield the verdicts.

    `now` is the match clock of the server in milliseconds, by default this machine's. `bot_failure` returns why a bot
    of the kit has made no move, which takes the place of the advice to authors of clients. The client runs on from one
    scenario to the next, and starts anew after one that it has failed. Raises ValueError where it does not even connect
    and declare what it plays.
    """
    async with client_stage(subject, now) as stage:
        try:
            await stage.ready()
        except Violation as violation:
            raise ValueError(f"the client does not begin to play: {violation}") from None
        for scenario in scenarios:
            verdict = await judge(scenario, stage, stage.ready)
            if verdict.outcome == "failed":
                if (failure := bot_failure()) is not None:
                    verdict = replace(verdict, advice=f"Mend the bot: {failure}")
                await stage.renew()
            yield verdict
