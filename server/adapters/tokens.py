"""Creates player ids and tokens for every store of accounts."""

from __future__ import annotations

import secrets
from hashlib import sha256

__all__ = ["digest_of", "new_player_id", "new_token", "token_id"]


def new_player_id() -> str:
    """Return a player id: 72 random bits, safe in a URL, and as an argument of a command, which no `-` begins."""
    while (drawn := secrets.token_urlsafe(9)).startswith("-"):
        pass
    return drawn


def new_token() -> str:
    """Return a bearer token: 256 random bits as text."""
    return secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """Return the SHA-256 of a token, which is stored in its place.

    256 random bits cannot be searched, so a fast hash is enough; chosen passwords would need a slow one.
    """
    return sha256(token.encode()).hexdigest()


def token_id(digest: str) -> str:
    """Return a token's id, which its owner sees: 64 bits of the digest, from which nobody finds the token."""
    return digest[:16]
