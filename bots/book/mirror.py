"""Quoridor's positions and moves as a mirror shows them, left and right: both images play alike."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cornered.engine import State
from cornered.engine.games.quoridor import QuoridorState
from cornered.engine.text import FILES, PositionText

__all__ = ["Image", "mirrored", "named", "standard"]

IGNORED_FACTS = ("ply", "quiet")
"""Facts of a position text that belong to draw rules; a book leaves them out."""


@dataclass(frozen=True, slots=True)
class Image:
    """The one of a position's two images whose text comes first, and whether that is the mirror's."""

    text: str
    is_mirrored: bool


def standard(state: State) -> Image:
    """Return the standard image of a position, which is its key in a book."""
    assert isinstance(state, QuoridorState)
    parts = PositionText.parse(str(state))
    size = state.game.size
    facts = {name: fact for name, fact in parts.facts.items() if name not in IGNORED_FACTS}
    other = dict(facts)
    if "walls" in facts:
        # The engine lists horizontal walls first, each kind rising rank by rank.
        walls = [mirrored(wall, size) for wall in facts["walls"].split(",")]
        other["walls"] = ",".join(sorted(walls, key=lambda wall: (wall[2], int(wall[1]), wall[0])))
    text = str(replace(parts, facts=facts))
    image = str(replace(parts, rows=tuple(row[::-1] for row in parts.rows), facts=other))
    return Image(min(text, image), image < text)


def mirrored(move: str, size: int) -> str:
    """Return a move as the mirror shows it. A wall reaches over two files, so its name is one file less."""
    if move == "pass":
        return move
    last = size - 1 if len(move) == 2 else size - 2
    return FILES[last - FILES.index(move[0])] + move[1:]


def named(move: str, state: State, *, is_mirrored: bool) -> str:
    """Return the name in `state` of a move of the standard image; its own inverse."""
    assert isinstance(state, QuoridorState)
    return mirrored(move, state.game.size) if is_mirrored else move
