"""Ratings that are computed again from the journal are those that are stored."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlalchemy import select, text, update

from cornered.engine.progress import Progress
from cornered.protocol.commands import Abort, AcceptTakeback, OfferDraw, Play, RequestTakeback, Resign
from cornered.protocol.events import MatchEvent
from cornered.protocol.values import NO_CLOCK, Clock, Fischer, GameSpec, Player, SeatRating
from cornered.server.adapters.database import Database
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.adapters.ratings_memory import MemoryRatings
from cornered.server.adapters.ratings_sql import SqlRatings
from cornered.server.adapters.tables import RATING_CHANGES, RATINGS, RESULTS
from cornered.server.match.catalogue import settle
from cornered.server.match.match import Match, open_match
from cornered.server.match.terms import Opening
from cornered.server.ports import Journal
from cornered.server.rating import versions
from cornered.server.rating.ports import Ratings, RatingsUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime import recomputation
from cornered.server.runtime.rating_service import rate_all
from cornered.server.runtime.recomputation import recompute
from tests.server.adapters.conftest import Opener

SEED = bytes(32)
DAY = 86_400_000
PLAYERS = [Player(id=f"p{n}", name=f"Player {n}", kind="bot" if n % 2 else "person") for n in range(6)]
SPECS = [
    GameSpec(name="trapgrid", options={"size": 3}),
    GameSpec(name="bamboo", options={"radius": 1}),
    GameSpec(name="isolation", options={"width": 3, "height": 3, "dice": True}),
    GameSpec(name="quoridor", options={"size": 3, "max_plies": 12}),
]
CLOCKS: list[Clock] = [NO_CLOCK, Fischer(initial=60), Fischer(initial=300, increment=3)]


def play(number: int, at: int, chance: random.Random) -> list[MatchEvent]:
    """Return a random match: played out, resigned, drawn, aborted or taken back; some are casual."""
    spec = settle(chance.choice(SPECS))[1]
    players, is_rated = chance.sample(PLAYERS, 2), chance.random() < 0.9
    named = [chance.choice([None, "1.0", "1.1", "2.0"]) if one.kind == "bot" else None for one in players]
    opening = Opening(f"m{number}", spec, players, chance.choice(CLOCKS), rated=is_rated, versions=named)
    # As house bots have it, whose later matches began before the first one was rated.
    anchors = [SeatRating(rating=1_800, provisional=True, anchored=one.kind == "bot") for one in opening.players]
    log = list(open_match(opening, SEED, now=at, ratings=anchors if opening.rated else ()))
    match = Match.replay(log, SEED)
    while not match.over:
        at += 100
        name, seat = f"c{match.seq}", match.to_move
        commands = [Play(id=name, match=match.id, ply=match.ply, move=chance.choice(match.state.moves()))] * 20
        others = [kind(id=name, match=match.id) for kind in (Resign, OfferDraw, Abort, RequestTakeback, AcceptTakeback)]
        try:
            events = match.decide(chance.choice([*commands, *others]), seat, at)
        except Refusal:
            continue
        for event in events:
            match = match.evolve(event)
        log += events
    return log


async def fill(journal: Journal, matches: int, rating: Sequence[Ratings]) -> None:
    """Store random matches, and rate them on the way, several at a time and by all of `rating` at once."""
    chance = random.Random(11)
    for number in range(matches):
        log = play(number, 1_000 + number * DAY // 2, chance)
        cut = chance.randint(1, len(log) - 1)
        await journal.append(f"m{number}", 0, log[:cut])
        await journal.append(f"m{number}", cut, log[cut:])
        if chance.random() < 0.3:
            await asyncio.gather(*map(rate_all, rating))
    await asyncio.gather(*map(rate_all, rating))
    await journal.close()


async def contents(database: Database) -> list[object]:
    async with database.reading() as connection:
        return [
            (await connection.execute(select(table).order_by(*table.primary_key.columns))).all()
            for table in (RESULTS, RATINGS, RATING_CHANGES)
        ]


async def test_ratings_of_random_games_are_those_of_the_journal(
    open_database: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recomputation, "PAGE", 7)
    monkeypatch.setattr(versions, "LEAST_GAMES", 2)
    monkeypatch.setattr(versions, "MAX_VERSIONS", 2)
    first, second = await open_database(), await open_database()
    await fill(SqlJournal(first), 40, [SqlRatings(first), SqlRatings(second)])
    store = SqlRatings(second)
    reports: list[Progress] = []
    findings = await recompute(store, reports.append, mends=False)
    assert findings.is_right
    assert findings.results == await store.newest() > 20
    assert (findings.unreadable, findings.wrong_changes, findings.wrong_ratings) == (0, 0, 0)
    assert reports[0].done == 7
    right = await contents(first)
    stored = [rating for _, _, rating in await store.all(1_000)]
    assert any(rating.renewed for rating in stored)
    assert max(len(rating.versions) for rating in stored) == 2

    async with first.writing() as connection:
        await connection.execute(update(RATINGS).values(versions="[]").where(RATINGS.c.player == "p3"))
    assert (await recompute(store, mends=False)).wrong_ratings > 0
    assert (await recompute(store, mends=True)).is_right
    assert await contents(first) == right

    async with first.writing() as connection:
        await connection.execute(update(RATINGS).where(RATINGS.c.player == "p1").values(rating=RATINGS.c.rating + 1))
        await connection.execute(update(RATING_CHANGES).where(RATING_CHANGES.c.games == 3).values(deviation=50.0))
        await connection.execute(text("DELETE FROM rating_changes WHERE games = 1 AND player = 'p0'"))
        await connection.execute(text("DELETE FROM ratings WHERE player = 'p2'"))
        stray = "INSERT INTO ratings VALUES ('stray', 'trapgrid:blitz', 'person', 9.0, 9.0, 0.05, 1, 1, 1, '[]', 0)"
        await connection.execute(text(stray))
    wrong = await contents(first)
    found = await recompute(store, mends=False)
    assert not found.is_right
    assert found.wrong_changes > 3
    assert found.wrong_ratings > 3
    assert await contents(first) == wrong
    mended = await recompute(store, mends=True)
    assert mended == replace(found, is_mended=True)
    assert await contents(first) == right
    assert (await recompute(store, mends=False)).is_right


async def test_what_is_rated_meanwhile_is_right_too(open_database: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recomputation, "PAGE", 5)
    first, second = await open_database(), await open_database()
    await fill(SqlJournal(first), 30, [SqlRatings(first)])
    right = await contents(first)
    async with first.writing() as connection:
        await connection.execute(update(RATINGS).values(rating=RATINGS.c.rating + 100))
        # The newest results wait again, whose changes were never stored.
        await connection.execute(
            text("DELETE FROM rating_changes WHERE match IN (SELECT match FROM results WHERE number > 15)")
        )
        await connection.execute(text("UPDATE results SET number = NULL WHERE number > 15"))
    async with first.writing() as connection:
        # The ratings as they were after the fifteenth result, but wrong by a hundred.
        await connection.execute(text("DELETE FROM ratings"))
    await recompute(SqlRatings(first), mends=True)
    async with first.writing() as connection:
        await connection.execute(update(RATINGS).values(rating=RATINGS.c.rating + 100))
    await asyncio.gather(recompute(SqlRatings(second), mends=True), rate_all(SqlRatings(first)))
    assert (await recompute(SqlRatings(first), mends=True)).is_right
    assert await contents(first) == right


async def test_ratings_in_memory_are_those_of_the_journal_too() -> None:
    journal = MemoryJournal()
    store = MemoryRatings(journal)
    await fill(journal, 40, [store])
    findings = await recompute(store, mends=False)
    assert findings.is_right
    assert findings.results > 20


async def test_what_contradicts_itself_is_an_error_and_no_endless_attempt(open_database: Opener) -> None:
    database = await open_database()
    await fill(SqlJournal(database), 6, [SqlRatings(database)])
    async with database.writing() as connection:
        await connection.execute(text("UPDATE results SET number = NULL WHERE number = 3"))
    with pytest.raises(RatingsUnavailable, match="cannot be rated"):
        await rate_all(SqlRatings(database))
