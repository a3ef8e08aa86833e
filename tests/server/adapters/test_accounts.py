"""The contract of accounts, applied to every adapter."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.database import Database
from cornered.server.adapters.tables import TOKENS
from cornered.server.ports import Accounts, AccountsUnavailable, UnknownPlayer
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
    assert await accounts.by_id(identity.player.id) == identity


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
    renamed = await accounts.rename(identity.player.id, "Berta")
    assert renamed.player == identity.player.model_copy(update={"name": "Berta"})
    assert await accounts.by_token(token) == renamed


async def test_an_unknown_player_cannot_be_renamed(accounts: Accounts) -> None:
    with pytest.raises(UnknownPlayer):
        await accounts.rename("nobody", "Anna")


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
async def test_a_database_server_that_dies_is_named(postgres: Postgres) -> None:
    database = await Database.open(postgres.new_database())
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
