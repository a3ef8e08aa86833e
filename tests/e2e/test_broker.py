"""A broker that dies in mid-match: the players are unaffected, and a watcher detects the gap and fetches it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from cornered.protocol.codec import JSON
from cornered.protocol.commands import Join
from cornered.protocol.events import EVENT, Ended, MatchEvent
from cornered.protocol.messages import Acknowledged, Happened
from cornered.protocol.values import NO_CLOCK, GameSpec, SeekSettings
from cornered.server import app
from cornered.server.settings import Settings
from tests.conftest import Mosquitto
from tests.e2e.load import Player, Record, find_match

LONG_GAME = GameSpec(name="bamboo", options={"radius": 4})


def is_over(seen: dict[int, MatchEvent]) -> bool:
    return any(isinstance(event, Ended) for event in seen.values())


async def watch(port: int, match: str, seen: dict[int, MatchEvent]) -> None:
    """Receive events until the match is over or the connection to the broker is lost."""
    with contextlib.suppress(aiomqtt.MqttError):
        async with aiomqtt.Client("127.0.0.1", port) as client:
            await client.subscribe(f"cornered/v1/pub/match/{match}/events")
            async for message in client.messages:
                assert isinstance(message.payload, bytes)
                event = EVENT.validate_json(message.payload)
                assert event.seq not in seen
                seen[event.seq] = event
                if is_over(seen):
                    return


async def state_after(port: int, match: str, seq: int) -> dict[str, Any]:
    """Return the first published or retained state that is newer than `seq`."""
    async with aiomqtt.Client("127.0.0.1", port) as client:
        await client.subscribe(f"cornered/v1/pub/match/{match}/state")
        async for message in client.messages:
            assert isinstance(message.payload, bytes)
            state: dict[str, Any] = json.loads(message.payload)
            if state["seq"] > seq:
                return state
    raise AssertionError("the broker is gone")


async def fetch(player: Player, match: str, since: int) -> tuple[MatchEvent, ...]:
    """Ask the server for the events after `since`."""
    await player.connect()
    assert isinstance(await player.ask(Join(id=player.new_id(), match=match, since=since)), Acknowledged)
    while True:
        message = await player.hear()
        if isinstance(message, Happened):
            return message.known


@pytest.mark.mqtt
async def test_a_match_does_not_notice_that_the_broker_died_and_watchers_fetch_what_they_missed(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    record, chance, seen = Record(), random.Random(5), dict[int, MatchEvent]()
    async with asyncio.timeout(60), app.run(Settings(port=0, data=tmp_path, mqtt=mosquitto.url)) as address:
        port = int(address.rpartition(":")[2])
        one, two, three = (Player(name, port, JSON, chance, record) for name in ("one", "two", "three"))
        match = await find_match(one, two, SeekSettings(game=LONG_GAME, clock=NO_CLOCK))
        async with asyncio.TaskGroup() as tasks:
            first = tasks.create_task(watch(mosquitto.port, match, seen))
            await state_after(mosquitto.port, match, 0)
            for player in (one, two):
                tasks.create_task(player.play(match))
            await record.is_busy(0, 5)
            await asyncio.to_thread(mosquitto.kill)
            await first
            newest_seen = max(seen)
            await record.is_busy(0, newest_seen + 5)
            await asyncio.to_thread(mosquitto.start)
            state = await state_after(mosquitto.port, match, newest_seen + 3)
            await watch(mosquitto.port, match, seen)

        assert state["match"] == match
        missing = set(range(1, max(seen) + 1)) - seen.keys()
        assert max(missing) > newest_seen, "nothing was told while the broker was away"
        for event in await fetch(three, match, min(missing) - 1):
            if event.seq in missing:
                seen[event.seq] = event
        assert [seen[seq] for seq in sorted(seen)] == record.logs[match, 0] == record.logs[match, 1]
        assert record.lost_connections == 0
        for player in (one, two, three):
            player.hang_up()
