"""HTTP responses as values: plain text, the security headers of every answer, and answers to unreadable requests."""

from __future__ import annotations

import re
from email.utils import formatdate
from http import HTTPStatus
from typing import Final

from websockets.datastructures import Headers
from websockets.exceptions import HeaderLineTooLong, RequestLineTooLong, TooManyHeaders
from websockets.http11 import Response

__all__ = ["METHODS", "method_not_allowed", "not_modified", "plain", "respond", "unreadable", "without_body"]

METHODS: Final = ("GET", "HEAD")
_SECURITY_HEADERS: Final = {
    # What is no page may load and frame nothing; pages replace this.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_REQUEST_LINE: Final = re.compile(
    rb"(?P<method>[-!#$%&'*+.^_`|~0-9A-Za-z]{1,32}) [!-~]+ HTTP/(?P<version>[0-9](?:\.[0-9])?)\r?\n"
)
_BODY_FIELD: Final = re.compile(rb"\n(?:content-length|transfer-encoding)[ \t]*:", re.IGNORECASE)


def respond(status: int, kind: str, body: bytes, **headers: str) -> Response:
    """Return a complete response, after which the connection closes. `headers` replace those of every answer."""
    fields = Headers()
    fields["Date"] = formatdate(usegmt=True)
    fields["Connection"] = "close"
    fields["Content-Type"] = kind
    fields["Content-Length"] = str(len(body))
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    for name, value in {**_SECURITY_HEADERS, **given}.items():
        fields[name] = value
    return Response(status, HTTPStatus(status).phrase, fields, body)


def not_modified(**headers: str) -> Response:
    """Return the answer that what the client has is current, with the headers of a 200 that a cache keeps."""
    response = respond(304, "", b"", **headers)
    # They would describe this empty body, and a cache takes over what it is told.
    for name in ("Content-Type", "Content-Length", "Content-Encoding"):
        if name in response.headers:
            del response.headers[name]
    return response


def plain(status: int, text: str, *, retry_after: int | None = None, **headers: str) -> Response:
    """Return an answer in one line of text. `retry_after` is in seconds."""
    if retry_after is not None:
        headers["Retry_After"] = str(retry_after)
    return respond(status, "text/plain; charset=utf-8", f"{text}\n".encode(), Cache_Control="no-store", **headers)


def without_body(response: Response) -> Response:
    """Return the answer to HEAD: the same headers, with the length that the body of a GET has."""
    return Response(response.status_code, response.reason_phrase, response.headers, b"")


def method_not_allowed() -> Response:
    """Return the answer to a method that this server does not carry out."""
    return plain(405, f"this server answers {' and '.join(METHODS)}", Allow=", ".join(METHODS))


def unreadable(error: BaseException | None, head: bytes) -> Response:
    """Return the answer to a request that `websockets` cannot read.

    `error` is its `ServerProtocol.handshake_exc`, None where the request is cut off for its size. `head` is what has
    arrived of it, from its first byte on.
    """
    line = _REQUEST_LINE.match(head)
    response = _unreadable(error, head, line)
    return without_body(response) if line is not None and line["method"] == b"HEAD" else response


def _unreadable(error: BaseException | None, head: bytes, line: re.Match[bytes] | None) -> Response:
    if isinstance(error, RequestLineTooLong):
        return plain(414, "this address is too long")
    if error is None or isinstance(error, HeaderLineTooLong | TooManyHeaders):
        return plain(431, "the header fields of this request are too large")
    if line is None:
        return plain(400, "this is not an HTTP request")
    if line["version"] not in (b"1.0", b"1.1"):
        return plain(505, "this server speaks HTTP/1.1")
    if line["method"].decode() not in METHODS:
        return method_not_allowed()
    if _BODY_FIELD.search(head.partition(b"\r\n\r\n")[0]):
        return plain(413, "a request to this server has no body")
    return plain(400, "the header fields of this request cannot be read")
