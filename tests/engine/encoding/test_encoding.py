"""Games in numbers: actions are moves, observations show positions, and symmetries are those of the rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered import engine
from cornered.engine import CHANCE, Game, State
from cornered.engine.encoding import Encoding, encoding
from cornered.engine.symmetry import Symmetry
from cornered.engine.text import PositionText

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("trapgrid", {}),
    ("trapgrid", {"size": 4}),
    ("trapgrid", {"size": 8}),
    ("isolation", {}),
    ("isolation", {"width": 5, "height": 4, "dice": True}),
    ("isolation", {"width": 8, "height": 8, "players": 3}),
    ("isolation", {"width": 5, "height": 5, "players": 4, "dice": True}),
    ("bamboo", {"radius": 1}),
    ("bamboo", {}),
    ("bamboo", {"radius": 6}),
    ("quoridor", {}),
    ("quoridor", {"size": 5, "max_plies": 40, "no_progress": 12}),
    ("quoridor", {"size": 5, "players": 4}),
    ("quoridor", {"size": 3, "walls": 0}),
]


@cache
def loaded() -> list[Game]:
    return [engine.load(name, **options) for name, options in GAMES]


def line(game: Game, seed: int) -> Iterator[State]:
    """Yield the positions of a random game."""
    chance, state = random.Random(seed), game.start()
    for _ in range(150):
        yield state
        if state.outcome is not None:
            return
        state = state.play(chance.choice(state.moves()))


def test_actions_and_moves_are_each_others_inverse() -> None:
    for coded in map(encoding, loaded()):
        assert [coded.action(move) for move in coded.actions] == list(range(coded.count))
        assert [coded.move(action) for action in range(coded.count)] == list(coded.actions)


def test_the_numbers_of_actions_are_those_of_the_boards() -> None:
    counts = {
        ("trapgrid", "size", 7): 49,
        ("isolation", "width", 8): 56,
        ("isolation", "dice", True): 52,
        ("bamboo", "radius", 5): 91,
        **{("quoridor", "size", size): count for size, count in ((3, 17), (5, 57), (7, 121), (9, 209))},
        ("quoridor", "players", 4): 210,
    }
    assert {key: encoding(engine.load(key[0], **{key[1]: key[2]})).count for key in counts} == counts


def test_quoridors_actions_count_rows_from_rank_1_and_then_walls() -> None:
    coded = encoding(engine.load("quoridor"))
    moves = ("a1", "i1", "a2", "i9", "a1h", "e3h", "h8h", "a1v", "h8v")
    assert [coded.action(move) for move in moves] == [0, 8, 9, 80, 81, 81 + 2 * 8 + 4, 144, 145, 208]


def test_what_is_no_move_of_a_board_is_no_action_and_what_is_no_action_no_move() -> None:
    coded = encoding(engine.load("quoridor", size=5))
    for move in ("pass", "f1", "e5h", "a0", ""):
        with pytest.raises(ValueError, match="is no move of quoridor"):
            coded.action(move)
    for action in (-1, 57):
        with pytest.raises(ValueError, match="actions 0 to 56"):
            coded.move(action)


@given(st.deferred(lambda: st.sampled_from(loaded())), st.integers(0, 2**32))
def test_the_mask_is_true_for_the_legal_moves_alone(game: Game, seed: int) -> None:
    coded = encoding(game)
    for state in line(game, seed):
        mask = coded.mask(state)
        assert [move for move, is_legal in zip(coded.actions, mask, strict=True) if is_legal] == state.moves()
        assert coded.legal_actions(state) == [action for action, is_legal in enumerate(mask) if is_legal]


def test_positions_of_another_game_are_refused() -> None:
    with pytest.raises(ValueError, match="this encodes bamboo"):
        encoding(engine.load("bamboo", radius=2)).mask(engine.load("bamboo").start())


def planes_of(coded: Encoding, state: State) -> dict[str, list[list[float]]]:
    """Return each plane by its name, its rows from the bottom."""
    planes = np.asarray(coded.observe(state), np.float32).reshape(coded.shape)
    return dict(zip(coded.plane_names, planes.tolist(), strict=True))


def shown(state: State, character: str) -> list[list[float]]:
    """Return the cells that show a character in the position text, as a plane of a square board."""
    rows = reversed(PositionText.parse(str(state)).rows)
    return [[float(cell == character) for cell in row] for row in rows]


@given(st.deferred(lambda: st.sampled_from(loaded())), st.integers(0, 2**32))
def test_observations_show_the_board_from_the_movers_seat(game: Game, seed: int) -> None:
    coded = encoding(game)
    for state in line(game, seed):
        if state.to_move == CHANCE or state.outcome is not None:
            continue
        planes = planes_of(coded, state)
        if game.name == "bamboo":
            for name, seat in (("mover's stones", state.to_move), ("opponent's stones", 1 - state.to_move)):
                count = sum(row.count(str(seat)) for row in PositionText.parse(str(state)).rows)
                assert sum(map(sum, planes[name])) == count
            continue
        for offset, name in enumerate(coded.plane_names[: game.seats]):
            assert planes[name] == shown(state, str((state.to_move + offset) % game.seats))
        if "free cells" in planes:
            assert planes["free cells"] == shown(state, ".")


def test_quoridors_planes_show_walls_goals_stocks_and_counters() -> None:
    game = engine.load("quoridor", size=5, max_plies=40, no_progress=10)
    state = game.start()
    for move in ("b3h", "c4", "d2v"):
        state = engine.apply(state, move)
    planes = planes_of(encoding(game), state)
    marked = {
        name: [(row, column) for row in range(5) for column in range(5) if planes[name][row][column]]
        for name in ("horizontal walls", "vertical walls", "goal of mover", "goal of next")
    }
    assert marked == {
        "horizontal walls": [(2, 1)],
        "vertical walls": [(1, 3)],
        "goal of mover": [(0, column) for column in range(5)],
        "goal of next": [(4, column) for column in range(5)],
    }
    levels = {name: planes[name][0][0] for name in encoding(game).plane_names if "(all cells)" in name}
    assert levels == {
        "share of walls left to mover (all cells)": pytest.approx(5 / 5),
        "share of walls left to next (all cells)": pytest.approx(3 / 5),
        "share of max_plies used (all cells)": pytest.approx(3 / 40),
        "share of no_progress used (all cells)": 0,
    }


def test_isolations_planes_show_the_roll_and_who_is_still_in() -> None:
    game = engine.load("isolation", width=4, height=4, players=3, dice=True)
    state = game.parse("01../..../.2../.... 1 roll=2 out=0")
    planes = planes_of(encoding(game), state)
    levels = {name: planes[name][0][0] for name in encoding(game).plane_names if "(all cells)" in name}
    assert levels == {
        "mover still in (all cells)": 1,
        "next still in (all cells)": 1,
        "third still in (all cells)": 0,
        "roll 1 (all cells)": 0,
        "roll 2 (all cells)": 1,
        "roll 3 (all cells)": 0,
    }


def image(state: State, symmetry: Symmetry) -> State:
    """Return the turned position, by its text: every cell is an action, and so is every wall."""
    coded, parts = encoding(state.game), PositionText.parse(str(state))
    turned = {move: coded.actions[symmetry.actions[action]] for action, move in enumerate(coded.actions)}
    names = [[parts.name(row, column) for column in range(len(cells))] for row, cells in enumerate(parts.rows)]
    contents = {
        turned[name]: content
        for row, cells in zip(names, parts.rows, strict=True)
        for name, content in zip(row, cells, strict=True)
    }
    facts = dict(parts.facts)
    if "walls" in facts:
        facts["walls"] = ",".join(turned[wall] for wall in facts["walls"].split(","))
    rows = tuple("".join(contents[name] for name in row) for row in names)
    return state.game.parse(str(PositionText(rows, parts.turn, facts)))


def test_a_game_has_the_symmetries_of_its_board(subtests: pytest.Subtests) -> None:
    counts: list[tuple[str, dict[str, Any], int]] = [
        *(("trapgrid", {}, 8), ("isolation", {}, 8), ("isolation", {"width": 5}, 4), ("bamboo", {"radius": 2}, 12)),
        *(("quoridor", {}, 2), ("quoridor", {"players": 4}, 1)),
    ]
    for name, options, count in counts:
        with subtests.test(f"{name} {options}"):
            coded = encoding(engine.load(name, **options))
            numbers = range(coded.shape[0] * coded.shape[1] * coded.shape[2])
            assert len(coded.symmetries) == len({symmetry.actions for symmetry in coded.symmetries}) == count
            assert len({symmetry.name for symmetry in coded.symmetries}) == count
            assert coded.symmetries[0].actions == tuple(range(coded.count))
            assert coded.symmetries[0].planes == tuple(numbers)
            for symmetry in coded.symmetries:
                assert sorted(symmetry.actions) == list(range(coded.count))
                assert sorted(symmetry.planes) == list(numbers)


@given(st.deferred(lambda: st.sampled_from(loaded())), st.integers(0, 2**32), st.data())
def test_symmetries_commute_with_play(game: Game, seed: int, data: st.DataObject) -> None:
    coded = encoding(game)
    symmetry = data.draw(st.sampled_from(coded.symmetries))
    chance = random.Random(seed)
    states = list(line(game, seed))
    state = chance.choice(states)
    turned = image(state, symmetry)
    flat, seen = np.asarray(coded.observe(state)), np.empty(len(symmetry.planes), np.float32)
    seen[list(symmetry.planes)] = flat
    assert np.asarray(coded.observe(turned)).tolist() == seen.tolist()
    assert coded.legal_actions(turned) == sorted(symmetry.actions[action] for action in coded.legal_actions(state))
    if state.outcome is None:
        action = chance.choice(coded.legal_actions(state))
        after = state.play(coded.move(action))
        assert image(after, symmetry) == turned.play(coded.move(symmetry.actions[action]))


def test_a_game_without_numbers_is_named() -> None:
    class Unnumbered(type(engine.load("trapgrid"))):  # type: ignore[misc]
        name = "unnumbered"

    with pytest.raises(ValueError, match="no numbers for 'unnumbered'"):
        encoding(Unnumbered())
