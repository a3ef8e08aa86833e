"""Reads and validates HTTP requests: method, host, path and conditions."""

from __future__ import annotations

import re
from typing import Final

from websockets.http11 import Request, Response

from cornered.protocol.codec import CODECS
from cornered.protocol.suggestion import did_you_mean
from cornered.protocol.text import visible
from cornered.server.net.hosts import KnownHosts
from cornered.server.net.responses import METHODS, method_not_allowed, plain

__all__ = ["accepts_gzip", "canonical_path", "field_of", "is_upgrade", "names_tag", "refusal_of", "refuses_subprotocol"]

_CANONICAL: Final = re.compile(r"/|(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9._~-]+)+")
"""Unreserved characters (RFC 3986, 2.3) in segments that are neither empty nor `.` nor `..`."""
_CODING: Final = re.compile(
    r"(?P<coding>[-!#$%&'*+.^_`|~0-9a-z]+)(?:\s*;\s*q=(?P<weight>0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?"
)
"""One element of Accept-Encoding, in lower case."""
MAX_ECHO: Final = 80
"""Characters of a header field that a refusal repeats."""


def canonical_path(target: str) -> str | None:
    """Return the path of a request target, without its query, or None when it is not in canonical form.

    Canonical is the one spelling that a path keeps under percent-decoding, removal of dot segments and collapsing of
    slashes. No other spelling is answered, so what a proxy blocks by its path is not reachable by another one.
    """
    path, _, _ = target.partition("?")
    return path if _CANONICAL.fullmatch(path) else None


def field_of(request: Request, name: str) -> str:
    """Return a header field's value; of one that is repeated, all of them, as one list."""
    return ",".join(request.headers.get_all(name))


def is_upgrade(request: Request) -> bool:
    """Return whether a request asks for a WebSocket."""
    return field_of(request, "Upgrade").lower() == "websocket"


def accepts_gzip(accept_encoding: str) -> bool:
    """Return whether the value of Accept-Encoding allows gzip, and does not prefer an answer without encoding.

    Preferences are read as RFC 9110 defines them (12.4.2, 12.5.3); an unreadable one is none.
    """
    weights: dict[str, float] = {}
    for element in accept_encoding.lower().split(","):
        found = _CODING.fullmatch(element.strip())
        if found is not None:
            weights[found["coding"]] = float(found["weight"] or 1)
    gzip = max((weights[name] for name in ("gzip", "x-gzip") if name in weights), default=weights.get("*", 0.0))
    return gzip > 0 and gzip >= weights.get("identity", 0.0)


def names_tag(if_none_match: str, tag: str) -> bool:
    """Return whether the value of If-None-Match names an entity tag, or any; weakly compared (RFC 9110, 13.1.2)."""
    tags = [element.strip().removeprefix("W/") for element in if_none_match.split(",")]
    return tag in tags or tags == ["*"]


def refusal_of(request: Request, hosts: KnownHosts) -> Response | None:
    """Return the refusal of an invalid HTTP request; None for a valid one."""
    if request.method not in METHODS:
        return method_not_allowed()
    named = request.headers.get_all("Host")
    if len(named) != 1 and (named or request.protocol != "HTTP/1.0"):
        return plain(400, "a request names one host")
    if named and not hosts.knows(named[0]):
        return plain(421, "this server does not know the host of this address; the setting CORNERED_HOSTS adds hosts")
    if canonical_path(request.path) is None:
        return plain(
            400, "this path is not in its canonical form: letters, digits, '-', '.', '_', '~' and single slashes"
        )
    return None


def refuses_subprotocol(request: Request) -> Response | None:
    """Return the refusal of a handshake that names no subprotocol of this server; None for any other."""
    asked = field_of(request, "Sec-WebSocket-Protocol").strip()
    names = [name.strip() for name in asked.split(",")]
    if any(name in CODECS for name in names):
        return None
    found = f"this request asks for {visible(asked[:MAX_ECHO])}" if asked else "this request names no subprotocol"
    offered = " and ".join(
        f"{name} ({'text' if codec.is_text else 'binary'} messages)" for name, codec in CODECS.items()
    )
    first = next(iter(CODECS))
    hint = next((hint for name in names if (hint := did_you_mean(name, CODECS))), "")
    return plain(
        400,
        f"{found}, and this server offers {offered}{hint}; write new WebSocket(address, '{first}'), or send the header "
        f"Sec-WebSocket-Protocol: {first}",
    )
