"""What is said about a position by a bot that studied it: the values of which analysis messages are made.

Scores are those of the player to move in the position that was asked about: positive is good for that player. They are
in the units of the analyst's own evaluation; where the outcome is certain, `proven` says so and the score means little.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from cornered.protocol.values import ONE_LINE, SPEECH, Count, Move, Value

__all__ = [
    "MAX_LINES",
    "MAX_NODES",
    "MAX_OVERLAYS",
    "MAX_PLIES",
    "MOST_ASKED",
    "MOST_TRIES",
    "OverlayPicture",
    "Proven",
    "Report",
    "Score",
    "ScoredLine",
    "Sentence",
    "TreeNode",
]

MAX_LINES: Final = 5
"""Lines that one may ask for."""
MAX_PLIES: Final = 16
"""Moves of a line that are told, and that may be tried out from a position."""
MAX_OVERLAYS: Final = 8
MOST_ASKED: Final = 4
"""Analyses that one player may have waiting or under way."""
MOST_TRIES: Final = 3
"""How often an analysis is handed out before it is given up."""
MAX_NODES: Final = 120
"""Positions of a game tree: as many as one message has room for."""

Proven: TypeAlias = Literal["win", "draw", "loss"]
Score: TypeAlias = Annotated[float, Field(ge=-1_000_000, le=1_000_000)]
Tally: TypeAlias = Annotated[int, Field(ge=0, le=2**53)]
Words: TypeAlias = Annotated[str, SPEECH, Field(min_length=1, max_length=40)]
Sentence: TypeAlias = Annotated[str, ONE_LINE, Field(max_length=200)]


class ScoredLine(Value):
    """One of the best moves, and how the game may go on: `pv` starts with `move`.

    `proven` is what the game comes to after the move for its player, and `plies` in how many plies, this one included.
    """

    move: Move
    score: Score | None
    proven: Proven | None = None
    plies: Count | None = None
    pv: Annotated[tuple[Move, ...], Field(min_length=1, max_length=MAX_PLIES, fail_fast=True)]


class Report(Value):
    """What a search found, and what it took."""

    score: Score | None
    proven: Proven | None
    """What the game comes to for the player to move when nobody makes a mistake, where that is certain."""
    plies: Count | None
    """In how many plies, where that is known."""
    depth: Count
    deepest: Count
    """The longest line that was looked at."""
    nodes: Tally
    pruned: Tally
    """Moves that were left out because they could not matter."""
    efficiency: Annotated[float, Field(ge=0, le=100)]
    """`pruned` in percent of all moves that were looked at or left out."""
    speed: Annotated[float, Field(ge=0, le=1e12)]
    """Nodes a second, 0 where it was not measured."""
    hits: Tally
    """How often the transposition table knew a position."""
    seconds: Annotated[float, Field(ge=0, le=1e6)]
    lines: Annotated[tuple[ScoredLine, ...], Field(min_length=1, max_length=MAX_LINES, fail_fast=True)]
    """The best first."""


class OverlayPicture(Value):
    """A picture of what a position means, one character a cell, in the rows of the position text.

    `zones` gives cells to a seat (`0` to `3`) or to several (`b`), `heat` has ten degrees (`0` to `9`); a dot is none.
    """

    name: Words
    title: Words
    legend: Sentence
    kind: Literal["zones", "heat"]
    cells: Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^[0-9b./]*$")]


class TreeNode(Value):
    """A move of a game tree. `parent` is the number of the node before it, counted from 0; -1 is the position itself.

    The score is that of the player to move in the position that was asked about, as everywhere.
    """

    parent: Annotated[int, Field(ge=-1, lt=MAX_NODES)]
    move: Move
    score: Score | None
    proven: Proven | None = None
    mark: Literal["best", "cut"] | None = None
    """`best` is on the line along which nobody makes a mistake; `cut` cannot matter to a search."""
