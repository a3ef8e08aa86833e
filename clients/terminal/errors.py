"""The errors of the terminal client."""

from __future__ import annotations

__all__ = ["CannotStart"]


class CannotStart(Exception):
    """The requested command cannot start; the text is one line for people."""
