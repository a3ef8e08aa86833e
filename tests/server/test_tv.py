"""TV and the look-up of players by a running server."""

from __future__ import annotations

from cornered.protocol.account import Register, Registered
from cornered.protocol.commands import AcceptChallenge, AskTv, Challenge, CreateSeek, FindPlayer, JoinSeek, Play, Resign
from cornered.protocol.messages import Paired, PlayerFound, Tv
from cornered.protocol.values import SeekSettings
from tests.server.conftest import SMALL, Client, Running, Stores


async def _begin(one: Client, other: Client) -> str:
    sent = await one.do(Challenge, to=other.player.id, game=SMALL, seat=0)
    return (await other.do(AcceptChallenge, challenge=sent.ref)).ref or ""


async def _shown(client: Client) -> list[str]:
    answer = await client.ask(AskTv)
    assert isinstance(answer, Tv)
    return [match.id for match in answer.matches]


async def test_the_next_match_is_shown_when_the_best_one_ends(server: Running, stores: Stores) -> None:
    async with server.client() as ann, server.client() as ben, server.client() as cas, server.client() as dan:
        assert await _shown(ann) == []
        first = await _begin(ann, ben)
        stores.now.at += 1
        second = await _begin(cas, dan)
        assert await _shown(ann) == [first]
        await ben.do(Resign, match=first)
        assert await _shown(dan) == [second]
        await cas.do(Resign, match=second)
        assert await _shown(ann) == []


async def test_a_private_match_is_never_shown_and_a_delayed_one_as_its_spectators_see_it(server: Running) -> None:
    async with server.client() as ann, server.client() as ben, server.client() as cas:
        for settings, shown in ((SeekSettings(game=SMALL, private=True), 0), (SeekSettings(game=SMALL, delay=60), 1)):
            seek = (await ann.do(CreateSeek, settings=settings)).ref
            await ben.do(JoinSeek, seek=seek)
            match = (await ben.hear(Paired)).match
            seat = (await ann.join(match)).seat
            mover = ann if seat == 0 else ben
            await ben.join(match)
            await mover.do(Play, match=match, ply=0, move="b3")
            answer = await cas.ask(AskTv)
            assert len(answer.matches) == shown
            assert all(one.ply == 0 for one in answer.matches)


async def test_an_account_is_found_by_its_name_and_a_guest_while_here(server: Running) -> None:
    async with server.client() as ann, server.client() as ben:
        registered = await ann.ask(Register, name="Godwit", password="seven quiet herons")
        assert isinstance(registered, Registered)
        for name in ("Godwit", "godwit"):
            found = await ben.ask(FindPlayer, name=name)
            assert isinstance(found, PlayerFound)
            assert found.player.id == ann.player.id
        assert (await ann.ask(FindPlayer, name=ben.player.name)).player.id == ben.player.id
        assert await ann.refused(FindPlayer, name="Nobody at all") == "unknown_player"
