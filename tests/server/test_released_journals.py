"""Stores that released versions wrote: migrated, replayed by the present rules, and served."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cornered import engine
from cornered.protocol.commands import Play
from cornered.protocol.events import EVENT, Ended, MatchEvent, Started
from cornered.server.adapters.database import NEWEST_MIGRATION
from cornered.server.adapters.inspection import inspect
from cornered.server.match.match import Match, Patience
from tests.server.conftest import Start

JOURNALS = Path(__file__).resolve().parents[1] / "data" / "journals"
RELEASES = sorted(path for path in JOURNALS.iterdir() if (path / "journal.sql").is_file())
GAMES = {"trapgrid", "isolation", "bamboo", "quoridor"}


@pytest.fixture(params=RELEASES, ids=lambda release: release.name)
def release(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The files of a release; its store is in `tmp_path`."""
    found: Path = request.param
    with closing(sqlite3.connect(tmp_path / "cornered.db")) as store:
        store.executescript((found / "journal.sql").read_text())
    (tmp_path / "cornered.db").chmod(0o600)
    return found


def stored(database: Path) -> dict[str, list[MatchEvent]]:
    logs: dict[str, list[MatchEvent]] = {}
    with closing(sqlite3.connect(database)) as store:
        for match, body in store.execute("SELECT match, body FROM events ORDER BY match, seq"):
            logs.setdefault(match, []).append(EVENT.validate_json(body))
    return logs


def players_of(log: list[MatchEvent]) -> set[str]:
    assert isinstance(log[0], Started)
    return {player.id for player in log[0].players}


def test_there_is_a_journal() -> None:
    assert RELEASES


async def test_every_stored_match_replays_to_its_stored_result(release: Path, tmp_path: Path) -> None:
    logs = stored(tmp_path / "cornered.db")
    assert {log[0].game.name for log in logs.values() if isinstance(log[0], Started)} == GAMES
    by_rules = 0
    for log in logs.values():
        first, last = log[0], next((event for event in log if isinstance(event, Ended)), None)
        assert isinstance(first, Started)
        match = Match.begin(first, b"", Patience())
        for event in log[1:]:
            match = match.evolve(event)
        if last is not None and last.reason == "rules":
            by_rules += 1
            outcome = match.state.outcome
            assert outcome is not None
            assert outcome.places == last.places
    assert by_rules
    findings = await inspect(f"sqlite:///{tmp_path / 'cornered.db'}")
    assert findings.is_whole, findings
    assert findings.matches == len(logs)


async def test_a_stored_match_goes_on_and_players_keep_their_tokens(
    release: Path, start: Start, tmp_path: Path
) -> None:
    known = json.loads((release / "players.json").read_text())
    before = stored(tmp_path / "cornered.db")
    async with start(database="") as server:
        async with (
            server.client("Ann", token=known["tokens"]["Ann"]) as ann,
            server.client("Ben", token=known["tokens"]["Ben"]) as ben,
        ):
            assert {one.id for one in (ann.player, ben.player)} <= players_of(before[known["live"]])
            shown = await ann.join(known["live"])
            by_seat = {shown.seat: ann, (await ben.join(known["live"])).seat: ben}
            state = engine.load(shown.game.name, **shown.game.options).start()
            for move in shown.moves:
                state = engine.apply(state, move)
            assert str(state) == shown.position
            mover = by_seat[state.to_move]
            await mover.do(Play, match=known["live"], ply=shown.ply, move=state.moves()[0])
        after = stored(tmp_path / "cornered.db")
    for match, log in before.items():
        assert after[match][: len(log)] == log
    assert len(after[known["live"]]) > len(before[known["live"]])
    with closing(sqlite3.connect(tmp_path / "cornered.db")) as store:
        assert store.execute("SELECT version_num FROM alembic_version").fetchall() == [(NEWEST_MIGRATION,)]
        indexed = {match for (match,) in store.execute("SELECT match FROM archive")}
        assert store.execute("SELECT * FROM archive_fill").fetchall() == []
    finished = {match for match, log in after.items() if any(isinstance(event, Ended) for event in log)}
    assert finished
    assert indexed == finished
