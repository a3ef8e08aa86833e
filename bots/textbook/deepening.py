"""Alpha-beta with iterative deepening over any game's positions: dice are averaged, several opponents are one enemy.

Searches one ply, two plies, and so on, has a move ready at any time, and knows from the last iteration which moves to
look at first (game-playing-notes, "Iterative Deepening"). With three or four players the search is *paranoid*:
everybody else is taken to play against the one who searches (Sturtevant and Korf, "On Pruning Techniques for
Multi-Player Games", 2000). A win that it finds is real all the same.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from cornered.bots.bot import WIN, Limit, Proven, Thought
from cornered.bots.evaluate import Evaluator
from cornered.bots.textbook.root import MAX_DEPTH_PLIES, think
from cornered.bots.textbook.search import CERTAIN_SCORE, PvMoves, TextbookSearch, ValuedLine, proof
from cornered.engine import CHANCE, State

__all__ = ["search"]


@dataclass(slots=True)
class _Deepening:
    """What one search has learnt from its earlier iterations, and what keeps it from being a proof."""

    search: TextbookSearch
    judgement: Evaluator
    seats: int
    missed: bool = False
    """Whether moves of the one who searches were left out: there may be better ones."""
    spared: bool = False
    """Whether moves of an opponent were left out: there may be answers."""
    ways: int = 1
    """In how many ways the dice can fall along any line that was averaged over."""
    cutoffs: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    """How often, and how high in the tree, a move has refuted others: good anywhere, it is tried early elsewhere."""

    def proof(self, score: float, saw_horizon: bool) -> Proven | None:
        """Return what a score proves: a win only against every answer, a loss only if every move was looked at.

        Of dice it proves only that every roll wins.
        """
        if self.ways > 1:
            # A single way that is not won takes more than this from the average over all of them.
            return "win" if not self.spared and score > WIN - CERTAIN_SCORE / self.ways else None
        proven = proof(score, self.seats, saw_horizon=saw_horizon)
        unsure = {"win": self.spared, "loss": self.missed, "draw": self.spared or self.missed, None: True}
        return None if unsure[proven] else proven

    def value(
        self, state: State, depth: int, alpha: float, beta: float, ply: int, hint: PvMoves, ways: int = 1
    ) -> ValuedLine:
        """Return what `state` is worth to the seat and the line that leads there; exact between `alpha` and `beta`."""
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
            value, rest = self.value(state.play(move), depth - 1, alpha, beta, ply + 1, follow, ways)
            if value > best if is_max else value < best:
                best, line = value, (move, *rest)
            if is_max:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
            if alpha >= beta:
                search.pruned += len(moves) - index
                self.cutoffs[move] += depth * depth
                break
        return best, line

    def _average(self, state: State, depth: int, ply: int, ways: int) -> float:
        """Return the mean over the dice. Each roll needs its exact value, so the window opens wide."""
        rolls = state.moves()
        ways *= len(rolls)
        self.ways = max(self.ways, ways)
        total = 0.0
        for roll in rolls:
            total += self.value(state.play(roll), depth - 1, -math.inf, math.inf, ply + 1, (), ways)[0]
        return total / len(rolls)

    def ordered(self, state: State, moves: Sequence[str], hint: PvMoves) -> list[str]:
        """Return those of `moves` to look at, the most promising first: the better the order, the more is pruned."""
        if self.judgement.candidates is not None:
            worth_a_look = set(self.judgement.candidates(state))
            if len(worth_a_look) < len(moves):
                self.missed |= state.to_move == self.search.seat
                self.spared |= state.to_move != self.search.seat
            moves = [move for move in moves if move in worth_a_look]
        first = hint[0] if hint else None
        return sorted(moves, key=lambda move: (move != first, -self.cutoffs[move]))


def search(state: State, limit: Limit, judgement: Evaluator, chance: random.Random) -> Thought:
    """Return the best move that searches, each one ply deeper, find within `limit`; `chance` breaks ties."""
    moves = state.moves()
    chance.shuffle(moves)
    work = _Deepening(TextbookSearch.within(limit, state.to_move, judgement.evaluate), judgement, state.game.seats)
    moves = work.ordered(state, moves, ())

    def look(after: State, depth: int, least: float, hint: PvMoves) -> ValuedLine:
        return work.value(after, depth, least, math.inf, 1, hint)

    each_depth = range(1, (limit.depth or MAX_DEPTH_PLIES) + 1)
    return think(state, limit, work.search, look, each_depth, moves, prove=work.proof)
