"""The server: pure deciders (`match`, `lobby`, `analysis`), thin asynchronous shells, and `app`, which composes all."""

from __future__ import annotations

from typing import Final

__all__ = ["VERSION"]

VERSION: Final = "0.1.0"
"""The version in `welcome`."""
