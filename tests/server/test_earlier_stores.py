"""Stores of earlier schemas, on both databases: migrated to the newest, with every account, match, rating and ban."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeAlias

import asyncpg
import pytest

from cornered import engine
from cornered.engine.progress import no_report
from cornered.protocol import account as acc
from cornered.protocol.commands import AskMyMatches, AskProfile, Hello, Play
from cornered.protocol.messages import MyMatches, Refused
from cornered.protocol.moderation import AskAudit, AskBans, AskReports
from cornered.protocol.ratings import Profile
from cornered.server.adapters.inspection import inspect
from cornered.server.app import recompute_ratings
from cornered.server.settings import Settings
from tests.conftest import Mosquitto
from tests.conftest import Postgres as PostgresServer
from tests.server.conftest import Client, Running, Start

STORES: Final = Path(__file__).resolve().parents[1] / "data" / "stores"
SCHEMAS: Final = sorted(path for path in STORES.iterdir() if (path / "known.json").is_file())
MOST_BYTES: Final = 300_000
RUNNING: Final = {"alembic_version", "nodes", "slots", "probes", "archive_fill", "lobby_log"}
"""Tables of the schema and of servers that run, and the lobby's log, which each start replaces by a checkpoint."""
REWRITTEN: Final = {"moderation"}
"""Tables whose rows a step wrote in another form: what they say is compared instead."""
CHANGING: Final = {"seen", "newest_revocation"}
"""Columns that a visit changes."""

Row: TypeAlias = tuple[tuple[str, object], ...]
Rows: TypeAlias = dict[str, list[Row]]


@pytest.fixture(params=SCHEMAS, ids=lambda schema: schema.name)
def schema(request: pytest.FixtureRequest) -> Path:
    """The files of a schema."""
    found: Path = request.param
    return found


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.mqtt])])
async def settings(request: pytest.FixtureRequest, schema: Path, tmp_path: Path) -> dict[str, Any]:
    """The settings that lead to a store with what was written."""
    if request.param == "sqlite":
        with closing(sqlite3.connect(tmp_path / "cornered.db")) as store:
            store.executescript((schema / "sqlite.sql").read_text())
        (tmp_path / "cornered.db").chmod(0o600)
        return {"database": ""}
    postgres: PostgresServer = request.getfixturevalue("postgres")
    mosquitto: Mosquitto = request.getfixturevalue("mosquitto")
    address = postgres.empty_database()
    connection = await asyncpg.connect(address)
    try:
        await connection.execute((schema / "postgres.sql").read_text())
    finally:
        await connection.close()
    return {"database": address, "mqtt": mosquitto.url, "node": "one"}


async def rows_of(settings: Mapping[str, Any], data: Path) -> Rows:
    """Return the rows of all tables that hold anything of players."""
    if not settings["database"]:
        with closing(sqlite3.connect(data / "cornered.db")) as store:
            names = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            tables = {}
            for name in names:
                found = store.execute(f"SELECT * FROM {name}")
                columns = [column for column, *_ in found.description]
                tables[name] = [dict(zip(columns, row, strict=True)) for row in found]
    else:
        connection = await asyncpg.connect(settings["database"])
        try:
            listed = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            tables = {
                name: [dict(row) for row in await connection.fetch(f"SELECT * FROM {name}")] for (name,) in listed
            }
        finally:
            await connection.close()
    return {
        name: [tuple((column, value) for column, value in row.items() if column not in CHANGING) for row in rows]
        for name, rows in tables.items()
        if name not in RUNNING and not name.startswith("sqlite_")
    }


async def go_on(players: tuple[Client, Client], match: str) -> None:
    """Play the next move of a match."""
    shown = [await player.join(match) for player in players]
    state = engine.load(shown[0].game.name, **shown[0].game.options).start()
    for move in shown[0].moves:
        state = engine.apply(state, move)
    assert str(state) == shown[0].position
    by_seat = {one.seat: player for one, player in zip(shown, players, strict=True)}
    await by_seat[state.to_move].do(Play, match=match, ply=shown[0].ply, move=state.moves()[0])


async def sign_in(server: Running, **fields: Any) -> Any:
    async with server.socket() as door:
        return await door.ask(acc.Recover if "code" in fields else acc.SignIn, **fields)


def test_there_are_stores_and_they_are_small() -> None:
    assert SCHEMAS
    for schema in SCHEMAS:
        assert sum(file.stat().st_size for file in schema.iterdir()) < MOST_BYTES


async def test_an_earlier_store_is_migrated_with_all_accounts_matches_ratings_and_bans(
    schema: Path, settings: dict[str, Any], start: Start, tmp_path: Path
) -> None:
    known = json.loads((schema / "known.json").read_text())
    before = await rows_of(settings, tmp_path)
    assert all(before[name] for name in ("events", "accounts", "ratings", "moderation", "archive")), before.keys()
    async with start(**settings):
        pass
    after = await rows_of(settings, tmp_path)
    assert len(after["moderation"]) == len(before["moderation"])
    for table, rows in before.items():
        if table in REWRITTEN:
            continue
        # Columns that are new are left out of the comparison; a row has to be there as it was.
        kept = [dict(row) for row in after[table]]
        lost = [row for row in rows if not any(dict(row).items() <= one.items() for one in kept)]
        assert lost == [], table
    stored = Settings(data=tmp_path, database=settings["database"])
    findings = await inspect(stored.database_url)
    assert findings.is_whole, findings
    assert findings.matches == len({dict(row)["match"] for row in before["events"]})
    assert (await recompute_ratings(stored, no_report, mends=False)).is_right

    async with start(**settings) as server:
        for name in ("Dora", "Emil"):
            answer = await sign_in(server, name=name, password=known["password"])
            assert isinstance(answer, acc.SignedIn), answer
        async with (
            server.client(token=known["tokens"]["Dora"]) as dora,
            server.client(token=known["tokens"]["Emil"]) as emil,
            server.client("Gil", token=known["tokens"]["Gil"]) as gil,
        ):
            own = await dora.ask(acc.AskAccount)
            assert (own.role, own.old_names[0].name) == ("admin", "Dora First")
            profile = await dora.ask(AskProfile, player=emil.player.id)
            assert isinstance(profile, Profile)
            (rating,) = profile.ratings
            values = [dict(row) for row in before["ratings"]]
            assert rating.games in {row["games"] for row in values if row["player"] == emil.player.id}
            matches: MyMatches = await emil.ask(AskMyMatches)
            assert [one.id for one in matches.live] == [known["live"]]
            assert len(matches.finished) == rating.games
            (banned, muted) = (await dora.ask(AskBans)).bans
            assert (banned.player.name, muted.player.id) == ("Fatima", gil.player.id)
            audit = await dora.ask(AskAudit)
            assert (len(audit.entries), audit.broken) == (len(before["moderation"]), None)
            assert {entry.by for entry in audit.entries} == {"Dora", "Emil", "Gil"}
            (report,) = (await dora.ask(AskReports)).reports
            assert (report.player.name, report.by.name, report.grounds) == ("Emil", "Gil", "Stalls")
            await go_on((emil, gil), known["live"])
        async with server.socket() as kept_out:
            await kept_out.tell(acc.SignIn(id="s", name="Fatima", password=known["password"]))
            answer = await kept_out.listen()
            assert isinstance(answer, acc.SignedIn)
            assert (await hello(server, answer.token)).code == "banned"
        recovered = await sign_in(server, name="Emil", code=known["codes"]["Emil"], password="another " + PASSWORD)
        assert isinstance(recovered, acc.SignedIn)


PASSWORD: Final = "password of today"


async def hello(server: Running, token: str) -> Refused:
    async with server.socket() as socket:
        await socket.tell(Hello(token=token))
        answer = await socket.listen()
        assert isinstance(answer, Refused)
        return answer
