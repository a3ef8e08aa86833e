"""Sequential probability ratio test between two differences in playing strength (Wald, 1945). The generalised test of
Fishtest: counts of pairs of games by score, hypotheses in normalised Elo, each with the likelihood of the most likely
distribution that it allows (Van den Bergh, "Comments on normalized Elo", section 4.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from cornered.lab.statistics.elo import T_OF_NORMALISED
from cornered.lab.statistics.pentanomial import likeliest_of_t, log_ratio, observed

__all__ = ["MAX_ELO", "Sprt"]

MAX_ELO: Final = 400.0
"""Greatest absolute difference of a hypothesis in normalised Elo: without draws, 7/8 of the games won."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of H0, a difference of `elo0` in normalised Elo, against H1, the greater `elo1`. `alpha` is the
    probability of accepting H1 under H0, `beta` that of accepting H0 under H1. Raises ValueError for hypotheses or
    errors out of range."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -MAX_ELO <= self.elo0 < self.elo1 <= MAX_ELO:
            raise ValueError(
                f"a test is between a smaller and a larger difference from {-MAX_ELO:g} to {MAX_ELO:g}, "
                f"not {self.elo0:g} and {self.elo1:g}"
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"errors happen in more than 0 and less than half of all tests: {self.alpha}, {self.beta}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio of H1 to H0 for counts of pairs of 0, 0.5, 1, 1.5 and 2 points."""
        if not any(counts):
            return 0.0
        pairs, shares = observed(counts)
        first, second = (likeliest_of_t(shares, elo * T_OF_NORMALISED) for elo in (self.elo1, self.elo0))
        return pairs * log_ratio(shares, first, second)

    def verdict(self, counts: Sequence[int]) -> Literal["H0", "H1"] | None:
        """Return the accepted hypothesis, None while more games are needed."""
        low, high = self.bounds
        llr = self.llr(counts)
        return "H1" if llr >= high else "H0" if llr <= low else None
