"""The lobby over sockets, presence, and the end of a server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import aiomqtt
import pytest
from websockets.exceptions import ConnectionClosedError

from cornered.protocol import commands
from cornered.protocol.events import MatchEvent
from cornered.protocol.messages import ChallengeClosed, Challenged, Happened, LobbyChanged, Notice, Paired, Refused
from cornered.protocol.values import Accepts, Fischer, GameSpec, SeekSettings
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.runtime.task_group import TaskGroup
from tests.conftest import Mosquitto
from tests.server.conftest import Pair, PlayOut, Running, Start, Stores
from tests.server.runtime.seats import seated

SMALL = GameSpec(name="trapgrid", options={"size": 3})


async def test_a_table_is_listed_joined_and_becomes_a_match(running: Running) -> None:
    async with running.client("Ann") as ann, running.client("Ben") as ben, running.client("Cas") as cas:
        assert (await cas.ask(commands.WatchLobby)).seeks == ()
        seek = (await ann.do(commands.CreateSeek, settings=SeekSettings(game=SMALL, seat=1))).ref
        shown = await cas.hear(LobbyChanged, lambda said: bool(said.seeks))
        assert [(one.id, one.by.name) for one in shown.seeks] == [(seek, "Ann")]
        match = (await ben.do(commands.JoinSeek, seek=seek)).ref
        paired = await ann.hear(Paired), await ben.hear(Paired)
        assert [(one.match, one.seat) for one in paired] == [(match, 1), (match, 0)]
        changed = await cas.hear(LobbyChanged, lambda said: bool(said.matches))
        assert [one.id for one in changed.matches] == [match]
        assert changed.seeks_gone == (seek,)
        await ben.do(commands.Play, match=match, ply=0, move="a2")
        moved = (await cas.hear(LobbyChanged, lambda said: bool(said.moved))).moved
        assert [(one.id, one.ply) for one in moved] == [(match, 1)]
        assert match in [one.id for one in (await ann.ask(commands.WatchLobby)).matches]


async def test_guests_can_be_told_apart_and_who_has_the_invite_of_a_private_table_sees_what_it_is_about(
    running: Running,
) -> None:
    names = set()
    for _ in range(5):
        async with running.socket() as client:
            names.add((await client.hello()).player.name)
    assert len(names) > 1
    assert all(re.fullmatch(r"Guest [0-9]{4}", name) for name in names)
    async with running.client("Ann") as ann, running.client("Ben") as ben:
        settings = SeekSettings(game=SMALL, private=True, clock=Fischer(initial=60))
        seek = (await ann.do(commands.CreateSeek, settings=settings)).ref
        info = await ben.ask(commands.AskSeek, seek=seek)
        assert (info.type, info.seek.by, info.seek.settings, info.seek.joined) == (
            "seek_info",
            ann.player,
            settings,
            (ann.player,),
        )
        await ann.do(commands.CancelSeek, seek=seek)
        assert await ben.refused(commands.AskSeek, seek=seek) == "unknown_seek"


@pytest.mark.virtual_time
async def test_a_private_table_is_in_the_lobbys_words_to_those_who_sit_at_it(running: Running) -> None:
    async with running.client("Ann") as ann, running.client("Ben") as ben, running.client("Cas") as cas:
        for client in (ann, ben, cas):
            await client.ask(commands.WatchLobby)
        three = GameSpec(name="isolation", options={"players": 3})
        seek = (await ann.do(commands.CreateSeek, settings=SeekSettings(game=three, private=True))).ref
        shown = await ann.hear(LobbyChanged, lambda said: bool(said.seeks))
        assert [one.id for one in shown.seeks] == [seek]
        await ben.do(commands.JoinSeek, seek=seek)
        for client in (ann, ben):
            shown = await client.hear(LobbyChanged, lambda said: bool(said.seeks))
            assert shown.seeks[0].joined == (ann.player, ben.player)
            assert [one.id for one in (await client.ask(commands.WatchLobby)).seeks] == [seek]
        await ben.do(commands.LeaveSeek, seek=seek)
        assert (await ben.hear(LobbyChanged, lambda said: bool(said.seeks_gone))).seeks_gone == (seek,)
        assert (await ann.hear(LobbyChanged, lambda said: bool(said.seeks))).seeks[0].joined == (ann.player,)
        await ann.do(commands.CancelSeek, seek=seek)
        assert (await ann.hear(LobbyChanged, lambda said: bool(said.seeks_gone))).seeks_gone == (seek,)
        assert (await cas.ask(commands.WatchLobby)).seeks == ()
        assert not [one for one in cas.heard if isinstance(one, LobbyChanged) and (one.seeks or one.seeks_gone)]


async def test_a_long_lobby_is_read_page_by_page(start: Start) -> None:
    three = SeekSettings(game=GameSpec(name="isolation", options={"players": 3}))
    async with start(max_per_address=1_000) as running, contextlib.AsyncExitStack() as stack:
        made = []
        for number in range(12):
            host = await stack.enter_async_context(running.client(f"Host {number}"))
            made += [(await host.do(commands.CreateSeek, settings=three)).ref for _ in range(5)]
        async with running.client("Ann") as ann:
            page = await ann.ask(commands.WatchLobby)
            assert (len(page.seeks), page.seeks_total, page.players_total) == (50, 60, 13)
            rest = await ann.ask(commands.AskLobby, section="seeks", after=page.seeks_more)
            assert [one.id for one in (*page.seeks, *rest.seeks)] == made[::-1]
            assert (rest.total, rest.more, rest.matches, rest.players) == (60, None, (), ())
            assert await ann.refused(commands.AskLobby, section="seeks", after="nowhere") == "bad_options"


async def test_a_client_that_leaves_the_lobby_gets_no_more_of_it(running: Running) -> None:
    async with running.client("Ann") as ann, running.client("Ben") as ben, running.client("Cas") as cas:
        for client in (ben, cas):
            await client.ask(commands.WatchLobby)
        await ben.do(commands.LeaveLobby)
        seek = (await ann.do(commands.CreateSeek, settings=SeekSettings(game=SMALL))).ref
        await cas.hear(LobbyChanged, lambda said: bool(said.seeks))
        await ben.ask(commands.Join, match="nowhere")
        assert not [one for one in ben.heard if isinstance(one, LobbyChanged) and one.seeks]
        await ann.do(commands.CancelSeek, seek=seek)
        assert (await cas.hear(LobbyChanged, lambda said: bool(said.seeks_gone))).seeks_gone == (seek,)


async def test_a_repeated_lobby_command_makes_one_table(running: Running) -> None:
    async with running.client("Ann") as ann:
        first = await ann.do(commands.CreateSeek, id="once", settings=SeekSettings(game=SMALL))
        async with running.client("Ann", token=ann.welcome.token) as again:
            assert await again.do(commands.CreateSeek, id="once", settings=SeekSettings(game=SMALL)) == first
            assert (
                await again.refused(commands.CreateSeek, id="once", settings=SeekSettings(game=GameSpec(name="bamboo")))
                == "id_reused"
            )
            assert await again.refused(commands.CancelSeek, id="once", seek=first.ref) == "id_reused"
        assert len((await ann.ask(commands.WatchLobby)).seeks) == 1


async def test_a_command_that_is_repeated_while_its_match_is_stored_gets_the_same_answer(
    running_server: Start, stores: Stores
) -> None:
    stored = asyncio.Event()

    class SlowJournal(MemoryJournal):
        async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
            await stored.wait()
            await super().append(match, expected_seq, events)

    stores.journal = SlowJournal()
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        sent = await ann.do(commands.Challenge, to=ben.player.id, game=SMALL)
        assert sent.ref is not None
        await ben.tell(commands.AcceptChallenge(id="once", challenge=sent.ref))
        async with running.client("Ben", token=ben.welcome.token) as again:
            await again.tell(commands.AcceptChallenge(id="once", challenge=sent.ref))
            await again.tell(commands.AcceptChallenge(id="twice", challenge=sent.ref))
            asyncio.get_running_loop().call_later(0.1, stored.set)
            first, second = await ben.answer("once"), await again.answer("once")
            assert first == second
            assert (first.type, first.ref) == ("acknowledged", (await ben.hear(Paired)).match)
            assert (await again.answer("twice")).code == "unknown_challenge"


async def test_a_challenge_reaches_every_socket_of_both_and_waits_for_a_player_who_comes_back(running: Running) -> None:
    async with (
        running.client("Ann") as ann,
        running.client("Ben") as ben,
        running.client("Ben", token=ben.welcome.token) as tab,
    ):
        sent = await ann.do(commands.Challenge, to=ben.player.id, game=SMALL, clock=Fischer(initial=60))
        for client in (ann, ben, tab):
            heard = await client.hear(Challenged)
            assert (heard.challenge, heard.by, heard.clock.kind) == (sent.ref, ann.player, "fischer")
        await tab.do(commands.DeclineChallenge, challenge=sent.ref, reason="no time")
        for client in (ann, ben):
            closed = await client.hear(ChallengeClosed)
            assert (closed.how, closed.reason) == ("declined", "no time")
    async with running.client("Ann") as ann, running.client("Ben") as ben:
        await ann.do(commands.Challenge, to=ben.player.id, game=SMALL)
        await ben.hear(Challenged)
        async with running.client("Ben", token=ben.welcome.token) as again:
            assert (await again.hear(Challenged)).by == ann.player


async def test_a_bot_is_held_to_what_it_declared(running: Running) -> None:
    async with running.client("Ann") as ann, running.client("Bot", kind="bot") as bot:
        assert await ann.refused(commands.Declare, accepts=(), concurrency=1) == "not_a_bot"
        await bot.do(commands.Declare, accepts=(Accepts(game="trapgrid", options={"size": (3,)}),), concurrency=1)
        assert await ann.refused(commands.Challenge, to=bot.player.id, game=GameSpec(name="bamboo")) == "not_accepted"
        sent = await ann.do(commands.Challenge, to=bot.player.id, game=SMALL)
        await bot.do(commands.AcceptChallenge, challenge=sent.ref)
        assert await ann.refused(commands.Challenge, to=bot.player.id, game=SMALL) == "busy"


async def test_a_match_that_cannot_be_stored_is_refused_and_its_players_are_free(
    running_server: Start, stores: Stores
) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        stores.journal.failures = ["before"]
        sent = await ann.do(commands.Challenge, to=ben.player.id, game=SMALL)
        assert await ben.refused(commands.AcceptChallenge, challenge=sent.ref) == "internal"
        assert (await ann.hear(ChallengeClosed)).how == "cancelled"
        assert all(one.playing == 0 for one in (await ann.ask(commands.WatchLobby)).players)
        assert not [one for one in ann.heard if isinstance(one, Paired)]


async def test_a_match_whose_storing_was_not_confirmed_begins_if_it_is_there(
    running_server: Start, stores: Stores
) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        stores.journal.failures = ["after"]
        sent = await ann.do(commands.Challenge, to=ben.player.id, game=SMALL)
        match = (await ben.do(commands.AcceptChallenge, challenge=sent.ref)).ref
        for client in (ann, ben):
            assert (await client.hear(Paired)).match == match
            closed = await client.hear(ChallengeClosed)
            assert (closed.how, closed.match) == ("accepted", match)
        assert [one.playing for one in (await ann.ask(commands.WatchLobby)).players] == [1, 1]


async def test_a_finished_match_that_cannot_be_replayed_hides_no_others(
    running_server: Start, stores: Stores, pair: Pair, play_out: PlayOut
) -> None:
    async with seated(running_server(), pair) as (ann, ben, _, match):
        await play_out(match, (ann, ben))
        events = await stores.journal.read(match)
        lost = GameSpec(name="gone", options={})
        await stores.journal.append(
            "lost", 0, [events[0].model_copy(update={"match": "lost", "game": lost}), *events[1:]]
        )
        assert [one.id for one in (await ann.ask(commands.AskMyMatches)).finished] == [match]


async def test_finished_matches_are_asked_for_page_by_page(
    running_server: Start, stores: Stores, pair: Pair, play_out: PlayOut
) -> None:
    async with seated(running_server(), pair) as (ann, ben, _, match):
        await play_out(match, (ann, ben))
        events = await stores.journal.read(match)
        for number in range(44):
            name = f"old{number}"
            await stores.journal.append(name, 0, [events[0].model_copy(update={"match": name}), *events[1:]])
        going_on = await pair(ann, ben)
        page = await ann.ask(commands.AskMyMatches)
        assert [one.id for one in page.live] == [going_on]
        found = [one.id for one in page.finished]
        while page.more:
            page = await ann.ask(commands.AskMyMatches, after=page.more)
            assert page.live == ()
            found += [one.id for one in page.finished]
        assert len(found) == 45
        assert set(found) == {match, *(f"old{number}" for number in range(44))}


@pytest.mark.mqtt
@pytest.mark.virtual_time
async def test_the_broker_keeps_the_lobby_as_strangers_see_it(start: Start, mosquitto: Mosquitto) -> None:
    async def kept_until(is_so: Callable[[Any], bool]) -> Any:
        async with asyncio.timeout(60), aiomqtt.Client("127.0.0.1", mosquitto.port) as broker:
            await broker.subscribe("cornered/v1/pub/lobby", qos=1)
            async for message in broker.messages:
                assert isinstance(message.payload, bytes)
                lobby = json.loads(message.payload)
                if lobby["type"] == "lobby" and is_so(lobby):
                    return lobby

    async with start(mqtt=mosquitto.url) as running:
        assert (await kept_until(lambda _: True))["players"] == []
        async with running.client("Ann") as ann:
            await ann.do(commands.CreateSeek, settings=SeekSettings(game=SMALL, private=True))
            seek = (await ann.do(commands.CreateSeek, settings=SeekSettings(game=SMALL))).ref
            lobby = await kept_until(lambda lobby: bool(lobby["seeks"]))
            assert [one["id"] for one in lobby["seeks"]] == [seek]
            assert [one["player"]["name"] for one in lobby["players"]] == ["Ann"]


async def test_a_player_has_so_many_sockets_and_no_more(start: Start) -> None:
    async with start(max_per_player=2) as running, running.client("Ann") as ann:
        token = ann.welcome.token
        async with running.client("Ann", token=token), running.socket() as third:
            await third.tell(commands.Hello(token=token))
            assert (await third.hear(Refused)).code == "server_full"
            with pytest.raises(ConnectionClosedError):
                await third.listen()


async def test_presence_shows_who_came_and_stays(running: Running) -> None:
    async with running.client("Ann") as ann:
        await ann.ask(commands.WatchLobby)
        async with running.client("Ben") as ben:
            came = await ann.hear(LobbyChanged, lambda said: any(one.player == ben.player for one in said.players))
            assert [one.playing for one in came.players if one.player == ben.player] == [0]


async def test_a_stop_is_announced_answered_and_closed_with_1012(start: Start, pair: Pair) -> None:
    stop = asyncio.Event()
    async with TaskGroup() as tasks:
        opened: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        async def serve() -> None:
            async with start() as running:
                opened.set_result(running)
                await stop.wait()

        tasks.create_task(serve())
        running = await opened
        async with seated(running, pair) as (ann, ben, _, match):
            await ann.tell(commands.Play(id="last", match=match, ply=0, move="a2"))
            await ben.hear(Happened)
            stop.set()
            assert (await ben.hear(Notice)).code == "restarting"
            assert (await ann.answer("last")).seq == 2
            for client in (ann, ben):
                with pytest.raises(ConnectionClosedError) as closed:
                    await client.hear(Refused)
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 1012


async def test_two_programs_that_play_as_one_bot_are_told_but_no_windows_of_a_person_or_lines_of_one_program(
    running: Running,
) -> None:
    async with running.client("Bot", kind="bot", instance="one") as one:
        token = one.welcome.token
        async with running.client("Bot", token=token, kind="bot", instance="two") as two:
            for program in (one, two):
                notice = await program.hear(Notice)
                assert notice.code == "also_here"
                assert "another program plays as Bot" in notice.text
        await one.ask(commands.Ping)
        assert not [message for message in one.heard if isinstance(message, Notice)]
    for kind, first, second in (("bot", "one", "one"), ("person", "a", "b"), ("person", None, None)):
        async with (
            running.client("Ann", kind=kind, instance=first) as one,
            running.client("Ann", token=one.welcome.token, kind=kind, instance=second) as two,
        ):
            for program in (one, two):
                await program.ask(commands.Ping)
                assert not [message for message in program.heard if isinstance(message, Notice)]


async def test_without_an_instance_the_second_connection_of_a_bot_alone_is_told(running: Running) -> None:
    for number, (first, second) in enumerate(((None, "two"), ("one", None), (None, None))):
        async with running.client(f"Bot {number}", kind="bot", instance=first) as one:
            name, token = one.player.name, one.welcome.token
            async with running.client(name, token=token, kind="bot", instance=second) as two:
                notice = await two.hear(Notice)
                assert notice.code == "also_here"
                assert f"{name} has another connection; if it is another program's" in notice.text
            await one.ask(commands.Ping)
            assert not [message for message in one.heard if isinstance(message, Notice)]
