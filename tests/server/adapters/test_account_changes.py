"""The contract of accounts with names and passwords, applied to every adapter."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import select

from cornered.protocol.account import Scope
from cornered.server.accounts import (
    ALL_SCOPES,
    MAX_KNOWN_ADDRESSES,
    MAX_OLD_NAMES,
    MAX_SESSIONS,
    MAX_TOKENS,
    PLAIN_SCOPES,
    AccountRecord,
    Accounts,
    AccountsBusy,
    AccountsUnavailable,
    AlreadyRegistered,
    BadInvitation,
    FormerName,
    Identity,
    NameTaken,
    NewAccount,
    NewSession,
    Revocation,
    StaleAccount,
    TooMany,
    UnknownPlayer,
    account_called,
    is_name_claimed,
)
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.database import Database
from cornered.server.adapters.players_sql import KEPT_REVOCATIONS, SILENCE_MS
from cornered.server.adapters.tables import METADATA
from tests.server.adapters.conftest import Opener

PLAY: tuple[Scope, ...] = ("play",)
ADMIN: tuple[Scope, ...] = ("admin",)


@pytest.fixture
def accounts(stored: Database | None) -> Accounts:
    return MemoryAccounts() if stored is None else SqlAccounts(stored)


def new_account(name: str = "Anna", **more: Any) -> NewAccount:
    fields = {"key": name.lower(), "hash": "hash-1", "codes": ("code-1", "code-2"), "at": 1_000, **more}
    return NewAccount(name=name, **fields)


def session(at: int = 2_000, address: str = "") -> NewSession:
    return NewSession("a telephone", at, address)


async def registered(accounts: Accounts, name: str = "Anna", **more: Any) -> tuple[Identity, str]:
    identity, token = await accounts.register(new_account(name, **more), None)
    assert token is not None
    return identity, token


async def known_by(accounts: Accounts, token: str, at: int = 0) -> Identity:
    identity = await accounts.by_token(token, at)
    assert identity is not None
    return identity


async def account_of(accounts: Accounts, player: str) -> AccountRecord:
    account = await accounts.account(player)
    assert account is not None
    return account


async def test_a_guest_becomes_an_account_in_a_new_session_and_keeps_its_id(accounts: Accounts) -> None:
    guest, token = await accounts.create("somebody", "person", label="a browser", at=500)
    assert not guest.has_account
    before = await accounts.newest_revocation()
    identity, new_token = await accounts.register(new_account(), guest.player.id, guest.session)
    assert (identity.player.id, identity.player.name) == (guest.player.id, "Anna")
    assert await accounts.by_token(token) is None
    assert await accounts.by_token(new_token) == identity
    assert identity.has_account
    (only,) = await accounts.tokens(guest.player.id)
    assert (only.id, only.label) == (identity.session, "a browser")
    (ended,) = await accounts.revoked(before)
    assert ended.covers(guest.player.id, guest.session)
    assert not ended.covers(guest.player.id, identity.session)
    account = await accounts.account(guest.player.id)
    assert account == await accounts.account_named("anna")
    assert account is not None
    assert (account.player, account.hash, account.role, account.since) == (identity.player, "hash-1", "player", 1_000)
    assert (account.codes_left, account.old_names, account.is_closed) == (2, (), False)
    assert "hash-1" not in repr(account)
    assert "hash-1" not in repr(new_account())
    with pytest.raises(AlreadyRegistered):
        await accounts.register(new_account("Berta"), guest.player.id, identity.session)
    with pytest.raises(StaleAccount):
        await accounts.register(new_account("Berta"), guest.player.id, guest.session)


async def test_a_name_that_was_taken_by_an_earlier_version_stays_its_owners(accounts: Accounts) -> None:
    plain, _ = await registered(accounts, "Magnus")
    earlier, _ = await registered(accounts, "Magпus")
    for name, owner in (("Magnus", plain), ("MAGNUS", plain), ("Magпus", earlier), ("magпus", earlier)):
        found = await account_called(accounts, name)
        assert found is not None
        assert found.player == owner.player
    assert await is_name_claimed(accounts, "Magпus", plain.player.id)
    assert await is_name_claimed(accounts, "Magпus", "")
    assert not await is_name_claimed(accounts, "Magnus", plain.player.id)
    first, last = await accounts.accounts(2)
    assert list(await accounts.accounts(2, first.key)) == [last]
    assert list(await accounts.accounts(2, last.key)) == []


async def test_a_player_is_made_with_an_account_which_is_not_renamed_as_a_guest_is(accounts: Accounts) -> None:
    identity, token = await registered(accounts, label="a laptop")
    assert identity.has_account
    assert await accounts.by_token(token) == identity
    (only,) = await accounts.tokens(identity.player.id)
    assert (only.label, only.created, only.is_session, only.id) == ("a laptop", 1_000, True, identity.session)
    assert await accounts.rename_guest(identity.player.id, "Berta") == identity.player


async def test_a_name_is_one_accounts_and_a_failed_registration_leaves_nothing(accounts: Accounts) -> None:
    anna, _ = await registered(accounts)
    guest, token = await accounts.create("Guest", "person")
    with pytest.raises(NameTaken):
        await accounts.register(new_account(hash="other"), guest.player.id, guest.session)
    with pytest.raises(NameTaken):
        await accounts.register(new_account(hash="other"), None)
    assert await accounts.account(guest.player.id) is None
    assert await accounts.by_token(token) == guest
    assert await accounts.is_claimed("anna", guest.player.id)
    assert not await accounts.is_claimed("anna", anna.player.id)
    assert not await accounts.is_claimed("berta", guest.player.id)


async def test_a_session_that_has_ended_registers_nobody(accounts: Accounts) -> None:
    guest, _ = await accounts.create("Guest", "person")
    await accounts.revoke(guest.player.id)
    for player, by in ((guest.player.id, guest.session), ("nobody", "x")):
        with pytest.raises(StaleAccount):
            await accounts.register(new_account(), player, by)
    assert await accounts.account_named("anna") is None


async def test_an_invitation_is_used_as_often_as_it_says(accounts: Accounts) -> None:
    await accounts.invite("digest", 2, 0, 5_000)
    await registered(accounts, "Anna", invitation="digest")
    with pytest.raises(NameTaken):
        await registered(accounts, "Anna", invitation="digest")
    with pytest.raises(BadInvitation):
        await registered(accounts, "Berta", invitation="digest", at=5_000)
    await registered(accounts, "Berta", invitation="digest")
    for wrong in ("digest", "other"):
        with pytest.raises(BadInvitation):
            await registered(accounts, "Clara", invitation=wrong)


async def test_invitations_are_bounded_and_old_ones_are_forgotten(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    for adapter in ("accounts_memory", "accounts_sql"):
        monkeypatch.setattr(f"cornered.server.adapters.{adapter}.MAX_LIVE_INVITATIONS", 3)
    for number in range(3):
        await accounts.invite(f"digest-{number}", 1, 0, 5_000)
    with pytest.raises(TooMany):
        await accounts.invite("one more", 1, 4_999, 9_000)
    await accounts.invite("one more", 1, 5_000, 9_000)


async def test_a_sign_in_is_a_session_of_the_same_player(accounts: Accounts) -> None:
    first, _ = await registered(accounts)
    identity, token = await accounts.sign_in(first.player.id, "hash-1", session(address="home"))
    assert identity.player == first.player
    assert identity.session != first.session
    assert await accounts.by_token(token) == identity
    assert await accounts.knows_address(first.player.id, "home")
    assert not await accounts.knows_address(first.player.id, "elsewhere")
    assert [one.id for one in await accounts.tokens(first.player.id)] == [identity.session, first.session]
    await accounts.touch(first.player.id, identity.session, 7_000)
    assert [one.seen for one in await accounts.tokens(first.player.id)] == [7_000, 1_000]
    with pytest.raises(StaleAccount):
        await accounts.sign_in(first.player.id, "hash-0", session())


async def test_sessions_and_known_addresses_are_bounded(accounts: Accounts) -> None:
    first, first_token = await registered(accounts)
    player = first.player.id
    for number in range(MAX_SESSIONS):
        await accounts.sign_in(player, "hash-1", session(2_000 + number, f"address-{number}"))
    assert len(await accounts.tokens(player)) == MAX_SESSIONS
    assert await accounts.by_token(first_token) is None, "the one that was unused for the longest time ends"
    assert await accounts.revoked(0) == [Revocation(1, player, token=first.session)]
    known = [await accounts.knows_address(player, f"address-{number}") for number in range(MAX_SESSIONS)]
    assert known == [False] * (MAX_SESSIONS - MAX_KNOWN_ADDRESSES) + [True] * MAX_KNOWN_ADDRESSES


async def test_a_new_password_ends_every_other_session_and_token(accounts: Accounts) -> None:
    first, first_token = await registered(accounts)
    player = first.player.id
    second, second_token = await accounts.sign_in(player, "hash-1", session())
    _, personal = await accounts.create_token(player, first.session, "a bot", PLAY, 1_000, 9_000)
    await accounts.change_password(player, "hash-1", "hash-2", second.session)
    assert await accounts.by_token(second_token) is not None
    assert await accounts.by_token(first_token) is await accounts.by_token(personal) is None
    (revocation,) = await accounts.revoked(0)
    assert revocation == Revocation(1, player, spared=second.session)
    assert revocation.covers(player, first.session)
    assert not revocation.covers(player, second.session)
    assert not revocation.covers("other", first.session)
    for was, by in (("hash-1", second.session), ("hash-2", first.session)):
        with pytest.raises(StaleAccount):
            await accounts.change_password(player, was, "hash-3", by)


async def test_a_recovery_code_sets_a_password_once(accounts: Accounts) -> None:
    first, first_token = await registered(accounts)
    player = first.player.id
    identity, token = await accounts.recover(player, "hash-1", "code-1", "hash-2", session())
    assert await accounts.by_token(token) == identity
    assert await accounts.by_token(first_token) is None
    assert await accounts.revoked(0) == [Revocation(1, player, spared=identity.session)]
    account = await account_of(accounts, player)
    assert (account.hash, account.codes_left) == ("hash-2", 1)
    for was, code in (("hash-2", "code-1"), ("hash-1", "code-2"), ("hash-2", "other")):
        with pytest.raises(StaleAccount):
            await accounts.recover(player, was, code, "hash-3", session())
    await accounts.renew_codes(player, "hash-2", ("code-3",), identity.session)
    with pytest.raises(StaleAccount):
        await accounts.recover(player, "hash-2", "code-2", "hash-3", session())
    await accounts.recover(player, "hash-2", "code-3", "hash-3", session())


async def test_old_names_stay_reserved_for_their_owner(accounts: Accounts) -> None:
    first, token = await registered(accounts)
    player = first.player.id
    renamed = await accounts.rename(player, "Anna", "Berta", "berta", first.session, 3_000)
    assert renamed.name == "Berta"
    known = await known_by(accounts, token)
    assert known.player == renamed
    account = await account_of(accounts, player)
    assert account.old_names == (FormerName("Anna", 3_000),)
    assert await accounts.account_named("anna") is None
    assert await accounts.account_named("berta") == account
    assert await accounts.is_claimed("anna", "somebody else")
    with pytest.raises(NameTaken):
        await registered(accounts)
    await accounts.rename(player, "Berta", "ANNA", "anna", first.session, 4_000)
    account = await account_of(accounts, player)
    assert account.player.name == "ANNA"
    assert account.old_names == (FormerName("Berta", 4_000),)
    await accounts.rename(player, "ANNA", "anna", "anna", first.session, 5_000)
    with pytest.raises(StaleAccount):
        await accounts.rename(player, "ANNA", "Clara", "clara", first.session, 6_000)
    other, _ = await registered(accounts, "Dora")
    with pytest.raises(NameTaken):
        await accounts.rename(player, "anna", "Dora", "dora", first.session, 6_000)
    with pytest.raises(StaleAccount):
        await accounts.rename(player, "anna", "Clara", "clara", other.session, 6_000)


async def test_the_names_of_an_account_are_bounded(accounts: Accounts) -> None:
    first, _ = await registered(accounts, "name 0")
    was = "name 0"
    for number in range(1, MAX_OLD_NAMES + 1):
        name = f"name {number}"
        await accounts.rename(first.player.id, was, name, name, first.session, number)
        was = name
    with pytest.raises(TooMany):
        await accounts.rename(first.player.id, was, "one more", "one more", first.session, 99)
    await accounts.rename(first.player.id, was, "name 0", "name 0", first.session, 99)


async def test_a_personal_token_has_scopes_and_an_end(accounts: Accounts) -> None:
    first, _ = await registered(accounts)
    player = first.player.id
    record, secret = await accounts.create_token(player, first.session, "a bot", ("read", "play"), 1_000, 9_000)
    assert (record.label, record.scopes, record.expires, record.is_session) == ("a bot", ("play", "read"), 9_000, False)
    identity = await known_by(accounts, secret, 8_999)
    assert (identity.scopes, identity.is_session, identity.session) == (("play", "read"), False, record.id)
    assert await accounts.by_token(secret, 9_000) is None
    assert record in await accounts.tokens(player)
    with pytest.raises(StaleAccount):
        await accounts.create_token(player, record.id, "more", PLAY, 1_000, 9_000)
    assert not await accounts.end_token(player, record.id, first.session, is_session=True)
    assert await accounts.end_token(player, record.id, first.session, is_session=False)
    assert not await accounts.end_token(player, record.id, first.session, is_session=False)
    assert await accounts.by_token(secret) is None
    assert await accounts.revoked(0) == [Revocation(1, player, token=record.id)]
    for _ in range(MAX_TOKENS):
        await accounts.create_token(player, first.session, "", PLAY, 1_000, 9_000)
    with pytest.raises(TooMany):
        await accounts.create_token(player, first.session, "", PLAY, 8_999, 99_000)
    await accounts.create_token(player, first.session, "", PLAY, 9_000, 99_000)
    assert len(await accounts.tokens(player)) == 2, "those past their time are forgotten"


async def test_sessions_end_one_by_one_or_all_others_at_once(accounts: Accounts) -> None:
    first, first_token = await registered(accounts)
    player = first.player.id
    entered = [await accounts.sign_in(player, "hash-1", session(2_000 + number)) for number in range(3)]
    _, personal = await accounts.create_token(player, first.session, "", PLAY, 1_000, 9_000)
    assert await accounts.end_token(player, entered[0][0].session, first.session, is_session=True)
    assert [await accounts.by_token(token) is None for _, token in entered] == [True, False, False]
    with pytest.raises(StaleAccount):
        await accounts.end_others(player, entered[0][0].session)
    assert await accounts.end_others(player, first.session) == 2
    assert [await accounts.by_token(token) is None for _, token in entered] == [True] * 3
    assert await accounts.by_token(personal) is not None
    assert await accounts.end_token(player, first.session, first.session, is_session=True)
    assert await accounts.by_token(first_token) is None
    assert await accounts.newest_revocation() == 5, "with the session ended the token that it had made"


async def test_what_a_session_has_made_ends_with_it_and_what_that_has_made(accounts: Accounts) -> None:
    first, first_token = await registered(accounts)
    player = first.player.id
    link, _ = await accounts.sign_in_again(player, first.session, session(2_000))
    second, second_token = await accounts.sign_in_again(player, link.session, session(3_000))
    _, bot = await accounts.create_token(player, second.session, "", PLAY, 1_000, 9_000)
    other, _ = await accounts.sign_in(player, "hash-1", session(4_000))
    _, kept = await accounts.create_token(player, other.session, "", PLAY, 1_000, 9_000)
    # A session that ends the one that has let it in goes on, with its own.
    assert await accounts.end_token(player, link.session, second.session, is_session=True)
    assert await accounts.by_token(second_token) is not None
    assert await accounts.end_token(player, first.session, other.session, is_session=True)
    assert await accounts.by_token(first_token) is None
    assert await accounts.by_token(bot) is not None, "what had made it made it no more"
    assert await accounts.end_token(player, second.session, other.session, is_session=True)
    assert [await accounts.by_token(token) is None for token in (second_token, bot, kept)] == [True, True, False]
    again, _ = await accounts.sign_in_again(player, other.session, session(5_000))
    further, token = await accounts.sign_in_again(player, again.session, session(6_000))
    assert (await known_by(accounts, token)).session == further.session
    assert await accounts.end_token(player, other.session, other.session, is_session=True)
    assert await accounts.tokens(player) == []


async def test_a_session_that_has_made_others_gives_way_last(accounts: Accounts) -> None:
    first, _ = await registered(accounts)
    player = first.player.id
    _, bot = await accounts.create_token(player, first.session, "", PLAY, 1_000, 9_000)
    for number in range(MAX_SESSIONS + 2):
        await accounts.sign_in(player, "hash-1", session(2_000 + number))
    assert await accounts.by_token(bot) is not None
    assert len([one for one in await accounts.tokens(player) if one.is_session]) == MAX_SESSIONS


async def test_an_administrators_invitations_end_with_the_role(accounts: Accounts) -> None:
    first, _ = await registered(accounts)
    await accounts.set_role(first.player.id, "admin")
    await accounts.invite("administrators", 2, 0, 5_000, first.player.id)
    await accounts.invite("operators", 2, 0, 5_000)
    await accounts.set_role(first.player.id, "player")
    with pytest.raises(BadInvitation):
        await registered(accounts, "Ben", invitation="administrators")
    await registered(accounts, "Ben", invitation="operators")


async def test_a_role_is_in_sessions_at_once_and_ends_with_its_tokens(accounts: Accounts) -> None:
    first, token = await registered(accounts)
    player = first.player.id
    assert first.scopes == PLAIN_SCOPES
    _, early = await accounts.create_token(player, first.session, "", ALL_SCOPES, 1_000, 9_000)
    known = await known_by(accounts, early)
    assert known.scopes == PLAIN_SCOPES, "without the role the scope permits nothing"
    await accounts.set_role(player, "admin")
    entered, _ = await accounts.sign_in(player, "hash-1", session())
    known = await known_by(accounts, token)
    assert known.scopes == entered.scopes == ALL_SCOPES
    record, secret = await accounts.create_token(player, first.session, "", ADMIN, 1_000, 9_000)
    known = await known_by(accounts, secret)
    assert known.scopes == ("admin",)
    await accounts.set_role(player, "player")
    assert await accounts.by_token(secret) is await accounts.by_token(early) is None
    assert record.id in {one.token for one in await accounts.revoked(0)}
    known = await known_by(accounts, token)
    assert known.scopes == PLAIN_SCOPES
    guest, _ = await accounts.create("Guest", "person")
    for unknown in (guest.player.id, "nobody"):
        with pytest.raises(UnknownPlayer):
            await accounts.set_role(unknown, "admin")


async def test_a_closed_account_is_not_entered_until_it_is_opened(accounts: Accounts) -> None:
    first, token = await registered(accounts)
    player = first.player.id
    await accounts.close_account(player, is_closed=True)
    assert await accounts.by_token(token) is None
    assert await accounts.revoked(0) == [Revocation(1, player)]
    with pytest.raises(StaleAccount):
        await accounts.sign_in(player, "hash-1", session())
    with pytest.raises(StaleAccount):
        await accounts.recover(player, "hash-1", "code-1", "hash-2", session())
    await accounts.close_account(player, is_closed=False)
    await accounts.add_codes(player, ("code-9",))
    await accounts.recover(player, "hash-1", "code-9", "hash-2", session())


async def test_of_a_deleted_player_nothing_but_the_games_stays(accounts: Accounts) -> None:
    first, token = await registered(accounts)
    player = first.player.id
    await accounts.sign_in(player, "hash-1", session(address="home"))
    await accounts.rename(player, "Anna", "Berta", "berta", first.session, 3_000)
    for was in ("hash-0", None):
        with pytest.raises(StaleAccount):
            await accounts.delete(player, was, first.session)
    await accounts.delete(player, "hash-1", first.session)
    assert await accounts.account(player) is None
    assert await accounts.by_token(token) is None
    assert await accounts.tokens(player) == []
    assert (await accounts.revoked(0))[-1] == Revocation(1, player)
    assert await accounts.called([player, "nobody"]) == {player: "deleted"}
    assert (await accounts.rename_guest(player, "back")).name == "deleted"
    with pytest.raises((StaleAccount, UnknownPlayer)):
        await accounts.delete(player, None, first.session)
    await registered(accounts, "Anna")
    await registered(accounts, "Berta")


async def test_who_cannot_come_in_any_more_has_departed(accounts: Accounts) -> None:
    ann, _ = await registered(accounts)
    guest, _ = await accounts.create("Guest", "person")
    bot, _ = await accounts.create("Bot", "bot")
    everyone = [ann.player.id, guest.player.id, bot.player.id, "nobody"]
    assert await accounts.departed(everyone) == {}
    assert await accounts.departed([]) == {}
    await accounts.end_token(ann.player.id, ann.session, ann.session, is_session=True)
    assert await accounts.departed(everyone) == {}, "an account is signed in to again"
    await accounts.revoke(bot.player.id)
    await accounts.close_account(ann.player.id, is_closed=True)
    await accounts.delete(guest.player.id, None, guest.session)
    left = {ann.player.id: "closed", guest.player.id: "deleted", bot.player.id: "closed"}
    assert await accounts.departed(everyone) == left
    await accounts.close_account(ann.player.id, is_closed=False)
    assert ann.player.id not in await accounts.departed(everyone)


async def test_a_guest_is_deleted_without_a_password(accounts: Accounts) -> None:
    guest, token = await accounts.create("Guest", "person")
    other, _ = await accounts.create("Other", "person")
    account, _ = await registered(accounts)
    await accounts.delete(guest.player.id, None, guest.session)
    assert await accounts.by_token(token) is None
    everyone = [one.player.id for one in (guest, other, account)]
    assert await accounts.called(everyone) == {guest.player.id: "deleted", account.player.id: "Anna"}
    assert await accounts.called([]) == {}


async def test_operators_see_the_accounts_page_by_page(accounts: Accounts) -> None:
    for name in ("Clara", "Anna", "Berta"):
        await registered(accounts, name)
    page = await accounts.accounts(2)
    assert [one.player.name for one in page] == ["Anna", "Berta"]
    assert [one.player.name for one in await accounts.accounts(2, "berta")] == ["Clara"]


Change = Callable[[SqlAccounts], Awaitable[object]]


async def outcomes(stores: list[SqlAccounts], *changes: Change) -> list[str]:
    """Carry out changes at once, each as another process; return the names of their errors, empty for none."""
    done = await asyncio.gather(
        *(change(store) for change, store in zip(changes, stores, strict=True)), return_exceptions=True
    )
    return sorted(type(one).__name__ if isinstance(one, BaseException) else "" for one in done)


async def change_twice(stores: list[SqlAccounts], turn: int) -> None:
    first, _ = await registered(stores[0], f"Anna {turn}")
    player, by = first.player.id, first.session

    def recover(new_hash: str) -> Change:
        return lambda store: store.recover(player, "hash-1", "code-1", new_hash, session())

    assert await outcomes(stores, recover("hash-2"), recover("hash-3")) == ["", "StaleAccount"]
    account = await account_of(stores[0], player)
    assert account.codes_left == 1
    (own,) = await stores[0].tokens(player)
    was = account.hash
    assert await outcomes(
        stores,
        lambda store: store.change_password(player, was, "hash-4", own.id),
        lambda store: store.recover(player, was, "code-2", "hash-5", session()),
    ) == ["", "StaleAccount"]
    (own,) = await stores[0].tokens(player)
    account = await account_of(stores[0], player)
    last = account.hash
    lost = await outcomes(
        stores,
        lambda store: store.delete(player, last, own.id),
        lambda store: store.rename(player, f"Anna {turn}", "Eva", "eva", own.id, 1),
    )
    assert lost in (["", ""], ["", "StaleAccount"], ["", "UnknownPlayer"]), "the rename came first, or found nothing"
    assert await stores[0].called([player]) == {player: "deleted"}
    assert not await stores[0].is_claimed("eva", "nobody")
    assert by


async def test_of_two_changes_at_once_one_wins(open_database: Opener) -> None:
    stores = [SqlAccounts(await open_database()) for _ in range(2)]
    for turn in range(3):
        await change_twice(stores, turn)


async def rename_while_registering(stores: list[SqlAccounts], turn: int) -> None:
    guest, _ = await stores[0].create("Guest", "person")
    player = guest.player.id
    await outcomes(
        stores,
        lambda store: store.register(new_account(f"Anna {turn}"), player, guest.session),
        lambda store: store.rename_guest(player, "Berta"),
    )
    account = await account_of(stores[0], player)
    assert account.player.name == f"Anna {turn}"


async def test_a_guests_rename_never_changes_an_accounts_name(open_database: Opener) -> None:
    stores = [SqlAccounts(await open_database()) for _ in range(2)]
    for turn in range(5):
        await rename_while_registering(stores, turn)


async def register_at_once(stores: list[SqlAccounts], turn: int) -> None:
    change: Change = lambda store: store.register(new_account(f"Anna {turn}"), None)  # noqa: E731
    assert await outcomes(stores, *[change] * 4) == ["", "NameTaken", "NameTaken", "NameTaken"]
    named = await stores[0].named(f"Anna {turn}", 10)
    assert len(named) == 1


async def test_of_two_registrations_of_a_name_one_wins(open_database: Opener) -> None:
    stores = [SqlAccounts(await open_database()) for _ in range(4)]
    for turn in range(5):
        await register_at_once(stores, turn)


async def test_an_invitation_for_one_admits_one_of_many_at_once(open_database: Opener) -> None:
    stores = [SqlAccounts(await open_database()) for _ in range(4)]
    await stores[0].invite("digest", 1, 0, 5_000)

    def register(number: int) -> Change:
        return lambda store: store.register(new_account(f"Anna {number}", invitation="digest"), None)

    assert await outcomes(stores, *map(register, range(4))) == ["", *["BadInvitation"] * 3]


@pytest.mark.postgres
async def test_a_change_at_a_node_that_hangs_has_others_refused_and_ends_by_itself(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cornered.server.adapters.players_sql.LOCK_MS", 100)
    url = postgres_url
    databases = [await Database.open(url) for _ in range(2)]
    hanging, other = map(SqlAccounts, databases)
    first, _ = await registered(hanging)
    player = first.player.id
    stranger, _ = await other.create("Guest", "person")

    async def hang() -> None:
        monkeypatch.setattr("cornered.server.adapters.players_sql.SILENCE_MS", 2_000)
        async with hanging._changing(player) as connection:
            monkeypatch.setattr("cornered.server.adapters.players_sql.SILENCE_MS", SILENCE_MS)
            await hanging._record_revocation(connection, player)
            with pytest.raises(AccountsBusy):
                await other.sign_in(player, "hash-1", session())
            with pytest.raises(AccountsBusy):
                await other.revoke(stranger.player.id)
            while await is_locked(other, player):
                pass

    with pytest.raises(AccountsUnavailable) as lost:
        await hang()
    assert not isinstance(lost.value, AccountsBusy)
    assert await other.newest_revocation() == 0, "what the node had not committed is undone"
    assert await hanging.sign_in(player, "hash-1", session()), "it connects again"
    for database in databases:
        await database.close()


async def is_locked(accounts: SqlAccounts, player: str) -> bool:
    """Return whether a change of the player is refused because another one does not end."""
    try:
        await accounts.sign_in(player, "hash-1", session())
    except AccountsBusy:
        return True
    return False


async def test_the_database_never_holds_a_secret(open_database: Opener) -> None:
    database = await open_database()
    accounts = SqlAccounts(database)
    first, first_token = await registered(accounts)
    _, second_token = await accounts.sign_in(first.player.id, "hash-1", session())
    _, personal = await accounts.create_token(first.player.id, first.session, "", PLAY, 0, 9_000)
    async with database.reading() as connection:
        stored = repr([(await connection.execute(select(table))).all() for table in METADATA.sorted_tables])
    assert first.player.id in stored
    assert not [one for one in (first_token, second_token, personal) if one in stored]


async def test_revocations_of_long_ago_are_forgotten(open_database: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.server.adapters.players_sql.KEPT_REVOCATIONS", 3)
    accounts = SqlAccounts(await open_database())
    for number in range(5):
        guest, _ = await accounts.create(f"Guest {number}", "person")
        await accounts.revoke(guest.player.id)
    assert [one.number for one in await accounts.revoked(0)] == [3, 4, 5]
    assert await accounts.newest_revocation() == 5
    assert KEPT_REVOCATIONS > 3
