"""What is stored about people is erased when its time is over, and nothing else."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import select
from typer.testing import CliRunner

from cornered.cli.main import app
from cornered.protocol.bot_reports import BotIncident
from cornered.protocol.events import Ended, Started
from cornered.protocol.values import Player
from cornered.server.accounts import Identity, NewAccount, NewSession, TokenRecord
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.bot_incidents_sql import SqlBotIncidents
from cornered.server.adapters.database import Database
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.adapters.moderation_sql import SqlModerationLog
from cornered.server.adapters.retention_sql import CLAIM_MS, SqlRetention
from cornered.server.adapters.tables import KNOWN_ADDRESSES, TOKENS
from cornered.server.bot.incidents import Incident
from cornered.server.metrics import Counts
from cornered.server.moderation.events import Entry, ReportClosed, Reported, broken_seal, seal_of
from cornered.server.moderation.evidence import ChatLine, ReportText
from cornered.server.moderation.retention import DAY_MS, Periods
from cornered.server.runtime import retention_service
from cornered.server.runtime.retention_service import RetentionService, sweep
from tests.server.adapters.conftest import Opener, Sample

PERIODS = Periods(chat=10, reports=20, addresses=30, incidents=30, sessions=40, guests=50)
START = 1_800_000_000_000


def day(number: int) -> int:
    return START + number * DAY_MS


class Scene:
    """A store with its accounts, log and journal."""

    def __init__(self, database: Database) -> None:
        self.accounts = SqlAccounts(database)
        self.log = SqlModerationLog(database)
        self.journal = SqlJournal(database, None)
        self.store = SqlRetention(database)
        self.incidents = SqlBotIncidents(database)
        self._database = database

    async def sweep(self, at: int, *, is_dry: bool = False) -> dict[str, int]:
        """Return what was erased of each kind, without those of which there was nothing."""
        erased = await sweep(self.store, PERIODS, at, is_dry=is_dry)
        return {str(kind): number for kind, number in erased.items() if number}

    async def guest(self, name: str, at: int) -> Identity:
        return (await self.accounts.create(name, "person", at=at))[0]

    async def account(self, name: str, at: int) -> Identity:
        identity, _ = await self.accounts.register(NewAccount(name, name.lower(), "hash", (name,), at), None)
        return identity

    async def rows(self, column: object) -> int:
        async with self._database.reading() as connection:
            return len((await connection.execute(select(column))).all())  # type: ignore[call-overload]


@pytest.fixture
async def scene(open_database: Opener) -> AsyncIterator[Scene]:
    scene = Scene(await open_database())
    yield scene
    await scene.journal.close()


async def report(scene: Scene, closed: int | None) -> list[Entry]:
    """Store a report, and its closing."""
    text = ReportText("Insults", (ChatLine("ben", "players", "Loser", 7),), "salt")
    event = Reported("ben", "m1", "ann", text.grounds_digest, text.chat_digest)
    entries = [Entry(1, START, "ann", event, seal_of("", 1, START, "ann", event))]
    await scene.log.append(entries[0], text)
    if closed is not None:
        end = ReportClosed(1, "Read")
        entries.append(Entry(2, closed, "cas", end, seal_of(entries[0].seal, 2, closed, "cas", end)))
        await scene.log.append(entries[1])
    return entries


async def test_the_chat_and_then_the_words_of_a_closed_report_are_erased_and_the_seals_stay(scene: Scene) -> None:
    entries = await report(scene, day(1))
    assert await scene.sweep(day(11)) == {}
    assert await scene.sweep(day(11) + 1, is_dry=True) == {"report_chat": 1}
    assert await scene.sweep(day(11) + 1) == {"report_chat": 1}
    text = (await scene.log.texts([1]))[1]
    assert (text.grounds, text.chat) == ("Insults", ())
    assert await scene.sweep(day(21) + 1) == {"reports": 1}
    assert await scene.log.texts([1]) == {}
    assert list(await scene.log.read(0, 9)) == entries
    assert broken_seal(entries) is None


async def test_an_open_report_is_kept(scene: Scene) -> None:
    await report(scene, None)
    assert await scene.sweep(day(900)) == {}


async def test_addresses_and_unused_sessions_of_accounts_are_erased_and_their_sockets_end(scene: Scene) -> None:
    ann = await scene.account("Ann", day(0))
    for number, at in enumerate((0, 0, 35)):
        await scene.accounts.sign_in(ann.player.id, "hash", NewSession("here", day(at), f"address {number}"))
    _, secret = await scene.accounts.sign_in(ann.player.id, "hash", NewSession("there", day(0)))
    current = await scene.accounts.by_token(secret)
    assert current is not None
    await scene.accounts.touch(ann.player.id, current.session, day(60))
    assert await scene.sweep(day(31)) == {"addresses": 2}
    assert await scene.rows(KNOWN_ADDRESSES.c.address) == 1
    revoked = await scene.accounts.newest_revocation()
    assert await scene.sweep(day(41)) == {"sessions": 3}
    left: list[TokenRecord] = list(await scene.accounts.tokens(ann.player.id))
    assert sorted(one.seen for one in left) == [day(35), day(60)]
    assert len(await scene.accounts.revoked(revoked)) == 3
    assert await scene.accounts.account(ann.player.id) is not None


async def test_old_incidents_of_bots_are_erased(scene: Scene) -> None:
    incidents = scene.incidents
    for at in (day(0), day(5)):
        what = BotIncident(at=at, kind="crash", text="ValueError")
        await incidents.add([Incident.noted(f"i{at}", "bot", what)])
    assert await scene.sweep(day(30)) == {}
    assert await scene.sweep(day(31)) == {"incidents": 1}
    assert [one.at for one in await incidents.newest("bot")] == [day(5)]


async def test_expired_personal_tokens_are_erased(scene: Scene) -> None:
    ann = await scene.account("Ann", day(0))
    for end in (1, 9):
        await scene.accounts.create_token(ann.player.id, ann.session, "bot", ["play"], day(0), day(end))
    assert await scene.sweep(day(5)) == {"tokens": 1}
    assert await scene.rows(TOKENS.c.digest) == 2


async def test_guests_who_never_came_back_become_deleted_and_their_matches_stay(scene: Scene, sample: Sample) -> None:
    gone, seen, plays = [await scene.guest(name, day(0)) for name in ("Gone", "Seen", "Plays")]
    bot, _ = await scene.accounts.create("Bot", "bot", at=day(0))
    await scene.account("Ann", day(0))
    await scene.accounts.touch(seen.player.id, seen.session, day(20))
    await play(scene, sample, "old", gone.player, ended=day(0))
    await play(scene, sample, "live", plays.player, ended=None)
    at = day(50) + 1
    assert (await scene.sweep(at, is_dry=True))["guests"] == 1
    assert (await scene.sweep(at))["guests"] == 1
    players = [gone.player, seen.player, plays.player, bot.player]
    names = await scene.accounts.by_ids([player.id for player in players])
    assert [names[player.id].name for player in players] == ["deleted", "Seen", "Plays", "Bot"]
    assert await scene.accounts.called([gone.player.id]) == {gone.player.id: "deleted"}
    assert await scene.accounts.by_token(gone.session) is None
    assert len(await scene.journal.read("old")) == 2
    assert await scene.sweep(at) == {}
    assert (await scene.sweep(day(71)))["guests"] == 1, "the other one has not come back either"


async def play(scene: Scene, sample: Sample, match: str, player: Player, ended: int | None) -> None:
    started = sample.started(match, at=day(0), players=(player, sample.bert))
    assert isinstance(started, Started)
    await scene.journal.append(match, 0, [started])
    if ended is not None:
        end = sample.ended(2, at=ended)
        assert isinstance(end, Ended)
        await scene.journal.append(match, 1, [end])


async def test_a_token_of_before_its_use_was_recorded_counts_as_used_at_the_first_sweep(scene: Scene) -> None:
    guest = await scene.guest("Old", 0)
    assert await scene.sweep(day(0)) == {"undated": 1}
    assert await scene.sweep(day(50)) == {}
    assert (await scene.sweep(day(50) + 1))["guests"] == 1
    assert (await scene.accounts.by_ids([guest.player.id]))[guest.player.id].name == "deleted"


async def test_one_node_sweeps_a_day_and_another_goes_on_where_it_was_stopped(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention_service, "BATCH", 2)
    monkeypatch.setattr(retention_service, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(retention_service, "MAX_BATCHES", 4)
    for number in range(5):
        await scene.guest(f"Guest {number}", day(0))
    now = day(51)
    counts = [Counts(), Counts()]
    one, other = [RetentionService(scene.store, PERIODS, each, now=lambda: now) for each in counts]
    await one.look()
    await other.look()
    assert [each.erased.get("guests", 0) for each in counts] == [0, 0], "each kind before took one of four batches"
    now += CLAIM_MS
    monkeypatch.setattr(retention_service, "MAX_BATCHES", 99)
    await other.look()
    await one.look()
    assert [each.erased.get("guests", 0) for each in counts] == [0, 5]
    assert not await scene.store.claim(now + DAY_MS - 1)
    assert await scene.store.claim(now + DAY_MS)


async def test_of_two_first_claims_one_is_granted(scene: Scene) -> None:
    assert [await scene.store.claim(day(0)) for _ in range(2)] == [True, False]


@pytest.mark.usefixtures("sqlite_url")
def test_an_operator_counts_first_and_then_erases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORNERED_KEEP_GUESTS_DAYS", "7")
    created = CliRunner().invoke(app, ["admin", "accounts", "create", "Ann", "--data", str(tmp_path)])
    assert created.exit_code == 0
    for words in (["--dry-run"], [], ["--json"]):
        told = CliRunner().invoke(app, ["admin", "retention", "--data", str(tmp_path), *words])
        assert told.exit_code == 0
        if words == ["--json"]:
            assert json.loads(told.stdout)["guests"] == 0
        else:
            assert "guests: 0" in told.stdout
