"""What may happen in a match: commands become events or refusals. Pure: time comes in, dice follow from the seed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Self, assert_never

from cornered import engine
from cornered.engine.game import CHANCE, State
from cornered.protocol.commands import (
    Abort,
    AcceptDraw,
    AcceptTakeback,
    Claim,
    DeclineDraw,
    DeclineRematch,
    DeclineTakeback,
    MatchCommand,
    OfferDraw,
    Play,
    Rematch,
    RequestTakeback,
    Resign,
)
from cornered.protocol.events import (
    Eliminated,
    Ended,
    MatchEvent,
    Played,
    RematchDeclined,
    Rematched,
    RematchOffered,
    Resumed,
    Rolled,
    Started,
)
from cornered.protocol.values import Correspondence, Reason, SeatRating
from cornered.server.match.clock import DAY_MS
from cornered.server.match.dice import commitment_of, roll
from cornered.server.match.negotiation import negotiate
from cornered.server.match.pausing import resume_clocks
from cornered.server.match.state import MatchState
from cornered.server.match.terms import Opening, Patience
from cornered.server.refusal import Refusal

__all__ = [
    "DEFAULT_PATIENCE",
    "MATCH_TAG_CHARS",
    "MAX_REMATCH_OFFERS",
    "REPLAY_SLICE",
    "Match",
    "Patience",
    "open_match",
    "open_rematch",
    "rematch_id",
    "rematch_of",
]

MATCH_TAG_CHARS: Final = 4
"""Characters at the beginning of a match's id that its rematches repeat, so that one node owns all of them."""

DEFAULT_PATIENCE: Final = Patience()
MAX_REMATCH_OFFERS: Final = 20
"""Offers of a rematch that one seat may begin: each is stored, also one that is declined or withdrawn."""
REPLAY_SLICE: Final = 100
"""Events that `Match.replaying` folds between two yields: 2 to 8 ms of work."""


def rematch_id(match: str) -> str:
    """Return the id of the rematch, which follows from the match's own: a restart cannot make two of them."""
    return match[:MATCH_TAG_CHARS] + hashlib.sha256(f"{match}:rematch".encode()).hexdigest()[:12]


def open_match(
    opening: Opening, seed: bytes, *, now: int, ratings: Sequence[SeatRating] = (), previous: str | None = None
) -> tuple[MatchEvent, ...]:
    """Return the first events of a match: it starts, and dice that come first are rolled.

    `ratings` has each seat's rating where the match is rated; `previous` is the match of which this is the rematch.
    """
    started = Started(
        seq=1,
        at=now,
        match=opening.id,
        game=opening.spec,
        players=tuple(opening.players),
        clock=opening.clock,
        commitment=commitment_of(seed),
        private=opening.private,
        delay=opening.delay,
        previous=previous,
        with_help=opening.with_help,
        rated=opening.rated,
        ratings=tuple(ratings),
        tournament=opening.tournament,
        versions=tuple(opening.versions),
    )
    match = Match.begin(started, seed, DEFAULT_PATIENCE)
    return (started, *match.consequences(match.state, match.seq, match.ply, now))


def rematch_of(match: Match, versions: Sequence[str | None] = ()) -> Opening:
    """Return the rematch of `match` before it begins: every player sits one seat further on.

    `versions` are those of the bots by now, in the order of its seats.
    """
    terms = match.terms
    return Opening(
        rematch_id(match.id),
        terms.spec,
        (terms.players[-1], *terms.players[:-1]),
        terms.clock,
        terms.private,
        terms.delay,
        terms.with_help,
        terms.rated,
        versions=versions,
    )


def open_rematch(
    match: Match,
    seed: bytes,
    now: int,
    ratings: Sequence[SeatRating] = (),
    versions: Sequence[str | None] = (),
) -> tuple[MatchEvent, ...]:
    """Return the first events of the rematch of `match`; `ratings` and `versions` are in the order of its seats."""
    return open_match(rematch_of(match, versions), seed, now=now, ratings=ratings, previous=match.id)


class Match(MatchState):
    """A match and its rules of conduct."""

    __slots__ = ()

    @classmethod
    def replay(cls, events: Iterable[MatchEvent], seed: bytes, patience: Patience = DEFAULT_PATIENCE) -> Self:
        """Return the match that these events made; the first is `Started`."""
        *_, match = cls.replaying(events, seed, patience)
        return match

    @classmethod
    def replaying(
        cls, events: Iterable[MatchEvent], seed: bytes, patience: Patience = DEFAULT_PATIENCE
    ) -> Iterator[Self]:
        """Yield the match as it grows: after every `REPLAY_SLICE` events, and at the end.

        The position texts are rendered on the way, so that later answers about the match copy and render nothing.
        """
        rest = iter(events)
        first = next(rest, None)
        if not isinstance(first, Started):
            raise ValueError(f"a match begins with `started`, not with {first.type if first else 'nothing'!r}")
        match = cls.begin(first, seed, patience)
        for number, event in enumerate(rest, 1):
            if number % REPLAY_SLICE == 0:
                yield match
            match = match.evolve(event)
            match.plies.text_at(match.ply)
        yield match

    def decide(
        self,
        command: MatchCommand,
        seat: int | None,
        now: int,
        *,
        lag: int = 0,
        gone_since: Sequence[int | None] = (),
    ) -> tuple[MatchEvent, ...]:
        """Return what `command` of the player in `seat` leads to at `now`. Raises Refusal.

        `lag` is the measured delay of the player's connection; `gone_since[seat]` is the time since which a seat's
        player has had no connection. The caller recognises a repeated command with `answered` first.
        """
        if seat is None or not 0 <= seat < self.seats:
            raise Refusal("not_a_player", "you do not play in this match")
        now = max(now, self.at)
        if isinstance(command, Rematch):
            return self._rematch(command, seat, now)
        if isinstance(command, DeclineRematch):
            return self._decline_rematch(command, seat, now)
        if self.ending is not None:
            raise Refusal("match_over", "the match is over")
        due = self.deadline()
        if due is not None and now >= due and self.pause is None:
            raise Refusal("too_late", "the time ran out")
        if self.pause is not None and not isinstance(command, Resign):
            raise Refusal("paused", "the organiser has paused the game; wait until the clocks go on")
        if isinstance(command, Play):
            return self._play(command, seat, now, lag)
        if self.out[seat] is not None:
            raise Refusal("too_late", "you are out of the game")
        match command:
            case Resign():
                return self._give_up((seat,), "resignation", now, command.id, seat)
            case Abort():
                return self._abort(command, seat, now)
            case Claim():
                return self._claim(command, seat, now, gone_since)
            case OfferDraw() | AcceptDraw() | DeclineDraw() | RequestTakeback() | AcceptTakeback() | DeclineTakeback():
                return negotiate(self, command, seat, now)
            case _:
                assert_never(command)

    def deadline(self) -> int | None:
        """Return when `tick` has something to decide without a move: a flag fall, a first move that is overdue, the end
        of a pause, or of an offer of a rematch."""
        if self.ending is not None:
            return self._rematch_until()
        if self.pause is not None:
            return self.pause.until
        flag, first = self.timer.decided_at(), self._first_move_until()
        if flag is None or first is None:
            return first if flag is None else flag
        return min(flag, first)

    def tick(self, now: int) -> tuple[MatchEvent, ...]:
        """Return what the passing of time decides by `now`; nothing before the deadline."""
        due = self.deadline()
        if due is None or now < due:
            return ()
        # What is overdue may have been refunded too little since, and the clock of this machine set back.
        now = max(now, self.at)
        if self.ending is not None:
            return (RematchDeclined(seq=self.seq + 1, at=now),)
        if self.pause is not None:
            return resume_clocks(self, now)
        first = self._first_move_until()
        if first is not None and now >= first:
            return (self.ended(self.seq + 1, now, None, (), "expired"),)
        return self._give_up((self.state.to_move,), "time", now)

    def take_out(self, seat: int, now: int) -> tuple[MatchEvent, ...]:
        """Return what follows when the organiser of the match's event takes a player out; nothing where it is out.

        The result changes no rating: anybody may organise, and would take rating from others by such orders.
        """
        if self.ending is not None or not 0 <= seat < self.seats or self.out[seat] is not None:
            return ()
        events = self._give_up((seat,), "gone", max(now, self.at))
        return tuple(one.model_copy(update={"rated": False}) if isinstance(one, Ended) else one for one in events)

    def abandoned_at(self, gone_since: Sequence[int | None]) -> int | None:
        """Return when `abandon` has something to decide: a match without a clock whose players are away ends by itself.

        While a player is connected, one that is away too long loses; otherwise the time counts from the last to go.
        """
        limit = self.terms.abandoned_limit
        is_waiting = self.ending is not None or self.pause is not None
        if limit is None or is_waiting or gone_since.count(None) == len(gone_since):
            return None
        gone = [max(since, self.resumed_at) for seat in self.still_in if (since := gone_since[seat]) is not None]
        if not gone:
            return None
        return (min(gone) if len(gone) < len(self.still_in) else max(gone)) + limit

    def abandon(self, now: int, gone_since: Sequence[int | None]) -> tuple[MatchEvent, ...]:
        """Return the end of the match for players away too long by `now`; it expires where all of them are."""
        due, limit = self.abandoned_at(gone_since), self.terms.abandoned_limit
        if due is None or limit is None or now < due:
            return ()
        now = max(now, self.at)
        if all(gone_since[seat] is not None for seat in self.still_in):
            return (self.ended(self.seq + 1, now, None, (), "expired"),)
        since_of = {seat: max(since, self.resumed_at) for seat, since in enumerate(gone_since) if since is not None}
        gone = [seat for seat in self.still_in if seat in since_of and now >= since_of[seat] + limit]
        return self._give_up(gone, "gone", now)

    def resume(self, now: int, alive_at: int) -> tuple[MatchEvent, ...]:
        """Return the refund after the server was away: since `alive_at`, the last time it was certainly there."""
        return self.refund(now, now - alive_at)

    def refund(self, now: int, away: int) -> tuple[MatchEvent, ...]:
        """Return the refund of `away` milliseconds since the newest event in which the server could not serve.

        Time before the newest event was refunded with that one or belongs to another turn, so no more is refunded than
        has passed since.
        """
        refunded = min(away, now - max(self.at, self.timer.since))
        if refunded <= 0 or self.ending is not None or self.pause is not None or self.deadline() is None:
            return ()
        return (Resumed(seq=self.seq + 1, at=now, refunded=refunded),)

    def claim_at(self, gone_since: int) -> int | None:
        """Return when victory may be claimed over a player without a connection since then; None for never, and while
        the match is paused."""
        if self.over or self.pause is not None or isinstance(self.terms.clock, Correspondence):
            return None
        return max(gone_since, self.resumed_at) + self.terms.patience.gone

    def consequences(
        self, state: State, seq: int, ply: int, now: int, reason: Reason = "rules"
    ) -> tuple[MatchEvent, ...]:
        """Return what the rules add, after event `seq`, to a move or departure that led to `state`.

        Seats may be out, dice are rolled, and the game may be over: for `reason`, unless the rules eliminate a seat. A
        match that does not end before its bound of plies is a draw there between all seats that are still in.
        """
        events: list[MatchEvent] = []
        out = list(self.out)
        for seat in _listed_as_out(state) if self.seats > 2 else ():
            if out[seat] is None:
                place = out.count(None)
                out[seat] = (place, "rules")
                events.append(Eliminated(seq=seq + len(events) + 1, at=now, seat=seat, place=place, reason="rules"))
                reason = "rules"
        outcome, last = state.outcome, self.terms.patience.max_plies - self.made + self.ply
        while outcome is None and state.to_move == CHANCE and ply < last:
            move = roll(self.terms.seed, self.id, ply, state.moves())
            events.append(Rolled(seq=seq + len(events) + 1, at=now, ply=ply, move=move))
            state, ply = state.play(move), ply + 1
            outcome = state.outcome
        if outcome is not None:
            events.append(self.ended(seq + len(events) + 1, now, outcome.winner, outcome.places, reason))
        elif ply >= last:
            places = tuple(1 if known is None else known[0] for known in out)
            events.append(self.ended(seq + len(events) + 1, now, None, places, "ply_limit"))
        return tuple(events)

    def _play(self, command: Play, seat: int, now: int, lag: int) -> tuple[MatchEvent, ...]:
        ply = self.ply
        if command.ply != ply:
            raise Refusal("stale_ply", f"{ply} plies were played, not {command.ply}")
        state = self.state
        if state.to_move != seat:
            raise Refusal("not_your_turn", "it is not your turn")
        try:
            after = self.ahead[command.move] = engine.apply(state, command.move)
        except engine.IllegalMove as illegal:
            raise Refusal("illegal_move", illegal.reason) from None
        spent, left = self.timer.spend(seat, now, lag)
        rest = left[seat]
        if rest is not None and rest <= 0:
            raise Refusal("too_late", "your flag has fallen")
        seq = self.seq + 1
        played = Played(
            seq=seq, at=now, seat=seat, cause=command.id, ply=ply, move=command.move, spent=spent, left=left
        )
        return (played, *self.consequences(after, seq, ply + 1, now))

    def _give_up(
        self, seats: Sequence[int], reason: Reason, now: int, cause: str | None = None, by: int | None = None
    ) -> tuple[MatchEvent, ...]:
        """Return the end of the match for `seats`: of the whole match with two players, of theirs alone with more."""
        if self.seats == 2:
            outcome = self.state.leave(seats[0]).outcome
            assert outcome is not None
            return (self.ended(self.seq + 1, now, outcome.winner, outcome.places, reason, cause, by),)
        match, events = self, list[MatchEvent]()
        for seat in seats:
            if match.out[seat] is None and not match.over:
                place = len(match.still_in)
                seq = match.seq + 1
                gone = Eliminated(seq=seq, at=now, seat=seat, place=place, reason=reason, cause=cause, by=by)
                match = match.evolve(gone)
                why: Reason = reason if {known[1] for known in match.out if known} == {reason} else "left"
                more = match.consequences(match.state, seq, match.ply, now, why)
                for event in more:
                    match = match.evolve(event)
                events += (gone, *more)
        return tuple(events)

    def _abort(self, command: Abort, seat: int, now: int) -> tuple[MatchEvent, ...]:
        if self.terms.tournament is not None:
            raise Refusal("not_allowed", "a game of a tournament is not aborted; you can resign")
        if self.is_underway:
            raise Refusal("too_late", "after the second move a match cannot be aborted; you can resign")
        return (self.ended(self.seq + 1, now, None, (), "aborted", command.id, seat),)

    def _claim(self, command: Claim, seat: int, now: int, gone_since: Sequence[int | None]) -> tuple[MatchEvent, ...]:
        if self.timer.is_down(now):
            raise Refusal("too_late", "your flag has fallen")
        gone = []
        for other, since in enumerate(gone_since[: self.seats]):
            claim_at = None if since is None else self.claim_at(since)
            if other != seat and self.out[other] is None and claim_at is not None and now >= claim_at:
                gone.append(other)
        if not gone:
            raise Refusal("opponent_here", "nobody has been gone long enough for you to claim victory")
        return self._give_up(gone, "gone", now, command.id, seat)

    def _rematch(self, command: Rematch, seat: int, now: int) -> tuple[MatchEvent, ...]:
        if self.ending is None:
            raise Refusal("match_not_over", "the match is not over yet")
        if self.terms.tournament is not None:
            raise Refusal("not_allowed", "the tournament pairs its players; challenge the player when it is over")
        if seat in self.rematch:
            raise Refusal("already_offered", "you have agreed to a rematch already")
        if not self.rematch and self.rematch_offers.count(seat) >= MAX_REMATCH_OFFERS:
            raise Refusal("too_late", "you have offered a rematch often enough; challenge the player instead")
        if len(self.rematch) + 1 < self.seats:
            return (RematchOffered(seq=self.seq + 1, at=now, seat=seat, cause=command.id),)
        new = rematch_id(self.id)
        return (Rematched(seq=self.seq + 1, at=now, seat=seat, cause=command.id, match=new),)

    def _decline_rematch(self, command: DeclineRematch, seat: int, now: int) -> tuple[MatchEvent, ...]:
        if not self.rematch or self.next is not None:
            raise Refusal("nothing_offered", "nobody offers a rematch")
        return (RematchDeclined(seq=self.seq + 1, at=now, seat=seat, cause=command.id, reason=command.reason),)

    def _rematch_until(self) -> int | None:
        """Return until when the standing offer of a rematch can be answered."""
        if not self.rematch or self.next is not None:
            return None
        clock, patience = self.terms.clock, self.terms.patience
        lasts = clock.days * DAY_MS if isinstance(clock, Correspondence) else patience.rematch
        return self.rematch_offered_at + lasts

    def _first_move_until(self) -> int | None:
        """Return when the match expires because the seat to move has not made its first move."""
        limit = self.terms.first_move_limit
        if limit is None or self.moved == self.terms.everyone or self.moved >> self.state.to_move & 1:
            return None
        return self.timer.since + limit


def _listed_as_out(state: State) -> list[int]:
    """Return the seats that the position text lists as out, in the order in which they went."""
    _, _, rest = str(state).partition(" out=")
    return [int(seat) for seat in rest.partition(" ")[0].split(",") if seat]
