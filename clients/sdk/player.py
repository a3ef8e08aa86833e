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
from functools import partial
from typing import Final, TypeAlias, assert_never

from cornered.clients.sdk.address import require_version
from cornered.clients.sdk.backoff import retry
from cornered.clients.sdk.client import Client
from cornered.clients.sdk.errors import ClientError, Closed, CommandRefused, NotUnderstood
from cornered.clients.sdk.match import MatchView
from cornered.clients.sdk.time_management import move_limit
from cornered.clients.sdk.tokens import TokenStore
from cornered.engine.game import State
from cornered.engine.limit import Limit
from cornered.protocol.commands import Resign
from cornered.protocol.messages import Acknowledged, ChallengeClosed, Challenged, Notice, Paired, Waiting, Welcome
from cornered.protocol.tournaments import TournamentMessage
from cornered.protocol.values import Accepts, Correspondence, GameSpec

__all__ = ["BotPlayer", "Choose", "Tempo", "run_bot", "stay_as"]

REMATCH_WAIT_S: Final = 600.0
"""Time after the end during which a bot stays subscribed for a rematch, also while the others are away."""
MAX_ENDED_MATCHES: Final = 20
"""Ended matches to which a bot stays subscribed; the oldest gives way."""
DEFAULT_SERVER: Final = "ws://127.0.0.1:8420"
CLAIM_INTERVAL_S: Final = 30.0
"""Interval of claims over an absent player for whom the server has sent no `claim_at`."""
MAX_CONCURRENT_JOINS: Final = 8
"""Concurrent joins after a connection; each refusal costs a token of the rate limit, which more would exhaust."""

MAX_SHOWN_CHARS: Final = 120
"""Characters of an invalid result that are logged."""
MAX_MOVE_CHARS: Final = 16
"""Characters of a move's text."""
MAX_REASON_CHARS: Final = 100
"""Characters of a declined challenge's reason."""

Choose: TypeAlias = Callable[[MatchView, Limit], Awaitable[str | Awaitable[str]] | str]
"""Picks a move for the seat to move in the match's newest position."""

log = logging.getLogger("cornered.bot")


@dataclass(frozen=True, slots=True)
class Tempo:
    """Bounds on a bot's time for a move in milliseconds: it searches for at most `longest`, and moves after `least`."""

    longest: int = 1500
    least: int = 0


class _NoLegalMove(Exception):
    """The bot has returned no legal move; the text has its result."""


class BotPlayer:
    """Accepts challenges of `client` and plays all its matches, without draw offers and chat.

    `choose` returns a move or a coroutine of one. It runs on the event loop: a computation belongs in a thread or a
    process, since it would block pings and the other matches. Where it raises, or returns no legal move, the bot
    resigns that match and logs the reason; other matches are not affected.
    `agrees` decides about draw offers, `tempo` about the time of each move. `refuses` returns the reason to decline a
    game that `accepts` allows, or None to accept it. `began` is called for every match. It enters the `tournament` of
    this id, whose games begin by themselves.
    """

    def __init__(
        self,
        client: Client,
        choose: Choose,
        *,
        accepts: Sequence[Accepts],
        concurrency: int = 4,
        ladder: int = 0,
        version: str | None = None,
        tournament: str | None = None,
        agrees: Callable[[MatchView], bool] = lambda match: False,
        tempo: Callable[[MatchView], Tempo] = lambda match: Tempo(),
        refuses: Callable[[GameSpec], str | None] = lambda spec: None,
        began: Callable[[MatchView], None] = lambda match: None,
    ) -> None:
        self._client = client
        self._choose = choose
        self._accepts = tuple(accepts)
        self._concurrency = concurrency
        self._ladder = ladder
        self._version = version
        self._tournament = tournament
        self._agrees = agrees
        self._tempo = tempo
        self._refuses = refuses
        self._began = began
        self._following: set[str] = set()
        self._joining = asyncio.Semaphore(MAX_CONCURRENT_JOINS)
        self._ended: list[asyncio.Timeout] = []
        """The waits for a rematch, oldest first."""
        self.playing: set[str] = set()
        """Ids of the live matches."""

    async def declare(self, accepts: Sequence[Accepts] | None = None) -> None:
        """Declare what this bot accepts, or `accepts` from now on; it can be challenged after that."""
        if accepts is not None:
            self._accepts = tuple(accepts)
        await retry(
            lambda: self._client.declare(self._accepts, self._concurrency, ladder=self._ladder, version=self._version)
        )

    async def run(self) -> None:
        """Play until the client closes. Raises CommandRefused where the tournament does not take the bot."""
        if self._tournament is not None:
            await retry(partial(self._client.tournaments.join, self._tournament))
        is_back = False
        async with asyncio.TaskGroup() as tasks:
            async for news in self._client.news():
                match news:
                    case Welcome():
                        for match in news.matches:
                            self._begin(tasks, match)
                        if is_back and self._tournament is not None:
                            # Who missed games meanwhile is absent until joining again; the tournament may be over.
                            with contextlib.suppress(CommandRefused, NotUnderstood):
                                await self._client.tournaments.join(self._tournament)
                        is_back = True
                    case Paired():
                        self._begin(tasks, news.match)
                    case Challenged() if news.to.id == self._client.player.id:
                        with contextlib.suppress(CommandRefused, NotUnderstood):
                            await self._answer_challenge(news)
                    case Challenged() | ChallengeClosed() | Waiting() | Notice() | TournamentMessage():
                        pass
                    case _:
                        assert_never(news)

    async def _answer_challenge(self, challenged: Challenged) -> None:
        """Accept unless `refuses` has a reason; the server has checked the declaration and the concurrency."""
        try:
            reason = self._refuses(challenged.game)
        except Exception:
            log.exception("the bot cannot say whether it plays %s; the challenge is declined", challenged.game.name)
            reason = "the bot has a fault"
        if reason is not None:
            await self._client.decline(challenged.challenge, reason[:MAX_REASON_CHARS])
            return
        try:
            await retry(lambda: self._client.accept(challenged.challenge))
        except CommandRefused as refusal:
            # The challenger waits for an answer.
            await self._client.decline(challenged.challenge, refusal.text[:MAX_REASON_CHARS])

    def _begin(self, tasks: asyncio.TaskGroup, match: str) -> None:
        if match not in self._following:
            self._following.add(match)
            self.playing.add(match)
            tasks.create_task(self._follow(match), name=f"match[{match}]")

    async def _follow(self, match_id: str) -> None:
        try:
            async with self._joining:
                match = await retry(lambda: self._client.join(match_id))
            self._began(match)
            async with asyncio.TaskGroup() as tasks:
                answers = tasks.create_task(self._answer_offers(match), name=f"answers[{match_id}]")
                if not isinstance(match.snapshot.clock, Correspondence):
                    tasks.create_task(self._claim_absences(match), name=f"claims[{match_id}]")
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
            position = match.snapshot.position
            move = await self._choose_legal(match, limit)
            await asyncio.sleep(earliest - clock())
            # A takeback and another move lead to the same ply: what was chosen is for another position then.
            if match.snapshot.position == position:
                await self._play(match, ply, move)
        except _NoLegalMove as failure:
            if match.over:
                return
            game = match.snapshot.game.name
            log.error(
                "the bot resigns match %s of %s at ply %s: %s", match.id, game, ply, failure, exc_info=failure.__cause__
            )
            await self._resign(match.id)

    async def _choose_legal(self, match: MatchView, limit: Limit) -> str:
        """Return the legal move of `choose`. Raises _NoLegalMove."""
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
            raise _NoLegalMove("choose was cancelled from inside") from None
        except Exception as error:
            raise _NoLegalMove(f"choose raised {_shown(error)}") from error
        if not isinstance(chosen, str) or len(chosen) > MAX_MOVE_CHARS or not state.is_legal(chosen):
            raise _NoLegalMove(f"choose returned {_shown(chosen)}, which is no legal move in {state}")
        return chosen

    async def _play(self, match: MatchView, ply: int, move: str) -> None:
        """Make a move. Raises _NoLegalMove where the server refuses it as illegal."""
        try:
            await match.play(move, ply)
        except CommandRefused as refusal:
            if refusal.code == "illegal_move":
                raise _NoLegalMove(f"the server refuses {_shown(move)}: {refusal.text[:MAX_SHOWN_CHARS]}") from None
            if refusal.pause is not None:
                await asyncio.sleep(refusal.pause)
            else:
                log.info("a move in match %s came too late: %s", match.id, refusal)

    async def _resign(self, match_id: str) -> None:
        """Resign a match, again after transient refusals; without effect on a finished one."""
        with contextlib.suppress(ClientError):
            await retry(lambda: self._client.ask(Resign(id=self._client.new_id(), match=match_id), Acknowledged))

    async def _answer_offers(self, match: MatchView) -> None:
        """Answer offers as they come, also during a search."""
        while True:
            seen = match.version
            with contextlib.suppress(CommandRefused):
                snapshot = match.snapshot
                if snapshot.draw_offer is not None and match.seat not in snapshot.draw_agreed:
                    await match.answer_draw(accept=self._agrees(match))
                if snapshot.takeback is not None and match.seat not in snapshot.takeback_agreed:
                    await match.answer_takeback(accept=match.players[snapshot.takeback].kind == "person")
                if self._is_asked_for_rematch(match):
                    await self._answer_rematch(match)
            await match.changed(seen)

    async def _claim_absences(self, match: MatchView) -> None:
        """Claim victory over absent opponents, so that every abandoned match ends."""
        clock = asyncio.get_running_loop().time
        began, asked = clock(), -math.inf
        while not match.over:
            seen = match.version
            away = [seat for seat in self._opponents(match) if not match.snapshot.connected[seat]]
            announced = [match.claim_at[seat] for seat in away if seat in match.claim_at]
            # A bot that was disconnected itself has no `claim_at`, and claims at an interval.
            due = (
                clock() + (min(announced) - self._client.server_now()) / 1000 if announced else began + CLAIM_INTERVAL_S
            )
            try:
                async with asyncio.timeout_at(max(due, asked + CLAIM_INTERVAL_S) if away else None):
                    await match.changed(seen)
            except TimeoutError:
                asked = clock()
                with contextlib.suppress(CommandRefused):
                    await match.claim()

    def _opponents(self, match: MatchView) -> list[int]:
        """Return the seats of the remaining opponents."""
        return [n for n, info in enumerate(match.snapshot.seats) if n != match.seat and info.place is None]

    def _is_asked_for_rematch(self, match: MatchView) -> bool:
        asked_by = {match.players[seat].kind for seat in match.snapshot.rematch}
        return "person" in asked_by and match.seat not in match.snapshot.rematch and match.snapshot.next is None

    async def _answer_rematch(self, match: MatchView) -> None:
        """Accept the offer, or decline it with the reason: a player waits for the answer. Raises CommandRefused."""
        if len(self.playing) >= self._concurrency:
            await match.decline_rematch(f"{self._client.player.name} plays as many games as it takes")
            return
        try:
            await retry(match.rematch)
        except CommandRefused as refusal:
            await match.decline_rematch(refusal.text[:MAX_REASON_CHARS])

    async def _wait_for_rematch(self, match: MatchView) -> None:
        if any(player.kind != "person" for seat, player in enumerate(match.players) if seat != match.seat):
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REMATCH_WAIT_S) as wait:
                self._ended.append(wait)
                if len(self._ended) > MAX_ENDED_MATCHES:
                    self._ended[0].reschedule(asyncio.get_running_loop().time())
                    del self._ended[0]
                try:
                    while match.snapshot.next is None:
                        await match.changed(match.version)
                finally:
                    if wait in self._ended:
                        self._ended.remove(wait)


def _shown(wrong: object) -> str:
    """Return a short representation of any object; one whose `repr` raises is shown by its type."""
    try:
        return f"{type(wrong).__name__} {reprlib.repr(wrong)[:MAX_SHOWN_CHARS]}"
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
    """Connect as the bot called `name` and run `play`; the token in `store` makes it the same player every time.

    `key` is the operator's, for a reserved name. Raises CommandRefused when the server does not know the given `token`.
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
        except CommandRefused as refusal:
            # The server may also lose its accounts during `play`, when its token is in the store already.
            if refusal.code != "bad_token" or token is not None or kept.get(server, name) is None:
                raise
            log.warning("the server does not know %s any more; it comes as a new player", name)
            kept.forget(server, name)


def run_bot(
    name: str,
    choose: Callable[[State, Limit], str | Awaitable[str]],
    *,
    server: str = DEFAULT_SERVER,
    token: str | None = None,
    games: Sequence[str] | None = None,
    concurrency: int = 4,
    ladder: int = 0,
    version: str | None = None,
    tournament: str | None = None,
    longest: int = 1500,
) -> None:
    """Play as the bot called `name` until interrupted; `choose(state, limit)` returns one of `state.moves()`.

    `games` are the names of the games that the bot plays, by default all; `longest` is its search time in milliseconds.
    `ladder` of its `concurrency` games at once are rated ones against other bots, for which the server pairs it.
    `version` is the bot's, such as "2.1": with a new one its ratings are uncertain again, and profiles list each.
    It enters the `tournament` of this id and plays its games.
    `choose` runs in a thread, also for several matches at once; a coroutine that it returns runs on the event loop and
    must not block. An invalid result costs one game, as in BotPlayer. The player is the same in every run.
    """

    async def pick(match: MatchView, limit: Limit) -> str | Awaitable[str]:
        return await asyncio.to_thread(choose, match.state, limit)

    async def play(client: Client) -> None:
        offered = [game.name for game in await client.games()]
        accepts = [Accepts(game=game) for game in offered if games is None or game in games]
        log.info("%s is at %s and plays %s; Ctrl-C stops it", name, server, ", ".join(a.game for a in accepts))
        tempo = Tempo(longest)
        player = BotPlayer(
            client,
            pick,
            accepts=accepts,
            concurrency=concurrency,
            ladder=ladder,
            version=version,
            tournament=tournament,
            tempo=lambda match: tempo,
        )
        await player.declare()
        await player.run()

    version = None if version is None else require_version(version)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(stay_as(name, play, server=server, token=token))
