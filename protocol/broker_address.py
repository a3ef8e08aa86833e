"""The address of an MQTT broker, as servers and watchers are given it."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import parse_qsl, unquote, urlsplit

__all__ = ["BrokerAddress"]


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Address and credentials of a broker; `repr` omits the credentials.

    `ca` is a file of certificates, one of which has to have signed the broker's; None trusts those of the system.
    """

    host: str
    port: int
    user: str | None
    password: str | None
    tls: bool
    ca: str | None = None

    @classmethod
    def parse(cls, url: str) -> Self:
        """Return the broker of `mqtt://[user:password@]host[:port]` or `mqtts://...[?ca=FILE]`. Raises a ValueError."""
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or parts.path.strip("/") or port == -1:
            raise ValueError("a broker is mqtt://[user:password@]host[:port], or mqtts:// for TLS")
        tls = parts.scheme == "mqtts"
        user = None if parts.username is None else unquote(parts.username)
        password = None if parts.password is None else unquote(parts.password)
        return cls(parts.hostname, port or (8883 if tls else 1883), user, password, tls, _ca(parts.query, tls=tls))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.host}:{self.port})"


def _ca(query: str, *, tls: bool) -> str | None:
    """Return the file of `ca=FILE`. Raises a ValueError."""
    parameters = parse_qsl(query, keep_blank_values=True)
    if not parameters:
        return None
    if [name for name, _ in parameters] != ["ca"] or not tls:
        raise ValueError("the only parameter of a broker is ?ca=FILE, of mqtts:// alone")
    ca = parameters[0][1]
    if not Path(ca).is_file():
        raise ValueError(f"there is no file {ca!r} with the broker's CA certificate")
    try:
        ssl.create_default_context(cafile=ca)
    except OSError as error:
        raise ValueError(f"the file {ca!r} cannot be read as the broker's CA certificate: {error}") from None
    return ca
