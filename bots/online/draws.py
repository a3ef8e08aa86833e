"""When a bot accepts a draw: lost, or after many plies in which it was never better. Pure."""

from __future__ import annotations

from collections import deque
from typing import Final

from cornered.bots.bot import Thought

__all__ = ["DRAW_PLIES_MIN", "THOUGHTS", "DrawPolicy"]

DRAW_PLIES_MIN: Final = 20
"""Plies before which a game is young: an opening's score says little about its result."""
THOUGHTS: Final = 4
"""The newest moves at none of which the bot was better."""


class DrawPolicy:
    """What a bot thought at its moves of one match."""

    def __init__(self) -> None:
        self._scores: deque[float] = deque(maxlen=THOUGHTS)
        self._is_lost = False

    def note(self, thought: Thought) -> None:
        """Take note of a move's thought; one without a score says nothing about the game."""
        self._is_lost = thought.proven == "loss"
        if thought.score is not None:
            self._scores.append(thought.score)

    def agrees(self, ply: int) -> bool:
        """Return whether the bot accepts a draw after `ply` plies."""
        if self._is_lost:
            return True
        return ply >= DRAW_PLIES_MIN and len(self._scores) == THOUGHTS and max(self._scores) <= 0.0
