"""A match between two networks by a sequential probability ratio test: pairs of games, a number of nodes a move."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

from cornered.bots.bot import Limit
from cornered.bots.nnue.network import load
from cornered.bots.search.searcher import SELECTIVE, Searcher
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.execution.workforce import Workforce, in_order
from cornered.lab.learning.plan import LearningPlan
from cornered.lab.learning.selfplay import TEACHER, searcher_with
from cornered.lab.statistics.sprt import Sprt

__all__ = ["TEST", "Judgement", "judge"]

TEST: Final = Sprt(0.0, 10.0)
PAIRS_MAX: Final = 400
NODES: Final = 5_000
"""Nodes a move."""
OPENING_PLIES: Final = 6
PLIES_MAX: Final = 200
"""Longer games are drawn."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`pairs` counts the pairs of games of the new network by 0, 0.5, 1, 1.5 and 2 points. `verdict` is H1 where it is
    stronger, H0 where it is not, None where the pairs did not suffice."""

    pairs: tuple[int, ...]
    llr: float
    verdict: str | None

    def as_json(self) -> dict[str, Any]:
        """Return JSON-compatible values."""
        return {"pairs": list(self.pairs), "llr": round(self.llr, 3), "verdict": self.verdict}


@lru_cache(maxsize=2)
def _searcher(plan: LearningPlan, network: Path | None) -> Searcher:
    return searcher_with(plan.load(), None if network is None else load(network).network)


def play_pair(plan: LearningPlan, new: Path, old: Path | None, pair: int) -> float:
    """Play two games from one opening, the seats exchanged, and return the new network's points."""
    terms = ContestTerms(plan.game, dict(plan.load().options), seed=plan.seed)
    opening = random_plies(terms, OPENING_PLIES)(pair)
    points = 0.0
    for seat in (0, 1):
        players = (_searcher(plan, new), _searcher(plan, old))
        for player in players:
            player.memory.table.words[:] = 0
        state = position_after(terms, opening)
        for _ in range(PLIES_MAX):
            if state.outcome is not None:
                break
            is_old = state.to_move != seat
            style = SELECTIVE if is_old and old is None else TEACHER
            state = state.play(players[is_old].search(state, Limit(nodes=NODES), style).move)
        winner = None if state.outcome is None else state.outcome.winner
        points += 0.5 if winner is None else float(winner == seat)
    return points


def judge(
    plan: LearningPlan, new: Path, old: Path | None, workforce: Workforce, report: Callable[[int, float], None]
) -> Judgement:
    """Play pairs until the test decides. `old` is None for the hand-written evaluation."""
    counts = [0] * 5
    work = workforce.carry_out(partial(play_pair, plan, new, old), range(PAIRS_MAX), batch=1)
    with closing(work):
        # In the order of the pairs: a test that took the quickest first would prefer short games.
        for points in in_order(work):
            counts[round(2 * points)] += 1
            report(sum(counts), TEST.llr(counts))
            if TEST.verdict(counts) is not None:
                break
    return Judgement(tuple(counts), TEST.llr(counts), TEST.verdict(counts))
