"""Why the rules ended a game, and how soon a draw by a limit comes, as players read it."""

from __future__ import annotations

import functools

from cornered import engine
from cornered.engine.game import Ending, State


def after(game: str, moves: str, **options: int | bool) -> State:
    return functools.reduce(engine.apply, moves.split(), engine.load(game, **options).start())


def ending(state: State) -> Ending:
    found = state.ending()
    assert found is not None
    return found


def test_a_trapped_pawn_ends_trapgrid() -> None:
    found = ending(engine.load("trapgrid", size=3).parse("0x./x../..1 0"))
    assert (found.seat, found.cells) == (0, ("a3",))
    assert found.you == "You have no cell left to step to"
    assert f"Ann {found.they}" == "Ann has no cell left to step to"


def test_a_trapped_pawn_ends_isolation() -> None:
    found = ending(engine.load("isolation", width=3, height=3).parse("0x./xx./..1 0"))
    assert (found.seat, found.you, found.cells) == (0, "You have no cell left to slide to", ("a3",))


def test_the_last_one_who_can_move_wins_isolation_among_several() -> None:
    state = engine.load("isolation", width=3, height=3, players=3).parse("0x2/xxx/..1 1 out=0,2")
    found = ending(state)
    assert state.outcome is not None
    assert (found.seat, found.you, found.cells) == (1, "You are the last one who can move", ("a3", "c3"))


def test_a_seat_without_a_legal_cell_ends_bamboo() -> None:
    state = engine.load("bamboo", radius=1).start()
    while state.outcome is None:
        state = engine.apply(state, state.moves()[0])
    found = ending(state)
    assert found.seat == state.to_move
    assert found.you.startswith("You have no ")
    stones = state.notes()
    assert found.cells
    assert all(name in stones for name in found.cells)


def test_the_far_side_ends_quoridor() -> None:
    state = after("quoridor", "a1 c3 a2 c2 a3", size=3)
    found = ending(state)
    assert (found.seat, found.they, found.cells, found.is_race) == (0, "reached the far side", ("a3",), True)


def test_limits_of_quoridor_count_down_and_say_which_one_it_was() -> None:
    walls = {"max_plies": 12, "no_progress": 20}
    state = after("quoridor", "d1 d9", **walls)
    assert state.countdown() == "A draw in 10 turns"
    assert after("quoridor", "d1", **walls).countdown() is None
    state = after("quoridor", "d1 d9 e1 e9 d1 d9", no_progress=8)
    assert state.countdown() == "A draw in 2 turns unless a wall is placed"
    state = engine.apply(state, "e1")
    assert state.countdown() == "A draw after this turn unless a wall is placed"
    state = engine.apply(state, "e9")
    found = ending(state)
    assert state.countdown() is None
    assert (found.seat, found.you) == (None, "No wall was placed for 8 turns")
    assert ending(after("quoridor", "d1 d9 e1 e9", max_plies=4)).you == "The game reached its limit of 4 turns"


def test_who_gives_up_is_not_beaten_by_the_rules() -> None:
    for game in ("trapgrid", "isolation", "bamboo", "quoridor"):
        start = engine.load(game).start()
        assert (start.ending(), start.leave(0).ending()) == (None, None), game
