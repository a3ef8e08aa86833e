"""Expectiminimax: minimax with chance nodes, whose value is the mean over their outcomes (game-playing-notes,
"Probabilistic Games": V(chance node) = sum of P(outcome) x V(child)).

Values are utilities, so that a mean has a meaning: -1 is lost, 1 won, and an evaluation lies between. For two players.
"""

from __future__ import annotations

import math
from typing import Final

from cornered.bots.bot import WIN
from cornered.bots.textbook.search import PvMoves, TextbookSearch, ValuedLine
from cornered.bots.textbook.utilities import squashed, unsquashed
from cornered.engine import CHANCE, State

__all__ = ["expectiminimax", "farthest", "leaf", "score"]

ESTIMATE: Final = 0.9
"""Greatest utility of an evaluation."""
PLY: Final = 1e-6
"""Utility that a win loses with each ply."""


def farthest(ply: int) -> float:
    """Return the utility of a game won at this ply; that of a lost one is as far below zero."""
    return 1.0 - ply * PLY


def leaf(state: State, depth: float, ply: int, search: TextbookSearch) -> float | None:
    """Return the utility of a position below which nothing is searched, None for any other."""
    if (outcome := state.outcome) is not None:
        if outcome.winner is None:
            return 0.0
        return farthest(ply) if outcome.winner == search.seat else -farthest(ply)
    if depth <= 0:
        search.saw_horizon = True
        return ESTIMATE * squashed(search.evaluate(state, search.seat))
    return None


def expectiminimax(state: State, depth: float, ply: int, search: TextbookSearch) -> ValuedLine:
    """Return the value of `state` by searching every line and every roll `depth` plies deep."""
    search.visit(ply)
    if (value := leaf(state, depth, ply, search)) is not None:
        return value, ()
    moves = state.moves()
    if state.to_move == CHANCE:
        total = 0.0
        for roll in moves:
            after = state.play(roll)
            search.trace.enter(roll, after, rolls=len(moves))
            value, _ = expectiminimax(after, depth - 1, ply + 1, search)
            total += value
            search.trace.leave(value)
        return total / len(moves), ()
    is_max = state.to_move == search.seat
    best = -math.inf if is_max else math.inf
    line: PvMoves = ()
    for move in moves:
        after = state.play(move)
        search.trace.enter(move, after)
        value, rest = expectiminimax(after, depth - 1, ply + 1, search)
        if value > best if is_max else value < best:
            best, line = value, (move, *rest)
        search.trace.leave(value, best)
    return best, line


def score(value: float, deepest: int, sides: int) -> float:
    """Return a utility as a score: of a game that is won or lost however the dice fall as all bots count it.

    A roll with `sides` sides comes at every second ply at most, down to the `deepest`. A single way for the dice to
    fall that decides nothing takes at least its part of 1 - ESTIMATE from the mean.
    """
    short_of_certain = 1.0 - abs(value)
    if short_of_certain < (1.0 - ESTIMATE) / sides ** (deepest // 2):
        return round(math.copysign(WIN - short_of_certain / PLY, value), 3)
    return unsquashed(max(-1.0, min(1.0, value / ESTIMATE)))
