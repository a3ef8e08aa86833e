"""Bamboo: coordinates, the rule of groups, and values by exhaustive search."""

from __future__ import annotations

import random

import pytest

from cornered import engine
from cornered.engine import Game, State

Cube = tuple[int, int, int]


def name(radius: int, cube: Cube) -> str:
    """Return a cell's name by the formula of the rules."""
    x, _, z = cube
    return f"{'abcdefghijklm'[radius - z]}{x - max(-radius, -radius - z) + 1}"


def hexagon(radius: int) -> dict[str, Cube]:
    axis = range(-radius, radius + 1)
    return {name(radius, (x, y, -x - y)): (x, y, -x - y) for x in axis for y in axis if abs(x + y) <= radius}


def group_sizes(stones: set[Cube]) -> list[int]:
    rest, sizes = set(stones), []
    while rest:
        todo, size = [rest.pop()], 0
        while todo:
            x, y, z = todo.pop()
            size += 1
            steps = ((1, -1, 0), (-1, 1, 0), (1, 0, -1), (-1, 0, 1), (0, 1, -1), (0, -1, 1))
            near = {(x + dx, y + dy, z + dz) for dx, dy, dz in steps} & rest
            rest -= near
            todo += near
        sizes.append(size)
    return sizes


def position(game: Game, seats: tuple[str, str]) -> State:
    """Return the position with these stones, whose number determines the turn."""
    radius = int(game.options["radius"] or 0)
    rows: dict[str, str] = {}
    for cell in sorted(hexagon(radius), key=lambda cell: (cell[0], int(cell[1:]))):
        seat = next((str(seat) for seat, stones in enumerate(seats) if cell in stones.split()), ".")
        rows[cell[0]] = rows.get(cell[0], "") + seat
    turn = len(seats[0].split()) - len(seats[1].split())
    return game.parse(f"{'/'.join(reversed(rows.values()))} {turn}")


def test_cells_are_named_by_row_from_the_bottom_and_number_from_the_left() -> None:
    for radius in range(1, 7):
        cells = hexagon(radius)
        assert len(cells) == 3 * radius * (radius + 1) + 1
        moves = engine.load("bamboo", radius=radius).start().moves()
        assert moves == sorted(cells, key=lambda cell: (cell[0], int(cell[1:])))


def test_the_top_row_comes_first_in_the_text() -> None:
    state = engine.apply(engine.load("bamboo", radius=2).start(), "a1")
    assert str(state) == ".../..../...../..../0.. 1"
    assert str(engine.apply(state, "e3")) == "..1/..../...../..../0.. 0"


@pytest.mark.parametrize(("radius", "games"), [(1, 8), (2, 8), (3, 8), (4, 2), (5, 2), (6, 1)])
def test_random_games_agree_with_the_rule_of_groups_as_sets(radius: int, games: int) -> None:
    cells, chance = hexagon(radius), random.Random(radius)
    for _ in range(games):
        state = engine.load("bamboo", radius=radius).start()
        stones: list[set[Cube]] = [set(), set()]
        while True:
            mover = state.to_move
            expected = {
                cell
                for cell, cube in cells.items()
                if cube not in stones[0] | stones[1] and max(sizes := group_sizes(stones[mover] | {cube})) <= len(sizes)
            }
            assert set(state.moves()) == expected, str(state)
            assert (state.outcome is not None) == (not expected)
            if not expected:
                break
            # Cells beside an own stone make groups grow and merge, where the rule applies.
            move = chance.choice(sorted(expected))
            if chance.random() < 0.6:
                groups = len(group_sizes(stones[mover]))
                touching = [to for to in sorted(expected) if len(group_sizes(stones[mover] | {cells[to]})) <= groups]
                move = chance.choice(touching or [move])
            stones[mover].add(cells[move])
            state = engine.apply(state, move)


def test_a_second_stone_may_not_touch_the_first() -> None:
    state = position(engine.load("bamboo", radius=2), ("c3", "e1"))
    assert not {"b2", "b3", "c2", "c4", "d2", "d3"} & set(state.moves())
    assert state.explain("c4") == "this would make a group of 2, and you would have only 1 group"


def test_a_group_may_have_as_many_stones_as_there_are_groups() -> None:
    game = engine.load("bamboo", radius=3)
    assert "a3" in position(game, ("a1 a2 c5 e1", "g1 g4 d7 d1")).moves()
    state = position(game, ("a1 a2 a3 c5 e1", "g1 g4 d7 d1 e4"))
    assert "a4" not in state.moves()
    assert state.explain("a4") == "this would make a group of 4, and you would have only 3 groups"


def test_a_merger_may_not_leave_too_few_groups_for_another_one() -> None:
    game = engine.load("bamboo", radius=4)
    state = position(game, ("a1 a2 a3 a4 i1 i3 e1", "c1 c3 c5 c7 g1 g3 g5"))
    assert "i2" not in state.moves()
    assert state.explain("i2") == "this would leave you only 3 groups, too few for your group of 4"
    assert "i2" in position(game, ("a1 a2 a3 a4 i1 i3 e1 e9", "c1 c3 c5 c7 g1 g3 g5 g7")).moves()


def test_a_refusal_says_why() -> None:
    game = engine.load("bamboo", radius=2)
    state = engine.apply(game.start(), "c3")
    assert state.explain("c3") == "there is a stone on c3 already"
    wrong = ("f1", "a4", "c6", "C3", "pass", "c", "3", "c03")
    assert {state.explain(move) for move in wrong} == {"a move is the name of an empty cell, a1 to e3"}


def test_notes_tell_the_group_of_every_stone_and_gauges_count_groups() -> None:
    state = position(engine.load("bamboo", radius=3), ("a1 a2 c5", "g1 g4 d7"))
    pair, single = ("a1", "a2"), ("c5", "d7", "g1", "g4")
    assert state.notes() == dict.fromkeys(pair, "group of 2") | dict.fromkeys(single, "group of 1")
    assert state.gauges() == (("groups, the largest of 2", 2), ("groups, the largest of 1", 3))
    assert engine.load("bamboo").start().gauges() == (("no group yet", 0),) * 2


def test_a_wrong_position_text_is_refused(subtests: pytest.Subtests) -> None:
    for text, complaint in (
        ("../.../..", "needs the rows"),
        ("../../.. 0", "2, 3, 2 cells"),
        ("../.x./.. 0", "a cell is one of"),
        ("../.../.. c", "name a seat"),
        ("../.../.. 0 walls=a1", "only fact"),
        ("../.../.. 1", "place in turn"),
        ("1./.0./0. 0", "place in turn"),
        ("1./.1./00 0", "seat 0 has a group of 2, more than its number"),
    ):
        with subtests.test(text), pytest.raises(ValueError, match=complaint):
            engine.load("bamboo", radius=1).parse(text)
