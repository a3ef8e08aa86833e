"""The winner's moves in a proven position: one for each position in which it is to move, whatever the loser plays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cornered.bots.proofs.layout import PLIES_MAX
from cornered.bots.proofs.search import ProofSearch
from cornered.engine import State

__all__ = ["find_strategy"]


def find_strategy(
    search: ProofSearch, state: State, winner: int, plies: int = PLIES_MAX, report: Callable[[int], None] | None = None
) -> dict[Any, int]:
    """Return the place of the winner's move among the legal moves, by position, for all that can come up.

    Each move leads to a position that is won in fewer plies, by the numbers that the search has for it, so no play
    returns to an earlier position. What the table has lost is searched again. Raises a ValueError where the win of
    `winner` within `plies` is no result of the search.
    """
    chosen: dict[Any, int] = {}
    # The distances within which the positions that were followed are won.
    within: dict[Any, int] = {}
    waiting = [(state, plies)]
    while waiting:
        here, bound = waiting.pop()
        position: Any = here.position  # type: ignore[attr-defined]  # every game of ours has one
        if here.outcome is not None or within.get(position, PLIES_MAX + 1) <= bound:
            continue
        if here.to_move == winner:
            place, distance = search.winning_move(here, winner, bound)
            chosen[position] = place
            bound = min(bound, distance)
            following = [here.moves()[place]]
        else:
            following = here.moves()
        within[position] = bound
        waiting.extend((here.play(move), bound - search.ply) for move in following)
        if report is not None and len(within) % 1000 == 0:
            report(len(within))
    return chosen
