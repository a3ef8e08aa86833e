"""Attacks over plain HTTP: obfuscated paths, foreign Host headers, other methods, and floods."""

from __future__ import annotations

import asyncio
from typing import Final

from cornered.bench.attacks.stage import Stage, attack

DETOURS: Final = (
    "//a/metrics",
    "//metrics",
    "/./metrics",
    "/a/../metrics",
    "/%6detrics",
    "/%2fmetrics",
    "/metrics/",
    "/metrics;x",
    "http://a/metrics",
    "/\\metrics",
)
"""Spellings of the path that a proxy's rule for `/metrics` may not match."""


@attack("path-detours", "requests reach /metrics by paths that a proxy does not block", is_timed=False)
async def path_detours(stage: Stage) -> str:
    """A path has one valid spelling; every other one is refused."""
    await stage.begin()
    host = stage.address.removeprefix("http://")
    for path in DETOURS:
        status, _, body = await stage.request(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n")
        if b"cornered_" in body and status == 200:
            stage.fault(f"GET {path} shows the metrics")
    return f"{len(DETOURS)} detours"


@attack("foreign-host", "a page whose name was bound to this address reads and connects", is_timed=False)
async def foreign_host(stage: Stage) -> str:
    """Only the configured hosts are served, which prevents DNS rebinding."""
    await stage.begin()
    for host in ("evil.example", "evil.example:80", "", "a b", "127.0.0.1.evil.example"):
        status, _, _ = await stage.request(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")
        if status == 200:
            stage.fault(f"a page is served to the host {host!r}")
        status, _, _ = await stage.request(
            f"GET /ws HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: cornered.v1.json\r\n\r\n"
            # A masked close frame, which ends the connection if the socket opens.
            "\x88\x80\x00\x00\x00\x00"
        )
        if status == 101:
            stage.fault(f"a socket opens for the host {host!r}")
    return "5 foreign hosts"


@attack("other-methods", "requests with other methods, bodies and versions", is_timed=False)
async def other_methods(stage: Stage) -> str:
    """Every such request is refused with a status and a body that gives the reason."""
    await stage.begin()
    host = stage.address.removeprefix("http://")
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"):
        for body in ("", "hello"):
            status, _, text = await stage.request(
                f"{method} / HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n{body}"
            )
            if not 400 <= status < 600:
                stage.fault(f"{method} is answered with {status or 'nothing'}")
            elif not text:
                stage.fault(f"the refusal of {method} has no body")
    return "7 methods, with and without a body"


@attack("page-flood", "one address fetches the page as fast as it can")
async def page_flood(stage: Stage) -> str:
    """Requests cost tokens as messages do."""
    await stage.begin()
    host = stage.address.removeprefix("http://")
    served = [0]

    async def fetch() -> None:
        while stage.is_on:
            try:
                status, _, _ = await stage.request(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")
            except (OSError, TimeoutError):
                await asyncio.sleep(0.01)
                continue
            served[0] += status == 200

    await asyncio.gather(*(fetch() for _ in range(20)))
    return f"{served[0]:,} pages served"
