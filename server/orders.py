"""What an operator orders by a command, beside servers that run: bans, mutes, and the check of their log."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

from cornered.protocol.moderation import Ban, Measure, Unban
from cornered.server.accounts import Accounts
from cornered.server.backing_services import open_moderation, using_store
from cornered.server.moderation.events import NO_SEAL, Entry, seal_of
from cornered.server.moderation.moderation import Moderation
from cornered.server.moderation.ports import ModerationLog
from cornered.server.refusal import Refusal
from cornered.server.runtime.moderation_service import ModerationService
from cornered.server.settings import MEMORY_DATABASE, Settings, SettingsError

__all__ = ["ban", "held", "read_log", "unban"]

PAGE: Final = 500
_COMMAND_ID: Final = "operator"


class _NobodyConnected:
    """Implements `ConnectedPlayers` where nobody is connected: the servers' nodes close the connections."""

    def address_of(self, player: str) -> str:
        return ""

    def put_out(self, is_excluded: Callable[[str, str], str]) -> None:
        pass


async def ban(settings: Settings, name_or_id: str, measure: Measure, seconds: int | None, grounds: str) -> Entry:
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


async def unban(settings: Settings, number: int, grounds: str) -> Entry:
    """Lift a ban or mute. Raises SettingsError and ValueError."""
    async with _opened(settings) as (moderation_log, accounts):
        return await _ordered(moderation_log, accounts, Unban(id=_COMMAND_ID, ban=number, grounds=grounds))


async def held(settings: Settings) -> Sequence[Entry]:
    """Return the bans and mutes that hold, oldest first. Raises SettingsError."""
    state = Moderation()
    for entry in await read_log(settings):
        state.evolve(entry)
    state.tick(_now())
    return tuple(state.bans.values())


async def read_log(settings: Settings) -> Sequence[Entry]:
    """Return the whole log, oldest first. Raises SettingsError, and a ValueError where an entry breaks a seal."""
    entries: list[Entry] = []
    async with _opened(settings) as (moderation_log, _):
        with using_store():
            while page := await moderation_log.read(len(entries), PAGE):
                entries += page
    seal = NO_SEAL
    for number, entry in enumerate(entries, 1):
        seal = seal_of(seal, number, entry.at, entry.by, entry.event)
        if (entry.number, entry.seal) != (number, seal):
            raise ValueError(f"entry {number} of the log was changed or removed after it was written")
    return entries


async def _ordered(moderation_log: ModerationLog, accounts: Accounts, command: Ban | Unban) -> Entry:
    with using_store():
        service = ModerationService(moderation_log, accounts, _NobodyConnected(), b"", now=_now)
        await service.begin()
        try:
            return await service.order(command)
        except Refusal as refusal:
            raise ValueError(refusal.text) from None


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[tuple[ModerationLog, Accounts]]:
    if settings.database == MEMORY_DATABASE:
        raise SettingsError("CORNERED_DATABASE: a store in memory has no bans that outlive its server")
    async with open_moderation(settings) as opened:
        yield opened


def _now() -> int:
    return time.time_ns() // 1_000_000
