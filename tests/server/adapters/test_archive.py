"""The archive of finished matches, applied to every adapter of the journal, and the filling of older stores."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from sqlalchemy import delete, insert, select, text
from sqlalchemy.dialects import sqlite

from cornered.protocol.archive import ArchiveFilter, ArchiveOrder, HeadToHeadCount, OpeningMove
from cornered.protocol.events import Ended, MatchEvent, Played, Rolled, Started, TakenBack
from cornered.protocol.values import NO_CLOCK, Clock, Fischer, GameSpec, Player
from cornered.server.adapters import archive_fill, archive_reader
from cornered.server.adapters.archive_rows import ARCHIVE_TABLES
from cornered.server.adapters.archive_tables import ARCHIVE, ARCHIVE_FILL
from cornered.server.adapters.database import Database
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.adapters.tables import EVENTS
from cornered.server.archive.index import variant_of
from cornered.server.archive.search import Cursor, Search
from cornered.server.cluster.ports import Ownership
from cornered.server.ports import Journal
from tests.server.adapters.conftest import ANNA, BERT, Opener, Sample

CARL = Player(id="carl", name="Carl", kind="person")
SMALL = GameSpec(name="trapgrid", options={"size": 5, "dice": False})
TIMES = itertools.count(1_000)


@pytest.fixture
async def journal(stored: Database | None, ownership: Ownership | None) -> AsyncIterator[Journal]:
    if stored is None:
        yield MemoryJournal()
        return
    sql = SqlJournal(stored, ownership)
    yield sql
    await sql.close()


def log_of(
    match: str,
    *moves: str,
    players: Sequence[Player] = (ANNA, BERT),
    winner: int | None = 0,
    places: tuple[int, ...] | None = None,
    reason: Any = "rules",
    game: GameSpec = SMALL,
    clock: Clock = NO_CLOCK,
    private: bool = False,
    at: int | None = None,
) -> list[MatchEvent]:
    """Return the events of a finished match."""
    started = Started(
        seq=1, at=1, match=match, game=game, players=tuple(players), clock=clock, commitment="c", private=private
    )
    log: list[MatchEvent] = [started]
    for ply, move in enumerate(moves):
        left = (None,) * len(players)
        log.append(
            Played(seq=ply + 2, at=2, seat=ply % len(players), cause=f"c{ply}", ply=ply, move=move, spent=1, left=left)
        )
    if places is None:
        places = (1, 1) if winner is None else (1, 2) if winner == 0 else (2, 1)
    ended = next(TIMES) if at is None else at
    log.append(Ended(seq=len(log) + 1, at=ended, winner=winner, places=places, reason=reason, seed="5"))
    return log


async def store(journal: Journal, log: Sequence[MatchEvent]) -> None:
    """Store a match as it is played: its end comes after the rest."""
    name = log[0].match if isinstance(log[0], Started) else ""
    await journal.append(name, 0, log[:-1])
    await journal.append(name, len(log) - 1, log[-1:])


async def found(journal: Journal, viewer: str | None = None, variant: str | None = None, **wanted: Any) -> list[str]:
    """Return the ids of all pages of a search."""
    search, ids, after = Search(ArchiveFilter(**wanted), viewer, variant), list[str](), None
    while True:
        page = await journal.search(search, 2, after)
        ids += page.matches
        if page.more is None:
            return ids
        assert Cursor.parse(str(page.more)) == page.more
        after = page.more


async def test_each_condition_keeps_the_matches_that_meet_it(journal: Journal) -> None:
    await store(journal, log_of("a", "b3", "c3", "d4", clock=Fischer(initial=60)))
    await store(journal, log_of("b", "b3", "c4", winner=1, reason="resignation"))
    await store(journal, log_of("c", "B3", winner=None, reason="agreement", players=(ANNA, CARL)))
    await store(journal, log_of("d", "b33", reason="aborted", winner=None, places=()))
    other = GameSpec(name="trapgrid", options={"size": 6, "dice": False})
    await store(journal, log_of("e", players=(CARL, BERT), game=other))
    await store(journal, log_of("f", players=(CARL, BERT), game=GameSpec(name="quoridor", options={"size": 5})))
    await journal.append("live", 0, log_of("live")[:1])

    assert await found(journal) == ["f", "e", "d", "c", "b", "a"]
    assert await found(journal, order="oldest") == ["a", "b", "c", "d", "e", "f"]
    assert (await found(journal, order="longest"))[:2] == ["a", "b"]
    assert await found(journal, player="anna") == ["d", "c", "b", "a"]
    assert await found(journal, player="anna", opponent="carl") == ["c"]
    assert await found(journal, opponent="carl") == ["f", "e", "c"]
    assert await found(journal, game="trapgrid", player="carl") == ["e", "c"]
    assert await found(journal, game="quoridor") == ["f"]
    assert await found(journal, game="trapgrid", options={"size": 6}) == ["e"]
    assert await found(journal, game="trapgrid", options={"dice": False, "size": 5}) == ["d", "c", "b", "a"]
    assert await found(journal, game="trapgrid", variant=variant_of(other)) == ["e"]
    assert await found(journal, player="anna", result="win") == ["a"]
    assert await found(journal, player="anna", result="loss") == ["b"]
    assert await found(journal, player="anna", result="draw") == ["c"]
    assert await found(journal, result="none") == ["d"]
    assert await found(journal, result="decided", player="bert") == ["f", "e", "b", "a"]
    assert await found(journal, result="draw") == ["c"]
    assert await found(journal, reason="resignation") == ["b"]
    assert await found(journal, clock="fischer") == ["a"]
    assert await found(journal, rated=True) == []
    assert len(await found(journal, rated=False)) == 6
    assert await found(journal, least_plies=2) == ["b", "a"]
    assert await found(journal, most_plies=2, least_plies=2, order="longest") == ["b"]
    assert await found(journal, least_rating=0) == []
    assert await found(journal, most_rating=4_000) == []
    # A move is a whole word, in its own letters.
    assert await found(journal, opening=("b3",)) == ["b", "a"]
    assert await found(journal, opening=("b3", "c3")) == ["a"]
    assert await found(journal, player="nobody") == []


async def test_matches_are_found_by_the_time_of_their_end(journal: Journal) -> None:
    for number in range(6):
        await store(journal, log_of(f"m{number}", at=100 + number))
    assert await found(journal, ended_from=102, ended_until=104) == ["m4", "m3", "m2"]
    assert await found(journal, ended_from=104, order="oldest", player="anna") == ["m4", "m5"]


async def test_pages_lose_nothing_where_many_matches_are_equal(journal: Journal) -> None:
    names = {f"m{number}" for number in range(9)}
    for name in names:
        await store(journal, log_of(name, "b3", at=7))
    for order in ORDERS:
        for wanted in ({}, {"player": "anna"}, {"game": "trapgrid"}):
            assert sorted(await found(journal, order=order, **wanted)) == sorted(names)


async def test_a_private_match_is_found_by_its_players_alone(journal: Journal) -> None:
    await store(journal, log_of("hidden", "b3", private=True))
    await store(journal, log_of("open", "b3"))
    assert await found(journal) == ["open"]
    assert await found(journal, viewer="anna") == ["open"]
    assert await found(journal, viewer="carl", player="anna") == ["open"]
    assert await found(journal, player="anna") == ["open"]
    assert await found(journal, viewer="anna", player="anna") == ["open", "hidden"]
    assert await found(journal, viewer="anna", player="bert", opponent="anna") == ["open", "hidden"]
    assert await journal.head_to_head("anna", "bert") == (HeadToHeadCount(game="trapgrid", wins=1, losses=0, draws=0),)
    assert (await journal.opening(variant_of(SMALL), ""))[0] == 1


async def test_a_page_looks_through_a_bounded_number_of_matches(
    stored: Database | None, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    if stored is None:
        # Memory is looked through as a whole.
        return
    monkeypatch.setattr(archive_reader, "SCANNED_ROWS", 3)
    for number in range(10):
        await store(journal, log_of(f"m{number}", reason="time" if number == 0 else "rules", private=number in (5, 6)))
    page = await journal.search(Search(ArchiveFilter(reason="time")), 2)
    assert page.matches == ()
    assert page.more is not None
    assert "m" not in str(page.more)
    assert await found(journal, reason="time") == ["m0"]
    assert await found(journal, reason="time", player="bert", order="longest") == ["m0"]


async def test_results_are_counted_head_to_head(journal: Journal) -> None:
    for number, winner in enumerate((0, 0, 1, None)):
        await store(journal, log_of(f"m{number}", winner=winner))
    await store(journal, log_of("q", game=GameSpec(name="quoridor"), players=(BERT, ANNA)))
    await store(journal, log_of("none", winner=None, places=(), reason="aborted"))
    await store(journal, log_of("three", players=(ANNA, CARL, BERT), places=(2, 1, 3), winner=1))
    counted = HeadToHeadCount(game="trapgrid", wins=3, losses=1, draws=1)
    lost = HeadToHeadCount(game="quoridor", wins=0, losses=1, draws=0)
    assert list(await journal.head_to_head("anna", "bert")) == [counted, lost]
    assert list(await journal.head_to_head("anna", "bert", "quoridor")) == [lost]
    assert (await journal.head_to_head("bert", "anna"))[0].losses == 3
    assert list(await journal.head_to_head("anna", "nobody")) == []


async def test_moves_of_an_opening_are_counted_for_their_players(journal: Journal) -> None:
    variant = variant_of(SMALL)
    await store(journal, log_of("a", "b3", "c3", winner=0))
    await store(journal, log_of("b", "b3", "c4", winner=1))
    await store(journal, log_of("c", "b3", "c4", winner=None))
    await store(journal, log_of("d", "a1", winner=1))
    await store(journal, log_of("e", "b3", winner=None, places=(), reason="aborted"))
    games, moves = await journal.opening(variant, "")
    assert games == 4
    assert list(moves) == [
        OpeningMove(move="b3", games=3, wins=1, draws=1),
        OpeningMove(move="a1", games=1, wins=0, draws=0),
    ]
    assert list((await journal.opening(variant, "b3"))[1]) == [
        OpeningMove(move="c4", games=2, wins=1, draws=1),
        OpeningMove(move="c3", games=1, wins=0, draws=0),
    ]
    assert await journal.opening(variant_of(GameSpec(name="trapgrid")), "") == (0, ())


async def test_eight_plies_are_an_opening_and_what_was_taken_back_is_none(journal: Journal) -> None:
    moves = [f"a{number}" for number in range(12)]
    log = log_of("long", *moves)
    await store(journal, log)
    started, one, two, *_ = log_of("back", "b3", "c3")
    back = TakenBack(seq=4, at=3, seat=1, cause="t", ply=1, left=(None, None))
    roll = Rolled(seq=5, at=3, ply=1, move="6")
    end = Ended(seq=6, at=9_999_999, winner=0, places=(1, 2), reason="rules", seed="5")
    await store(journal, [started, one, two, back, roll, end])
    variant = variant_of(SMALL)
    assert (await journal.opening(variant, " ".join(moves[:7])))[0] == 1
    assert (await journal.opening(variant, " ".join(moves[:8])))[0] == 0
    assert list((await journal.opening(variant, "b3"))[1]) == [OpeningMove(move="6", games=1, wins=0, draws=0)]
    assert await found(journal, most_plies=2) == ["back"]


async def test_matches_that_end_in_one_commit_are_counted_together(journal: Journal) -> None:
    await asyncio.gather(*(journal.append(f"m{number}", 0, log_of(f"m{number}", "b3")) for number in range(30)))
    assert (await journal.opening(variant_of(SMALL), ""))[0] == 30
    assert len(await found(journal)) == 30


async def test_a_store_of_today_is_indexed_when_it_is_opened(
    open_database: Opener, monkeypatch: pytest.MonkeyPatch, sample: Sample
) -> None:
    monkeypatch.setattr(archive_fill, "BATCH_MATCHES", 4)
    database = await open_database()
    journal = SqlJournal(database)
    for number in range(11):
        await store(journal, log_of(f"m{number:02}", "b3", winner=number % 2, private=number == 3))
    await journal.append("live", 0, [sample.started("live")])
    await store(journal, log_of("torn", "b3"))
    # The counters would count the torn match too.
    expected = [await contents(database, number) for number in range(2)]
    names = set(await found(journal)) - {"torn"}
    async with database.writing() as connection:
        # As a version before the archive leaves it.
        for table in ARCHIVE_TABLES:
            await connection.execute(delete(table))
        await connection.execute(insert(ARCHIVE_FILL), {"id": 1, "after": ""})
        await connection.execute(EVENTS.update().where(EVENTS.c.match == "torn", EVENTS.c.seq == 2).values(body="{"))
        # The first batch of a start that is killed then.
        await connection.commit()
        await archive_fill.fill_archive(connection, 1, most=1)
    async with database.reading() as connection:
        assert (await connection.execute(select(ARCHIVE_FILL.c.after))).scalar() == "m03"
    again = await open_database()
    journal = SqlJournal(again)
    assert set(await found(journal)) == names
    for number, rows in enumerate(expected):
        assert [row for row in rows if row[0] != "torn"] == await contents(again, number)
    assert (await journal.opening(variant_of(SMALL), ""))[0] == 10
    async with again.reading() as connection:
        assert (await connection.execute(select(ARCHIVE_FILL.c.after))).first() is None


async def contents(database: Database, number: int) -> list[tuple[Any, ...]]:
    async with database.reading() as connection:
        rows = (await connection.execute(select(ARCHIVE_TABLES[number]))).all()
    return sorted(tuple(row) for row in rows)


async def test_a_damaged_match_ends_and_is_not_in_the_archive(open_database: Opener) -> None:
    database = await open_database()
    journal = SqlJournal(database)
    log = log_of("m", "b3")
    await journal.append("m", 0, log[:-1])
    async with database.writing() as connection:
        await connection.execute(EVENTS.update().where(EVENTS.c.match == "m", EVENTS.c.seq == 2).values(body="{"))
    await journal.append("m", len(log) - 1, log[-1:])
    assert await journal.finished(None, 5) == ["m"]
    assert await found(journal) == []
    async with database.reading() as connection:
        assert (await connection.execute(select(ARCHIVE.c.match))).first() is None
    await journal.close()


ORDERS: tuple[ArchiveOrder, ...] = ("newest", "oldest", "longest")


async def test_a_search_reads_an_index_in_its_order(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url)
    keys: list[dict[str, str]] = [{}, {"player": "anna"}, {"game": "trapgrid"}]
    async with database.reading() as connection:
        for order, key in itertools.product(ORDERS, keys):
            wanted = ArchiveFilter.model_validate({"order": order, "ended_from": 1, **key})
            window = archive_reader.window_of(Search(wanted), Cursor(5, 6)).limit(10)
            compiled = str(window.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
            steps = [row.detail for row in (await connection.execute(text(f"EXPLAIN QUERY PLAN {compiled}"))).all()]
            assert len(steps) == 1, steps
            assert " USING " in steps[0]
            assert "INDEX archive_" in steps[0]
    await database.close()
