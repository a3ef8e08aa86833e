"""Attacks between nodes: on their broker, with a client of it, and on what they share, with clients of two nodes."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from cornered.bench.attacks.sockets import RawSocket, start_match
from cornered.bench.attacks.stage import Stage, attack
from cornered.server.adapters.broker import Broker
from cornered.server.adapters.broker_client import BrokerClient

__all__: list[str] = []

OF_NODES: Final = "cornered/v1/nodes/"
FEED: Final = "cornered/v1/pub/"
LISTEN_SECONDS: Final = 1.0
"""Two heartbeats of every node: by then its topic is known."""
FORGED_BYTES: Final = (0, 31, 200, 60_000, 900_000)
"""Sizes around those of a batch's head, of an ordinary and of the largest batch."""
PAUSE_SECONDS: Final = 0.02
TOLD_LOOKS: Final = 250
RATE: Final = 2_000
"""Publications a second: the broker, which no bound of ours protects, takes a good part of a core for as many."""


@attack("broker-flood", "a client of the broker without a password reads and writes all topics", needs_nodes=True)
async def broker_flood(stage: Stage) -> str:
    """The broker's ACL keeps strangers from the topics of nodes, and from publishing at all."""
    heard: list[tuple[str, bytes]] = []
    stranger = replace(Broker.parse(stage.broker), user=None, password=None)
    topics = await _topics(stage)
    async with stranger.client("") as client:
        for pattern in ("#", f"{OF_NODES}#", f"{FEED}#"):
            await client.subscribe(pattern)
        await stage.begin()
        listening = asyncio.create_task(_listen(client, heard), name="listen")
        sent = await _publish(stage, client, _forged((*topics, f"{FEED}lobby")))
        listening.cancel()
    read = {topic for topic, _ in heard}
    private = [topic for topic in read if topic.startswith(OF_NODES)]
    if private:
        stage.fault(f"a stranger reads {', '.join(private)}")
    return f"{sent:,} publications, {len(read)} public topics read"


@attack("forged-batches", "a client with the broker's password sends batches that no node has signed", needs_nodes=True)
async def forged_batches(stage: Stage) -> str:
    """Each batch needs the cluster's signature, and the time for checking forged ones is bounded."""
    topics = await _topics(stage)
    async with Broker.parse(stage.broker).client("") as client:
        await stage.begin()
        sent = await _publish(stage, client, _forged(topics))
    return f"{sent:,} forged batches to {len(topics)} nodes"


@attack("replayed-batches", "a client with the broker's password repeats the batches of the nodes", needs_nodes=True)
async def replayed_batches(stage: Stage) -> str:
    """A batch counts once: the bystanders' moves in it are neither carried out nor told again."""
    recorded = await _batches(stage)
    async with Broker.parse(stage.broker).client("") as client:
        await stage.begin()
        sent = await _publish(stage, client, recorded)
    return f"{sent:,} batches repeated, of {len(recorded)} recorded"


async def _batches(stage: Stage) -> list[tuple[str, bytes]]:
    """Return what the nodes send to each other for a while, each batch with its topic."""
    heard: list[tuple[str, bytes]] = []
    async with Broker.parse(stage.broker).client("") as client:
        await client.subscribe(f"{OF_NODES}#")
        listening = asyncio.create_task(_listen(client, heard), name="listen")
        await asyncio.sleep(LISTEN_SECONDS)
        listening.cancel()
    return heard


async def _topics(stage: Stage) -> list[str]:
    """Return the topics of the nodes, which are in their heartbeats."""
    return sorted({topic for topic, _ in await _batches(stage)})


async def _listen(client: BrokerClient, heard: list[tuple[str, bytes]]) -> None:
    async for message in client.messages:
        assert isinstance(message.payload, bytes)
        heard.append((str(message.topic), message.payload))


def _forged(topics: Iterable[str]) -> list[tuple[str, bytes]]:
    """Return random batches of several sizes for each topic."""
    return [(topic, os.urandom(size)) for size in FORGED_BYTES for topic in topics]


async def _publish(stage: Stage, client: BrokerClient, batches: Sequence[tuple[str, bytes]]) -> int:
    """Publish batches to their topics again and again, about `RATE` a second; return the number."""
    sent = 0
    endless = itertools.cycle(batches)
    async for _ in stage.every(PAUSE_SECONDS):
        for topic, batch in itertools.islice(endless, int(RATE * PAUSE_SECONDS)):
            await client.publish(topic, batch)
            sent += 1
    return sent


@attack("two-seats", "a player opens the same seat on two nodes, and sends every move on both", is_timed=False)
async def two_seats(stage: Stage) -> str:
    """A move is played once, whichever connection sends it, and both connections are told the same."""
    one, rival = await stage.guest(0), await stage.guest(1)
    two = await stage.open(2, node=-1)
    two.token = one.token
    await two.greet("Eve")
    told: tuple[list[int], list[int]] = ([], [])
    for socket, plies in zip((one, two), told, strict=True):
        _note_plies(socket, plies)
    await stage.begin()
    match = await start_match(one, rival, game={"name": "trapgrid"})
    snapshots = [await socket.ask("join", match=match) for socket in (one, two)]
    if snapshots[0]["seat"] != snapshots[1]["seat"]:
        stage.fault("the connections of one player have different seats")
    ply = 0
    while moves := (await rival.ask("ask_moves", match=match, ply=ply)).get("moves"):
        senders = (rival,) if ply & 1 else (one, two, one, two)
        sending = (
            sender.ask("play", match=match, ply=ply, move=moves[number % len(moves)])
            for number, sender in enumerate(senders)
        )
        answers = await asyncio.gather(*sending)
        played = sum(answer["type"] == "acknowledged" for answer in answers)
        if played != 1:
            stage.fault(f"of {len(answers)} moves for one ply {played} are acknowledged")
            break
        ply += 1
    # The last news may be on its way to the other node.
    for _ in range(TOLD_LOOKS):
        if min(map(len, told)) >= ply:
            break
        await asyncio.sleep(PAUSE_SECONDS)
    snapshots = [await socket.ask("join", match=match) for socket in (one, two)]
    if snapshots[0]["moves"] != snapshots[1]["moves"] or len(snapshots[0]["moves"]) != ply:
        stage.fault("the connections of one player see different matches, or not what was played")
    if not told[0] == told[1] == list(range(ply)):
        stage.fault(f"after {ply} plies the connections of one player were told {told[0]} and {told[1]}")
    await rival.ask("resign", match=match)
    return f"{ply} plies, each of the player's sent four times over {len(stage.addresses)} nodes"


def _note_plies(socket: RawSocket, plies: list[int]) -> None:
    """Add the ply of every move that the socket is told."""

    def hear(payload: bytes) -> None:
        message = json.loads(payload)
        if message["type"] == "happened":
            plies.extend(event["ply"] for event in message["events"] if event["type"] == "played")

    socket.hear = hear
