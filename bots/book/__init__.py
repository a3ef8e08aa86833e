"""Opening books: results of long searches of opening positions.

A book is a file of JSON lines in `data`, for exactly one set of options: first the options and the command that made
it, then one position a line with its best move, its score for the mover, the depth of the search, and the moves with
an exact score. A position and its mirror image, left and right, are one entry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Self

from cornered.bots.book.mirror import named, standard
from cornered.bots.bot import Line
from cornered.engine import Game, State
from cornered.engine.records.files import read_lines

__all__ = ["DATA", "Entry", "lookup", "path_of", "read"]

DATA: Final = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Entry:
    """A book's entry for one position, in the standard one of its two mirror images. The best move comes first."""

    position: str
    depth: int
    moves: tuple[tuple[str, float], ...]

    @classmethod
    def from_json(cls, text: str) -> Self:
        fields = json.loads(text)
        return cls(fields["position"], fields["depth"], tuple((move, score) for move, score in fields["moves"]))

    def as_json(self) -> str:
        best, score = self.moves[0]
        fields = {"position": self.position, "move": best, "score": score, "depth": self.depth, "moves": self.moves}
        return json.dumps(fields, separators=(",", ":"))


def path_of(game: Game) -> Path:
    """Return where the book of a game with these options is, if there is one."""
    options = "-".join(f"{name}{value}" for name, value in game.options.items() if value is not None)
    return DATA / f"{game.name}-{options}.jsonl"


def read(path: Path) -> dict[str, Entry]:
    """Return the entries of a book by position, without a torn one at its end."""
    lines, _ = read_lines(path)
    return {entry.position: entry for entry in (Entry.from_json(line.decode()) for line in lines[1:])}


@cache
def _book(path: Path) -> Mapping[str, Entry]:
    return read(path) if path.is_file() else {}


def lookup(state: State) -> Line | None:
    """Return the move of the book for exactly these options, or None."""
    book = _book(path_of(state.game))
    if not book:
        return None
    image = standard(state)
    entry = book.get(image.text)
    if entry is None:
        return None
    best, score = entry.moves[0]
    move = named(best, state, is_mirrored=image.is_mirrored)
    return Line(move, score, depth=entry.depth, pv=(move,)) if state.is_legal(move) else None
