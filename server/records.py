"""Game records from a match's events: what leaves the server when somebody takes a game home. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, assert_never

from engine.record import Leave, Move, Ply, Record
from protocol.events import Eliminated, Ended, MatchEvent, Played, Rolled, Started, TakenBack
from protocol.values import Clock, Correspondence, Delay, Fischer, NoClock, PerMove, Reason
from server import catalogue

__all__ = ["record_of", "time_control_of"]

_WORDS: Final[dict[Reason, str]] = {"resignation": "resigned", "time": "time", "gone": "abandoned"}


def record_of(events: Iterable[MatchEvent]) -> Record:
    """Return the record of a match whose first event is `started`; what was taken back is not in it."""
    started, *rest = events
    if not isinstance(started, Started):
        raise ValueError(f"a match begins with `started`, not with {started.type!r}")
    plies: list[Ply] = []
    ended: Ended | None = None
    for event in rest:
        match event:
            case Played():
                plies.append(Move(event.move, event.left[event.seat]))
            case Rolled():
                plies.append(Move(event.move))
            case TakenBack():
                _take_back(plies, event.ply)
            case Eliminated() if event.reason != "rules":
                plies.append(Leave(event.seat, _WORDS.get(event.reason, event.reason)))
            case Ended():
                ended = event
                if len(started.players) == 2 and event.winner is not None and event.reason in _WORDS:
                    plies.append(Leave(1 - event.winner, _WORDS[event.reason]))
            case _:
                # Offers, refunds and rematches are no part of the game.
                pass
    return Record(
        game=catalogue.load(started.game),
        plies=tuple(plies),
        players=tuple(player.name for player in started.players),
        places=ended.places if ended and ended.places else None,
        termination=ended.reason if ended else "",
        time_control=time_control_of(started.clock),
        started=_moment(started.at),
        ended=_moment(ended.at) if ended else None,
        tags={"Match": started.match},
    )


def time_control_of(clock: Clock) -> str:
    """Return a clock in one word: `300+3`, `300d5`, `30/move`, `3days/move`, or `-`."""
    match clock:
        case Fischer():
            return f"{clock.initial}+{clock.increment}"
        case Delay():
            return f"{clock.initial}d{clock.delay}"
        case PerMove():
            return f"{clock.seconds}/move"
        case Correspondence():
            return f"{clock.days}days/move"
        case NoClock():
            return "-"
        case _:
            assert_never(clock)


def _take_back(plies: list[Ply], ply: int) -> None:
    """Remove every move from number `ply` on; nothing before a departure can be taken back."""
    count = sum(isinstance(one, Move) for one in plies)
    del plies[len(plies) - (count - ply) :]


def _moment(at: int) -> datetime:
    return datetime.fromtimestamp(at // 1000, UTC)
