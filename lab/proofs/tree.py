"""The upper part of a claim's search tree, whose leaves are jobs: job-level proof-number search (Wu et al. 2013).

Proofs come from jobs alone. The tree decides which position is searched next: from the root it follows the move with
the least proof number where the attacker is to move, and the least disproof number where the defender is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cornered.bots.proofs.layout import INFINITE
from cornered.engine import State

__all__ = ["ClaimTree", "Node"]


@dataclass(slots=True)
class Node:
    """A position with the proof and the disproof number of the claim that the attacker wins it.

    `children` are empty for a leaf; they have the order of `State.moves`. `is_taken` marks a leaf whose job is in work.
    """

    proof: int = 1
    disproof: int = 1
    children: list[Node] = field(default_factory=list)
    is_taken: bool = False

    @property
    def is_settled(self) -> bool:
        return self.proof == 0 or self.disproof == 0


class ClaimTree:
    """The tree of one claim, for the position `state`, which is not over."""

    def __init__(self, state: State, attacker: int) -> None:
        self.state = state
        self.attacker = attacker
        self.root = Node()
        self.nodes = 0
        """Nodes of all jobs so far."""

    def take(self, most: int) -> Iterator[tuple[str, ...]]:
        """Mark up to `most` leaves as taken, the most proving first, and yield the moves to each."""
        for _ in range(most):
            path = self._most_proving()
            if path is None:
                return
            yield path

    def settle(
        self, moves: Sequence[str], proof: int, disproof: int, nodes: int, children: Sequence[tuple[int, int]]
    ) -> None:
        """Enter the result of the job of the leaf after `moves`: it is settled, or its children become leaves."""
        path = self._path(moves)
        leaf = path[-1][1]
        leaf.proof, leaf.disproof, leaf.is_taken = proof, disproof, False
        if not leaf.is_settled:
            leaf.children = [Node(*pair) for pair in children]
        self.nodes += nodes
        for state, node in reversed(path):
            self._gather(state, node)

    def parts(self, winner: int) -> Iterator[tuple[str, ...]]:
        """Yield the moves to the leaves that together show that `winner` wins the root: after one move of the winner,
        the first that wins, and after all moves of the other."""
        is_claim = winner == self.attacker

        def visit(state: State, node: Node, moves: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
            if not node.children:
                if state.outcome is None:
                    yield moves
                return
            named = list(zip(state.moves(), node.children, strict=True))
            if state.to_move == winner:
                named = [(move, child) for move, child in named if (child.proof if is_claim else child.disproof) == 0][
                    :1
                ]
            for move, child in named:
                yield from visit(state.play(move), child, (*moves, move))

        yield from visit(self.state, self.root, ())

    def _most_proving(self) -> tuple[str, ...] | None:
        """Mark the most proving leaf that is not taken and return the moves to it; None where there is none."""
        state, node, moves = self.state, self.root, []
        path = [(state, node)]
        while node.children:
            is_attacking = state.to_move == self.attacker
            open_children = [
                (child.proof if is_attacking else child.disproof, place)
                for place, child in enumerate(node.children)
                if not child.is_settled and self._has_room(child)
            ]
            if not open_children:
                return None
            place = min(open_children)[1]
            move = state.moves()[place]
            moves.append(move)
            state, node = state.play(move), node.children[place]
            path.append((state, node))
        if node.is_taken or node.is_settled:
            return None
        node.is_taken = True
        return tuple(moves)

    def _has_room(self, node: Node) -> bool:
        """Return whether a leaf below an open node is not taken."""
        if not node.children:
            return not node.is_taken
        return any(not child.is_settled and self._has_room(child) for child in node.children)

    def _path(self, moves: Sequence[str]) -> list[tuple[State, Node]]:
        state, node = self.state, self.root
        path = [(state, node)]
        for move in moves:
            node = node.children[state.moves().index(move)]
            state = state.play(move)
            path.append((state, node))
        return path

    def _gather(self, state: State, node: Node) -> None:
        """Work the numbers of a node out from its children's, as the compiled search does."""
        if not node.children:
            return
        is_attacking = state.to_move == self.attacker
        pairs = [(child.proof, child.disproof) for child in node.children]
        own = [pair if is_attacking else pair[::-1] for pair in pairs]
        least = min(first for first, _ in own)
        still_open = [second for first, second in own if first < INFINITE]
        most = INFINITE if least == 0 else min(max(still_open) + len(still_open) - 1, INFINITE - 1) if still_open else 0
        node.proof, node.disproof = (least, most) if is_attacking else (most, least)
