"""The bus between nodes and its broker: outages, access rights, retained messages, certificates."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiomqtt
import pytest
import structlog

from cornered.server.adapters.broker import Broker
from cornered.server.adapters.node_exchange import HEARTBEAT_S
from cornered.server.adapters.nodes_mqtt import FIRST_RETRY_S, LONGEST_RETRY_S, MqttNodeBus, node_topic
from cornered.server.cluster.envelope import encode_message, route_bytes, seal_batch
from cornered.server.cluster.links import SILENCE_S
from cornered.server.cluster.messages import NodeMessage, NotOwned
from cornered.server.cluster.ports import Node
from cornered.server.metrics import Counts
from tests.conftest import Mosquitto
from tests.secured_mosquitto import SecuredMosquitto
from tests.secured_mosquitto import encrypted as encrypted
from tests.server.adapters.node_network import KEY, Cluster, Member, MqttCarrier, RecordingReceiver, linked
from tests.waiting import until

pytestmark = pytest.mark.mqtt
ROOT = Path(__file__).resolve().parent.parent.parent.parent


class Uncarried:
    """Connects nodes to a broker at which nothing is recorded. They try again without a pause; `pauses` has the seconds
    that they would have waited."""

    def __init__(self, *urls: str) -> None:
        self.carried: list[tuple[str, bytes]] = []
        self.pauses: list[float] = []
        self._urls = list(urls)

    def bus(self, here: Node, nodes: dict[str, Node], counts: Counts, key: bytes) -> MqttNodeBus:
        url = self._urls.pop(0) if len(self._urls) > 1 else self._urls[0]
        return MqttNodeBus(Broker.parse(url), here, key, lambda: nodes, counts, pause=self._pause)

    def long_pauses(self) -> int:
        return sum(seconds >= LONGEST_RETRY_S / 2 for seconds in self.pauses)

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0)

    async def inject(self, receiver: str, raw: bytes) -> None:
        raise NotImplementedError


@pytest.fixture
def uncarried(mosquitto: Mosquitto) -> Uncarried:
    return Uncarried(mosquitto.url)


@pytest.fixture
async def cluster(uncarried: Uncarried) -> AsyncIterator[Cluster]:
    cluster = Cluster(uncarried)  # type: ignore[arg-type]
    yield cluster
    await cluster.stop()


def about(number: int) -> NodeMessage:
    return NotOwned(match=f"match-{number}")


async def exchange(one: Member, two: Member, number: int) -> None:
    """Return when a message has come in both directions."""
    one.bus.send("two", about(number))
    two.bus.send("one", about(number))
    await two.receiver.until(lambda: about(number) in two.receiver.messages("one"))
    await one.receiver.until(lambda: about(number) in one.receiver.messages("two"))


async def test_links_return_as_soon_as_a_killed_broker_is_back(uncarried: Uncarried, mosquitto: Mosquitto) -> None:
    cluster = Cluster(uncarried)  # type: ignore[arg-type]
    with structlog.testing.capture_logs() as lines:
        one, two = await cluster.pair()
        await exchange(one, two, 1)
        for number in (2, 3):
            mosquitto.kill()
            await asyncio.gather(
                one.receiver.until(lambda: one.receiver.links("two")[-1] == "lost"),
                two.receiver.until(lambda: two.receiver.links("one")[-1] == "lost"),
            )
            one.bus.send("two", about(100))
            assert not one.bus.is_linked("two")
            # Both nodes try less and less often, up to a bound.
            long = uncarried.long_pauses()
            await until(lambda long=long: uncarried.long_pauses() >= long + 4)  # type: ignore[misc]
            mosquitto.start()
            await linked(one, two)
            await exchange(one, two, number)
    reasons = [line["reason"] for line in lines if line["event"] == "link to a node lost"]
    assert reasons == ["the connection is lost"] * 4, "a lost connection is not taken for a silence"
    assert uncarried.pauses[0] <= FIRST_RETRY_S
    assert max(uncarried.pauses) <= LONGEST_RETRY_S
    assert one.receiver.links("two").count("lost") == two.receiver.links("one").count("lost") == 2
    assert two.receiver.messages("one")[0] == about(1)
    await cluster.stop()


async def test_a_broker_that_hangs_is_noticed_and_left(uncarried: Uncarried, mosquitto: Mosquitto) -> None:
    cluster = Cluster(uncarried)  # type: ignore[arg-type]
    with structlog.testing.capture_logs() as lines:
        one, two = await cluster.pair()
        await until(lambda: [line["event"] for line in lines].count("connected to the broker of the nodes") == 2)
        await until(lambda sent=one.counts.node_batches_sent: one.counts.node_batches_sent > sent)  # type: ignore[misc]
        before = one.counts.node_batches_sent
        os.kill(mosquitto.pid or 0, signal.SIGSTOP)
        await one.receiver.until(lambda: one.receiver.links("two")[-1] == "lost")
        # A heartbeat is a batch to each node, the sender included.
        beats = (one.counts.node_batches_sent - before) / 2
        silence = SILENCE_S / HEARTBEAT_S
        assert silence - 2 <= beats <= silence + 2, "a link is lost after a silence of so many heartbeats"
        await until(lambda: any(line["event"] == "no connection to other nodes" for line in lines))
        os.kill(mosquitto.pid or 0, signal.SIGCONT)
        await linked(one, two)
        await exchange(one, two, 1)
    assert {line["error"] for line in lines if "error" in line} <= {"the broker is silent", "Operation timed out"}
    assert max(uncarried.pauses) <= LONGEST_RETRY_S
    await cluster.stop()


async def test_a_broker_that_comes_later_is_found(mosquitto: Mosquitto) -> None:
    mosquitto.kill()
    cluster = Cluster(Uncarried(mosquitto.url))  # type: ignore[arg-type]
    with structlog.testing.capture_logs() as lines:
        one, two = cluster.start("one"), cluster.start("two")
        await until(lambda: len(lines) >= 2)
        mosquitto.start()
        await linked(one, two)
        await exchange(one, two, 1)
    assert [line["log_level"] for line in lines if "error" in line] == ["error", "error"], "one line a node"
    await cluster.stop()


async def test_retained_messages_of_a_strangers_are_not_read(mosquitto: Mosquitto) -> None:
    async with MqttCarrier.connected(mosquitto.url) as carrier, aiomqtt.Client("127.0.0.1", mosquitto.port) as stranger:
        await stranger.publish(node_topic("two"), b"retained", retain=True, qos=1)
        cluster = Cluster(carrier)
        one, two = await cluster.pair()
        await exchange(one, two, 1)
        assert two.counts.node_batches_refused == {}
        await cluster.stop()


async def test_a_large_backlog_is_delivered_in_slices(cluster: Cluster) -> None:
    class Slow(RecordingReceiver):
        """Takes half a millisecond for a message; `turns` has the turn of the loop of each."""

        def __init__(self) -> None:
            super().__init__()
            self.turn = 0
            self.turns: list[int] = []

        def received(self, node: str, message: NodeMessage) -> None:
            end = time.perf_counter() + 0.0005
            while time.perf_counter() < end:
                pass
            self.turns.append(self.turn)
            super().received(node, message)

    slow = Slow()
    one, two = cluster.start("one"), cluster.start("two", receiver=slow)
    await linked(one, two)
    for number in range(200):
        one.bus.send("two", about(number))
    while len(slow.turns) < 200:
        slow.turn += 1
        await asyncio.sleep(0)
    assert max(slow.turns.count(turn) for turn in set(slow.turns)) <= 5


def with_passwords(program: Path, folder: Path) -> Path:
    """Return a password file with the users `server` and `guest`."""
    tool = program.parent.parent / "bin" / "mosquitto_passwd"
    passwords = folder / "passwords"
    passwords.touch(mode=0o600)
    for user in ("server", "guest"):
        command = [str(tool) if tool.exists() else "mosquitto_passwd", "-b", str(passwords), user, "secret"]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
    passwords.chmod(0o644)
    return passwords


@pytest.fixture
def deployed(mosquitto_program: Path, tmp_path: Path) -> Iterator[SecuredMosquitto]:
    """A broker with the configuration and the access rights of `deploy/`."""
    tmp_path.chmod(0o755)
    acl = tmp_path / "acl"
    acl.write_text((ROOT / "deploy" / "mosquitto.acl").read_text())
    text = (ROOT / "deploy" / "mosquitto.conf").read_text()
    text = re.sub(r"^listener .*$", "listener PORT 127.0.0.1", text, flags=re.MULTILINE)
    text = re.sub(r"^acl_file .*$", f"acl_file {acl}", text, flags=re.MULTILINE)
    passwords = with_passwords(mosquitto_program, tmp_path)
    text = re.sub(r"^password_file .*$", f"password_file {passwords}", text, flags=re.MULTILINE)
    broker = SecuredMosquitto(mosquitto_program, tmp_path, [text, "user root"])
    broker.start()
    yield broker
    broker.kill()


async def test_only_the_servers_read_and_write_the_topics_of_nodes(deployed: SecuredMosquitto) -> None:
    url = f"mqtt://server:secret@127.0.0.1:{deployed.port}"
    cluster = Cluster(Uncarried(url))  # type: ignore[arg-type]
    heard: set[str] = set()

    async def listen(client: aiomqtt.Client) -> None:
        async for message in client.messages:
            heard.add(str(message.topic))

    async with (
        aiomqtt.Client("127.0.0.1", deployed.port) as anybody,
        aiomqtt.Client("127.0.0.1", deployed.port, username="guest", password="secret") as guest,
    ):
        listening = []
        for client in (anybody, guest):
            for topic in ("#", "cornered/v1/nodes/#", node_topic("two")):
                await client.subscribe(topic)
            listening.append(asyncio.create_task(listen(client)))
        one, two = await cluster.pair()
        forged = seal_batch(KEY, route_bytes(one.node, two.node), 1_000_000, 0, [encode_message(about(7))])
        for client in (anybody, guest):
            await client.publish(node_topic("two"), forged, qos=1)
        await exchange(one, two, 1)
        assert two.receiver.messages("one") == [about(1)]
        assert not any("/nodes/" in topic for topic in heard)
        for task in listening:
            task.cancel()
        await asyncio.wait(listening)
    await cluster.stop()


async def test_a_node_whose_user_is_denied_says_so_once(deployed: SecuredMosquitto) -> None:
    uncarried = Uncarried(f"mqtt://guest:secret@127.0.0.1:{deployed.port}")
    cluster = Cluster(uncarried)  # type: ignore[arg-type]
    with structlog.testing.capture_logs() as lines:
        one = cluster.start("one")
        await until(lambda: len(uncarried.pauses) >= 2)
        await one.stop()
    (line,) = lines
    assert "ACL" in line["error"]
    assert "cornered/v1/nodes/#" in line["error"]
    await cluster.stop()


# The client library leaves the socket of a failed handshake to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_nodes_connect_to_a_broker_of_their_authority_and_to_no_other(encrypted: SecuredMosquitto) -> None:
    address = f"mqtts://127.0.0.1:{encrypted.port}"
    cluster = Cluster(Uncarried(f"{address}?ca={encrypted.folder}/ca.pem"))  # type: ignore[arg-type]
    one, two = await cluster.pair()
    await exchange(one, two, 1)
    await cluster.stop()
    for url in (f"{address}?ca={encrypted.folder}/other.pem", address):
        cluster = Cluster(Uncarried(url))  # type: ignore[arg-type]
        with structlog.testing.capture_logs() as lines:
            one = cluster.start("one")
            await until(lambda lines=lines: lines)  # type: ignore[misc]
            await one.stop()
        assert {line["event"] for line in lines} == {"no connection to other nodes"}
        assert "certificate verify failed" in lines[0]["error"]
