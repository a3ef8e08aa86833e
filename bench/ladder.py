"""`cornered bench ladder`: the strength of each level against the one below, by pairs of games with swapped seats."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from cornered.engine.progress import Progress, Report, no_report
from cornered.lab.contests import match
from cornered.lab.contests.contest import MemoryGameStore
from cornered.lab.contests.match import MatchTally
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.preparing import prepare
from cornered.lab.contests.terms import ContestTerms, PlayedGame
from cornered.lab.execution.workforce import Workforce
from cornered.lab.statistics.elo import elo_of_pairs

__all__ = ["Step", "as_json", "lines", "run"]

MOVE_TIME_MS: Final = 100
"""Milliseconds per move; only the highest levels use them up."""
MAX_PLIES: Final = 400


@dataclass(frozen=True, slots=True)
class Step:
    """The score of the higher of two levels."""

    game: str
    lower: str
    higher: str
    tally: MatchTally

    @property
    def elo(self) -> tuple[float, float, float]:
        """The difference with the ends of its 95% interval, from pairs; infinite for a clean sweep."""
        return elo_of_pairs(self.tally.pairs)


def run(
    game: str,
    bots: Sequence[str],
    games: int,
    report: Report = no_report,
    *,
    seed: int = 1,
    workers: int | None = None,
) -> list[Step]:
    """Let each of `bots` play `games` games, or one more for an even number, against the one before it.

    `report` receives how many games are over. Raises a ValueError for a bot that does not play this game.
    """
    terms = ContestTerms.of(game, time=MOVE_TIME_MS, longest=MAX_PLIES, seed=seed)
    terms.check(*bots)
    climbs = list(itertools.pairwise(bots))
    pairs = (games + 1) // 2
    over = itertools.count(1)

    def on_game(played: PlayedGame, tally: MatchTally) -> bool:
        report(Progress(f"{game}, {len(climbs)} steps", next(over), 2 * pairs * len(climbs)))
        return False

    prepare(terms, bots, no_report)
    openings = random_plies(terms)
    with Workforce.open(workers) as workforce:
        steps = []
        for lower, higher in climbs:
            of = match.PairedMatch(higher, lower, terms, openings, pairs)
            steps.append(Step(game, lower, higher, match.run(of, workforce, MemoryGameStore(), until=on_game)))
        return steps


def as_json(steps: list[Step]) -> list[dict[str, Any]]:
    """Return the figures as JSON-compatible values; an infinite Elo is null."""
    return [
        {
            "game": step.game,
            "lower": step.lower,
            "higher": step.higher,
            **asdict(step.tally),
            "score": step.tally.share,
            "elo": [None if math.isinf(elo) else round(elo, 1) for elo in step.elo],
        }
        for step in steps
    ]


def lines(steps: list[Step]) -> Iterator[str]:
    """Return the figures as a table."""
    yield f"{'game':<10} {'higher':<14} {'lower':<14} {'+':>5} {'=':>5} {'-':>5} {'score':>6} {'Elo':>6}  95%"
    for step in steps:
        elo, low, high = step.elo
        tally = step.tally
        yield (
            f"{step.game:<10} {step.higher:<14} {step.lower:<14} {tally.wins:>5} {tally.draws:>5} {tally.losses:>5} "
            f"{tally.share:>6.1%} {elo:>+6.0f}  {low:+.0f} to {high:+.0f}"
        )
