"""What a contest comes to, for reports and JSON: who scored what against whom, and what it took. All of it values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cornered.lab.contests.terms import Effort, Ending, Terms
from cornered.lab.statistics.wilson import wilson

__all__ = ["Fault", "Glicko", "Lengths", "Opened", "Order", "Score", "Standing", "Standings"]

Order: TypeAlias = Literal["points", "rating", "contest"]
"""What decides who comes first: points, then Buchholz, then Sonneborn-Berger, where all have played as many games;
otherwise the Bradley-Terry rating; or the contest's own rules."""


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
        """The points of a game, 0.5 where none was played."""
        return self.points / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share is with 95% confidence, by Wilson; draws count as half."""
        return wilson(self.points, self.games)

    @property
    def mirrored(self) -> Score:
        """The same games from the other side."""
        return Score(self.losses, self.draws, self.wins)


@dataclass(frozen=True, slots=True)
class Glicko:
    """A Glicko-2 rating; it began at 1500, 350 and 0.06."""

    rating: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's line of the table."""

    bot: str
    score: Score
    seats: tuple[Score, Score]
    byes: int
    """How many rounds it won without a game."""
    match_points: float
    """The points of its meetings: each is worth one, shared as its games were, and so is a bye. All games of a round
    against one opponent are a meeting."""
    buchholz: float
    """The match points of those whom it met (FIDE's handbook, C.07)."""
    sonneborn_berger: float
    """What it scored in each meeting times the match points of that opponent (FIDE's handbook, C.07)."""
    elo: float
    """The Bradley-Terry rating, between `low` and `high` with 95% confidence."""
    low: float
    high: float
    glicko: Glicko
    effort: Effort
    """What it spent on all its games together."""
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
    """The games that began with one opening, from seat 0's side."""

    opening: tuple[str, ...]
    score: Score


@dataclass(frozen=True, slots=True)
class Lengths:
    """Of so many plies games are, openings and rolls of dice included."""

    mean: float
    median: float
    shortest: int
    longest: int


@dataclass(frozen=True, slots=True)
class Fault:
    """A game that a bot lost, or nobody won, because something went wrong."""

    number: int
    ending: Ending
    text: str


@dataclass(frozen=True, slots=True)
class Standings:
    """A contest's results. Games between a bot and itself count for seats, openings, lengths and times, and for no
    points or ratings."""

    terms: Terms
    order: Order
    table: tuple[Standing, ...]
    """The best first."""
    pairings: Mapping[tuple[str, str], Score]
    """What the first of two bots scored against the second, both ways round; pairings that did not meet are missing."""
    pairs: tuple[int, ...]
    """Of two bots: how many pairs of games with their seats swapped gave the first of the table 0, 0.5, 1, 1.5 and 2
    points; otherwise empty."""
    superiority: Mapping[tuple[str, str], float]
    """How likely the first of two bots is the stronger one, for all pairings; empty when nothing is known."""
    first: Score
    """What seat 0 scored in all games."""
    openings: tuple[Opened, ...]
    """The most played first, then those that were played earlier."""
    lengths: Lengths | None
    endings: Mapping[Ending, int]
    faults: tuple[Fault, ...]
    periods: int
    """The rating periods of Glicko-2: rounds, or one for the whole contest."""

    @property
    def games(self) -> int:
        return self.first.games

    @property
    def bots(self) -> tuple[str, ...]:
        return tuple(standing.bot for standing in self.table)
