"""Perft against published tables."""

from __future__ import annotations

import pytest

from cornered import engine
from cornered.engine import State

TABLES = [
    ("quoridor", {}, [131, 16677, 2062264, 247569030]),
    ("quoridor", {"size": 7, "walls": 8}, [75, 5357, 363872, 23458826]),
    ("quoridor", {"size": 5, "walls": 5}, [35, 1109, 31540, 794442]),
    ("quoridor", {"size": 3, "walls": 2}, [11, 77, 380, 1528, 5378, 16392]),
    ("quoridor", {"players": 4}, [131, 16677, 2062065]),
    ("quoridor", {"size": 5, "players": 4}, [35, 1109, 31365, 776775]),
    ("bamboo", {"radius": 1}, [7, 42, 90, 144, 264, 264, 0]),
    ("bamboo", {"radius": 2}, [19, 342, 4386, 52944, 762552]),
    ("bamboo", {"radius": 3}, [37, 1332, 40320, 1185720]),
    ("bamboo", {}, [91, 8190, 686190]),
    ("trapgrid", {}, [2, 4, 8, 16, 40, 100, 240, 576, 1440, 3600, 8760, 20392]),
    ("trapgrid", {"size": 5}, [2, 4, 8, 16, 40, 100, 240, 506, 1056, 1978, 3556, 5812, 8556, 11026]),
    ("isolation", {"width": 3, "height": 3}, [9, 72, 376, 1600, 5232, 13056, 23920, 27816, 15696, 0]),
    ("isolation", {"width": 4, "height": 4}, [16, 240, 2040, 15480, 98512]),
    ("isolation", {"width": 5, "height": 5}, [25, 600, 7080, 77248]),
    ("isolation", {}, [49, 2352, 43344, 761344]),
]


def count(state: State, depth: int) -> int:
    """Return the number of lines by playing them."""
    return 1 if depth == 0 else sum(count(state.play(move), depth - 1) for move in state.moves())


@pytest.mark.parametrize("name", ["trapgrid", "isolation", "bamboo", "quoridor"])
def test_perft_counts_what_the_table_says(name: str, subtests: pytest.Subtests) -> None:
    for game, options, counts in TABLES:
        if game == name:
            with subtests.test(str(options)):
                start = engine.load(game, **options).start()
                assert [engine.perft(start, depth) for depth in range(len(counts) + 1)] == [1, *counts]


def test_perft_counts_rolls_and_players_that_drop_out() -> None:
    for options in ({"dice": True, "width": 3, "height": 3}, {"players": 3, "width": 3, "height": 2}):
        start = engine.load("isolation", **options).start()
        assert [engine.perft(start, depth) for depth in range(7)] == [count(start, depth) for depth in range(7)]


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        engine.perft(engine.load("trapgrid").start(), -1)
