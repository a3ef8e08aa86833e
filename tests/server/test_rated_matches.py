"""Rated matches on a whole server: what their players are told at the beginning and at the end, and may ask later."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from cornered.clients.sdk import Client as SdkClient
from cornered.clients.terminal.match_source import Told
from cornered.clients.terminal.online import OnlineMatch
from cornered.protocol import commands as cmd
from cornered.protocol.messages import Acknowledged, Happened, Paired
from cornered.protocol.ratings import Profile, Rated
from cornered.protocol.values import Accepts, GameSpec, SeekSettings
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.database import Database
from cornered.server.adapters.ratings_sql import SqlRatings
from cornered.server.rating.anchors import ANCHORS
from cornered.server.rating.ratings import Rating
from tests.server.conftest import SMALL, TIMEOUT_S, Client, Pair, PlayOut, Running, Start

POOL = "trapgrid:size=3:untimed"


async def play_and_resign(match: str, first: Client, second: Client) -> None:
    """Play the moves after which a result counts, and have the first player resign."""
    await first.do(cmd.Play, match=match, ply=0, move="a2")
    await second.do(cmd.Play, match=match, ply=1, move="c2")
    await first.do(cmd.Resign, match=match)


@pytest.mark.parametrize("is_stored", [False, True], ids=["memory", "sqlite"])
async def test_matches_are_found_by_the_ratings_of_their_players(
    is_stored: bool, start: Start, pair: Pair, tmp_path: Path
) -> None:
    store = {"database": "", "data": tmp_path} if is_stored else {}
    async with start(message_burst=9_000, **store) as server, server.client("Ann") as ann, server.client("Ben") as ben:
        found = []
        for _ in range(2):
            match = await pair(ann, ben, rated=True)
            await play_and_resign(match, ann, ben)
            await ann.hear(Rated)
            found.append(match)
        casual = await pair(ann, ben)
        await play_and_resign(casual, ann, ben)

        async def search(**ratings: int) -> list[str]:
            return [match.id for match in (await ann.ask(cmd.AskArchive, **ratings)).matches]

        assert await search() == [casual, *reversed(found)]
        # Both were 1500 before the first match, and Ann 1338 and Ben 1662 before the second.
        assert await search(least_rating=0) == await search(most_rating=4_000) == [*reversed(found)]
        assert await search(least_rating=1_500) == await search(most_rating=1_500) == found[:1]
        assert await search(least_rating=1_501) == await search(most_rating=1_499) == []
        assert await search(least_rating=1_300, most_rating=1_700) == [*reversed(found)]


async def test_a_rated_match_changes_both_ratings_and_its_clients_are_told(
    server: Running, pair: Pair, play_out: PlayOut
) -> None:
    async with server.client("Ann") as ann, server.client("Ben") as ben, server.client("Cas") as cas:
        match = await pair(ann, ben, rated=True)
        shown = await cas.join(match)
        assert shown.rated
        assert [(seat.rating, seat.provisional) for seat in shown.seats] == [(1500, True)] * 2
        last = (await play_out(match, (ann, ben)))[-1].known[-1]
        assert last.type == "ended"
        assert last.rated
        told = [await client.hear(Rated) for client in (ann, ben, cas)]
        assert told[0] == told[1] == told[2]
        assert (told[0].match, told[0].pool) == (match, POOL)
        by_player = {change.player: change for change in told[0].changes}
        winner, loser = (ann, ben) if last.winner == 0 else (ben, ann)
        assert (by_player[winner.player.id].before, by_player[winner.player.id].after) == (1500, 1662)
        assert (by_player[loser.player.id].after, by_player[loser.player.id].provisional) == (1338, True)
        async with server.client("Dan") as dan:
            assert (await dan.join(match)).rated
            assert await dan.hear(Rated) == told[0]
            profile = await dan.ask(cmd.AskProfile, player=winner.player.id)
        assert profile.player == winner.player
        assert [(one.pool, one.speed, one.rating, one.games, one.provisional, one.rank) for one in profile.ratings] == [
            (POOL, "untimed", 1662, 1, True, None)
        ]
        assert profile.ratings[0].game == SMALL
        course = await ann.ask(cmd.AskRatingHistory, player=loser.player.id, pool=POOL)
        assert [(point.rating, point.games) for point in course.points] == [(1338, 1)]
        pools = await ann.ask(cmd.AskPools)
        assert [(one.pool, one.players) for one in pools.pools] == [(POOL, 2)]
        board = await ann.ask(cmd.AskLeaderboard, pool=POOL)
        assert (board.entries, board.total, board.more, board.game) == ((), 0, None, SMALL)
    metrics = await server.metrics()
    assert metrics["cornered_matches_rated_total"] == 1
    assert metrics["cornered_ratings_waiting"] == metrics["cornered_ratings_behind_seconds"] == 0


async def test_a_rematch_and_a_table_are_rated_too_and_begin_with_the_new_ratings(
    ann: Client, ben: Client, pair: Pair
) -> None:
    match = await pair(ann, ben, rated=True)
    await play_and_resign(match, ann, ben)
    await ann.hear(Rated)
    await ann.do(cmd.Rematch, match=match)
    await ben.do(cmd.Rematch, match=match)
    again = (await ann.hear(Paired)).match
    shown = await ann.join(again)
    assert shown.rated
    assert [seat.rating for seat in shown.seats] == [1662, 1338]
    (live,) = [one for one in (await ann.ask(cmd.AskMyMatches)).live if one.id == again]
    assert live.rated
    assert [one.rating for one in live.ratings] == [1662, 1338]
    seek = await ann.do(cmd.CreateSeek, settings=SeekSettings(game=SMALL, rated=True, seat=0))
    joined = await ben.do(cmd.JoinSeek, seek=seek.ref)
    assert (await ben.join(joined.ref or "")).rated


async def test_a_casual_match_a_taken_back_one_and_an_early_end_change_nothing(
    ann: Client, ben: Client, pair: Pair
) -> None:
    casual = await pair(ann, ben)
    await play_and_resign(casual, ann, ben)
    taken = await pair(ann, ben, rated=True)
    await ann.do(cmd.Play, match=taken, ply=0, move="a2")
    await ann.do(cmd.RequestTakeback, match=taken)
    await ben.do(cmd.AcceptTakeback, match=taken)
    assert not (await ann.join(taken)).rated
    await play_and_resign(taken, ann, ben)
    early = await pair(ann, ben, rated=True)
    await ann.do(cmd.Play, match=early, ply=0, move="a2")
    await ben.do(cmd.Resign, match=early)
    counted = await pair(ann, ben, rated=True)
    await play_and_resign(counted, ann, ben)
    assert (await ann.hear(Rated)).match == counted
    profile = await ben.ask(cmd.AskProfile, player=ben.player.id)
    assert [one.games for one in profile.ratings] == [1]
    assert not any(isinstance(message, Rated) for message in ann.heard)


async def test_a_bot_has_its_rating_on_a_board_of_its_own(ann: Client, server: Running, pair: Pair) -> None:
    async with server.client("Bot", kind="bot") as bot:
        await bot.do(cmd.Declare, accepts=(Accepts(game="trapgrid"),), concurrency=4)
        match = await pair(ann, bot, rated=True)
        await play_and_resign(match, ann, bot)
        assert (await bot.hear(Rated)).changes[1].after == 1662
        profile = await ann.ask(cmd.AskProfile, player=bot.player.id)
        assert (profile.player.kind, profile.ratings[0].rating) == ("bot", 1662)


async def test_what_does_not_exist_is_refused(ann: Client) -> None:
    assert await ann.refused(cmd.AskProfile, player="nobody") == "unknown_player"
    assert await ann.refused(cmd.AskLeaderboard, pool="chess:blitz") == "unknown_game"
    assert await ann.refused(cmd.AskLeaderboard, pool="trapgrid:fast") == "unknown_pool"
    assert await ann.refused(cmd.AskRatingHistory, player="nobody", pool="trapgrid:size=99:blitz") == "bad_options"
    history = await ann.ask(cmd.AskRatingHistory, player="nobody", pool="trapgrid:blitz")
    assert history.points == ()


async def test_a_client_that_comes_back_is_told_what_it_missed(
    ann: Client, ben: Client, server: Running, pair: Pair
) -> None:
    match = await pair(ann, ben, rated=True)
    await play_and_resign(match, ann, ben)
    told = await ann.hear(Rated)
    async with server.client("Ben", token=ben.welcome.token) as again:
        assert isinstance(await again.ask(cmd.Join, match=match, since=2), Acknowledged)
        await again.hear(Happened)
        assert await again.hear(Rated) == told


async def test_what_a_server_left_unrated_is_rated_by_the_next_one(start: Start, pair: Pair, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'cornered.db'}"
    async with start(database=database) as server, server.client("Ann") as ann, server.client("Ben") as ben:
        matches = [await pair(ann, ben, rated=True) for _ in range(2)]
        for match in matches:
            await play_and_resign(match, ann, ben)
            await ann.hear(Rated)
        token = ann.welcome.token
    with closing(sqlite3.connect(tmp_path / "cornered.db")) as store, store:
        known: list[Any] = store.execute("SELECT * FROM rating_changes ORDER BY player, games").fetchall()
        assert len(known) == 4
        # As after a crash between the end of the second match and its rating.
        store.execute("UPDATE results SET number = NULL WHERE match = ?", (matches[1],))
        store.execute("DELETE FROM rating_changes WHERE match = ?", (matches[1],))
        columns = ("rating", "deviation", "volatility", "games", "at")
        pairs = ", ".join(f"{name} = c.{name}" for name in columns)
        store.execute(f"UPDATE ratings SET {pairs} FROM rating_changes AS c WHERE c.player = ratings.player")
    async with start(database=database) as server, server.client("Ann", token=token) as ann:
        await server.metrics_once(lambda found: found["cornered_matches_rated_total"] == 1)
        await ann.join(matches[1])
        assert (await ann.hear(Rated)).match == matches[1]
    with closing(sqlite3.connect(tmp_path / "cornered.db")) as store:
        assert store.execute("SELECT * FROM rating_changes ORDER BY player, games").fetchall() == known


async def test_many_matches_that_end_together_are_all_rated_once(ann: Client, ben: Client, pair: Pair) -> None:
    matches = [await pair(ann, ben, rated=True) for _ in range(8)]
    for match in matches:
        await ann.do(cmd.Play, match=match, ply=0, move="a2")
        await ben.do(cmd.Play, match=match, ply=1, move="c2")
    await asyncio.gather(*(ann.tell(cmd.Resign(id=f"r{match}", match=match)) for match in matches))
    told = [await ben.hear(Rated) for _ in matches]
    assert {one.match for one in told} == set(matches)
    course = await ben.ask(cmd.AskRatingHistory, player=ben.player.id, pool=POOL)
    assert [point.games for point in course.points] == list(range(1, 9))
    assert course.points[-1].rating == max(one.changes[1].after for one in told)


async def test_the_client_kit_and_the_terminal_show_the_change(server: Running) -> None:
    async with (
        SdkClient.connect(server.url, name="Ann") as ann,
        SdkClient.connect(server.url, name="Ben") as ben,
        asyncio.timeout(TIMEOUT_S),
    ):
        challenge = await ann.challenge(ben.player.id, "trapgrid", size=3, seat=0, rated=True)
        accepted = await ben.ask(cmd.AcceptChallenge(id=ben.new_id(), challenge=challenge), Acknowledged)
        first, second = [await one.join(accepted.ref or "") for one in (ann, ben)]
        assert first.snapshot.rated
        lines = OnlineMatch(ann, first).follow()
        await first.play("a2", 0)
        await second.play("c2", 1)
        await first.resign()
        told = (change.text async for change in lines if isinstance(change, Told) and "Ratings" in change.text)
        assert await anext(told) == "Ratings: Ann 1338? (-162), Ben 1662? (+162)."
        assert first.rated is not None
        assert (first.rated.pool, first.snapshot.rated) == (POOL, True)
        assert [one.rating for one in (await ben.profile()).ratings] == [1662]
        assert (await ben.profile(ann.player.id)).player.name == "Ann"
        assert [point.rating for point in await ann.rating_history(POOL)] == [1338]
        assert [one.pool for one in await ann.rating_pools()] == [POOL]
        assert (await ann.leaderboard(POOL)).entries == ()


@pytest.mark.parametrize("has_key", [True, False])
async def test_a_house_bot_begins_at_its_measured_strength_where_its_name_is_reserved(
    start: Start, pair: Pair, has_key: bool
) -> None:
    key = SecretStr("k" * 32 if has_key else "")
    async with start(analyst_key=key) as server, server.client("Ann") as ann:
        hello: dict[str, Any] = {"key": key.get_secret_value()} if has_key else {}
        async with server.client("level-10", kind="bot", **hello) as bot:
            assert bot.player.name == "level-10"
            await bot.do(cmd.Declare, accepts=(Accepts(game="trapgrid"),), concurrency=4)
            game = GameSpec(name="trapgrid")
            match = await pair(ann, bot, rated=True, game=game)
            shown = await ann.join(match)
            assert [seat.rating for seat in shown.seats] == [1500, ANCHORS["trapgrid"][9] if has_key else 1500]
            for ply, client in enumerate((ann, bot)):
                legal = await client.ask(cmd.AskMoves, match=match, ply=ply)
                await client.do(cmd.Play, match=match, ply=ply, move=legal.moves[0])
            await bot.do(cmd.Resign, match=match)
            told = await ann.hear(Rated)
            assert told.changes[1].before == (ANCHORS["trapgrid"][9] if has_key else 1500)


async def test_a_profile_with_many_ratings_is_paid_for(start: Start, sqlite_url: str) -> None:
    database = await Database.open(sqlite_url)
    rich, poor = [(await SqlAccounts(database).create(name, "person"))[0].player.id for name in ("Ann", "Ben")]
    pools = [f"trapgrid:size={size}:{speed}" for size in range(3, 9) for speed in ("blitz", "rapid", "untimed")]
    await SqlRatings(database).replace(0, [(rich, pool, "person", Rating(games=1)) for pool in pools], [])
    await database.close()
    asked = dict[str, int]()
    async with start(database=sqlite_url) as server:
        for player in (rich, poor):
            async with server.client("Cas") as cas:
                while isinstance(await cas.ask(cmd.AskProfile, player=player), Profile):
                    asked[player] = asked.get(player, 0) + 1
    assert 1 <= asked[rich] < asked[poor]
