"""How deep a compiled search goes: the length of every array that has an entry for each ply."""

from __future__ import annotations

from typing import Final

__all__ = ["MAX_PLY"]

MAX_PLY: Final = 128
"""Plies below the root at most, quiescence included."""
