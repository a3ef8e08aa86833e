"""The game tree of any position, to a chosen depth, as data that a page can draw.

The tree grows breadth first, so the nodes beyond its limits are missing at the bottom. Scores are minimax over the
nodes shown, for the root's mover: leaves are evaluated, finished games count WIN less their plies, dice are averaged,
and several opponents count as one (paranoid). What a search has found for the root's moves replaces that, and of two
players' games it is told what is proven: of a position every reply to which wins, every reply is a win.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from cornered.bots.bot import WIN, Line, Proven
from cornered.bots.evaluate import EvaluateState
from cornered.engine import CHANCE, State

__all__ = ["PICTURE_NODES_MAX", "Tree", "as_json", "build_tree"]

PICTURE_NODES_MAX: Final = 400
"""Positions of a readable picture."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A node of the tree. `move` led here; it is None at the root. `to_move` is -1 for the dice.

    `proven` is the value of the game for the root's mover, and `plies` its distance in plies with the move included.
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
    proven: Proven | None = None
    plies: int | None = None

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
        "proven": tree.proven,
        "plies": tree.plies,
        "children": [as_json(child) for child in tree.children],
    }


def build_tree(
    state: State,
    depth: int,
    width: int,
    evaluate: EvaluateState,
    *,
    most: int = PICTURE_NODES_MAX,
    lines: Sequence[Line] = (),
) -> Tree:
    """Return the tree of `depth` plies below `state`, with up to `width` moves a position and `most` positions in all.

    Of more moves than that the most promising are shown: those with the best evaluation for their mover after them.
    Rolls of the dice are all shown, or none. `lines` are the root's moves as a search has found them, the best first:
    those with an exact score come first, with this score. Deterministic. Raises a ValueError unless all three are
    positive.
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
        children = node.best_children(width, evaluate, lines if node is root else node.replies)
        if node.state.to_move == CHANCE and count + len(children) > most:
            continue
        node.children = children[: most - count]
        count += len(node.children)
        waiting.extend(node.children)
    _value(root, seat, evaluate)
    if state.game.seats == 2:
        _prove_up(root, seat)
        _prove_down(root, seat)
    return _frozen(root, seat, is_best=True, is_cut=False, alpha=-float("inf"), beta=float("inf"))


@dataclass(slots=True)
class _Node:
    """A position of the tree while it grows."""

    state: State
    move: str | None
    ply: int
    children: list[_Node] = field(default_factory=list)
    score: float = 0.0
    line: Line | None = None
    proven: Proven | None = None
    plies: int | None = None

    @property
    def replies(self) -> tuple[Line, ...]:
        """The next move of the search's line, which has the same value for the root's mover."""
        line = self.line
        if line is None or len(line.pv) < 2:
            return ()
        plies = None if line.plies is None else line.plies - 1
        return (replace(line, move=line.pv[1], plies=plies, pv=line.pv[1:]),)

    def best_children(self, width: int, evaluate: EvaluateState, lines: Sequence[Line]) -> list[_Node]:
        """Return the positions after the best moves: those of `lines` first, then the most promising, and equal ones in
        the game's order."""
        children = [_Node(self.state.play(move), move, self.ply + 1) for move in self.state.moves()]
        mover = self.state.to_move
        if mover == CHANCE:
            return children
        children.sort(key=lambda child: -_leaf(child, mover, evaluate))
        known = [line for line in lines if line.score is not None and not line.is_bound]
        if known:
            order = {line.move: place for place, line in enumerate(known)}
            children.sort(key=lambda child: order.get(child.move or "", len(order)))
            for child in children:
                place = order.get(child.move or "")
                child.line = None if place is None else known[place]
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
    line = node.line
    if line is not None and line.score is not None:
        node.score, node.proven, node.plies = line.score, line.proven, line.plies if line.proven else None
    elif not scores:
        node.score = _leaf(node, seat, evaluate)
    elif node.state.to_move == CHANCE:
        node.score = sum(scores) / len(scores)
    else:
        node.score = (max if node.state.to_move == seat else min)(scores)
    return node.score


def _prove_up(node: _Node, seat: int) -> None:
    """Prove the positions whose value follows from those below them."""
    for child in node.children:
        _prove_up(child, seat)
    outcome = node.state.outcome
    if outcome is not None:
        node.proven = "draw" if outcome.winner is None else "win" if outcome.winner == seat else "loss"
    elif node.proven is None and node.children and node.state.to_move != CHANCE:
        wanted: Proven = "win" if node.state.to_move == seat else "loss"
        found = {child.proven for child in node.children}
        if wanted in found:
            node.proven = wanted
        elif None not in found and len(node.children) == len(node.state.moves()):
            node.proven = "draw" if "draw" in found else "loss" if wanted == "win" else "win"


def _prove_down(node: _Node, seat: int) -> None:
    """Prove the positions after any move of a player who has lost: the other one has won them all."""
    loser = {"win": 1 - seat, "loss": seat}.get(node.proven or "")
    for child in node.children:
        if child.proven is None and loser is not None and node.state.to_move in (loser, CHANCE):
            child.proven = node.proven
        _prove_down(child, seat)


def _frozen(node: _Node, seat: int, *, is_best: bool, is_cut: bool, alpha: float, beta: float) -> Tree:
    """Return the tree below a node, with the cuts of an alpha-beta search with this window."""
    state = node.state
    is_roll, is_max = state.to_move == CHANCE, state.to_move == seat
    best = _best(node, is_max=is_max)
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
    return Tree(
        node.move,
        str(state),
        state.to_move,
        node.score,
        is_best,
        is_cut,
        is_over,
        more,
        tuple(children),
        node.proven,
        node.plies,
    )


def _best(node: _Node, *, is_max: bool) -> _Node | None:
    """Return the best move shown: of the search's where there is one, and never a worse one than is proven."""
    worth = {"win": 1, None: 0, "draw": 0, "loss": -1}
    sign = 1 if is_max else -1
    if node.children and node.children[0].line is not None:
        return node.children[0]
    return max(node.children, key=lambda child: (sign * worth[child.proven], sign * child.score), default=None)
