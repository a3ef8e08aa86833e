"""One port serves the page, the plain answers and the sockets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from engine.record import from_json
from engine.record_text import from_text
from protocol.codec import JSON, MSGPACK
from protocol.commands import Play
from protocol.messages import Happened


@pytest.mark.parametrize("codec", [JSON, MSGPACK], ids=["json", "msgpack"])
async def test_two_clients_play_to_the_end_while_a_third_watches(
    running: Any, pair: Any, play_out: Any, codec: Any
) -> None:
    async with (
        running.client("Ann", codec) as ann,
        running.client("Ben", codec) as ben,
        running.client("Cas") as cas,
    ):
        match = await pair(ann, ben)
        await cas.join(match)
        seen = await play_out(match, (ann, ben))
        assert seen[-1].events[-1].type == "ended"
        watched = [await cas.hear(Happened) for _ in seen]
        assert [event.seq for happened in watched for event in happened.events] == list(
            range(2, seen[-1].events[-1].seq + 1)
        )


async def test_the_page_is_served_and_nothing_beside_it(start: Any, tmp_path: Path) -> None:
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
        for path in ("/../secret.txt", "/%2e%2e/secret.txt", "//etc/passwd", "/notes.md", "/nothing.js", "/%00.js"):
            assert (await running.fetch(path)).status == 404, path
        assert (await running.fetch("/", method="HEAD")).body == ""
        assert (await running.fetch("/", method="DELETE")).status == 405


async def test_health_readiness_and_metrics(running: Any, pair: Any) -> None:
    assert (await running.fetch("/health")).body == "ok\n"
    assert (await running.fetch("/ready")).body == "ready\n"
    async with running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben)
        await ann.do(Play, match=match, ply=0, move="a2")
        await ann.refused(Play, match=match, ply=0, move="a2")
        metrics = (await running.fetch("/metrics")).body.splitlines()
    assert "cornered_events_total 2.0" in metrics
    assert "cornered_players 2.0" in metrics
    assert 'cornered_refusals_total{code="stale_ply"} 1.0' in metrics
    assert "cornered_command_seconds_count 1.0" in metrics


async def test_a_finished_match_is_a_record_in_two_forms(running: Any, pair: Any, play_out: Any) -> None:
    async with running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben)
        assert (await running.fetch(f"/matches/{match}.txt")).status == 404
        await play_out(match, (ann, ben))
    (text,) = from_text((await running.fetch(f"/matches/{match}.txt")).body)
    line = from_json((await running.fetch(f"/matches/{match}.jsonl")).body.strip())
    assert text.players == line.players == ("Ann", "Ben")
    assert text.final == line.final
    assert line.final.outcome is not None
    assert line.termination == "rules"
    assert (await running.fetch("/matches/nowhere.txt")).status == 404


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [(None, True), ("http://{host}", True), ("https://play.example", True), ("https://evil.example", False)],
)
async def test_only_our_own_page_and_named_ones_may_connect(start: Any, origin: str | None, allowed: bool) -> None:
    async with start(origins="https://play.example") as running:
        host = running.address.removeprefix("http://")
        options = {"origin": origin.format(host=host) if origin else None, "subprotocols": [JSON.subprotocol]}
        if allowed:
            async with connect(running.url, **options) as socket:
                assert socket.subprotocol == JSON.subprotocol
        else:
            with pytest.raises(InvalidStatus) as refused:
                await connect(running.url, **options)
            assert refused.value.response.status_code == 403


@pytest.mark.parametrize("subprotocols", [None, ["chat"]])
async def test_a_socket_without_our_subprotocol_does_not_open(running: Any, subprotocols: Any) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(running.url, subprotocols=subprotocols)
    assert refused.value.response.status_code == 400


async def test_one_address_has_so_many_sockets_and_no_more(start: Any) -> None:
    async with start(max_per_address=2) as running, running.client(), running.socket():
        with pytest.raises(InvalidStatus) as refused:
            await connect(running.url, subprotocols=[JSON.subprotocol])
        assert refused.value.response.status_code == 429


async def test_a_trusted_proxy_says_who_connects(start: Any) -> None:
    def coming_from(address: str) -> dict[str, Any]:
        return {"additional_headers": {"X-Forwarded-For": f"10.9.9.9, {address}"}}

    async with (
        start(max_per_address=1, proxies="127.0.0.1") as running,
        running.socket(**coming_from("10.0.0.1")),
        running.socket(**coming_from("10.0.0.2")),
    ):
        with pytest.raises(InvalidStatus):
            await connect(running.url, subprotocols=[JSON.subprotocol], **coming_from("10.0.0.1"))


@pytest.mark.parametrize(
    ("proxies", "forwarded", "is_same"),
    [
        ("127.0.0.0/8", "10.9.9.9, 10.0.0.2", False),
        ("127.0.0.0/8", "10.9.9.9, 10.0.0.1", True),
        ("10.0.0.0/8, ::1", "10.9.9.9", True),
        ("127.0.0.1, 172.16.0.0/12", "10.0.0.2, 172.18.0.5", False),
        ("127.0.0.1, 172.16.0.0/12", "10.0.0.1,172.18.0.7", True),
        ("127.0.0.1, 172.16.0.0/12", "anything at all, 172.18.0.5", False),
    ],
)
async def test_proxies_are_addresses_and_networks(start: Any, proxies: str, forwarded: str, is_same: bool) -> None:
    def coming_from(addresses: str) -> dict[str, Any]:
        return {"additional_headers": {"X-Forwarded-For": addresses}, "subprotocols": [JSON.subprotocol]}

    async with (
        start(max_per_address=1, proxies=proxies) as running,
        running.socket(additional_headers={"X-Forwarded-For": "10.0.0.1"}),
    ):
        if is_same:
            with pytest.raises(InvalidStatus) as refused:
                await connect(running.url, **coming_from(forwarded))
            assert refused.value.response.status_code == 429
        else:
            async with connect(running.url, **coming_from(forwarded)):
                pass


async def test_an_address_that_asks_too_often_for_pages_must_wait(start: Any) -> None:
    async with start(address_rate=0.001, address_burst=2) as running:
        assert [(await running.fetch("/health")).status for _ in range(3)] == [200, 200, 429]
