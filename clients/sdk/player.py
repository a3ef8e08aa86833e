"""A bot as an ordinary client: takes challenges, plays every match that comes, and is polite about the rest."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import math
import reprlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from cornered.clients.sdk.backoff import insist
from cornered.clients.sdk.client import Client
from cornered.clients.sdk.errors import ClientError, Closed, NotUnderstood, Refused
from cornered.clients.sdk.match import MatchView
from cornered.clients.sdk.time_management import move_limit
from cornered.clients.sdk.tokens import TokenStore
from cornered.engine.game import State
from cornered.engine.limit import Limit
from cornered.protocol.commands import Resign
from cornered.protocol.messages import Acknowledged, ChallengeClosed, Challenged, Notice, Paired, Welcome
from cornered.protocol.values import Accepts, Correspondence, GameSpec

__all__ = ["BotPlayer", "Choose", "Tempo", "run_bot", "stay_as"]

LINGER: Final = 120.0
"""Seconds after the end during which a bot still hears of a rematch."""
SERVER: Final = "ws://127.0.0.1:8420"
UNTOLD: Final = 30.0
"""Seconds between claims over somebody of whom the server did not say from when on they may be made."""
JOINS: Final = 8
"""Matches that a bot joins at once. Each refusal costs a token too, so many at once would wait for each other."""

SHOWN: Final = 120
"""Characters of a wrong result that the log shows."""
LONGEST_MOVE: Final = 16
"""Characters of a move's text."""
LONGEST_REASON: Final = 100
"""Characters of a declined challenge's reason."""

Choose: TypeAlias = Callable[[MatchView, Limit], Awaitable[str | Awaitable[str]] | str]
"""Picks a move for the seat to move in the match's newest position."""

log = logging.getLogger("cornered.bot")


@dataclass(frozen=True, slots=True)
class Tempo:
    """How fast a bot plays: it thinks for `longest` milliseconds at most, and moves after `least` at the earliest."""

    longest: int = 1500
    least: int = 0


class _Failed(Exception):
    """The bot has no legal move to offer. The text says what came in its place."""


class BotPlayer:
    """Plays whatever `client` is asked for: never offers a draw, never says a word.

    `choose` returns a move or a coroutine of one. It runs on the event loop: one that computes belongs in a thread or a
    process, since heartbeats and the other matches wait for it. Where it raises, or returns anything but a legal move,
    the bot resigns that match and the log says why; all others go on.
    `agrees` is asked about an opponent's offer of a draw, `tempo` about every move. `refuses` returns why a game that
    `accepts` allows is not played all the same, or None if it is. `began` hears of every match.
    """

    def __init__(
        self,
        client: Client,
        choose: Choose,
        *,
        accepts: Sequence[Accepts],
        concurrency: int = 4,
        agrees: Callable[[MatchView], bool] = lambda match: False,
        tempo: Callable[[MatchView], Tempo] = lambda match: Tempo(),
        refuses: Callable[[GameSpec], str | None] = lambda spec: None,
        began: Callable[[MatchView], None] = lambda match: None,
    ) -> None:
        self._client = client
        self._choose = choose
        self._accepts = tuple(accepts)
        self._concurrency = concurrency
        self._agrees = agrees
        self._tempo = tempo
        self._refuses = refuses
        self._began = began
        self._following: set[str] = set()
        self._joining = asyncio.Semaphore(JOINS)
        self.playing: set[str] = set()
        """The matches that are under way."""

    async def declare(self, accepts: Sequence[Accepts] | None = None) -> None:
        """Tell the server what this bot accepts, from now on `accepts` if given; from now on it may be challenged."""
        if accepts is not None:
            self._accepts = tuple(accepts)
        await insist(lambda: self._client.declare(self._accepts, self._concurrency))

    async def run(self) -> None:
        """Play until the client closes."""
        async with asyncio.TaskGroup() as tasks:
            async for news in self._client.news():
                match news:
                    case Welcome():
                        for match in news.matches:
                            self._begin(tasks, match)
                    case Paired():
                        self._begin(tasks, news.match)
                    case Challenged() if news.to.id == self._client.player.id:
                        with contextlib.suppress(Refused, NotUnderstood):
                            await self._answer_challenge(news)
                    case Challenged() | ChallengeClosed() | Notice():
                        pass
                    case _:
                        assert_never(news)

    async def _answer_challenge(self, challenged: Challenged) -> None:
        """Accept, as a rule: whether the bot is free and has said that it plays this is checked by the server."""
        try:
            reason = self._refuses(challenged.game)
        except Exception:
            log.exception("the bot cannot say whether it plays %s; the challenge is declined", challenged.game.name)
            reason = "the bot has a fault"
        if reason is not None:
            await self._client.decline(challenged.challenge, reason[:LONGEST_REASON])
        else:
            await self._client.accept(challenged.challenge)

    def _begin(self, tasks: asyncio.TaskGroup, match: str) -> None:
        if match not in self._following:
            self._following.add(match)
            self.playing.add(match)
            tasks.create_task(self._follow(match), name=f"match[{match}]")

    async def _follow(self, match_id: str) -> None:
        try:
            async with self._joining:
                match = await insist(lambda: self._client.join(match_id))
            self._began(match)
            async with asyncio.TaskGroup() as tasks:
                answers = tasks.create_task(self._answer(match), name=f"answers[{match_id}]")
                if not isinstance(match.snapshot.clock, Correspondence):
                    tasks.create_task(self._claim(match), name=f"claims[{match_id}]")
                await self._move(match)
                self.playing.discard(match_id)
                await self._wait_for_rematch(match)
                answers.cancel()
            await match.leave()
        except* ClientError as errors:
            log.info("match %s cannot be played on: %s", match_id, errors.exceptions[0])
        except* Exception as errors:
            log.error("the bot failed beside its moves in match %s, which it resigns", match_id, exc_info=errors)
            await self._resign(match_id)
        finally:
            self.playing.discard(match_id)
            self._following.discard(match_id)

    async def _move(self, match: MatchView) -> None:
        while not match.over:
            if match.my_turn:
                await self._move_once(match)
            else:
                await match.changed(match.version)

    async def _move_once(self, match: MatchView) -> None:
        assert match.seat is not None
        ply, tempo = match.ply, self._tempo(match)
        clock = asyncio.get_running_loop().time
        earliest = clock() + tempo.least / 1000
        left = match.left(match.seat)
        limit = move_limit(match.snapshot.clock, left, self._client.round_trip, tempo.longest)
        try:
            move = await self._chosen(match, limit)
            await asyncio.sleep(earliest - clock())
            await self._play(match, ply, move)
        except _Failed as failure:
            if match.over:
                return
            game = match.snapshot.game.name
            log.error(
                "the bot resigns match %s of %s at ply %s: %s", match.id, game, ply, failure, exc_info=failure.__cause__
            )
            await self._resign(match.id)

    async def _chosen(self, match: MatchView, limit: Limit) -> str:
        """Return the legal move that the bot chose. Raises _Failed."""
        state = match.state
        try:
            chosen: object = self._choose(match, limit)
            while inspect.isawaitable(chosen):
                chosen = await chosen
        except Closed:
            raise
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise _Failed("choose was cancelled from inside") from None
        except Exception as error:
            raise _Failed(f"choose raised {_shown(error)}") from error
        if not isinstance(chosen, str) or len(chosen) > LONGEST_MOVE or not state.is_legal(chosen):
            raise _Failed(f"choose returned {_shown(chosen)}, which is no legal move in {state}")
        return chosen

    async def _play(self, match: MatchView, ply: int, move: str) -> None:
        """Make a move. Raises _Failed where the server's rules do not know it."""
        try:
            await match.play(move, ply)
        except Refused as refusal:
            if refusal.code == "illegal_move":
                raise _Failed(f"the server refuses {_shown(move)}: {refusal.text[:SHOWN]}") from None
            if refusal.pause is not None:
                await asyncio.sleep(refusal.pause)
            else:
                log.info("a move in match %s came too late: %s", match.id, refusal)

    async def _resign(self, match_id: str) -> None:
        """Give a match up, as often as it takes; one that is over already stays as it is."""
        with contextlib.suppress(ClientError):
            await insist(lambda: self._client.ask(Resign(id=self._client.new_id(), match=match_id), Acknowledged))

    async def _answer(self, match: MatchView) -> None:
        """Answer offers as they come, also while the bot thinks."""
        while True:
            seen = match.version
            with contextlib.suppress(Refused):
                snapshot = match.snapshot
                if snapshot.draw_offer is not None and match.seat not in snapshot.draw_agreed:
                    await match.answer_draw(accept=self._agrees(match))
                if snapshot.takeback is not None and match.seat not in snapshot.takeback_agreed:
                    await match.answer_takeback(accept=match.players[snapshot.takeback].kind == "person")
                if self._wants_rematch(match):
                    await match.rematch()
            await match.changed(seen)

    async def _claim(self, match: MatchView) -> None:
        """Claim victory over opponents who are gone for good, so that no abandoned match holds the bot for ever."""
        clock = asyncio.get_running_loop().time
        began, asked = clock(), -math.inf
        while not match.over:
            seen = match.version
            away = [seat for seat in self._opponents(match) if not match.snapshot.connected[seat]]
            told = [match.claim_at[seat] for seat in away if seat in match.claim_at]
            # Where the bot itself was away, nobody told it from when on it may claim: then it asks now and then.
            due = clock() + (min(told) - self._client.server_now()) / 1000 if told else began + UNTOLD
            try:
                async with asyncio.timeout_at(max(due, asked + UNTOLD) if away else None):
                    await match.changed(seen)
            except TimeoutError:
                asked = clock()
                with contextlib.suppress(Refused):
                    await match.claim()

    def _opponents(self, match: MatchView) -> list[int]:
        """Return the seats of the others whose game goes on."""
        return [n for n, info in enumerate(match.snapshot.seats) if n != match.seat and info.place is None]

    def _wants_rematch(self, match: MatchView) -> bool:
        asked_by = {match.players[seat].kind for seat in match.snapshot.rematch}
        is_free = len(self.playing) < self._concurrency
        return "person" in asked_by and match.seat not in match.snapshot.rematch and is_free

    async def _wait_for_rematch(self, match: MatchView) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGER):
                while match.snapshot.next is None and self._opponents_are_here(match):
                    await match.changed(match.version)

    def _opponents_are_here(self, match: MatchView) -> bool:
        return all(
            connected and match.players[seat].kind == "person"
            for seat, connected in enumerate(match.snapshot.connected)
            if seat != match.seat
        )


def _shown(wrong: object) -> str:
    """Return a short text of what a bot gave, whatever it is."""
    try:
        return f"{type(wrong).__name__} {reprlib.repr(wrong)[:SHOWN]}"
    except Exception:
        return type(wrong).__name__


async def stay_as(
    name: str,
    play: Callable[[Client], Awaitable[None]],
    *,
    server: str,
    token: str | None = None,
    store: TokenStore | None = None,
    patience: float | None = None,
    key: str | None = None,
) -> None:
    """Connect as the bot called `name` and run `play`; the same player every time, by the token that `store` keeps.

    `key` is the one of the server's operator, for a name that is reserved for the operator's bots.
    Raises Refused when a `token` was given and the server does not know it.
    """
    kept = store or TokenStore()
    while True:
        known = token or kept.get(server, name)
        try:
            async with Client.connect(server, name=name, token=known, kind="bot", patience=patience, key=key) as client:
                if token is None and client.token != known:
                    kept.put(server, name, client.token)
                await play(client)
                return
        except Refused as refusal:
            # The server may lose its accounts later too, when the token that it gave at first is in the store.
            if refusal.code != "bad_token" or token is not None or kept.get(server, name) is None:
                raise
            log.warning("the server does not know %s any more; it comes as a new player", name)
            kept.forget(server, name)


def run_bot(
    name: str,
    choose: Callable[[State, Limit], str | Awaitable[str]],
    *,
    server: str = SERVER,
    token: str | None = None,
    games: Sequence[str] | None = None,
    concurrency: int = 4,
    longest: int = 1500,
) -> None:
    """Play as the bot called `name` until interrupted; `choose(state, limit)` returns one of `state.moves()`.

    `games` are the names of those that the bot plays, by default all; `longest` is how many milliseconds it may think.
    `choose` runs in a thread, also for several matches at once; a coroutine that it returns runs on the event loop and
    must not compute. A wrong result costs one game, as BotPlayer says. The player stays the same from run to run.
    """

    async def pick(match: MatchView, limit: Limit) -> str | Awaitable[str]:
        return await asyncio.to_thread(choose, match.state, limit)

    async def play(client: Client) -> None:
        offered = [game.name for game in await client.games()]
        accepts = [Accepts(game=game) for game in offered if games is None or game in games]
        log.info("%s is at %s and plays %s; Ctrl-C stops it", name, server, ", ".join(a.game for a in accepts))
        tempo = Tempo(longest)
        player = BotPlayer(client, pick, accepts=accepts, concurrency=concurrency, tempo=lambda match: tempo)
        await player.declare()
        await player.run()

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(stay_as(name, play, server=server, token=token))
