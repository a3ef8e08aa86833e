"""How players and tokens are made, the same for every store of accounts."""

from __future__ import annotations

import secrets
from hashlib import sha256

__all__ = ["digest_of", "new_player_id", "new_token"]


def new_player_id() -> str:
    """Return a player's id: 72 random bits, safe in an address."""
    return secrets.token_urlsafe(9)


def new_token() -> str:
    """Return 256 random bits as text. Whoever holds them is the player."""
    return secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """Return what is stored instead of a token.

    Nobody can search 256 random bits, so a fast hash is enough here; chosen passwords will need a slow one.
    """
    return sha256(token.encode()).hexdigest()
