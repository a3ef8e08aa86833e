"""Alpha-beta with iterative deepening over any game's positions: dice are averaged, several opponents are one enemy.

With three or four players the search is *paranoid*: everybody else is taken to play against the one who searches
(Sturtevant and Korf, "On Pruning Techniques for Multi-Player Games", 2000). A win that it finds is real all the same.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Final

from bots.bot import WIN, Limit, Proven, Thought
from bots.evaluate import Judgement
from engine import CHANCE, Outcome, State

__all__ = ["search"]

CERTAIN: Final = WIN - 1_000
"""Beyond this a score is a forced win: no evaluation comes near, and no game lasts so many plies."""
DEEPEST: Final = 200

Line = tuple[str, ...]


class _OutOfLimit(Exception):
    """The time or the nodes are used up; what the last whole iteration found stands."""


@dataclass(slots=True)
class _Search:
    """One search for `seat`. It notes when a value was estimated, moves were left out, or dice were averaged."""

    seat: int
    judgement: Judgement
    deadline: float
    most_nodes: float
    found: Thought
    """The best so far. An iteration looks at the old best first, so even half of one leaves a better one here."""
    nodes: int = 0
    pruned: int = 0
    saw_horizon: bool = False
    narrowed: bool = False
    rolled: bool = False
    cutoffs: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    """How often, and how high in the tree, a move has refuted others: good anywhere, it is tried early elsewhere."""

    def look(self, state: State, moves: list[str], depth: int) -> None:
        """Search every one of `moves` to `depth` plies, the best of the last time first. Raises _OutOfLimit."""
        self.saw_horizon = False
        hint, alpha = self.found.pv, -math.inf
        moves.sort(key=lambda move: move != hint[0])
        for move in moves:
            follow = hint[1:] if move == hint[0] else ()
            value, rest = self.value(state.play(move), depth - 1, alpha, math.inf, 1, follow)
            if value > alpha:
                alpha = value
                self.found = Thought(move, value, depth, pv=(move, *rest))

    def proof(self, seats: int) -> Proven | None:
        """Return what the last whole iteration has proven: nothing, where moves were left out."""
        score = self.found.score
        if self.narrowed or score is None:
            return None
        if score > CERTAIN:
            return "win"
        if seats > 2 or self.rolled:
            return None
        if score < -CERTAIN:
            return "loss"
        return None if self.saw_horizon else "draw"

    def value(self, state: State, depth: int, alpha: float, beta: float, ply: int, hint: Line) -> tuple[float, Line]:
        """Return what `state` is worth to `seat` and the line that leads there; exact between `alpha` and `beta`."""
        if self.nodes >= self.most_nodes or monotonic() > self.deadline:
            raise _OutOfLimit
        self.nodes += 1
        if (outcome := state.outcome) is not None:
            return _worth(outcome, self.seat, ply), ()
        if depth <= 0:
            self.saw_horizon = True
            return self.judgement.evaluate(state, self.seat), ()
        if state.to_move == CHANCE:
            return self._average(state, depth, ply), ()
        maximising = state.to_move == self.seat
        best = -math.inf if maximising else math.inf
        line: Line = ()
        moves = self.ordered(state, state.moves(), hint)
        for index, move in enumerate(moves):
            follow = hint[1:] if hint and move == hint[0] else ()
            value, rest = self.value(state.play(move), depth - 1, alpha, beta, ply + 1, follow)
            if value > best if maximising else value < best:
                best, line = value, (move, *rest)
            if maximising:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
            if alpha >= beta:
                self.pruned += len(moves) - index - 1
                self.cutoffs[move] += depth * depth
                break
        return best, line

    def _average(self, state: State, depth: int, ply: int) -> float:
        """Return the mean over the dice. Each roll needs its exact value, so the window opens wide."""
        self.rolled = True
        rolls = state.moves()
        values = [self.value(state.play(roll), depth - 1, -math.inf, math.inf, ply + 1, ())[0] for roll in rolls]
        return sum(values) / len(values)

    def ordered(self, state: State, moves: Sequence[str], hint: Line) -> list[str]:
        """Return those of `moves` to look at, the most promising first: the better the order, the more is pruned."""
        if self.judgement.candidates is not None:
            worth_a_look = set(self.judgement.candidates(state))
            self.narrowed |= len(worth_a_look) < len(moves)
            moves = [move for move in moves if move in worth_a_look]
        first = hint[0] if hint else None
        return sorted(moves, key=lambda move: (move != first, -self.cutoffs[move]))


def search(state: State, limit: Limit, judgement: Judgement, chance: random.Random) -> Thought:
    """Return the best move that searches, each one ply deeper, find within `limit`; `chance` breaks ties."""
    moves = state.moves()
    chance.shuffle(moves)
    first = Thought(moves[0], pv=(moves[0],))
    work = _Search(state.to_move, judgement, limit.deadline or math.inf, limit.nodes or math.inf, first)
    moves = work.ordered(state, moves, first.pv)
    proven: Proven | None = None
    for depth in range(1, (limit.depth or DEEPEST) + 1):
        try:
            work.look(state, moves, depth)
        except _OutOfLimit:
            break
        proven = work.proof(state.game.seats)
        if proven is not None or not work.saw_horizon:
            break
    return replace(work.found, nodes=work.nodes, pruned=work.pruned, proven=proven)


def _worth(outcome: Outcome, seat: int, ply: int) -> float:
    """Return the score of a finished game: sooner is better for a win, later for a loss."""
    if outcome.winner is None:
        return 0.0
    return WIN - ply if outcome.winner == seat else ply - WIN
