"""Monte Carlo tree search with UCT (Bamboo paper, sections III.C and IV.C)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import log, sqrt
from random import Random
from typing import Final

import numpy as np

from cornered.bots.bamboo.playout import playout
from cornered.engine.kernels.hexagon import MAX_MOVES, Position, advance, gen

__all__ = ["BambooTreeNode", "new_node", "run_iteration", "uct"]

SEED_LIMIT: Final = 1 << 62


@dataclass(slots=True)
class BambooTreeNode:
    """A node: its position, its visits, and the wins of the player that moved here, the opponent of its mover."""

    position: Position
    untried: list[int]
    """The moves that are no children yet, the next last."""
    visits: int = 0
    wins: int = 0
    children: dict[int, BambooTreeNode] = field(default_factory=dict)

    @property
    def value(self) -> float:
        """The average reward v of equation 8: 1 for a game won by the player that moved here, 0 for a game lost."""
        return self.wins / self.visits

    def copy(self) -> BambooTreeNode:
        """Return a deep copy of the tree."""
        children = {move: child.copy() for move, child in self.children.items()}
        return BambooTreeNode(self.position, list(self.untried), self.visits, self.wins, children)

    def principal(self) -> Iterator[int]:
        """Iterate over the line of the most visited children."""
        node = self
        while node.children:
            move = max(node.children, key=lambda move: node.children[move].visits)
            yield move
            node = node.children[move]


def new_node(position: Position, chance: Random) -> BambooTreeNode:
    """Return a node without children, its moves to be tried in random order."""
    buffer = np.empty(MAX_MOVES, np.int64)
    moves: list[int] = buffer[: gen(position, buffer)].tolist()
    chance.shuffle(moves)
    return BambooTreeNode(position, moves)


def uct(child: BambooTreeNode, parent_visits: int, c: float) -> float:
    """Return v_i + c sqrt(ln n_p / n_i) (equation 8)."""
    return child.value + c * sqrt(log(parent_visits) / child.visits)


def run_iteration(root: BambooTreeNode, c: float, deepest: int, chance: Random) -> None:
    """Grow the tree once: select by UCT until a child is missing, add it, play on at random, carry the result back.

    Below `deepest` plies no child is added; the game is played out from there.
    """
    path = [root]
    node = root
    while not node.untried and node.children and len(path) <= deepest:
        logarithm = log(node.visits)
        # Equation 8, as in `uct`, with the factor common to all children computed once.
        node = max(
            node.children.values(),
            key=lambda child: child.wins / child.visits + c * sqrt(logarithm / child.visits),
        )
        path.append(node)
    if node.untried and len(path) <= deepest:
        move = node.untried.pop()
        child = new_node(advance(node.position, move), chance)
        node.children[move] = child
        path.append(child)
        node = child
    winner = playout(node.position, chance.randrange(SEED_LIMIT))
    for passed in path:
        passed.visits += 1
        passed.wins += winner != passed.position.turn
