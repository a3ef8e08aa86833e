"""The tree of a PUCT search as arrays, which the compiled search fills and Python reads."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from cornered.bots.kernels.plies import MAX_PLY
from cornered.bots.nnue.layout import MOVES
from cornered.bots.search.layout import MAX_MOVES_PER_POSITION

__all__ = [
    "CANDIDATES",
    "DEEPEST",
    "DRAWN",
    "EDGES",
    "EDGE_COUNT",
    "EVERY_MOVE",
    "EXHAUSTED",
    "NEVER",
    "NODES",
    "NODE_COUNT",
    "PLIES",
    "STOP",
    "UNEXPANDED",
    "WIDENING",
    "Tree",
    "Tuning",
]

NODES: Final = 1 << 20
EDGES: Final = 1 << 23
"""About 180 MB at most, which some seconds fill; pages that no search touched take no memory."""

# Words of `control`.
STOP: Final = 0
NODE_COUNT: Final = 1
EDGE_COUNT: Final = 2
DEEPEST: Final = 3
EXHAUSTED: Final = 4
"""Whether the search ended because the arrays were full."""
PLIES: Final = 5
"""The sum of the depths of all visits of the search, in plies."""

# Stages of a node.
UNEXPANDED: Final = 0
CANDIDATES: Final = 1
WIDENING: Final = 2
"""All candidates are proven to lose: the next visit adds the other moves."""
EVERY_MOVE: Final = 3

NEVER: Final = -1.0
"""The prior of an edge that is not chosen any more."""
DRAWN: Final = 1 << 20
"""The result of a node that is a draw where it is: by the rules, or since its position repeats."""


class Tree(NamedTuple):
    """Nodes, the edges to their children, and what one descent needs.

    `result[n]` is 0 while node n is open, r > 0 where its mover wins within r - 1 plies, -r where it loses. Totals are
    sums of values from -1 to 1: of an edge for the mover above it, of a node for its own. A proven loss has a negative
    prior on its edge, which is never chosen again.
    """

    control: npt.NDArray[np.int64]
    first: npt.NDArray[np.int32]
    width: npt.NDArray[np.int32]
    stage: npt.NDArray[np.int8]
    visits: npt.NDArray[np.int32]
    total: npt.NDArray[np.float64]
    result: npt.NDArray[np.int32]
    move: npt.NDArray[np.int16]
    prior: npt.NDArray[np.float32]
    edge_visits: npt.NDArray[np.int32]
    edge_total: npt.NDArray[np.float32]
    child: npt.NDArray[np.int32]
    path_nodes: npt.NDArray[np.int32]
    path_edges: npt.NDArray[np.int32]
    path_keys: npt.NDArray[np.int64]
    moves: npt.NDArray[np.int64]
    logits: npt.NDArray[np.float64]
    places: npt.NDArray[np.int32]
    """By move: its edge in a node that widens, else -1."""

    @classmethod
    def empty(cls, nodes: int = NODES, edges: int = EDGES) -> Self:
        """Return a tree that is one node, which nothing visited yet, with room for so many."""
        tree = cls(
            control=np.zeros(8, np.int64),
            first=np.zeros(nodes, np.int32),
            width=np.zeros(nodes, np.int32),
            stage=np.zeros(nodes, np.int8),
            visits=np.zeros(nodes, np.int32),
            total=np.zeros(nodes, np.float64),
            result=np.zeros(nodes, np.int32),
            move=np.zeros(edges, np.int16),
            prior=np.zeros(edges, np.float32),
            edge_visits=np.zeros(edges, np.int32),
            edge_total=np.zeros(edges, np.float32),
            child=np.zeros(edges, np.int32),
            path_nodes=np.zeros(MAX_PLY, np.int32),
            path_edges=np.zeros(MAX_PLY, np.int32),
            path_keys=np.zeros(MAX_PLY, np.int64),
            moves=np.zeros(MAX_MOVES_PER_POSITION, np.int64),
            logits=np.zeros(MAX_MOVES_PER_POSITION, np.float64),
            places=np.full(MOVES, -1, np.int32),
        )
        tree.control[NODE_COUNT] = 1
        return tree


class Tuning(NamedTuple):
    """How much a search explores."""

    exploration: float = 1.6
    """The weight of priors against values."""
    growth: float = 20_000.0
    """Visits of a node by which its exploration grows by ln 2."""
    unvisited_loss: float = 0.25
    """What an unvisited move is valued below its parent, where all of the prior is visited."""
    temperature: float = 1.3
    """By what preferences are divided before they are made probabilities."""
