"""Proven lines lead to the end of the game, and the tree says the same as the lines."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest

from cornered import engine
from cornered.bots.bot import Limit, Line, Thought
from cornered.bots.online.analyst import report_of, told_lines, tree_of
from cornered.bots.online.full_lines import MAX_REPLIES, in_full
from cornered.bots.roster import create
from cornered.engine import State
from cornered.protocol.analysis import MAX_LINE_PLIES, MAX_TREE_NODES
from tests.bots.scenes import after

NODES = 2_000_000


def solved(state: State, lines: int = 3) -> Thought:
    return create("champion", 1).choose(state, Limit(nodes=NODES, lines=lines))


async def think(state: State, _: Limit) -> Thought:
    return create("champion", 1).choose(state, Limit(nodes=NODES))


def played(state: State, line: tuple[str, ...]) -> State:
    return functools.reduce(engine.apply, line, state)


def test_a_proof_of_trapgrid_has_its_lines_to_the_end() -> None:
    state = after("trapgrid", "b5 d1 c5 c1", size=5)
    thought = solved(state)
    assert thought.proven is not None
    for line in thought.lines[:3]:
        assert line.plies is not None
        assert len(line.pv) == line.plies > 1
        assert played(state, line.pv).outcome is not None


async def test_lines_that_end_early_are_played_on() -> None:
    for state in (after("trapgrid", size=5), after("quoridor", size=3, walls=0)):
        short = tuple(replace(line, pv=(line.move,)) for line in told_lines(solved(state), 3))
        for line in await in_full(state, short, MAX_LINE_PLIES, think):
            outcome = played(state, line.pv).outcome
            assert line.proven is not None
            assert outcome is not None
            assert (outcome.winner == state.to_move) == (line.proven == "win")


async def test_a_line_is_not_played_on_by_guesses_nor_beyond_its_bound() -> None:
    state = after("trapgrid", size=5)
    asked = 0

    async def guess(here: State, _: Limit) -> Thought:
        nonlocal asked
        asked += 1
        return Thought(here.moves()[0], 3.0)

    start = (Line("b5", 9990.0, "win", 9, pv=("b5",)), Line("a4", 1.0, pv=("a4",)))
    assert await in_full(state, start, MAX_LINE_PLIES, guess) == start
    assert asked == 1
    (line,) = await in_full(state, start[:1], 3, lambda here, _: think(here, _))
    assert len(line.pv) <= 3


async def test_no_more_replies_are_asked_for_than_allowed() -> None:
    state = after("isolation", width=4, height=4)
    count = 0

    async def one_by_one(here: State, _: Limit) -> Thought:
        nonlocal count
        count += 1
        return Thought(here.moves()[0], proven="win" if here.to_move == state.to_move else "loss")

    lines = tuple(Line(move, 9990.0, "win", 40, pv=(move,)) for move in state.moves()[:5])
    await in_full(state, lines, 40, one_by_one)
    assert 0 < count <= MAX_REPLIES


@pytest.mark.parametrize(
    ("game", "moves", "options"),
    [
        ("trapgrid", "b5 d1 c5 c1", {"size": 5}),
        ("trapgrid", "", {"size": 6}),
        ("quoridor", "", {"size": 3, "walls": 0}),
        ("isolation", "", {"width": 4, "height": 4}),
    ],
)
def test_the_tree_says_what_the_lines_say(game: str, moves: str, options: dict[str, int]) -> None:
    state = after(game, moves, **options)
    thought = solved(state)
    report = report_of(thought, 3)
    tree = tree_of(state, MAX_TREE_NODES, thought.lines)
    roots = {node.move: node for node in tree if node.parent < 0}
    for line in report.lines:
        assert (roots[line.move].proven, roots[line.move].score) == (line.proven, line.score)
        assert roots[line.move].plies == (line.plies if line.proven else None)
    assert [move for move, node in roots.items() if node.mark == "best"] == [report.lines[0].move]
    reached = [state] * len(tree)
    for number, node in enumerate(tree):
        before = state if node.parent < 0 else reached[node.parent]
        reached[number] = before.play(node.move)
        above = None if node.parent < 0 else tree[node.parent].proven
        # Whoever has lost has no move that helps.
        if above == "win" and before.to_move != state.to_move:
            assert node.proven == "win"
        if above == "loss" and before.to_move == state.to_move:
            assert node.proven == "loss"
    assert any(node.proven for node in tree)
    # Below each of these moves comes the line that proves it.
    for line in report.lines:
        root = next(number for number, node in enumerate(tree) if node.parent < 0 and node.move == line.move)
        for depth, move in enumerate(line.pv[1:3], 1):
            below = [(number, node) for number, node in enumerate(tree) if node.parent == root and node.move == move]
            if not below:
                break
            ((root, node),) = below
            assert node.proven == line.proven
            assert not line.proven or line.plies is None or node.plies == line.plies - depth
