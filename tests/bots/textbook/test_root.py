"""The textbook bots' reports of the root's moves, and the results that they keep at a limit."""

from __future__ import annotations

import pytest

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.evaluate import evaluator
from cornered.bots.roster import create
from cornered.bots.textbook.minimax import depth_limited
from cornered.bots.textbook.root import RootSearch
from cornered.bots.textbook.search import TextbookSearch
from cornered.clients.sdk import Limit
from cornered.engine import State
from tests.bots.scenes import fresh, positions

PLAIN = ["textbook-minimax:depth=3", "textbook-alphabeta:depth=3", "textbook-sorted:depth=3"]


def exact(state: State, depth: int) -> dict[str, float]:
    return {move: depth_limited(state.play(move), depth - 1, 1, fresh(state))[0] for move in state.moves()}


@pytest.mark.parametrize("bot", [*PLAIN, "minimax"])
def test_as_many_lines_are_exact_as_were_asked_for(bot: str) -> None:
    for seed, state in enumerate(positions(engine.load("isolation", width=5, height=4), 1, 16)):
        if len(state.moves()) > 12:
            continue
        true = exact(state, 3)
        for wanted in (1, 3, 99):
            thought = create(bot, seed).choose(state, Limit(depth=3, lines=wanted))
            assert sorted(line.move for line in thought.lines) == sorted(true)
            sharp = [line for line in thought.lines if not line.is_bound]
            assert len(sharp) >= min(wanted, len(true))
            assert [line.score for line in thought.lines[:wanted]] == sorted(true.values(), reverse=True)[:wanted]
            for line in thought.lines:
                assert line.score is not None
                assert line.score >= true[line.move] if line.is_bound else line.score == true[line.move]


@pytest.mark.parametrize("bot", PLAIN)
def test_without_a_clock_it_goes_straight_to_its_depth(bot: str) -> None:
    start = engine.load("trapgrid").start()
    thought = create(bot, 1).choose(start, Limit())
    assert thought.depth == thought.deepest == 3
    assert thought.nodes + thought.pruned <= sum(engine.perft(start, ply) for ply in (1, 2, 3))
    assert thought.seconds > 0


def test_a_limit_leaves_the_best_so_far(subtests: pytest.Subtests) -> None:
    start = engine.load("quoridor", size=5, walls=1).parse("...../..0../....1/...../..... 0")
    for bot in (*PLAIN, "maxn", "expectiminimax", "minimax"):
        with subtests.test(bot):
            for nodes in (1, 10, 40, 150, 1000):
                thought = create(bot, 1).choose(start, Limit(nodes=nodes))
                assert thought.nodes <= nodes
                assert start.is_legal(thought.move)
                if nodes > len(start.moves()):
                    assert (thought.move, thought.score, thought.proven, thought.plies) == ("c5", WIN - 1, "win", 1)


def test_a_depth_of_zero_is_to_the_end(subtests: pytest.Subtests) -> None:
    for bot in ("textbook-minimax", "textbook-alphabeta", "textbook-sorted", "maxn", "expectiminimax"):
        with subtests.test(bot):
            for size, proven in ((3, "win"), (4, "loss")):
                thought = create(f"{bot}:depth=0", 1).choose(engine.load("trapgrid", size=size).start(), Limit())
                assert (thought.proven, thought.plies) == (proven, len(thought.pv))
                assert thought.score == (WIN - len(thought.pv)) * (1 if proven == "win" else -1)


def test_three_players_prove_no_loss() -> None:
    game = engine.load("isolation", width=3, height=2, players=3)
    for bot in ("textbook-minimax", "minimax", "maxn"):
        thought = create(f"{bot}:depth=0" if bot != "minimax" else bot, 1).choose(game.start(), Limit())
        assert thought.proven in (None, "win")


def test_a_draw_is_proven_where_every_line_ends() -> None:
    start = engine.load("quoridor", size=3, walls=0, max_plies=2).start()
    for bot in ("textbook-minimax", "textbook-alphabeta", "textbook-sorted", "maxn", "expectiminimax", "minimax"):
        thought = create(bot, 1).choose(start, Limit(depth=2))
        assert (thought.score, thought.proven) == (0.0, "draw")
        assert create(bot, 1).choose(start, Limit(depth=1)).proven is None


def test_three_lines_are_kept_from_the_last_iteration_that_had_them() -> None:
    start = engine.load("isolation", width=5, height=5).start().play("c3")
    whole = create("textbook-minimax", 1).choose(start, Limit(nodes=10_000, depth=2, lines=3))
    # Enough for one move at the next depth, and not for three.
    more = whole.nodes + 1 + 24 + 24 * 16
    cut = create("textbook-minimax:depth=3", 1).choose(start, Limit(nodes=more, lines=3))
    assert cut.depth == 2
    assert cut.lines == whole.lines
    assert create("textbook-minimax:depth=3", 1).choose(start, Limit(nodes=more)).depth == 3


def test_a_loss_is_proven_only_when_every_move_was_looked_at() -> None:
    start = engine.load("isolation", width=2, height=2).start()
    whole = create("textbook-minimax:depth=4", 1).choose(start, Limit())
    assert whole.proven == "loss"
    losing = 0
    for nodes in range(1, whole.nodes):
        search = TextbookSearch.within(Limit(nodes=nodes), 0, evaluator("isolation").evaluate)
        root = RootSearch(
            start,
            Limit(),
            search,
            lambda after, depth, least, hint, search=search: depth_limited(  # type: ignore[misc]
                after, depth, 1, search
            ),
            is_exact=True,
        )
        thought = root.think((4,), start.moves())
        losing += thought.lines[0].proven == "loss"
        assert thought.proven is None
        assert [line.move for line in thought.lines if line.score is None]
    assert losing
