"""The commands of the rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cornered import engine
from cornered.engine.records.record import Record, RecordedMove, to_json
from cornered.engine.records.text import to_text
from tests.cli.conftest import run

ORACLES = Path(__file__).parents[1] / "data" / "oracles"
RECORD = Record(
    engine.load("trapgrid", size=3),
    (RecordedMove("b3"), RecordedMove("c2"), RecordedMove("c3"), RecordedMove("b2")),
    places=(2, 1),
)


def test_games_lists_every_game_with_its_options() -> None:
    printed = run("games").stdout
    for game in engine.games():
        assert f"{game.name}: {game.summary}" in printed
    assert "--option dice=  Dice limit each slide: true or false (default false)" in printed
    assert "--option size=  Board size: 3 to 8 (default 7)" in printed


def test_games_as_json_holds_what_a_form_needs() -> None:
    listed = {game["name"]: game for game in json.loads(run("games", "--json").stdout)}
    assert set(listed) == {game.name for game in engine.games()}
    width = listed["isolation"]["options"][0]
    assert width["name"] == "width"
    assert width["choices"] == [2, 3, 4, 5, 6, 7, 8]
    assert width["default"] == 7


def test_moves_prints_the_legal_moves_in_one_line() -> None:
    done = run("moves", "trapgrid", "--option", "size=5", "--moves", "b5 e2")
    assert done.stdout == "b4 c5\n"
    assert "seat 0 to move" in done.stderr


def test_moves_of_a_finished_game_are_an_empty_line() -> None:
    done = run("moves", "trapgrid", "-o", "size=3", "-m", "b3 c2 c3 b2")
    assert done.stdout == "\n"
    assert "seat 1 has won" in done.stderr


def test_moves_as_json_says_all_about_the_position() -> None:
    told = json.loads(run("moves", "isolation", "-o", "dice=true", "-m", "d4 a1", "--json").stdout)
    assert told["to_move"] == "chance"
    assert told["legal"] == ["1", "2", "3"]
    assert engine.load("isolation", dice=True).parse(told["position"]).moves() == ["1", "2", "3"]


def test_a_position_text_may_be_the_start() -> None:
    assert run("moves", "trapgrid", "-o", "size=3", "--position", "0x./.../..1 0", "-m", "a2").stdout == "b1 c2\n"


def test_perft_prints_the_count_last() -> None:
    done = run("perft", "quoridor", "--option", "size=5", "--depth", "2")
    assert done.stdout.splitlines()[-1] == "1109"
    assert "M leaves/s" in done.stderr


def test_perft_divides_the_count_among_first_moves() -> None:
    lines = run("perft", "trapgrid", "--depth", "5", "--moves", "a6", "--divide").stdout.splitlines()
    *moves, total = lines
    counts = dict(line.split() for line in moves)
    assert set(counts) == {"f1", "g2"}
    assert sum(map(int, counts.values())) == int(total)
    assert json.loads(run("perft", "trapgrid", "--depth", "0", "--divide", "--json").stdout)["leaves"] == 1


def test_show_draws_the_board_and_says_whose_turn_it_is() -> None:
    printed = run("show", "trapgrid", "-o", "size=3", "-m", "b3", "--hints").stdout
    lines = [line.rstrip() for line in printed.splitlines()]
    assert lines[:4] == ["3  # (A) .", "2  .  .  +", "1  .  +  B", "   a  b  c"]
    assert " A  seat 0, cells in reach: 6" in lines
    assert "seat 1 to move" in lines
    assert lines[-1] == "x0./.../..1 1"


def test_check_counts_what_agrees() -> None:
    done = run("check", str(ORACLES / "trapgrid.jsonl"), str(ORACLES / "isolation.jsonl"))
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == "all: 757 agree, 0 differ"
    assert "trapgrid exact: 247 agree, 0 differ" in done.stdout
    assert "take a search" in done.stdout


def test_check_reads_records_of_both_forms(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text(to_json(RECORD) + "\n\n" + to_json(RECORD) + "\n")
    (tmp_path / "records.txt").write_text(to_text(RECORD) * 3)
    done = run("check", str(tmp_path / "records.jsonl"), str(tmp_path / "records.txt"))
    assert done.exit_code == 0
    assert "trapgrid record: 5 agree, 0 differ" in done.stdout


@pytest.mark.parametrize("write", [to_text, to_json])
def test_check_reads_files_of_any_editor(tmp_path: Path, write: Callable[[Record], str]) -> None:
    path = tmp_path / "records"
    path.write_bytes(b"\xef\xbb\xbf" + f"{write(RECORD)}\n".replace("\n", "\r\n").encode())
    assert "trapgrid record: 1 agree, 0 differ" in run("check", str(path)).stdout


GAME = {"kind": "game", "game": "trapgrid", "options": {"size": 3}, "moves": ["b3", "c2", "c3", "b2"], "winner": 1}
POSITION = {"kind": "position", "game": "trapgrid", "options": {"size": 3}, "moves": ["b3"], "to_move": 1}
EXACT = {**POSITION, "kind": "exact", "value": -1, "winning": []}


DIFFERING: tuple[tuple[object, str], ...] = (
    ({**GAME, "winner": 0}, "the winner: the file says 0, the rules say 1"),
    ({**GAME, "moves": ["b3", "c2", "c3"]}, "the game should be over after its last move"),
    ({**GAME, "moves": ["b3", "c2", "c3", "b2", "a2"]}, "the game is over"),
    ({**GAME, "moves": ["b3", "a1"]}, "'a1' is not legal"),
    ({**GAME, "legal": [["a2"]]}, "missing [], too many ['b3']"),
    ({**GAME, "territory": [[8, 9]]}, "territory at ply 1: the file says [8, 9], the rules say [8, 8]"),
    ({**POSITION, "legal": ["b1", "c2", "c3"]}, "missing ['c3'], too many []"),
    ({**POSITION, "to_move": 0, "legal": ["b1", "c2"]}, "to move: the file says 0, the rules say 1"),
    ({**POSITION, "legal": ["b1", "c2"], "perft": [2, 5]}, "perft(2): the file says 5, the rules say 4"),
    (POSITION, "the line has no 'legal'"),
    ({**EXACT, "winning": ["a1"]}, "winning moves that are not legal"),
    ({**EXACT, "winning": ["b1"]}, "a won position has winning moves"),
    ({**EXACT, "value": 1}, "a won position has winning moves"),
    ({**EXACT, "move_values": {"b1": -3}}, "missing [], too many ['c2']"),
    ({**EXACT, "moves": GAME["moves"], "to_move": 0, "value": 1}, "the value of a finished game"),
    ({**GAME, "game": "chess"}, "there is no game 'chess'"),
    ({**GAME, "kind": "tale"}, "the kind of a line is"),
    ({**GAME, "moves": None}, ""),
    ({**GAME, "options": [1]}, ""),
    ("a string", "not a JSON object"),
)


def test_check_says_what_differs_and_where(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for line, problem in DIFFERING:
        with subtests.test(problem, line=line):
            (tmp_path / "file.jsonl").write_text(json.dumps(GAME) + "\n" + json.dumps(line) + "\n")
            done = run("check", str(tmp_path / "file.jsonl"), "--json")
            assert done.exit_code == 1
            told = json.loads(done.stdout)
            assert sum(count["agree"] for count in told["counts"]) == 1
            assert sum(count["differ"] for count in told["counts"]) == 1
            assert told["problems"][0].startswith(f"{tmp_path}/file.jsonl:2: ")
            assert problem in told["problems"][0]


def test_check_shows_the_first_differences_and_counts_all(tmp_path: Path) -> None:
    (tmp_path / "file.jsonl").write_text("nonsense\n" * 30 + '[Game "trapgrid"]')
    done = run("check", str(tmp_path / "file.jsonl"))
    assert done.exit_code == 1
    assert "... and 11 more" in done.stdout
    assert done.stdout.splitlines()[-1] == "all: 0 agree, 31 differ"
