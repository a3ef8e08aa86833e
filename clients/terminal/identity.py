"""Who plays in the terminal: the tokens that are kept for it, signing in and out, and becoming an account."""

from __future__ import annotations

import sys
from typing import Final

from cornered.clients import sdk
from cornered.clients.sdk import Client, TokenStore
from cornered.clients.sdk.address import require_name
from cornered.protocol.account import MAX_PASSWORD, MIN_PASSWORD

__all__ = ["LAST_PLAYER_KEY", "keep_token", "register", "require_password", "sign_in", "sign_out"]

LAST_PLAYER_KEY: Final = ""
"""The key of the last player's token in the store; no player has an empty name."""
LABEL: Final = f"terminal ({sys.platform})"
"""The name of a session that begins here, in the list of the account's sessions."""


def keep_token(store: TokenStore, server: str, name: str | None, token: str) -> None:
    """Store the token under the name and as the last player's, in a file that its owner alone can read."""
    for key in {name or LAST_PLAYER_KEY, LAST_PLAYER_KEY}:
        if store.get(server, key) != token:
            store.put(server, key, token)


def require_password(password: str) -> str:
    """Return a new password of a valid length. Raises ValueError, whose text omits it."""
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise ValueError(f"a password has {MIN_PASSWORD} to {MAX_PASSWORD} characters")
    return password


async def sign_in(server: str, name: str, password: str) -> None:
    """Begin a session of an account, whose token is kept. Raises ClientError and ValueError."""
    if not password:
        raise ValueError("type the password of the account")
    keep_token(TokenStore(), server, name, await sdk.sign_in(server, require_name(name), password, label=LABEL))


async def register(client: Client, name: str, password: str, invitation: str | None = None) -> tuple[str, ...]:
    """Make an account of the player, who stays the same; return the recovery codes. Raises ClientError, ValueError."""
    name = require_name(name)
    guest, token, store = client.player.name, client.token, TokenStore()
    made = await client.account.register(name, require_password(password), invitation=invitation or None)
    _forget(store, client.url, guest, token)
    keep_token(store, client.url, name, client.token)
    return made.codes


async def sign_out(client: Client) -> None:
    """End the session, and forget its token. Raises ClientError."""
    token, store = client.token, TokenStore()
    await client.account.sign_out()
    _forget(store, client.url, client.player.name, token)


def _forget(store: TokenStore, server: str, name: str, token: str) -> None:
    """Forget a token that is not valid any more, wherever it is kept."""
    for key in (name, LAST_PLAYER_KEY):
        if store.get(server, key) == token:
            store.forget(server, key)
