"""The headers of every answer, and the answers to requests that `websockets` cannot parse."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.http11 import Response
from websockets.server import ServerProtocol

from cornered.server.net.responses import plain, unreadable

SECURITY = (
    "Content-Security-Policy",
    "Cross-Origin-Opener-Policy",
    "Cross-Origin-Resource-Policy",
    "Permissions-Policy",
    "Referrer-Policy",
    "X-Content-Type-Options",
)


def answer_to(request: bytes) -> Response | None:
    """Return the answer to bytes that the protocol cannot parse; None when it can, or waits for more."""
    protocol = ServerProtocol()
    protocol.receive_data(request)
    return None if protocol.handshake_exc is None else unreadable(protocol.handshake_exc, request)


UNREADABLE: Final = {
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello": 405,
    b"PUT /main.js HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": 405,
    b"OPTIONS * HTTP/1.1\r\nContent-Length: 1\r\n\r\n": 405,
    b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello": 413,
    b"GET / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n": 413,
    b"HEAD / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello": 413,
    b"GET / HTTP/1.1\r\nno colon\r\n\r\n": 400,
    b"GET / HTTP/1.1\r\nHost : a\r\n\r\n": 400,
    b"GET / HTTP/2.0\r\n\r\n": 505,
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n": 505,
    b"GET /\r\n\r\n": 400,
    b"\r\n\r\n": 400,
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n": 400,
    b"GET /\xff HTTP/1.1\r\n\r\n": 400,
    b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n": 414,
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 500 + b"\r\n": 431,
    b"GET / HTTP/1.1\r\nX: " + b"y" * 20_000 + b"\r\n\r\n": 431,
}


def test_a_request_that_cannot_be_read_is_answered_in_words(subtests: pytest.Subtests) -> None:
    for request, status in UNREADABLE.items():
        with subtests.test(request=request[:80]):
            answer = answer_to(request)
            assert answer is not None
            assert answer.status_code == status
            assert answer.headers["Connection"] == "close"
            assert all(name in answer.headers for name in SECURITY)
            if request.startswith(b"HEAD"):
                assert answer.body == b""
            else:
                assert answer.headers["Content-Length"] == str(len(answer.body)) != "0"
            assert ("Allow" in answer.headers) == (status == 405)
            assert answer.serialize().startswith(f"HTTP/1.1 {status} ".encode())
    for line in (b"GET / HTTP/1.1", b"HEAD / HTTP/1.0", b"POST / HTTP/1.1"):
        assert answer_to(line + b"\r\n\r\n") is None, "without a body it can be read"


@settings(max_examples=50)
@given(st.binary(max_size=200) | st.from_regex(rb"\A[A-Z]{1,8} /\S{0,9} HTTP/[0-9.]{1,3}\r\n(.{0,20}\r\n)*\r\n\Z"))
def test_whatever_cannot_be_read_has_an_answer(request_: bytes) -> None:
    answer = answer_to(request_)
    assert answer is None or 400 <= answer.status_code < 506


def test_a_plain_answer_carries_the_security_headers_and_when_to_try_again() -> None:
    answer = plain(429, "too many", retry_after=30)
    assert (answer.body, answer.headers["Retry-After"]) == (b"too many\n", "30")
    assert all(len(answer.headers.get_all(name)) == 1 for name in SECURITY)
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Retry-After" not in plain(200, "ok").headers
