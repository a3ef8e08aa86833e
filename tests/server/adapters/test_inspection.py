"""Deliberately damaged databases: damage is found and isolated, and everything else is read and played."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, TypeAlias

import pytest
from typer.testing import CliRunner

from cornered.bench.start import fill
from cornered.cli.main import app
from cornered.protocol.commands import Join, Play, WatchLobby
from cornered.protocol.events import EVENT
from cornered.protocol.messages import Refused
from cornered.server.adapters.database import Database
from cornered.server.adapters.inspection import StoreFindings, inspect
from cornered.server.settings import SettingsError
from tests.conftest import Postgres
from tests.server.conftest import Pair, Start

MATCHES, PLIES = 300, 4
PAGE = 4_096


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of live matches, whose ids are their numbers in hexadecimal, without a write-ahead log beside it."""
    path = tmp_path_factory.mktemp("filled") / "cornered.db"
    asyncio.run(fill(f"sqlite:///{path}", MATCHES, PLIES))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


@pytest.fixture
def database(filled: Path, tmp_path: Path) -> Path:
    """A copy of that database for one test, alone in its folder."""
    (tmp_path / "data").mkdir()
    return Path(shutil.copy(filled, tmp_path / "data" / "cornered.db"))


def name(number: int) -> str:
    return f"{number:016x}"


def check(database: Path, export: Path | None = None) -> StoreFindings:
    return asyncio.run(inspect(f"sqlite:///{database}", export))


def change(database: Path, statement: str, *parameters: object) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(statement, parameters)
        connection.commit()


def overwrite(database: Path, page: int) -> None:
    """Overwrite a page with noise, as a failing disk does; pages are numbered from 1."""
    with database.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(bytes(range(1, 256)) * 16)


def leaf_pages(database: Path, tree: str) -> list[int]:
    """Return the leaf pages of a table or an index, without the first and the last."""
    kinds = {"table": 13, "index": 10}
    with closing(sqlite3.connect(database)) as connection:
        kind, root = connection.execute("SELECT type, rootpage FROM sqlite_master WHERE name = ?", (tree,)).fetchone()
    content = database.read_bytes()
    start = (root - 1) * PAGE
    cells = int.from_bytes(content[start + 3 : start + 5], "big")
    assert content[start] in (5, 2), f"{tree} is one page"
    pages = []
    for cell in range(cells):
        pointer = int.from_bytes(content[start + 12 + 2 * cell : start + 14 + 2 * cell], "big")
        page = int.from_bytes(content[start + pointer : start + pointer + 4], "big")
        assert content[(page - 1) * PAGE] == kinds[kind]
        pages.append(page)
    return pages


def insert_byte(database: Path, match: str, seq: int, after: bytes) -> None:
    """Insert a byte that is not UTF-8 into an event, as a flipped bit does."""
    with closing(sqlite3.connect(database)) as connection:
        of = (match, seq)
        ((body,),) = connection.execute("SELECT body FROM events WHERE match = ? AND seq = ?", of)
        damaged = body.encode().replace(after, after + b"\xff", 1)
        connection.execute("UPDATE events SET body = CAST(? AS TEXT) WHERE match = ? AND seq = ?", (damaged, *of))
        connection.commit()


def set_body(database: Path, match: str, seq: int, body: str) -> None:
    change(database, f"UPDATE events SET body = {body} WHERE match = ? AND seq = {seq}", match)


def delete(database: Path, match: str, which: str) -> None:
    change(database, f"DELETE FROM events WHERE match = ? AND {which}", match)


Damage: TypeAlias = Callable[[Path, str], None]
DAMAGES: Final[dict[str, tuple[Damage, str, int]]] = {
    "no JSON": (lambda path, match: set_body(path, match, 3, "'{not json'"), "event 3 cannot be read", PLIES),
    "unknown type": (
        lambda path, match: set_body(path, match, 3, """'{"seq": 3, "at": 1, "type": "castled"}'"""),
        "event 3 cannot be read",
        PLIES,
    ),
    "gap": (lambda path, match: delete(path, match, "seq = 3"), "event 3 is missing", PLIES),
    "first event": (lambda path, match: set_body(path, match, 1, "''"), "event 1 cannot be read", PLIES),
    "text": (lambda path, match: insert_byte(path, match, 3, b'"cause":"'), "event 3 cannot be read", PLIES),
    "first text": (lambda path, match: insert_byte(path, match, 1, b'"name":"Player'), "event 1 cannot be read", PLIES),
    "all events": (lambda path, match: delete(path, match, "seq > 0"), "it has no events", 0),
    "illegal move": (
        lambda path, match: set_body(path, match, 3, "json_set(body, '$.move', 'a1')"),
        "event 3 is an illegal move",
        PLIES + 1,
    ),
}
"""What is done to a match, why it is damaged then, and the number of its events that can be read."""


def damage_all(database: Path) -> dict[str, tuple[str, int]]:
    """Damage a match in each way; return the reasons and the numbers of readable events by match."""
    found = {}
    for number, (damage, reason, readable) in enumerate(DAMAGES.values()):
        damage(database, name(2 * number + 1))
        found[name(2 * number + 1)] = reason, readable
    return found


def test_a_whole_store_is_whole(database: Path) -> None:
    findings = check(database)
    assert findings.is_whole
    assert (findings.matches, findings.live) == (MATCHES, MATCHES)


def test_damaged_matches_are_found_and_the_others_are_whole(database: Path, tmp_path: Path) -> None:
    expected = damage_all(database)
    findings = check(database, tmp_path / "out")
    found = {one.match: (one.reason, one.readable) for one in findings.damaged}
    assert {match: readable for match, (_, readable) in found.items()} == {
        match: readable for match, (_, readable) in expected.items()
    }
    assert [match for match, (reason, _) in expected.items() if reason not in found[match][0]] == []
    assert findings.matches == findings.exported == MATCHES
    for match in map(name, range(20)):
        lines = (tmp_path / "out" / f"{match}.jsonl").read_text().splitlines()
        seqs = [EVENT.validate_json(line).seq for line in lines]
        if match in expected:
            assert len(seqs) == expected[match][1], match
        else:
            assert seqs == list(range(1, PLIES + 2)), match
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700


@pytest.mark.parametrize("tree", ["events", "sqlite_autoindex_events_1", "matches", "sqlite_autoindex_matches_1"])
def test_of_a_damaged_page_only_what_is_on_it_is_lost(database: Path, tmp_path: Path, tree: str) -> None:
    pages = leaf_pages(database, tree)
    overwrite(database, pages[len(pages) // 2])
    findings = check(database, tmp_path / "out")
    assert findings.faults
    exported = [path.read_text().splitlines() for path in (tmp_path / "out").iterdir()]
    lost = MATCHES * (PLIES + 1) - sum(map(len, exported))
    assert len(exported) >= MATCHES - 20
    assert lost <= 100 if tree == "events" else lost == 0


async def test_a_store_whose_beginning_is_damaged_says_so_and_is_refused_in_one_line(
    database: Path, start: Start
) -> None:
    overwrite(database, 1)
    findings = await inspect(f"sqlite:///{database}")
    assert "restore a backup" in findings.faults[0]
    with pytest.raises(SettingsError, match="the database cannot be opened"):
        async with start(database="", data=database.parent):
            pass


async def test_a_server_starts_on_damaged_matches_and_plays_the_others(
    database: Path, start: Start, pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = [match for match in damage_all(database) if match != name(2 * [*DAMAGES].index("illegal move") + 1)]
    limits = dict.fromkeys(("message_rate", "message_burst"), 1e6)
    async with start(database="", data=database.parent, **limits) as server:
        assert (await server.fetch("/ready")).status == 200
        async with server.client("Ann") as ann, server.client("Ben") as ben:
            await ann.do(Play, match=await pair(ann, ben), ply=0, move="a2")
            for match in damaged * 2:
                assert (await ann.ask(Join, match=match)).code in ("internal", "unknown_match"), match
            assert (await ann.join(name(8))).ply == PLIES
            listed = await ann.ask(WatchLobby)
            assert not {*damaged} & {match.id for match in listed.matches}
    said = capsys.readouterr().err
    # Once when it is read, and where even its beginning is damaged once before, when the live matches are looked for.
    assert {match: said.count(match) for match in damaged if not 1 <= said.count(match) <= 2} == {}
    assert "cornered admin check" in said


@pytest.mark.parametrize("tree", ["events", "sqlite_autoindex_events_1", "matches"])
async def test_a_server_starts_on_a_damaged_page_and_plays_the_others(
    database: Path, start: Start, pair: Pair, tree: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = leaf_pages(database, tree)
    overwrite(database, pages[len(pages) // 2])
    async with start(database="", data=database.parent, message_burst=1e6, message_rate=1e6) as server:
        async with server.client("Ann") as ann, server.client("Ben") as ben:
            await ann.do(Play, match=await pair(ann, ben), ply=0, move="a2")
            answers = [await ann.ask(Join, match=name(number)) for number in range(0, MATCHES, 7)]
        refused = [answer for answer in answers if isinstance(answer, Refused)]
        assert len(refused) <= len(answers) // 3
        assert (await server.fetch("/ready")).status == 200
    assert "damaged" in capsys.readouterr().err


def test_the_command_tells_and_exports_and_its_exit_code_says_whether_all_is_whole(
    database: Path, tmp_path: Path
) -> None:
    runner = CliRunner()
    command = ["admin", "check", "--data", str(database.parent)]
    assert runner.invoke(app, command).exit_code == 0
    DAMAGES["gap"][0](database, name(7))
    told = runner.invoke(app, [*command, "--export", str(tmp_path / "out")])
    assert told.exit_code == 1
    assert f"match {name(7)}: event 3 is missing; {PLIES} events can be read" in told.stdout
    assert len(list((tmp_path / "out").iterdir())) == MATCHES
    told = runner.invoke(app, [*command, "--json"])
    assert json.loads(told.stdout)["damaged"][0]["match"] == name(7)
    assert runner.invoke(app, ["admin", "check", "--data", str(tmp_path / "nothing")]).exit_code == 2


def test_an_export_keeps_an_earlier_one_that_holds_more_and_is_private(database: Path, tmp_path: Path) -> None:
    check(database, tmp_path / "out")
    files = [tmp_path / "out" / f"{name(number)}.jsonl" for number in (7, 8)]
    for file in files:
        file.chmod(0o644)
    whole = [file.read_text() for file in files]
    files[1].write_text("")
    DAMAGES["gap"][0](database, name(7))
    check(database, tmp_path / "out")
    assert [file.read_text() for file in files] == whole
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert len(list((tmp_path / "out").iterdir())) == MATCHES


async def test_a_store_is_checked_while_its_server_runs(start: Start, pair: Pair, tmp_path: Path) -> None:
    async with start(database="") as server, server.client("Ann") as ann, server.client("Ben") as ben:
        await ann.do(Play, match=await pair(ann, ben), ply=0, move="a2")
        findings = await inspect(f"sqlite:///{tmp_path / 'cornered.db'}")
        assert findings.is_whole
        assert (findings.matches, findings.live) == (1, 1)


async def execute(url: str, *statements: str) -> None:
    opened = await Database.open(url)
    async with opened.writing() as connection:
        for statement in statements:
            await connection.exec_driver_sql(statement)
    await opened.close()


UNREADABLE = """
CREATE FUNCTION read_or_fail(value text, is_damaged boolean) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF is_damaged THEN RAISE EXCEPTION 'invalid page in block 7' USING ERRCODE = 'data_corrupted'; END IF;
    RETURN value;
END $$
"""
"""Stands for a damaged page: reading a value of it fails with PostgreSQL's error code."""


@pytest.mark.postgres
async def test_of_a_damaged_match_in_postgres_the_other_events_are_saved_also_without_its_index(
    postgres: Postgres, tmp_path: Path
) -> None:
    url = postgres.new_database()
    await fill(url, 3, PLIES)
    whole = await inspect(url, tmp_path / "whole")
    assert (whole.is_whole, whole.matches, whole.exported) == (True, 3, 3)
    damaged = f"match = '{name(1)}' AND seq = 3"
    await execute(
        url,
        UNREADABLE,
        "ALTER TABLE events RENAME TO whole",
        f"CREATE VIEW events AS SELECT match, seq, read_or_fail(body, {damaged}) AS body FROM whole",
    )
    findings = await inspect(url, tmp_path / "out")
    (found,) = findings.damaged
    assert (found.match, found.readable, found.reason) == (name(1), PLIES, "invalid page in block 7")
    assert (findings.matches, findings.exported) == (3, 3)
    left = (tmp_path / "out" / f"{name(1)}.jsonl").read_text().splitlines()
    assert [EVENT.validate_json(line).seq for line in left] == [1, 2, 4, 5]

    await execute(
        url,
        "DROP VIEW events",
        "ALTER TABLE whole RENAME TO events",
        "ALTER TABLE matches RENAME TO whole",
        "CREATE VIEW matches AS SELECT read_or_fail(id, true) AS id, started, ended, private FROM whole",
    )
    findings = await inspect(url)
    assert (findings.matches, findings.damaged, len(findings.faults)) == (3, [], 1)


@pytest.mark.postgres
async def test_a_database_of_something_else_is_refused_in_words(postgres: Postgres) -> None:
    with pytest.raises(ValueError, match="this is no database of Cornered"):
        await inspect(postgres.empty_database())
