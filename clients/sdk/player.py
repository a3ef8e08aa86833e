"""A bot as an ordinary client: takes challenges, plays every match that comes, and is polite about the rest."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, assert_never

from cornered.clients.sdk.backoff import retry
from cornered.clients.sdk.bot_reports import FailureReports
from cornered.clients.sdk.choosing import MAX_SHOWN_CHARS, BotFailed, Choose, OnError, TimeUsed, choose_legal, shown
from cornered.clients.sdk.client import Client
from cornered.clients.sdk.errors import AlreadyPlaying, ClientError, CommandRefused, NotUnderstood, unwrapped_errors
from cornered.clients.sdk.game_log import GameLog, named
from cornered.clients.sdk.match import MatchView
from cornered.clients.sdk.pulse import Pulse
from cornered.clients.sdk.time_management import clock_times, move_limit
from cornered.engine.limit import Limit
from cornered.protocol.commands import Resign
from cornered.protocol.messages import Acknowledged, ChallengeClosed, Challenged, Notice, Paired, Waiting, Welcome
from cornered.protocol.text import visible
from cornered.protocol.tournaments import TournamentMessage
from cornered.protocol.values import Accepts, Correspondence, GameSpec

__all__ = ["BotPlayer", "Tempo"]

REMATCH_WAIT_S: Final = 600.0
"""Time after the end during which a bot stays subscribed for a rematch, also while the others are away."""
MAX_ENDED_MATCHES: Final = 20
"""Ended matches to which a bot stays subscribed; the oldest gives way."""
CLAIM_INTERVAL_S: Final = 30.0
"""Interval of claims over an absent player for whom the server has sent no `claim_at`."""
MAX_CONCURRENT_JOINS: Final = 8
"""Concurrent joins after a connection; each refusal costs a token of the rate limit, which more would exhaust."""

MAX_REASON_CHARS: Final = 100
"""Characters of a declined challenge's reason."""
MAX_CLOSED: Final = 64
"""Closed challenges that are kept."""
TWIN_ADVICE: Final = (
    "both programs play every match of %s, and of their moves the first one counts: stop the other program, or run "
    "this one under another name or with another token (CORNERED_TOKEN)"
)
"""What the author of a bot can do where two processes are connected as one bot."""
TWIN_ERROR: Final = (
    "another program plays as {} already, and both would play its matches: stop that one, or give this one a name of "
    "its own with --name"
)

log = logging.getLogger("cornered.bot")


@dataclass(frozen=True, slots=True)
class Tempo:
    """Bounds on a bot's time for a move in milliseconds: it searches for at most `longest`, and moves after `least`."""

    longest: int = 1500
    least: int = 0


class _HasPlayed(Exception):
    """All games have been played."""


class BotPlayer:
    """Accepts challenges of `client` and plays all its matches, without draw offers and chat.

    `choose` returns a move, an object with its text as `move`, or a coroutine of either. It runs on the event loop: a
    computation belongs in a thread or a process, since it would block pings and the other matches. Where it raises, or
    returns no legal move, `on_error` says what becomes of that match; others are not affected. By default the bot
    resigns it and logs the reason. "random" makes a random move, and "raise" lets `run` end with BotFailed.
    Failures are reported to the server too, for the bot's owner alone, unless `reports` is False. Moves that are slow
    or block the event loop are logged and reported unless `warns` is False.
    `agrees` decides about draw offers, `tempo` about the time of each move. `refuses` returns the reason to decline a
    game that `accepts` allows, or None to accept it. `began` is called for every match. It enters the `tournament` of
    this id, whose games begin by themselves. After `games` games, without those of an earlier run, `run` ends.
    A bot that `asks_for` games plays the matches of its own challenges (`asked`), their rematches, and those games of
    an earlier run; all others are left to another program of the same bot. A bot that asks for games or plays a number
    of them ends with AlreadyPlaying where such a program is connected before its first match.
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
        games: int | None = None,
        asks_for: Sequence[str] | None = None,
        on_error: OnError = "resign",
        reports: bool = True,
        warns: bool = True,
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
        self._games = games
        self._asks_for = asks_for
        self._asked: set[str] = set()
        """Challenges of this run that are open, or were closed before it had their ids."""
        self._tasks: asyncio.TaskGroup | None = None
        """The matches of `run`."""
        self._on_error = on_error
        self._agrees = agrees
        self._tempo = tempo
        self._refuses = refuses
        self._began = began
        self._log = GameLog(warns=warns)
        self._reports = FailureReports(client, is_on=reports)
        self._pulse = Pulse()
        """Beats when a match begins or ends, and when a challenge is closed."""
        self._has_warned_of_twin = False
        self._following: set[str] = set()
        self._joining = asyncio.Semaphore(MAX_CONCURRENT_JOINS)
        self._ended: list[asyncio.Timeout] = []
        """The waits for a rematch, oldest first."""
        self.playing: set[str] = set()
        """Ids of the live matches."""
        self.begun = 0
        """Matches that have begun, without those of an earlier run."""
        self.closed: deque[ChallengeClosed] = deque(maxlen=MAX_CLOSED)
        """The challenges that were closed last."""

    @property
    def _name(self) -> str:
        return named(self._client.player)

    @property
    def wants_more(self) -> bool:
        """Whether fewer matches have begun than the bot plays."""
        return self._games is None or self.begun < self._games

    def asked(self, challenge: str) -> None:
        """Take note of an own challenge: its match is played, as one of this run."""
        self._asked.add(challenge)
        for closed in tuple(self.closed):
            self._close(closed)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for something that depends on `playing`, `begun`, `wants_more` or `closed`."""
        while not is_so():
            await self._pulse.after(self._pulse.count)

    async def declare(self, accepts: Sequence[Accepts] | None = None) -> None:
        """Declare what this bot accepts, or `accepts` from now on; it can be challenged after that."""
        if accepts is not None:
            self._accepts = tuple(accepts)
        await retry(
            lambda: self._client.declare(self._accepts, self._concurrency, ladder=self._ladder, version=self._version)
        )

    def require_alone(self) -> None:
        """Raise AlreadyPlaying where another program is connected as this bot, and this one has games of its own to
        play, of which none has begun."""
        has_own = self._asks_for is not None or self._games is not None
        if has_own and not self.begun and self._client.has_twin:
            raise AlreadyPlaying(TWIN_ERROR.format(visible(self._client.player.name)))

    async def run(self) -> None:
        """Play until the client closes, or all games are over.

        Raises CommandRefused where the tournament does not take the bot, AlreadyPlaying, and BotFailed.
        """
        if self._tournament is not None:
            await retry(partial(self._client.tournaments.join, self._tournament))
        with unwrapped_errors():
            try:
                async with asyncio.TaskGroup() as tasks:
                    self._tasks = tasks
                    if self._games is not None:
                        tasks.create_task(self._end_after_games(), name="games")
                    await self._follow_news(tasks)
                    if self._games is not None:
                        raise _HasPlayed
            except* _HasPlayed:
                pass

    async def _end_after_games(self) -> None:
        """Raise _HasPlayed, which ends all other tasks, once all games are over."""
        await self.until(lambda: not self.wants_more)
        if self._accepts or self._ladder:
            with contextlib.suppress(ClientError):
                await retry(lambda: self._client.declare((), self._concurrency, version=self._version))
        await self.until(lambda: not self.playing)
        raise _HasPlayed

    async def _follow_news(self, tasks: asyncio.TaskGroup) -> None:
        is_back = False
        async for news in self._client.news():
            match news:
                case Welcome():
                    # The news of an accepted challenge may be lost with the connection.
                    if self._asks_for is None or not is_back or self._asked:
                        for match in news.matches:
                            self._begin(tasks, match, is_new=is_back)
                    if is_back and self._tournament is not None:
                        # Who missed games meanwhile is absent until joining again; the tournament may be over.
                        with contextlib.suppress(CommandRefused, NotUnderstood):
                            await retry(partial(self._client.tournaments.join, self._tournament))
                    is_back = True
                case Paired():
                    if self._asks_for is None:
                        self._begin(tasks, news.match, is_new=True)
                case Challenged() if news.to.id == self._client.player.id and self._asks_for is None:
                    with contextlib.suppress(CommandRefused, NotUnderstood):
                        await self._answer_challenge(news)
                case ChallengeClosed():
                    self.closed.append(news)
                    self._close(news)
                    self._pulse.beat()
                case Notice(code="also_here") if not self._has_warned_of_twin:
                    self._has_warned_of_twin = True
                    self.require_alone()
                    log.warning(TWIN_ADVICE, self._client.player.name)
                case Challenged() | Waiting() | Notice() | TournamentMessage():
                    pass
                case _:
                    assert_never(news)

    def _close(self, closed: ChallengeClosed) -> None:
        """Begin the match of an own challenge that was accepted."""
        if closed.challenge in self._asked:
            self._asked.discard(closed.challenge)
            if closed.match is not None and self._tasks is not None:
                self._begin(self._tasks, closed.match, is_new=True)

    async def _answer_challenge(self, challenged: Challenged) -> None:
        """Accept unless `refuses` has a reason; the server has checked the declaration and the concurrency."""
        if not self.wants_more:
            await self._decline(challenged, self._has_enough())
            return
        try:
            reason = self._refuses(challenged.game)
        except Exception:
            log.exception("the bot cannot say whether it plays %s; the challenge is declined", challenged.game.name)
            reason = "the bot has a fault"
        if reason is not None:
            await self._decline(challenged, reason)
            return
        try:
            match = await retry(lambda: self._client.accept(challenged.challenge))
            # It counts from here on: challenges that came with this one are answered before its `Paired`.
            if self._tasks is not None:
                self._begin(self._tasks, match, is_new=True)
        except CommandRefused as refusal:
            # The challenger waits for an answer.
            await self._decline(challenged, refusal.text)

    async def _decline(self, challenged: Challenged, reason: str) -> None:
        await retry(partial(self._client.decline, challenged.challenge, reason[:MAX_REASON_CHARS]))

    def _has_enough(self) -> str:
        """Return the reason to decline a game."""
        return f"{self._client.player.name} plays as many games as it takes"

    def _begin(self, tasks: asyncio.TaskGroup, match: str, *, is_new: bool) -> None:
        if match not in self._following:
            self._following.add(match)
            self.playing.add(match)
            self.begun += is_new
            self._pulse.beat()
            tasks.create_task(self._follow(match), name=f"match[{match}]")

    async def _follow(self, match_id: str) -> None:
        try:
            async with self._joining:
                match = await retry(lambda: self._client.join(match_id))
            if self._asks_for is not None and match.snapshot.game.name not in self._asks_for:
                log.info("match %s of %s is left alone: this run asks for other games", match_id, match.snapshot.title)
                await match.leave()
                return
            self._began(match)
            async with asyncio.TaskGroup() as tasks:
                answers = tasks.create_task(self._answer_offers(match), name=f"answers[{match_id}]")
                if not isinstance(match.snapshot.clock, Correspondence):
                    tasks.create_task(self._claim_absences(match), name=f"claims[{match_id}]")
                await self._play_out(match)
                self._end(match_id)
                await self._wait_for_rematch(match)
                answers.cancel()
            if self._asks_for is not None and match.snapshot.next is not None and self._tasks is not None:
                self._begin(self._tasks, match.snapshot.next, is_new=True)
            await match.leave()
        except* BotFailed:
            raise
        except* ClientError as errors:
            log.info("match %s cannot be played on: %s", match_id, errors.exceptions[0])
        except* Exception as errors:
            log.error("%s failed beside its moves in match %s, which it resigns", self._name, match_id, exc_info=errors)
            await self._resign(match_id)
        finally:
            self._end(match_id)
            self._following.discard(match_id)

    def _end(self, match_id: str) -> None:
        self.playing.discard(match_id)
        self._reports.forget(match_id)
        self._pulse.beat()

    async def _play_out(self, match: MatchView) -> None:
        """Make all moves of a match."""
        used = TimeUsed()
        self._log.begun(match)
        while not match.over:
            if match.my_turn:
                await self._move_once(match, used)
            else:
                await match.changed(match.version)
        self._log.ended(match, used)

    async def _move_once(self, match: MatchView, used: TimeUsed) -> None:
        assert match.seat is not None
        ply, tempo = match.ply, self._tempo(match)
        clock = asyncio.get_running_loop().time
        earliest = clock() + tempo.least / 1000
        left = match.left(match.seat)
        limit = replace(
            move_limit(match.snapshot.clock, left, self._client.round_trip, tempo.longest),
            clocks=clock_times(match.snapshot.clock, map(match.left, range(len(match.players)))),
        )
        try:
            position = match.snapshot.position
            try:
                move = await choose_legal(self._choose, match, limit, used)
            finally:
                warning = self._log.chosen(match, limit, used)
            await asyncio.sleep(earliest - clock())
            # A takeback and another move lead to the same ply: what was chosen is for another position then.
            if match.snapshot.position == position:
                await self._play(match, ply, move)
            if warning is not None:
                self._reports.warn(warning.kind, match, ply, limit, warning.text)
        except BotFailed as failure:
            if not match.over:
                await self._do_without(match, ply, limit, failure)

    async def _do_without(self, match: MatchView, ply: int, limit: Limit, failure: BotFailed) -> None:
        """Go on without a move of the bot's. Raises BotFailed where that is wanted."""
        where = f"match {match.id} of {match.snapshot.game.name} at ply {ply}"
        if self._on_error == "raise":
            await self._reports.failed(match, ply, limit, failure)
            raise BotFailed(f"{where}: {failure}") from failure.__cause__
        if self._on_error == "random" and match.my_turn and match.ply == ply:
            log.error("%s makes a random move in %s: %s", self._name, where, failure, exc_info=failure.__cause__)
            try:
                await self._play(match, ply, random.choice(match.state.moves()))
                self._reports.mention(match, ply, limit, failure)
                return
            except BotFailed as refused:
                failure = refused
        log.error("%s resigns %s: %s", self._name, where, failure, exc_info=failure.__cause__)
        await self._reports.failed(match, ply, limit, failure)
        with contextlib.suppress(ClientError):
            # When it returns, the match is over here too, and no further move is asked for.
            await retry(match.resign)

    async def _play(self, match: MatchView, ply: int, move: str) -> None:
        """Make a move. Raises BotFailed where the server refuses it as illegal."""
        try:
            await match.play(move, ply)
        except CommandRefused as refusal:
            if refusal.code == "illegal_move":
                raise BotFailed(
                    f"the server refuses {shown(move)}: {refusal.text[:MAX_SHOWN_CHARS]}", is_known=True
                ) from None
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
                    await retry(partial(match.answer_draw, accept=self._agrees(match)))
                if snapshot.takeback is not None and match.seat not in snapshot.takeback_agreed:
                    is_granted = match.players[snapshot.takeback].kind == "person"
                    await retry(partial(match.answer_takeback, accept=is_granted))
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
        if len(self.playing) >= self._concurrency or not self.wants_more:
            await retry(partial(match.decline_rematch, self._has_enough()))
            return
        try:
            await retry(match.rematch)
        except CommandRefused as refusal:
            await retry(partial(match.decline_rematch, refusal.text[:MAX_REASON_CHARS]))

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
