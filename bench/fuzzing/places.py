"""Placeholders in generated input for ids on the server, each of the length of an id."""

from __future__ import annotations

from typing import Final

__all__ = ["CHALLENGE", "MATCHES", "PLACES", "PLAYER", "SEEK"]

MATCHES: Final = ("MATCH-0000000000", "MATCH-1111111111")
SEEK: Final = "SEEK--0000000000"
CHALLENGE: Final = "CHALL-0000000000"
PLAYER: Final = "PLAYR-0000000000"
PLACES: Final = {"match": MATCHES, "seek": (SEEK,), "challenge": (CHALLENGE,), "to": (PLAYER,)}
"""The placeholders of these fields. A stored case contains them, so that it can be repeated on another server."""
