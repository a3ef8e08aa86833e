"""Opening books: built step by step, and found again in a mirror."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cornered import engine
from cornered.bots import book
from cornered.bots.book import Entry, lookup, path_of, read
from cornered.bots.book.building import build
from cornered.bots.book.mirror import mirrored, standard
from cornered.cli.book import app
from cornered.engine import Game
from tests.bots.scenes import after

SMALL = engine.load("quoridor", size=5)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the books of this test."""
    monkeypatch.setattr(book, "DATA", tmp_path)
    return tmp_path


def built(path: Path, positions: int, game: Game = SMALL) -> list[int]:
    return list(build(game, path, "a command", positions, 300))


def test_a_mirror_swaps_files_and_keeps_ranks() -> None:
    assert [mirrored(move, 9) for move in ("e1", "a2", "i9", "a1h", "h8v", "d3v", "pass")] == [
        "e1", "i2", "a9", "h1h", "a8v", "e3v", "pass",
    ]  # fmt: skip


def test_the_mirror_image_of_any_game_is_the_same_to_a_book() -> None:
    start = engine.load("quoridor").start()
    for number in range(20):
        chance, one, two = random.Random(number), start, start
        for _ in range(14):
            move = chance.choice(one.moves())
            one, two = engine.apply(one, move), engine.apply(two, mirrored(move, 9))
            if one.outcome is not None:
                break
            first, second = standard(one), standard(two)
            assert first.text == second.text
            assert first.is_mirrored != second.is_mirrored or str(one) == str(two)


def test_a_book_is_found_on_both_sides_of_the_mirror(shelf: Path) -> None:
    game = engine.load("quoridor")
    moves = "d1 e8 a3h"
    state = after("quoridor", moves)
    entry = Entry(standard(state).text, 7, (("d8" if not standard(state).is_mirrored else "f8", 0.5),))
    path_of(game).write_text("{}\n" + entry.as_json() + "\n", encoding="utf-8")
    one, two = lookup(state), lookup(after("quoridor", " ".join(mirrored(move, 9) for move in moves.split())))
    assert one is not None
    assert two is not None
    assert (one.move, two.move) == ("d8", "f8")
    assert (one.score, one.depth, one.pv) == (0.5, 7, ("d8",))
    assert lookup(after("quoridor", "d1 e8 b3h")) is None


def test_a_book_is_never_asked_about_other_options(shelf: Path) -> None:
    built(path_of(SMALL), 2)
    assert lookup(SMALL.start()) is not None
    assert lookup(engine.load("quoridor", size=5, walls=4).start()) is None
    assert lookup(engine.load("quoridor", size=5, max_plies=100).start()) is None
    assert lookup(engine.load("trapgrid").start()) is None


def test_a_build_that_was_stopped_goes_on_to_the_same_book(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    assert built(whole, 6) == list(range(7))
    built(parts, 2)
    with parts.open("a", encoding="utf-8") as file:
        file.write('{"position":"cut off')
    assert built(parts, 6) == [2, 3, 4, 5, 6]
    assert parts.read_text(encoding="utf-8") == whole.read_text(encoding="utf-8")
    assert len(read(whole)) == 6


def test_what_is_no_book_or_one_of_other_options_is_left_alone(tmp_path: Path, subtests: pytest.Subtests) -> None:
    book_of_others, path = tmp_path / "book.jsonl", tmp_path / "notes"
    built(book_of_others, 1)
    before = book_of_others.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="a book of other options: quoridor with size=5"):
        built(book_of_others, 2, engine.load("quoridor", size=5, walls=4))
    assert book_of_others.read_text(encoding="utf-8") == before
    for text in ("notes", "notes\n", "[]\n", '{"game":"quoridor","options":1}\n', "{}\nnotes\n"):
        with subtests.test(text):
            path.write_text(text, encoding="utf-8")
            with pytest.raises(ValueError, match="is no book"):
                built(path, 1)
            assert path.read_text(encoding="utf-8") == text


def test_a_finished_book_says_so(tmp_path: Path) -> None:
    path = tmp_path / "book.jsonl"
    built(path, 2)
    asked = ("quoridor", "-o", "size=5", "--positions", "2", "--out", str(path))
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    assert done.stderr == "book.jsonl has 2 positions already\n"
    assert done.stdout == f"{path}\n"


def test_every_shipped_book_tells_its_command_and_has_only_legal_moves() -> None:
    shipped = sorted(book.DATA.glob("*.jsonl"))
    assert shipped
    for path in shipped:
        head = json.loads(path.read_text(encoding="utf-8").split("\n")[0])
        game = engine.load(head["game"], **head["options"])
        assert path == path_of(game)
        assert head["command"].startswith("cornered book quoridor")
        entries = read(path)
        assert standard(game.start()).text in entries
        for entry in entries.values():
            state = game.parse(entry.position)
            assert standard(state).text == entry.position
            assert all(state.is_legal(move) for move, _ in entry.moves)
            found = lookup(state)
            assert found is not None
            assert found.move == entry.moves[0][0]
