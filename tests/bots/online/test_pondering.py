"""The positions that a bot ponders during its opponent's turn."""

from __future__ import annotations

from cornered import engine
from cornered.bots.bot import Thought
from cornered.bots.online.pondering import expectation

START = engine.load("trapgrid", size=4).start()


def line(*moves: str) -> Thought:
    return Thought(moves[0], pv=moves)


def test_a_bot_expects_the_answer_that_it_would_give_itself() -> None:
    first, answer = START.moves()[0], START.play(START.moves()[0]).moves()[-1]
    assert expectation(START, line(first, answer)) == START.play(first).play(answer)


def test_without_an_expected_answer_it_thinks_for_the_opponent() -> None:
    first = START.moves()[0]
    assert expectation(START, line(first)) == START.play(first)
    assert expectation(START, line(first, "z9")) == START.play(first)


def test_nothing_is_expected_of_a_game_that_is_over_nor_of_an_answer_that_ends_it() -> None:
    states = [START]
    while states[-1].outcome is None:
        states.append(states[-1].play(states[-1].moves()[0]))
    *_, before, last, _ = states
    first, answer = before.moves()[0], last.moves()[0]
    assert expectation(last, line(answer)) is None
    assert expectation(before, line(first, answer)) == last


def test_dice_are_not_pondered() -> None:
    state = engine.load("isolation", width=4, height=4, dice=True).start()
    while state.to_move < 0:
        state = state.play(state.moves()[0])
    if state.play(state.moves()[0]).to_move < 0:
        assert expectation(state, line(state.moves()[0])) is None
