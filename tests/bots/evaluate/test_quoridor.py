"""The kernels of Quoridor's evaluation, against plain Python and positions worked out by hand."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.evaluate import quoridor
from cornered.bots.evaluate.paths import NO_WAY, both_ways, steps_home, ways
from cornered.bots.evaluate.quoridor_printed import DRAW_PENALTY, PrintedWeights, choice, printed
from cornered.bots.evaluate.rings import Maze
from cornered.bots.solve import quoridor as solver
from cornered.engine.games.quoridor import MOVE_NAMES, QuoridorState
from cornered.engine.kernels.maze import SPLIT, passages
from cornered.engine.kernels.walls import MAX_MOVES, Position, gen, goal
from tests.bots.scenes import quoridor as quoridor_after

SCRATCH = np.zeros(1, quoridor.SCRATCH)[0]


def positions(size: int, walls: int, number: int, share: float = 0.5) -> list[QuoridorState]:
    """Return the positions of one random game, `share` of whose moves are walls while there are any."""
    chance, state = random.Random(number), engine.load("quoridor", size=size, walls=walls).start()
    found: list[QuoridorState] = []
    while state.outcome is None and len(found) < 80:
        assert isinstance(state, QuoridorState)
        found.append(state)
        moves = state.moves()
        wanted = 3 if chance.random() < share else 2
        state = state.play(chance.choice([move for move in moves if len(move) == wanted] or moves))
    return found


def narrowed(state: QuoridorState, kernel: Any = quoridor.candidate_moves) -> list[str]:
    """Return the moves that a kernel keeps; all others are in the buffer afterwards."""
    buffer = np.empty(MAX_MOVES, np.int64)
    count = gen(state.position, buffer)
    kept = kernel(state.position, buffer, count)
    names = [MOVE_NAMES[number] for number in buffer[:count].tolist()]
    assert sorted(names) == sorted(state.moves())
    return names[:kept]


def wall_gains(state: QuoridorState) -> dict[str, int]:
    """Return by how many steps each wall is better for its player than for the other."""
    seat, before = state.to_move, both_ways(state.position)
    after = {move: both_ways(state.play(move).position) for move in state.moves() if len(move) == 3}
    return {wall: ways[1 - seat] - before[1 - seat] - (ways[seat] - before[seat]) for wall, ways in after.items()}


def test_loud_walls_gain_two_steps() -> None:
    found = 0
    for state in (state for number in range(12) for state in positions(9, 10, number, 0.4)):
        loud = narrowed(state, quoridor.loud_moves)
        assert set(loud) == {wall for wall, gain in wall_gains(state).items() if gain >= 2}
        found += len(loud)
    assert found > 100


def test_steps_and_doors_of_the_ways_are_those_of_all_shortest_paths_in_plain_python() -> None:
    for number, size in enumerate((9, 9, 7, 5, 3)):
        for state in positions(size, 10, number):
            maze = Maze.of(state.position)
            assert both_ways(state.position) == tuple(len(maze.rings(state.position, seat)) - 1 for seat in (0, 1))
            doors = passages(state.position[:4], size)
            for seat in (0, 1):
                cell = state.pawns()[seat]
                rings = maze.rings(state.position, seat)
                north = east = 0
                at = 1 << cell
                for ring in rings[-2::-1]:
                    after = maze.spread(at) & ring
                    north |= at & maze.north & after >> 9 | after & maze.north & at >> 9
                    east |= at & maze.east & after >> 1 | after & maze.east & at >> 1
                    at = after
                steps, north_lo, north_hi, east_lo, east_hi = ways(doors, cell, *goal(state.position, seat))
                assert steps == len(rings) - 1
                assert (north_lo | north_hi << SPLIT, east_lo | east_hi << SPLIT) == (north, east)


def test_a_closed_cell_has_no_way() -> None:
    doors = (0, 0, 0, 0)
    assert ways(doors, 40, 1, 0) == (NO_WAY, 0, 0, 0, 0)
    assert steps_home(doors, 40, 1, 0) == NO_WAY


def test_worth_counts_steps_walls_and_the_turn() -> None:
    assert quoridor.evaluate(quoridor_after().position) == 50
    # A step ahead, and the other to move.
    assert quoridor.evaluate(quoridor_after("e2").position) == -100 + 50
    # A wall that makes the other's way two steps longer costs the wall.
    ahead = quoridor_after("e2 e8 a1h")
    assert both_ways(ahead.position) == (7, 7)
    assert quoridor.evaluate(ahead.position) == quoridor.WALL_SCORE + 50


def test_an_opponent_without_walls_makes_a_lead_safe() -> None:
    without, with_walls = quoridor_after("e2 e8", walls=0), quoridor_after("e2 e8")
    assert quoridor.evaluate(without.position) == quoridor.evaluate(with_walls.position) + quoridor.UNOPPOSED_LEAD_SCORE
    behind = quoridor_after("e2 d9", walls=0)
    assert quoridor.evaluate(behind.play("d2").position) == -100 + 50 - quoridor.UNOPPOSED_LEAD_SCORE


def test_narrowing_keeps_every_step_and_the_walls_that_gain_most_and_puts_them_first() -> None:
    for number, size in enumerate((9, 9, 9, 7, 5, 3)):
        for state in positions(size, 10, number):
            kept, gains = narrowed(state), wall_gains(state)
            assert {move for move in state.moves() if len(move) == 2} <= set(kept)
            assert {wall for wall, gain in gains.items() if gain > 0} <= set(kept)
            kept_gains = [gains[move] for move in kept if len(move) == 3]
            assert kept_gains == sorted(kept_gains, reverse=True)
            assert min(kept_gains, default=0) >= 0


def test_narrowing_leaves_a_choice_of_a_few_and_walls_that_take_one_of_several_ways() -> None:
    kept = narrowed(quoridor_after())
    assert {"d8v", "e8v", "d1v", "e1v", "d8h", "e8h"} <= set(kept)
    assert "a5h" not in kept
    sizes = [len(narrowed(state)) for number in range(6) for state in positions(9, 10, number, 0.3)]
    assert sum(sizes) / len(sizes) < 30


def test_what_is_known_is_what_the_tables_say() -> None:
    told = 0
    for number in range(30):
        size = (5, 9)[number % 2]
        for state in positions(size, 2 + number % 3, number, 0.7):
            known = quoridor.exact_value(state.position, SCRATCH)
            if known == 0 or sum(state.stocks()) > (2 if size == 5 else 0):
                continue
            told += 1
            solution = solver.solve(state, Limit())
            assert solution is not None
            assert solution.plies is not None
            assert solution.value == ("win" if known > 0 else "loss")
            assert solution.plies <= abs(known)
    assert told > 100


PAST = "........./........./.......0./1......../........./........./........./........./......... 0"
"""The pawns are past each other: seat 0 is 2 steps from home, seat 1 is 5."""


def past(**options: int) -> Position:
    state = engine.load("quoridor", walls=0, **options).parse(PAST)
    assert isinstance(state, QuoridorState)
    return state.position


def test_nothing_is_known_while_the_player_behind_has_walls() -> None:
    assert quoridor.exact_value(past(), SCRATCH) == 3
    assert quoridor.exact_value(past()._replace(turn=1), SCRATCH) == -4
    assert quoridor.exact_value(past()._replace(left=3), SCRATCH) == 3
    assert quoridor.exact_value(past()._replace(left=3 << 8), SCRATCH) == 0
    assert quoridor.exact_value(past()._replace(left=3 << 8 | 1), SCRATCH) == 0


def test_nothing_is_known_of_pawns_that_can_still_meet_nor_of_a_race_that_a_draw_rule_ends() -> None:
    assert quoridor.exact_value(quoridor_after(walls=0).position, SCRATCH) == 0
    assert quoridor.exact_value(past(max_plies=100)._replace(ply=97), SCRATCH) == 3
    assert quoridor.exact_value(past(max_plies=100)._replace(ply=98), SCRATCH) == 0
    assert quoridor.exact_value(past(no_progress=50)._replace(quiet=47), SCRATCH) == 3
    assert quoridor.exact_value(past(no_progress=50)._replace(quiet=48), SCRATCH) == 0


def test_the_printed_evaluation_weighs_paths_progress_and_walls() -> None:
    state = quoridor_after("e2 e8 e3 e3h")
    # Seat 0 stands on e3 behind a wall: 7 steps, rank 3, ten walls; seat 1 on e8: 8 steps round it, one rank, nine.
    assert both_ways(state.position) == (7, 8)
    assert printed(state, 0, 0, PrintedWeights()) == 12 * 1 + 1.5 * (2 - 1) + 2 * (10 - 9)
    assert printed(state, 1, 0, PrintedWeights()) == -printed(state, 0, 0, PrintedWeights())
    assert printed(state, 0, 0, PrintedWeights(path=0, progress=0)) == 2


def test_the_printed_evaluation_hurries_to_win_and_delays_to_lose() -> None:
    won = quoridor_after("b2 b1", size=3)
    assert won.outcome is not None
    assert won.outcome.winner == 1
    assert printed(won, 1, 2, PrintedWeights()) == 1_000_002
    assert printed(won, 0, 2, PrintedWeights()) == -1_000_002
    drawn = quoridor_after("d1 d9", max_plies=2)
    assert printed(drawn, 0, 3, PrintedWeights()) == printed(drawn, 1, 3, PrintedWeights()) == DRAW_PENALTY


def test_at_most_eight_walls_are_looked_at_nearest_to_the_opponent_first() -> None:
    state = quoridor_after("e2 e8")
    moves = choice(state, 8)
    assert moves[:4] == ["e3", "d2", "f2", "e1"]
    # e8 is the cell that names a wall at distance 0; then those one cell off, ranks from below, horizontal ones first.
    assert moves[4:] == ["e8h", "e8v", "e7h", "d8h", "f8h", "e7v", "d8v", "f8v"]
    assert len([move for move in choice(state, 3) if len(move) == 3]) == 3
    assert len(choice(state, 128)) == len(state.moves())


def test_keys_differ_wherever_the_rules_can_tell_positions_apart() -> None:
    states = {state for number in range(8) for state in positions(5, 5, number)}
    assert len({quoridor.key(state.position) for state in states}) == len(states)
