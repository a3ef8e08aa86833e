"""The base of games for two in which the mover without a move has lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, Self

from cornered.engine.game import Game, Outcome, State
from cornered.engine.text import PositionText

__all__ = ["Duel", "TurnedPosition", "read_turn"]


class TurnedPosition(Protocol):
    """A position with a seat to move."""

    @property
    def turn(self) -> int: ...


@dataclass(frozen=True, slots=True, eq=False)
class Duel(State):
    """A position of two seats. `open_cells` are the mover's moves, bit by number; `left` is the seat that gave up."""

    game: Game
    position: TurnedPosition
    open_cells: int
    left: int | None = None

    @property
    def to_move(self) -> int:
        return self.position.turn

    @property
    def outcome(self) -> Outcome | None:
        if self.left is None and self.open_cells:
            return None
        loser = self.position.turn if self.left is None else self.left
        return Outcome(winner=1 - loser, places=(2, 1) if loser == 0 else (1, 2))

    def leave(self, seat: int) -> Self:
        if seat not in (0, 1):
            raise ValueError(f"there is no seat {seat}; there are 0 and 1")
        return self if self.outcome is not None else replace(self, left=seat)

    def facts(self) -> dict[str, str]:
        """Return the facts of a position text besides the board and the turn."""
        return {} if self.left is None else {"out": str(self.left)}

    def __hash__(self) -> int:
        return hash((self.position, self.left, self.game))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return (self.position, self.left, self.game) == (other.position, other.left, other.game)


def read_turn(parts: PositionText) -> tuple[int, int | None]:
    """Return the seat to move of a position text, and the seat that gave up. Raises ValueError beyond seats 0 and 1."""
    left = parts.facts.get("out")
    if parts.turn not in ("0", "1") or left not in (None, "0", "1"):
        raise ValueError("the turn and `out` name a seat, 0 or 1")
    return int(parts.turn), None if left is None else int(left)
