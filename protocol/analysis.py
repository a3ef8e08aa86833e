"""Values of the analysis messages: reports, overlays and game trees that a bot computes for a position.

A score is from the point of view of the player to move in the requested position, in units of the analyst's own
evaluation. Where `proven` is set the score carries no further information.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from cornered.protocol.values import ONE_LINE, SPEECH, Count, Move, Value

__all__ = [
    "MAX_ATTEMPTS",
    "MAX_LINES",
    "MAX_LINE_PLIES",
    "MAX_OPEN_ANALYSES",
    "MAX_OVERLAYS",
    "MAX_TREE_NODES",
    "AnalysisScore",
    "OverlayPicture",
    "Proven",
    "Report",
    "ScoredLine",
    "Sentence",
    "TreeNode",
]

MAX_LINES: Final = 5
"""Principal variations that one analysis may request."""
MAX_LINE_PLIES: Final = 16
"""Moves in a principal variation, and in an `ask_variation`."""
MAX_OVERLAYS: Final = 8
"""Overlays in one report."""
MAX_OPEN_ANALYSES: Final = 4
"""Analyses of one player that may be queued or running at once."""
MAX_ATTEMPTS: Final = 3
"""Assignments of one job to an analyst before the job fails."""
MAX_TREE_NODES: Final = 120
"""Nodes of a game tree; a message of the largest size holds no more."""

Proven: TypeAlias = Literal["win", "draw", "loss"]
AnalysisScore: TypeAlias = Annotated[float, Field(ge=-1_000_000, le=1_000_000)]
AnalysisCount: TypeAlias = Annotated[int, Field(ge=0, le=2**53)]
Words: TypeAlias = Annotated[str, SPEECH, Field(min_length=1, max_length=40)]
Sentence: TypeAlias = Annotated[str, ONE_LINE, Field(max_length=200)]


class ScoredLine(Value):
    """One of the best moves with its principal variation `pv`, which starts with `move`.

    `proven` is the value of the game after the move for the player who makes it, and `plies` the distance to the end,
    this move included.
    """

    move: Move
    score: AnalysisScore | None
    proven: Proven | None = None
    plies: Count | None = None
    pv: Annotated[tuple[Move, ...], Field(min_length=1, max_length=MAX_LINE_PLIES, fail_fast=True)]


class Report(Value):
    """Result of a search, and its cost."""

    score: AnalysisScore | None
    proven: Proven | None
    """The game-theoretic value for the player to move, where it is known."""
    plies: Count | None
    """Distance to the end of the game under perfect play, in plies, where it is known."""
    depth: Count
    deepest: Count
    """Selective depth: the longest line that was searched, in plies."""
    nodes: AnalysisCount
    pruned: AnalysisCount
    """Moves that a cutoff left unsearched."""
    efficiency: Annotated[float, Field(ge=0, le=100)]
    """`pruned` in percent of all moves, searched and unsearched."""
    speed: Annotated[float, Field(ge=0, le=1e12)]
    """Nodes per second, 0 where it was not measured."""
    hits: AnalysisCount
    """Probes of the transposition table that found the position."""
    seconds: Annotated[float, Field(ge=0, le=1e6)]
    lines: Annotated[tuple[ScoredLine, ...], Field(min_length=1, max_length=MAX_LINES, fail_fast=True)]
    """The best line first."""


class OverlayPicture(Value):
    """A picture over the board, one character for each cell, in the rows of the position text.

    `zones` assigns a cell to a seat (`0` to `3`) or to several (`b`), `heat` has ten degrees (`0` to `9`); a dot is an
    empty cell.
    """

    name: Words
    title: Words
    legend: Sentence
    kind: Literal["zones", "heat"]
    cells: Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^[0-9b./]*$")]


class TreeNode(Value):
    """A move of a game tree. `parent` is the index of its parent node, counted from 0; -1 is the root position.

    The score is from the point of view of the player to move in the requested position, as in every report.
    """

    parent: Annotated[int, Field(ge=-1, lt=MAX_TREE_NODES)]
    move: Move
    score: AnalysisScore | None
    proven: Proven | None = None
    mark: Literal["best", "cut"] | None = None
    """`best` is on the principal variation; `cut` is pruned by alpha-beta."""
