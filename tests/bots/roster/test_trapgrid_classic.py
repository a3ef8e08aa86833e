"""The reference's player: its depth, its search, and what it says about them."""

from __future__ import annotations

import random

import pytest

from cornered import engine
from cornered.bots.roster import create
from cornered.bots.roster.trapgrid_classic import ClassicSearch, TrapGridClassicBot, adaptive_depth, board_of
from cornered.clients.sdk import Limit
from cornered.engine.games.trapgrid import TrapGridState
from cornered.engine.kernels.grid import CELL_BITS
from cornered.lab.experiments.trapgrid_pruning import pruning, pruning_at_start
from tests.bots.scenes import random_game, trapgrid


def positions(size: int, count: int) -> list[TrapGridState]:
    chance = random.Random(size)
    game = engine.load("trapgrid", size=size)
    return [random_game(game, chance, 1 + chance.randrange(size * size // 2))[-1] for _ in range(count)]


def test_the_depth_adapts_to_the_fewest_steps() -> None:
    depths = {
        "0....../......./......./......./......./......./......1 0": 8,
        "......./......./..0..../......./....1../......./....... 0": 7,
        "......./......./..0..../......./...xx1./......./....... 0": 7,
        "......./......./..0..../......./....x1./.....x./....... 0": 8,
        "......./......./..0..../....x../...x1x./....x../....... 1": 8,
    }
    assert {text: adaptive_depth(board_of(trapgrid(text, 7))) for text in depths} == depths


def test_pruning_changes_no_value() -> None:
    for size, depth in ((4, 6), (5, 5), (6, 4)):
        for state in positions(size, 25):
            one = pruning(board_of(state), depth)
            assert one.score == one.plain_score
            assert one.nodes <= one.plain_nodes


def test_pruning_at_the_start_saves_less_than_is_printed() -> None:
    one = pruning_at_start(5)
    assert one.score == one.plain_score
    # 1 + 2 + 4 + 8 + 16 + 40, the perft of the start.
    assert one.plain_nodes == 71
    assert (one.nodes, one.pruned) == (44, 3)
    assert one.efficiency == pytest.approx(100 * 3 / 47)
    assert one.saved == pytest.approx(100 * (1 - 44 / 71))


def test_a_trapped_pawn_is_worth_a_hundred_thousand() -> None:
    search = ClassicSearch()
    stuck = board_of(trapgrid("0x./x../..1 0", 3))
    assert search.minimax(stuck, 3, -1e9, 1e9, is_max=True) == (-100_000, ())
    assert search.minimax(stuck, 3, -1e9, 1e9, is_max=False)[0] < 0
    other = board_of(trapgrid("0../..x/.x1 0", 3))
    assert search.minimax(other, 0, -1e9, 1e9, is_max=False) == (100_000, ())


def test_it_sees_a_win_and_says_that_it_is_proven() -> None:
    thought = create("trapgrid-classic").choose(trapgrid("0../..x/..1 0", 3), Limit())
    assert thought.proven == "win"
    assert thought.score is not None
    assert thought.score > 9_000
    assert thought.depth == 8


def test_all_lines_are_exact_when_they_are_asked_for() -> None:
    bot = TrapGridClassicBot()
    for state in positions(6, 10):
        thought = bot.choose(state, Limit(lines=4))
        assert thought.lines[0].move == thought.move
        assert sorted(line.move for line in thought.lines) == sorted(state.moves())
        assert not any(line.is_bound for line in thought.lines)
        for line in thought.lines:
            after = board_of(state).after(1 << CELL_BITS[line.move], is_max=True)
            score, _ = ClassicSearch(prunes=False).minimax(after, thought.depth - 1, -1e9, 1e9, is_max=False)
            assert line.score == score or abs(score) == 100_000


def test_the_depth_can_be_set_and_limited() -> None:
    start = engine.load("trapgrid").start()
    assert create("trapgrid-classic:depth=3").choose(start, Limit()).depth == 3
    assert create("trapgrid-classic").choose(start, Limit(depth=2)).depth == 2
    assert create("trapgrid-classic").choose(start, Limit()).depth == 8


def test_what_was_not_searched_is_better_than_what_loses() -> None:
    preferred = 0
    for state in positions(5, 30):
        for nodes in range(1, 200, 11):
            thought = create("trapgrid-classic").choose(state, Limit(nodes=nodes))
            assert thought.nodes <= nodes
            losing = [line.proven == "loss" for line in thought.lines]
            unknown = [line.score is None for line in thought.lines]
            if any(losing) and any(unknown):
                preferred += 1
                assert not losing[0]
                assert thought.proven != "loss"
    assert preferred > 0
