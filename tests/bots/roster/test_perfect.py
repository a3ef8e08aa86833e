"""The perfect player: its proofs are correct, and it wins won positions."""

from __future__ import annotations

import random

import pytest

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.roster import create
from cornered.bots.solve.trapgrid import solve
from cornered.clients.sdk import Limit
from tests.bots.scenes import random_game

WON = [(3, 0), (4, 1), (5, 0), (6, 1), (7, 0), (8, 1)]


@pytest.mark.parametrize(("size", "seat"), WON)
def test_it_wins_every_won_start(size: int, seat: int) -> None:
    for seed, opponent in enumerate(("random", "greedy", "trapgrid-classic:depth=3")):
        players = {seat: create("perfect", seed), 1 - seat: create(opponent, seed)}
        state = engine.load("trapgrid", size=size).start()
        while state.outcome is None:
            limit = Limit(nodes=2_000_000) if state.to_move == seat else Limit(nodes=200)
            state = state.play(players[state.to_move].choose(state, limit).move)
        assert state.outcome.winner == seat


def test_it_takes_the_quickest_win_and_the_longest_loss() -> None:
    chance, bot = random.Random(4), create("perfect")
    seen = set()
    for _ in range(60):
        state = random_game(engine.load("trapgrid", size=5), chance, 1 + chance.randrange(12))[-1]
        thought, solution = bot.choose(state, Limit(lines=2)), solve(state, Limit())
        assert solution is not None
        assert thought.move in solution.best
        assert (thought.proven, thought.plies) == (solution.value, solution.plies)
        assert thought.plies is not None
        assert thought.score == (WIN - thought.plies if solution.value == "win" else thought.plies - WIN)
        assert {line.move: line.proven for line in thought.lines} == solution.moves
        assert {line.move: line.plies for line in thought.lines} == solution.lengths
        scores = [line.score for line in thought.lines if line.score is not None]
        assert scores == sorted(scores, reverse=True)
        assert len(thought.pv) == thought.plies
        seen.add(solution.value)
    assert seen == {"win", "loss"}


def test_a_lost_game_is_made_as_hard_as_it_can_be() -> None:
    """Of equally long losing moves it plays one after which the fewest replies win."""
    chance, bot, differed = random.Random(2), create("perfect"), 0
    for _ in range(150):
        state = random_game(engine.load("trapgrid", size=6), chance, 1 + chance.randrange(14))[-1]
        solution = solve(state, Limit())
        assert solution is not None
        if solution.value == "loss" and len(solution.best) > 1:
            shares = {}
            for move in solution.best:
                answers = solve(state.play(move), Limit())
                assert answers is not None
                shares[move] = len(answers.winning) / len(answers.moves)
            differed += len(set(shares.values())) > 1
            assert shares[bot.choose(state, Limit()).move] == min(shares.values())
    assert differed > 2


def test_out_of_nodes_it_still_moves_and_says_nothing_that_is_not_proven() -> None:
    bot = create("perfect")
    for size in (5, 6):
        state = engine.load("trapgrid", size=size).start().play(f"a{size - 1}")
        whole = bot.choose(state, Limit())
        for nodes in range(1, whole.nodes, 29):
            thought = bot.choose(state, Limit(nodes=nodes))
            assert thought.nodes <= nodes
            assert state.is_legal(thought.move)
            assert thought.proven in (None, whole.proven)
            if thought.proven is None:
                assert thought.score is thought.plies is None
            proven = {line.move: line.proven for line in whole.lines}
            assert all(line.proven in (None, proven[line.move]) for line in thought.lines)
        assert bot.choose(state, Limit(nodes=1)).proven is None


def test_it_plays_trapgrid_of_every_size_and_nothing_else() -> None:
    kind = type(create("perfect"))
    assert all(kind.plays(engine.load("trapgrid", size=size)) for size in range(3, 9))
    assert not any(kind.plays(game) for game in ("isolation", "bamboo", "quoridor"))
