"""A match folded from its events: what is true now. Pure; `cornered.server.match.match` adds what may happen next."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, Self, assert_never

from cornered.engine.game import CHANCE, State
from cornered.protocol.events import (
    Agreed,
    ClocksPaused,
    ClocksResumed,
    DrawDeclined,
    DrawOffered,
    Eliminated,
    Ended,
    MatchEvent,
    Negotiated,
    Played,
    RematchDeclined,
    Rematched,
    RematchOffered,
    Resumed,
    Rolled,
    Started,
    TakebackDeclined,
    TakebackRequested,
    TakenBack,
)
from cornered.protocol.values import Reason
from cornered.server.match.catalogue import load
from cornered.server.match.clock import Timer
from cornered.server.match.plies import Plies
from cornered.server.match.terms import NO_TALKS, Ending, MatchTerms, Patience, Pause, Talks

__all__ = ["COMMANDS_KEPT", "MatchState"]

COMMANDS_KEPT: Final = 64
"""A seat's newest commands whose repeats are recognised."""


@dataclass(frozen=True, slots=True)
class MatchState:
    """One match. The newest position of `plies` includes the seats eliminated since the move that led to it.

    `made` counts all moves and rolls that were ever made: unlike `ply` it includes those that were taken back.
    `moved` has the bit of every seat that made a move or is out, `out` each seat's place and reason once it is out.
    Nothing before ply `floor` can be taken back, because a seat was eliminated then. `at` is the newest event's time.
    `rematch` has the seats that agree to the standing offer; `rematch_offers` has the seat that began
    each offer so far.
    """

    terms: MatchTerms
    seq: int
    at: int
    plies: Plies
    made: int
    timer: Timer
    moved: int
    out: tuple[tuple[int, Reason] | None, ...]
    floor: int
    talks: Talks
    causes: tuple[dict[str, int], ...]
    ending: Ending | None = None
    rematch: tuple[int, ...] = ()
    rematch_offers: tuple[int, ...] = ()
    rematch_offered_at: int = 0
    next: str | None = None
    pause: Pause | None = None
    pauses: int = 0
    """How often the match was paused."""
    resumed_at: int = 0
    """The end of the newest pause; absence before it counts against no player."""
    ahead: dict[str, State] = field(default_factory=dict, init=False, compare=False, repr=False)
    """Where legal moves lead from here, as far as `decide` has looked: a memo, so that no move is worked out twice."""

    @classmethod
    def begin(cls, started: Started, seed: bytes, patience: Patience) -> Self:
        """Return the match that begins. The SHA-256 of `seed` is the commitment of `started`."""
        game = load(started.game)
        seats = len(started.players)
        terms = MatchTerms(
            id=started.match,
            game=game,
            spec=started.game,
            players=started.players,
            clock=started.clock,
            seed=seed,
            commitment=started.commitment,
            private=started.private,
            delay=started.delay,
            previous=started.previous,
            started=started.at,
            patience=patience,
            with_help=started.with_help,
            rated=started.rated,
            ratings=started.ratings,
            tournament=started.tournament,
            versions=started.versions,
        )
        state = game.start()
        timer = Timer.of(started.clock, seats, started.at)
        return cls(
            terms=terms,
            seq=started.seq,
            at=started.at,
            plies=Plies.of(state, timer.left),
            made=0,
            timer=timer.turn(started.at, running=_ticking(timer, state, 0, terms.everyone)),
            moved=0,
            out=(None,) * seats,
            floor=0,
            talks=NO_TALKS,
            causes=({},) * seats,
        )

    @property
    def id(self) -> str:
        return self.terms.id

    @property
    def state(self) -> State:
        """The position now."""
        return self.plies.state

    @property
    def position(self) -> str:
        """The position text now."""
        return self.plies.text_at(self.plies.ply)

    @property
    def states(self) -> tuple[State, ...]:
        """The positions from the start, copied."""
        return self.plies.states

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves and rolls from the start, copied."""
        return self.plies.moves

    @property
    def ply(self) -> int:
        """How many moves and rolls led to the position."""
        return self.plies.ply

    @property
    def seats(self) -> int:
        return len(self.terms.players)

    @property
    def over(self) -> bool:
        return self.ending is not None

    @property
    def to_move(self) -> int:
        return self.state.to_move

    @property
    def still_in(self) -> tuple[int, ...]:
        """The seats that are not out."""
        return tuple(seat for seat, place in enumerate(self.out) if place is None)

    @property
    def rated(self) -> bool:
        """Whether the result counts for the ratings, as far as that is known: not after a takeback, by which fewer
        plies lead to the position than were made."""
        return self.ending.rated if self.ending is not None else self.terms.rated and self.made == self.ply

    @property
    def is_underway(self) -> bool:
        """Whether two moves were made; before that the match may be aborted, and no departure counts for ratings."""
        moves = (ply for ply in range(self.ply) if self.plies.state_at(ply).to_move != CHANCE)
        return len(tuple(islice(moves, 2))) == 2

    def answered(self, seat: int, command_id: str) -> int | None:
        """Return the number of the event that this command of the seat's caused, if it was carried out before."""
        return self.causes[seat].get(command_id) if 0 <= seat < len(self.causes) else None

    def last_move_of(self, seat: int) -> int | None:
        """Return the ply of the seat's newest move that can still be taken back."""
        for ply in range(self.ply - 1, self.floor - 1, -1):
            if self.plies.state_at(ply).to_move == seat:
                return ply
        return None

    def ended(
        self,
        seq: int,
        now: int,
        winner: int | None,
        places: tuple[int, ...],
        reason: Reason,
        cause: str | None = None,
        seat: int | None = None,
    ) -> Ended:
        """Return the event that ends this match, with its seed."""
        is_played_out = reason in ("rules", "ply_limit")
        return Ended(
            seq=seq,
            at=now,
            winner=winner,
            places=places,
            reason=reason,
            seed=self.terms.seed.hex(),
            cause=cause,
            seat=seat,
            rated=self.rated and bool(places) and (is_played_out or self.is_underway),
        )

    def evolve(self, event: MatchEvent) -> Self:
        """Return the match after `event`, which must be the next one: numbers have no gaps."""
        if event.seq != self.seq + 1:
            raise ValueError(f"event {event.seq} does not follow {self.seq} in match {self.id}")
        match event:
            case Played():
                return self._after_move(event)
            case Rolled():
                return self._after_roll(event)
            case Eliminated():
                return self._after_elimination(event)
            case TakenBack():
                return self._after_takeback(event)
            case DrawOffered() | DrawDeclined() | Agreed() | TakebackRequested() | TakebackDeclined():
                return self._after_talk(event)
            case Resumed():
                return replace(self, seq=event.seq, at=event.at, timer=self.timer.refund(event.refunded))
            case ClocksPaused():
                pause = Pause(event.at, event.until)
                return replace(self, seq=event.seq, at=event.at, pause=pause, pauses=self.pauses + 1)
            case ClocksResumed():
                return self._after_pause(event)
            case Ended():
                return self._after_end(event)
            case RematchOffered() | RematchDeclined() | Rematched():
                return self._after_rematch(event)
            case Started():
                raise ValueError(f"match {self.id} has started already")
            case _:
                assert_never(event)

    def _after_move(self, event: Played) -> Self:
        """Return the match after a move: built by hand because every move of every match comes through here."""
        seat = event.seat
        state = self.ahead.get(event.move) or self.state.play(event.move)
        moved = self.moved | 1 << seat
        running = _ticking(self.timer, state, moved, self.terms.everyone)
        return self.__class__(
            self.terms,
            event.seq,
            event.at,
            self.plies.after(event.move, state, event.left),
            self.made + 1,
            self.timer.after_move(seat, event.spent, event.left, event.at, running=running),
            moved,
            self.out,
            self.floor,
            NO_TALKS if self.talks is NO_TALKS else self.talks.after_move(seat),
            self._remember(seat, event.cause, event.seq),
            pauses=self.pauses,
            resumed_at=self.resumed_at,
        )

    def _after_roll(self, event: Rolled) -> Self:
        state = self.state.play(event.move)
        running = _ticking(self.timer, state, self.moved, self.terms.everyone)
        return replace(
            self,
            seq=event.seq,
            at=event.at,
            plies=self.plies.after(event.move, state, self.timer.left),
            made=self.made + 1,
            timer=self.timer.turn(event.at, running=running),
        )

    def _after_elimination(self, event: Eliminated) -> Self:
        state, timer, moved = self.state, self.timer, self.moved | 1 << event.seat
        if event.reason != "rules":
            state = state.leave(event.seat)
            if state.outcome is not None or state.to_move != self.to_move:
                timer = timer.turn(event.at, running=_ticking(timer, state, moved, self.terms.everyone))
        return replace(
            self,
            seq=event.seq,
            at=event.at,
            plies=self.plies.with_newest(state),
            timer=timer,
            moved=moved,
            out=(*self.out[: event.seat], (event.place, event.reason), *self.out[event.seat + 1 :]),
            floor=self.ply,
            talks=NO_TALKS,
            causes=self._remember(event.by, event.cause, event.seq),
        )

    def _after_takeback(self, event: TakenBack) -> Self:
        plies = self.plies.back_to(event.ply)
        moved = sum(1 << seat for seat, place in enumerate(self.out) if place is not None)
        for ply in range(plies.ply):
            if moved == self.terms.everyone:
                # Usual after the first few plies: a takeback costs the same however long the match is.
                break
            if (seat := plies.state_at(ply).to_move) != CHANCE:
                moved |= 1 << seat
        timer = replace(self.timer, left=event.left)
        return replace(
            self,
            seq=event.seq,
            at=event.at,
            plies=plies,
            timer=timer.turn(event.at, running=_ticking(timer, plies.state, moved, self.terms.everyone)),
            moved=moved,
            talks=replace(self.talks, draw=(), takeback=()),
            causes=self._remember(event.seat, event.cause, event.seq),
        )

    def _after_talk(self, event: Negotiated) -> Self:
        talks, seat = self.talks, event.seat
        match event:
            case DrawOffered():
                talks = replace(talks, draw=(seat,), asked_draw=talks.asked_draw | {seat})
            case DrawDeclined():
                talks = replace(talks, draw=())
            case TakebackRequested():
                talks = replace(talks, takeback=(seat,), asked_takeback=talks.asked_takeback | {seat})
            case TakebackDeclined():
                talks = replace(talks, takeback=())
            case Agreed(to="draw"):
                talks = replace(talks, draw=(*talks.draw, seat))
            case Agreed():
                talks = replace(talks, takeback=(*talks.takeback, seat))
            case _:
                assert_never(event)
        causes = self._remember(seat, event.cause, event.seq)
        return replace(self, seq=event.seq, at=event.at, talks=talks, causes=causes)

    def clock_time(self, now: int) -> int:
        """Return the time that the clocks show at `now`: that of the pause while the match is paused."""
        return now if self.pause is None else self.pause.at

    def _after_pause(self, event: ClocksResumed) -> Self:
        pause, timer = self.pause, self.timer
        if pause is None:
            raise ValueError(f"match {self.id} is not paused")
        # A turn that began during the pause, by an elimination, begins now.
        timer = timer.refund(event.at - max(pause.at, timer.since))
        return replace(self, seq=event.seq, at=event.at, timer=timer, pause=None, resumed_at=event.at)

    def _after_end(self, event: Ended) -> Self:
        left = self.timer.left_at(self.clock_time(event.at))
        return replace(
            self,
            seq=event.seq,
            at=event.at,
            timer=replace(self.timer, left=left, running=None, since=event.at),
            pause=None,
            talks=NO_TALKS,
            causes=self._remember(event.seat, event.cause, event.seq),
            ending=Ending(event.winner, event.places, event.reason, event.rated),
        )

    def _after_rematch(self, event: RematchOffered | RematchDeclined | Rematched) -> Self:
        offers, offered_at = self.rematch_offers, self.rematch_offered_at
        if isinstance(event, RematchOffered) and not self.rematch:
            offers, offered_at = (*offers, event.seat), event.at
        return replace(
            self,
            seq=event.seq,
            at=event.at,
            rematch=() if isinstance(event, RematchDeclined) else (*self.rematch, event.seat),
            rematch_offers=offers,
            rematch_offered_at=offered_at,
            next=event.match if isinstance(event, Rematched) else None,
            causes=self._remember(event.seat, event.cause, event.seq),
        )

    def _remember(self, seat: int | None, cause: str | None, seq: int) -> tuple[dict[str, int], ...]:
        """Return the causes with one more; of a command that caused several events the first counts."""
        if seat is None or cause is None or cause in self.causes[seat]:
            return self.causes
        known = self.causes[seat].copy()
        if len(known) >= COMMANDS_KEPT:
            del known[next(iter(known))]
        known[cause] = seq
        return (*self.causes[:seat], known, *self.causes[seat + 1 :])


def _ticking(timer: Timer, state: State, moved: int, everyone: int) -> int | None:
    """Return whose clock runs in `state`: None before all seats have moved, for dice, and without a clock."""
    if timer.left[0] is None or (moved != everyone and timer.waits_for_first_moves) or state.outcome is not None:
        return None
    seat = state.to_move
    return None if seat == CHANCE else seat
