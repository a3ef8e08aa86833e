"""Comparison of tuned and printed weights: a match of pairs, ended by a sequential probability ratio test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from cornered.bots.weights.file import Tuned, WeightsVerdict
from cornered.engine.progress import Progress, Report, no_report
from cornered.lab.contests import match
from cornered.lab.contests.contest import GameStore
from cornered.lab.contests.match import MatchTally, PairedMatch
from cornered.lab.contests.terms import ContestTerms, PlayedGame
from cornered.lab.execution.workforce import Workforce
from cornered.lab.statistics.elo import elo
from cornered.lab.statistics.sprt import Sprt
from cornered.lab.tuning.trial import varied

__all__ = ["SprtPlan", "judge"]

DECISIONS: Final[Mapping[Literal["H0", "H1"] | None, Literal["better", "not better", "undecided"]]] = {
    "H1": "better",
    "H0": "not better",
    None: "undecided",
}


@dataclass(frozen=True, slots=True)
class SprtPlan:
    """Parameters of the test: the maximum number of pairs, and two differences in normalised Elo, with 5% errors."""

    pairs: int
    low: float
    high: float
    depth: int

    def __post_init__(self) -> None:
        if min(self.pairs, self.depth) < 1:
            raise ValueError("pairs and depth are 1 or more")
        Sprt(self.low, self.high)


def judge(
    tuned: Tuned,
    terms: ContestTerms,
    plan: SprtPlan,
    command: str,
    workforce: Workforce,
    keep: GameStore,
    report: Report = no_report,
) -> WeightsVerdict:
    """Play the tuned weights against the printed ones until the test decides or the pairs are used up."""
    sprt = Sprt(plan.low, plan.high)
    known = tuned.model
    done = 0

    def is_decided(_: PlayedGame, tally: MatchTally) -> bool:
        nonlocal done
        done += 1
        if done % 2:
            return False
        note = f"{tally.wins}-{tally.draws}-{tally.losses} LLR {sprt.llr(tally.pairs):.2f}"
        report(Progress("games", done, 2 * plan.pairs, note))
        return sprt.verdict(tally.pairs) is not None

    words = known.word(tuned.values, plan.depth), known.word(None, plan.depth)
    tally = match.run(PairedMatch(*words, terms, varied(terms), plan.pairs), workforce, keep, until=is_decided)
    llr, share = sprt.llr(tally.pairs), tally.share
    return WeightsVerdict(
        command=command,
        seed=terms.seed,
        depth=plan.depth,
        wins=tally.wins,
        draws=tally.draws,
        losses=tally.losses,
        pairs=tally.pairs,
        bounds=(plan.low, plan.high),
        llr=round(llr, 3),
        elo=round(elo(share), 1) if 0 < share < 1 else None,
        decision=DECISIONS[sprt.verdict(tally.pairs)],
    )
