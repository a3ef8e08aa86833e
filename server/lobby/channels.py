"""The best live match of each game, which the page shows as TV. Pure."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Final, NamedTuple

from cornered.protocol.values import MatchSummary

__all__ = ["Channels", "Merit", "merit_of"]

PROVISIONAL_LOSS: Final = 300
"""What a provisional rating counts less: it says little yet."""


class Merit(NamedTuple):
    """Why a match is shown before another one: the greater one is. All of it is known when a match begins, so that the
    best match changes only when a better one begins or it ends."""

    people: int
    rating: int
    """The mean of the ratings at the start; 0 of a match that is not rated."""
    age: int
    """The earlier start first, as the negative time of it."""
    match: str


def merit_of(summary: MatchSummary) -> Merit:
    """Return the merit of a match. Bots count as no people, so a match of people comes before any with a bot."""
    ratings = [one.rating - PROVISIONAL_LOSS * one.provisional for one in summary.ratings]
    people = [player.kind == "person" for player in summary.players]
    return Merit(
        people=2 if all(people) else int(any(people)),
        rating=round(sum(ratings) / len(ratings)) if ratings else 0,
        age=-summary.started,
        match=summary.id,
    )


class Channels:
    """Live public matches by game, the best last. A match that comes or goes costs a binary search."""

    __slots__ = ("_games", "_merits")

    def __init__(self) -> None:
        self._games: dict[str, list[Merit]] = {}
        self._merits: dict[str, tuple[str, Merit]] = {}

    def add(self, summary: MatchSummary) -> None:
        """Add a match; one that is known keeps its place."""
        if summary.id not in self._merits:
            merit = merit_of(summary)
            self._merits[summary.id] = summary.game.name, merit
            insort(self._games.setdefault(summary.game.name, []), merit)

    def remove(self, match: str) -> None:
        """Remove a match, if it is known."""
        known = self._merits.pop(match, None)
        if known is not None:
            game, merit = known
            merits = self._games[game]
            del merits[bisect_left(merits, merit)]
            if not merits:
                del self._games[game]

    def best(self) -> Iterator[str]:
        """Yield the id of each game's best match."""
        for merits in self._games.values():
            yield merits[-1].match
