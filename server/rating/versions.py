"""Versions of bots: which of them begin anew in a pool, and what is remembered of each. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

__all__ = ["LEAST_GAMES", "MAX_VERSIONS", "VersionRecord", "is_new", "with_game"]

MAX_VERSIONS: Final = 16
"""Versions of one bot that a pool remembers, those with the newest games."""
LEAST_GAMES: Final = 20
"""Games between two versions that begin anew: in so many a deviation comes from 350 to about 100, so that whoever names
a new version with each game gains nothing by it."""


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """The `games` of a version in a pool, and the bot's rating after the last of them, which ended at `at`."""

    version: str
    games: int
    rating: float
    deviation: float
    at: int


def is_new(version: str | None, known: tuple[VersionRecord, ...], games: int) -> bool:
    """Return whether a version begins anew, `games` games after the last one that did.

    One that comes back while it is `known` goes on, as one does that has no name.
    """
    return version is not None and games >= LEAST_GAMES and all(one.version != version for one in known)


def with_game(
    known: tuple[VersionRecord, ...], version: str | None, rating: float, deviation: float, at: int
) -> tuple[VersionRecord, ...]:
    """Return what is known after a game of `version`, the one that played last at the end."""
    if version is None:
        return known
    last = next((one for one in known if one.version == version), VersionRecord(version, 0, 0.0, 0.0, 0))
    others = [one for one in known if one.version != version]
    played = replace(last, games=last.games + 1, rating=rating, deviation=deviation, at=at)
    return (*others, played)[-MAX_VERSIONS:]
