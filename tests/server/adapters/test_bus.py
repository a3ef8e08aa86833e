"""The contract of buses, applied to the bus in the process and to a real Mosquitto."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import weakref
from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol

import aiomqtt
import pytest

from cornered.protocol.feed import STATE_EXPIRY_S
from cornered.protocol.messages import LobbyChanged, LobbyState, Pong
from cornered.protocol.values import Presence
from cornered.server.adapters.broker import Broker
from cornered.server.adapters.bus_local import LocalBus
from cornered.server.adapters.bus_mqtt import MqttBus
from cornered.server.adapters.feed import Publication
from cornered.server.ports import Bus
from tests.conftest import Mosquitto
from tests.server.adapters.conftest import Sample
from tests.server.adapters.processes import other_process, publish

NODE = "cornered/v1/node/here/status"
LOBBY = "cornered/v1/pub/lobby"


def events_of(match: str) -> str:
    return f"cornered/v1/pub/match/{match}/events"


def state_of(match: str) -> str:
    return f"cornered/v1/pub/match/{match}/state"


class Ears:
    """Collects everything that is published, in order."""

    def __init__(self) -> None:
        self._heard: list[tuple[str, bytes]] = []
        self._new = asyncio.Condition()

    async def hear(self, topic: str, payload: bytes) -> None:
        async with self._new:
            self._heard.append((topic, payload))
            self._new.notify_all()

    def on(self, topic: str) -> list[Any]:
        """Return the messages on one topic; None is a cleared one."""
        return [json.loads(payload) if payload else None for heard, payload in self._heard if heard == topic]

    async def until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(60), self._new:
            await self._new.wait_for(is_so)

    async def until_last(self, topic: str, value: Any) -> None:
        await self.until(lambda: self.on(topic)[-1:] == [value])


class Outside(Protocol):
    """A bus with an external subscriber."""

    bus: Bus
    ears: Ears

    async def kept(self, topic: str) -> Any:
        """Return the retained message of `topic`."""


class LocalOutside:
    def __init__(self) -> None:
        self.ears = Ears()
        self._kept: dict[str, bytes] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.bus: Bus = LocalBus(self._listen, node="here")

    def _listen(self, publication: Publication) -> None:
        if publication.retain:
            self._kept[publication.topic] = publication.payload
        task = asyncio.create_task(self.ears.hear(publication.topic, publication.payload))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def kept(self, topic: str) -> Any:
        payload = self._kept.get(topic)
        return json.loads(payload) if payload else None


class MqttOutside:
    def __init__(self, port: int, *, node: str = "here") -> None:
        self.ears = Ears()
        self._port = port
        self.bus: Bus = MqttBus(Broker.parse(f"mqtt://127.0.0.1:{port}"), node, longest_retry_s=0.2)

    async def listen(self) -> None:
        """Receive what the broker publishes, reconnecting when it was down."""
        while not is_cancelled():
            with contextlib.suppress(aiomqtt.MqttError):
                async with aiomqtt.Client("127.0.0.1", self._port) as client:
                    await client.subscribe("cornered/v1/#", qos=1)
                    if is_cancelled():
                        return
                    await self.ears.hear("listening", b"true")
                    async for message in client.messages:
                        assert isinstance(message.payload, bytes)
                        await self.ears.hear(str(message.topic), message.payload)

    async def kept(self, topic: str) -> Any:
        async with asyncio.timeout(60), aiomqtt.Client("127.0.0.1", self._port) as client:
            await client.subscribe([(topic, 0), ("test/marker", 0)])
            await client.publish("test/marker", b"")
            async for message in client.messages:
                if str(message.topic) == "test/marker":
                    return None
                assert isinstance(message.payload, bytes)
                return json.loads(message.payload)


def is_cancelled() -> bool:
    """Return whether this task was cancelled: the MQTT client may swallow the cancellation before Python 3.12."""
    task = asyncio.current_task()
    assert task is not None
    return task.cancelling() > 0


@contextlib.asynccontextmanager
async def running(*coroutines: Any) -> AsyncIterator[list[asyncio.Task[None]]]:
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        if tasks:
            _, still = await asyncio.wait(tasks, timeout=60)
            assert not still, "cancelled once, they go on"
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome


@pytest.fixture(params=["local", pytest.param("mqtt", marks=pytest.mark.mqtt)])
async def outside(request: pytest.FixtureRequest) -> AsyncIterator[Outside]:
    if request.param == "local":
        local = LocalOutside()
        async with running(local.bus.run()):
            await local.ears.until(lambda: bool(local.ears.on(NODE)))
            yield local
        return
    mqtt = MqttOutside(request.getfixturevalue("mosquitto").port)
    async with running(mqtt.listen()):
        await mqtt.ears.until(lambda: bool(mqtt.ears.on("listening")))
        async with running(mqtt.bus.run()):
            await mqtt.ears.until(lambda: bool(mqtt.ears.on(NODE)))
            yield mqtt


async def test_every_event_is_told_in_order_and_who_comes_later_finds_where_the_match_stands(
    outside: Outside, sample: Sample
) -> None:
    log = [sample.started("m"), *(sample.played(seq) for seq in range(2, 500))]
    for event in log[:3]:
        outside.bus.publish_match(sample.happened("m", event))
    outside.bus.publish_match(sample.happened("m", *log[3:5]))
    for event in log[5:]:
        outside.bus.publish_match(sample.happened("m", event))
    await outside.ears.until(lambda: (outside.ears.on(state_of("m")) or [{}])[-1].get("seq") == 499)
    assert outside.ears.on(events_of("m")) == [event.model_dump(mode="json") for event in log]
    assert len(outside.ears.on(state_of("m"))) == 1, "states that were superseded are left out"
    state = await outside.kept(state_of("m"))
    assert state == {
        "match": "m",
        "seq": 499,
        "game": {"name": "trapgrid", "options": {"size": 5}},
        "players": [sample.anna.model_dump(), sample.bert.model_dump()],
        "clock": {"kind": "fischer", "initial": 300, "increment": 2},
        "position": "position-499",
        "ply": 498,
        "to_move": 0,
        "clocks": {"left": [300_000, 300_000], "running": None, "at": 499},
    }
    assert await outside.kept(NODE) == {"node": "here", "status": "online"}


async def test_the_state_is_cleared_at_the_end_and_the_rematch_still_told(outside: Outside, sample: Sample) -> None:
    outside.bus.publish_match(sample.happened("m", sample.started("m")))
    await outside.ears.until(lambda: bool(outside.ears.on(state_of("m"))))
    outside.bus.publish_match(sample.happened("m", sample.played(2), sample.ended(3)))
    await outside.ears.until_last(state_of("m"), None)
    assert await outside.kept(state_of("m")) is None
    outside.bus.publish_match(sample.happened("m", sample.played(4)))
    await outside.ears.until(lambda: len(outside.ears.on(events_of("m"))) == 4)
    assert [event["seq"] for event in outside.ears.on(events_of("m"))] == [1, 2, 3, 4]
    assert await outside.kept(state_of("m")) is None


async def test_nothing_is_told_of_private_and_unknown_matches_nor_in_other_messages(
    outside: Outside, sample: Sample
) -> None:
    outside.bus.publish_match(sample.happened("hidden", sample.started("hidden", private=True)))
    outside.bus.publish_match(sample.happened("hidden", sample.played(2)))
    outside.bus.publish_match(sample.happened("strange", sample.played(9)))
    for tell in (outside.bus.publish_match, outside.bus.publish_lobby):
        with pytest.raises(ValueError, match="not published"):
            tell(Pong(id="x", sent=1, now=2))
    outside.bus.publish_match(sample.happened("m", sample.started("m")))
    await outside.ears.until(lambda: bool(outside.ears.on(state_of("m"))))
    for name in ("hidden", "strange"):
        assert outside.ears.on(events_of(name)) == outside.ears.on(state_of(name)) == []


async def test_the_lobby_is_told_and_its_newest_whole_state_kept(outside: Outside, sample: Sample) -> None:
    here = Presence(player=sample.anna, playing=0)
    outside.bus.publish_lobby(LobbyState(id="x", seeks=(), matches=(), players=(here,)))
    outside.bus.publish_lobby(LobbyChanged(players_gone=("anna",)))
    await outside.ears.until(lambda: len(outside.ears.on(LOBBY)) == 2)
    assert [message["type"] for message in outside.ears.on(LOBBY)] == ["lobby", "lobby_changed"]
    assert (await outside.kept(LOBBY))["players"][0]["player"]["id"] == "anna"


async def test_a_goodbye_comes_after_everything_that_was_to_be_told(sample: Sample, mosquitto: Mosquitto) -> None:
    for outside in (LocalOutside(), MqttOutside(mosquitto.port)):
        listening = outside.listen() if isinstance(outside, MqttOutside) else asyncio.sleep(0)
        async with running(listening):
            async with running(outside.bus.run()) as (task,):
                await outside.ears.until(lambda ears=outside.ears: bool(ears.on(NODE)))  # type: ignore[misc]
                outside.bus.publish_match(sample.happened("m", sample.started("m")))
                task.cancel()
                await asyncio.wait([task], timeout=60)
                assert task.done()
                await outside.bus.close()
            await outside.ears.until_last(NODE, {"node": "here", "status": "offline"})
            assert len(outside.ears.on(events_of("m"))) == 1
        assert (await outside.kept(NODE))["status"] == "offline"


@pytest.mark.mqtt
async def test_a_node_that_ends_while_it_says_that_it_is_there_takes_it_back(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, publish = asyncio.Event(), aiomqtt.Client.publish

    async def say_and_wait(self: aiomqtt.Client, topic: str, payload: bytes, **options: Any) -> None:
        await publish(self, topic, payload, **options)
        if not said.is_set():
            said.set()
            await asyncio.Event().wait()

    monkeypatch.setattr(aiomqtt.Client, "publish", say_and_wait)
    outside = MqttOutside(mosquitto.port)
    async with running(outside.listen()), running(outside.bus.run()) as (task,):
        await said.wait()
        task.cancel()
        await outside.ears.until_last(NODE, {"node": "here", "status": "offline"})


@pytest.mark.mqtt
@pytest.mark.parametrize("end", [None, aiomqtt.MqttError("lost")])
async def test_a_bus_whose_client_keeps_a_cancellation_to_itself_ends_nevertheless(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch, end: Exception | None
) -> None:
    """`wait_for` swallows a cancellation when the broker's answer arrives at that moment, and so does a task group when
    the connection ends."""
    really_publish = aiomqtt.Client.publish
    outside = MqttOutside(mosquitto.port)
    telling = asyncio.create_task(outside.bus.run())

    async def publish(*about: Any, **more: Any) -> None:
        await really_publish(*about, **more)
        if not telling.cancelling():
            telling.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0)
            if end is not None:
                raise end

    monkeypatch.setattr(aiomqtt.Client, "publish", publish)
    await asyncio.wait([telling], timeout=60)
    assert telling.cancelled()
    if end is None:
        assert await outside.kept(NODE) == {"node": "here", "status": "offline"}


async def test_a_bus_without_a_listener_keeps_nothing(sample: Sample) -> None:
    bus = LocalBus()
    async with running(bus.run()):
        match, lobby = sample.happened("m", sample.started("m")), LobbyChanged()
        kept: list[weakref.ref[Any]] = [weakref.ref(match), weakref.ref(lobby)]
        bus.publish_match(match)
        bus.publish_lobby(lobby)
        del match, lobby
        gc.collect()
        assert [reference() for reference in kept] == [None, None]
    await bus.close()


@pytest.mark.mqtt
async def test_a_broker_that_is_killed_in_mid_match_stops_no_match_and_the_feed_resumes(
    mosquitto: Mosquitto, sample: Sample
) -> None:
    outside = MqttOutside(mosquitto.port)
    ears = outside.ears
    async with running(outside.listen(), outside.bus.run()) as tasks:
        await ears.until(lambda: bool(ears.on("listening") and ears.on(NODE)))
        outside.bus.publish_match(sample.happened("m", sample.started("m")))
        outside.bus.publish_match(sample.happened("quiet", sample.started("quiet")))
        await ears.until(lambda: bool(ears.on(state_of("m")) and ears.on(state_of("quiet"))))
        mosquitto.kill()
        for seq in range(2, 50):
            outside.bus.publish_match(sample.happened("m", sample.played(seq)))
        mosquitto.start()
        await ears.until(lambda: len(ears.on("listening")) == 2)
        await ears.until(lambda: len(ears.on(NODE)) >= 2 and ears.on(state_of("m"))[-1]["seq"] == 49)
        outside.bus.publish_match(sample.happened("m", sample.played(50)))
        await ears.until(lambda: ears.on(events_of("m"))[-1]["seq"] == 50)
        numbers = [event["seq"] for event in ears.on(events_of("m"))]
        assert numbers == sorted(set(numbers))
        assert (await outside.kept(state_of("m")))["seq"] == 50
        assert (await outside.kept(state_of("quiet")))["seq"] == 1
        assert not any(task.done() for task in tasks)


@pytest.mark.mqtt
async def test_a_broker_that_lost_everything_is_given_the_lobby_again(mosquitto: Mosquitto, sample: Sample) -> None:
    outside = MqttOutside(mosquitto.port)
    here = Presence(player=sample.anna, playing=0)
    async with running(outside.listen(), outside.bus.run()):
        outside.bus.publish_lobby(LobbyState(id="lobby", seeks=(), matches=(), players=(here,)))
        await outside.ears.until(lambda: bool(outside.ears.on(LOBBY)))
        mosquitto.kill()
        mosquitto.start()
        await outside.ears.until(lambda: len(outside.ears.on(LOBBY)) >= 2)
        assert (await outside.kept(LOBBY))["players"][0]["player"]["id"] == "anna"


@pytest.mark.mqtt
async def test_what_ended_while_the_broker_was_away_is_not_kept_by_it(mosquitto: Mosquitto, sample: Sample) -> None:
    outside = MqttOutside(mosquitto.port)
    mosquitto.kill()
    async with running(outside.bus.run()):
        for name in ("over", "m"):
            outside.bus.publish_match(sample.happened(name, sample.started(name)))
        outside.bus.publish_match(sample.happened("over", sample.ended(2)))
        mosquitto.start()
        async with running(outside.listen()):
            await outside.ears.until(lambda: bool(outside.ears.on(state_of("m"))))
        assert await outside.kept(state_of("over")) is None


@pytest.mark.usefixtures("forks")
@pytest.mark.mqtt
async def test_a_server_that_vanishes_is_offline_by_its_will(mosquitto: Mosquitto) -> None:
    outside = MqttOutside(mosquitto.port)
    async with running(outside.listen()):
        await outside.ears.until(lambda: bool(outside.ears.on("listening")))
        async with other_process(publish, mosquitto.url, "here") as other:
            await outside.ears.until_last(NODE, {"node": "here", "status": "online"})
            await other.kill()
            await outside.ears.until_last(NODE, {"node": "here", "status": "offline"})
    assert [told["status"] for told in outside.ears.on(NODE)] == ["online", "offline"]


@pytest.mark.mqtt
async def test_a_state_is_kept_under_a_lease_that_runs_out(mosquitto: Mosquitto, sample: Sample) -> None:
    outside = MqttOutside(mosquitto.port)
    async with running(outside.bus.run()):
        outside.bus.publish_match(sample.happened("m", sample.started("m")))
        version = aiomqtt.ProtocolVersion.V5
        async with asyncio.timeout(60), aiomqtt.Client("127.0.0.1", mosquitto.port, protocol=version) as client:
            await client.subscribe(state_of("m"))
            message = await anext(aiter(client.messages))
    assert message.properties is not None
    assert 0 < message.properties.json()["MessageExpiryInterval"] <= STATE_EXPIRY_S  # type: ignore[no-untyped-call]
