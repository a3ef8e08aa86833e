"""What a user may write for a server, a token or a name, checked before anything is sent."""

from __future__ import annotations

import socket
from typing import Final
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError

from protocol.values import Name, Token

__all__ = ["require_listener", "require_name", "require_token", "socket_url"]

PATIENCE: Final = 5.0
"""Seconds that a machine has to answer at all."""
SCHEMES: Final = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}
_NAME: Final[TypeAdapter[str]] = TypeAdapter(Name)
_TOKEN: Final[TypeAdapter[str]] = TypeAdapter(Token)


def socket_url(url: str) -> str:
    """Return the address of the socket, also for somebody who gives that of the page. Raises ValueError."""
    scheme, _, rest = url.partition("://")
    try:
        parts = urlsplit(url)
        is_good = scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good:
        raise ValueError(f"a server's address looks like ws://host:port, not {url!r}")
    return f"{SCHEMES[scheme]}://{rest}"


def require_listener(url: str) -> None:
    """Raise a ValueError that says what to do where nobody listens at a server's address, which can be told at once."""
    parts = urlsplit(socket_url(url))
    port = parts.port or (443 if parts.scheme == "wss" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=PATIENCE).close()
    except OSError as error:
        raise ValueError(
            f"nobody listens at {url} ({error.strerror or 'no answer'}); `cornered serve` starts a server"
        ) from None


def require_name(name: str) -> str:
    """Return `name` if a player may be called so. Raises ValueError."""
    try:
        return _NAME.validate_python(name)
    except ValidationError:
        raise ValueError("a name has 1 to 24 characters, without blanks at its ends") from None


def require_token(token: str) -> str:
    """Return `token` if it can be one. Raises ValueError, whose text keeps what may be a secret to itself."""
    try:
        return _TOKEN.validate_python(token)
    except ValidationError:
        raise ValueError("this is no token: those of `cornered token NAME` have 20 characters or more") from None
