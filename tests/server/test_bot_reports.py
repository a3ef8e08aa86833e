"""What a bot's owner reads on a running server, and that nobody else does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import ValidationError

from cornered.protocol.bot_reports import (
    AskBotLink,
    AskBotReport,
    AskBotRequests,
    BotLink,
    BotReport,
    BotRequests,
    ReportFailure,
)
from cornered.protocol.commands import Declare, Ping, Play, Resign
from cornered.protocol.messages import Pong
from cornered.protocol.values import Accepts, Fischer
from tests.server.conftest import PLENTY, Client, Pair, PlayOut, Running, Start, Stores
from tests.waiting import found as once


@pytest.fixture
async def server(start: Start) -> AsyncIterator[Running]:
    """A server that no question here is too fast for."""
    async with start(**PLENTY) as server:
        yield server


async def bot(client: Client) -> None:
    await client.do(Declare, accepts=(Accepts(game="trapgrid"),), concurrency=4)


async def report(client: Client, **fields: Any) -> BotReport:
    found = await client.ask(AskBotReport, **fields)
    assert isinstance(found, BotReport), found
    return found


async def test_a_bot_has_its_games_with_times_and_what_it_reports(
    ann: Client, server: Running, pair: Pair, play_out: PlayOut
) -> None:
    async with server.client("Crusher", kind="bot") as crusher:
        await bot(crusher)
        match = await pair(ann, crusher, clock=Fischer(initial=60, increment=1))
        await play_out(match, (ann, crusher))
        await crusher.do(ReportFailure, failure="crash", match=match, ply=1, limit=900, text="ValueError: no\x1b")
        found = await report(crusher)
        assert found.player.id == crusher.player.id
        assert found.is_connected
        assert found.round_trip is None or found.round_trip >= 0
        (game,) = found.games
        assert (game.match, game.opponents[0].id, game.reason) == (match, ann.player.id, "rules")
        assert game.moves > 0
        (incident,) = found.incidents
        assert (incident.kind, incident.text, incident.match, incident.ply) == (
            "crash",
            "ValueError: no\\x1b",
            match,
            1,
        )
        asked = await crusher.ask(AskBotRequests, match=match)
        assert isinstance(asked, BotRequests)
        assert [one.answer for one in asked.requests].count(None) == 0
        assert asked.requests[0].failure == "crash: ValueError: no\\x1b"
        assert asked.requests[0].left == 60_000


async def test_a_report_that_is_sent_twice_is_stored_once(ann: Client, server: Running, pair: Pair) -> None:
    async with server.client("Crusher", kind="bot") as crusher:
        await bot(crusher)
        match = await pair(ann, crusher)
        for _ in range(2):
            await crusher.do(ReportFailure, id="again", failure="slow", match=match, ply=1, text="slow")
        assert len((await report(crusher)).incidents) == 1
        await crusher.do(ReportFailure, id="again", failure="slow", match=match, ply=3, text="slow")
        assert len((await report(crusher)).incidents) == 2
        with pytest.raises(ValidationError):
            ReportFailure(id="c", failure="slow", match="m", ply=1, text="x" * 1_501)


async def test_a_bot_reports_of_matches_in_which_it_sits(ann: Client, server: Running, pair: Pair) -> None:
    async with server.client("Crusher", kind="bot") as crusher, server.client("Other", kind="bot") as other:
        await bot(crusher)
        match = await pair(ann, crusher)
        said = {"failure": "slow", "ply": 1, "text": "slow"}
        assert await other.refused(ReportFailure, match=match, **said) == "not_a_player"
        assert await crusher.refused(ReportFailure, match="nonsense", **said) == "unknown_match"
        await crusher.do(Resign, match=match)
        await crusher.do(ReportFailure, match=match, **said)
        assert await other.refused(ReportFailure, match=match, **said) == "not_a_player"
        assert (await report(other)).incidents == ()
        assert [one.match for one in (await report(crusher)).incidents] == [match]


async def test_illegal_moves_and_the_end_of_a_connection_are_noted(ann: Client, server: Running, pair: Pair) -> None:
    async with server.client("Crusher", kind="bot") as crusher:
        token = crusher.welcome.token
        await bot(crusher)
        match = await pair(crusher, ann)
        assert await crusher.refused(Play, match=match, ply=0, move="z9") == "illegal_move"
    async with server.client("Crusher", token=token, kind="bot") as owner:
        found = await once(lambda: report(owner), lambda one: len(one.incidents) == 2)
    by_kind = {one.kind: one for one in found.incidents}
    assert (by_kind["illegal"].match, by_kind["illegal"].ply) == (match, 0)
    assert by_kind["illegal"].text.startswith("z9: ")
    assert (by_kind["disconnect"].code, by_kind["disconnect"].closed_by) == (1000, "program")


async def test_a_program_that_says_goodbye_without_a_match_leaves_no_trace(
    ann: Client, server: Running, pair: Pair
) -> None:
    async with server.client("Crusher", kind="bot") as crusher:
        token = crusher.welcome.token
        await bot(crusher)
        await crusher.do(Resign, match=await pair(crusher, ann))
    async with server.client("Crusher", token=token, kind="bot") as crusher:
        await bot(crusher)
        # Written after what the goodbye would have left.
        crusher.socket.transport.abort()
    async with server.client("Crusher", token=token, kind="bot") as owner:
        found = await once(lambda: report(owner), lambda one: bool(one.incidents))
        assert [one.code for one in found.incidents] == [1006]


async def test_who_only_reads_leaves_no_trace(server: Running) -> None:
    async with server.client("Crusher", kind="bot") as crusher:
        token = crusher.welcome.token
        await bot(crusher)
        async with server.client("Crusher", token=token, kind="bot") as owner:
            assert (await report(owner)).incidents == ()
        # Played on, and ended: written after what the reader would have left.
        crusher.socket.transport.abort()
        async with server.client("Crusher", token=token, kind="bot") as owner:
            found = await once(lambda: report(owner), lambda one: bool(one.incidents))
            assert [(one.code, one.closed_by) for one in found.incidents] == [(1006, None)]


async def test_nobody_else_reads_about_a_bot(ann: Client, server: Running, pair: Pair) -> None:
    async with server.client("Crusher", kind="bot") as crusher, server.client("Other", kind="bot") as other:
        await bot(crusher)
        match = await pair(ann, crusher)
        await crusher.do(ReportFailure, failure="crash", match=match, ply=1, text="a secret path")
        assert await crusher.refused(AskBotRequests, match=match) == "not_now"
        await crusher.do(Resign, match=match)
        for who, code in ((ann, "not_a_bot"), (other, "")):
            answer = await who.ask(AskBotReport)
            assert "secret" not in str(answer)
            assert getattr(answer, "code", "") == code
        assert await ann.refused(AskBotRequests, match=match) == "not_a_bot"
        assert await other.refused(AskBotRequests, match=match) == "not_a_player"
        assert await ann.refused(AskBotLink) == "not_a_bot"
        assert await ann.refused(ReportFailure, failure="crash", match=match, ply=1, text="x") == "not_a_bot"
        for link in ("x", "x.y", f"{'a' * 30}.{'b' * 40}"):
            assert await ann.refused(AskBotReport, link=link) == "bad_credentials"


async def test_whoever_has_the_link_reads_until_the_token_ends_or_a_week_is_over(
    running_server: Start, stores: Stores, pair: Pair
) -> None:
    async with (
        running_server(**PLENTY) as server,
        server.client("Ann") as ann,
        server.client("Crusher", kind="bot") as crusher,
    ):
        await bot(crusher)
        match = await pair(ann, crusher)
        await crusher.do(Resign, match=match)
        link = await crusher.ask(AskBotLink)
        assert isinstance(link, BotLink)
        found = await report(ann, link=link.code)
        assert found.player.id == crusher.player.id
        assert [game.match for game in found.games] == [match]
        asked = await ann.ask(AskBotRequests, match=match, link=link.code)
        assert isinstance(asked, BotRequests)
        stores.now.at += 7 * 24 * 60 * 60 * 1000
        assert await ann.refused(AskBotReport, link=link.code) == "bad_credentials"
        new = await crusher.ask(AskBotLink)
        assert (await report(ann, link=new.code)).player.id == crusher.player.id
        await stores.accounts.revoke(crusher.player.id)
        assert await ann.refused(AskBotReport, link=new.code) == "bad_credentials"
        assert await ann.refused(AskBotRequests, match=match, link=new.code) == "bad_credentials"


async def test_games_come_in_pages(ann: Client, server: Running, pair: Pair) -> None:
    async with server.client("Crusher", kind="bot") as crusher:
        await bot(crusher)
        matches = []
        for _ in range(22):
            matches.append(await pair(ann, crusher))
            await crusher.do(Resign, match=matches[-1])
        first = await report(crusher)
        assert len(first.games) == 20
        second = await report(crusher, after=first.more)
        assert (second.more, second.ratings, second.incidents) == (None, (), ())
        assert {game.match for game in (*first.games, *second.games)} == set(matches)
        assert await crusher.refused(AskBotReport, after="nonsense") == "malformed"


async def test_a_bot_that_is_refused_all_the_time_leaves_a_bounded_number(
    ann: Client, server: Running, pair: Pair
) -> None:
    async with server.client("Crusher", kind="bot") as crusher:
        await bot(crusher)
        match = await pair(crusher, ann)
        for _ in range(30):
            assert await crusher.refused(Play, match=match, ply=0, move="z9") == "illegal_move"
        assert isinstance(await crusher.ask(Ping), Pong)
        found = await once(lambda: report(crusher), lambda one: bool(one.incidents))
        assert len(found.incidents) <= 30
