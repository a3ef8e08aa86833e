"""The sequence of positions that matches share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered import engine
from cornered.server.match.plies import Plies

START = engine.load("quoridor", size=5, walls=0).start()


def test_sequences_that_share_their_lists_do_not_see_each_others_moves() -> None:
    first = Plies.of(START, (0,))
    second = first.after("c2", START.play("c2"), (1,))
    other = first.after("b1", START.play("b1"), (2,))
    third = second.after("c4", START.play("c2").play("c4"), (3,))
    assert (first.moves, second.moves, other.moves, third.moves) == ((), ("c2",), ("b1",), ("c2", "c4"))
    assert other.texts() == (str(START), str(START.play("b1")))
    assert third.texts()[:2] == second.texts()
    assert second.back_to(0) == first != second
    assert [third.left_at(ply) for ply in range(3)] == [(0,), (1,), (3,)]
    assert other.left_at(1) == (2,)
    with pytest.raises(IndexError):
        first.state_at(1)


@given(choices=st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["play", "back", "other"])), max_size=30))
def test_every_sequence_that_was_ever_made_stays_what_it_was(choices: list[tuple[int, str]]) -> None:
    made: list[tuple[Plies, tuple[engine.State, ...], tuple[str, ...]]] = [(Plies.of(START, (0,)), (START,), ())]
    for pick, what in choices:
        plies, states, moves = made[pick % len(made)]
        if what == "play" and plies.state.moves():
            move = plies.state.moves()[0]
            after = plies.state.play(move)
            made.append((plies.after(move, after, (len(moves),)), (*states, after), (*moves, move)))
        elif what == "back":
            ply = pick % (plies.ply + 1)
            made.append((plies.back_to(ply), states[: ply + 1], moves[:ply]))
        elif what == "other":
            made.append((plies.with_newest(START), (*states[:-1], START), moves))
        for known, its_states, its_moves in made:
            assert (known.states, known.moves, known.ply) == (its_states, its_moves, len(its_moves))
            assert known.texts() == tuple(map(str, its_states))
