"""The incidents of bots, as every store keeps them."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from cornered.protocol.bot_reports import MAX_FAILURE_CHARS, BotIncident
from cornered.server.accounts import Accounts
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.bot_incidents_memory import MemoryBotIncidents
from cornered.server.adapters.bot_incidents_sql import SqlBotIncidents
from cornered.server.adapters.database import Database
from cornered.server.bot.incidents import KEPT_INCIDENTS, KEPT_OF_MATCH, BotIncidents, Incident, incident_id


class Store(NamedTuple):
    accounts: Accounts
    incidents: BotIncidents


@pytest.fixture
def store(stored: Database | None) -> Store:
    if stored is None:
        accounts = MemoryAccounts()
        return Store(accounts, MemoryBotIncidents(accounts))
    return Store(SqlAccounts(stored), SqlBotIncidents(stored))


def crash(player: str, at: int, text: str = "ValueError", match: str = "m") -> Incident:
    what = BotIncident(at=at, kind="crash", text=text, match=match, ply=3, limit=900)
    return Incident.noted(incident_id(player, f"c{at}"), player, what)


async def test_incidents_are_one_players_once_escaped_and_bounded_and_the_newest_comes_first(store: Store) -> None:
    await store.incidents.add([crash("a", 1), crash("b", 2), crash("a", 3)])
    await store.incidents.add([crash("a", 1), crash("a", 1), crash("a", 3)])
    await store.incidents.add([])
    found = await store.incidents.newest("a")
    assert [one.at for one in found] == [3, 1]
    assert found[0] == BotIncident(at=3, kind="crash", text="ValueError", match="m", ply=3, limit=900)
    left = BotIncident(at=9, kind="disconnect", text="too fast", code=1008, closed_by="server")
    await store.incidents.add([Incident.noted("d", "b", left)])
    assert (await store.incidents.newest("b"))[0] == left
    assert await store.incidents.newest("c") == []
    await store.incidents.add([crash("c", 1, "one\n\x1b[2J two\u202e" + "x" * 3_000)])
    text = (await store.incidents.newest("c"))[0].text
    assert text.startswith("one\n\\x1b[2J two\\u202e")
    assert len(text) == MAX_FAILURE_CHARS
    identity, _ = await store.accounts.create("Crusher", "bot")
    await store.incidents.add([crash(identity.player.id, 1)])
    await store.accounts.delete(identity.player.id, None, identity.session)
    assert await store.incidents.newest(identity.player.id) == []
    assert len(await store.incidents.newest("c")) == 1


async def test_the_newest_of_each_bot_are_kept_and_no_other_bots_give_way(store: Store) -> None:
    await store.incidents.add([crash("b", 1)])
    for first in range(0, KEPT_INCIDENTS + 20, 40):
        await store.incidents.add([crash("a", at, match=f"m{at}") for at in range(first, first + 40)])
    found = [one.at for one in await store.incidents.newest("a")]
    assert found == list(range(KEPT_INCIDENTS + 19, 19, -1))
    assert len(await store.incidents.newest("b")) == 1


async def test_the_newest_of_each_match_are_kept_and_no_other_match_gives_way(store: Store) -> None:
    await store.incidents.add([crash("a", 1, match="n"), crash("b", 2)])
    left = [Incident.noted(f"d{at}", "a", BotIncident(at=at, kind="disconnect", text="")) for at in range(20)]
    await store.incidents.add(left)
    for first in range(100, 100 + 2 * KEPT_OF_MATCH, 4):
        await store.incidents.add([crash("a", at) for at in range(first, first + 4)])
    found = await store.incidents.newest("a")
    last = 99 + 2 * KEPT_OF_MATCH
    assert [one.at for one in found if one.match == "m"] == list(range(last, last - KEPT_OF_MATCH, -1))
    assert [one.at for one in found if one.match == "n"] == [1]
    assert [one.at for one in found if one.match is None] == list(range(19, -1, -1))
    assert len(await store.incidents.newest("b")) == 1
