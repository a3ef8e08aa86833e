"""Max^n with shallow pruning (Korf, "Multi-player alpha-beta pruning", Artificial Intelligence 48, 1991).

All shares together are one WHOLE. Once the mover of a position has the share x, every other player gets at most
WHOLE - x there; if that is no more than the share that the player one ply higher has elsewhere, that player avoids this
position, and the rest is pruned. Korf shows that with more than two players a bound from higher up prunes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cornered.bots.textbook.maxn import SharesLine, leaf
from cornered.bots.textbook.search import PvMoves, TextbookSearch
from cornered.bots.textbook.shares import WHOLE, Shares, most
from cornered.engine import State

__all__ = ["NO_SEAT_ABOVE", "best_left", "max_n_shallow"]

NO_SEAT_ABOVE = -1
"""The seat above a position that no player's move leads to: the root."""


def all_moves(state: State) -> Sequence[str]:
    """Return all moves."""
    return state.moves()


def max_n_shallow(
    state: State,
    depth: float,
    ply: int,
    above: int,
    has: int,
    search: TextbookSearch,
    choice: Callable[[State], Sequence[str]] = all_moves,
) -> SharesLine:
    """Return the shares of `state` when seat `above`, one ply higher, has the share `has` elsewhere.

    The result is max^n's over the moves of `choice`, to the last digit, unless `above` would get no more than `has`:
    then it only shows that.
    """
    search.visit(ply)
    if (shares := leaf(state, depth, ply, search)) is not None:
        return shares, ()
    mover = state.to_move
    # A player that moves twice in a row bounds nothing: its own share grows.
    enough = WHOLE - has if above not in (NO_SEAT_ABOVE, mover) else WHOLE
    enough = min(enough, most(state.game.seats, ply + 1))
    best: Shares = ()
    line: PvMoves = ()
    moves = choice(state)
    for index, move in enumerate(moves, start=1):
        after = state.play(move)
        search.trace.enter(move, after)
        shares, rest = max_n_shallow(after, depth - 1, ply + 1, mover, best[mover] if best else 0, search, choice)
        is_better = not best or shares[mover] > best[mover]
        if is_better:
            best, line = shares, (move, *rest)
        search.trace.leave(shares, best)
        if is_better and best[mover] >= enough:
            search.pruned += len(moves) - index
            search.trace.cut(len(moves) - index)
            break
    return best, line


def best_left(state: State, shares: Shares, seat: int, has: int) -> int:
    """Return the share of `seat`, or a number up to `has` where `max_n_shallow` may have shown no more than that."""
    bound = WHOLE - shares[state.to_move] if state.to_move != seat else shares[seat]
    return bound if bound <= has else shares[seat]
