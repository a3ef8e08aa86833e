"""Makes the downloadable game record of a match from its events. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Final, assert_never

from cornered.engine.records.record import Ply, Record, RecordedMove, SeatLeft
from cornered.engine.records.text import to_lines
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
from cornered.protocol.values import Clock, Correspondence, Delay, Fischer, NoClock, PerMove, Reason
from cornered.server.match import catalogue

__all__ = ["record_of", "slices_of", "time_control_of"]

LINES_PER_SLICE: Final = 20
"""Lines of about four moves each, which are replayed as they are written."""
_LEAVE_WORDS: Final[dict[Reason, str]] = {"resignation": "resigned", "time": "time", "gone": "abandoned"}


def record_of(events: Iterable[MatchEvent]) -> Record:
    """Return the record of a match whose first event is `started`; what was taken back is not in it."""
    started, *rest = events
    if not isinstance(started, Started):
        raise ValueError(f"a match begins with `started`, not with {started.type!r}")
    plies: list[Ply] = []
    moves = 0
    ended: Ended | None = None
    pauses = 0
    for event in rest:
        match event:
            case ClocksPaused():
                pauses += 1
            case Played():
                plies.append(RecordedMove(event.move, event.left[event.seat]))
                moves += 1
            case Rolled():
                plies.append(RecordedMove(event.move))
                moves += 1
            case TakenBack():
                # Nothing before a departure can be taken back: the last entries are all moves.
                del plies[len(plies) - (moves - event.ply) :]
                moves = event.ply
            case Eliminated() if event.reason != "rules":
                plies.append(SeatLeft(event.seat, _LEAVE_WORDS.get(event.reason, event.reason)))
            case Ended():
                ended = event
                if len(started.players) == 2 and event.winner is not None and event.reason in _LEAVE_WORDS:
                    plies.append(SeatLeft(1 - event.winner, _LEAVE_WORDS[event.reason]))
            case (
                Eliminated()
                | Started()
                | DrawOffered()
                | DrawDeclined()
                | Agreed()
                | TakebackRequested()
                | TakebackDeclined()
                | Resumed()
                | ClocksResumed()
                | RematchOffered()
                | RematchDeclined()
                | Rematched()
            ):
                # Offers, refunds and rematches are no part of the game; an elimination by the rules follows from them.
                pass
            case _:
                assert_never(event)
    return Record(
        game=catalogue.load(started.game),
        plies=tuple(plies),
        players=tuple(player.name for player in started.players),
        places=ended.places if ended and ended.places else None,
        termination=ended.reason if ended else "",
        time_control=time_control_of(started.clock),
        started=_moment(started.at),
        ended=_moment(ended.at) if ended else None,
        tags={"Match": started.match}
        | {f"Version{seat}": version for seat, version in enumerate(started.versions) if version is not None}
        | ({"Tournament": started.tournament} if started.tournament else {})
        | ({"Pauses": str(pauses)} if pauses else {}),
    )


def slices_of(record: Record) -> Iterator[str]:
    """Yield the record's text in parts, each of which takes a few milliseconds, so that others can run between."""
    lines = to_lines(record)
    while part := [f"{line}\n" for line in islice(lines, LINES_PER_SLICE)]:
        yield "".join(part)


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


def _moment(at: int) -> datetime:
    return datetime.fromtimestamp(at // 1000, UTC)
