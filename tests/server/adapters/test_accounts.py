"""The contract of accounts, applied to every adapter."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import select

from cornered.server.accounts import Accounts, AccountsUnavailable, Revocation, UnknownPlayer
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.database import Database
from cornered.server.adapters.tables import TOKENS
from tests.conftest import Postgres
from tests.server.adapters.conftest import Opener


@pytest.fixture
def accounts(stored: Database | None) -> Accounts:
    return MemoryAccounts() if stored is None else SqlAccounts(stored)


@pytest.mark.parametrize("kind", ["person", "bot"])
async def test_a_token_is_its_player(accounts: Accounts, kind: Any) -> None:
    identity, token = await accounts.create("Änne 円", kind)
    assert (identity.player.name, identity.player.kind) == ("Änne 円", kind)
    assert await accounts.by_token(token) == identity
    assert await accounts.by_id(identity.player.id) == identity.player


async def test_two_of_one_name_are_two_players(accounts: Accounts) -> None:
    one, first = await accounts.create("Anna", "person")
    two, second = await accounts.create("Anna", "person")
    assert one.player.id != two.player.id
    assert first != second
    assert await accounts.by_token(second) == two


async def test_unknown_tokens_and_ids_are_no_player(accounts: Accounts) -> None:
    identity, token = await accounts.create("Anna", "person")
    for wrong in ("", token[:-1], token + "x", token.swapcase(), identity.player.id):
        assert await accounts.by_token(wrong) is None
    for wrong in ("", token, identity.player.id + "x"):
        assert await accounts.by_id(wrong) is None


async def test_a_new_name_keeps_the_player_and_the_token(accounts: Accounts) -> None:
    identity, token = await accounts.create("Anna", "bot")
    renamed = await accounts.rename_guest(identity.player.id, "Berta")
    assert renamed == identity.player.model_copy(update={"name": "Berta"})
    known = await accounts.by_token(token)
    assert known is not None
    assert known.player == renamed


async def test_an_unknown_player_cannot_be_renamed(accounts: Accounts) -> None:
    with pytest.raises(UnknownPlayer):
        await accounts.rename_guest("nobody", "Anna")


async def test_a_token_has_256_random_bits(accounts: Accounts) -> None:
    tokens = {(await accounts.create("Anna", "person"))[1] for _ in range(20)}
    assert len(tokens) == 20
    assert all(len(token) == 43 for token in tokens)


async def test_the_database_never_holds_a_token(open_database: Opener) -> None:
    database = await open_database()
    _, token = await SqlAccounts(database).create("Anna", "person")
    async with database.reading() as connection:
        stored = (await connection.execute(select(TOKENS))).all()
    assert len(stored) == 1
    assert token not in repr(stored)


@pytest.mark.postgres
async def test_a_database_server_that_dies_is_named(postgres: Postgres, postgres_url: str) -> None:
    database = await Database.open(postgres_url)
    accounts = SqlAccounts(database)
    identity, token = await accounts.create("Anna", "person")
    postgres.kill()
    try:
        with pytest.raises(AccountsUnavailable):
            await accounts.by_token(token)
        with pytest.raises(AccountsUnavailable):
            await accounts.create("Bert", "person")
    finally:
        postgres.start()
    assert await accounts.by_token(token) == identity
    await database.close()


async def test_a_revoked_player_has_no_token_any_more_and_the_others_keep_theirs(accounts: Accounts) -> None:
    one, first = await accounts.create("Anna", "person")
    two, second = await accounts.create("Anna", "bot")
    assert sorted(player.id for player in await accounts.named("Anna", 10)) == sorted([one.player.id, two.player.id])
    assert len(await accounts.named("Anna", 1)) == 1
    assert await accounts.revoke(one.player.id)
    assert await accounts.by_token(first) is None
    assert await accounts.by_token(second) == two
    assert await accounts.named("Anna", 10) == [two.player]
    assert await accounts.by_id(one.player.id) == one.player
    assert not await accounts.revoke(one.player.id)
    assert not await accounts.revoke("nobody")


async def test_revocations_are_numbered_in_their_order(accounts: Accounts) -> None:
    assert await accounts.revoked(0) == []
    players = [(await accounts.create(f"Anna {number}", "person"))[0].player.id for number in range(4)]
    for player in players[:2]:
        await accounts.revoke(player)
    assert await accounts.revoked(0) == [Revocation(1, players[0]), Revocation(2, players[1])]
    assert await accounts.newest_revocation() == 2
    await asyncio.gather(*(accounts.revoke(player) for player in players[2:]))
    assert [one.number for one in await accounts.revoked(1)] == [2, 3, 4]
    assert await accounts.revoked(4) == []


async def test_programs_that_revoke_at_once_take_turns(open_database: Opener) -> None:
    own = [SqlAccounts(await open_database()) for _ in range(4)]
    players = [(await own[0].create("Anna", "person"))[0].player.id for _ in range(16)]
    seen: list[int] = []

    async def look() -> None:
        while len(seen) < len(players):
            found = [one.number for one in await own[0].revoked(seen[-1] if seen else 0)]
            seen.extend(found)

    async with asyncio.timeout(60):
        looking = asyncio.create_task(look())
        await asyncio.gather(*(own[number % 4].revoke(player) for number, player in enumerate(players)))
        await looking
    assert seen == list(range(1, 17)), "none is committed before one with a lower number"
