"""The search of the Isolation tutorial's own program (isolation-tutorial, "Building the Game Tree" and "The Minimax and
Alpha-Beta Pruning Strategy").

- The tree has five plies: nodes of depths 0 to `maxDepth`, which is 4, get children, since the loop asks for
  `node.depth <= maxDepth`.
- A finished game has no value of its own: it is scored by the heuristic, so a loss has 0 and a win what the winner's
  own moves are worth.
- After a move of the opponent the heuristic gets the number of own moves twice. Below five plies such nodes are inner
  ones, except where the game is over and the number is 0.
- Of equal moves the first is played.

The printed pruning never cuts, since a `return` inside `forEach` leaves the callback alone. Here it cuts, which changes
neither the values nor the move.
"""

from __future__ import annotations

import math
from typing import Final

from cornered.bots.bot import Limit, Thought
from cornered.bots.kernels.timer import deadline_timer
from cornered.bots.textbook.root import RootSearch, depths
from cornered.bots.textbook.search import OutOfLimit, PvMoves, TextbookSearch, ValuedLine
from cornered.engine import State
from cornered.engine.compile.arrays import Buffer, empty, int64, uint64
from cornered.engine.compile.kernel import kernel
from cornered.engine.games.isolation import IsolationState
from cornered.engine.kernels.bits import popcount
from cornered.engine.kernels.slides import SLIDE_STEPS_MAX, slides

__all__ = ["HIGHEST", "NODES", "NODES_MAX", "TUTORIAL_PLIES", "printed_search", "printed_value"]

TUTORIAL_PLIES: Final = 5
"""Depth of the tutorial's tree: its default `maxDepth` of 4, and one."""
HIGHEST: Final = 9999
"""The tutorial's infinity."""
NODES, NODES_MAX = 0, 1
"""Indices of the two counters of a search: nodes visited, and nodes at which it stops."""
UNLIMITED_NODES: Final = 1 << 62


@kernel
def printed_value(
    free: uint64,
    mover: uint64,
    other: uint64,
    depth: int,
    alpha: int,
    beta: int,
    own: int,
    opposing: int,
    is_max: bool,
    counters: Buffer,
) -> int:
    """Return the value of a position for the player that searches, `depth` plies above the leaves: exact between
    `alpha` and `beta`, meaningless once the counters say stop. `mover` is the pawn of whoever is to move, 0 before it
    is placed; `own` and `opposing` are the heuristic's weights of the numbers of moves."""
    if counters[NODES] >= counters[NODES_MAX]:
        return 0
    counters[NODES] += 1
    rest = slides(free, mover, SLIDE_STEPS_MAX) if mover else free
    if depth == 0 or not rest:
        count = popcount(rest)
        if is_max:
            return (own + opposing) * count
        mine = slides(free, other, SLIDE_STEPS_MAX) if other else free
        return own * popcount(mine) + opposing * count
    best = -HIGHEST if is_max else HIGHEST
    while rest:
        target = rest & (~rest + uint64(1))
        value = printed_value(free ^ target, other, target, depth - 1, alpha, beta, own, opposing, not is_max, counters)
        if is_max:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if beta <= alpha:
            break
        rest ^= target
    return best


def printed_search(state: IsolationState, limit: Limit, depth: int, weights: tuple[int, int]) -> Thought:
    """Return the program's choice within `limit`, `depth` plies deep, by a heuristic that weighs the number of own
    moves and of the opponent's. The game is for two players, without dice."""
    counters = empty(2, int64)
    counters[NODES], counters[NODES_MAX] = 0, limit.nodes or UNLIMITED_NODES
    search = TextbookSearch.within(limit, state.to_move, lambda state, seat: 0.0)
    # The values prove nothing, even where every line was searched to its end.
    search.saw_horizon = True

    def look(after: State, plies: int, least: float, hint: PvMoves) -> ValuedLine:
        assert isinstance(after, IsolationState)
        free, mover, other, *_ = after.position
        alpha = -HIGHEST if least == -math.inf else int(least)
        value = printed_value(free, mover, other, plies, alpha, HIGHEST, *weights, False, counters)
        search.nodes, search.saw_horizon = int(counters[NODES]), True
        if search.nodes >= counters[NODES_MAX]:
            raise OutOfLimit
        return float(value), ()

    def stop() -> None:
        counters[NODES_MAX] = 0

    root = RootSearch(state, limit, search, look, prove=lambda score, saw_horizon: None)
    with deadline_timer(limit.remaining, stop):
        return root.think(depths(limit, depth), state.moves())
