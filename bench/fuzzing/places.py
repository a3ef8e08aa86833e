"""Placeholders in generated input for ids on the server, each of the length of an id."""

from __future__ import annotations

from typing import Final

__all__ = ["CHALLENGE", "MATCH_IDS", "PLACES", "PLAYER_ID", "SEEK_ID"]

MATCH_IDS: Final = ("MATCH-0000000000", "MATCH-1111111111")
SEEK_ID: Final = "SEEK--0000000000"
CHALLENGE: Final = "CHALL-0000000000"
PLAYER_ID: Final = "PLAYR-0000000000"
PLACES: Final = {
    "match": MATCH_IDS,
    "seek": (SEEK_ID,),
    "challenge": (CHALLENGE,),
    "to": (PLAYER_ID,),
    "player": (PLAYER_ID,),
    "opponent": (PLAYER_ID,),
    "endpoint": ("http://127.0.0.1:1/x",),
    "pool": ("trapgrid:blitz", "isolation:rapid", "trapgrid-3-2", "bamboo-1-1"),
}
"""The placeholders of these fields, or values that the server knows. A stored case contains them, so that it can be
repeated on another server.
"""
