"""One session: hello, identity, codecs, answers, limits."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosedError

from cornered import engine
from cornered.protocol.codec import JSON, MAX_FRAME, MSGPACK
from cornered.protocol.commands import AskGames, AskMyMatches, CreateSeek, Hello, Join, Ping, Play, Say, WatchLobby
from cornered.protocol.messages import Happened, LobbyState, Pong, Refused, Said, SeatPresence
from cornered.protocol.values import GameSpec, SeekSettings
from cornered.server.net.costs import replay_cost
from cornered.server.net.session import LOOKUP_COST
from cornered.server.runtime.limits import MAX_REPLAYS
from tests.server.conftest import Client, Pair, PlayOut, Running, Start, Stores
from tests.virtual_time import after
from tests.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="module")
TOO_FAST = "1008"
"""The code with which a socket is closed whose client does not keep to its limits."""


async def flood(client: Any, times: int, message: Any = Ping(id="flood")) -> None:  # noqa: B008
    """Repeat a message; raises the error of a closed socket."""
    for _ in range(times):
        await client.tell(message)
        await client.listen()


async def babble(client: Any, answers: list[Any]) -> None:
    """Send long messages that cannot be decoded, and record the answers; raises the error of a closed socket."""
    while True:
        await client.socket.send("x" * MAX_FRAME)
        answers.append(await client.listen())


async def exhaust(client: Any) -> None:
    """Send cheap commands until the player's tokens are spent."""
    while (await client.ask(Ping)).type == "pong":
        pass


TABLE = SeekSettings(game=GameSpec(name="trapgrid", options={"size": 3}))
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: cornered.v1.json\r\n\r\n"
)


def framed(message: Any) -> bytes:
    """Return a short message as a client's frame, masked with zeros."""
    raw = JSON.encode(message)
    assert len(raw) < 126
    return bytes((0x81, 0x80 | len(raw))) + bytes(4) + raw


async def test_hello_comes_first_and_once(shared: Running) -> None:
    for codec in (JSON, MSGPACK):
        async with shared.socket(codec) as client:
            assert await client.refused(Ping) == "hello_first"
            await client.hello("Ann")
            assert isinstance(await client.ask(Ping, sent=5), Pong)
            await client.tell(Hello(name="Ben"))
            assert (await client.hear(Refused)).code == "hello_again"


async def test_a_token_is_its_player_for_ever_and_a_wrong_one_is_refused(shared: Running) -> None:
    async with shared.client("Tom") as first:
        assert first.welcome.token is not None
        async with shared.client("Thomas", token=first.welcome.token) as second:
            assert (second.player.id, second.player.name) == (first.player.id, "Thomas")
            assert second.welcome.token is None
    async with shared.socket() as stranger:
        await stranger.tell(Hello(token="x" * 40))
        assert (await stranger.hear(Refused)).code == "bad_token"


async def test_every_question_has_an_answer(shared: Running) -> None:
    async with shared.client() as client:
        pong = await client.ask(Ping, sent=77)
        assert (pong.sent, pong.now > 10**12) == (77, True)
        games = await client.ask(AskGames)
        assert {game.name for game in games.games} == {kind.name for kind in engine.games()}
        assert isinstance(await client.ask(WatchLobby), LobbyState)
        mine = await client.ask(AskMyMatches)
        assert (mine.live, mine.finished) == ((), ())
        assert await client.refused(Join, match="nowhere") == "unknown_match"


async def test_a_socket_that_never_says_hello_is_closed(start: Start) -> None:
    async with start(hello_seconds=0.05) as running, running.socket() as client:
        with pytest.raises(ConnectionClosedError, match=TOO_FAST):
            await client.listen()


async def test_hello_that_waits_in_the_server_has_been_said(start: Start) -> None:
    # A token store of one hello: the second one waits for half a second.
    settings = {"hello_seconds": 0.1, "server_rate": 20, "server_burst": 10, "guest_rate": 1e6, "guest_burst": 1e6}
    async with start(**settings) as running, running.socket() as first, running.socket() as second:
        welcomes = await asyncio.gather(first.hello("Ann"), second.hello("Ben"))
        assert [welcome.player.name for welcome in welcomes] == ["Ann", "Ben"]


async def test_a_client_in_haste_is_refused_and_one_that_floods_is_closed(start: Start) -> None:
    async with start(message_rate=0.001, message_burst=3) as running, running.client() as client:
        for _ in range(3):
            assert isinstance(await client.ask(Ping), Pong)
        assert await client.refused(Ping) == "too_fast"
        with pytest.raises(ConnectionClosedError, match=TOO_FAST):
            await flood(client, 20)


async def test_a_malformed_message_costs_by_its_size(start: Start) -> None:
    async with start(message_rate=0.001, message_burst=100) as running, running.client() as client:
        answers: list[Any] = []
        with pytest.raises(ConnectionClosedError, match=TOO_FAST):
            await babble(client, answers)
        assert {answer.code for answer in answers} == {"malformed"}
        assert len(answers) <= 5


@contextlib.asynccontextmanager
async def paired(running: Running, pair: Pair) -> AsyncIterator[tuple[Client, Client, str]]:
    """Two players and their match."""
    async with running.client("Ann") as ann, running.client("Ben") as ben:
        yield ann, ben, await pair(ann, ben)


async def test_legal_moves_are_never_throttled_and_illegal_ones_in_haste_count(
    start: Start, pair: Pair, play_out: PlayOut
) -> None:
    async with start(message_rate=0.001, message_burst=20) as running:
        async with paired(running, pair) as (ann, ben, match):
            await exhaust(ann)
            await exhaust(ben)
            seen = await play_out(match, (ann, ben))
            assert seen[-1].events[-1].type == "ended"
        async with paired(running, pair) as (ann, ben, match):
            with pytest.raises(ConnectionClosedError):
                await flood(ann, 60, Play(id="x", match=match, ply=0, move="z9"))
            assert (await ben.hear(SeatPresence, lambda said: not said.connected)).seat == 0


async def test_a_command_that_was_carried_out_is_acknowledged_again_even_to_who_is_in_haste(
    start: Start, pair: Pair
) -> None:
    async with (
        start(message_rate=0.001, message_burst=20) as running,
        paired(running, pair) as (ann, _, match),
    ):
        first = await ann.do(Play, id="first", match=match, ply=0, move="a2")
        made = await ann.do(CreateSeek, id="once", settings=TABLE)
        async with running.client("Ann", token=ann.welcome.token) as again:
            await exhaust(again)
            # The limit is the player's: another socket adds none.
            assert await ann.refused(Ping) == "too_fast"
            assert await again.do(Play, id="first", match=match, ply=0, move="a2") == first
            assert await again.refused(Play, id="other", match=match, ply=0, move="a2") == "too_fast"
            assert await again.do(CreateSeek, id="once", settings=TABLE) == made
            assert await again.refused(CreateSeek, id="twice", settings=TABLE) == "too_fast"
            with pytest.raises(ConnectionClosedError):
                await flood(again, 60, Play(id="first", match=match, ply=0, move="a2"))


@pytest.mark.virtual_time
@pytest.mark.asyncio(loop_scope="function")
@pytest.mark.parametrize("rate", [3.0, 70.0])
async def test_after_retry_after_the_same_command_is_answered(start: Start, rate: float) -> None:
    async with start(message_rate=rate, message_burst=5) as running, running.client("Ann") as ann:
        for _ in range(20):
            while isinstance(answer := await ann.ask(Ping), Pong):
                pass
            assert answer.code == "too_fast"
            await after(answer.retry_after / 1000)
            assert isinstance(await ann.ask(Ping), Pong)


async def test_new_guests_of_one_address_are_limited_and_those_who_come_back_are_not(start: Start) -> None:
    async with (
        start(guest_rate=0.001, guest_burst=2) as running,
        running.client("Ann") as ann,
        running.client("Ben"),
        running.socket() as third,
    ):
        await third.tell(Hello(name="Cas"))
        refused = await third.hear(Refused)
        assert refused.code == "too_fast"
        assert refused.retry_after is not None
        assert refused.retry_after > 1000
        assert (await third.hello(token=ann.welcome.token)).player == ann.player


async def test_messages_that_come_with_the_handshake_keep_their_order(shared: Running) -> None:
    for early in (0, 20):
        host, port = shared.address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(UPGRADE + framed(Hello(name="Ann")) + b"".join(framed(Ping(id=f"e{n}")) for n in range(early)))
        await reader.readuntil(f'"id":"e{early - 1}"'.encode() if early else b'"type":"welcome"')
        # Earlier commands are carried out first, on either path of a message.
        writer.write(framed(Join(id="first", match="nowhere")) + framed(Ping(id="second")))
        heard = await reader.readuntil(b'"id":"second"')
        assert b'"id":"first"' in heard
        writer.close()
        await writer.wait_closed()


async def test_chat_has_its_own_limit_and_a_repeated_line_is_said_once(shared: Running, pair: Pair) -> None:
    async with paired(shared, pair) as (ann, ben, match):
        for _ in range(2):
            await ann.do(Say, id="line", match=match, room="players", text="<b>hi</b>")
        assert await ann.refused(Say, id="line", match=match, room="players", text="bye") == "id_reused"
        said = await ben.hear(Said)
        assert (said.text, said.by, said.room) == ("<b>hi</b>", ann.player, "players")
        codes = [await ann.ask(Say, match=match, room="players", text="again") for _ in range(6)]
        assert [answer.type for answer in codes] == ["acknowledged"] * 4 + ["refused"] * 2
        assert codes[-1].code == "too_fast"
        await ben.ask(Ping)
        assert [message.text for message in ben.heard if isinstance(message, Said)] == ["again"] * 4


async def test_an_update_is_never_heard_before_the_acknowledgement(shared: Running, pair: Pair) -> None:
    async with paired(shared, pair) as (ann, ben, match):
        await ann.tell(Play(id="first", match=match, ply=0, move="a2"))
        kinds = list[str]()
        while "happened" not in kinds:
            kinds.append((await ann.listen()).type)
        assert [kind for kind in kinds if kind in ("acknowledged", "happened")] == ["acknowledged", "happened"]
        assert isinstance(await ben.hear(Happened), Happened)


def sessions() -> int:
    return sum(task.get_name().startswith("session[") for task in asyncio.all_tasks())


@pytest.mark.virtual_time
@pytest.mark.asyncio(loop_scope="function")
async def test_connections_that_leave_before_their_turn_do_not_stay_in_the_queue(start: Start) -> None:
    async with start(address_rate=10, address_burst=10) as running:
        for _ in range(30):
            async with running.socket(JSON) as gone:
                await gone.tell(Hello(name="Eve", token="x" * 20))
        async with asyncio.timeout(60):
            await until(lambda: sessions() == 0)
            async with running.client("Ann") as ann:
                assert isinstance(await ann.ask(Ping, sent=5), Pong)


@pytest.mark.virtual_time
@pytest.mark.asyncio(loop_scope="function")
@pytest.mark.parametrize(
    ("question", "count"),
    [(Join(id="q", match="nowhere"), 12), (AskMyMatches(id="q", after="nowhere"), 7)],
    ids=["join", "matches"],
)
async def test_what_was_read_from_the_store_is_owed_by_few_sessions_of_an_address_at_a_time(
    start: Start, question: Join | AskMyMatches, count: int
) -> None:
    async with start(address_rate=0.001, address_burst=200) as running:
        async with contextlib.AsyncExitStack() as stack:
            readers = [await stack.enter_async_context(running.client(f"Eve {number}")) for number in range(count)]
            for reader in readers:
                await reader.tell(question)
            await readers[0].answer("q")
            await after(0.1)
            assert sessions() > MAX_REPLAYS
        await until(lambda: sessions() <= MAX_REPLAYS)
        assert sessions() == MAX_REPLAYS


@pytest.mark.virtual_time
@pytest.mark.asyncio(loop_scope="function")
async def test_later_pages_of_matches_are_paid_for_as_replays_once(
    running_server: Start, stores: Stores, pair: Pair, play_out: PlayOut
) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben)
        await play_out(match, (ann, ben))
        token = ann.welcome.token
        events = await stores.journal.read(match)
        for number in range(40):
            name = f"old{number}"
            await stores.journal.append(name, 0, [events[0].model_copy(update={"match": name}), *events[1:]])
    first, later, replays = 15, 15 + LOOKUP_COST, 20 * replay_cost(len(events))
    burst = first + 2 * later + replays + 50
    async with (
        running_server(message_rate=0.001, message_burst=burst) as running,
        running.client("Ann", token=token) as ann,
    ):
        page = await ann.ask(AskMyMatches)
        again = [await ann.ask(AskMyMatches, after=page.more) for _ in range(2)]
        assert again[0].finished == again[1].finished
        assert len(again[0].finished) == 20
        pings = 0
        while (await ann.ask(Ping)).type == "pong":
            pings += 1
        assert 48 <= pings <= 50


@pytest.mark.virtual_time
@pytest.mark.asyncio(loop_scope="function")
async def test_a_server_that_stops_waits_for_no_payment(
    running_server: Start, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_reading = asyncio.Event()

    async def never_read(match: str, since: int = 0) -> Any:
        is_reading.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(stores.journal, "read", never_read)
    monkeypatch.setattr("cornered.server.net.session.LOOKUP_COST", 1e6)
    async with asyncio.timeout(60), running_server() as running, running.client("Eve") as eve:
        await eve.tell(Join(id="j", match="nowhere"))
        await is_reading.wait()
    assert asyncio.get_running_loop().time() < 60


@pytest.mark.virtual_time
@pytest.mark.asyncio(loop_scope="function")
async def test_a_player_who_comes_back_after_a_restart_pays_for_no_reading_of_own_matches(
    running_server: Start, stores: Stores, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        matches = [await pair(ann, ben) for _ in range(8)]
        token = ann.welcome.token
    read = stores.journal.read

    async def read_slowly(match: str, since: int = 0) -> Any:
        await after(0.05)
        return await read(match, since)

    monkeypatch.setattr(stores.journal, "read", read_slowly)
    async with (
        running_server(message_rate=0.001, message_burst=40) as running,
        running.client("Ann", token=token) as ann,
    ):
        for match in matches:
            assert (await ann.join(match)).seat == 0
        await exhaust(ann)
