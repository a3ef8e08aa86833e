"""Proven Bamboo: against brute force, against the oracles, and within limits."""

from __future__ import annotations

import random
from functools import cache

import pytest

from cornered.bots.bamboo.cells import symmetries
from cornered.bots.bamboo.proof import key_of, new_memory
from cornered.bots.solve import Solution
from cornered.bots.solve.bamboo import is_within_reach, solve
from cornered.clients.sdk import Limit
from cornered.engine import State
from cornered.engine.games.bamboo import BambooState, cell_names, cell_numbers
from tests.bots.scenes import bamboo, oracles


def solved(state: State, limit: Limit) -> Solution:
    found = solve(state, limit)
    assert found is not None
    return found


@cache
def brute(state: BambooState) -> int:
    """Return n > 0 when the mover wins in n plies with best play, -n when it loses in n."""
    values = [brute(state.play(move)) for move in state.moves()]
    if any(value <= 0 for value in values):
        return 1 - max(value for value in values if value <= 0)
    return -(1 + max(values)) if values else 0


def check(state: BambooState) -> None:
    solution = solved(state, Limit())
    expected = brute(state)
    assert solution.value == ("win" if expected > 0 else "loss")
    assert solution.plies == abs(expected)
    for move in state.moves():
        value = brute(state.play(move))
        assert solution.moves[move] == ("win" if value <= 0 else "loss")
        assert solution.lengths[move] == 1 + abs(value)


def test_every_position_of_radius_1_is_what_brute_force_says() -> None:
    waiting, seen = [bamboo(1)], set()
    while waiting:
        state = waiting.pop()
        if state in seen or state.outcome is not None:
            continue
        seen.add(state)
        waiting += [state.play(move) for move in state.moves()]
    for state in seen:
        check(state)
    assert len(seen) > 100


def late(radius: int, left: int, seed: int) -> BambooState:
    """Return a position of a random game in which the mover has at most `left` moves."""
    chance = random.Random(seed)
    state = bamboo(radius)
    while state.open_cells.bit_count() > left:
        state = state.play(chance.choice(state.moves()))
    return state


def test_late_positions_are_what_brute_force_says() -> None:
    for radius, count in ((2, 8), (3, 8), (5, 3)):
        states = [state for seed in range(count) if (state := late(radius, 5, seed)).outcome is None]
        assert len(states) >= 2
        for state in states:
            check(state)
        brute.cache_clear()


def test_it_agrees_with_the_oracles() -> None:
    checked = 0
    for state, line in oracles("bamboo"):
        if len(line["moves"]) < 5:
            continue
        if state.outcome is not None:
            assert (line["value"], line["winning"]) == (-1, [])
            continue
        solution = solved(state, Limit())
        assert {"win": 1, "loss": -1}[solution.value] == line["value"]
        assert sorted(solution.winning) == sorted(line["winning"])
        checked += 1
    assert checked > 120


@pytest.mark.parametrize(("radius", "plies"), [(1, 6), (2, 16)])
def test_the_first_player_loses_the_small_boards(radius: int, plies: int) -> None:
    solution = solved(bamboo(radius), Limit())
    assert (solution.value, solution.plies) == ("loss", plies)
    assert set(solution.moves.values()) == {"loss"}


def test_a_limit_that_is_too_small_gives_nothing_and_the_same_each_time() -> None:
    start = bamboo(2)
    assert solve(start, Limit(nodes=5000)) is None
    assert solve(start, Limit(nodes=5000)) is None
    assert solve(bamboo(5), Limit(time=20)) is None
    heard: list[int] = []
    solution = solve(bamboo(2, "a1 c3"), Limit(nodes=2_000_000), heard.append)
    assert isinstance(solution, Solution)
    assert heard == sorted(heard)
    assert heard[-1] == solution.nodes <= 2_000_000


def test_small_boards_and_late_positions_are_within_reach() -> None:
    assert is_within_reach(bamboo(2))
    assert not is_within_reach(bamboo(3))
    assert not is_within_reach(bamboo(5))
    assert is_within_reach(late(5, 4, 1))


def test_mirror_images_share_a_key_and_other_positions_do_not() -> None:
    memory = new_memory(2)
    names, numbers = cell_names(2), cell_numbers(2)
    moves = ["a1", "c3", "b4", "e2"]
    keys = {
        key_of(bamboo(2, " ".join(names[symmetry[numbers[move]]] for move in moves)).position, memory)
        for symmetry in symmetries(2)
    }
    assert len(keys) == 1
    assert key_of(bamboo(2, "c3 a1 b4 e2").position, memory) not in keys
    assert key_of(bamboo(2, "a1 c3 b4 e1").position, memory) not in keys
