"""The data behind a finding: one line a game or item, and the same bytes for the same data."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cornered.engine.progress import no_report
from cornered.lab.contests.terms import ContestTerms, Effort, Fixture, PlayedGame
from cornered.lab.experiments.data_tables import GAME_COLUMNS, SEATS, DataTable, describe, game_table, item_table
from cornered.lab.experiments.laboratory import Laboratory
from tests.lab.inline import Inline

TERMS = ContestTerms.of("trapgrid", {"size": 3})


def read(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def game(number: int, moves: str, winner: int | None) -> PlayedGame:
    efforts = (Effort(2, 0.123456789, 0.1, 30, 4), Effort(1, 0.5, 0.5, 7, 2))
    fixture = Fixture(number, ("a:x=1,y=2", "b"), ("b1", "b3"), number // 2)
    return PlayedGame(fixture, tuple(moves.split()), winner, "rules", efforts)


GAMES = [game(0, "b1 b3 c1", 0), game(1, "b1 b3 c2 a1", None), game(2, "b1 b3 c1", 1)]


def test_a_game_is_a_line_with_its_bots_result_and_effort(tmp_path: Path) -> None:
    table = game_table(tmp_path / "games.csv.gz", GAMES)
    first, second, third = read(tmp_path / "games.csv.gz")
    assert table.lines == 3
    assert first["first"] == "a:x=1,y=2"
    assert (first["winner"], second["winner"], third["winner"]) == ("first", "draw", "second")
    assert (first["plies"], second["plies"]) == ("3", "4")
    assert first["opening"] == "b1 b3"
    assert [line["pair"] for line in (first, second, third)] == ["0", "0", "1"]
    assert (first["first_moves"], first["first_nodes"], first["second_depths"]) == ("2", "30", "2")
    assert first["first_seconds"] == "0.1235"
    assert [line["same_as"] for line in (first, second, third)] == ["", "", "0"]


def test_every_column_of_games_is_described(tmp_path: Path) -> None:
    columns = game_table(tmp_path / "games.csv.gz", GAMES).columns
    assert {name.replace("SEAT", seat) for name in GAME_COLUMNS for seat in SEATS} == set(columns)


def test_equal_games_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("one", "other"):
        game_table(tmp_path / name, GAMES)
    one = (tmp_path / "one").read_bytes()
    assert one == (tmp_path / "other").read_bytes()
    assert one[3:8] == bytes(5), "neither a name nor a time is in the head"


class Point(NamedTuple):
    size: int
    label: str


def square(item: Any) -> Any:
    """Return the square."""
    return item


def test_an_item_is_a_line_with_what_is_plain_of_it_and_its_result(tmp_path: Path, subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[Sequence[Any], Sequence[Any], list[dict[str, str]]], ...] = (
        ([3, 4], [9, 16], [{"item": "3", "result": "9"}, {"item": "4", "result": "16"}]),
        ([(TERMS, ("b1", "c1"), 5)], [0.1234567891], [{"game": "trapgrid", "moves_2": "2", "item_3": "5"}]),
        ([(TERMS, ("b1", "c1"), 5)], [0.1234567891], [{"result": "0.123457"}]),
        ([Point(3, "x")], [True], [{"size": "3", "label": "x", "result": "1"}]),
        ([1, 2], [{"a b": 1}, None], [{"a_b": "1"}, {"a_b": ""}]),
        ([1], [{"cells": [4, 5]}], [{"cells": "4 5"}]),
        ([1], [{"looks": {"2": 0.5, "3": [1, 2]}}], [{"looks_2": "0.5", "looks_3": "1 2"}]),
        ([8], [[{"n": 1}, {"n": 2}]], [{"item": "8", "part": "0", "n": "1"}, {"item": "8", "part": "1", "n": "2"}]),
    )
    for items, results, lines in rows:
        with subtests.test(items=items, results=results, lines=lines):
            table = item_table(tmp_path / "items.csv.gz", square, items, results)
            found = read(tmp_path / "items.csv.gz")
            assert table.lines == len(found) == len(lines)
            for line, expected in zip(found, lines, strict=True):
                assert expected.items() <= line.items()
            assert table.about == "Each line is an item, measured by `square`: Return the square."


def taken_apart(item: tuple[str, int]) -> int:
    """Return the number."""
    name, number = item
    return number if name else 0


def test_the_description_names_files_columns_and_parts_of_items(tmp_path: Path) -> None:
    table = item_table(tmp_path / "items.csv.gz", taken_apart, [("a", 1)], [1])
    assert table.about.endswith("Return the number. Item: `name`, `number`.")
    assert '"Item" above names the parts in order' in describe("Some", "make", {"items": table})

    tables = {"games": DataTable(1200, ("number", "ending", "plies"), "Each line is a game.")}
    text = describe("Some games", "make games", tables)
    assert "- `games.csv.gz`, 1,200 lines. Each line is a game. Columns: `number`, `ending`, `plies`." in text
    assert "- `SEAT_depths`: " in text
    assert "Columns of items" not in text


def test_a_laboratory_keeps_the_data_of_each_step(tmp_path: Path) -> None:
    lab = Laboratory(Inline(), tmp_path, "tiny", 1, no_report)
    lab.measure("squares", square, [1, 2, 3])
    games = lab.play("games", TERMS, [Fixture(number, ("random", "random")) for number in range(4)])
    assert {step: table.lines for step, table in lab.tables.items()} == lab.counts == {"squares": 3, "games": 4}
    assert [line["plies"] for line in read(lab.data_folder / "games.csv.gz")] == [str(len(g.moves)) for g in games]
    before = (lab.data_folder / "games.csv.gz").read_bytes()
    again = Laboratory(Inline(), tmp_path, "tiny", 1, no_report)
    again.play("games", TERMS, [Fixture(number, ("random", "random")) for number in range(4)])
    assert (lab.data_folder / "games.csv.gz").read_bytes() == before, "read from the journal, nothing changes"
