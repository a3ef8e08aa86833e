"""A move's trace, from the socket that sent it to the sockets of other nodes, at a collector."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from cornered.protocol.commands import AcceptChallenge, Challenge, Play
from cornered.protocol.messages import Happened, Refused
from cornered.server.settings import SettingsError
from tests.conftest import Mosquitto, Postgres
from tests.server.collector import Collector, Recorded, collector, paths
from tests.server.conftest import SMALL, TIMEOUT_S, Client, Pair, Running, Start
from tests.waiting import until

MOVES = ("a2", "c2", "a1", "c3")
"""How a game begins here."""


async def play(match: str, players: Sequence[Client]) -> None:
    """Play the first moves; each one is seen by both players before the next."""
    for ply, move in enumerate(MOVES):
        await players[ply % 2].do(Play, match=match, ply=ply, move=move)
        for player in players:
            await player.hear(Happened, lambda said: said.match == match)


def of_ply(collected: Collector, ply: int) -> list[Recorded]:
    """Return the spans of the one trace of a move."""
    (trace,) = {span.trace for span in collected.spans if span.attributes.get("cornered.ply") == ply}
    return [span for span in collected.spans if span.trace == trace]


async def test_the_steps_of_a_move_at_a_lone_node_come_to_the_collector(start: Start, pair: Pair) -> None:
    async with collector() as collected:
        async with (
            start(node="home", otlp=collected.url, otlp_share=1) as server,
            server.client("Ann") as ann,
            server.client("Ben") as ben,
        ):
            match = await pair(ann, ben)
            await play(match, (ann, ben))
        assert len({span.trace for span in collected.spans}) == len(MOVES)
        spans = of_ply(collected, 0)
    assert paths(spans) == [
        "receive@home",
        "receive@home > execute@home",
        "receive@home > execute@home > append@home",
        "receive@home > execute@home > decide@home",
        "receive@home > execute@home > publish@home",
    ]
    (first,) = (span for span in spans if span.name == "receive")
    assert first.attributes == {"cornered.match": match, "cornered.command": "play", "cornered.ply": 0}
    assert [span.status for span in spans] == [""] * 5
    assert set(collected.requests) == {"POST /v1/traces HTTP/1.1"}


@pytest.mark.mqtt
@pytest.mark.postgres
async def test_one_trace_leads_from_a_players_node_to_the_owner_and_back(
    start: Start, postgres: Postgres, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    async with collector() as collected:
        shared = {
            "database": postgres.new_database(),
            "mqtt": mosquitto.url,
            "otlp": f"{collected.url}/mine",
            "otlp_share": 1,
        }
        async with (
            start(**shared, node="one", data=tmp_path / "one") as one,
            start(**shared, node="two", data=tmp_path / "two") as two,
        ):
            for server in (one, two):
                await server.metrics_once(lambda found: found["cornered_links"] == 1 and found["cornered_slots"] > 0)
            async with one.client("Ann") as ann, two.client("Ben") as ben:
                match = await pair_across(ann, ben)
                await play(match, (ann, ben))
                owner = await owner_of_the_match(one, two)
    other = {"one": "two", "two": "one"}[owner]
    # The first two moves may come before the other node's subscription.
    own, forwarded = (2, 3) if owner == "one" else (3, 2)
    assert paths(of_ply(collected, own)) == [
        f"receive@{owner}",
        *under(f"receive@{owner} > execute@{owner}", owner, other),
    ]
    spans = of_ply(collected, forwarded)
    assert paths(spans) == [
        f"receive@{other}",
        f"receive@{other} > forward@{other}",
        *under(f"receive@{other} > forward@{other} > execute@{owner}", owner, other),
    ]
    assert {span.name: span.kind for span in spans} == {
        "receive": "SERVER",
        "forward": "CLIENT",
        "execute": "SERVER",
        "decide": "INTERNAL",
        "append": "INTERNAL",
        "publish": "PRODUCER",
        "deliver": "CONSUMER",
    }
    assert set(collected.requests) == {"POST /mine HTTP/1.1"}


async def pair_across(ann: Client, ben: Client) -> str:
    """Return a match between players on two nodes, which both have joined."""
    async with asyncio.timeout(TIMEOUT_S):
        # Until the owner of the lobby knows that Ben is here.
        while isinstance(sent := await ann.ask(Challenge, to=ben.player.id, game=SMALL, seat=0), Refused):
            assert sent.code == "unknown_player"
    match = (await ben.do(AcceptChallenge, challenge=sent.ref)).ref
    assert match is not None
    for client in (ann, ben):
        await client.join(match)
    return match


async def owner_of_the_match(one: Running, two: Running) -> str:
    metrics = await one.metrics(), await two.metrics()
    assert sorted(found["cornered_mirrors"] for found in metrics) == [0, 1]
    return "two" if metrics[0]["cornered_mirrors"] else "one"


def under(execute: str, owner: str, other: str) -> list[str]:
    """Return the steps of the owner, and the one that follows at the other node."""
    return [
        execute,
        f"{execute} > append@{owner}",
        f"{execute} > decide@{owner}",
        f"{execute} > publish@{owner}",
        f"{execute} > publish@{owner} > deliver@{other}",
    ]


def assert_said_once(written: str) -> None:
    """Assert that the log has one line about the last traces, and at most one about those before."""
    last, before = "the last traces are lost: ", " traces are lost: "
    kinds = [last if last in line else before for line in written.splitlines() if before in line]
    assert len(kinds) == len(written.splitlines()), written
    assert kinds in ([last], [before, last], [last, before])


async def test_moves_go_on_while_the_collector_hangs_and_the_log_has_few_lines(
    start: Start, pair: Pair, capfd: pytest.CaptureFixture[str]
) -> None:
    async with (
        collector("") as hanging,
        start(otlp=hanging.url, otlp_share=1, stop_seconds=1) as server,
        server.client("Ann") as ann,
        server.client("Ben") as ben,
    ):
        for number in range(3):
            await play(await pair(ann, ben), (ann, ben))
            if number == 0:
                await until(lambda: hanging.requests)
        assert len(hanging.requests) == 1
    assert_said_once(capfd.readouterr().err)


async def test_a_collector_that_is_not_there_costs_few_lines_of_the_log(
    start: Start, pair: Pair, capfd: pytest.CaptureFixture[str]
) -> None:
    async with collector() as gone:
        pass
    async with (
        start(otlp=gone.url, otlp_share=1, stop_seconds=1) as server,
        server.client("Ann") as ann,
        server.client("Ben") as ben,
    ):
        for _ in range(3):
            await play(await pair(ann, ben), (ann, ben))
    assert_said_once(capfd.readouterr().err)


async def test_without_its_packages_the_setting_is_refused(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "opentelemetry"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "cornered.server.adapters.tracer_otel", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(SettingsError, match=r"^CORNERED_OTLP: .*pip install 'cornered\[otel\]'"):
        async with start(otlp="http://127.0.0.1:4318"):
            pass
    async with start():
        pass


@pytest.mark.parametrize("url", ["collector:4318", "ftp://collector", "http://", "http://collector:0"])
async def test_a_wrong_address_of_the_collector_is_refused(start: Start, url: str) -> None:
    with pytest.raises(SettingsError, match=r"^CORNERED_OTLP: Port could not be cast"):
        async with start(otlp="http://collector:many"):
            pass
    with pytest.raises(SettingsError, match=r"^CORNERED_OTLP: a collector's address is http://HOST:4318"):
        async with start(otlp=url):
            pass
