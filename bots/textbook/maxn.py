"""Max^n: minimax for any number of players, each of which maximises its own share (Luckhardt and Irani, "An
Algorithmic Solution of N-Person Games", 1986; game-playing-notes, "Multi-Player Games").

A value is a tuple with a share for each player; the mover picks the tuple with the largest share for itself.
"""

from __future__ import annotations

from typing import TypeAlias

from cornered.bots.textbook.search import PvMoves, TextbookSearch
from cornered.bots.textbook.shares import Shares, estimated, final
from cornered.engine import State

__all__ = ["SharesLine", "leaf", "max_n"]

SharesLine: TypeAlias = tuple[Shares, PvMoves]
"""The shares of a position, and the line of moves that leads to them."""


def leaf(state: State, depth: float, ply: int, search: TextbookSearch) -> Shares | None:
    """Return the shares of a position below which nothing is searched, None for any other."""
    if (outcome := state.outcome) is not None:
        return final(outcome, ply)
    if depth <= 0:
        search.saw_horizon = True
        return estimated(state, search.evaluate)
    return None


def max_n(state: State, depth: float, ply: int, search: TextbookSearch) -> SharesLine:
    """Return the shares of `state` by searching every line `depth` plies deep. Of equal moves the first one counts."""
    search.visit(ply)
    if (shares := leaf(state, depth, ply, search)) is not None:
        return shares, ()
    mover = state.to_move
    best: Shares = ()
    line: PvMoves = ()
    for move in state.moves():
        after = state.play(move)
        search.trace.enter(move, after)
        shares, rest = max_n(after, depth - 1, ply + 1, search)
        if not best or shares[mover] > best[mover]:
            best, line = shares, (move, *rest)
        search.trace.leave(shares, best)
    return best, line
