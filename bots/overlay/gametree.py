"""The game tree of any position, to a chosen depth, as data that a page can draw.

The tree grows breadth first, so the nodes beyond its limits are missing at the bottom. Scores are minimax over the
nodes shown, for the root's mover: leaves are evaluated, finished games count WIN less their plies, dice are averaged,
and several opponents count as one (paranoid).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from cornered.bots.bot import WIN
from cornered.bots.evaluate import EvaluateState
from cornered.engine import CHANCE, State

__all__ = ["PICTURE_NODES_MAX", "Tree", "as_json", "build_tree"]

PICTURE_NODES_MAX: Final = 400
"""Positions of a readable picture."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A node of the tree. `move` led here; it is None at the root. `to_move` is -1 for the dice.

    `more` counts the legal moves that are not among `children`. `is_cut`: alpha-beta over the children in this
    order would have pruned this one.
    """

    move: str | None
    position: str
    to_move: int
    score: float
    is_best: bool
    is_cut: bool
    is_over: bool
    more: int
    children: tuple[Tree, ...] = ()

    def __iter__(self) -> Iterator[Tree]:
        """Iterate over this position and all below it, each before its children."""
        yield self
        for child in self.children:
            yield from child

    @property
    def best_line(self) -> tuple[str, ...]:
        """The principal variation from here; it ends before dice."""
        child = next((child for child in self.children if child.is_best), None)
        return () if child is None or child.move is None else (child.move, *child.best_line)


def as_json(tree: Tree) -> dict[str, Any]:
    """Return a tree for a page to draw: nested objects named like the fields of Tree."""
    return {
        "move": tree.move,
        "position": tree.position,
        "to_move": tree.to_move,
        "score": tree.score,
        "is_best": tree.is_best,
        "is_cut": tree.is_cut,
        "is_over": tree.is_over,
        "more": tree.more,
        "children": [as_json(child) for child in tree.children],
    }


def build_tree(state: State, depth: int, width: int, evaluate: EvaluateState, *, most: int = PICTURE_NODES_MAX) -> Tree:
    """Return the tree of `depth` plies below `state`, with up to `width` moves a position and `most` positions in all.

    Of more moves than that the most promising are shown: those with the best evaluation for their mover after them.
    Rolls of the dice are all shown, or none. Deterministic. Raises a ValueError unless all three are positive.
    """
    if min(depth, width, most) < 1:
        raise ValueError(f"a tree has a depth, a width and positions, 1 or more, not {depth}, {width} and {most}")
    seat = _first_seat(state)
    root = _Node(state, None, 0)
    waiting, count = deque([root]), 1
    while waiting:
        node = waiting.popleft()
        if node.ply == depth or node.state.outcome is not None:
            continue
        children = node.best_children(width, evaluate)
        if node.state.to_move == CHANCE and count + len(children) > most:
            continue
        node.children = children[: most - count]
        count += len(node.children)
        waiting.extend(node.children)
    _value(root, seat, evaluate)
    return _frozen(root, seat, is_best=True, is_cut=False, alpha=-float("inf"), beta=float("inf"))


@dataclass(slots=True)
class _Node:
    """A position of the tree while it grows."""

    state: State
    move: str | None
    ply: int
    children: list[_Node] = field(default_factory=list)
    score: float = 0.0

    def best_children(self, width: int, evaluate: EvaluateState) -> list[_Node]:
        """Return the positions after the best moves, the most promising first and equal ones in the game's order."""
        children = [_Node(self.state.play(move), move, self.ply + 1) for move in self.state.moves()]
        mover = self.state.to_move
        if mover == CHANCE:
            return children
        children.sort(key=lambda child: -_leaf(child, mover, evaluate))
        return children[:width]


def _first_seat(state: State) -> int:
    """Return the seat that moves first; where dice are rolled first, the one that rolls them."""
    while state.outcome is None and state.to_move == CHANCE:
        state = state.play(state.moves()[0])
    return max(0, state.to_move)


def _leaf(node: _Node, seat: int, evaluate: EvaluateState) -> float:
    outcome = node.state.outcome
    if outcome is None:
        return float(evaluate(node.state, seat))
    if outcome.winner is None:
        return 0.0
    return WIN - node.ply if outcome.winner == seat else node.ply - WIN


def _value(node: _Node, seat: int, evaluate: EvaluateState) -> float:
    """Fill in the scores from the leaves up; return this one's."""
    scores = [_value(child, seat, evaluate) for child in node.children]
    if not scores:
        node.score = _leaf(node, seat, evaluate)
    elif node.state.to_move == CHANCE:
        node.score = sum(scores) / len(scores)
    else:
        node.score = (max if node.state.to_move == seat else min)(scores)
    return node.score


def _frozen(node: _Node, seat: int, *, is_best: bool, is_cut: bool, alpha: float, beta: float) -> Tree:
    """Return the tree below a node, with the cuts of an alpha-beta search with this window."""
    state = node.state
    is_roll, is_max = state.to_move == CHANCE, state.to_move == seat
    best = next((child for child in node.children if child.score == node.score), None)
    children = []
    for child in node.children:
        window = (-float("inf"), float("inf")) if is_roll else (alpha, beta)
        cut = is_cut or (not is_roll and alpha >= beta)
        on_line = is_best and child is best and not is_roll
        children.append(_frozen(child, seat, is_best=on_line, is_cut=cut, alpha=window[0], beta=window[1]))
        if is_max:
            alpha = max(alpha, child.score)
        elif not is_roll:
            beta = min(beta, child.score)
    is_over = state.outcome is not None
    more = 0 if is_over else len(state.moves()) - len(node.children)
    return Tree(node.move, str(state), state.to_move, node.score, is_best, is_cut, is_over, more, tuple(children))
