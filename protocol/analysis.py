"""Values of the analysis messages: reports, overlays and game trees that a bot computes for a position.

A score is from the point of view of the player to move in the requested position, in units of the analyst's own
evaluation. Where `proven` is set the score carries no further information.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from cornered.protocol.values import ONE_LINE, SPEECH, Count, Move, Value

__all__ = [
    "LEAST_ANALYSED_DELAY",
    "MAX_ANALYSIS_MS",
    "MAX_ATTEMPTS",
    "MAX_LINES",
    "MAX_LINE_PLIES",
    "MAX_OPEN_ANALYSES",
    "MAX_OVERLAYS",
    "MAX_RECORD_CHARACTERS",
    "MAX_STUDIED_MOVES",
    "MAX_TREE_NODES",
    "MIN_ANALYSIS_MS",
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
LEAST_ANALYSED_DELAY: Final = 60
"""Seconds by which watchers must see a person's game late for bots to look at it before its end: at the paces that
clocks set, the moves a minute ago are played and answered, and advice about them comes too late."""
MAX_LINE_PLIES: Final = 24
"""Moves in a principal variation, and in an `ask_variation`."""
MAX_OVERLAYS: Final = 8
"""Overlays in one report."""
MAX_OPEN_ANALYSES: Final = 4
"""Analyses of one player that may be queued or running at once."""
MIN_ANALYSIS_MS: Final = 20
MAX_ANALYSIS_MS: Final = 5_000
"""Search time of one analysis, in milliseconds. A short one is for a pass over a whole game."""
MAX_STUDIED_MOVES: Final = 240
"""Moves of a line of play that belongs to no match, in `ask_line` and in a record that is read."""
MAX_RECORD_CHARACTERS: Final = 6_000
"""Characters of a record that is read, which has to fit into one message."""
MAX_ATTEMPTS: Final = 3
"""Assignments of one job to an analyst before the job fails."""
MAX_TREE_NODES: Final = 84
"""Nodes of a game tree: four moves in each of three plies."""

Proven: TypeAlias = Literal["win", "draw", "loss"]
Scale: TypeAlias = Annotated[float, Field(ge=0.001, le=10_000)]
AnalysisScore: TypeAlias = Annotated[float, Field(ge=-1_000_000, le=1_000_000)]
AnalysisCount: TypeAlias = Annotated[int, Field(ge=0, le=2**53)]
Words: TypeAlias = Annotated[str, SPEECH, Field(min_length=1, max_length=40)]
End: TypeAlias = Annotated[str, ONE_LINE, Field(max_length=40)]
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
    scale: Scale | None = None
    """The win probability of a score that is not proven is 1 / (1 + exp(-score / scale)): a curve that was fitted to
    the bots' own games. Null where there is none."""


class OverlayPicture(Value):
    """A picture over the board, one character for each cell, in the rows of the position text.

    `zones` assigns a cell to a seat (`0` to `3`) or to several (`b`), `heat` has ten degrees (`0` to `9`); a dot is an
    empty cell. `low` and `high` say what the least and the greatest degree stand for. `numbers` says what each cell's
    heat stands for, such as steps: in the same rows, the cells separated by commas, an empty one without a number.
    """

    name: Words
    title: Words
    legend: Sentence
    kind: Literal["zones", "heat"]
    cells: Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^[0-9b./]*$")]
    low: End = ""
    high: End = ""
    numbers: Annotated[str, Field(max_length=1000, pattern=r"^[0-9,/]*$")] = ""


class TreeNode(Value):
    """A move of a game tree. `parent` is the index of its parent node, counted from 0; -1 is the root position.

    The score is from the point of view of the player to move in the requested position, as in every report.
    """

    parent: Annotated[int, Field(ge=-1, lt=MAX_TREE_NODES)]
    move: Move
    score: AnalysisScore | None
    proven: Proven | None = None
    plies: Count | None = None
    """Distance to the end of a proven game, this move included, where it is known."""
    mark: Literal["best", "cut"] | None = None
    """`best` is on the principal variation; `cut` is pruned by alpha-beta."""
