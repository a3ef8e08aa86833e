"""Draws that a bot accepts and declines."""

from __future__ import annotations

from cornered.bots.bot import Thought
from cornered.bots.online.draws import DRAW_PLIES_MIN, THOUGHTS, DrawPolicy


def policy(*scores: float | None) -> DrawPolicy:
    made = DrawPolicy()
    for score in scores:
        made.note(Thought("a1", score))
    return made


def test_a_draw_after_one_move_is_declined_whatever_the_score() -> None:
    for score in (0.0, -0.5, -30.0):
        assert not policy(score).agrees(1)
        assert not policy(*[score] * THOUGHTS).agrees(DRAW_PLIES_MIN - 1)


def test_a_bot_that_was_not_better_for_several_moves_accepts_late_in_the_game() -> None:
    assert policy(5.0, 0.0, -1.0, 0.0, -2.0).agrees(DRAW_PLIES_MIN)
    assert not policy(0.0, -1.0, 0.1, -2.0).agrees(DRAW_PLIES_MIN)
    assert not policy(0.0, -1.0, -2.0).agrees(DRAW_PLIES_MIN)
    assert not policy(None, None, None, None).agrees(DRAW_PLIES_MIN)
    assert not policy().agrees(100)


def test_a_bot_that_is_proven_to_lose_accepts_at_once_and_not_after_an_escape() -> None:
    made = policy(1.0)
    made.note(Thought("a1", -9_990.0, proven="loss"))
    assert made.agrees(2)
    made.note(Thought("a1", 0.0))
    assert not made.agrees(4)
