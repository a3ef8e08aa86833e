"""Two bots against each other in pairs of games: the same opening, the seats swapped, until enough is known."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain

from cornered.lab.contests.contest import GameStore, kept_game, stream
from cornered.lab.contests.openings import Openings
from cornered.lab.contests.results import Score
from cornered.lab.contests.terms import ContestTerms, Fixture, PlayedGame
from cornered.lab.execution.workforce import Workforce

__all__ = ["MatchTally", "PairedMatch", "meeting", "paired", "run"]


@dataclass(frozen=True, slots=True)
class MatchTally(Score):
    """What the first of two bots has scored. `pairs` counts pairs of games by their score: 0, 0.5, 1, 1.5 and 2."""

    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def after(self, first: float, second: float) -> MatchTally:
        """Return the tally with a pair's two scores."""
        scores = (first, second)
        counts = list(self.pairs)
        counts[round(2 * (first + second))] += 1
        return MatchTally(
            self.wins + scores.count(1.0),
            self.draws + scores.count(0.5),
            self.losses + scores.count(0.0),
            (counts[0], counts[1], counts[2], counts[3], counts[4]),
        )


def meeting(
    first: str, second: str, openings: Openings, games: int, *, number: int = 0, pair: int = 0, round_: int = 0
) -> Iterator[Fixture]:
    """Yield the fixtures of so many games in pairs, the first of two bots in seat 0 and then in seat 1. The numbers of
    games and pairs rise from `number` and `pair`; an odd game is the first of a pair that has no second."""
    for place in range((games + 1) // 2):
        opening = openings(place)
        yield Fixture(number + 2 * place, (first, second), opening, pair + place, round_)
        if 2 * place + 1 < games:
            yield Fixture(number + 2 * place + 1, (second, first), opening, pair + place, round_)


def paired(first: str, second: str, openings: Openings, pairs: int, *, number: int = 0) -> Iterator[Fixture]:
    """Yield the fixtures of so many pairs, the first of two bots in seat 0 and then in seat 1; numbers rise from
    `number`."""
    return meeting(first, second, openings, 2 * pairs, number=number)


@dataclass(frozen=True, slots=True)
class PairedMatch:
    """At most so many pairs of games between two bots; the numbers of the games rise from `number`."""

    first: str
    second: str
    terms: ContestTerms
    openings: Openings
    pairs: int
    number: int = 0


def run(
    match: PairedMatch,
    workforce: Workforce,
    keep: GameStore,
    *,
    until: Callable[[PlayedGame, MatchTally], bool] = lambda played, tally: False,
) -> MatchTally:
    """Play a match and return its tally.

    `until` is called with each game in order and the tally of all whole pairs until then, and ends the match by
    returning True. So the same games end it, whatever the number of workers.
    """
    tally = MatchTally()
    scores: list[float] = []

    def games() -> Generator[PlayedGame, None, None]:
        following = paired(match.first, match.second, match.openings, match.pairs, number=match.number)
        for fixture in following:
            # What is kept already may be enough: nothing more is played before it is counted.
            played = kept_game(fixture, keep)
            if played is None:
                yield from stream(match.terms, chain([fixture], following), workforce, keep)
                return
            yield played

    with closing(games()) as playing:
        for played in playing:
            # Seat 0 is the first bot's in the first game of a pair, seat 1 in the second: names may be equal.
            scores.append(played.score(len(scores)))
            if len(scores) == 2:
                tally = tally.after(*scores)
                scores = []
            if until(played, tally):
                break
    return tally
