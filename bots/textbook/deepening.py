"""Alpha-beta with iterative deepening over any game's positions: dice are averaged, several opponents are one enemy.

Searches one ply, two plies, and so on, has a move ready at any time, and orders moves by the last iteration
(game-playing-notes, "Iterative Deepening"). With three or four players the search is *paranoid*: all opponents count as
one coalition against the searching seat (Sturtevant and Korf, "On Pruning Techniques for
Multi-Player Games", 2000). A win that it finds holds all the same.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from cornered.bots.bot import WIN, Limit, Proven, Thought
from cornered.bots.evaluate import Evaluator
from cornered.bots.textbook.root import MAX_DEPTH_PLIES, RootSearch
from cornered.bots.textbook.search import CERTAIN_SCORE, PvMoves, TextbookSearch, ValuedLine, proof
from cornered.bots.textbook.trace import SILENT, Trace
from cornered.engine import CHANCE, State

__all__ = ["search"]


@dataclass(slots=True)
class _Deepening:
    """One search: its move ordering from earlier iterations, and the omissions that rule out a proof."""

    search: TextbookSearch
    evaluator: Evaluator
    seats: int
    missed: bool = False
    """Whether moves of the searching seat were left out: there may be better ones."""
    spared: bool = False
    """Whether moves of an opponent were left out: there may be refutations."""
    ways: int = 1
    """The greatest number of outcomes of the dice along a line that was averaged over."""
    cutoffs: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    """History heuristic: a move's cutoffs, each weighted by its depth squared; the higher, the earlier it is
    searched."""

    def proof(self, score: float, saw_horizon: bool) -> Proven | None:
        """Return what a score proves: a win only against every answer, a loss only if every move was searched.

        With dice only a win for every roll is a proof.
        """
        if self.ways > 1:
            # One outcome of the dice that is not won lowers the average by more than this.
            return "win" if not self.spared and score > WIN - CERTAIN_SCORE / self.ways else None
        proven = proof(score, self.seats, saw_horizon=saw_horizon)
        unsure = {"win": self.spared, "loss": self.missed, "draw": self.spared or self.missed, None: True}
        return None if unsure[proven] else proven

    def value(
        self, state: State, depth: int, alpha: float, beta: float, ply: int, hint: PvMoves, ways: int = 1
    ) -> ValuedLine:
        """Return the value of `state` for the seat and its principal variation; exact between `alpha` and `beta`."""
        search = self.search
        search.visit(ply)
        if (value := search.leaf(state, depth, ply)) is not None:
            return value, ()
        if state.to_move == CHANCE:
            return self._average(state, depth, ply, ways), ()
        is_max = state.to_move == search.seat
        best = -math.inf if is_max else math.inf
        line: PvMoves = ()
        moves = self.ordered(state, state.moves(), hint)
        for index, move in enumerate(moves, start=1):
            follow = hint[1:] if hint and move == hint[0] else ()
            after = state.play(move)
            search.trace.enter(move, after, alpha, beta)
            value, rest = self.value(after, depth - 1, alpha, beta, ply + 1, follow, ways)
            if value > best if is_max else value < best:
                best, line = value, (move, *rest)
            if is_max:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
            search.trace.leave(value, best, alpha, beta)
            if alpha >= beta:
                search.pruned += len(moves) - index
                search.trace.cut(len(moves) - index)
                self.cutoffs[move] += depth * depth
                break
        return best, line

    def _average(self, state: State, depth: int, ply: int, ways: int) -> float:
        """Return the mean over the dice, with a full window: each roll needs its exact value."""
        rolls = state.moves()
        ways *= len(rolls)
        self.ways = max(self.ways, ways)
        total = 0.0
        for roll in rolls:
            after = state.play(roll)
            self.search.trace.enter(roll, after, -math.inf, math.inf, rolls=len(rolls))
            value, _ = self.value(after, depth - 1, -math.inf, math.inf, ply + 1, (), ways)
            total += value
            self.search.trace.leave(value)
        return total / len(rolls)

    def ordered(self, state: State, moves: Sequence[str], hint: PvMoves) -> list[str]:
        """Return the candidates among `moves`: the hint of the last iteration first, then by the history heuristic."""
        if self.evaluator.candidates is not None:
            candidates = set(self.evaluator.candidates(state))
            if len(candidates) < len(moves):
                self.missed |= state.to_move == self.search.seat
                self.spared |= state.to_move != self.search.seat
            moves = [move for move in moves if move in candidates]
        first = hint[0] if hint else None
        return sorted(moves, key=lambda move: (move != first, -self.cutoffs[move]))


def search(state: State, limit: Limit, evaluator: Evaluator, chance: random.Random, trace: Trace = SILENT) -> Thought:
    """Return the best move that searches, each one ply deeper, find within `limit`; `chance` breaks ties."""
    moves = state.moves()
    chance.shuffle(moves)
    counted = TextbookSearch.within(limit, state.to_move, evaluator.evaluate, trace)
    work = _Deepening(counted, evaluator, state.game.seats)
    moves = work.ordered(state, moves, ())

    def look(after: State, depth: int, least: float, hint: PvMoves) -> ValuedLine:
        return work.value(after, depth, least, math.inf, 1, hint)

    each_depth = range(1, (limit.depth or MAX_DEPTH_PLIES) + 1)
    return RootSearch(state, limit, work.search, look, prove=work.proof).think(each_depth, moves)
