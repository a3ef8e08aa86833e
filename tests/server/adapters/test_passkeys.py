"""The contract of accounts with passkeys and identities at a provider, applied to every adapter."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cornered.server.accounts import (
    MAX_PASSKEYS,
    NO_PASSWORD,
    Accounts,
    Identity,
    IdentityTaken,
    LastWayIn,
    NewKey,
    Passkey,
    StaleAccount,
    TooMany,
)
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.database import Database
from tests.server.adapters.conftest import Opener
from tests.server.adapters.test_account_changes import account_of, new_account, registered, session


@pytest.fixture
def accounts(stored: Database | None) -> Accounts:
    return MemoryAccounts() if stored is None else SqlAccounts(stored)


def key(credential: str = "key-1", **more: Any) -> NewKey:
    fields = {"public_key": b"public", "count": 0, "handle": "handle", "site": "localhost", "label": "", "at": 1_000}
    return NewKey(credential, **{**fields, **more})


async def enrolled(accounts: Accounts, name: str = "Anna", credential: str = "key-1", **more: Any) -> Identity:
    """Make an account with a passkey alone."""
    identity, _ = await registered(accounts, name, hash=NO_PASSWORD, passkey=key(credential), **more)
    return identity


async def passkey_of(accounts: Accounts, credential: str) -> Passkey:
    passkey = await accounts.passkey(credential)
    assert passkey is not None
    return passkey


async def test_an_account_has_a_passkey_in_place_of_a_password(accounts: Accounts) -> None:
    anna = await enrolled(accounts)
    account = await account_of(accounts, anna.player.id)
    assert (account.has_password, account.passkeys, account.is_linked) == (False, 1, False)
    passkey = await passkey_of(accounts, "key-1")
    assert (passkey.player, passkey.public_key, passkey.site) == (anna.player.id, b"public", "localhost")
    assert await accounts.passkeys(anna.player.id) == [passkey]
    assert await accounts.passkey("key-2") is None
    entered, token = await accounts.enter_by_passkey(passkey, 7, session(address="home"))
    assert await accounts.by_token(token) == entered
    assert entered.player == anna.player
    assert await accounts.knows_address(anna.player.id, "home")
    used = await passkey_of(accounts, "key-1")
    assert (used.count, used.used, used.created) == (7, 2_000, 1_000)


async def test_a_proof_is_decided_on_the_newest_counter(accounts: Accounts) -> None:
    await enrolled(accounts)
    passkey = await passkey_of(accounts, "key-1")
    await accounts.count_passkey(passkey, 7, 2_000)
    with pytest.raises(StaleAccount):
        await accounts.count_passkey(passkey, 8, 3_000)
    with pytest.raises(StaleAccount):
        await accounts.enter_by_passkey(passkey, 8, session())


async def test_a_passkey_is_one_accounts(accounts: Accounts) -> None:
    await enrolled(accounts)
    berta, _ = await registered(accounts, "Berta")
    with pytest.raises(IdentityTaken):
        await accounts.add_passkey(berta.player.id, "hash-1", key("key-1"), berta.session)
    guest, _ = await accounts.create("Guest", "person")
    with pytest.raises(IdentityTaken):
        await accounts.register(new_account("Clara", passkey=key("key-1")), guest.player.id, guest.session)
    assert await accounts.account(guest.player.id) is None


async def test_a_passkey_is_added_on_what_was_confirmed_and_the_last_way_in_stays(accounts: Accounts) -> None:
    anna = await enrolled(accounts)
    player, by = anna.player.id, anna.session
    for was, session_ in (("hash-1", by), (NO_PASSWORD, "another")):
        with pytest.raises(StaleAccount):
            await accounts.add_passkey(player, was, key("key-2"), session_)
    first = await passkey_of(accounts, "key-1")
    with pytest.raises(LastWayIn):
        await accounts.remove_passkey(player, first.id, by)
    assert len(await accounts.passkeys(player)) == 1
    await accounts.add_passkey(player, NO_PASSWORD, key("key-2", at=2_000), by)
    assert [one.credential for one in await accounts.passkeys(player)] == ["key-2", "key-1"]
    assert await accounts.remove_passkey(player, first.id, by)
    assert not await accounts.remove_passkey(player, first.id, by)
    with pytest.raises(StaleAccount):
        await accounts.enter_by_passkey(first, 1, session())
    last = (await accounts.passkeys(player))[0]
    await accounts.change_password(player, NO_PASSWORD, "hash-2", by)
    assert await accounts.remove_passkey(player, last.id, by)


async def test_the_passkeys_in_the_store_are_bounded(accounts: Accounts) -> None:
    anna, _ = await registered(accounts)
    for number in range(MAX_PASSKEYS):
        await accounts.add_passkey(anna.player.id, "hash-1", key(f"key-{number}"), anna.session)
    with pytest.raises(TooMany):
        await accounts.add_passkey(anna.player.id, "hash-1", key("one more"), anna.session)


async def test_an_identity_is_linked_to_one_account_and_is_a_way_in(accounts: Accounts) -> None:
    anna, _ = await registered(accounts, hash=NO_PASSWORD, identity="identity-1")
    player, by = anna.player.id, anna.session
    assert await accounts.identity_holder("identity-1") == player
    entered, token = await accounts.enter_by_identity("identity-1", session())
    assert await accounts.by_token(token) == entered
    assert entered.player == anna.player
    with pytest.raises(LastWayIn):
        await accounts.unlink(player, by)
    with pytest.raises(IdentityTaken):
        await accounts.link(player, "identity-2", by, 2_000)
    berta, _ = await registered(accounts, "Berta")
    with pytest.raises(IdentityTaken):
        await accounts.link(berta.player.id, "identity-1", berta.session, 2_000)
    with pytest.raises(IdentityTaken):
        await registered(accounts, "Clara", identity="identity-1")
    await accounts.add_passkey(player, NO_PASSWORD, key(), by)
    assert await accounts.unlink(player, by)
    assert not await accounts.unlink(player, by)
    with pytest.raises(StaleAccount):
        await accounts.enter_by_identity("identity-1", session())
    await accounts.link(berta.player.id, "identity-1", berta.session, 2_000)


async def test_a_closed_or_deleted_account_is_entered_by_nothing(accounts: Accounts) -> None:
    anna = await enrolled(accounts, identity="identity-1")
    passkey = await passkey_of(accounts, "key-1")
    await accounts.close_account(anna.player.id, is_closed=True)
    with pytest.raises(StaleAccount):
        await accounts.enter_by_passkey(passkey, 1, session())
    with pytest.raises(StaleAccount):
        await accounts.enter_by_identity("identity-1", session())
    await accounts.close_account(anna.player.id, is_closed=False)
    entered, _ = await accounts.enter_by_identity("identity-1", session())
    await accounts.delete(anna.player.id, NO_PASSWORD, entered.session)
    with pytest.raises(StaleAccount):
        await accounts.enter_by_passkey(passkey, 1, session())
    with pytest.raises(StaleAccount):
        await accounts.enter_by_identity("identity-1", session())
    assert await accounts.passkey("key-1") is None
    assert await accounts.identity_holder("identity-1") is None


async def test_what_is_used_once_is_used_once_until_its_time_is_over(accounts: Accounts) -> None:
    assert await accounts.spend("challenge", 1_000, 5_000)
    assert not await accounts.spend("challenge", 4_999, 5_000)
    assert await accounts.spend("another", 1_000, 5_000)
    assert await accounts.spend("challenge", 5_000, 9_000), "nobody accepts it any more, so it may be forgotten"


async def test_what_is_remembered_as_used_is_bounded(accounts: Accounts, monkeypatch: pytest.MonkeyPatch) -> None:
    for adapter in ("accounts_memory", "passkeys_sql"):
        monkeypatch.setattr(f"cornered.server.adapters.{adapter}.MAX_SPENT", 3)
    for number in range(3):
        assert await accounts.spend(f"{number}", 1_000, 5_000)
    with pytest.raises(TooMany):
        await accounts.spend("one more", 4_999, 9_000)
    assert await accounts.spend("one more", 5_000, 9_000)


async def test_of_many_uses_at_once_on_two_nodes_one_counts(open_database: Opener) -> None:
    stores = [SqlAccounts(await open_database()) for _ in range(2)]
    found = await asyncio.gather(*(stores[number % 2].spend("challenge", 1_000, 5_000) for number in range(10)))
    assert sorted(found) == [False] * 9 + [True]
