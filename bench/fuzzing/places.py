"""Names in generated input that stand for what is on the server: each is as long as the id that takes its place."""

from __future__ import annotations

from typing import Final

__all__ = ["CHALLENGE", "MATCHES", "PLACES", "PLAYER", "SEEK"]

MATCHES: Final = ("MATCH-0000000000", "MATCH-1111111111")
SEEK: Final = "SEEK--0000000000"
CHALLENGE: Final = "CHALL-0000000000"
PLAYER: Final = "PLAYR-0000000000"
PLACES: Final = {"match": MATCHES, "seek": (SEEK,), "challenge": (CHALLENGE,), "to": (PLAYER,)}
"""The names that stand in for values of these fields. A case holds them, so that it can be played again."""
