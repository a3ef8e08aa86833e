"""Folds events into a match's snapshot. Pure, and without the game's rules, which clients do not have."""

from __future__ import annotations

from typing import Final, assert_never

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
    UnknownEvent,
)
from cornered.protocol.messages import Happened, SeatPresence, Snapshot
from cornered.protocol.values import SeatInfo

__all__ = ["advance", "with_presence"]

_NO_DRAW: Final[dict[str, object]] = {"draw_offer": None, "draw_agreed": ()}
_NO_TAKEBACK: Final[dict[str, object]] = {"takeback": None, "takeback_agreed": ()}


def advance(snapshot: Snapshot, happened: Happened) -> Snapshot:
    """Return the match after what `happened`; events that the snapshot already holds change nothing."""
    unseen = [event for event in happened.events if event.seq > snapshot.seq]
    if not unseen:
        return snapshot
    for event in unseen:
        snapshot = _evolve(snapshot, event)
    return snapshot.model_copy(
        update={
            "position": happened.position,
            "ply": happened.ply,
            "to_move": happened.to_move,
            "clocks": happened.clocks,
            "legal": happened.legal,
        }
    )


def with_presence(snapshot: Snapshot, presence: SeatPresence) -> Snapshot:
    """Return the snapshot with the connection state of one seat."""
    connected = list(snapshot.connected)
    connected[presence.seat] = presence.connected
    return snapshot.model_copy(update={"connected": tuple(connected)})


def _evolve(snapshot: Snapshot, event: MatchEvent | UnknownEvent) -> Snapshot:
    return snapshot.model_copy(update={"seq": event.seq, **_changes(snapshot, event)})


def _changes(snapshot: Snapshot, event: MatchEvent | UnknownEvent) -> dict[str, object]:
    match event:
        case Played():
            # A move of a player who has not agreed declines the standing offer.
            stands = event.seat in snapshot.draw_agreed
            return {"moves": (*snapshot.moves, event.move), **_NO_TAKEBACK, **({} if stands else _NO_DRAW)}
        case Rolled():
            return {"moves": (*snapshot.moves, event.move)}
        case Eliminated():
            return {
                "seats": _placed(snapshot.seats, {event.seat: event.place}),
                **_NO_DRAW,
                **_NO_TAKEBACK,
            }
        case DrawOffered():
            return {"draw_offer": event.seat, "draw_agreed": (event.seat,)}
        case DrawDeclined():
            return _NO_DRAW
        case TakebackRequested():
            return {"takeback": event.seat, "takeback_agreed": (event.seat,)}
        case TakebackDeclined():
            return _NO_TAKEBACK
        case Agreed(to="draw"):
            return {"draw_agreed": (*snapshot.draw_agreed, event.seat)}
        case Agreed():
            return {"takeback_agreed": (*snapshot.takeback_agreed, event.seat)}
        case TakenBack():
            return {"moves": snapshot.moves[: event.ply], "rated": False, **_NO_DRAW, **_NO_TAKEBACK}
        case ClocksPaused():
            return {"paused_until": event.until}
        case ClocksResumed():
            return {"paused_until": None}
        case Ended():
            return {
                "over": True,
                "paused_until": None,
                "winner": event.winner,
                "reason": event.reason,
                "seed": event.seed,
                "rated": event.rated,
                "seats": _placed(snapshot.seats, dict(enumerate(event.places))),
                **_NO_DRAW,
                **_NO_TAKEBACK,
            }
        case RematchOffered():
            return {"rematch": (*snapshot.rematch, event.seat)}
        case RematchDeclined():
            return {"rematch": ()}
        case Rematched():
            return {"rematch": (*snapshot.rematch, event.seat), "next": event.match}
        case Started() | Resumed() | UnknownEvent():
            return {}
        case _:
            assert_never(event)


def _placed(seats: tuple[SeatInfo, ...], places: dict[int, int]) -> tuple[SeatInfo, ...]:
    return tuple(
        info.model_copy(update={"place": places[seat]}) if seat in places else info for seat, info in enumerate(seats)
    )
