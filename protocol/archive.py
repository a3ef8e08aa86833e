"""Values of the archive: what finished matches are searched by, head to head, and the moves of an opening."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from cornered.protocol.values import ClockKind, Count, Key, Made, Milliseconds, Move, OptionValue, Reason, Value

__all__ = [
    "MAX_OPENING_PLIES",
    "ArchiveFilter",
    "ArchiveOrder",
    "ArchiveResult",
    "HeadToHeadCount",
    "OpeningMove",
]

MAX_OPENING_PLIES: Final = 8
"""Plies of each finished match that are counted as its opening."""

ArchiveOrder: TypeAlias = Literal["newest", "oldest", "longest"]
"""`newest` and `oldest` go by the end of a match, `longest` by its number of plies."""
ArchiveResult: TypeAlias = Literal["win", "loss", "draw", "decided", "none"]
"""`win` and `loss` are those of `player`; `decided` has a winner; `none` is a match without a result, as when aborted.

Among more than two players the best place is the win, and every other place a loss.
"""


class ArchiveFilter(Value):
    """The conditions of a search, all of which a match meets. Those that are left out hold for every match."""

    player: Key | None = None
    """The id of a player in it. A player's own searches of this kind find private matches too."""
    opponent: Key | None = None
    """The id of another player in it; only together with `player`."""
    game: Key | None = None
    options: dict[Key, OptionValue] = Field(default_factory=dict, max_length=16)
    """Values of some options of `game`."""
    exact: bool = False
    """Whether the other options of `game` have the values that the server fills in for a new match."""
    result: ArchiveResult | None = None
    """How it ended; `win` and `loss` only together with `player`."""
    reason: Reason | None = None
    clock: ClockKind | None = None
    rated: bool | None = None
    least_plies: Count | None = None
    most_plies: Count | None = None
    least_rating: Count | None = None
    """The least rating before it of any player whose rating it changed; a match that changed none is not found."""
    most_rating: Count | None = None
    """The greatest rating before it of any of them."""
    ended_from: Milliseconds | None = None
    """The earliest end, in milliseconds since 1970."""
    ended_until: Milliseconds | None = None
    """The latest end."""
    opening: Annotated[tuple[Move, ...], Field(max_length=MAX_OPENING_PLIES, fail_fast=True)] = ()
    """The first plies, in their order; rolls of dice are plies too."""
    order: ArchiveOrder = "newest"


class HeadToHeadCount(Made):
    """The finished public matches of one game between two players, as the first of them sees their results."""

    game: Key
    wins: int
    losses: int
    draws: int


class OpeningMove(Made):
    """A move that was played in a position: in how many games, and how often its player won or drew them.

    Of a roll of dice `wins` is 0.
    """

    move: Move
    games: int
    wins: int
    draws: int
