"""Game records: their content, their JSON form, and the validation of every record that is read.

Besides moves and rolls a record has the seats that left during the game. Every finished match can be written as a
record and read again without loss; a record that breaks the rules is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, TypeAlias, assert_never

from cornered import engine
from cornered.engine.game import Game, State

__all__ = [
    "Ply",
    "Record",
    "RecordError",
    "RecordedMove",
    "SeatLeft",
    "check",
    "from_json",
    "printable_json",
    "to_json",
]

_LEAVE: Final = re.compile(r"leave=(\d+)(?::([\w-]+))?")
_TAG_NAME: Final = re.compile(r"[A-Za-z]\w*", re.ASCII)
_OWN_TAG: Final = re.compile(r"Game|Options|Player\d+|Result|Termination|TimeControl|Started|Ended")
_RESULT_BY_PLACES: Final[Mapping[tuple[int, ...], str]] = {(1, 2): "1-0", (2, 1): "0-1", (1, 1): "1/2-1/2"}


class RecordError(ValueError):
    """An invalid record: the `reason`, the `line` from 1, and `ply`, the number of valid plies before the error."""

    def __init__(self, reason: str, *, line: int | None = None, ply: int | None = None) -> None:
        where = [f"line {line}"] if line is not None else []
        where += [f"ply {ply + 1}"] if ply is not None else []
        super().__init__(f"{', '.join(where)}: {reason}" if where else reason)
        self.line = line
        self.ply = ply
        self.reason = reason


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """A move or roll in notation; `clock` is the player's remaining time after it in milliseconds."""

    text: str
    clock: int | None = None


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A seat that left during the game, with the reason: `resigned`, `time`, `abandoned`."""

    seat: int
    reason: str = "resigned"


Ply: TypeAlias = RecordedMove | SeatLeft


@dataclass(frozen=True, slots=True)
class Record:
    """One game from the start. `places` is None for an unfinished game; otherwise as in `Outcome`.

    `players` has one name for each seat. `tags` are further facts, such as a site or the seed of the dice.
    """

    game: Game
    plies: tuple[Ply, ...] = ()
    players: tuple[str, ...] = ()
    places: tuple[int, ...] | None = None
    termination: str = ""
    time_control: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.tags:
            if not _TAG_NAME.fullmatch(name) or _OWN_TAG.fullmatch(name):
                raise ValueError(f"a further tag is a new word of letters, digits and _, not {name!r}")

    def states(self) -> Iterator[State]:
        """Replay the game: the start, then the position after each ply. Raises RecordError at the first bad ply."""
        state = self.game.start()
        yield state
        for number, ply in enumerate(self.plies):
            state = _after(state, ply, number, None)
            yield state

    @property
    def final(self) -> State:
        """The position after the last ply."""
        *_, last = self.states()
        return last


def to_json(record: Record) -> str:
    """Return the record as one line of JSON."""
    clocks = [ply.clock if isinstance(ply, RecordedMove) else None for ply in record.plies]
    fields = {
        "kind": "record",
        "game": record.game.name,
        "options": dict(record.game.options),
        "players": list(record.players),
        "places": None if record.places is None else list(record.places),
        "termination": record.termination,
        "time_control": record.time_control,
        "started": write_date(record.started),
        "ended": write_date(record.ended),
        "tags": dict(record.tags),
        "moves": [ply.text if isinstance(ply, RecordedMove) else write_leave(ply) for ply in record.plies],
        "clocks": clocks if any(clock is not None for clock in clocks) else [],
    }
    return printable_json({name: value for name, value in fields.items() if value not in ("", [], {})})


def printable_json(value: object) -> str:
    """Return a value as one line of JSON, with every control or invisible character escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def from_json(line: str, number: int | None = None) -> Record:
    """Parse the record of one line of JSON and replay it. Raises RecordError with the line `number`."""
    try:
        fields = json.loads(line)
        if not isinstance(fields, dict):
            raise TypeError("a record is a JSON object")
        moves, clocks = fields.get("moves", []), fields.get("clocks", [])
        if not (isinstance(moves, list) and all(isinstance(move, str) for move in moves)):
            raise TypeError("`moves` is a list of strings")
        clocks = clocks or [None] * len(moves)
        if len(clocks) != len(moves) or not all(clock is None or type(clock) is int for clock in clocks):
            raise TypeError("`clocks` has one number of milliseconds, or null, for each move")
        places = fields.get("places")
        if not (places is None or (isinstance(places, list) and all(type(place) is int for place in places))):
            raise TypeError("`places` is a list of numbers, or null")
        record = Record(
            game=engine.load(fields.get("game", ""), **fields.get("options", {})),
            plies=tuple(read_ply(move, clock) for move, clock in zip(moves, clocks, strict=True)),
            players=tuple(map(str, fields.get("players", ()))),
            places=None if places is None else tuple(places),
            termination=str(fields.get("termination", "")),
            time_control=str(fields.get("time_control", "")),
            started=read_date(fields.get("started")),
            ended=read_date(fields.get("ended")),
            tags={str(name): str(value) for name, value in fields.get("tags", {}).items()},
        )
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(str(error), line=number) from error
    check(record, [number] * len(record.plies), number)
    return record


def check(record: Record, lines: list[int | None], line: int | None) -> None:
    """Replay a record and compare its end with its `places`; `lines` has each ply's line, for the error."""
    seats = record.game.seats
    if record.players and len(record.players) != seats:
        raise RecordError(f"there are {len(record.players)} players for {seats} seats", line=line)
    state = record.game.start()
    for number, (ply, at) in enumerate(zip(record.plies, lines, strict=True)):
        state = _after(state, ply, number, at)
    outcome, places = state.outcome, record.places
    if outcome is not None and places != outcome.places:
        given, claimed = write_result(outcome.places), write_result(places)
        raise RecordError(f"the moves give the result {given}, not {claimed}", line=line)
    if outcome is None and places is not None and not _is_unfinished_draw(record, places):
        raise RecordError(
            f"the moves do not finish the game, so its result cannot be {write_result(places)}", line=line
        )


def _is_unfinished_draw(record: Record, places: tuple[int, ...]) -> bool:
    """Return whether the result can be an agreed draw, one by the server's limit of plies, or one of those who are left
    where a player's failure ended a game of several."""
    game = record.game
    left = [ply for ply in record.plies if isinstance(ply, SeatLeft)]
    may_be_drawn = (
        game.has_draws
        or record.termination == "ply_limit"
        or (len(left) == 1 and record.plies[-1] == left[0] and left[0].reason == record.termination)
    )
    return may_be_drawn and len(places) == game.seats and places.count(1) > 1


def _after(state: State, ply: Ply, number: int, line: int | None) -> State:
    try:
        match ply:
            case RecordedMove(text):
                return engine.apply(state, text)
            case SeatLeft(seat):
                after = state.leave(seat)
                if state.outcome is not None or after == state:
                    raise ValueError(f"seat {seat} cannot leave: it is out already, or the game is over")
                return after
            case _:
                assert_never(ply)
    except ValueError as error:
        raise RecordError(str(error), line=line, ply=number) from error


def read_ply(token: str, clock: int | None) -> Ply:
    """Parse a move's notation or `leave=SEAT:REASON`."""
    left = _LEAVE.fullmatch(token)
    return SeatLeft(int(left[1]), left[2] or "resigned") if left else RecordedMove(token, clock)


def write_leave(ply: SeatLeft) -> str:
    """Return `leave=SEAT:REASON`."""
    return f"leave={ply.seat}:{ply.reason}"


def read_date(text: str | None) -> datetime | None:
    """Parse a time in ISO 8601, in UTC where it has no offset."""
    if not text:
        return None
    date = datetime.fromisoformat(text)
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def write_date(date: datetime | None) -> str:
    """Return a time in ISO 8601; empty for None."""
    return "" if date is None else date.isoformat().replace("+00:00", "Z")


def read_result(text: str, seats: int) -> tuple[int, ...] | None:
    """Parse a result into places; the inverse of `write_result`."""
    if text == "*":
        return None
    if seats == 2:
        for places, score in _RESULT_BY_PLACES.items():
            if score == text:
                return places
        raise ValueError(f"the result of two players is 1-0, 0-1, 1/2-1/2 or *, not {text!r}")
    if not re.fullmatch(r"\d(-\d)+", text):
        raise ValueError(f"the result of {seats} players is the place of each, as in 1-3-2, or *, not {text!r}")
    return tuple(map(int, text.split("-")))


def write_result(places: tuple[int, ...] | None) -> str:
    """Return `1-0`, `0-1` or `1/2-1/2` for two players, the places by seat for more, `*` for an unfinished game."""
    return "*" if places is None else _RESULT_BY_PLACES.get(places) or "-".join(map(str, places))
