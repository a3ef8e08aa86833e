"""Why the rules ended a game, and how soon a draw by a limit comes, as players read it."""

from __future__ import annotations

from cornered import engine
from cornered.engine.game import State


def after(game: str, moves: str, **options: int | bool) -> State:
    state = engine.load(game, **options).start()
    for move in moves.split():
        state = engine.apply(state, move)
    return state


def test_a_trapped_pawn_ends_trapgrid() -> None:
    ending = engine.load("trapgrid", size=3).parse("0x./x../..1 0").ending()
    assert ending is not None
    assert (ending.seat, ending.cells) == (0, ("a3",))
    assert ending.you == "You have no cell left to step to"
    assert f"Ann {ending.they}" == "Ann has no cell left to step to"


def test_a_trapped_pawn_ends_isolation() -> None:
    ending = engine.load("isolation", width=3, height=3).parse("0x./xx./..1 0").ending()
    assert ending is not None
    assert (ending.seat, ending.you, ending.cells) == (0, "You have no cell left to slide to", ("a3",))


def test_the_last_one_who_can_move_wins_isolation_among_several() -> None:
    state = engine.load("isolation", width=3, height=3, players=3).parse("0x2/xxx/..1 1 out=0,2")
    ending = state.ending()
    assert state.outcome is not None
    assert ending is not None
    assert (ending.seat, ending.you, ending.cells) == (1, "You are the last one who can move", ("a3", "c3"))


def test_a_seat_without_a_legal_cell_ends_bamboo() -> None:
    state = engine.load("bamboo", radius=1).start()
    while state.outcome is None:
        state = engine.apply(state, state.moves()[0])
    ending = state.ending()
    assert ending is not None
    assert ending.seat == state.to_move
    assert ending.you.startswith("You have no ")
    stones = state.notes()
    assert ending.cells
    assert all(name in stones for name in ending.cells)


def test_the_far_side_ends_quoridor() -> None:
    state = after("quoridor", "a1 c3 a2 c2 a3", size=3)
    ending = state.ending()
    assert ending is not None
    assert (ending.seat, ending.they, ending.cells, ending.is_race) == (0, "reached the far side", ("a3",), True)


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
    ending = state.ending()
    assert state.countdown() is None
    assert ending is not None
    assert (ending.seat, ending.you) == (None, "No wall was placed for 8 turns")
    limited = after("quoridor", "d1 d9 e1 e9", max_plies=4).ending()
    assert limited is not None
    assert limited.you == "The game reached its limit of 4 turns"


def test_who_gives_up_is_not_beaten_by_the_rules() -> None:
    for game in ("trapgrid", "isolation", "bamboo", "quoridor"):
        start = engine.load(game).start()
        assert (start.ending(), start.leave(0).ending()) == (None, None), game
