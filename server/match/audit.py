"""Checks one stored match against the rules and its own seed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from cornered import engine
from cornered.protocol.events import (
    Agreed,
    ClocksPaused,
    ClocksResumed,
    DrawDeclined,
    DrawOffered,
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
    TakebackDeclined,
    TakebackRequested,
    TakenBack,
)
from cornered.server.match.dice import commitment_of, roll, seed_of
from cornered.server.match.match import Match, Patience
from cornered.server.ports import DamagedMatch

__all__ = ["check_match"]


def check_match(match_id: str, events: Sequence[MatchEvent], secret: bytes | None) -> None:
    """Raise DamagedMatch unless these events are a match by the rules; without the `secret` dice are not verified."""
    if not events or not isinstance(events[0], Started) or events[0].match != match_id:
        raise DamagedMatch("event 1 does not begin this match")
    seed = b"" if secret is None else seed_of(secret, match_id)
    if secret is not None and events[0].commitment != commitment_of(seed):
        raise DamagedMatch("event 1 does not commit to this match's seed")
    seq = 1
    try:
        match = Match.begin(events[0], seed, Patience())
        for event in events[1:]:
            seq += 1
            _check_event(match, event, has_seed=secret is not None)
            match = match.evolve(event)
    except DamagedMatch:
        raise
    except Exception as error:
        # Rules raise whatever a position that cannot be leads to. The seed is in the frames, so no cause is kept.
        raise DamagedMatch(f"event {seq} does not fit the rules: {error!r}") from None


def _check_event(match: Match, event: MatchEvent, *, has_seed: bool) -> None:
    state = match.state
    match event:
        case Played() if event.ply != match.ply or event.seat != state.to_move:
            raise DamagedMatch(f"event {event.seq} is a move out of turn")
        case Played() | TakenBack() if match.pause is not None:
            raise DamagedMatch(f"event {event.seq} comes while the match is paused")
        case Played():
            try:
                engine.apply(state, event.move)
            except engine.IllegalMove as illegal:
                raise DamagedMatch(f"event {event.seq} is an illegal move: {illegal.reason}") from None
        case Rolled() if event.ply != match.ply or event.move not in state.moves():
            raise DamagedMatch(f"event {event.seq} is no roll that the rules know")
        case Rolled() if has_seed and event.move != roll(match.terms.seed, match.id, event.ply, state.moves()):
            raise DamagedMatch(f"event {event.seq} is not the roll that the seed gives")
        case Ended() if has_seed and event.seed != match.terms.seed.hex():
            raise DamagedMatch(f"event {event.seq} tells another seed")
        case Rolled() | Ended():
            pass
        case (
            Started()
            | Eliminated()
            | DrawOffered()
            | DrawDeclined()
            | Agreed()
            | TakebackRequested()
            | TakebackDeclined()
            | TakenBack()
            | Resumed()
            | ClocksPaused()
            | ClocksResumed()
            | RematchOffered()
            | RematchDeclined()
            | Rematched()
        ):
            # `evolve` checks what it folds; nothing in these depends on the rules or the seed.
            pass
        case _:
            assert_never(event)
