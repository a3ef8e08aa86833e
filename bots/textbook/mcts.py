"""Monte Carlo tree search with UCT, for any game (Kocsis and Szepesvari, "Bandit based Monte-Carlo Planning", 2006;
Browne and others, "A Survey of Monte Carlo Tree Search Methods", 2012, algorithm 2).

Each iteration selects a path by upper confidence bounds (UCT), expands one node, plays a random game from there
(playout), and backs its result up along the path. It needs no evaluation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from random import Random
from time import monotonic
from typing import Final

from cornered.bots.bot import Limit, Line, Thought
from cornered.bots.textbook.search import OutOfLimit, PvMoves, TextbookSearch
from cornered.bots.textbook.trace import SILENT, Trace
from cornered.bots.textbook.utilities import unsquashed
from cornered.engine import CHANCE, Outcome, State

__all__ = ["Node", "rewards", "run_iteration", "think"]

PLAYOUT_PLIES_MAX: Final = 2_000
"""Plies after which a playout counts as a draw: Quoridor without draw rules need not end."""


@dataclass(slots=True, eq=False)
class Node:
    """A node of the tree. `won` sums the rewards of its visits, from 0 to 1 each, for the player that moved here."""

    state: State
    parent: Node | None
    move: str
    untried: list[str]
    visits: int = 0
    won: float = 0.0
    children: dict[str, Node] = field(default_factory=dict)

    @classmethod
    def of(cls, state: State, chance: Random, parent: Node | None = None, move: str = "") -> Node:
        """Return a node without visits; its moves are in random order."""
        moves = state.moves()
        chance.shuffle(moves)
        return cls(state, parent, move, moves)

    @property
    def mean(self) -> float:
        """The mean reward of the player that moved here; 0.5 before any visit."""
        return self.won / self.visits if self.visits else 0.5

    def bound(self, c: float) -> float:
        """The upper confidence bound by which the parent selects this node: its mean + c sqrt(ln N / n)."""
        assert self.parent is not None
        return self.mean + c * math.sqrt(math.log(self.parent.visits) / self.visits)

    def most_promising(self, c: float) -> Node:
        """Return the child with the highest upper confidence bound."""
        logarithm = math.log(self.visits)
        return max(self.children.values(), key=lambda child: child.mean + c * math.sqrt(logarithm / child.visits))

    def ranked(self) -> list[Node]:
        """Return the children, the most visited first (robust child)."""
        return sorted(self.children.values(), key=lambda child: (-child.visits, -child.mean))


def run_iteration(root: Node, c: float, chance: Random, search: TextbookSearch) -> None:
    """Run one iteration. Raises OutOfLimit, and then has changed nothing that counts, when the limit is used up."""
    node, ply, trace = root, 0, search.trace
    trace.select("")
    while node.state.outcome is None:
        ply += 1
        if node.state.to_move == CHANCE:
            # A chance node: the outcome is drawn at random.
            roll = chance.choice(node.state.moves())
            if roll not in node.children:
                search.visit(ply)
                after = node.state.play(roll)
                trace.enter(roll, after)
                node.children[roll] = Node.of(after, chance, node, roll)
            else:
                trace.select(roll)
            node = node.children[roll]
        elif node.untried:
            search.visit(ply)
            move = node.untried[-1]
            child = Node.of(node.state.play(move), chance, node, move)
            trace.enter(move, child.state)
            before = search.nodes
            got = rewards(_playout(child.state, ply, chance, search), root.state.game.seats)
            trace.playout(search.nodes - before, got)
            node.untried.pop()
            node.children[move] = child
            _back_up(child, got, trace)
            return
        else:
            node = node.most_promising(c)
            trace.select(node.move, node.bound(c))
    got = rewards(node.state.outcome, root.state.game.seats)
    trace.playout(0, got)
    _back_up(node, got, trace)


def rewards(outcome: Outcome | None, seats: int) -> tuple[float, ...]:
    """Return each seat's reward: 1 for the winner, equal parts for a draw or an unfinished playout."""
    if outcome is None or outcome.winner is None:
        return (1.0 / seats,) * seats
    return tuple(float(seat == outcome.winner) for seat in range(seats))


def _playout(state: State, ply: int, chance: Random, search: TextbookSearch) -> Outcome | None:
    for deeper in range(ply + 1, ply + PLAYOUT_PLIES_MAX):
        if (outcome := state.outcome) is not None:
            return outcome
        search.visit(deeper)
        state = state.play(chance.choice(state.moves()))
    return state.outcome


def _back_up(node: Node, got: tuple[float, ...], trace: Trace) -> None:
    """Back the rewards up from `node` to the root; each node counts the reward of the player that moved there."""
    at: Node | None = node
    while at is not None:
        at.visits += 1
        if at.parent is not None and at.parent.state.to_move != CHANCE:
            at.won += got[at.parent.state.to_move]
        trace.back_up(at.visits, at.mean)
        at = at.parent


def think(state: State, limit: Limit, iterations: int, c: float, chance: Random, trace: Trace = SILENT) -> Thought:
    """Return the most visited move; its score is its mean as an evaluation."""
    search = TextbookSearch.within(limit, state.to_move, lambda state, seat: 0.0, trace)
    root = Node.of(state, chance)
    trace.enter("", state)
    try:
        for _ in range(iterations):
            run_iteration(root, c, chance, search)
    except OutOfLimit:
        pass
    lines = [_line(child, state.game.seats) for child in root.ranked()]
    lines += [Line(move) for move in root.untried]
    best = lines[0]
    thought = Thought(best.move, best.score, pv=best.pv or (best.move,), lines=tuple(lines))
    seconds = monotonic() - search.started
    return replace(thought, nodes=search.nodes, deepest=search.deepest, seconds=seconds)


def _line(child: Node, seats: int) -> Line:
    even = 1.0 / seats
    value = (child.mean - even) / (1.0 - even if child.mean > even else even)
    return Line(child.move, unsquashed(value), pv=(child.move, *_principal_variation(child)))


def _principal_variation(node: Node) -> PvMoves:
    """Return the most visited line below `node`, up to where the dice roll."""
    line: PvMoves = ()
    while node.children and node.state.to_move != CHANCE:
        node = node.ranked()[0]
        line = (*line, node.move)
    return line
