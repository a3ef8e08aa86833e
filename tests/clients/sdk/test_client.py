"""The client against a scripted server: which commands it repeats, which it sends once, and what it raises."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import msgpack
import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from cornered.clients.sdk import Client, Closed, CommandRefused, Unavailable, Unreachable
from cornered.protocol import commands, messages
from cornered.protocol.events import Played
from cornered.protocol.values import (
    NO_CLOCK,
    Accepts,
    GameSpec,
    MatchStanding,
    MatchSummary,
    Player,
    Presence,
    SeekSettings,
)
from tests.clients.sdk.scripted import (
    ANN,
    BOB,
    MOVES,
    TOKEN,
    Wire,
    at_once,
    client_of,
    connected,
    played,
    scripted,
    snapshot,
)


async def lost_in_a_match(wire: Wire) -> None:
    """Let the client join the match, and lose the connection."""
    await wire.welcome()
    await wire.join()
    wire.cut()


async def lost_in_the_lobby(wire: Wire) -> None:
    """Take the client's declaration, show Bob in the lobby, and lose the connection."""
    await wire.welcome()
    await wire.acknowledge(await wire.hear(commands.Declare))
    await wire.say(lobby_of(await wire.hear(commands.WatchLobby), BOB))
    wire.cut()


async def lost_with_a_declaration(wire: Wire) -> None:
    await wire.welcome()
    await wire.acknowledge(await wire.hear(commands.Declare))
    wire.cut()


def lobby_of(watch: commands.WatchLobby, *players: Player) -> messages.LobbyState:
    there = tuple(Presence(player=player, playing=0) for player in players)
    return messages.LobbyState(id=watch.id, seeks=(), matches=(), players=there)


async def test_a_guest_comes_back_with_the_token_that_it_was_given() -> None:
    hellos: list[commands.Hello] = []

    async def first(wire: Wire) -> None:
        hellos.append(await wire.welcome(token=TOKEN))
        wire.cut()

    async def second(wire: Wire) -> None:
        hellos.append(await wire.welcome())
        await wire.pong()

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
    joins: list[commands.Join] = []

    async def first(wire: Wire) -> None:
        await wire.welcome()
        joins.append(await wire.hear(commands.Join))
        await wire.say(snapshot(joins[0].id).model_copy(update={"legal": ("a2", "b3")}))
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome()
        joins.append(await wire.hear(commands.Join))
        await wire.say(
            messages.Acknowledged(id=joins[1].id), played(0), played(1).model_copy(update={"legal": ("b2",)})
        )

    async with client_of(first, second) as client:
        match = await client.join("m", legal=True)
        begun = match.legal
        while match.ply < 2:
            await match.changed(match.version)
        assert [begun, match.legal] == [("a2", "b3"), ("b2",)]
    assert [(join.since, join.legal) for join in joins] == [(None, True), (1, True)]


async def test_an_update_that_the_client_cannot_read_leaves_no_match_behind() -> None:
    joins: list[commands.Join] = []

    async def script(wire: Wire) -> None:
        await wire.welcome()
        joins.append(await wire.hear(commands.Join))
        await wire.say(snapshot(joins[0].id))
        happened = played(0).model_dump(mode="json")
        happened["events"].append({"type": "ended", "seq": 3, "at": 1, "reason": "a reason of a later server"})
        for _ in range(2):
            await wire.socket.send(msgpack.packb(happened))
        joins.append(await wire.hear(commands.Join))
        await wire.say(snapshot(joins[1].id, seq=2).model_copy(update={"seq": 3}))
        event = Played(seq=4, at=1, seat=1, cause="c", ply=1, move=MOVES[1], spent=0, left=(None, None))
        await wire.say(played(1).model_copy(update={"events": (event,)}))

    async with asyncio.timeout(60), scripted(script) as server, connected(server) as client:
        match = await client.join("m", legal=True)
        while match.ply < 2:
            await match.changed(match.version)
        assert match.snapshot.seq == 4
    assert [(join.since, join.legal) for join in joins] == [(None, True), (None, True)]


async def test_an_unknown_token_is_refused_to_the_caller() -> None:
    async def script(wire: Wire) -> None:
        await wire.hear(commands.Hello)
        await wire.refuse(None, "bad_token", "this token belongs to nobody here")

    with pytest.raises(CommandRefused, match="belongs to nobody") as refusal:
        async with client_of(script):
            pass
    assert refusal.value.code == "bad_token"


async def test_a_client_that_ends_says_goodbye_with_a_normal_close() -> None:
    async with scripted(Wire.welcome) as server:
        async with connected(server):
            pass
        (wire,) = server.wires
        await wire.socket.wait_closed()
        assert wire.socket.close_code == 1000


async def test_a_full_server_and_one_that_sends_garbage_in_place_of_a_welcome_are_tried_again() -> None:
    async def full(wire: Wire) -> None:
        await wire.hear(commands.Hello)
        await wire.refuse(None, "server_full", "come back later")

    async def garbled(wire: Wire) -> None:
        await wire.hear(commands.Hello)
        await wire.socket.send(b"\xc1")

    async with client_of(full, full, garbled, Wire.welcome) as client:
        assert client.player == ANN


async def test_a_spoilt_frame_costs_a_connection_and_no_answer() -> None:
    """What came with it may have been an answer, or the last update of a match: nothing else would bring it again."""

    async def spoilt(wire: Wire) -> None:
        await wire.welcome()
        await wire.join()
        await wire.hear(commands.Ping)
        await wire.socket.send(b"\xc1")

    async def whole(wire: Wire) -> None:
        await wire.welcome()
        rejoined = await wire.hear(commands.Join)
        await wire.say(messages.Acknowledged(id=rejoined.id), played(0))
        await wire.pong()

    async with client_of(spoilt, whole) as client:
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


@asynccontextmanager
async def refusing(status: int, text: str, headers: Mapping[str, str]) -> AsyncIterator[str]:
    """Run a server that refuses every handshake; yield its host and port."""

    async def nobody(socket: ServerConnection) -> None:
        raise AssertionError("the handshake was refused")

    def refuse(socket: ServerConnection, request: Request) -> Response:
        response = socket.respond(status, text)
        for name, value in headers.items():
            if name in response.headers:
                del response.headers[name]
            response.headers[name] = value
        return response

    async with serve(nobody, "127.0.0.1", 0, process_request=refuse) as server:
        yield f"127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"


async def test_a_refused_handshake_is_tried_again_when_the_server_says(
    slept: list[float], caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    for status, after, waited in (
        (429, "7", 7.0),
        (503, "86400", 60.0),
        (503, "Wed, 21 Oct 2026 07:28:09 GMT", 9.0),
        (503, "Wed, 21 Oct 2026 07:27:00 GMT", 0.0),
        (503, "Wed, 99 Oct 2026", 0.0),
        (429, "-5", 0.0),
        (421, "", 0.0),
        (403, "", 0.0),
    ):
        slept.clear()
        caplog.clear()
        text, date = "200 connections come from your address\x1b]0;mine\x07\nmore", "Wed, 21 Oct 2026 07:28:00 GMT"
        with subtests.test(status=status, after=after):
            async with refusing(status, text, {"Date": date, "Retry-After": after}) as host:
                with pytest.raises(Unavailable, match=f"^http://{host} takes no connections now: 200 connections come"):
                    async with Client.connect(f"http://{host}", patience=0.3, backoff=at_once):
                        pass
            assert set(slept) == {waited}
            (record,) = caplog.records
            assert "200 connections come from your address" in record.getMessage()
            assert "more" not in record.getMessage()
            assert record.getMessage().isprintable()


@pytest.mark.usefixtures("slept")
async def test_the_page_of_another_server_is_no_reason() -> None:
    async with refusing(404, "<!DOCTYPE html>", {"Content-Type": "text/html"}) as host:
        with pytest.raises(Unavailable, match="404 Not Found"):
            async with Client.connect(f"ws://{host}", patience=0.2, backoff=at_once):
                pass


async def test_a_refused_hello_is_said_again_when_the_server_says(slept: list[float]) -> None:
    async def full(wire: Wire) -> None:
        await wire.hear(commands.Hello)
        await wire.refuse(None, "server_full", retry_after=2_500)

    async with client_of(full, Wire.welcome):
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


async def test_an_address_that_is_none_is_a_value_error() -> None:
    for url in ("127.0.0.1", "ftp://127.0.0.1", "ws://", ""):
        with pytest.raises(ValueError, match="looks like http://"):
            async with Client.connect(url):
                pass


async def test_the_address_of_the_page_will_do_and_an_error_of_the_caller_comes_out_as_it_is() -> None:
    async with scripted(Wire.welcome) as server:
        url = server.url.replace("ws://", "http://")
        with pytest.raises(KeyError, match=url):
            async with Client.connect(url, patience=5) as client:
                raise KeyError(client.url)


async def test_a_move_without_an_answer_is_sent_again_under_its_own_id() -> None:
    plays: list[commands.Play] = []

    async def first(wire: Wire) -> None:
        await wire.welcome()
        await wire.join()
        plays.append(await wire.hear(commands.Play))
        wire.cut()

    async def second(wire: Wire) -> None:
        await wire.welcome("m")
        join = await wire.hear(commands.Join)
        assert join.since == 1
        plays.append(await wire.hear(commands.Play))
        await wire.acknowledge(join, seq=2)
        await wire.say(played(0))
        await wire.acknowledge(plays[-1], seq=2)

    async with client_of(first, second) as client:
        match = await client.join("m")
        await match.play("b3")
        assert match.snapshot.moves == ("b3",)
    assert plays[0] == plays[1]


async def test_a_move_that_met_a_closing_server_is_sent_again() -> None:
    plays: list[commands.Play] = []

    async def closing(wire: Wire) -> None:
        await wire.welcome()
        await wire.join()
        plays.append(await wire.hear(commands.Play))
        await wire.refuse(plays[-1], "shutting_down", "the server restarts")
        await wire.socket.close(1012)

    async def back(wire: Wire) -> None:
        await wire.welcome("m")
        await wire.acknowledge(await wire.hear(commands.Join), seq=1)
        plays.append(await wire.hear(commands.Play))
        await wire.acknowledge(plays[-1], seq=2)
        # The pong confirms that the client has read the answer; the events of the move follow it.
        await (await wire.socket.ping())
        await wire.say(played(0))

    async with scripted(closing, back) as server, connected(server) as client:
        match = await client.join("m")
        await match.play("b3")
        assert match.ply == 1
    assert plays[0] == plays[1]


async def test_a_refusal_reaches_the_one_who_asked() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        first, second = await wire.hear(commands.Challenge), await wire.hear(commands.Challenge)
        await wire.acknowledge(second, ref="c2")
        await wire.refuse(first, "busy", "Bob plays as many games as it takes")

    async with client_of(script) as client:
        refused, accepted = await asyncio.gather(
            client.challenge("bob", "trapgrid", size=3), client.challenge("eve", "trapgrid"), return_exceptions=True
        )
        assert accepted == "c2"
        assert isinstance(refused, CommandRefused)
        assert refused.code == "busy"


async def test_the_lobby_follows_what_changes() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(lobby_of(await wire.hear(commands.WatchLobby), BOB))
        await wire.acknowledge(await wire.hear(commands.CreateSeek), ref="s1")
        await wire.say(
            messages.LobbyChanged(players=(Presence(player=ANN, playing=0),), players_gone=("bob", "never-there"))
        )

    async with client_of(script) as client:
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
        watch = await wire.hear(commands.WatchLobby)
        page = messages.LobbyState(
            id=watch.id, seeks=(), matches=(match("m3"),), players=(), matches_total=3, matches_more="7"
        )
        await wire.say(page)
        for after, name, more in (("7", "m2", "6"), ("6", "m1", None)):
            ask = await wire.hear(commands.AskLobby)
            assert (ask.section, ask.after) == ("matches", after)
            await wire.say(messages.LobbyPage(id=ask.id, section="matches", matches=(match(name),), total=3, more=more))
        await wire.hear(commands.Ping)
        moved = tuple(MatchStanding(id=name, ply=5, position="5", watchers=2) for name in ("m2", "unknown"))
        await wire.say(messages.LobbyChanged(moved=moved, matches_gone=("m3",), matches_total=2))
        await wire.say(messages.LobbyState(id=None, seeks=(), matches=(match("m9"),), players=(), matches_total=1))

    async with client_of(script) as client:
        lobby = await client.lobby()
        assert (lobby.totals["matches"], lobby.unseen("matches")) == (3, 2)
        for left in (1, 0):
            await client.more_of_lobby("matches")
            assert lobby.unseen("matches") == left
        client.mention(commands.Ping(id="now"))
        while "m9" not in lobby.matches:
            if lobby.totals["matches"] == 2:
                assert {name: one.ply for name, one in lobby.matches.items()} == {"m1": 0, "m2": 5}
            await lobby.changed(lobby.version)
        assert set(lobby.matches) == {"m9"}


async def test_a_player_sees_every_event_across_a_broken_line() -> None:
    async def second(wire: Wire) -> None:
        await wire.welcome("m")
        join = await wire.hear(commands.Join)
        # The overlap is deliberate: events already known must not count twice.
        await wire.say(played(0, 1, 2), played(0, 1, 2))
        await wire.acknowledge(join, seq=4)

    async with client_of(lost_in_a_match, second) as client:
        match = await client.join("m")
        events = aiter(match)
        assert [(await anext(events)).seq for _ in range(3)] == [2, 3, 4]
        assert match.snapshot.moves == ("b3", "c2", "b2")


async def test_a_gap_is_asked_for() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.say(snapshot((await wire.hear(commands.Join)).id), played(1), played(2))
        join = await wire.hear(commands.Join)
        assert join.since == 1
        await wire.acknowledge(join, seq=4)
        await wire.say(played(0, 1, 2), played(3))

    async with client_of(script) as client:
        match = await client.join("m")
        while match.ply < 4:
            await match.changed(match.version)
        assert match.snapshot.moves == ("b3", "c2", "b2", "c3")


async def test_a_watcher_who_fell_behind_goes_on_from_the_snapshot() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.join(seat=None)
        await wire.say(snapshot(None, seat=None, seq=4), played(3))

    async with client_of(script) as client:
        match = await client.join("m")
        assert (await anext(aiter(match))).seq == 5
        assert match.ply == 4
        assert match.seat is None
        assert not match.my_turn


async def test_a_match_that_cannot_be_followed_any_more_wakes_who_waits() -> None:
    async def second(wire: Wire) -> None:
        await wire.welcome()
        join = await wire.hear(commands.Join)
        await wire.refuse(join, "unknown_match", "there is no such match")

    async with client_of(lost_in_a_match, second) as client:
        match = await client.join("m")
        with pytest.raises(Closed):
            await match.ended()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the waits before repeated commands a millisecond."""
    monkeypatch.setattr("cornered.clients.sdk.errors.RETRY_DELAY_S", 0.001)


async def put_off(wire: Wire, command: commands.Command) -> None:
    await wire.refuse(command, "too_fast", "slow down", retry_after=1)


@pytest.mark.usefixtures("hasty")
async def test_a_match_whose_rejoin_is_refused_for_now_or_cannot_be_decoded_is_rejoined_later() -> None:
    async def undecoded(wire: Wire) -> None:
        await wire.welcome("m")
        await put_off(wire, await wire.hear(commands.Join))
        await wire.answer_in_a_later_version(await wire.hear(commands.Join))
        await wire.say(played(0))
        await wire.pong()
        wire.cut()

    async def third(wire: Wire) -> None:
        await wire.welcome("m")
        for _ in range(2):
            await put_off(wire, await wire.hear(commands.Join))
        join = await wire.hear(commands.Join)
        assert join.since == 2
        await wire.say(played(1))
        await wire.acknowledge(join, seq=3)

    async with client_of(lost_in_a_match, undecoded, third) as client:
        match = await client.join("m")
        await match.changed(match.version)
        await client.ping()
        while match.ply < 2:
            await match.changed(match.version)
        assert match.snapshot.moves == ("b3", "c2")


@pytest.mark.usefixtures("hasty")
async def test_what_holds_for_one_connection_is_said_on_every_one_and_again_where_it_is_refused_for_now() -> None:
    async def second(wire: Wire) -> None:
        await wire.welcome()
        declare, watch = await wire.hear(commands.Declare), await wire.hear(commands.WatchLobby)
        await put_off(wire, declare)
        await put_off(wire, watch)
        again = await wire.hear(commands.Declare)
        assert again == declare.model_copy(update={"id": again.id})
        assert (again.accepts, again.concurrency) == ((Accepts(game="trapgrid"),), 3)
        await wire.acknowledge(again)
        await wire.say(lobby_of(await wire.hear(commands.WatchLobby), ANN))
        wire.cut()

    async def third(wire: Wire) -> None:
        await wire.welcome()
        assert (await wire.hear(commands.Declare)).concurrency == 3
        await wire.say(lobby_of(await wire.hear(commands.WatchLobby)))

    async with client_of(lost_in_the_lobby, second, third) as client:
        await client.declare([Accepts(game="trapgrid")], 3)
        lobby = await client.lobby()
        for names in ({"bob"}, {"ann"}):
            assert set(lobby.players) == names
            await lobby.changed(lobby.version)
        assert set(lobby.players) == set()


@pytest.mark.virtual_time
@pytest.mark.usefixtures("hasty")
async def test_a_newer_declaration_takes_the_place_of_one_that_is_refused_for_now() -> None:
    async def silence(wire: Wire) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.03):
                await wire.socket.recv()

    async def second(wire: Wire) -> None:
        await wire.welcome()
        older, newer = await wire.hear(commands.Declare), await wire.hear(commands.Declare)
        assert [older.accepts, newer.accepts] == [(Accepts(game="trapgrid"),), ()]
        await put_off(wire, older)
        await silence(wire)
        await wire.acknowledge(newer)
        await silence(wire)
        done.set()

    done = asyncio.Event()
    async with client_of(lost_with_a_declaration, second) as client:
        await client.declare([Accepts(game="trapgrid")], 3)
        await client.declare([], 3)
        await done.wait()


@pytest.mark.virtual_time
async def test_a_client_that_is_put_off_closes_at_once() -> None:
    async def second(wire: Wire) -> None:
        await wire.welcome()
        declare = await wire.hear(commands.Declare)
        await wire.refuse(declare, "too_fast", "slow down", retry_after=60_000)
        await wire.pong()

    async with client_of(lost_with_a_declaration, second) as client:
        await client.declare([Accepts(game="trapgrid")], 3)
        await client.ping()
    assert asyncio.get_running_loop().time() < 60


async def test_words_watchers_and_presence_reach_the_match() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.join()
        say = await wire.hear(commands.Say)
        assert (say.text, say.room) == ("hello", "players")
        await wire.say(
            messages.Said(match="m", room="players", by=ANN, text="hello", at=1),
            messages.Watchers(match="m", count=7),
            messages.SeatPresence(match="m", seat=1, connected=False, at=1, claim_at=60_001),
        )
        await wire.acknowledge(say)
        asked = await wire.hear(commands.AskMoves)
        await wire.say(messages.Moves(id=asked.id, match="m", ply=0, moves=("b3",), refused={}, notes={}, gauges=()))
        await wire.acknowledge(await wire.hear(commands.Leave))

    async with client_of(script) as client:
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


async def test_news_come_in_order_begin_with_the_welcome_and_leave_out_unknown_messages() -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome("old")
        await wire.socket.send(b"\x81\xa4type\xa7unheard")
        await wire.say(
            messages.ChallengeClosed(challenge="c", how="accepted", match="m"), messages.Paired(match="m", seat=1)
        )

    async with client_of(script) as client:
        news = client.news()
        assert [(await anext(news)).type for _ in range(3)] == ["welcome", "challenge_closed", "paired"]
        assert client.live_matches == ("old",)


async def test_a_wait_fails_when_the_client_closes() -> None:
    heard = asyncio.Event()

    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.hear(commands.Ping)
        heard.set()

    async with scripted(script) as server:
        async with connected(server) as client:
            waiting = asyncio.ensure_future(client.ping())
            await heard.wait()
        with pytest.raises(Closed):
            await waiting
        with pytest.raises(Closed):
            await client.ping()


async def test_it_logs_once_that_no_server_answers_and_when_it_is_back(caplog: pytest.LogCaptureFixture) -> None:
    async def first(wire: Wire) -> None:
        await wire.welcome()
        wire.cut()

    async def away(wire: Wire) -> None:
        wire.cut()

    async def back(wire: Wire) -> None:
        await wire.welcome()
        await wire.pong()

    with caplog.at_level("INFO", "cornered.sdk"):
        async with scripted(first, away, away, back) as server, connected(server) as client:
            await client.ping()
    assert [record.getMessage() for record in caplog.records] == [
        f"no server answers at {server.url}; trying again",
        f"back at {server.url}",
    ]


async def test_a_bot_gets_one_notice_that_another_program_plays_as_it(caplog: pytest.LogCaptureFixture) -> None:
    hellos: list[commands.Hello] = []
    notice = messages.Notice(code="also_here", text="another program plays as Ann too\x1b[2J")

    async def first(wire: Wire) -> None:
        hellos.append(await wire.welcome())
        await wire.say(notice, notice)
        await wire.pong()
        wire.cut()

    async def second(wire: Wire) -> None:
        hellos.append(await wire.welcome())
        await wire.say(notice)
        await wire.pong()

    with caplog.at_level("WARNING", "cornered.sdk"):
        async with client_of(first, second) as client:
            await client.ping()
            await client.ping()
    (record,) = caplog.records
    assert "another program plays as Ann too" in record.getMessage()
    assert record.getMessage().isprintable()
    assert hellos[0].instance is not None
    assert hellos[0].instance == hellos[1].instance
