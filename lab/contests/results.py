"""The results of a contest as immutable values, for reports and JSON: scores, ratings, and effort."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cornered.lab.contests.terms import ContestTerms, Effort, GameEnding
from cornered.lab.statistics.wilson import wilson

__all__ = ["Fault", "Glicko", "Lengths", "Opened", "Order", "Score", "Standing", "Standings"]

Order: TypeAlias = Literal["points", "rating", "contest"]
"""Sort key of the standings: `points`, then Buchholz, then Sonneborn-Berger, when all bots have played the same number
of games; `rating`, the Bradley-Terry rating, otherwise; `contest`, the order of the contest's own rules."""


@dataclass(frozen=True, slots=True)
class Score:
    """Games counted from one side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def share(self) -> float:
        """Points per game; 0.5 without games."""
        return self.points / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% interval of the share; a draw counts as half a win."""
        return wilson(self.points, self.games)

    @property
    def mirrored(self) -> Score:
        """The same games from the opponent's side."""
        return Score(self.losses, self.draws, self.wins)


@dataclass(frozen=True, slots=True)
class Glicko:
    """A Glicko-2 rating; initial values are 1500, 350 and 0.06."""

    rating: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's row of the standings."""

    bot: str
    score: Score
    seats: tuple[Score, Score]
    byes: int
    """Rounds won without a game."""
    match_points: float
    """Points by meeting, where a meeting is all games of a round against one opponent: the share of each, and 1 for a
    bye."""
    buchholz: float
    """Sum of the opponents' match points (FIDE handbook, C.07)."""
    sonneborn_berger: float
    """Sum over the meetings of the bot's share times the opponent's match points (FIDE handbook, C.07)."""
    elo: float
    """Bradley-Terry rating; `low` and `high` are the ends of its 95% interval."""
    low: float
    high: float
    glicko: Glicko
    effort: Effort
    """Total effort over all games."""
    faults: int

    @property
    def seconds_a_move(self) -> float | None:
        return self.effort.seconds / self.effort.moves if self.effort.moves else None

    @property
    def nodes_a_move(self) -> float | None:
        return self.effort.nodes / self.effort.moves if self.effort.moves and self.effort.nodes else None

    @property
    def nodes_a_second(self) -> float | None:
        return self.effort.nodes / self.effort.seconds if self.effort.seconds and self.effort.nodes else None

    @property
    def mean_depth(self) -> float | None:
        return self.effort.depths / self.effort.moves if self.effort.moves and self.effort.depths else None


@dataclass(frozen=True, slots=True)
class Opened:
    """Results of the games with one opening, from seat 0's side."""

    opening: tuple[str, ...]
    score: Score


@dataclass(frozen=True, slots=True)
class Lengths:
    """Distribution of the games' lengths in plies, openings and dice rolls included."""

    mean: float
    median: float
    shortest: int
    longest: int


@dataclass(frozen=True, slots=True)
class Fault:
    """A game that was lost or left undecided because of a failure."""

    number: int
    ending: GameEnding
    text: str


@dataclass(frozen=True, slots=True)
class Standings:
    """Results of a contest. A game of a bot against itself counts for seats, openings, lengths and times, not for
    points or ratings."""

    terms: ContestTerms
    order: Order
    table: tuple[Standing, ...]
    """Best first."""
    pairings: Mapping[tuple[str, str], Score]
    """Score of the first bot of the key against the second, over both seats; bots that did not meet have no entry."""
    pairs: tuple[int, ...]
    """With two bots, the number of pairs of games with swapped seats in which the first of the table scored 0, 0.5, 1,
    1.5 and 2 points; empty otherwise."""
    superiority: Mapping[tuple[str, str], float]
    """Probability, by ordered pair of bots, that the first is stronger than the second; empty where no rating was
    fitted."""
    first: Score
    """Score of seat 0 over all games."""
    openings: tuple[Opened, ...]
    """Most frequent first; equal frequencies in the order of play."""
    lengths: Lengths | None
    endings: Mapping[GameEnding, int]
    faults: tuple[Fault, ...]
    periods: int
    """Glicko-2 rating periods: rounds, or 1 for the whole contest."""

    @property
    def games(self) -> int:
        return self.first.games

    @property
    def bots(self) -> tuple[str, ...]:
        return tuple(standing.bot for standing in self.table)
