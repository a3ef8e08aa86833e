"""The moves of the Quoridor Text Protocol, which turns the board over."""

from __future__ import annotations

import random

import pytest

from cornered import engine
from cornered.bots.qtp.notation import colour_of, is_playable, move_between, move_of, vertex_of, walls_of, written
from cornered.bots.qtp.notation import quoridor as as_quoridor


def test_a_vertex_is_a_cell_on_the_turned_board() -> None:
    for words, size, move in (
        # Black begins in the middle of the highest rank, seat 0 in that of the first.
        ("E9", 9, "e1"),
        ("e1", 9, "e9"),
        # Below B5 and C5, as the protocol's referee draws it: before black's pawn on C5, and ours on c1.
        ("B5 horizontal", 5, "b1h"),
        ("C5 H", 5, "c1h"),
        # To the right of A9 and A8.
        ("A9 vertical", 9, "a1v"),
        ("H2 v", 9, "h8v"),
    ):
        assert move_of(words.split(), size) == move
        orientation = {"h": " horizontal", "v": " vertical"}.get(move[-1], "")
        assert written(move, size) == words.split()[0].upper() + orientation


def test_every_move_is_read_as_it_is_written() -> None:
    for size in (3, 5, 7, 9):
        for move in engine.load("quoridor", size=size).start().moves():
            assert move_of(written(move, size).split(), size) == move


def test_what_is_no_vertex_is_refused(subtests: pytest.Subtests) -> None:
    for words in ("", "E", "9E", "J1", "E10", "E0", "E2 diagonal", "E2 h h", "E²"):
        with subtests.test(words), pytest.raises(ValueError, match="is no vertex"):
            move_of(words.split(), 9)


def test_colours_have_long_and_short_names() -> None:
    assert [colour_of(word) for word in ("black", "B", "White", "w")] == [0, 0, 1, 1]
    with pytest.raises(ValueError, match="is no colour"):
        colour_of("red")


def test_the_move_between_two_positions_is_found_and_no_other() -> None:
    chance = random.Random(3)
    for _ in range(20):
        state = as_quoridor(engine.load("quoridor", size=5).start())
        before = None
        while state.outcome is None:
            move = chance.choice(state.moves())
            after = state.play(move)
            assert move_between(state, after) == move
            assert before is None or move_between(before, after) is None
            assert (move in walls_of(after)) == (move[-1] in "hv")
            before, state = state, after
    assert move_between(engine.load("quoridor", size=5).start(), engine.load("quoridor").start()) is None


def test_only_the_game_of_two_is_playable() -> None:
    assert is_playable(engine.load("quoridor", max_plies=100))
    assert not is_playable(engine.load("quoridor", players=4))
    assert not is_playable(engine.load("trapgrid"))
    assert vertex_of("a1", 3) == "A3"
