"""Plan of a data set: everything that decides its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from cornered.bots.roster import create, is_of_roster
from cornered.lab.contests.openings import plies_for, random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture

__all__ = ["OWN_UNIT", "DatasetPlan", "unit_of"]

LEAST_OPENINGS: Final = 1000
"""Distinct lines of random plies by default, where the game has as many: a data set has more games than a contest."""
GAMES_MAX: Final = 2**40
SHARD_GAMES_MAX: Final = 1_000_000
OWN_UNIT: Final = "own"
"""The unit of the evaluations of bots outside the roster: whatever their authors chose."""


@dataclass(frozen=True, slots=True)
class DatasetPlan:
    """The games of a data set. Game n is a function of the plan without `games` and `shard_games`, unless a clock
    decides moves.

    `bots` are the teachers' words; each seat of a game draws one of them. `plies` random plies begin a game, and
    `explore` is the probability that a random move is played in the place of a teacher's. `shard_games` games make a
    file.
    """

    terms: ContestTerms
    bots: tuple[str, ...]
    games: int
    plies: int
    explore: float
    shard_games: int

    @classmethod
    def of(
        cls,
        terms: ContestTerms,
        bots: Sequence[str],
        games: int,
        *,
        plies: int | None = None,
        explore: float = 0.0,
        shard_games: int = 500,
    ) -> Self:
        """Return a plan, by default with as many random plies as make games differ. Raises ValueError that says what is
        invalid."""
        if not bots:
            raise ValueError("a data set needs a teacher: name a bot with --bot")
        if not 1 <= games <= GAMES_MAX:
            raise ValueError(f"a data set has 1 to {GAMES_MAX:,} games, not {games:,}")
        if not 1 <= shard_games <= SHARD_GAMES_MAX:
            raise ValueError(f"a file has 1 to {SHARD_GAMES_MAX:,} games, not {shard_games:,}")
        if not 0 <= explore <= 1:
            raise ValueError(f"the probability of a random move is from 0 to 1, not {explore}")
        terms.check(*bots)
        count = plies_for(terms.load(), LEAST_OPENINGS) if plies is None else plies
        return cls(terms, tuple(bots), games, count, explore, shard_games)

    @property
    def shards(self) -> int:
        """The number of files."""
        return -(-self.games // self.shard_games)

    def shard_numbers(self, shard: int) -> range:
        """Return the numbers of a file's games."""
        first = shard * self.shard_games
        return range(first, min(first + self.shard_games, self.games))

    def fixture(self, number: int) -> Fixture:
        """Return the teachers by seat and the opening of a game."""
        chance = self.terms.chance("teachers", number)
        players = tuple(chance.choice(self.bots) for _ in range(self.terms.load().seats))
        return Fixture(number, players, random_plies(self.terms, self.plies)(number))

    def as_json(self) -> dict[str, Any]:
        """Return the plan as JSON-compatible values."""
        return {
            "dataset": "cornered-games",
            "terms": self.terms.as_json(),
            "bots": list(self.bots),
            "games": self.games,
            "plies": self.plies,
            "explore": self.explore,
            "shard_games": self.shard_games,
        }


def unit_of(word: str) -> str:
    """Return the unit of the evaluations of a bot word, as in the column `evaluation_unit`."""
    return create(word).score_unit if is_of_roster(word) else OWN_UNIT
