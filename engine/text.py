"""Position texts and cell names, read and written the same way for every game.

No rule of a game is here, so clients can draw any game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self

__all__ = ["FILES", "PositionText", "square_name"]

FILES: Final = "abcdefghijklmnopqrstuvwxyz"


def square_name(file: int, rank: int) -> str:
    """Return the name of a square board's cell; file and rank count from 0 at the bottom left."""
    return f"{FILES[file]}{rank + 1}"


@dataclass(frozen=True, slots=True)
class PositionText:
    """A position text in its parts: the rows from the top, the turn (`c` for chance), and the game's own facts."""

    rows: tuple[str, ...]
    turn: str
    facts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Take `text` apart. Raises a ValueError when it does not have the form of a position text."""
        words = text.split(" ")
        if len(words) < 2 or not words[0] or not words[1]:
            raise ValueError(f"{text!r} is no position: it needs the rows, a space and the turn")
        facts: dict[str, str] = {}
        for word in words[2:]:
            name, equals, value = word.partition("=")
            if not (name and equals and value):
                raise ValueError(f"{word!r} in a position should read name=value")
            if name in facts:
                raise ValueError(f"a position names {name!r} twice")
            facts[name] = value
        return cls(tuple(words[0].split("/")), words[1], facts)

    def __str__(self) -> str:
        return " ".join(["/".join(self.rows), self.turn, *(f"{name}={value}" for name, value in self.facts.items())])

    @property
    def is_hexagon(self) -> bool:
        """Whether the rows differ in length, which is how a hexagon shows itself."""
        return len({len(row) for row in self.rows}) > 1

    def check(self, width: int, height: int, cells: str, facts: tuple[str, ...] = ()) -> None:
        """Raise a ValueError unless this is a `width` x `height` board of only those cell characters and facts."""
        if len(self.rows) != height or any(len(row) != width for row in self.rows):
            raise ValueError(f"the board should be {height} rows of {width} cells, not {'/'.join(self.rows)!r}")
        for character in "".join(self.rows):
            if character not in cells:
                raise ValueError(f"a cell is one of {' '.join(cells)}, not {character!r}")
        for name in self.facts:
            if name not in facts:
                raise ValueError(f"this game's positions have no {name!r}")

    def name(self, row: int, column: int) -> str:
        """Return the name of a cell, given its row from the top and column from the left."""
        from_bottom = len(self.rows) - 1 - row
        return f"{FILES[from_bottom]}{column + 1}" if self.is_hexagon else square_name(column, from_bottom)
