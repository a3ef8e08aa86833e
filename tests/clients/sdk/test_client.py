"""The client against a scripted server: which commands it repeats, which it sends once, and what it raises."""

from __future__ import annotations

import asyncio
import socket

import msgpack
import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from cornered.clients.sdk import Client, Closed, CommandRefused, Unavailable, Unreachable
from cornered.protocol import messages
from cornered.protocol.commands import (
    AskLobby,
    AskMoves,
    Challenge,
    Command,
    CreateSeek,
    Declare,
    Hello,
    Join,
    Leave,
    Ping,
    Play,
    Say,
    WatchLobby,
)
from cornered.protocol.events import Played
from cornered.protocol.messages import (
    ChallengeClosed,
    LobbyChanged,
    LobbyPage,
    LobbyState,
    Moves,
    Paired,
    Pong,
    Said,
    SeatPresence,
    Watchers,
)
from cornered.protocol.values import NO_CLOCK, Accepts, GameSpec, MatchStanding, MatchSummary, Presence, SeekSettings
from tests.clients.sdk.scripted import ANN, BOB, MOVES, TOKEN, Wire, at_once, connected, played, scripted, snapshot


async def test_a_guest_comes_back_with_the_token_that_it_was_given() -> None:
    hellos: list[Hello] = []

    async def first(wire: Wire) -> None:
        hellos.append(await wire.welcome(token=TOKEN))
        wire.cut()

    async def second(wire: Wire) -> None:
        hellos.append(await wire.welcome())
        await wire.say(Pong(id=(await wire.hear(Ping)).id, sent=0, now=1_000_000))
        await wire.stay()

    async with (
        asyncio.timeout(60),
        scripted(first, second) as server,
        Client.connect(server.url, name="Ann", kind="bot", backoff=at_once) as client,
    ):
        assert client.token == TOKEN
        assert client.player == ANN
        await client.ping()
    assert [hello.token for hello in hellos] == [None, TOKEN]
    assert all(hello.kind == "bot" and hello.name == "Ann" for hello in hellos)


async def test_legal_moves_are_asked_for_again_on_every_connection() -> None:
    joins: list[Join] = []

    async def first(wire: Wire) -> None:
        await wire.welcome()
        joins.append(await wire.hear(Join))
        await wire.say(snapshot(joins[0].id).model_copy(update={"legal": ("a2", "b3")}))
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome()
        joins.append(await wire.hear(Join))
        await wire.say(
            messages.Acknowledged(id=joins[1].id), played(0), played(1).model_copy(update={"legal": ("b2",)})
        )
        await wire.stay()

    async with asyncio.timeout(60), scripted(first, second) as server, connected(server) as client:
        match = await client.join("m", legal=True)
        begun = match.legal
        while match.ply < 2:
            await match.changed(match.version)
        assert [begun, match.legal] == [("a2", "b3"), ("b2",)]
    assert [(join.since, join.legal) for join in joins] == [(None, True), (1, True)]


async def test_an_update_that_the_client_cannot_read_leaves_no_match_behind() -> None:
    joins: list[Join] = []

    async def script(wire: Wire) -> None:
        await wire.welcome()
        joins.append(await wire.hear(Join))
        await wire.say(snapshot(joins[0].id))
        happened = played(0).model_dump(mode="json")
        happened["events"].append({"type": "ended", "seq": 3, "at": 1, "reason": "a reason of a later server"})
        for _ in range(2):
            await wire.socket.send(msgpack.packb(happened))
        joins.append(await wire.hear(Join))
        await wire.say(snapshot(joins[1].id, seq=2).model_copy(update={"seq": 3}))
        event = Played(seq=4, at=1, seat=1, cause="c", ply=1, move=MOVES[1], spent=0, left=(None, None))
        await wire.say(played(1).model_copy(update={"events": (event,)}))
        await wire.stay()

    async with asyncio.timeout(60), scripted(script) as server, connected(server) as client:
        match = await client.join("m", legal=True)
        while match.ply < 2:
            await match.changed(match.version)
        assert match.snapshot.seq == 4
    assert [(join.since, join.legal) for join in joins] == [(None, True), (None, True)]


async def test_an_unknown_token_is_refused_to_the_caller() -> None:
    async def script(wire: Wire) -> None:
        await wire.hear(Hello)
        await wire.say(messages.Refused(id=None, code="bad_token", text="this token belongs to nobody here"))

    async with scripted(script) as server:
        with pytest.raises(CommandRefused, match="belongs to nobody") as refusal:
            async with connected(server):
                pass
    assert refusal.value.code == "bad_token"


async def test_a_client_that_ends_says_goodbye_with_a_normal_close() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.stay()

    async with asyncio.timeout(60), scripted(script) as server:
        async with connected(server):
            pass
        (wire,) = server.wires
        await wire.socket.wait_closed()
        assert wire.socket.close_code == 1000


async def test_a_full_server_is_tried_again() -> None:
    async def full(wire: Wire) -> None:
        await wire.hear(Hello)
        await wire.say(messages.Refused(id=None, code="server_full", text="come back later"))

    async def free(wire: Wire) -> None:
        await wire.welcome()
        await wire.stay()

    async with scripted(full, full, free) as server, connected(server) as client:
        assert client.player == ANN


async def test_garbage_in_place_of_a_welcome_is_no_end() -> None:
    async def garbled(wire: Wire) -> None:
        await wire.hear(Hello)
        await wire.socket.send(b"\xc1")
        await wire.stay()

    async def whole(wire: Wire) -> None:
        await wire.welcome()
        await wire.stay()

    async with asyncio.timeout(60), scripted(garbled, whole) as server, connected(server) as client:
        assert client.player == ANN


async def test_a_spoilt_frame_costs_a_connection_and_no_answer() -> None:
    """What came with it may have been an answer, or the last update of a match: nothing else would bring it again."""

    async def spoilt(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(snapshot((await wire.hear(Join)).id))
        await wire.hear(Ping)
        await wire.socket.send(b"\xc1")
        await wire.stay()

    async def whole(wire: Wire) -> None:
        await wire.welcome()
        rejoined = await wire.hear(Join)
        await wire.say(messages.Acknowledged(id=rejoined.id), played(0))
        await wire.say(Pong(id=(await wire.hear(Ping)).id, sent=0, now=1_000_000))
        await wire.stay()

    async with asyncio.timeout(60), scripted(spoilt, whole) as server, connected(server) as client:
        match = await client.join("m")
        await client.ping()
        while match.ply < 1:
            await match.changed(match.version)


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits of the link between its attempts, in seconds; they return at once."""
    waits: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        task = asyncio.current_task()
        if task is not None and task.get_name().startswith("link["):
            waits.append(seconds)
            seconds = 0.0
        await real(seconds)

    monkeypatch.setattr("cornered.clients.sdk.link.asyncio.sleep", sleep)
    return waits


@pytest.mark.parametrize(
    ("status", "after", "waited"),
    [
        (429, "7", 7.0),
        (503, "86400", 60.0),
        (503, "Wed, 21 Oct 2026 07:28:09 GMT", 9.0),
        (503, "Wed, 21 Oct 2026 07:27:00 GMT", 0.0),
        (503, "Wed, 99 Oct 2026", 0.0),
        (429, "-5", 0.0),
        (421, "", 0.0),
        (403, "", 0.0),
    ],
)
async def test_a_refused_handshake_is_tried_again_when_the_server_says(
    status: int, after: str, waited: float, slept: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    async def nobody(socket: ServerConnection) -> None:
        raise AssertionError("the handshake was refused")

    def refuse(socket: ServerConnection, request: Request) -> Response:
        response = socket.respond(status, "200 connections come from your address\x1b]0;mine\x07\nmore")
        del response.headers["Date"]
        response.headers["Date"] = "Wed, 21 Oct 2026 07:28:00 GMT"
        response.headers["Retry-After"] = after
        return response

    async with serve(nobody, "127.0.0.1", 0, process_request=refuse) as refusing:
        url = f"http://127.0.0.1:{next(iter(refusing.sockets)).getsockname()[1]}"
        with pytest.raises(
            Unavailable, match=f"^{url} takes no connections now: 200 connections come from your address"
        ):
            async with Client.connect(url, patience=0.5, backoff=at_once):
                pass
    assert set(slept) == {waited}
    (record,) = caplog.records
    assert "200 connections come from your address" in record.getMessage()
    assert "more" not in record.getMessage()
    assert record.getMessage().isprintable()


async def test_the_page_of_another_server_is_no_reason(slept: list[float]) -> None:
    def answer(socket: ServerConnection, request: Request) -> Response:
        response = socket.respond(404, "<!DOCTYPE html>")
        del response.headers["Content-Type"]
        response.headers["Content-Type"] = "text/html"
        return response

    async def nobody(socket: ServerConnection) -> None:
        raise AssertionError("the handshake was refused")

    async with serve(nobody, "127.0.0.1", 0, process_request=answer) as other:
        url = f"ws://127.0.0.1:{next(iter(other.sockets)).getsockname()[1]}"
        with pytest.raises(Unavailable, match="404 Not Found"):
            async with Client.connect(url, patience=0.2, backoff=at_once):
                pass


async def test_a_refused_hello_is_said_again_when_the_server_says(slept: list[float]) -> None:
    refused = messages.Refused(id=None, code="server_full", text="come back later", retry_after=2_500)

    async def full(wire: Wire) -> None:
        await wire.hear(Hello)
        await wire.say(refused)

    async def free(wire: Wire) -> None:
        await wire.welcome()
        await wire.stay()

    async with scripted(full, free) as server, connected(server):
        assert slept == [2.5]


async def test_a_server_that_is_not_there_is_unreachable_at_the_address_that_was_given(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    for address in (f"ws://127.0.0.1:{port}", f"http://127.0.0.1:{port}", f"127.0.0.1:{port}"):
        caplog.clear()
        with (
            caplog.at_level("INFO", "cornered.sdk"),
            pytest.raises(Unreachable, match=f"^no server answers at {address}$"),
        ):
            async with Client.connect(address, patience=0.05):
                pass
        assert caplog.messages == [f"no server answers at {address}; trying again"]


@pytest.mark.parametrize("url", ["127.0.0.1", "ftp://127.0.0.1", "ws://", ""])
async def test_an_address_that_is_none_is_a_value_error(url: str) -> None:
    with pytest.raises(ValueError, match="looks like http://"):
        async with Client.connect(url):
            pass


async def test_the_address_of_the_page_will_do() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.stay()

    async with (
        scripted(script) as server,
        Client.connect(server.url.replace("ws://", "http://"), patience=5) as client,
    ):
        assert client.url == server.url.replace("ws://", "http://")


async def test_an_error_of_the_caller_comes_out_as_it_is() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.stay()

    async with scripted(script) as server:
        with pytest.raises(KeyError, match="mine"):
            async with connected(server):
                raise KeyError("mine")


async def test_a_move_without_an_answer_is_sent_again_under_its_own_id() -> None:
    plays: list[Play] = []

    async def first(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(snapshot((await wire.hear(Join)).id))
        plays.append(await wire.hear(Play))
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome("m")
        join = await wire.hear(Join)
        assert join.since == 1
        plays.append(await wire.hear(Play))
        await wire.acknowledge(join, seq=2)
        await wire.say(played(0))
        await wire.acknowledge(plays[-1], seq=2)
        await wire.stay()

    async with scripted(first, second) as server, connected(server) as client:
        match = await client.join("m")
        await match.play("b3")
        assert match.snapshot.moves == ("b3",)
    assert plays[0] == plays[1]


async def test_a_move_that_met_a_closing_server_is_sent_again() -> None:
    plays: list[Play] = []

    async def closing(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(snapshot((await wire.hear(Join)).id))
        plays.append(await wire.hear(Play))
        await wire.say(messages.Refused(id=plays[-1].id, code="shutting_down", text="the server restarts"))
        await wire.socket.close(1012)

    async def back(wire: Wire) -> None:
        await wire.welcome("m")
        await wire.acknowledge(await wire.hear(Join), seq=1)
        plays.append(await wire.hear(Play))
        await wire.acknowledge(plays[-1], seq=2)
        # The pong confirms that the client has read the answer; the events of the move follow it.
        await (await wire.socket.ping())
        await wire.say(played(0))
        await wire.stay()

    async with scripted(closing, back) as server, connected(server) as client:
        match = await client.join("m")
        await match.play("b3")
        assert match.ply == 1
    assert plays[0] == plays[1]


async def test_a_refusal_reaches_the_one_who_asked() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        first, second = await wire.hear(Challenge), await wire.hear(Challenge)
        await wire.acknowledge(second, ref="c2")
        await wire.say(messages.Refused(id=first.id, code="busy", text="Bob plays as many games as it takes"))
        await wire.stay()

    async with scripted(script) as server, connected(server) as client:
        refused, accepted = await asyncio.gather(
            client.challenge("bob", "trapgrid", size=3), client.challenge("eve", "trapgrid"), return_exceptions=True
        )
        assert accepted == "c2"
        assert isinstance(refused, CommandRefused)
        assert refused.code == "busy"


async def test_what_holds_for_one_connection_is_said_on_every_one() -> None:
    accepts = [Accepts(game="trapgrid")]

    async def first(wire: Wire) -> None:
        await wire.welcome()
        await wire.acknowledge(await wire.hear(Declare))
        watch = await wire.hear(WatchLobby)
        await wire.say(LobbyState(id=watch.id, seeks=(), matches=(), players=(Presence(player=BOB, playing=0),)))
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome()
        declare = await wire.hear(Declare)
        assert (declare.accepts, declare.concurrency) == (tuple(accepts), 3)
        watch = await wire.hear(WatchLobby)
        await wire.acknowledge(declare)
        await wire.say(LobbyState(id=watch.id, seeks=(), matches=(), players=(Presence(player=ANN, playing=0),)))
        await wire.stay()

    async with scripted(first, second) as server, connected(server) as client:
        await client.declare(accepts, 3)
        lobby = await client.lobby()
        assert set(lobby.players) == {"bob"}
        await lobby.changed(lobby.version)
        assert set(lobby.players) == {"ann"}


async def test_the_lobby_follows_what_changes() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        watch = await wire.hear(WatchLobby)
        await wire.say(LobbyState(id=watch.id, seeks=(), matches=(), players=(Presence(player=BOB, playing=0),)))
        await wire.acknowledge(await wire.hear(CreateSeek), ref="s1")
        await wire.say(LobbyChanged(players=(Presence(player=ANN, playing=0),), players_gone=("bob", "never-there")))
        await wire.stay()

    async with scripted(script) as server, connected(server) as client:
        lobby = await client.lobby()
        seen = lobby.version
        assert await client.seek(SeekSettings(game=GameSpec(name="trapgrid"))) == "s1"
        await lobby.changed(seen)
        assert set(lobby.players) == {"ann"}


async def test_the_lobby_is_read_page_by_page() -> None:
    def match(name: str, ply: int = 0) -> MatchSummary:
        spec = GameSpec(name="trapgrid")
        return MatchSummary(
            id=name, game=spec, clock=NO_CLOCK, players=(ANN, BOB), ply=ply, position=f"{ply}", watchers=0, started=0
        )

    async def script(wire: Wire) -> None:
        await wire.welcome()
        watch = await wire.hear(WatchLobby)
        page = LobbyState(id=watch.id, seeks=(), matches=(match("m3"),), players=(), matches_total=3, matches_more="7")
        await wire.say(page)
        for after, name, more in (("7", "m2", "6"), ("6", "m1", None)):
            ask = await wire.hear(AskLobby)
            assert (ask.section, ask.after) == ("matches", after)
            await wire.say(LobbyPage(id=ask.id, section="matches", matches=(match(name),), total=3, more=more))
        await wire.hear(Ping)
        moved = tuple(MatchStanding(id=name, ply=5, position="5", watchers=2) for name in ("m2", "unknown"))
        await wire.say(LobbyChanged(moved=moved, matches_gone=("m3",), matches_total=2))
        await wire.say(LobbyState(id=None, seeks=(), matches=(match("m9"),), players=(), matches_total=1))
        await wire.stay()

    async with scripted(script) as server, connected(server) as client:
        lobby = await client.lobby()
        assert (lobby.totals["matches"], lobby.unseen("matches")) == (3, 2)
        for left in (1, 0):
            await client.more_of_lobby("matches")
            assert lobby.unseen("matches") == left
        client.mention(Ping(id="now"))
        while "m9" not in lobby.matches:
            if lobby.totals["matches"] == 2:
                assert {name: one.ply for name, one in lobby.matches.items()} == {"m1": 0, "m2": 5}
            await lobby.changed(lobby.version)
        assert set(lobby.matches) == {"m9"}


async def test_a_player_sees_every_event_across_a_broken_line() -> None:
    async def first(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(snapshot((await wire.hear(Join)).id), played(0))
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome("m")
        join = await wire.hear(Join)
        # The overlap is deliberate: events already known must not count twice.
        await wire.say(played(0, 1, 2))
        await wire.acknowledge(join, seq=4)
        await wire.stay()

    async with scripted(first, second) as server, connected(server) as client:
        match = await client.join("m")
        events = aiter(match)
        assert [(await anext(events)).seq for _ in range(3)] == [2, 3, 4]
        assert match.snapshot.moves == ("b3", "c2", "b2")


async def test_a_gap_is_asked_for() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(snapshot((await wire.hear(Join)).id), played(1), played(2))
        join = await wire.hear(Join)
        assert join.since == 1
        await wire.acknowledge(join, seq=4)
        await wire.say(played(0, 1, 2), played(3))
        await wire.stay()

    async with scripted(script) as server, connected(server) as client:
        match = await client.join("m")
        while match.ply < 4:
            await match.changed(match.version)
        assert match.snapshot.moves == ("b3", "c2", "b2", "c3")


async def test_a_watcher_who_fell_behind_goes_on_from_the_snapshot() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(snapshot((await wire.hear(Join)).id, seat=None))
        await wire.say(snapshot(None, seat=None, seq=4), played(3))
        await wire.stay()

    async with scripted(script) as server, connected(server) as client:
        match = await client.join("m")
        assert (await anext(aiter(match))).seq == 5
        assert match.ply == 4
        assert match.seat is None
        assert not match.my_turn


async def test_a_match_that_cannot_be_followed_any_more_wakes_who_waits() -> None:
    async def first(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(snapshot((await wire.hear(Join)).id))
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome()
        join = await wire.hear(Join)
        await wire.say(messages.Refused(id=join.id, code="unknown_match", text="there is no such match"))
        await wire.stay()

    async with scripted(first, second) as server, connected(server) as client:
        match = await client.join("m")
        with pytest.raises(Closed):
            await match.ended()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the waits before repeated commands a millisecond."""
    monkeypatch.setattr("cornered.clients.sdk.errors.RETRY_DELAY_S", 0.001)


async def put_off(wire: Wire, command: Command) -> None:
    await wire.say(messages.Refused(id=command.id, code="too_fast", text="slow down", retry_after=1))


@pytest.mark.usefixtures("hasty")
async def test_a_rejoin_whose_answer_cannot_be_decoded_does_not_end_the_client() -> None:
    async def first(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(snapshot((await wire.hear(Join)).id))
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome("m")
        await put_off(wire, await wire.hear(Join))
        await wire.answer_in_a_later_version(await wire.hear(Join))
        await wire.say(played(0))
        await wire.say(Pong(id=(await wire.hear(Ping)).id, sent=0, now=1_000_000))
        await wire.stay()

    async with scripted(first, second) as server, connected(server) as client:
        match = await client.join("m")
        await match.changed(match.version)
        await client.ping()


@pytest.mark.usefixtures("hasty")
async def test_a_match_whose_rejoin_is_refused_for_now_is_rejoined_later() -> None:
    async def first(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(snapshot((await wire.hear(Join)).id))
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome("m")
        for _ in range(2):
            await put_off(wire, await wire.hear(Join))
        join = await wire.hear(Join)
        assert join.since == 1
        await wire.say(played(0))
        await wire.acknowledge(join, seq=2)
        await wire.stay()

    async with scripted(first, second) as server, connected(server) as client:
        match = await client.join("m")
        await match.changed(match.version)
        assert match.snapshot.moves == ("b3",)


@pytest.mark.usefixtures("hasty")
async def test_what_holds_for_one_connection_is_said_again_where_it_is_refused_for_now() -> None:
    async def first(wire: Wire) -> None:
        await wire.welcome()
        await wire.acknowledge(await wire.hear(Declare))
        await wire.say(LobbyState(id=(await wire.hear(WatchLobby)).id, seeks=(), matches=(), players=()))
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome()
        declare, watch = await wire.hear(Declare), await wire.hear(WatchLobby)
        await put_off(wire, declare)
        await put_off(wire, watch)
        again = await wire.hear(Declare)
        assert again == declare.model_copy(update={"id": again.id})
        await wire.acknowledge(again)
        presence = Presence(player=ANN, playing=0)
        await wire.say(LobbyState(id=(await wire.hear(WatchLobby)).id, seeks=(), matches=(), players=(presence,)))
        await wire.stay()

    async with scripted(first, second) as server, connected(server) as client:
        await client.declare([Accepts(game="trapgrid")], 3)
        lobby = await client.lobby()
        await lobby.changed(lobby.version)
        assert set(lobby.players) == {"ann"}


@pytest.mark.virtual_time
@pytest.mark.usefixtures("hasty")
async def test_a_newer_declaration_takes_the_place_of_one_that_is_refused_for_now() -> None:
    async def silence(wire: Wire) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.03):
                await wire.socket.recv()

    async def first(wire: Wire) -> None:
        await wire.welcome()
        await wire.acknowledge(await wire.hear(Declare))
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome()
        older, newer = await wire.hear(Declare), await wire.hear(Declare)
        assert [older.accepts, newer.accepts] == [(Accepts(game="trapgrid"),), ()]
        await put_off(wire, older)
        await silence(wire)
        await wire.acknowledge(newer)
        await silence(wire)
        done.set()
        await wire.stay()

    done = asyncio.Event()
    async with scripted(first, second) as server, connected(server) as client:
        await client.declare([Accepts(game="trapgrid")], 3)
        await client.declare([], 3)
        await done.wait()


@pytest.mark.virtual_time
async def test_a_client_that_is_put_off_closes_at_once() -> None:
    async def first(wire: Wire) -> None:
        await wire.welcome()
        await wire.acknowledge(await wire.hear(Declare))
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome()
        declare = await wire.hear(Declare)
        await wire.say(messages.Refused(id=declare.id, code="too_fast", text="slow down", retry_after=60_000))
        await wire.say(Pong(id=(await wire.hear(Ping)).id, sent=0, now=1_000_000))
        await wire.stay()

    async with asyncio.timeout(60), scripted(first, second) as server, connected(server) as client:
        await client.declare([Accepts(game="trapgrid")], 3)
        await client.ping()
    assert asyncio.get_running_loop().time() < 60


async def test_words_watchers_and_presence_reach_the_match() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(snapshot((await wire.hear(Join)).id))
        say = await wire.hear(Say)
        assert (say.text, say.room) == ("hello", "players")
        await wire.say(
            Said(match="m", room="players", by=ANN, text="hello", at=1),
            Watchers(match="m", count=7),
            SeatPresence(match="m", seat=1, connected=False, at=1, claim_at=60_001),
        )
        await wire.acknowledge(say)
        asked = await wire.hear(AskMoves)
        await wire.say(Moves(id=asked.id, match="m", ply=0, moves=("b3",), refused={}, notes={}, gauges=()))
        await wire.acknowledge(await wire.hear(Leave))
        await wire.stay()

    async with scripted(script) as server, connected(server) as client:
        match = await client.join("m")
        await match.say("hello")
        assert [said.text for said in match.said] == ["hello"]
        assert match.snapshot.watchers == 7
        assert match.snapshot.connected == (True, False)
        assert match.claim_at == {1: 60_001}
        assert (await match.moves()).moves == ("b3",)
        await match.leave()
        with pytest.raises(Closed):
            await match.changed(match.version)


async def test_news_come_in_order_and_begin_with_the_welcome() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome("old")
        await wire.say(
            ChallengeClosed(challenge="c", how="accepted", match="m"),
            Paired(match="m", seat=1),
        )
        await wire.stay()

    async with scripted(script) as server, connected(server) as client:
        news = client.news()
        assert [(await anext(news)).type for _ in range(3)] == ["welcome", "challenge_closed", "paired"]
        assert client.live_matches == ("old",)


async def test_a_wait_fails_when_the_client_closes() -> None:
    heard = asyncio.Event()

    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.hear(Ping)
        heard.set()
        await wire.stay()

    async with scripted(script) as server:
        async with connected(server) as client:
            waiting = asyncio.ensure_future(client.ping())
            await heard.wait()
        with pytest.raises(Closed):
            await waiting
        with pytest.raises(Closed):
            await client.ping()


async def test_an_unknown_message_is_skipped() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.socket.send(b"\x81\xa4type\xa7unheard")
        await wire.say(Pong(id=(await wire.hear(Ping)).id, sent=0, now=1_000_000))
        await wire.stay()

    async with scripted(script) as server, connected(server) as client:
        await client.ping()


async def test_it_logs_once_that_no_server_answers_and_when_it_is_back(caplog: pytest.LogCaptureFixture) -> None:
    async def first(wire: Wire) -> None:
        await wire.welcome()
        wire.cut()

    async def away(wire: Wire) -> None:
        wire.cut()

    async def back(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(Pong(id=(await wire.hear(Ping)).id, sent=0, now=1_000_000))
        await wire.stay()

    with caplog.at_level("INFO", "cornered.sdk"):
        async with scripted(first, away, away, back) as server, connected(server) as client:
            await client.ping()
    assert [record.getMessage() for record in caplog.records] == [
        f"no server answers at {server.url}; trying again",
        f"back at {server.url}",
    ]


async def test_a_bot_gets_one_notice_that_another_program_plays_as_it(caplog: pytest.LogCaptureFixture) -> None:
    hellos: list[Hello] = []
    notice = messages.Notice(code="also_here", text="another program plays as Ann too\x1b[2J")

    async def first(wire: Wire) -> None:
        hellos.append(await wire.welcome())
        await wire.say(notice, notice)
        await wire.say(Pong(id=(await wire.hear(Ping)).id, sent=0, now=1_000_000))
        wire.cut()

    async def second(wire: Wire) -> None:
        hellos.append(await wire.welcome())
        await wire.say(notice)
        await wire.say(Pong(id=(await wire.hear(Ping)).id, sent=0, now=1_000_000))
        await wire.stay()

    with caplog.at_level("WARNING", "cornered.sdk"):
        async with scripted(first, second) as server, connected(server) as client:
            await client.ping()
            await client.ping()
    (record,) = caplog.records
    assert "another program plays as Ann too" in record.getMessage()
    assert record.getMessage().isprintable()
    assert hellos[0].instance is not None
    assert hellos[0].instance == hellos[1].instance
