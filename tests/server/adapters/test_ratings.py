"""The contract of ratings, applied to every adapter."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from cornered.protocol.events import Ended, Started
from cornered.protocol.values import Fischer, GameSpec, Player, PlayerKind
from cornered.server.adapters.database import Database
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.adapters.ratings_memory import MemoryRatings
from cornered.server.adapters.ratings_sql import SqlRatings
from cornered.server.cluster.ports import Ownership
from cornered.server.match.catalogue import settle
from cornered.server.ports import Journal
from cornered.server.rating.ports import Backlog, NumberTaken, Ratings, RatingsUnavailable
from cornered.server.rating.ratings import NEW, Change, Rating, rate
from tests.server.adapters.conftest import Opener

POOL = "trapgrid:blitz"
SPEC = settle(GameSpec(name="trapgrid"))[1]
NOW = 10**12


@pytest.fixture
async def journal(stored: Database | None, ownership: Ownership | None) -> Any:
    journal: Any = MemoryJournal() if stored is None else SqlJournal(stored, ownership)
    yield journal
    await journal.close()


@pytest.fixture
def ratings(stored: Database | None, journal: Journal) -> Ratings:
    if isinstance(journal, MemoryJournal):
        return MemoryRatings(journal)
    assert stored is not None
    return SqlRatings(stored)


def player(name: str, kind: PlayerKind = "person") -> Player:
    return Player(id=name, name=name.title(), kind=kind)


async def end(
    journal: Journal,
    match: str,
    one: str,
    two: str,
    *,
    at: int,
    places: tuple[int, ...] = (1, 2),
    rated: bool = True,
    version: str | None = None,
) -> None:
    """Store a match in two appends, as one that is played; the second player may have a version."""
    start = Started(
        seq=1,
        at=at - 1,
        match=match,
        game=SPEC,
        players=(player(one), player(two, "bot" if two.startswith("bot") else "person")),
        clock=Fischer(initial=180, increment=2),
        commitment="c" * 64,
        rated=rated,
        versions=(None, version) if version else (),
    )
    await journal.append(match, 0, [start])
    last = Ended(seq=2, at=at, winner=None, places=places, reason="rules", seed="5" * 64, rated=rated)
    await journal.append(match, 1, [last])


async def rate_all(ratings: Ratings) -> None:
    """Rate what waits, one by one."""
    while pending := await ratings.pending(1):
        newest = await ratings.newest()
        (one,) = pending
        await ratings.store(newest, [(one.match, await changes_of(ratings, one.result))])


async def changes_of(ratings: Ratings, result: Any) -> Sequence[Change]:
    keys = [(each.id, result.pool) for each in result.players]
    current = await ratings.current(keys)
    return rate(result, (current.get(keys[0], NEW), current.get(keys[1], NEW)))


async def test_results_that_count_wait_in_the_order_of_their_ends_and_are_numbered(
    journal: Journal, ratings: Ratings
) -> None:
    assert await ratings.backlog() == Backlog(0, 0)
    await end(journal, "m0", "ann", "ben", at=NOW)
    await end(journal, "casual", "ann", "ben", at=NOW, rated=False)
    await end(journal, "m1", "ben", "ann", at=NOW + 5, places=(1, 1))
    pending = await ratings.pending(10)
    assert [(one.match, one.result and (one.result.pool, one.result.score, one.result.at)) for one in pending] == [
        ("m0", (POOL, 1.0, NOW)),
        ("m1", (POOL, 0.5, NOW + 5)),
    ]
    assert [one.match for one in await ratings.pending(1)] == ["m0"]
    assert await ratings.backlog() == Backlog(2, NOW)
    await end(journal, "m2", "ann", "ben", at=NOW + 6)
    await rate_all(ratings)
    assert (await ratings.newest(), await ratings.pending(5), await ratings.backlog()) == (3, [], Backlog(0, 0))
    ann = (await ratings.current([("ann", POOL), ("nobody", POOL)]))["ann", POOL]
    assert (ann.games, ann.at) == (3, NOW + 6)
    first, second = (await ratings.changes(["m2", "unknown"]))["m2"]
    assert (first.player, first.after, first.seat, second.player, second.seat) == ("ann", ann, 0, "ben", 1)
    rated = await ratings.rated(1, 5)
    assert [(number, one.match, len(changes)) for number, one, changes in rated] == [(2, "m1", 2), (3, "m2", 2)]
    assert [key[:2] for key in await ratings.all(5)] == [("ann", POOL), ("ben", POOL)]
    assert [key[:2] for key in await ratings.all(5, ("ann", POOL))] == [("ben", POOL)]


async def test_the_versions_of_a_bot_are_kept_with_its_rating(journal: Journal, ratings: Ratings) -> None:
    for number in range(22):
        version = "1.0" if number < 21 else "2.0"
        await end(journal, f"m{number:02}", "ann", "bot", at=NOW + number, places=(2, 1), version=version)
    await rate_all(ratings)
    bot = (await ratings.current([("bot", POOL)]))["bot", POOL]
    assert [(one.version, one.games, one.at) for one in bot.versions] == [("1.0", 21, NOW + 20), ("2.0", 1, NOW + 21)]
    assert (bot.versions[-1].rating, bot.versions[-1].deviation) == (bot.rating, bot.deviation)
    assert bot.renewed == 21
    (standing,) = await ratings.standings("bot", NOW, 5)
    assert standing.rating == bot
    assert [rating for player, _, rating in await ratings.all(5) if player == "bot"] == [bot]
    changes = (await ratings.changes(["m21"]))["m21"]
    assert changes[1].deviation_before == 350
    assert changes[1].before == bot.versions[0].rating


async def test_who_read_before_another_stored_stores_nothing(journal: Journal, ratings: Ratings) -> None:
    await end(journal, "a", "ann", "ben", at=NOW)
    await end(journal, "b", "ann", "ben", at=NOW + 1)
    one, two = await ratings.pending(2)
    changes = await changes_of(ratings, one.result)
    stale = await changes_of(ratings, two.result)
    await ratings.store(0, [("a", changes)])
    for number, match, late in ((0, "a", changes), (0, "b", stale), (1, "b", stale)):
        if number == 1 and isinstance(ratings, MemoryRatings):
            continue
        with pytest.raises(NumberTaken):
            await ratings.store(number, [(match, late)])
    assert await ratings.newest() == 1
    assert (await ratings.current([("ann", POOL)]))["ann", POOL].games == 1
    await rate_all(ratings)
    assert (await ratings.current([("ann", POOL)]))["ann", POOL].games == 2


async def test_what_began_with_a_rating_that_was_mended_since_is_not_stored(journal: Journal, ratings: Ratings) -> None:
    await end(journal, "a", "ann", "ben", at=NOW)
    await rate_all(ratings)
    await end(journal, "b", "ann", "ben", at=NOW + 1)
    (one,) = await ratings.pending(1)
    changes = await changes_of(ratings, one.result)
    await ratings.replace(1, [("ann", POOL, "person", replace(changes[0].after, rating=1_000.0, games=1))], [])
    with pytest.raises(NumberTaken):
        await ratings.store(1, [("b", changes)])
    assert await ratings.newest() == 1
    await rate_all(ratings)
    assert (await ratings.changes(["b"]))["b"][0].before == 1_000.0


async def test_a_result_that_cannot_be_rated_has_no_changes_and_wrong_ones_are_corrected(
    journal: Journal, ratings: Ratings
) -> None:
    await end(journal, "none", "cas", "dan", at=NOW - 1)
    await ratings.store(0, [("none", ())])
    assert (await ratings.newest(), await ratings.changes(["none"]), await ratings.pending(5)) == (1, {}, [])
    assert [(number, list(changes)) for number, _, changes in await ratings.rated(0, 5)] == [(1, [])]
    await end(journal, "a", "ann", "ben", at=NOW)
    await rate_all(ratings)
    right = (await ratings.changes(["a"]))["a"]
    ((one, result, _),) = await ratings.rated(1, 1)
    assert (one, result.match) == (2, "a")
    wrong = [Change("a", each.seat, each.player, each.kind, POOL, 1.0, 2.0, at_rating(7)) for each in right]
    await ratings.correct(wrong)
    assert (await ratings.changes(["a"]))["a"] == wrong
    await ratings.correct(right)
    assert (await ratings.changes(["a"]))["a"] == right


def at_rating(rating: float, deviation: float = 60) -> Rating:
    return Rating(rating, deviation, 0.06, 30, NOW)


async def test_a_leaderboard_has_the_established_of_one_kind_in_pages(ratings: Ratings) -> None:
    people = [("p1", 1800.0), ("p2", 1700.0), ("p3", 1700.0), ("p4", 1600.0)]
    rows: list[tuple[str, str, PlayerKind, Rating]] = [
        (name, POOL, "person", at_rating(value)) for name, value in people
    ]
    rows += [("new", POOL, "person", at_rating(2_000, 200)), ("bot", POOL, "bot", at_rating(2_500))]
    rows += [("p1", "bamboo:blitz", "person", at_rating(1_000)), ("absent", POOL, "person", at_rating(1_900, 109.9))]
    await ratings.replace(0, rows, [])
    day = NOW + 30 * 86_400_000
    assert [one.player for one in await ratings.leaders(POOL, "person", day, 2)] == ["p1", "p3"]
    assert [one.player for one in await ratings.leaders(POOL, "person", day, 2, "p3")] == ["p2", "p4"]
    assert await ratings.leaders(POOL, "person", day, 2, "p4") == []
    assert await ratings.leaders(POOL, "person", day, 2, "nobody") == []
    assert (await ratings.established(POOL, "person", day), await ratings.established(POOL, "bot", day)) == (4, 1)
    assert await ratings.pools(5) == [(POOL, 7), ("bamboo:blitz", 1)]
    assert await ratings.pools(1) == [(POOL, 7)]
    ranks = {one.pool: one.rank for one in await ratings.standings("p1", day, 5)}
    assert ranks == {POOL: 1, "bamboo:blitz": 1}
    assert [one.rank for name in ("p2", "p4", "new", "absent") for one in await ratings.standings(name, day, 5)] == [
        3,
        4,
        None,
        None,
    ]
    assert len(await ratings.standings("p1", day, 1)) == 1
    await ratings.replace(0, [], [("p1", POOL)])
    assert (await ratings.leaders(POOL, "person", day, 1))[0].player == "p3"
    with pytest.raises(NumberTaken):
        await ratings.replace(7, rows, [])


async def test_a_long_history_is_thinned(journal: Journal, ratings: Ratings) -> None:
    for number in range(12):
        await end(journal, f"m{number}", "ann", "ben", at=NOW + number, places=(1 + number % 2, 2 - number % 2))
    await rate_all(ratings)
    whole = await ratings.history("ann", POOL, 12)
    assert [one.games for one in whole] == list(range(1, 13))
    some = await ratings.history("ann", POOL, 4)
    assert [one.games for one in some] == [1, 5, 8, 12]
    assert some[-1] == whole[-1]
    assert await ratings.history("ann", "bamboo:blitz", 4) == []


async def test_of_two_processes_one_stores(open_database: Opener) -> None:
    first, second = await open_database(), await open_database()
    journal = SqlJournal(first)
    await end(journal, "a", "ann", "ben", at=NOW)
    await journal.close()
    stores = [SqlRatings(database) for database in (first, second)]
    (pending,) = await stores[0].pending(1)
    changes = await changes_of(stores[0], pending.result)
    done = await asyncio.gather(*(one.store(0, [("a", changes)]) for one in stores), return_exceptions=True)
    assert sorted(type(one).__name__ for one in done) == ["NoneType", "NumberTaken"]
    assert await stores[1].newest() == 1


async def test_an_event_that_cannot_be_read_blocks_no_other_result(open_database: Opener) -> None:
    database = await open_database()
    journal = SqlJournal(database)
    for match in ("a", "b"):
        await end(journal, match, "ann", "ben", at=NOW)
    await journal.close()
    async with database.writing() as connection:
        await connection.execute(text("UPDATE events SET body = '{}' WHERE match = 'a' AND seq = 1"))
    pending = await SqlRatings(database).pending(5)
    assert [(one.match, one.result is None) for one in pending] == [("a", True), ("b", False)]


async def test_a_store_that_is_away_is_an_error_of_its_own(open_database: Opener) -> None:
    database = await open_database()

    async def rename(table: str, name: str) -> None:
        async with database.writing() as connection:
            await connection.execute(text(f"ALTER TABLE {table} RENAME TO {name}"))

    await rename("ratings", "away")
    store = SqlRatings(database)
    try:
        with pytest.raises(RatingsUnavailable):
            await store.current([("ann", POOL)])
        with pytest.raises(RatingsUnavailable):
            await store.replace(0, [("ann", POOL, "person", NEW)], [])
    finally:
        await rename("away", "ratings")


@pytest.mark.postgres
async def test_nobody_waits_for_a_node_that_hangs_while_it_rates(postgres_url: str) -> None:
    url = postgres_url
    hanging, database = await Database.open(url), await Database.open(url)
    journal, ratings = SqlJournal(database), SqlRatings(database)
    await end(journal, "a", "ann", "ben", at=NOW)
    (pending,) = await ratings.pending(1)
    changes = await changes_of(ratings, pending.result)
    async with asyncio.timeout(20), hanging.writing() as connection:
        await connection.execute(text("LOCK TABLE ratings IN EXCLUSIVE MODE"))
        with pytest.raises(NumberTaken):
            await ratings.store(0, [("a", changes)])
        assert await ratings.current([("ann", POOL)]) == {}
        await end(journal, "b", "ann", "ben", at=NOW + 1)
    await ratings.store(0, [("a", changes)])
    await journal.close()
    for one in (hanging, database):
        await one.close()
