"""Validates server addresses, tokens and names as users type them, before anything is sent."""

from __future__ import annotations

import socket
from typing import Final
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError

from cornered.protocol.text import clean_name
from cornered.protocol.values import BotVersion, Token

__all__ = [
    "DEFAULT_SERVER",
    "normalised",
    "page_url",
    "require_key",
    "require_listener",
    "require_name",
    "require_token",
    "require_version",
    "socket_url",
]

DEFAULT_SERVER: Final = "ws://127.0.0.1:8420"
CONNECT_TIMEOUT_S: Final = 5.0
"""Time limit of the TCP connection."""
SOCKET_SCHEMES: Final = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}
PORTS: Final = {"ws": 80, "wss": 443}
"""Default ports (RFC 6455, section 3)."""
SOCKET_PATH: Final = "/ws"
"""The path of the WebSocket, which the server also accepts at `/`."""
_TOKEN_TYPE: Final[TypeAdapter[str]] = TypeAdapter(Token)
_VERSION_TYPE: Final[TypeAdapter[str]] = TypeAdapter(BotVersion)


def socket_url(url: str) -> str:
    """Return the WebSocket URL for a ws, wss, http or https URL, or for host:port, which is ws. Raises ValueError."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        scheme, rest = "ws", url
    scheme = scheme.lower()
    try:
        parts = urlsplit(f"{scheme}://{rest}")
        has_place = bool(parts.hostname) and parts.port != 0
        # Without a scheme only the port tells an address from a word.
        is_good = scheme in SOCKET_SCHEMES and has_place and bool(separator or parts.port)
    except ValueError:
        is_good = False
    if not is_good:
        raise ValueError(f"a server's address looks like http://host:port, not {url!r}")
    return f"{SOCKET_SCHEMES[scheme]}://{rest}"


def normalised(url: str) -> str:
    """Return a canonical form of a server's address, for use as a key. Raises ValueError.

    Scheme http or ws, case of the host, a default port, credentials, the WebSocket's path and a trailing slash make no
    difference. Different host names of one machine stay different.
    """
    parts = urlsplit(socket_url(url))
    host = (parts.hostname or "").lower()
    where = f"[{host}]" if ":" in host else host
    if parts.port not in (None, PORTS[parts.scheme]):
        where += f":{parts.port}"
    path = parts.path.rstrip("/").removesuffix(SOCKET_PATH).rstrip("/")
    return f"{parts.scheme}://{where}{path}"


def page_url(url: str) -> str:
    """Return the address of a server's page, without a trailing slash. Raises ValueError."""
    return normalised(url).replace("ws", "http", 1)


def require_listener(url: str) -> None:
    """Raise a ValueError with advice where a server's port refuses TCP connections."""
    parts = urlsplit(socket_url(url))
    port = parts.port or (443 if parts.scheme == "wss" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=CONNECT_TIMEOUT_S).close()
    except OSError as error:
        raise ValueError(
            f"no server listens at {url} ({error.strerror or 'no answer'}); `cornered serve` starts a server"
        ) from None


def require_name(name: str) -> str:
    """Return `name` in its normal form. Raises ValueError where it is no valid player name."""
    return clean_name(name)


def require_token(token: str) -> str:
    """Return `token` if its form is valid. Raises ValueError, whose text omits the token, which may be a secret."""
    try:
        return _TOKEN_TYPE.validate_python(token)
    except ValidationError:
        raise ValueError("this is no token: those of `cornered token NAME` have 20 characters or more") from None


def require_key(variable: str, key: str) -> str:
    """Return `key` if its form is valid. Raises ValueError, whose text has the `variable` but not the key."""
    try:
        return _TOKEN_TYPE.validate_python(key)
    except ValidationError:
        raise ValueError(f"{variable}: a key has 20 to 100 characters") from None


def require_version(version: str) -> str:
    """Return `version` if it can be that of a bot. Raises ValueError."""
    try:
        return _VERSION_TYPE.validate_python(version)
    except ValidationError:
        text = f"{version!r} is no version: up to 20 letters and digits, and dots, dashes, underscores or plus signs"
        raise ValueError(f"{text} between them, such as 2.1") from None
