"""Records as text in the style of PGN: tags in brackets, then the moves with their clocks in comments.

    [Game "isolation"]
    [Options "width=7 height=7 players=3 dice=true"]
    [Player0 "Ann"]
    [Result "1-3-2"]

    1. d4 {[%clk 0:04:58.250]} a1 g7 2. roll=2 d6 leave=1:time roll=3 ...

`roll=2` is a roll of the dice; `leave=1:time` is the departure of seat 1 with its reason. A number precedes every round
of as many moves as there are seats. Tag values are JSON strings, in which non-printable characters are escaped.

As in PGN's import format, spaces and line breaks between words have no meaning, `1.d4` is `1. d4`, and what lies
between braces, from `;` to the end of a line, or in a line that begins with `%`, is a comment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from cornered import engine
from cornered.engine.game import CHANCE, OptionValue
from cornered.engine.records.record import (
    Ply,
    Record,
    RecordedMove,
    RecordError,
    SeatLeft,
    check,
    printable_json,
    read_date,
    read_ply,
    read_result,
    write_date,
    write_leave,
    write_result,
)

__all__ = ["from_text", "read_option", "to_lines", "to_text"]

_TOKEN: Final = re.compile(
    r"""
    \[ \s* (?P<tag>[A-Za-z]\w*) \s+ (?P<value>"(?:[^"\\\n]|\\.)*") \s* \]
    | \{ (?P<comment>[^}]*) \}
    | (?P<skipped> ;[^\n]* | ^%[^\n]* | \ufeff)  # Files that are joined keep their byte order marks.
    | (?P<number>\d+\.+)
    | (?P<word>[^\s{}\[\];]+)
    | (?P<bad>\S)
    """,
    re.MULTILINE | re.VERBOSE,
)
_CLOCK_TAG: Final = re.compile(r"\[%clk (\d+):(\d\d):(\d\d)(?:\.(\d{1,3}))?\]")
_RESULT: Final = re.compile(r"\*|1/2-1/2|\d(?:-\d)+")
_LINE_CHARACTERS: Final = 100


def to_text(record: Record) -> str:
    """Return the record as tags and moves, with an empty line at the end, so that texts can be concatenated."""
    return "\n".join([*to_lines(record), ""])


def to_lines(record: Record) -> Iterator[str]:
    """Yield the lines of `to_text` one by one, since the replay of the moves takes time."""
    options = " ".join(f"{name}={str(value).lower()}" for name, value in record.game.options.items())
    result = write_result(record.places)
    about = {
        "Termination": record.termination,
        "TimeControl": record.time_control,
        "Started": write_date(record.started),
        "Ended": write_date(record.ended),
    }
    tags = {
        "Game": record.game.name,
        "Options": options,
        **{f"Player{seat}": name for seat, name in enumerate(record.players)},
        "Result": result,
        **{name: value for name, value in about.items() if value},
        **record.tags,
    }
    yield from (f"[{name} {printable_json(value)}]" for name, value in tags.items())
    yield ""
    yield from _wrapped(chain(_write_plies(record), (result,)))
    yield ""


@dataclass
class _Read:
    """What was read of one record: the tags, then the words of its moves, each with its line."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)
    plies: list[Ply] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)
    result: str | None = None
    """The word that ends the moves."""

    @property
    def has_moves(self) -> bool:
        """Whether a tag that follows is another record's."""
        return bool(self.plies) or self.result is not None


def from_text(text: str) -> list[Record]:
    """Parse the records of a text and replay them. Raises RecordError at the first invalid one."""
    records: list[Record] = []
    read: _Read | None = None
    here, counted = 1, 0
    for token in _TOKEN.finditer(text):
        here += text.count("\n", counted, token.start())
        counted = token.start()
        if token["bad"]:
            raise _unreadable(text, token, here)
        if token["skipped"] or (token["comment"] is not None and read is None):
            continue
        if read is not None and read.has_moves and token["tag"]:
            records.append(_record(read))
            read = None
        if read is None:
            read = _Read(here)
        _take(read, token, here)
    return records if read is None else [*records, _record(read)]


def _unreadable(text: str, token: re.Match[str], line: int) -> RecordError:
    if token["bad"] in "[]":
        written = text[text.rfind("\n", 0, token.start()) + 1 :].partition("\n")[0].strip()
        return RecordError(f'a tag reads [Name "value"], not {written}', line=line)
    return RecordError(f"a comment's {token['bad']!r} has no partner", line=line)


def _take(read: _Read, token: re.Match[str], line: int) -> None:
    """Add a token to the record."""
    if token["tag"]:
        if token["tag"] in read.tags:
            raise RecordError(f"the tag {token['tag']} is there twice", line=line)
        try:
            read.tags[token["tag"]] = json.loads(token["value"])
        except ValueError:
            raise RecordError(f'a tag reads [Name "value"], not {token[0]}', line=line) from None
    elif token["comment"] is not None:
        clock = _CLOCK_TAG.search(token["comment"])
        if clock and read.plies and isinstance(read.plies[-1], RecordedMove):
            read.plies[-1] = RecordedMove(read.plies[-1].text, _milliseconds(clock))
    elif word := token["word"]:
        if read.result is not None:
            raise RecordError(f"{word!r} follows the result; a new game begins with its tags", line=line)
        if _RESULT.fullmatch(word):
            read.result = word
            told = read.tags.get("Result", "*")
            if word != told:
                raise RecordError(f"the moves end with {word}, but the Result tag is {told}", line=line)
        else:
            read.plies.append(read_ply(word.removeprefix("roll="), None))
            read.lines.append(line)


def _record(read: _Read) -> Record:
    tags = read.tags
    if "Game" not in tags:
        raise RecordError('a record begins with its tags, among them [Game "..."]', line=read.line)
    result = tags.pop("Result", "*")
    try:
        game = engine.load(tags.pop("Game"), **dict(map(read_option, tags.pop("Options", "").split())))
        seats = range(game.seats)
        record = Record(
            game=game,
            plies=tuple(read.plies),
            players=tuple(tags.pop(f"Player{seat}", "?") for seat in seats) if "Player0" in tags else (),
            places=read_result(result, game.seats),
            termination=tags.pop("Termination", ""),
            time_control=tags.pop("TimeControl", ""),
            started=read_date(tags.pop("Started", None)),
            ended=read_date(tags.pop("Ended", None)),
            tags=tags,
        )
    except ValueError as error:
        raise RecordError(str(error), line=read.line) from error
    check(record, read.lines, read.line)
    return record


def _write_plies(record: Record) -> Iterator[str]:
    """Yield the plies with a number before every round, which has as many moves as seats, and rolls and leaves."""
    moves, seats, is_numbered = 0, record.game.seats, False
    for state, ply in zip(record.states(), record.plies, strict=False):
        number = f"{moves // seats + 1}. " if moves % seats == 0 and not is_numbered else ""
        is_numbered = True
        match ply:
            case RecordedMove(text) if state.to_move == CHANCE:
                yield f"{number}roll={text}"
            case RecordedMove(text, clock):
                moves += 1
                is_numbered = moves % seats != 0
                yield f"{number}{text}" if clock is None else f"{number}{text} {{[%clk {_write_clock(clock)}]}}"
            case SeatLeft():
                yield f"{number}{write_leave(ply)}"


def _wrapped(words: Iterable[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > _LINE_CHARACTERS:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def read_option(word: str) -> tuple[str, OptionValue]:
    """Parse `size=5`, `dice=true` or `max_plies=none` into name and value. Raises a ValueError for anything else."""
    name, _, value = word.partition("=")
    words: dict[str, OptionValue] = {"true": True, "false": False, "none": None}
    if value in words:
        return name, words[value]
    if not re.fullmatch(r"-?\d+", value):
        raise ValueError(f"an option reads name=number, name=true, name=false or name=none, not {word!r}")
    return name, int(value)


def _milliseconds(clock: re.Match[str]) -> int:
    hours, minutes, seconds, fraction = clock.groups(default="0")
    return (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 1000 + int(fraction.ljust(3, "0"))


def _write_clock(milliseconds: int) -> str:
    seconds, fraction = divmod(milliseconds, 1000)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}" + (f".{fraction:03}" if fraction else "")
