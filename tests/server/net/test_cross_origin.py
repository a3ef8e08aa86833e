"""Cross-site request forgery: what a page of another site may do at each address of this server, which is nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from cornered.protocol.codec import JSON
from cornered.protocol.commands import Ping, Resign
from cornered.protocol.messages import Pong
from cornered.server import net
from tests.server import test_oidc
from tests.server.conftest import Fetched, Pair, Running

EVIL: Final = "https://evil.example"
FOREIGN: Final = {
    "Origin": EVIL,
    "Referer": f"{EVIL}/page",
    "Sec-Fetch-Site": "cross-site",
    "Cookie": "session=stolen",
}
"""What a browser sends for a page of another site. No cookie makes this server know anybody."""
ROUTES: Final[dict[str, str]] = {
    "/": "/",
    "/archive.jsonl": "/archive.jsonl",
    "/archive.txt": "/archive.txt",
    "/g/": "/g/{match}",
    "/health": "/health",
    "/matches/": "/matches/{match}.txt",
    "/metrics": "/metrics",
    "/position/": "/position/trapgrid/size~3/0.._..._..1_0",
    "/qr.svg": "/qr.svg?link=http%3A%2F%2Flocalhost%2F%23%2Fs%2Fabc",
    "/ready": "/ready",
    "/sw.js": "/sw.js",
    "/tournaments/": "/tournaments/abc.csv",
    "/visit": "/visit",
    "/ws": "/ws",
}
"""The addresses that the sources of `server/net/` name, with an example. All of these only read."""
GUARDED: Final[dict[str, Callable[..., object]]] = {
    "/oidc/start": test_oidc.test_a_visit_is_one_browsers_and_comes_back_once,
    "/oidc/return": test_oidc.test_no_hostile_answer_of_a_provider_signs_anybody_in,
}
"""Addresses at which a request changes something, with the test that a page of another site cannot make it."""
_ADDRESS: Final = re.compile(r"/(?:[a-z]+[a-z./]*)?")
"""The fixed beginning of an address, or of a pattern of addresses."""
_NO_ADDRESSES: Final = {"/move"}
"""Texts that look like one: a column of records."""
CHANGING: Final = ("POST", "PUT", "PATCH", "DELETE", "OPTIONS")
COUNTED: Final = (
    "cornered_connections_total",
    "cornered_events_total",
    "cornered_players",
    "cornered_registrations_total",
    "cornered_match_tasks",
)
"""Metrics of what a request could have changed."""


def addresses() -> set[str]:
    """Return the beginnings of all addresses in the sources."""
    found: set[str] = set()
    for source in Path(net.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                beginning = _ADDRESS.match(node.value)
                found |= {beginning[0]} if beginning is not None else set()
    return found - _NO_ADDRESSES


def test_every_address_of_the_server_is_in_the_table() -> None:
    assert addresses() == {*ROUTES, *GUARDED}
    assert not set(ROUTES) & set(GUARDED)


async def test_a_page_of_another_site_changes_and_reads_nothing_at_any_address(running: Running, pair: Pair) -> None:
    async with running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben)
        await ben.do(Resign, match=match)
        before = {name: number for name, number in (await running.metrics()).items() if name in COUNTED}
        assert len(before) == len(COUNTED)
        for address, example in ROUTES.items():
            target = example.format(match=match)
            for method in ("GET", "HEAD", *CHANGING):
                answer = await running.fetch(target, method=method, **FOREIGN)
                if method in CHANGING:
                    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD"), (method, target)
                else:
                    known = (426,) if target == "/ws" else (200, 404)
                    assert answer.status in known, (method, target, answer)
                assert keeps_from_others(answer), (method, target, answer.headers)
            with pytest.raises(InvalidStatus) as refused:
                await connect(
                    f"{running.address.replace('http', 'ws', 1)}{target}",
                    origin=Origin(EVIL),
                    subprotocols=[Subprotocol(JSON.subprotocol)],
                )
            assert refused.value.response.status_code == (403 if address in ("/", "/ws") else 404), target
            assert (await running.send_raw(form(target))).startswith(b"HTTP/1.1 405 "), target
        after = {name: number for name, number in (await running.metrics()).items() if name in COUNTED}
        assert after == before
        assert isinstance(await ann.ask(Ping), Pong)


def keeps_from_others(answer: Fetched) -> bool:
    """Return whether a browser shows an answer to no other site, and keeps nothing by which this server knows it."""
    fields = answer.headers
    shares = [name for name in fields if name.startswith("access-control-") or name == "set-cookie"]
    return (
        not shares
        and fields["cross-origin-resource-policy"] == "same-origin"
        and "frame-ancestors 'none'" in fields["content-security-policy"]
    )


def form(target: str) -> bytes:
    """Return a form of another site, which it may send without permission where its type is plain text."""
    body = b'{"type":"sign_out","id":"x"}='
    fields = (*FOREIGN.items(), ("Host", "localhost"), ("Content-Type", "text/plain"), ("Content-Length", len(body)))
    head = [f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields), "", ""]
    return "\r\n".join(head).encode() + body
