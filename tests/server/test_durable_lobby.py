"""Tables, challenges and agreed matches outlive the server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from cornered.protocol import commands as cmd
from cornered.protocol.events import MatchEvent
from cornered.protocol.messages import ChallengeClosed, Challenged, Paired
from cornered.protocol.values import GameSpec, SeekSettings
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.lobby_log_memory import MemoryLobbyLog
from cornered.server.lobby.events import DEPARTURE_DELAY_MS, LobbyEvent, MatchMade
from cornered.server.lobby.lobby import CHALLENGE_LIFETIME_MS
from tests.server.conftest import SMALL, Pair, Start, Stores
from tests.virtual_time import after

THREE = GameSpec(name="isolation", options={"players": 3})


class Held(MemoryJournal):
    """A journal that stores no match until it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.may_store = asyncio.Event()

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        await self.may_store.wait()
        await super().append(match, expected_seq, events)


class HeldLobbyLog(MemoryLobbyLog):
    """A log that stores nothing while `may_store` is not set."""

    def __init__(self) -> None:
        super().__init__()
        self.may_store = asyncio.Event()
        self.may_store.set()

    async def append(self, expected_seq: int, events: Sequence[LobbyEvent], *, is_checkpoint: bool = False) -> None:
        await self.may_store.wait()
        await super().append(expected_seq, events, is_checkpoint=is_checkpoint)


async def test_tables_and_challenges_on_sqlite_outlive_the_server(start: Start, tmp_path: Path) -> None:
    async with start(database="") as running, running.client("Ann") as ann, running.client("Ben") as ben:
        table = (await ann.do(cmd.CreateSeek, settings=SeekSettings(game=THREE))).ref
        private = (await ann.do(cmd.CreateSeek, settings=SeekSettings(game=SMALL, private=True))).ref
        gone = (await ann.do(cmd.CreateSeek, settings=SeekSettings(game=SMALL))).ref
        await ann.do(cmd.CancelSeek, seek=gone)
        await ben.do(cmd.JoinSeek, seek=table)
        challenge = (await ben.do(cmd.Challenge, to=ann.player.id, game=SMALL)).ref
        first, second = ann.welcome.token, ben.welcome.token
    async with start(database="") as running, running.client("Cas") as cas:
        assert [one.id for one in (await cas.ask(cmd.WatchLobby)).seeks] == [table]
        assert [one.name for one in (await cas.ask(cmd.AskSeek, seek=table)).seek.joined] == ["Ann", "Ben"]
        async with running.client("Ann", token=first) as ann, running.client("Ben", token=second) as ben:
            assert (await ann.hear(Challenged)).challenge == challenge
            assert {one.id for one in (await ann.ask(cmd.WatchLobby)).seeks} == {table, private}
            match = (await ann.do(cmd.AcceptChallenge, challenge=challenge)).ref
            assert (await ben.hear(Paired)).match == match
            assert (await ben.hear(ChallengeClosed)).how == "accepted"
            assert (await cas.do(cmd.JoinSeek, seek=table)).ref == (await ben.hear(Paired)).match
            joined = (await cas.do(cmd.JoinSeek, seek=private)).ref
            assert joined in {(await cas.hear(Paired)).match for _ in range(2)}
    async with start(database="") as running, running.client("Ann", token=first) as ann:
        assert (await ann.ask(cmd.WatchLobby)).seeks == ()
        assert len(ann.welcome.matches) == 3


@pytest.mark.virtual_time
async def test_players_who_do_not_come_back_lose_their_tables_and_challenges(
    running_server: Start, stores: Stores
) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        mine = (await ann.do(cmd.CreateSeek, settings=SeekSettings(game=SMALL))).ref
        theirs = (await ben.do(cmd.CreateSeek, settings=SeekSettings(game=SMALL))).ref
        token = ann.welcome.token
    stores.now.at += 60 * DEPARTURE_DELAY_MS
    async with running_server() as running, running.client("Ann", token=token) as ann:
        assert {one.id for one in (await ann.ask(cmd.WatchLobby)).seeks} == {mine, theirs}
        stores.now.at += DEPARTURE_DELAY_MS
        await after(DEPARTURE_DELAY_MS / 1000 + 1)
        lobby = await ann.ask(cmd.WatchLobby)
        assert [one.id for one in lobby.seeks] == [mine]
        assert [one.player for one in lobby.players] == [ann.player]
    async with running_server() as running, running.client("Ann", token=token) as ann:
        assert [one.id for one in (await ann.ask(cmd.WatchLobby)).seeks] == [mine]


@pytest.mark.virtual_time
async def test_a_challenge_that_expired_meanwhile_is_over(running_server: Start, stores: Stores) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        challenge = (await ann.do(cmd.Challenge, to=ben.player.id, game=SMALL)).ref
        token = ben.welcome.token
    stores.now.at += CHALLENGE_LIFETIME_MS
    async with running_server() as running:
        await after(1)
        async with running.client("Ben", token=token) as ben:
            assert await ben.refused(cmd.AcceptChallenge, challenge=challenge) == "unknown_challenge"


async def test_a_command_that_is_repeated_after_a_restart_is_carried_out_once(
    running_server: Start, stores: Stores
) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        settings = SeekSettings(game=THREE)
        made = await ann.do(cmd.CreateSeek, id="once", settings=settings)
        sent = await ann.do(cmd.Challenge, to=ben.player.id, game=SMALL)
        accepted = await ben.do(cmd.AcceptChallenge, id="yes", challenge=sent.ref)
        first, second = ann.welcome.token, ben.welcome.token
    for _ in range(2):
        async with (
            running_server() as running,
            running.client("Ann", token=first) as ann,
            running.client("Ben", token=second) as ben,
        ):
            assert await ann.do(cmd.CreateSeek, id="once", settings=settings) == made
            assert await ben.do(cmd.AcceptChallenge, id="yes", challenge=sent.ref) == accepted
            assert len((await ann.ask(cmd.WatchLobby)).seeks) == 1
            assert ann.welcome.matches == (accepted.ref,)


async def test_a_match_that_was_agreed_and_not_stored_is_opened_after_the_restart(
    running_server: Start, stores: Stores
) -> None:
    plain, held = stores.journal, Held()
    stores.journal = held
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        seek = (await ann.do(cmd.CreateSeek, settings=SeekSettings(game=SMALL, seat=0))).ref
        assert isinstance(seek, str)
        await ben.tell(cmd.JoinSeek(id="join", seek=seek))
        async with running.client("Cas") as cas:
            assert await cas.refused(cmd.JoinSeek, seek=seek) == "unknown_seek"
        _, stored = await stores.lobby_log.read()
        (match,) = [event.match for event in stored if isinstance(event, MatchMade)]
        assert not [one for one in ben.heard if isinstance(one, Paired)]
        first, second = ann.welcome.token, ben.welcome.token
    assert await held.live() == []
    stores.journal = plain
    async with running_server() as running, running.client("Ben", token=second) as ben:
        assert (await ben.do(cmd.JoinSeek, id="join", seek=seek)).ref == match
        assert [one.match for one in await plain.live()] == [match]
        async with running.client("Ann", token=first) as ann:
            assert ann.welcome.matches == (match,)
            assert [one.playing for one in (await ann.ask(cmd.WatchLobby)).players] == [1, 1]
    async with running_server():
        assert [one.match for one in await plain.live()] == [match]


async def test_players_who_are_back_before_their_match_is_opened_are_told_of_it(
    running_server: Start, stores: Stores
) -> None:
    stores.journal = Held()
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        seek = (await ann.do(cmd.CreateSeek, settings=SeekSettings(game=SMALL, seat=0))).ref
        assert isinstance(seek, str)
        await ben.tell(cmd.JoinSeek(id="join", seek=seek))
        await ann.ask(cmd.WatchLobby)
        first, second = ann.welcome.token, ben.welcome.token
    stores.journal = held = Held()
    async with (
        running_server() as running,
        running.client("Ann", token=first) as ann,
        running.client("Ben", token=second) as ben,
    ):
        assert [one.playing for one in (await ann.ask(cmd.WatchLobby)).players] == [1, 1]
        await ben.tell(cmd.JoinSeek(id="join", seek=seek))
        held.may_store.set()
        paired = [await ann.hear(Paired), await ben.hear(Paired)]
        assert [one.seat for one in paired] == [0, 1]
        assert (await ben.answer("join")).ref == paired[0].match


async def test_a_match_that_is_over_is_not_opened_again(running_server: Start, stores: Stores, pair: Pair) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben)
        await ann.do(cmd.Resign, match=match)
        token = ann.welcome.token
    for _ in range(2):
        async with running_server() as running, running.client("Ann", token=token) as ann:
            assert ann.welcome.matches == ()
            assert [one.playing for one in (await ann.ask(cmd.WatchLobby)).players] == [0]
    assert await stores.journal.live() == []


async def test_a_player_who_returns_before_the_end_is_stored_in_the_lobby_has_no_match(
    running_server: Start, stores: Stores, pair: Pair
) -> None:
    stores.lobby_log = held = HeldLobbyLog()
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben)
        held.may_store.clear()
        # What the lobby tells comes in order, so an end waits for the changes before it.
        await ben.tell(cmd.CreateSeek(id="table", settings=SeekSettings(game=SMALL)))
        await ann.do(cmd.Resign, match=match)
        async with running.client("Ann", token=ann.welcome.token) as again:
            assert again.welcome.matches == ()
        held.may_store.set()


async def test_a_match_that_could_not_be_stored_is_not_opened_later(running_server: Start, stores: Stores) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        stores.journal.failures = ["before"]
        sent = await ann.do(cmd.Challenge, to=ben.player.id, game=SMALL)
        assert await ben.refused(cmd.AcceptChallenge, id="yes", challenge=sent.ref) == "internal"
        assert await ben.refused(cmd.AcceptChallenge, id="yes", challenge=sent.ref) == "unknown_challenge"
        token = ben.welcome.token
    async with running_server() as running, running.client("Ben", token=token) as ben:
        assert await ben.refused(cmd.AcceptChallenge, id="yes", challenge=sent.ref) == "unknown_challenge"
        assert [one.playing for one in (await ben.ask(cmd.WatchLobby)).players] == [0]
    assert await stores.journal.live() == []


async def test_the_log_of_many_restarts_stays_short(running_server: Start, stores: Stores) -> None:
    for _ in range(3):
        async with running_server() as running, running.client("Ann") as ann:
            for _ in range(20):
                seek = (await ann.do(cmd.CreateSeek, settings=SeekSettings(game=SMALL))).ref
                await ann.do(cmd.CancelSeek, seek=seek)
        seq, stored = await stores.lobby_log.read()
    assert seq >= 240
    assert len(stored) < 200
