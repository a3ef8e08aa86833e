"""The lobby on the node that owns it: decide, evolve, store, tell, in this order.

Its own state is ahead of what is told by the events that are being stored, so that no seat is given away twice.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

import structlog

from cornered.contests.glicko import CENTRE
from cornered.protocol.commands import Challenge, EnterPool, JoinSeek, LobbyCommand
from cornered.protocol.values import Player
from cornered.server.cluster.messages import Visitor
from cornered.server.cluster.ports import LobbyLog
from cornered.server.lobby.blocks import NO_BLOCKS, Blocks, BlocksOf, nobody_blocks
from cornered.server.lobby.durable import checkpoint, durable
from cornered.server.lobby.events import (
    Answered,
    BotNamed,
    ChallengeEnded,
    ChallengeSent,
    Declared,
    LobbyEvent,
    MatchEnded,
    MatchMade,
    PoolEntered,
    PoolLeft,
)
from cornered.server.lobby.lobby import Lobby
from cornered.server.lobby.pools import pool_named
from cornered.server.ports import NotOwner
from cornered.server.rating.ports import RatingsUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime.lobby_outbox import LobbyOutbox
from cornered.server.runtime.pairing_rounds import PairingRounds, RatingsOf, unrated
from cornered.server.social.ports import SocialUnavailable

__all__ = ["PATIENCE_S", "LobbyAuthority"]

PATIENCE_S: Final = 5.0
"""Seconds that a command waits for the store, or for its match; its repetition gets the answer when there is one."""
ANSWERS_KEPT_S: Final = 60.0
"""Time for which the answer to a stored command survives checkpoints, so that a repetition after a restart gets it."""
MAX_ANSWERS_KEPT: Final = 10_000
"""Answers that survive a checkpoint, the newest ones."""
LOOK_AGAIN_S: Final = 1.0
"""How long what time decides waits while too much waits for the store."""
RESERVED_S: Final = 30.0
"""Seconds for which the places of a rematch are kept that is not stored."""
DRAIN_SECONDS: Final = 5.0
"""How long a stop waits until everything that was decided is stored."""

_TOLD: Final = (ChallengeSent, ChallengeEnded, PoolEntered, PoolLeft, BotNamed)
"""Events whose messages are sent to their players."""
_LOST: Final = Refusal("internal", "the lobby is on its way to another node; try again")

log = structlog.get_logger("lobby_authority")


class LobbyAuthority:
    """Decides the commands of all players, and what time decides."""

    def __init__(
        self,
        lobby: Lobby,
        lobby_log: LobbyLog,
        *,
        now: Callable[[], int],
        new_id: Callable[[str], str],
        tell: Callable[[Sequence[LobbyEvent], Sequence[LobbyEvent]], None],
        open_match: Callable[[MatchMade], Awaitable[bool]],
        on_loss: Callable[[], None] = lambda: None,
        ratings_of: RatingsOf = unrated,
        blocks_of: BlocksOf = nobody_blocks,
        is_excluded: Callable[[str], bool] = lambda _: False,
        tasks: asyncio.TaskGroup,
    ) -> None:
        """`tell` gets events that are stored, and those whose messages are sent now. `now` is in milliseconds.

        `new_id` makes an id, which for a match also says on which node it is: near the player who is given.
        `open_match` stores and opens a match, and returns whether it exists; it raises Refusal where the server stops.
        `on_loss` is called when the log turns out to be another node's. `ratings_of` may raise RatingsUnavailable, and
        `blocks_of` SocialUnavailable. `is_excluded` says who may begin nothing here any more.
        """
        self.lobby = lobby
        # What is shown is the replica, which folds the same events once they are stored.
        lobby.notes_changes = False
        self._now = now
        self._new_id = new_id
        self._open_match = open_match
        self._on_loss = on_loss
        self._tasks = tasks
        self._loop = asyncio.get_running_loop()
        self._outbox = LobbyOutbox(lobby_log, tell, self._durable_state)
        self._ratings_of = ratings_of
        self._blocks_of = blocks_of
        self._is_excluded = is_excluded
        # Players whose tables, challenges and places in pools are to end.
        self._excluding: dict[str, None] = {}
        self._rounds = PairingRounds(
            lobby,
            ratings_of,
            blocks_of,
            now=now,
            new_id=new_id,
            carry_out=self._carry_out,
            is_full=lambda: self._outbox.is_full,
            tasks=tasks,
        )
        self._writer: asyncio.Task[None] | None = None
        self._is_closed = False
        self.is_lost = False
        """Whether the lobby is another node's."""
        self._tick_timer: asyncio.TimerHandle | None = None
        self._tick_at = 0
        # Commands that are being stored, or whose match is, by player and id. The result is why that failed.
        self._under_way: dict[tuple[str, str], asyncio.Future[Refusal | None]] = {}
        # Stored matches-to-be that are not opened yet.
        self._unopened: dict[str, MatchMade] = {}
        # The tasks that open them.
        self._openings: set[asyncio.Task[Refusal | None]] = set()
        # Stored answers with the time of the loop, oldest first.
        self._answers: deque[tuple[float, Answered]] = deque(maxlen=MAX_ANSWERS_KEPT)
        # Players who came, or went (None), while too much was waiting.
        self._late: dict[str, Visitor | None] = {}
        # Matches that are about to be stored, each with the timer that gives up waiting for that.
        self._reserved: dict[str, asyncio.TimerHandle] = {}

    # Life

    async def recover(self) -> None:
        """Fold what is stored. Raises JournalUnavailable."""
        stored = await self._outbox.read()
        now = self._loop.time()
        for made in self.lobby.recover(stored, self._now()):
            self._unopened[made.match] = made
        self._answers.extend((now, event) for event in stored if isinstance(event, Answered))

    async def check_unopened(self, is_stored: Callable[[MatchMade], Awaitable[bool]]) -> None:
        """Forget the matches that were to be opened and are stored. Raises JournalUnavailable."""
        for made in tuple(self._unopened.values()):
            known = self.lobby.matches.get(made.match)
            if known is None or known.is_open:
                # It ended meanwhile, or goes on.
                self._unopened.pop(made.match, None)
            elif await is_stored(made):
                self._unopened.pop(made.match, None)
                self.match_over(made.match)

    def start(self) -> None:
        """Store and tell from now on, and open the matches that were to be opened."""
        self._writer = self._tasks.create_task(self._run(), name="lobby outbox")
        self._arm()
        self._rounds.look()
        self._outbox.shorten()
        answers = {answer.ref: answer for _, answer in self._answers}
        for made in self._unopened.values():
            opening = self._open(made, None, ())
            if made.match in answers:
                self._await_answer(answers[made.match], opening)
        if self._unopened:
            log.info("matches that were agreed are opened", matches=len(self._unopened))

    async def _run(self) -> None:
        try:
            await self._outbox.run()
        except NotOwner as error:
            log.warning("another node owns the lobby", reason=str(error))
            self.lose()

    async def drained(self) -> None:
        """Return when everything that was decided is stored and told, or cannot be for too long."""
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._outbox.drained()
        except TimeoutError:
            log.warning("some changes of the lobby are not stored: the store does not come back")

    def lose(self) -> None:
        """Stop: another node owns the lobby. Whatever is not told belongs to its decisions."""
        if not self.is_lost:
            self.is_lost = True
            self._outbox.fail(_LOST)
            self.close()
            self._on_loss()

    def close(self) -> None:
        """Stop every timer and task."""
        self._is_closed = True
        for timer in self._reserved.values():
            timer.cancel()
        self._reserved.clear()
        self._rounds.close()
        if self._tick_timer is not None:
            self._tick_timer.cancel()
        for opening in self._openings:
            opening.cancel()
        if self._writer is not None:
            self._writer.cancel()

    # Players

    def arrive(self, visitor: Visitor) -> Player:
        """Record a player's new connection; return the player with the visible name."""
        player = visitor.player
        if self._outbox.is_full:
            self._late[player.id] = visitor
            self._look_again()
        else:
            self._late.pop(player.id, None)
            self._commit(
                self.lobby.arrive(
                    player,
                    visitor.address,
                    is_operators=visitor.is_operators,
                    is_claimed=visitor.is_claimed,
                    shown_before=visitor.shown,
                )
            )
            if visitor.concurrency is not None and self.lobby.guests[player.id].concurrency is None:
                declared = Declared(player.id, visitor.accepts, visitor.concurrency, visitor.ladder, visitor.version)
                self._commit((declared,))
        guest = self.lobby.guests.get(player.id)
        if guest is not None:
            return guest.player
        name = self.lobby.names.choose(
            player.id, player.name, is_operators=visitor.is_operators, is_claimed=visitor.is_claimed
        )
        return player.model_copy(update={"name": name})

    def disconnect(self, player: str) -> None:
        """Record the end of a player's last connection to any node."""
        if self._outbox.is_full:
            self._late[player] = None
            self._look_again()
        else:
            self._late.pop(player, None)
            self._commit(self.lobby.disconnect(player, self._now()))

    def exclude(self, player: str) -> None:
        """End all that a player has begun in the lobby or waits for: who may come in no more meets nobody."""
        if self.is_lost:
            return
        self._excluding[player] = None
        if self._outbox.is_full:
            self._look_again()
        else:
            self._settle_excluded()

    def _settle_excluded(self) -> None:
        excluding, self._excluding = self._excluding, {}
        for player in excluding:
            events = self.lobby.exclude(player)
            self._commit(events, told=_told(events), is_durable=True)

    def _settle_late(self) -> None:
        """Record who came and went while too much was waiting."""
        late, self._late = self._late, {}
        for player, visitor in late.items():
            if visitor is None:
                self.disconnect(player)
            else:
                self.arrive(visitor)

    # Commands

    async def carry_out(self, command: LobbyCommand, player: Player) -> str | None:
        """Carry out a command; return the id of what it made when that is stored and told.

        Raises Refusal, and NotOwner where the lobby was lost meanwhile: its next owner carries out the command.
        """
        if self.is_lost:
            raise NotOwner("another node owns the lobby")
        key = (player.id, command.id)
        # Folded when it is decided: also known while it is under way.
        answered = self.lobby.answered(player.id, command)
        work = self._under_way.get(key)
        if work is None:
            if answered is not None:
                return answered.ref
            rating = await self._rating_of(command, player)
            blocks = await self._blocks_about(command, player)
            if self.is_lost:
                raise NotOwner("another node owns the lobby")
            # Meanwhile a repetition may have come.
            work = self._under_way.get(key)
            if work is None and self.lobby.answered(player.id, command) is None:
                work = self._decide(command, player, rating, blocks)
        if work is not None:
            # A command that is repeated while it is carried out gets the same answer.
            await self._until_done(work)
            if self.is_lost:
                raise NotOwner("another node owns the lobby")
            if not work.done():
                raise Refusal("internal", "this could not be stored just now; try again")
            if work.cancelled():
                raise Refusal("shutting_down", "the server restarts; connect again in a moment")
            refusal = work.result()
            if refusal is not None:
                raise Refusal(refusal.code, refusal.text, retry_after=refusal.retry_after)
        answered = self.lobby.answered(player.id, command)
        return None if answered is None else answered.ref

    async def _until_done(self, work: asyncio.Future[Refusal | None]) -> None:
        """Return when `work` is done, or after `PATIENCE_S`; a fraction of the price of `asyncio.wait`."""
        waiter = self._loop.create_future()

        def wake(_: object = None) -> None:
            if not waiter.done():
                waiter.set_result(None)

        timer = self._loop.call_later(PATIENCE_S, wake)
        work.add_done_callback(wake)
        try:
            await waiter
        finally:
            timer.cancel()
            work.remove_done_callback(wake)

    async def _rating_of(self, command: LobbyCommand, player: Player) -> float:
        """Return a player's rating in the pool that a command enters."""
        pool = pool_named(command.pool) if isinstance(command, EnterPool) else None
        if pool is None:
            return CENTRE
        try:
            return (await self._ratings_of(pool, (player,)))[player.id]
        except RatingsUnavailable:
            raise Refusal("internal", "your rating cannot be read just now; try again in a moment") from None

    async def _blocks_about(self, command: LobbyCommand, player: Player) -> Blocks:
        """Return whom those block who would meet by a command."""
        others: tuple[str, ...] = ()
        if isinstance(command, Challenge):
            others = (command.to,)
        elif isinstance(command, JoinSeek) and (table := self.lobby.tables.get(command.seek)) is not None:
            others = tuple(one.id for one in table.seek.joined)
        if not others:
            return NO_BLOCKS
        try:
            return await self._blocks_of((player.id, *others))
        except SocialUnavailable:
            raise Refusal("internal", "who blocks whom cannot be read just now; try again in a moment") from None

    def _decide(
        self, command: LobbyCommand, player: Player, rating: float, blocks: Blocks
    ) -> asyncio.Future[Refusal | None] | None:
        """Decide a command; return what is done when it is carried out, or None where it is. Raises Refusal."""
        if self._outbox.is_full:
            raise Refusal("internal", "the lobby cannot be stored just now; try again in a moment")
        if self._is_excluded(player.id):
            # Its node has not heard of it yet.
            raise Refusal("not_permitted", "you may not play here any more")
        events = self.lobby.decide(
            command,
            player,
            self._now(),
            new_id=self._new_id(player.id),
            random_number=secrets.randbits(64),
            rating=rating,
            blocks=blocks,
        )
        return self._carry_out(events)

    def _carry_out(self, events: Sequence[LobbyEvent]) -> asyncio.Future[Refusal | None] | None:
        """Fold, store and tell a decision, and open its match; return what is done then, or None where it is."""
        answer = next((event for event in events if isinstance(event, Answered)), None)
        made = next((event for event in events if isinstance(event, MatchMade)), None)
        told = _told(events)
        stored = self._commit(events, told=told if made is None else (), is_durable=True)
        work: asyncio.Future[Refusal | None] | None
        if made is not None:
            self._unopened[made.match] = made
            work = self._open(made, stored, told)
        else:
            work = stored
        if work is not None and answer is not None:
            self._await_answer(answer, work)
        return work

    def _await_answer(self, answer: Answered, work: asyncio.Future[Refusal | None]) -> None:
        """Have repetitions of a command wait for `work`."""
        key = (answer.player, answer.command)
        self._under_way[key] = work
        work.add_done_callback(lambda _: self._under_way.pop(key, None))

    def _open(
        self, made: MatchMade, stored: asyncio.Future[Refusal | None] | None, told: Sequence[LobbyEvent]
    ) -> asyncio.Task[Refusal | None]:
        opening = self._tasks.create_task(self._begin(made, stored, told), name=f"open[{made.match}]")
        self._openings.add(opening)
        opening.add_done_callback(self._openings.discard)
        return opening

    async def _begin(
        self, made: MatchMade, stored: asyncio.Future[Refusal | None] | None, told: Sequence[LobbyEvent]
    ) -> Refusal | None:
        """Open a match once it is stored that it is to be; return why it is not opened."""
        if stored is not None and (refusal := await stored) is not None:
            return refusal
        try:
            is_open = await self._open_match(made)
        except Refusal as refusal:
            if refusal.code == "shutting_down":
                # It is opened after the start.
                return refusal
            is_open = False
        except Exception:
            log.exception("a match could not be opened", match=made.match)
            is_open = False
        del self._unopened[made.match]
        if is_open:
            published = self._commit((), told=told)
        else:
            ended = MatchEnded(made.match, is_withdrawn=True)
            published = self._commit((ended,), told=tuple(map(_cancelled, told)), is_durable=True)
        if published is not None:
            await published
        return None if is_open else Refusal("internal", "the match could not be stored just now; try again")

    # Matches

    def match_began(self, made: MatchMade) -> None:
        """A match is stored and goes on; its players are told unless that is known."""
        known = self.lobby.matches.get(made.match)
        if known is None or not known.is_open:
            # A game that the lobby has not made, as one of a tournament, ends the wait in a pool too.
            left = tuple(self.lobby.leaving(made.players))
            self._commit(left, told=left, is_durable=True)
            made = replace(made, is_open=True)
            self._commit((made,), told=(made,))
        self._release(made.match)

    def match_over(self, match: str) -> None:
        """A match is over, or never was."""
        self._release(match)
        if match in self.lobby.matches:
            self._commit((MatchEnded(match),))

    def reserve(self, made: MatchMade) -> None:
        """Take the places of a match that is about to be stored. Raises Refusal where a player has no place left."""
        if made.match not in self.lobby.matches:
            if any(self._is_excluded(one.id) for one in made.players):
                raise Refusal("not_accepted", "one of the players may not play here any more")
            self.lobby.check_places(made.players)
            left = tuple(self.lobby.leaving(made.players))
            self._commit(left, told=left, is_durable=True)
            self._reserved[made.match] = self._loop.call_later(RESERVED_S, self.match_over, made.match)
            self._commit((made,))

    def release(self, match: str) -> None:
        """Free the places of a match that is not stored; another node may have stored it, and then it goes on."""
        if match in self._reserved:
            self.match_over(match)

    def _release(self, match: str) -> None:
        timer = self._reserved.pop(match, None)
        if timer is not None:
            timer.cancel()

    # Decisions

    def _commit(
        self, events: Sequence[LobbyEvent], *, told: Sequence[LobbyEvent] = (), is_durable: bool = False
    ) -> asyncio.Future[Refusal | None] | None:
        """Fold events, store the durable ones, and tell all of them in order; None where they are told already."""
        if not events and not told:
            return None
        for event in events:
            self.lobby.evolve(event)
        stored = durable(events) if is_durable else ()
        if stored:
            now = self._loop.time()
            self._answers.extend((now, event) for event in stored if isinstance(event, Answered))
        published = self._outbox.put(events, stored=stored, told=told)
        self._arm()
        if self._writer is not None:
            self._rounds.look()
        return published

    def _durable_state(self) -> Sequence[LobbyEvent]:
        oldest = self._loop.time() - ANSWERS_KEPT_S
        while self._answers and self._answers[0][0] < oldest:
            self._answers.popleft()
        return checkpoint(self.lobby, self._unopened.values(), (answer for _, answer in self._answers))

    def _arm(self) -> None:
        if self._writer is None:
            return
        due = self.lobby.deadline()
        if self._tick_timer is not None:
            # A timer that fires too early looks again, which is cheaper than setting it anew for every event.
            if due is None or self._tick_at <= due:
                return
            self._tick_timer.cancel()
            self._tick_timer = None
        if due is not None and not self._is_closed:
            self._tick_at = due
            self._tick_timer = self._loop.call_later(max(0, due - self._now()) / 1000, self._tick)

    def _look_again(self) -> None:
        """Look in a moment whether there is room for more decisions."""
        if self._tick_timer is not None:
            self._tick_timer.cancel()
        self._tick_at = self._now()
        self._tick_timer = self._loop.call_later(LOOK_AGAIN_S, self._tick)

    def _tick(self) -> None:
        self._tick_timer = None
        if self._outbox.is_full:
            self._look_again()
            return
        self._settle_late()
        self._settle_excluded()
        events = self.lobby.tick(self._now())
        self._commit(events, told=_told(events), is_durable=True)
        self._arm()


def _told(events: Iterable[LobbyEvent]) -> tuple[LobbyEvent, ...]:
    """Return the events whose messages are sent to their players."""
    return tuple(event for event in events if isinstance(event, _TOLD))


def _cancelled(event: LobbyEvent) -> LobbyEvent:
    """Return the end of an accepted challenge, or of waiting in a pool, whose match could not be opened."""
    reason = "the server could not start the match"
    if isinstance(event, PoolLeft):
        return replace(event, reason=reason)
    if not isinstance(event, ChallengeEnded):
        return event
    closed = event.closed.model_copy(update={"how": "cancelled", "match": None, "reason": reason})
    return ChallengeEnded(closed, event.told)
