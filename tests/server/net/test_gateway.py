"""One port serves the page, plain HTTP and the sockets."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Collection, Sequence
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from cornered.engine.records.record import from_json
from cornered.engine.records.text import from_text
from cornered.protocol.codec import JSON, MSGPACK
from cornered.protocol.commands import Play
from cornered.protocol.events import Started
from cornered.protocol.messages import Happened
from cornered.server import app
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.net import gateway
from cornered.server.runtime.limits import MAX_DOWNLOADS
from cornered.server.settings import MEMORY_DATABASE, Settings
from tests.server.conftest import Pair, PlayOut, Running, Start, Stores
from tests.virtual_time import after
from tests.waiting import TIMEOUT_S, until

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_two_clients_play_to_the_end_while_a_third_watches(
    shared: Running, pair: Pair, play_out: PlayOut
) -> None:
    for codec in (JSON, MSGPACK):
        async with shared.client("Ann", codec) as ann, shared.client("Ben", codec) as ben, shared.client() as cas:
            match = await pair(ann, ben)
            await cas.join(match)
            seen = await play_out(match, (ann, ben))
            assert seen[-1].events[-1].type == "ended"
            watched = [event.seq for _ in seen for event in (await cas.hear(Happened)).events]
            assert watched == list(range(2, seen[-1].events[-1].seq + 1))


async def test_the_page_is_served_and_nothing_beside_it(start: Start, tmp_path: Path) -> None:
    web = tmp_path / "web"
    web.mkdir()
    (web / "index.html").write_text("<title>Cornered</title>")
    (web / "main.js").write_text("export {};")
    (web / "notes.md").write_text("internal")
    (tmp_path / "secret.txt").write_text("secret")
    async with start(web=web) as running:
        page = await running.fetch("/")
        assert (page.status, page.body) == (200, "<title>Cornered</title>")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        policy = page.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "data:" not in policy
        script = await running.fetch("/main.js")
        assert script.headers["content-type"] == "text/javascript; charset=utf-8"
        unchanged = await running.fetch("/main.js", **{"If-None-Match": script.headers["etag"]})
        assert (unchanged.status, unchanged.body) == (304, "")
        (web / "main.js").write_text("export const changed = 1;")
        changed = await running.fetch("/main.js", **{"If-None-Match": script.headers["etag"]})
        assert changed.body == "export const changed = 1;"
        # A browser that has cached a page uses the headers of the 304.
        kept = await running.fetch("/", **{"If-None-Match": page.headers["etag"]})
        assert (kept.status, kept.headers["content-security-policy"]) == (304, policy)
        for path in ("/notes.md", "/nothing.js", "/index.html/x", "/main.js.map"):
            assert (await running.fetch(path)).status == 404, path
        for path in ("/../secret.txt", "/%2e%2e/secret.txt", "//etc/passwd", "/%00.js", "/main.js/", "//main.js"):
            assert (await running.fetch(path)).status == 400, path
        head = await running.fetch("/", method="HEAD")
        assert (head.status, head.body, head.headers["content-length"]) == (200, "", page.headers["content-length"])
        deleted = await running.fetch("/", method="DELETE")
        assert (deleted.status, deleted.headers["allow"]) == (405, "GET, HEAD")
        assert deleted.body


@pytest.mark.asyncio(loop_scope="function")
async def test_health_readiness_and_metrics(running: Running, pair: Pair) -> None:
    assert (await running.fetch("/health")).body == "ok\n"
    assert (await running.fetch("/ready")).body == "ready\n"
    other_spelling = await running.fetch("//metrics")
    assert (other_spelling.status, "cornered_" in other_spelling.body) == (400, False)
    async with running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben)
        await ann.do(Play, match=match, ply=0, move="a2")
        await ann.refused(Play, match=match, ply=0, move="a2")
        metrics = (await running.fetch("/metrics")).body.splitlines()
    assert {
        "cornered_events_total 2.0",
        "cornered_players 2.0",
        'cornered_refusals_total{code="stale_ply"} 1.0',
        "cornered_command_seconds_count 1.0",
    } <= set(metrics)


async def test_every_answer_carries_the_security_headers(shared: Running) -> None:
    for path in ("/", "/main.js", "/health", "/metrics", "/nothing", "//", "/matches/x.txt", "/visit"):
        headers = (await shared.fetch(path)).headers
        assert headers["x-content-type-options"] == "nosniff", path
        assert headers["referrer-policy"] == "no-referrer", path
        same_origin = headers["cross-origin-opener-policy"], headers["cross-origin-resource-policy"]
        assert same_origin == ("same-origin", "same-origin"), path
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path
        assert "camera=()" in headers["permissions-policy"], path
        # Only a proxy with TLS may set this header.
        assert "strict-transport-security" not in headers, path


async def test_the_metrics_answer_to_this_machine_itself_or_to_the_bearers_of_a_token(start: Start) -> None:
    async with start(proxies="127.0.0.1") as running:
        assert (await running.fetch("/metrics")).status == 200
        for field in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
            answer = await running.fetch("/metrics", **{field: "127.0.0.1"})
            assert answer.status == 403, field
            assert "CORNERED_METRICS_TOKEN" in answer.body
    async with start(metrics_token="s3cret", proxies="127.0.0.1") as running:
        for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "s3cret"}, {"Authorization": "Bearer "}):
            answer = await running.fetch("/metrics", **given)
            assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
        far = await running.fetch("/metrics", **{"Authorization": "Bearer s3cret", "X-Forwarded-For": "203.0.113.9"})
        assert (far.status, "cornered_players 0.0" in far.body) == (200, True)


async def with_host(running: Running, host: str, *fields: str) -> int:
    request = "\r\n".join([f"GET /ready HTTP/1.1\r\nHost: {host}", *fields, "", ""])
    return int((await running.send_raw(request.encode())).split()[1])


async def test_a_request_for_an_unknown_host_is_misdirected(start: Start) -> None:
    upgrade = ("Upgrade: websocket", "Connection: Upgrade", "Origin: http://evil.example")
    async with start(hosts="play.example") as running:
        assert await with_host(running, "play.example") == 200
        assert await with_host(running, "127.0.0.1:8420") == 200
        assert await with_host(running, "evil.example") == 421
        assert await with_host(running, "evil.example", *upgrade) == 421


class _SlowJournal(MemoryJournal):
    """A journal whose matches are read when the test says so: until then the server starts."""

    def __init__(self) -> None:
        super().__init__()
        self.may_be_read = asyncio.Event()

    async def live(self, slots: Collection[int] | None = None) -> Sequence[Started]:
        await self.may_be_read.wait()
        return await super().live(slots)


async def test_a_server_that_starts_is_tried_again_soon(tmp_path: Path, compiled: None) -> None:
    """Another node answers, or this one in a moment: clients add a growing delay of their own."""
    journal = _SlowJournal()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = Settings(port=port, database=MEMORY_DATABASE, data=tmp_path, log_level="warning")
    running = Running(f"http://127.0.0.1:{port}")

    async def serve() -> None:
        stores = Stores()
        stores.journal = journal
        async with app.running_server(settings, stores.opened()):
            pass

    async with asyncio.timeout(TIMEOUT_S), asyncio.TaskGroup() as tasks:
        tasks.create_task(serve())
        while True:
            with contextlib.suppress(OSError):
                told = await running.fetch("/visit")
                break
        assert (told.status, told.headers["retry-after"]) == (503, "1")
        assert told.body == "the server restarts; try again in 1 s\n"
        with pytest.raises(InvalidStatus) as refused:
            await connect(running.url, subprotocols=[Subprotocol(JSON.subprotocol)])
        assert refused.value.response.status_code == 503
        assert refused.value.response.headers["Retry-After"] == "1"
        journal.may_be_read.set()


async def test_one_address_has_so_many_sockets_and_its_page_learns_why_another_does_not_open(start: Start) -> None:
    async with start(max_per_address=2) as running, running.client():
        assert (await running.fetch("/visit")).body == "welcome\n"
        async with running.socket():
            told = await running.fetch("/visit")
            assert (told.status, told.headers["retry-after"]) == (429, "30")
            assert told.body == "too many connections from this address; close one, or try again in 30 s\n"
            with pytest.raises(InvalidStatus) as refused:
                async with running.socket():
                    pass
            assert refused.value.response.status_code == 429
            assert refused.value.response.headers["Retry-After"] == "30"


async def test_what_is_no_request_of_ours_is_answered_in_words(shared: Running) -> None:
    requests = {
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello": 405,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n": 400,
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5_000 + b"\r\n": 431,
    }
    for request, status in requests.items():
        answer = await shared.send_raw(request)
        assert answer.startswith(f"HTTP/1.1 {status} ".encode())
        assert b"nosniff" in answer
        assert answer.partition(b"\r\n\r\n")[2]


async def test_a_finished_match_is_a_record_in_two_forms(shared: Running, pair: Pair, play_out: PlayOut) -> None:
    async with shared.client("Rita") as ann, shared.client("Sam") as ben:
        match = await pair(ann, ben)
        assert (await shared.fetch(f"/matches/{match}.txt")).status == 404
        await play_out(match, (ann, ben))
    (text,) = from_text((await shared.fetch(f"/matches/{match}.txt")).body)
    line = from_json((await shared.fetch(f"/matches/{match}.jsonl")).body.strip())
    assert text.players == line.players == ("Rita", "Sam")
    assert text.final == line.final
    assert line.final.outcome is not None
    assert line.termination == "rules"
    assert (await shared.fetch("/matches/nowhere.txt")).status == 404


async def test_only_our_own_page_and_named_ones_may_connect(start: Start) -> None:
    async with start(origins="https://play.example") as running:
        for origin in (None, running.address, "https://play.example"):
            async with running.socket(origin=origin):
                pass
        with pytest.raises(InvalidStatus, match="403"):
            async with running.socket(origin="https://evil.example"):
                pass


async def test_a_socket_without_our_subprotocol_does_not_open(shared: Running) -> None:
    asked: dict[str, Any] = {
        "this request names no subprotocol, and": None,
        "this request asks for chat, and": ["chat"],
        "did you mean `cornered.v1.json`?": ["cornered.v2.json"],
        "did you mean `cornered.v1.msgpack`?": ["chat", "cornered.v1.mesgpack"],
        f"this request asks for {'x' * 80}, and": ["x" * 3_000],
    }
    for found, subprotocols in asked.items():
        with pytest.raises(InvalidStatus) as refused:
            await connect(shared.url, subprotocols=subprotocols)
        response = refused.value.response
        text = bytes(response.body).decode()
        assert (response.status_code, response.headers["Content-Type"]) == (400, "text/plain; charset=utf-8")
        assert found in text
        assert "this server offers cornered.v1.json (text messages) and cornered.v1.msgpack (binary messages)" in text
        assert text.endswith("or send the header Sec-WebSocket-Protocol: cornered.v1.json\n")
    async with connect(shared.url, subprotocols=[Subprotocol("chat"), Subprotocol(MSGPACK.subprotocol)]) as socket:
        assert socket.subprotocol == MSGPACK.subprotocol
    answer = await shared.fetch("/ws")
    assert (answer.status, answer.headers["upgrade"]) == (426, "websocket")
    assert "a WebSocket opens here" in answer.body


async def test_visitors_at_a_proxys_own_address_do_not_keep_its_health_checks_away(start: Start) -> None:
    async with (
        start(max_per_address=1, proxies="127.0.0.1") as running,
        running.socket(**forwarded("127.0.0.1")),
    ):
        assert (await running.fetch("/ready")).status == 200
        assert (await running.fetch("/ready", **forwarded("127.0.0.1")["additional_headers"])).status == 429


def forwarded(addresses: str) -> dict[str, Any]:
    return {"additional_headers": {"X-Forwarded-For": addresses}}


@pytest.mark.parametrize(
    ("proxies", "others", "same"),
    [
        ("127.0.0.0/8", ["10.9.9.9, 10.0.0.2"], ["10.9.9.9, 10.0.0.1"]),
        ("10.0.0.0/8, ::1", [], ["10.9.9.9"]),
        ("127.0.0.1, 172.16.0.0/12", ["10.0.0.2, 172.18.0.5", "any, 172.18.0.5"], ["10.0.0.1,172.18.0.7"]),
    ],
)
async def test_trusted_proxies_are_addresses_and_networks_and_say_who_connects(
    start: Start, proxies: str, others: list[str], same: list[str]
) -> None:
    async with start(max_per_address=1, proxies=proxies) as running, running.socket(**forwarded("10.0.0.1")):
        for address in others:
            async with running.socket(**forwarded(address)):
                pass
        for address in same:
            with pytest.raises(InvalidStatus, match="429"):
                async with running.socket(**forwarded(address)):
                    pass


async def test_an_address_that_asks_too_often_for_pages_must_wait_and_one_that_loads_it_again_pays_little(
    start: Start,
) -> None:
    async with start(address_rate=0.001, address_burst=10) as running:
        tag = (await running.fetch("/")).headers["etag"]
        again = [(await running.fetch("/", **{"If-None-Match": tag})).status for _ in range(10)]
        assert again == [304] * 9 + [429]
    async with start(address_rate=0.001, address_burst=10) as running:
        assert [(await running.fetch("/health")).status for _ in range(3)] == [200, 200, 429]


@contextlib.asynccontextmanager
async def asking(running: Running, path: str) -> AsyncIterator[asyncio.StreamReader]:
    """Request `path`; close the connection at the end of the block, whether or not an answer came."""
    host, port = running.address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    try:
        yield reader
    finally:
        writer.close()


def unanswered() -> int:
    """Return the number of page requests in progress."""
    return sum(task.get_name().startswith("page[") for task in asyncio.all_tasks())


async def until_unanswered(number: int) -> None:
    await until(lambda: unanswered() == number)


async def test_a_request_whose_connection_closes_before_its_turn_leaves_the_queue(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway, "PAGE_PATIENCE_SECONDS", float("inf"))
    async with start(address_rate=0.001, address_burst=5) as running:
        assert (await running.fetch("/health")).status == 200
        async with asking(running, "/health"):
            async with contextlib.AsyncExitStack() as stack:
                for _ in range(8):
                    await stack.enter_async_context(asking(running, "/health"))
                await until_unanswered(9)
            await until_unanswered(1)
        await until_unanswered(0)


async def test_a_client_that_closes_only_its_own_side_gets_an_answer_that_need_not_wait(shared: Running) -> None:
    host, port = shared.address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    writer.write_eof()
    async with asyncio.timeout(60):
        assert (await reader.read()).startswith(b"HTTP/1.1 200")
    writer.close()


@pytest.mark.virtual_time
@pytest.mark.asyncio(loop_scope="function")
async def test_few_records_are_read_before_they_are_paid_for_and_those_are_paid_for(
    running_server: Start, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, reading, may_go_on = stores.journal.read, list[str](), asyncio.Event()

    async def read_slowly(match: str, since: int = 0) -> Any:
        reading.append(match)
        await may_go_on.wait()
        return await read(match, since)

    monkeypatch.setattr(stores.journal, "read", read_slowly)
    async with running_server() as running:
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(12):
                await stack.enter_async_context(asking(running, "/matches/m.txt"))
            await until_unanswered(12)
            await after(0.02)
            assert len(reading) == MAX_DOWNLOADS
        # A request whose reading has begun is charged although it is abandoned; the others are not read at all.
        await until_unanswered(MAX_DOWNLOADS)
        may_go_on.set()
        await until_unanswered(0)
        assert len(reading) == MAX_DOWNLOADS
        assert (await running.fetch("/matches/m.txt")).status == 404
