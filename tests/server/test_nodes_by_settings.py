"""Whole nodes whose settings name a database and a broker by TLS, or whose machine has a wrong clock."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cornered.protocol.commands import CreateSeek, JoinSeek, Play
from cornered.protocol.messages import Happened
from cornered.protocol.values import SeekSettings
from cornered.server.app import run
from cornered.server.cluster.slots import ALL_SLOTS
from cornered.server.runtime.readiness import Readiness
from cornered.server.settings import Settings
from tests.conftest import Mosquitto, Postgres
from tests.secured_mosquitto import SecuredMosquitto
from tests.server.adapters.test_nodes_mqtt import encrypted as encrypted
from tests.server.adapters.test_postgres import secure as secure
from tests.server.conftest import SMALL, Start

pytestmark = [pytest.mark.mqtt, pytest.mark.postgres]


async def test_two_nodes_play_by_tls_to_database_and_broker(
    start: Start, secure: tuple[str, Path], encrypted: SecuredMosquitto, tmp_path: Path
) -> None:
    address, certificate = secure
    authority = tmp_path / "database.pem"
    authority.write_bytes(certificate.read_bytes())
    shared = {
        "database": f"{address}?ssl=verify-full&sslrootcert={authority}",
        "mqtt": f"mqtts://127.0.0.1:{encrypted.port}?ca={encrypted.folder}/ca.pem",
    }
    async with (
        start(**shared, node="one", data=tmp_path / "one") as one,
        start(**shared, node="two", data=tmp_path / "two") as two,
        one.client("Ann") as ann,
        two.client("Ben") as ben,
    ):
        table = await ann.do(CreateSeek, settings=SeekSettings(game=SMALL, seat=0))
        match = (await ben.do(JoinSeek, seek=table.ref)).ref
        assert match is not None
        for player in (ann, ben):
            await player.join(match)
        await ann.do(Play, match=match, ply=0, move="a2")
        told = await ben.hear(Happened)
        await ben.do(Play, match=match, ply=1, move="c2")
        assert told.events == (await ann.hear(Happened)).events


async def test_a_node_gets_its_share_of_the_matches_when_it_can_play_them(
    start: Start, postgres: Postgres, mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    may_load, prepare = asyncio.Event(), Readiness.prepare

    async def wait_and_prepare(self: Readiness) -> None:
        await may_load.wait()
        await prepare(self)

    monkeypatch.setattr(Readiness, "prepare", wait_and_prepare)
    shared: dict[str, Any] = {"database": postgres.new_database(), "mqtt": mosquitto.url, "log_level": "error"}
    second = run(Settings(port=0, node="two", data=tmp_path / "two", **shared), beforehand=True)
    async with start(**shared, node="one", data=tmp_path / "one") as one, contextlib.AsyncExitStack() as stack:
        entering = asyncio.create_task(stack.enter_async_context(second))
        await asyncio.wait([entering], timeout=1)
        assert not entering.done()
        assert (await one.metrics())["cornered_slots"] == len(ALL_SLOTS)
        may_load.set()
        await entering
        await one.metrics_once(lambda found: 0 < found["cornered_slots"] < len(ALL_SLOTS))


async def test_a_node_whose_wall_clock_is_wrong_times_matches_by_the_databases(
    start: Start, postgres: Postgres, mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = time.time
    shared = {"database": postgres.new_database(), "mqtt": mosquitto.url}
    for off_s in (-3600.0, 3600.0):
        monkeypatch.setattr(time, "time", partial(_off, right, off_s))
        async with start(**shared, node="one") as node, node.client("Ann") as ann:
            assert abs(ann.welcome.now / 1000 - right()) < 60


def _off(clock: Callable[[], float], seconds: float) -> float:
    return clock() + seconds
