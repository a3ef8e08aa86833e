"""The Isolation tutorial's own program, against a transcription of what the tutorial prints."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.roster import create
from cornered.bots.textbook.isolation import HEURISTICS_BY_NAME, progress
from cornered.bots.textbook.isolation_printed import HIGHEST, TUTORIAL_PLIES
from cornered.engine import State
from cornered.engine.games.isolation import IsolationState

MAX_DEPTH = 4
"""The tutorial's `maxDepth`."""


@dataclass
class Node:
    """A node of the tutorial's tree."""

    depth: int
    state: IsolationState
    score: float
    move: str = ""
    children: list[Node] = field(default_factory=list)


def tree(state: IsolationState, heuristic: Callable[[int, int], float], max_depth: int = MAX_DEPTH) -> Node:
    """Return the tree as `tree` builds it, breadth first."""
    reference = state.to_move
    root = Node(0, state, heuristic(state.mobility()[reference], state.mobility()[1 - reference]))
    fringe = [root]
    while fringe:
        node = fringe.pop(0)
        if node.depth <= max_depth:
            for move in node.state.moves() if node.state.outcome is None else ():
                after = node.state.play(move)
                mover = node.state.to_move
                # moves = availableMoves(!newPlayerIndex ? 1 : 0): those of the next player, whoever that is.
                score = heuristic(after.mobility()[reference], after.mobility()[1 - mover])
                child = Node(node.depth + 1, after, score, move)
                node.children.append(child)
                fringe.append(child)
    return root


def size(node: Node) -> int:
    return 1 + sum(map(size, node.children))


def height(node: Node) -> int:
    return max((1 + height(child) for child in node.children), default=0)


class Transcription:
    """The strategy `minimax`. A `return` in the callback of `forEach` goes on with the next element."""

    def __init__(self) -> None:
        self.visits = 0

    def max_value(self, node: Node, alpha: float, beta: float) -> float:
        self.visits += 1
        if not node.children:
            return node.score
        value: float = -HIGHEST
        for state in node.children:
            value = max(value, self.min_value(state, alpha, beta))
            if value >= beta:
                continue
            alpha = max(alpha, value)
        return value

    def min_value(self, node: Node, alpha: float, beta: float) -> float:
        self.visits += 1
        if not node.children:
            return node.score
        value: float = HIGHEST
        for state in node.children:
            value = min(value, self.max_value(state, alpha, beta))
            if value <= alpha:
                continue
            beta = min(beta, value)
        return value

    def choice(self, root: Node) -> tuple[str, float]:
        best: float = -HIGHEST
        move = ""
        for state in root.children:
            value = self.min_value(state, best, HIGHEST)
            if value > best:
                best, move = value, state.move
        return move, best


def position(chance: random.Random, width: int, height: int) -> IsolationState:
    while True:
        state: State = engine.load("isolation", width=width, height=height).start()
        for _ in range(chance.randint(3, 8)):
            if state.outcome is None:
                state = state.play(chance.choice(state.moves()))
        assert isinstance(state, IsolationState)
        if state.outcome is None:
            return state


@pytest.mark.parametrize("name", [name for name in HEURISTICS_BY_NAME if name != "mobility-difference"])
def test_it_plays_what_the_printed_program_plays(name: str) -> None:
    chance = random.Random(name)
    for number in range(12):
        state = position(chance, *((3, 3) if number % 2 else (4, 3)))
        used = progress(state)

        def heuristic(own: int, other: int, used: float = used) -> float:
            return HEURISTICS_BY_NAME[name](own, other, used)

        printed = Transcription()
        # At an even number of plies the heuristic gets own moves twice at every leaf.
        plies = number % 3 + 3
        root = tree(state, heuristic, plies - 1)
        told = create(f"isolation-{name}:program=printed,depth={plies}").choose(state, Limit())
        assert (told.move, told.score) == printed.choice(root)
        # Nothing is pruned, whatever alpha and beta are.
        assert printed.visits == size(root) - 1 == sum(state.perft(depth) for depth in range(1, plies + 1))
        assert 0 < told.nodes <= printed.visits


def test_max_depth_4_is_five_plies() -> None:
    state = engine.load("isolation", width=4, height=3).start()
    assert isinstance(state, IsolationState)
    # The first plies place the pawns: 12 * 11 lines.
    for move in ("a1", "d3"):
        state = state.play(move)
    assert height(tree(state, lambda own, other: own)) == MAX_DEPTH + 1 == TUTORIAL_PLIES


def test_it_can_miss_a_win_within_its_five_plies() -> None:
    chance, missed = random.Random(2), 0
    printed = create("isolation-offensive:program=printed,depth=5")
    corrected, whole = create("isolation-offensive:depth=5"), create("isolation-offensive:depth=20")
    for _ in range(60):
        state = position(chance, 4, 3)
        after = state.play(printed.choose(state, Limit()).move)
        wins = corrected.choose(state, Limit()).proven == "win"
        missed += wins and after.outcome is None and whole.choose(after, Limit()).proven == "win"
    assert missed


def test_it_keeps_the_limits() -> None:
    state = engine.load("isolation", width=7, height=7).start()
    bot = create("isolation-defensive:program=printed,depth=5")
    assert bot.choose(state, Limit(depth=2)).depth == 2
    assert bot.choose(state, Limit(nodes=40)).nodes <= 40
    slow = create("isolation-defensive:program=printed,depth=20").choose(state, Limit(time=30))
    assert state.is_legal(slow.move)
    assert slow.seconds < 5


def test_it_is_for_two_players_without_dice() -> None:
    bot = create("isolation-simple:program=printed")
    for options in ({"dice": True}, {"players": 3}):
        with pytest.raises(ValueError, match="two players"):
            bot.check(engine.load("isolation", **options))
    bot.check(engine.load("isolation"))
