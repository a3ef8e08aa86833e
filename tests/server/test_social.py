"""Following and blocking on a running server: who is here, what a blocked player's words and challenges reach."""

from __future__ import annotations

import asyncio
import json

from cornered.protocol import commands as cmd
from cornered.protocol import social as soc
from cornered.protocol.account import AskExport, DeleteAccount, Register
from cornered.protocol.messages import ChallengeClosed, Challenged, Paired, Said, Snapshot
from cornered.protocol.values import SeekSettings
from cornered.server.lobby.pools import offered_pools
from tests.server.conftest import SMALL, TIMEOUT_S, Client, Pair, Running, Start, Stores

POOL = offered_pools()[0].id


async def friends_of(client: Client) -> list[tuple[str, bool, int, bool]]:
    """Return whom a client follows: name, whether here, the number of games, and whether one may be watched."""
    answer = await client.ask(soc.AskFriends)
    return [(one.player.name, one.is_here, one.playing, one.match is not None) for one in answer.friends]


async def quiet(client: Client, kind: type) -> bool:
    """Return whether no message of a kind has come: a ping is answered after all that was sent before it."""
    await client.ask(cmd.Ping)
    return not any(isinstance(message, kind) for message in client.heard)


async def test_one_sees_who_of_those_whom_one_follows_is_here_and_plays(
    ann: Client, server: Running, pair: Pair
) -> None:
    async with server.client("Cas") as cas:
        async with server.client("Ben") as ben:
            for client in (ben, cas):
                await ann.do(soc.FollowPlayer, player=client.player.id)
            assert await friends_of(ann) == [("Ben", True, 0, False), ("Cas", True, 0, False)]
            await pair(cas, ann)
            assert await friends_of(ann) == [("Ben", True, 0, False), ("Cas", True, 1, True)]
            assert await friends_of(ben) == []
            gone = ben.player.id
        async with asyncio.timeout(TIMEOUT_S):
            while (await ann.ask(soc.AskFriends)).friends[0].player.id == gone:
                pass
        assert await friends_of(ann) == [("Cas", True, 1, True), ("Ben", False, 0, False)]
        await ann.do(soc.UnfollowPlayer, player=gone)
        assert await friends_of(ann) == [("Cas", True, 1, True)]


async def test_one_follows_and_blocks_others_that_exist_and_not_oneself(ann: Client, ben: Client) -> None:
    for kind in (soc.FollowPlayer, soc.BlockPlayer):
        assert await ann.refused(kind, player=ann.player.id) == "yourself"
        assert await ann.refused(kind, player="nobody") == "unknown_player"
    await ann.do(soc.FollowPlayer, player=ben.player.id)
    await ann.do(soc.FollowPlayer, player=ben.player.id)
    await ann.do(soc.BlockPlayer, player=ben.player.id)
    assert await friends_of(ann) == []
    assert await ann.refused(soc.FollowPlayer, player=ben.player.id) == "not_allowed"
    assert [one.name for one in (await ann.ask(soc.AskBlocked)).players] == ["Ben"]
    await ann.do(soc.UnblockPlayer, player=ben.player.id)
    assert (await ann.ask(soc.AskBlocked)).players == ()


async def test_the_number_of_those_whom_one_follows_is_bounded(ann: Client, ben: Client, stores: Stores) -> None:
    for number in range(soc.MAX_FOLLOWED):
        identity, _ = await stores.accounts.create(f"Guest {number}", "person")
        await stores.social.add_relation(ann.player.id, "follow", identity.player.id, 0, soc.MAX_FOLLOWED)
    assert await ann.refused(soc.FollowPlayer, player=ben.player.id) == "busy"
    assert len((await ann.ask(soc.AskFriends)).friends) == soc.MAX_FOLLOWED


async def test_a_challenge_of_a_blocked_player_looks_like_one_that_stays_unanswered(
    ann: Client, ben: Client, server: Running
) -> None:
    await ann.do(soc.BlockPlayer, player=ben.player.id)
    sent = await ben.do(cmd.Challenge, to=ann.player.id, game=SMALL)
    assert (await ben.hear(Challenged)).challenge == sent.ref
    assert await quiet(ann, Challenged)
    # Not even who knows its number accepts it, and a new connection is told as little.
    assert await ann.refused(cmd.AcceptChallenge, challenge=sent.ref) == "not_yours"
    async with server.client(token=ann.welcome.token) as again:
        assert await quiet(again, Challenged)
    assert await ann.refused(cmd.Challenge, to=ben.player.id, game=SMALL) == "not_accepted"
    await ann.do(soc.UnblockPlayer, player=ben.player.id)
    await ben.do(cmd.Challenge, to=ann.player.id, game=SMALL)
    assert (await ann.hear(Challenged)).by.id == ben.player.id


async def test_a_hidden_challenge_stays_hidden_after_a_restart_and_ends_for_its_sender_alone(
    running_server: Start,
) -> None:
    async with running_server() as server, server.client("Ann") as ann, server.client("Ben") as ben:
        await ann.do(soc.BlockPlayer, player=ben.player.id)
        sent = await ben.do(cmd.Challenge, to=ann.player.id, game=SMALL)
    async with (
        running_server() as server,
        server.client(token=ann.welcome.token) as ann,
        server.client(token=ben.welcome.token) as ben,
    ):
        assert (await ben.hear(Challenged)).challenge == sent.ref
        assert await quiet(ann, Challenged)
        await ben.do(cmd.CancelChallenge, challenge=sent.ref)
        assert (await ben.hear(ChallengeClosed)).challenge == sent.ref
        assert await quiet(ann, ChallengeClosed)


async def test_lines_of_a_blocked_player_reach_all_but_the_blocker(
    ann: Client, ben: Client, server: Running, pair: Pair
) -> None:
    match = await pair(ann, ben)
    async with server.client("Cas") as cas, server.client("Dan") as dan, server.client("Eve") as eve:
        for client in (cas, dan, eve):
            await client.join(match)
        for blocker, blocked in ((ann, ben), (cas, dan)):
            await blocker.do(soc.BlockPlayer, player=blocked.player.id)
        await ben.do(cmd.Say, match=match, room="players", text="Hello")
        await dan.do(cmd.Say, match=match, room="spectators", text="Hello")
        for client in (ben, dan, eve):
            assert (await client.hear(Said)).text == "Hello"
        for client in (ann, cas):
            assert await quiet(client, Said)
        # Nor when the blocker joins again; the lines of others come as before.
        async with server.client(token=cas.welcome.token) as again:
            await again.join(match)
            assert await quiet(again, Said)
        await eve.do(cmd.Say, match=match, room="spectators", text="Good morning")
        assert (await cas.hear(Said)).text == "Good morning"
        await cas.do(soc.UnblockPlayer, player=dan.player.id)
        await dan.do(cmd.Say, match=match, room="spectators", text="Well?")
        assert (await cas.hear(Said)).text == "Well?"


async def test_neither_sits_down_at_the_others_table(ann: Client, ben: Client) -> None:
    await ann.do(soc.BlockPlayer, player=ben.player.id)
    tables = [await one.do(cmd.CreateSeek, settings=SeekSettings(game=SMALL)) for one in (ann, ben)]
    assert await ben.refused(cmd.JoinSeek, seek=tables[0].ref) == "not_accepted"
    assert await ann.refused(cmd.JoinSeek, seek=tables[1].ref) == "not_accepted"


async def test_the_pools_do_not_pair_a_player_with_one_whom_it_blocks(
    ann: Client, ben: Client, server: Running
) -> None:
    async with server.client("Cas") as cas:
        await ben.do(soc.BlockPlayer, player=ann.player.id)
        for client in (ann, ben):
            await client.do(cmd.EnterPool, pool=POOL)
        # One round is over when these two are paired, although the others have waited for longer.
        await cas.do(cmd.EnterPool, pool=POOL)
        async with asyncio.timeout(20):
            first = await cas.hear(Paired)
        snapshot = await cas.join(first.match)
        assert isinstance(snapshot, Snapshot)
        names = {seat.player.name for seat in snapshot.seats}
        assert names in ({"Ann", "Cas"}, {"Ben", "Cas"})


async def test_an_export_has_whom_one_follows_and_blocks_and_a_deletion_ends_all_of_it(
    ann: Client, ben: Client, stores: Stores
) -> None:
    await ann.do(soc.FollowPlayer, player=ben.player.id)
    await ben.do(soc.BlockPlayer, player=ann.player.id)
    about = json.loads((await ann.ask(AskExport)).text)
    assert [one["name"] for one in about["follows"]] == ["Ben"]
    assert (about["blocks"], about["push"]["devices"]) == ([], [])
    blocked = json.loads((await ben.ask(AskExport)).text)["blocks"]
    assert [one["id"] for one in blocked] == [ann.player.id]
    await ann.do(DeleteAccount)
    assert (await ben.ask(soc.AskBlocked)).players == ()
    assert await stores.social.relations(ann.player.id, "follow") == {}


async def test_a_guest_who_registers_keeps_whom_it_follows(ann: Client, ben: Client) -> None:
    await ann.do(soc.FollowPlayer, player=ben.player.id)
    await ann.ask(Register, name="Anna", password="correct horse battery")
    assert await friends_of(ann) == [("Ben", True, 0, False)]
