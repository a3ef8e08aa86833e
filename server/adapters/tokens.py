"""Creates player ids and tokens for every store of accounts."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from hashlib import sha256

__all__ = ["digest_of", "new_player_id", "new_token", "token_id", "with_children"]


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


def with_children(ended: Iterable[str], parents: Mapping[str, str], spared: str = "") -> list[str]:
    """Return the ids of the tokens that end with `ended`: these, and what they have made, and so on.

    `parents` has the session that made each token of the player. `spared` goes on, and so does what it has made.
    """
    found = {token: None for token in ended if token != spared}
    while more := [one for one, by in parents.items() if by in found and one not in found and one != spared]:
        found |= dict.fromkeys(more)
    return list(found)
