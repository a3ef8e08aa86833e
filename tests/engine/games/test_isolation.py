"""Isolation: placing, sliding, dice, and the elimination of three and four players."""

from __future__ import annotations

import random

import pytest

from cornered import engine
from cornered.engine import CHANCE, Outcome, State


def position(text: str, **options: int | bool) -> State:
    rows = text.split(" ")[0].split("/")
    return engine.load("isolation", width=len(rows[0]), height=len(rows), **options).parse(text)


def test_a_pawn_slides_any_distance_in_eight_directions_until_something_is_in_the_way() -> None:
    assert position("...../.x.../..0../.1.../..... 0").moves() == [
        *("c1", "e1"),
        *("c2", "d2"),
        *("a3", "b3", "d3", "e3"),
        *("c4", "d4"),
        *("c5", "e5"),
    ]


def test_a_slide_does_not_go_round_the_board() -> None:
    state = position("......../xxxxxxxx/.......x/xxxxxxx0/.......x/xxxxxxxx/1......./........ 0")
    assert state.moves() == ["g4", "g6"]


def test_a_player_who_cannot_move_is_out_and_play_goes_on_with_the_next() -> None:
    state = position("0...3/...../xx.../1x2.. 0", players=4)
    assert state.to_move == 0
    state = state.play("b3")
    assert str(state) == "x...3/.0.../xx.../1x2.. 2 out=1"
    assert state.outcome is None


def test_the_last_one_left_wins_and_the_places_are_those_of_dropping_out() -> None:
    state = position("1x2/xx./0.. 0", players=3).play("c1")
    assert str(state) == "1x2/xx./x.0 2 out=1"
    state = state.play("c2")
    assert state.outcome is None
    state = state.play("b1")
    assert state.outcome == Outcome(winner=0, places=(1, 3, 2))
    assert str(state).endswith(" 0 out=1,2")
    assert state.moves() == []


def test_the_seats_have_equal_rights() -> None:
    """With the seats renamed a position has the same moves."""
    for options in ({"width": 8, "height": 3, "players": 3}, {"width": 5, "height": 6, "players": 4, "dice": True}):
        game, chance = engine.load("isolation", **options), random.Random(7)
        state = game.start()
        renamed = str.maketrans("0123", "1230" if game.seats == 4 else "1203")
        while state.outcome is None:
            board, turn, *facts = str(state).split(" ")
            # A roll stays what it is, and the seats that are out are listed in order.
            named = {fact.partition("=")[0]: fact.partition("=")[2] for fact in facts}
            changed = {
                name: value if name == "roll" else ",".join(sorted(value.translate(renamed).split(",")))
                for name, value in named.items()
            }
            words = (board.translate(renamed), turn.translate(renamed), *(f"{n}={v}" for n, v in changed.items()))
            turned = game.parse(" ".join(words))
            assert (turned.moves(), turned.perft(2)) == (state.moves(), state.perft(2))
            state = state.play(chance.choice(state.moves()))


def test_players_can_be_out_all_at_once() -> None:
    state = engine.load("isolation", width=2, height=2, players=4).start()
    for cell in ("a1", "b1", "a2", "b2"):
        state = engine.apply(state, cell)
    assert state.outcome == Outcome(winner=3, places=(4, 3, 2, 1))


def test_a_player_who_leaves_keeps_the_cell_blocked_and_gets_the_last_free_place() -> None:
    state = engine.load("isolation", players=3).start().play("a1").play("g7").leave(1)
    assert str(state) == "......1/......./......./......./......./......./0...... 2 out=1"
    state = state.leave(2)
    assert state.outcome == Outcome(winner=0, places=(1, 3, 2))


def test_dice_are_rolled_before_each_slide_but_not_before_placing() -> None:
    state = engine.load("isolation", dice=True).start()
    assert state.to_move == 0
    state = state.play("d4").play("a1")
    assert state.to_move == CHANCE
    assert str(state).endswith(" c mover=0")
    assert state.moves() == ["1", "2", "3"]
    state = state.play("2")
    assert state.to_move == 0
    assert str(state).endswith(" 0 roll=2")
    assert "d6" in state.moves()
    assert "d7" not in state.moves()
    assert state.play("d6").to_move == CHANCE


def test_a_stuck_player_has_lost_before_any_roll() -> None:
    state = position("0x./xx./..1 0", dice=True)
    assert state.outcome == Outcome(winner=1, places=(2, 1))
    assert state.moves() == []


def test_leaving_before_another_ones_roll_or_slide_changes_nothing_for_that_one() -> None:
    rolling = position("0..../...../..1../...../....2 c mover=0", players=3, dice=True)
    assert str(rolling.leave(1)) == "0..../...../..1../...../....2 c mover=0 out=1"
    assert str(rolling.play("3").leave(1)) == "0..../...../..1../...../....2 0 roll=3 out=1"
    assert str(rolling.play("3").leave(0)) == "0..../...../..1../...../....2 c mover=1 out=0"


def test_a_refusal_says_why() -> None:
    state = position("...../...../..1../...../0x... 0 roll=3", dice=True)
    reasons = {
        "b1": "b1 is blocked",
        "a1": "your pawn already stands on a1",
        "c3": "another pawn stands on c3",
        "b3": "a pawn slides in a straight line, also diagonally",
        "a5": "the roll allows 3 steps at most",
        "c1": "something stands or is blocked on the way to c1",
        "f1": "a move is the name of a cell, a1 to e5",
        "2": "a move is the name of a cell, a1 to e5",
    }
    assert {move: state.explain(move) for move in reasons} == reasons
    waiting = position("...../...../..1../...../0x... c mover=0", dice=True)
    assert "the dice show 1, 2 or 3" in waiting.explain("a2")


def test_a_text_at_odds_with_the_options_is_refused(subtests: pytest.Subtests) -> None:
    plain = ("0./1. c", "0./1. c mover=0", "0./1. 0 roll=2", "0./1. 0 mover=0", "0./1. 0 out=0,1", "00/1. 0")
    # With dice a text must say what was rolled.
    rolled = ("0./1. 0", "0./1. c", "0./1. c mover=0 roll=1", "0./1. 0 roll=4")
    for text, dice in (*((text, False) for text in plain), *((text, True) for text in rolled)):
        with subtests.test(text, dice=dice), pytest.raises(ValueError, match=" "):
            position(text, dice=dice)
    assert position("../1. 0", dice=True).to_move == 0
