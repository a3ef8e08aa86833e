"""The server: what decides is pure (`match`, `lobby`, `clock`), what waits is thin, and only `app` knows every part."""

from __future__ import annotations

from typing import Final

__all__ = ["VERSION"]

VERSION: Final = "0.1.0"
"""What the server calls itself when it says welcome."""
