"""What a node notes about bots by itself: bounded, written together, and lost where the store is away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from cornered.protocol.bot_reports import BotIncident
from cornered.protocol.values import Player
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.bot_incidents_memory import MemoryBotIncidents
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.bot.incidents import Incident, IncidentsUnavailable
from cornered.server.runtime.bot_service import MAX_WAITING, MAX_WAITING_OF_BOT, BotService
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.rating_answers import RatingAnswers


class Away(MemoryBotIncidents):
    """A store that can be away."""

    is_away = False
    writes = 0

    async def add(self, incidents: Sequence[Incident]) -> None:
        self.writes += 1
        if self.is_away:
            raise IncidentsUnavailable("the store is away")
        await super().add(incidents)


@pytest.fixture
def store() -> Away:
    return Away(MemoryAccounts())


@pytest.fixture
def service(store: Away) -> BotService:
    accounts = MemoryAccounts()
    ratings = RatingAnswers(None, accounts, lambda: 1)
    return BotService(
        store,
        MemoryJournal(),
        accounts,
        ratings,
        b"s" * 32,
        clients_of=lambda _: (),
        is_anywhere=lambda _: False,
        now=lambda: 1,
    )


class Socket:
    """As much of a `ClientConnection` as is noted."""

    def __init__(self, player: str) -> None:
        self.id = f"socket of {player}"
        self.player = Player(id=player, name=player, kind="bot")


def note(service: BotService, player: str, times: int = 1) -> None:
    socket: Any = Socket(player)
    client: ClientConnection = socket
    for at in range(times):
        service.note(client, BotIncident(at=at, kind="disconnect", text="", code=1006))


async def test_what_waits_to_be_written_is_bounded(service: BotService, store: Away) -> None:
    note(service, "flood", 1_000)
    for number in range(MAX_WAITING):
        note(service, f"b{number}")
    await service.write()
    assert store.writes == 1
    assert len(await store.newest("flood")) == MAX_WAITING_OF_BOT
    found = [number for number in range(MAX_WAITING) if await store.newest(f"b{number}")]
    assert found == list(range(MAX_WAITING - MAX_WAITING_OF_BOT))
    note(service, "flood")
    await service.write()
    assert len(await store.newest("flood")) == MAX_WAITING_OF_BOT + 1


async def test_what_the_store_does_not_take_is_lost_and_later_ones_are_not(service: BotService, store: Away) -> None:
    store.is_away = True
    note(service, "a")
    await service.write()
    store.is_away = False
    note(service, "a")
    await service.write()
    assert len(await store.newest("a")) == 1
