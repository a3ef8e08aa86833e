"""What keeps the terminal client from starting."""

from __future__ import annotations

__all__ = ["CannotStart"]


class CannotStart(Exception):
    """What was asked for cannot be begun; the text is one line for people."""
