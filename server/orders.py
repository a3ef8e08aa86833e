"""What an operator orders by a command, beside servers that run: bans, mutes, and the check of their log."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from cornered.protocol.messages import Notice
from cornered.protocol.moderation import Ban, CloseReport, Measure, Unban
from cornered.server.accounts import Accounts
from cornered.server.backing_services import open_moderation, using_store
from cornered.server.moderation.events import Entry, broken_seal, concerned
from cornered.server.moderation.evidence import ReportText
from cornered.server.moderation.moderation import Moderation
from cornered.server.moderation.ports import ModerationLog
from cornered.server.refusal import Refusal
from cornered.server.runtime.moderation_service import ModerationService
from cornered.server.settings import MEMORY_DATABASE, Settings, SettingsError

__all__ = ["Told", "ban", "close_report", "held", "open_reports", "read_log", "unban"]

PAGE: Final = 500
_COMMAND_ID: Final = "operator"


@dataclass(frozen=True, slots=True)
class Told:
    """Entries of the log, what is kept of reports beside it, and the names of today of whoever is in them, by id."""

    entries: Sequence[Entry]
    names: Mapping[str, str]
    texts: Mapping[int, ReportText] = field(default_factory=dict)


class _NobodyConnected:
    """Implements `ConnectedPlayers` where nobody is connected: the servers' nodes close the connections."""

    def is_connected(self, player: str) -> bool:
        return False

    def notify(self, player: str, notice: Notice) -> None:
        pass

    def address_of(self, player: str) -> str:
        return ""

    def put_out(self, is_excluded: Callable[[str, str], str]) -> None:
        pass


async def ban(settings: Settings, name_or_id: str, measure: Measure, seconds: int | None, grounds: str) -> Told:
    """Ban or mute a player. Raises SettingsError and ValueError."""
    async with _opened(settings) as (moderation_log, accounts):
        with using_store():
            known = await accounts.by_id(name_or_id)
            players = [known] if known else await accounts.named(name_or_id, 2)
        if len(players) > 1:
            raise ValueError(f"several players are called {name_or_id}: name one by its id")
        if not players:
            raise ValueError(f"no player has the id or the name {name_or_id}")
        command = Ban(id=_COMMAND_ID, player=players[0].id, measure=measure, seconds=seconds, grounds=grounds)
        return await _ordered(moderation_log, accounts, command)


async def unban(settings: Settings, number: int, grounds: str) -> Told:
    """Lift a ban or mute. Raises SettingsError and ValueError."""
    async with _opened(settings) as (moderation_log, accounts):
        return await _ordered(moderation_log, accounts, Unban(id=_COMMAND_ID, ban=number, grounds=grounds))


async def close_report(settings: Settings, number: int, grounds: str) -> Told:
    """Close a report. Raises SettingsError and ValueError."""
    async with _opened(settings) as (moderation_log, accounts):
        return await _ordered(moderation_log, accounts, CloseReport(id=_COMMAND_ID, report=number, grounds=grounds))


async def held(settings: Settings) -> Told:
    """Return the bans and mutes that hold, oldest first. Raises SettingsError."""
    async with _opened(settings) as (moderation_log, accounts):
        with using_store():
            state = await _folded(moderation_log)
            return await _told(tuple(state.bans.values()), accounts)


async def open_reports(settings: Settings) -> Told:
    """Return the open reports with their words and chat, oldest first. Raises SettingsError."""
    async with _opened(settings) as (moderation_log, accounts):
        with using_store():
            state = await _folded(moderation_log)
            texts = await moderation_log.texts(state.reports)
            writers = {line.by for text in texts.values() for line in text.chat}
            return replace(await _told(tuple(state.reports.values()), accounts, writers), texts=texts)


async def read_log(settings: Settings) -> Told:
    """Return the whole log, oldest first. Raises SettingsError, and a ValueError where an entry breaks a seal."""
    async with _opened(settings) as (moderation_log, accounts):
        with using_store():
            entries = await _all(moderation_log)
            told = await _told(entries, accounts)
    broken = broken_seal(entries)
    if broken is not None:
        raise ValueError(f"entry {broken} of the log was changed or removed after it was written")
    return told


async def _all(moderation_log: ModerationLog) -> Sequence[Entry]:
    entries: list[Entry] = []
    while page := await moderation_log.read(len(entries), PAGE):
        entries += page
    return entries


async def _folded(moderation_log: ModerationLog) -> Moderation:
    state = Moderation()
    for entry in await _all(moderation_log):
        state.evolve(entry)
    state.tick(_now())
    return state


async def _told(entries: Sequence[Entry], accounts: Accounts, more: Collection[str] = ()) -> Told:
    players = sorted(set(more).union(*map(concerned, entries)))
    names: dict[str, str] = {}
    for begin in range(0, len(players), PAGE):
        known = await accounts.by_ids(players[begin : begin + PAGE])
        names |= {player: one.name for player, one in known.items()}
    return Told(entries, names)


async def _ordered(moderation_log: ModerationLog, accounts: Accounts, command: Ban | Unban | CloseReport) -> Told:
    with using_store():
        service = ModerationService(moderation_log, accounts, _NobodyConnected(), b"", now=_now)
        await service.begin()
        try:
            entry = await service.order(command)
        except Refusal as refusal:
            raise ValueError(refusal.text) from None
        return await _told([entry], accounts)


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[tuple[ModerationLog, Accounts]]:
    if settings.database == MEMORY_DATABASE:
        raise SettingsError("CORNERED_DATABASE: a store in memory has no bans that outlive its server")
    async with open_moderation(settings) as opened:
        yield opened


def _now() -> int:
    return time.time_ns() // 1_000_000
