"""Invalid input of every kind: a typed refusal or a clean close, nothing in the log, and another match is
unaffected."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import random
from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgpack
import pytest
from websockets.exceptions import ConnectionClosed, ConnectionClosedError

from cornered.protocol.codec import JSON, MAX_FRAME, MSGPACK
from cornered.protocol.commands import AskGames, Hello, Ping, Play
from cornered.protocol.messages import Refused, SeatPresence
from tests.server.conftest import Pair, PlayOut, Start

BOTH = (JSON, MSGPACK)
GENEROUS = {"message_burst": 1e9, "message_rate": 1e9, "address_burst": 1e9, "address_rate": 1e9, "hello_seconds": 2}
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: cornered.v1.json\r\n\r\n"
)


@pytest.fixture(autouse=True)
def _silent(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No client can cause a log line at `warning`."""
    caplog.set_level(logging.WARNING)
    yield
    # A busy machine stalls the event loop; the attacks on a real server measure that.
    assert [line for line in capfd.readouterr().err.splitlines() if "stood still" not in line] == []
    assert caplog.records == []


@pytest.fixture
async def bystanders(start: Any, pair: Pair, play_out: PlayOut) -> AsyncIterator[Any]:
    """A server on which two others play, who finish their game in any case."""
    async with start(**GENEROUS) as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben)
        running.match = match
        yield running
        assert (await play_out(match, (ann, ben)))[-1].events[-1].type == "ended"


def messages(match: str) -> list[dict[str, Any]]:
    """Return a valid message of many kinds, for mutation."""
    return [
        {"type": "play", "id": "a", "match": match, "ply": 0, "move": "a2"},
        {"type": "say", "id": "b", "match": match, "room": "players", "text": "hi"},
        {"type": "join", "id": "c", "match": match, "since": 0},
        {"type": "ask_moves", "id": "d", "match": match, "ply": 0},
        {"type": "create_seek", "id": "e", "settings": {"game": {"name": "trapgrid", "options": {"size": 3}}}},
        {"type": "challenge", "id": "f", "to": "x", "game": {"name": "trapgrid"}, "clock": {"kind": "none"}},
        {"type": "declare", "id": "g", "accepts": [{"game": "trapgrid"}], "concurrency": 1},
        {"type": "ping", "id": "h", "sent": 1},
        {"type": "hello", "name": "Eve"},
        {"type": "resign", "id": "i", "match": match},
        {"type": "ask_analysis", "id": "j", "match": match, "ply": 0, "lines": 3},
        {"type": "ask_variation", "id": "k", "match": match, "ply": 0, "moves": ["a2", "c2"]},
        {"type": "offer_analysis", "id": "l", "games": ["trapgrid"], "jobs": 1, "name": "Eve", "key": "k" * 30},
        {"type": "analysed", "id": "m", "job": "x", "tree": [{"parent": -1, "move": "a2", "score": 0.5}]},
    ]


def spoil(chance: random.Random, message: dict[str, Any]) -> Any:
    """Return the message with one defect, or an unrelated value."""
    odd: Any = chance.choice(
        [None, True, -1, 2**63, 1e308, float("nan"), "", "x" * 500, "\u0000", "💥", [], [[]], {}, {"a": {"b": []}}]
    )
    spoiled = dict(message)
    field = chance.choice(list(spoiled))
    match chance.randrange(5):
        case 0:
            spoiled[field] = odd
        case 1:
            del spoiled[field]
        case 2:
            spoiled[f"{field}_"] = odd
        case 3:
            return odd
        case _:
            return [spoiled]
    return spoiled


async def test_spoiled_messages_are_each_answered_once(bystanders: Any) -> None:
    chance = random.Random(7)
    for codec in BOTH:
        async with bystanders.client("Eve", codec) as eve:
            for _ in range(300):
                spoiled = spoil(chance, chance.choice(messages(bystanders.match)))
                raw = json.dumps(spoiled) if codec.is_text else packed(spoiled)
                await eve.socket.send(raw)
                await eve.tell(Ping(id="next"))
                answers = [await eve.answer("next")]
                assert answers[0].type == "pong"
            assert {one.code for one in eve.heard if isinstance(one, Refused)} >= {"malformed", "unknown_type"}


def packed(value: Any) -> bytes:
    try:
        return bytes(msgpack.packb(value))
    except OverflowError:
        return bytes(msgpack.packb(str(value)))


async def test_bytes_changed_at_random_affect_no_other_match(bystanders: Any) -> None:
    chance = random.Random(11)
    for codec in BOTH:
        async with bystanders.client("Eve", codec) as eve:
            for _ in range(400):
                message = chance.choice(messages(bystanders.match))
                raw = bytearray(json.dumps(message).encode() if codec.is_text else msgpack.packb(message))
                for _ in range(chance.randint(1, 4)):
                    raw[chance.randrange(len(raw))] = (
                        chance.randrange(32, 127) if codec.is_text else chance.randrange(256)
                    )
                del raw[chance.randint(1, len(raw)) :]
                await eve.socket.send(bytes(raw), text=codec.is_text)
                assert (await eve.ask(Ping)).type == "pong"


async def test_what_is_too_large_is_refused_and_what_is_huge_ends_the_socket(bystanders: Any) -> None:
    for codec in BOTH:
        async with bystanders.client("Eve", codec) as eve:
            await eve.socket.send(b" " * (MAX_FRAME + 1), text=codec.is_text)
            assert (await eve.hear(Refused)).code == "too_large"
            with contextlib.suppress(ConnectionClosed):
                await eve.socket.send(b" " * (64 * MAX_FRAME), text=codec.is_text)
            with pytest.raises(ConnectionClosedError) as closed:
                await eve.listen()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1009


async def test_the_wrong_kind_of_frame_and_what_nests_too_deep_are_refused(bystanders: Any) -> None:
    for codec in BOTH:
        async with bystanders.client("Eve", codec) as eve:
            await eve.socket.send(JSON.encode(Ping(id="p")), text=not codec.is_text)
            assert (await eve.hear(Refused)).code == "malformed"
            for depth in (9, 2000):
                raw = b"[" * depth + b"]" * depth if codec.is_text else b"\x91" * depth + b"\xc0"
                await eve.socket.send(raw, text=codec.is_text)
                assert (await eve.hear(Refused)).code == "too_deep"
                assert (await eve.ask(Ping)).type == "pong"


async def test_hello_is_guessed_only_so_often(bystanders: Any) -> None:
    async with bystanders.socket() as eve:
        for _ in range(5):
            await eve.tell(Hello(token="g" * 40))
            assert (await eve.hear(Refused)).code == "bad_token"
        with pytest.raises(ConnectionClosedError) as closed:
            await eve.listen()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008


async def test_strangers_cannot_touch_a_match(bystanders: Any) -> None:
    async with bystanders.client("Eve") as eve:
        for kind in ("play", "resign", "offer_draw", "abort", "request_takeback", "claim", "rematch"):
            message: dict[str, Any] = {"type": kind, "id": f"x{kind}", "match": bystanders.match}
            await eve.socket.send(json.dumps(message | ({"ply": 0, "move": "a2"} if kind == "play" else {})))
            assert (await eve.answer(f"x{kind}")).code == "not_a_player"


JUNK: dict[str, bytes] = {
    "tls": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "headers": b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 500 + b"\r\n",
    "path": b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n",
    "body": b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
    "empty": b"\r\n\r\n",
    "half": b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n",
    "unmasked": UPGRADE + b"\x81\x05hello",
    "opcode": UPGRADE + b"\x83\x80\0\0\0\0",
    "utf8": UPGRADE + b"\x81\x82\0\0\0\0\xff\xfe",
    "continuation": UPGRADE + b"\x80\x80\0\0\0\0",
    "bits": UPGRADE + b"\xf1\x80\0\0\0\0",
    "close": UPGRADE + b"\x88\x81\0\0\0\0\x01",
}
SENSELESS: tuple[tuple[str, str, int], ...] = (
    ("GET //[", "", 400),
    ("GET http://[", "", 400),
    ("POST /", "", 405),
    ("OPTIONS *", "", 405),
    ("GET //[", "Upgrade: websocket\r\nConnection: Upgrade\r\n", 400),
    ("GET /ws", "Upgrade: websocket\r\nConnection: Upgrade\r\nOrigin: http://[\r\n", 403),
    ("GET /ws", "Upgrade: websocket\r\nConnection: Upgrade\r\nOrigin: http://a]b[\r\n", 403),
    ("GET /health", "Upgrade: a\r\nUpgrade: b\r\n", 200),
    ("GET /", "Host: b\r\n", 400),
    ("GET /", "If-None-Match: a\r\nIf-None-Match: b\r\n", 200),
)


async def test_junk_on_the_port_is_a_clean_close(bystanders: Any, subtests: pytest.Subtests) -> None:
    for name, junk in JUNK.items():
        with subtests.test(name):
            answer = b""
            with contextlib.suppress(ConnectionResetError):
                answer = await bystanders.send_raw(junk)
            assert not answer or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 101 "))


async def test_a_request_that_makes_no_sense_is_answered_in_words(bystanders: Any, subtests: pytest.Subtests) -> None:
    for line, fields, status in SENSELESS:
        with subtests.test(line, fields=fields):
            answer = await bystanders.send_raw(f"{line} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode())
            assert int(answer.split()[1]) == status


async def test_a_message_in_many_fragments_is_one_message_or_a_clean_close(bystanders: Any) -> None:
    async with bystanders.client("Eve") as eve:
        text = JSON.encode(Ping(id="bits")).decode()
        await eve.socket.send(list(text))
        assert (await eve.answer("bits")).type == "pong"
        with contextlib.suppress(ConnectionClosed):
            await eve.socket.send(["x"] * 50_000)
        with pytest.raises(ConnectionClosedError):
            await eve.answer("never")


async def test_a_flood_ends_the_socket_and_the_match_next_door_goes_on(
    start: Start, pair: Pair, play_out: PlayOut
) -> None:
    async with start() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben)
        async with running.client("Eve") as eve:

            async def listen() -> int:
                count = 0
                with contextlib.suppress(ConnectionClosed):
                    async for _ in eve.socket:
                        count += 1
                return count

            async with asyncio.TaskGroup() as tasks:
                heard = tasks.create_task(listen())
                with contextlib.suppress(ConnectionClosed):
                    for number in range(10_000):
                        await eve.tell(Play(id=f"x{number}", match=match, ply=0, move="a2"))
            assert heard.result() < 1000
            assert eve.socket.close_code == 1008
        assert (await play_out(match, (ann, ben)))[-1].events[-1].type == "ended"


async def test_one_players_flood_leaves_the_opponents_moves_alone(start: Start, pair: Pair) -> None:
    async with start(**GENEROUS) as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben)
        for number in range(500):
            await ben.tell(Play(id=f"x{number}", match=match, ply=7, move="c2"))
        assert (await ann.do(Play, match=match, ply=0, move="a2")).seq == 2
        codes = [(await ben.answer(f"x{number}")).code for number in range(500)]
        assert set(codes) <= {"stale_ply", "not_your_turn", "too_fast"}


async def test_who_does_not_read_is_not_read_either_and_then_cut_off(start: Start) -> None:
    async with start(**GENEROUS | {"ping_seconds": 1}) as running, running.client("Eve") as eve:
        with pytest.raises(ConnectionClosed):
            await ask_without_reading(eve)
        metrics = (await running.fetch("/metrics")).body
    assert "cornered_players_dropped_total 1.0" in metrics


async def ask_without_reading(client: Any) -> None:
    while True:
        await client.tell(AskGames(id="g"))
        await asyncio.sleep(0)


async def test_a_half_open_socket_is_found_and_that_of_a_live_match_long_before_an_idle_one(
    start: Start, pair: Pair
) -> None:
    for times in ({"ping_seconds": 600, "playing_ping_seconds": 0.2}, {"ping_seconds": 0.2}):
        async with start(**times) as running, running.client("Ann") as ann, running.socket() as ben:
            await ben.hello("Ben")
            match = await pair(ann, ben)
            # From here on the server's output is dropped, and neither side closes.
            ben.socket.transport.pause_reading()
            gone = await ann.hear(SeatPresence, lambda said: not said.connected)
            assert (gone.match, gone.seat) == (match, 1)
            ben.socket.transport.abort()
