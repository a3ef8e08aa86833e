"""Slots: the unit of ownership among nodes. Every match and the lobby belong to one slot, and a slot to one node."""

from __future__ import annotations

import zlib
from typing import Final

from cornered.server.match.match import MATCH_TAG_CHARS

__all__ = ["ALL_SLOTS", "LOBBY_SLOT", "MATCH_SLOTS", "slot_of"]

MATCH_SLOTS: Final = 1_024
"""Slots of matches: far more than nodes, so that a node that joins or leaves moves a small part of them."""
LOBBY_SLOT: Final = MATCH_SLOTS
"""The slot of the lobby with its seeks and challenges, of presence, and of the queue of analyses."""
ALL_SLOTS: Final = range(MATCH_SLOTS + 1)


def slot_of(match: str) -> int:
    """Return the slot of a match, by the tag that its id shares with its rematches."""
    return zlib.crc32(match[:MATCH_TAG_CHARS].encode()) % MATCH_SLOTS
