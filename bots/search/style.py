"""How to search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["FULL_WIDTH", "LEARNT", "SELECTIVE", "Style"]


@dataclass(frozen=True, slots=True)
class Style:
    """How to search: `selective` adds candidate moves, late-move reductions, quiescence search and exact values.

    Without it every move is searched to the same depth, and the score is the value of plain minimax. `learnt` evaluates
    positions by the network of their board, where there is one, in the place of the hand-written evaluation.
    """

    selective: bool = True
    learnt: bool = False


SELECTIVE: Final = Style()
LEARNT: Final = Style(learnt=True)
FULL_WIDTH: Final = Style(selective=False)
