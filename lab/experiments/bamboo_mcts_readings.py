"""Other readings of the Bamboo paper's tree search, each a change that its text allows or a fault that it may have had.

Our tree search wins every game against the uniform player where the paper's loses 9 of 100, so these are tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, sqrt
from random import Random
from typing import Final, NamedTuple

from cornered import engine
from cornered.bots.bamboo.cells import bamboo
from cornered.bots.bamboo.playout import playout
from cornered.bots.bamboo.tree import BambooTreeNode, new_node
from cornered.bots.bot import Limit
from cornered.bots.roster import create
from cornered.engine.games.bamboo import cell_names
from cornered.engine.kernels.hexagon import Position, advance

__all__ = ["READINGS", "SUMMED", "ReadingGame", "TreeReading", "chosen", "iterate", "reading_wins", "value_of"]

RADIUS: Final = 5
SEED_LIMIT: Final = 1 << 62


class ReadingGame(NamedTuple):
    """A game of one of READINGS. The parity of its number is the reading's seat."""

    reading: str
    c: float
    iterations: int
    opponent: str
    seed: int
    number: int


@dataclass(frozen=True, slots=True)
class TreeReading:
    """One reading of section IV.C. By default it is that of the bot `bamboo-mcts`."""

    keeps_tree: bool = True
    """Whether the tree below the played moves is kept; else every move starts a new one."""
    is_summed: bool = False
    """Whether v of equation 8 is the number of wins, by the text below it; else their average, by the text above it."""
    for_root: bool = False
    """Whether every node counts the wins of the player at the root, so that the opponent is taken for a helper."""
    for_leaf: bool = False
    """Whether every node counts the wins of the player that moved to the new node, whoever moved to the node itself."""
    is_whole: bool = False
    """Whether the average v is divided as whole numbers, so that it is 1 until the first loss and 0 from then on."""
    counts_untried: bool = False
    """Whether a child that is not in the tree has v = 0 and n = 1 in equation 8; else it comes first."""


SUMMED: Final = "v is the number of wins"
"""The reading by the text below equation 8: "v_i is the value of wins for the node i"."""
READINGS: Final[Mapping[str, TreeReading]] = {
    SUMMED: TreeReading(is_summed=True),
    "v is a quotient of whole numbers": TreeReading(is_whole=True),
    "no tree is kept": TreeReading(keeps_tree=False),
    "wins are the root player's": TreeReading(for_root=True),
    "wins are the last mover's": TreeReading(for_leaf=True),
    "untried children have v = 0, n = 1": TreeReading(counts_untried=True),
}


def value_of(node: BambooTreeNode, reading: TreeReading) -> float:
    """Return v of equation 8."""
    if reading.is_summed:
        return node.wins
    return node.wins // node.visits if reading.is_whole else node.value


def iterate(root: BambooTreeNode, reading: TreeReading, c: float, chance: Random) -> None:
    """Grow the tree once, as `cornered.bots.bamboo.tree.run_iteration` does, by a reading."""
    path, node = [root], root
    while node.children and not (node.untried and not reading.counts_untried):
        spread = log(node.visits)
        rated = {
            move: value_of(child, reading) + c * sqrt(spread / child.visits) for move, child in node.children.items()
        }
        best = max(rated, key=rated.__getitem__)
        if node.untried and c * sqrt(spread) > rated[best]:
            break
        node = node.children[best]
        path.append(node)
    if node.untried:
        move = node.untried.pop()
        node.children[move] = new_node(advance(node.position, move), chance)
        node = node.children[move]
        path.append(node)
    winner = playout(node.position, chance.randrange(SEED_LIMIT))
    for passed in path:
        passed.visits += 1
        if reading.for_root:
            passed.wins += winner == root.position.turn
        elif reading.for_leaf:
            passed.wins += winner != node.position.turn
        else:
            passed.wins += winner != passed.position.turn


def chosen(
    position: Position, kept: BambooTreeNode | None, item: ReadingGame, chance: Random
) -> tuple[int, BambooTreeNode]:
    """Return the move with the most visits, and its node; `kept` is the node before."""
    children = kept.children.values() if kept is not None and READINGS[item.reading].keeps_tree else ()
    root = next((child for child in children if child.position == position), None) or new_node(position, chance)
    for _ in range(item.iterations):
        iterate(root, READINGS[item.reading], item.c, chance)
    return max(root.children.items(), key=lambda item: item[1].visits)


def reading_wins(item: ReadingGame) -> int:
    """Return 1 when a reading wins a game, else 0."""
    chance = Random(" ".join(map(str, item)))
    other = create(item.opponent, chance.getrandbits(63))
    state, seat = bamboo(engine.load("bamboo", radius=RADIUS).start()), item.number % 2
    kept: BambooTreeNode | None = None
    while state.outcome is None:
        if state.to_move == seat:
            cell, kept = chosen(state.position, kept, item, chance)
            move = cell_names(RADIUS)[cell]
        else:
            move = other.choose(state, Limit()).move
        state = bamboo(state.play(move))
    return int(state.outcome.winner == seat)
