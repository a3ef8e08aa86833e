"""Samples positions for experiments: one from each of many games, so that the samples are independent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, PlayedGame

__all__ = ["SAMPLED_GAMES", "SampledGame", "random_positions", "sampled_positions"]

MoveLine: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SampledGame:
    """A game that plain minimax can search: its options, most random plies before a position, and depth."""

    game: str
    label: str
    options: Mapping[str, int]
    plies: int
    depth: int

    @property
    def title(self) -> str:
        return f"{self.label}, depth {self.depth}"


SAMPLED_GAMES: Final = (
    SampledGame("trapgrid", "TrapGrid 7x7", {}, 12, 7),
    SampledGame("isolation", "Isolation 5x5", {"width": 5, "height": 5}, 8, 3),
    SampledGame("bamboo", "Bamboo radius 2", {"radius": 2}, 8, 3),
    SampledGame("quoridor", "Quoridor 5x5", {"size": 5}, 14, 3),
)


def sampled_positions(terms: ContestTerms, games: Sequence[PlayedGame]) -> list[MoveLine]:
    """Return the moves to one position of each game, drawn uniformly between its opening and its end."""
    found = []
    for played in games:
        first, last = len(played.fixture.opening), len(played.moves) - 1
        if first <= last:
            chance = terms.chance("moment", played.fixture.number)
            found.append(played.moves[: chance.randint(first, last)])
    return found


def random_positions(terms: ContestTerms, count: int, plies: int) -> list[MoveLine]:
    """Return the moves to `count` positions after at most `plies` random plies."""
    lines = []
    for number in range(count):
        length = terms.chance("stroll", number).randint(0, plies)
        lines.append(random_plies(terms, length)(number))
    return lines
