"""The contract of accounts, applied to every adapter."""

from __future__ import annotations

import asyncio

import pytest

from cornered.protocol.values import PlayerKind
from cornered.server.accounts import Accounts, AccountsUnavailable, Revocation, UnknownPlayer
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.database import Database
from tests.conftest import Postgres
from tests.server.adapters.conftest import Opener


@pytest.fixture
def accounts(stored: Database | None) -> Accounts:
    return MemoryAccounts() if stored is None else SqlAccounts(stored)


async def test_a_token_of_256_random_bits_is_its_player_and_nothing_else_is(accounts: Accounts) -> None:
    made = []
    kinds: tuple[PlayerKind, ...] = ("person", "bot")
    for kind in kinds * 5:
        identity, token = await accounts.create("Änne 円", kind)
        assert (identity.player.name, identity.player.kind) == ("Änne 円", kind)
        assert await accounts.by_token(token) == identity
        assert await accounts.by_id(identity.player.id) == identity.player
        made.append((identity.player.id, token))
    assert len({player for player, _ in made}) == len({token for _, token in made}) == len(made)
    assert {len(token) for _, token in made} == {43}
    player, token = made[-1]
    for wrong in ("", token[:-1], token + "x", token.swapcase(), player):
        assert await accounts.by_token(wrong) is None
    for wrong in ("", token, player + "x"):
        assert await accounts.by_id(wrong) is None


async def test_a_new_name_keeps_the_player_and_the_token(accounts: Accounts) -> None:
    identity, token = await accounts.create("Anna", "bot")
    renamed = await accounts.rename_guest(identity.player.id, "Berta")
    assert renamed == identity.player.model_copy(update={"name": "Berta"})
    known = await accounts.by_token(token)
    assert known is not None
    assert known.player == renamed
    with pytest.raises(UnknownPlayer):
        await accounts.rename_guest("nobody", "Anna")


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
    players = [(await own[0].create("Anna", "person"))[0].player.id for _ in range(8)]
    seen: list[int] = []

    async def look() -> None:
        while len(seen) < len(players):
            seen.extend([one.number for one in await own[0].revoked(seen[-1] if seen else 0)])

    async with asyncio.timeout(60):
        looking = asyncio.create_task(look())
        await asyncio.gather(*(own[number % 4].revoke(player) for number, player in enumerate(players)))
        await looking
    assert seen == list(range(1, 9)), "none is committed before one with a lower number"
