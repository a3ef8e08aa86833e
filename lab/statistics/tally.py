"""A counted share whose trials need not be independent: games that share an opening are worth fewer than they are."""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Self

from cornered.lab.statistics.wilson import wilson

__all__ = ["Tally", "intraclass_correlation"]


@dataclass(frozen=True, slots=True)
class Tally:
    """Successes among trials. A draw counts as half a success. `effective` is the number of independent trials that
    give as narrow an interval."""

    successes: float
    trials: int
    effective: float

    @classmethod
    def of(cls, successes: float, trials: int) -> Self:
        """Return the tally of independent trials."""
        return cls(successes, trials, float(trials))

    @classmethod
    def clustered(cls, scores: Sequence[float], clusters: Sequence[Hashable]) -> Self:
        """Return the tally of scores from 0 to 1, where those with the same cluster may be alike. The effective number
        of trials is theirs over Kish's design effect ("Survey Sampling", 1965, section 5.4), never more than `scores`.
        Raises ValueError where the two are not equally many."""
        members: dict[Hashable, list[float]] = {}
        for score, cluster in zip(scores, clusters, strict=True):
            members.setdefault(cluster, []).append(score)
        if not scores:
            return cls.of(0.0, 0)
        mean_size = sum(len(group) ** 2 for group in members.values()) / len(scores)
        effect = 1.0 + (mean_size - 1.0) * intraclass_correlation(list(members.values()))
        return cls(math.fsum(scores), len(scores), len(scores) / effect)

    @property
    def share(self) -> float:
        """Share of successes, from 0 to 1; one half without trials."""
        return self.successes / self.trials if self.trials else 0.5

    def interval(self) -> tuple[float, float]:
        """Return the ends of the share's 95% interval, from 0 to 1."""
        return wilson(self.share * self.effective, self.effective)


def intraclass_correlation(groups: Sequence[Sequence[float]]) -> float:
    """Return the correlation of values of the same group, from 0 to 1, by the analysis of variance (Donner, "A review
    of inference procedures for the intraclass correlation coefficient", 1986). It is 0 where every group has one value,
    and 1 where nothing varies or there is a single group, since the data do not show that it is less."""
    count = sum(map(len, groups))
    if count == len(groups):
        return 0.0
    if len(groups) == 1:
        return 1.0
    middle = math.fsum(math.fsum(group) for group in groups) / count
    means = [statistics.fmean(group) for group in groups]
    between = math.fsum(len(group) * (mean - middle) ** 2 for group, mean in zip(groups, means, strict=True))
    within = math.fsum((value - mean) ** 2 for group, mean in zip(groups, means, strict=True) for value in group)
    between /= len(groups) - 1
    within /= count - len(groups)
    size = (count - sum(len(group) ** 2 for group in groups) / count) / (len(groups) - 1)
    total = between + (size - 1) * within
    return 1.0 if total == 0 else min(1.0, max(0.0, (between - within) / total))
