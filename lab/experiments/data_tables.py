"""The data behind a finding: one compressed CSV file for each step of an experiment, with one line a game or item.

Equal data gives equal bytes. Moves are left out for their size; figures have six significant digits.
"""

from __future__ import annotations

import csv
import gzip
import inspect
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from cornered.lab.contests.terms import ContestTerms, PlayedGame

__all__ = ["SUFFIX", "DataTable", "describe", "game_table", "item_table"]

SUFFIX: Final = ".csv.gz"
SEATS: Final = ("first", "second")
GAME_COLUMNS: Final[Mapping[str, str]] = {
    "number": "number of the game in this step, from 0",
    "pair": "games of a pair have the same opening and swapped seats",
    "first": "bot of the first seat",
    "second": "bot of the second seat",
    "opening": "moves of the opening, which no bot chose; the effort below is that after it",
    "winner": "`first`, `second` or `draw`",
    "ending": "`rules`; `adjudicated`, both bots proved the result; `length`, a draw at the maximum number of plies",
    "plies": "moves of both, the opening's included",
    "same_as": "number of the first game with the same moves from the start; empty where no earlier game has them",
    "SEAT_moves": "moves of the seat's bot",
    "SEAT_seconds": "its time for them",
    "SEAT_slowest": "seconds of its slowest move",
    "SEAT_nodes": "nodes that it searched",
    "SEAT_depths": "sum over its moves of the depth completed",
}
"""Meaning of each column of games; SEAT is each of SEATS."""

_TAKEN_APART: Final = re.compile(r"^    (\w+(?:, \w+)+) = item$", re.MULTILINE)

Cell: TypeAlias = str | int
Line: TypeAlias = dict[str, Cell]


@dataclass(frozen=True, slots=True)
class DataTable:
    """A file of data: its number of lines without the heading, its columns, and a sentence about a line."""

    lines: int
    columns: tuple[str, ...]
    about: str


def game_table(path: Path, games: Sequence[PlayedGame]) -> DataTable:
    """Write one line a game to `path`."""
    known: dict[tuple[str, ...], int] = {}
    lines: list[Line] = []
    for played in games:
        fixture = played.fixture
        earlier = known.setdefault(played.moves, fixture.number)
        line: Line = {
            "number": fixture.number,
            "pair": fixture.pair,
            **dict(zip(SEATS, fixture.players, strict=True)),
            "opening": " ".join(fixture.opening),
            "winner": "draw" if played.winner is None else SEATS[played.winner],
            "ending": played.ending,
            "plies": len(played.moves),
            "same_as": "" if earlier == fixture.number else earlier,
        }
        for seat, effort in zip(SEATS, played.efforts, strict=True):
            line[f"{seat}_moves"] = effort.moves
            line[f"{seat}_seconds"] = _seconds(effort.seconds)
            line[f"{seat}_slowest"] = _seconds(effort.slowest)
            line[f"{seat}_nodes"] = effort.nodes
            line[f"{seat}_depths"] = effort.depths
        lines.append(line)
    return _write(path, lines, "Each line is a game.")


def item_table(path: Path, function: Callable[[Any], Any], items: Sequence[Any], results: Sequence[Any]) -> DataTable:
    """Write one line an item to `path`, or one for each element of a result that is a list of objects."""
    lines: list[Line] = []
    for index, (item, result) in enumerate(zip(items, results, strict=True)):
        given: Line = {"index": index, **_item_cells(item)}
        if isinstance(result, list) and all(isinstance(part, Mapping) for part in result):
            lines += [{**given, "part": place, **_result_cells(part)} for place, part in enumerate(result)]
        else:
            lines.append({**given, **_result_cells(result)})
    about = " ".join((inspect.getdoc(function) or "").split())
    return _write(path, lines, f"Each line is an item, measured by `{function.__name__}`: {about}{_parts(function)}")


def _parts(function: Callable[[Any], Any]) -> str:
    """Return a sentence with the names of an item's parts, from the line in which the function takes it apart."""
    named = _TAKEN_APART.search(inspect.getsource(function))
    return f" Item: `{'`, `'.join(named[1].split(', '))}`." if named else ""


def describe(title: str, made_by: str, tables: Mapping[str, DataTable]) -> str:
    """Return the Markdown page about the files of an experiment, by step."""
    lines = [
        f"# Data: {title}",
        "",
        f"Made by `{made_by}`. Each file is CSV, compressed by gzip, with a heading; Python reads one with "
        '`csv.DictReader(gzip.open(path, "rt"))`.',
        "",
    ]
    for step, table in tables.items():
        columns = ", ".join(f"`{column}`" for column in table.columns)
        lines += [f"- `{step}{SUFFIX}`, {table.lines:,} lines. {table.about} Columns: {columns}."]
    if any("plies" in table.columns and "ending" in table.columns for table in tables.values()):
        lines += ["", "Columns of games; SEAT is `first` or `second`:", ""]
        lines += [f"- `{column}`: {meaning}" for column, meaning in GAME_COLUMNS.items()]
    if any("index" in table.columns for table in tables.values()):
        lines += [
            "",
            "Columns of items: `index` counts them from 0; `item` is what was measured, `item_N` its N-th part, `game` "
            "its game, and `moves_N` the number of moves in its N-th part, which are those from the start to a "
            "position; the others, or `result`, are the result, whose elements `part` counts. A truth value is 1 or 0; "
            'an empty cell is no result. "Item" above names the parts in order.',
        ]
    return "\n".join(lines) + "\n"


def _item_cells(item: Any) -> Line:
    if not isinstance(item, tuple | list):
        return {"item": _cell(item)}
    cells: Line = {}
    names = getattr(item, "_fields", None) or [f"item_{place}" for place in range(1, len(item) + 1)]
    for place, (name, value) in enumerate(zip(names, item, strict=True), 1):
        match value:
            case ContestTerms():
                cells["game"] = value.game
            case str() | int() | float():
                cells[name] = _cell(value)
            case list() | tuple():
                cells[f"moves_{place}"] = len(value)
            case _:
                # What is not plain is the same for every item of a step, and named in the experiment's code.
                pass
    return cells


def _result_cells(result: Any, name: str = "result") -> Line:
    """Return the cells of a result; an object has one for each of its values, an object in it too."""
    if result is None:
        return {}
    if not isinstance(result, Mapping):
        return {name: _cell(result)}
    cells: Line = {}
    for key, value in result.items():
        inner = str(key).replace(" ", "_")
        cells |= _result_cells(value, inner if name == "result" else f"{name}_{inner}")
    return cells


def _seconds(value: float) -> str:
    # A journal keeps microseconds: a game that is read from it has the same line.
    return f"{round(value, 6):.4g}"


def _cell(value: Any) -> Cell:
    match value:
        case None:
            return ""
        case bool():
            return int(value)
        case float():
            return f"{value:.6g}"
        case int() | str():
            return value
        case list() | tuple():
            return " ".join(str(_cell(one)) for one in value)
        case _:
            return str(value)


def _write(path: Path, lines: Iterable[Line], about: str) -> DataTable:
    written = list(lines)
    columns = tuple(dict.fromkeys(column for line in written for column in line))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(written)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Neither the name nor the time is in the file's head: equal data gives equal bytes.
    with path.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.write(text.getvalue().encode())
    return DataTable(len(written), columns, about)
