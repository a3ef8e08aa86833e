"""Relations and notifications, as every store keeps them."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import pytest

from cornered.protocol.social import NoticeKind
from cornered.server.accounts import Accounts
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.database import Database
from cornered.server.adapters.social_memory import MemorySocialStore
from cornered.server.adapters.social_sql import SqlSocialStore
from cornered.server.social.ports import Device, SocialStore, TooManyRelations, TooSoon, UnknownPerson


class Store(NamedTuple):
    accounts: Accounts
    social: SocialStore

    async def player(self, name: str) -> tuple[str, str]:
        """Return the id of a new player, and that of its session."""
        identity, _ = await self.accounts.create(name, "person")
        return identity.player.id, identity.session


@pytest.fixture
def store(stored: Database | None) -> Store:
    if stored is None:
        accounts = MemoryAccounts()
        return Store(accounts, MemorySocialStore(accounts))
    return Store(SqlAccounts(stored), SqlSocialStore(stored))


def device(number: int, *, at: int = 0) -> Device:
    return Device(f"https://push.example/{number}", "p" * 87, "a" * 22, f"Browser {number}", at or number)


async def test_relations_are_of_one_player_and_one_kind_and_a_block_ends_a_following(store: Store) -> None:
    (ann, _), (ben, _), (cas, _) = [await store.player(name) for name in ("Ann", "Ben", "Cas")]
    social = store.social
    await social.add_relation(ann, "follow", ben, 5, 10)
    await social.add_relation(ann, "follow", ben, 6, 10)
    await social.add_relation(ben, "block", cas, 7, 10)
    assert await social.relations(ann, "follow") == {ben: 5}
    assert await social.relations(ann, "block") == {}
    assert await social.blocks_of((ann, ben, "nobody")) == {ben: frozenset({cas})}
    assert await social.blocks_of(()) == {}
    await social.remove_relation(ben, "follow", cas)
    assert await social.relations(ben, "block") == {cas: 7}
    await social.remove_relation(ben, "block", cas)
    await social.remove_relation(ben, "block", cas)
    assert await social.blocks_of((ben,)) == {}
    (ann, _), (ben, _), (cas, _) = [await store.player(name) for name in ("Ann", "Ben", "Cas")]
    for one, other in ((ann, ben), (ann, cas), (ben, ann)):
        await store.social.add_relation(one, "follow", other, 1, 10)
    await store.social.add_relation(ann, "block", ben, 2, 10)
    assert await store.social.relations(ann, "follow") == {cas: 1}
    assert await store.social.relations(ben, "follow") == {ann: 1}


async def test_the_number_of_relations_is_bounded_and_who_does_not_exist_has_none(store: Store) -> None:
    ann, _ = await store.player("Ann")
    others = [(await store.player(f"Guest {number}"))[0] for number in range(6)]
    made = await asyncio.gather(
        *(store.social.add_relation(ann, "follow", other, 1, 4) for other in others), return_exceptions=True
    )
    assert [type(outcome) for outcome in made].count(TooManyRelations) == 2
    assert len(await store.social.relations(ann, "follow")) == 4
    ann, _ = await store.player("Ann")
    for one, other in ((ann, "nobody"), ("nobody", ann)):
        with pytest.raises(UnknownPerson):
            await store.social.add_relation(one, "follow", other, 1, 10)
    with pytest.raises(UnknownPerson):
        await store.social.choose_push("nobody", ())
    with pytest.raises(UnknownPerson):
        await store.social.add_device("nobody", device(1), 8)


async def test_a_deletion_takes_all_of_it_and_the_relations_of_others(store: Store) -> None:
    (ann, session), (ben, _) = await store.player("Ann"), await store.player("Ben")
    social = store.social
    await social.add_relation(ann, "follow", ben, 1, 10)
    await social.add_relation(ben, "block", ann, 1, 10)
    await social.choose_push(ann, ())
    await social.add_device(ann, device(1), 8)
    await store.accounts.delete(ann, None, session)
    assert (await social.relations(ann, "follow"), await social.relations(ben, "block")) == ({}, {})
    assert list(await social.devices(ann)) == []
    with pytest.raises(UnknownPerson):
        await social.add_relation(ben, "follow", ann, 2, 10)


async def test_one_is_notified_of_everything_until_one_chooses_under_the_first_key(store: Store) -> None:
    ann, _ = await store.player("Ann")
    assert list(await store.social.push_kinds(ann)) == ["turn", "challenge", "round"]
    choices: tuple[list[NoticeKind], ...] = (["challenge", "round"], [])
    for chosen in choices:
        await store.social.choose_push(ann, chosen[::-1])
        assert list(await store.social.push_kinds(ann)) == chosen
    first = await store.social.push_secret(b"a" * 32)
    assert {first, await store.social.push_secret(b"b" * 32)} == {b"a" * 32}
    claims = await asyncio.gather(*(store.social.claim_turn("m1", 4) for _ in range(5)))
    assert sorted(claims) == [False, False, False, False, True]
    assert [await store.social.claim_turn("m1", turn) for turn in (3, 5, 4, 5, 6)] == [False, True, False, False, True]
    assert await store.social.claim_turn("m2", 1)
    await store.social.forget_turns("m1")
    assert await store.social.claim_turn("m1", 1)


async def test_a_browser_has_one_player_and_of_many_the_oldest_is_forgotten(store: Store) -> None:
    (ann, _), (ben, _) = await store.player("Ann"), await store.player("Ben")
    for number in (1, 2, 3):
        await store.social.add_device(ann, device(number), 2)
    assert list(await store.social.devices(ann)) == [device(3), device(2)]
    await store.social.add_device(ann, device(2, at=9), 2)
    await store.social.add_device(ben, device(3), 2)
    assert list(await store.social.devices(ann)) == [device(2, at=9)]
    await store.social.remove_device(ann, device(3).endpoint)
    assert list(await store.social.devices(ben)) == [device(3)]
    await store.social.remove_device(ben, None)
    assert list(await store.social.devices(ben)) == []


HOUR_MS = 60 * 60 * 1000


async def test_an_address_is_confirmed_by_its_code_in_few_attempts_within_an_hour(store: Store) -> None:
    ann, _ = await store.player("Ann")
    social = store.social
    at = 10 * HOUR_MS
    await social.set_mail(ann, "ann@example.org", "de", "right", at)
    box = await social.mail_box(ann)
    assert box is not None
    assert (box.address, box.language, box.is_confirmed) == ("ann@example.org", "de", False)
    assert await social.claim_mail(ann, "turn", at) is None
    assert not await social.confirm_mail(ann, "wrong", at)
    assert not await social.confirm_mail(ann, "right", at + HOUR_MS)
    assert await social.confirm_mail(ann, "right", at)
    assert not await social.confirm_mail(ann, "right", at)
    at += HOUR_MS
    await social.set_mail(ann, "other@example.org", "en", "right", at)
    for _ in range(5):
        assert not await social.confirm_mail(ann, "wrong", at)
    assert not await social.confirm_mail(ann, "right", at)


async def test_one_code_an_hour_goes_to_a_player_and_to_an_address(store: Store) -> None:
    (ann, _), (ben, _) = await store.player("Ann"), await store.player("Ben")
    social = store.social
    at = 10 * HOUR_MS
    await social.set_mail(ann, "ann@example.org", "en", "code", at)
    for player, address in ((ann, "other@example.org"), (ben, "ann@example.org")):
        with pytest.raises(TooSoon):
            await social.set_mail(player, address, "en", "code", at + HOUR_MS - 1)
    await social.forget_mail(ann)
    assert await social.mail_box(ann) is None
    with pytest.raises(TooSoon):
        await social.set_mail(ann, "other@example.org", "en", "code", at + 1)
    await social.set_mail(ben, "ann@example.org", "en", "code", at + HOUR_MS)


async def test_one_mail_an_hour_of_the_chosen_kinds_goes_to_a_confirmed_address(store: Store) -> None:
    ann, session = await store.player("Ann")
    social = store.social
    at = 10 * HOUR_MS
    await social.set_mail(ann, "ann@example.org", "en", "code", at)
    await social.confirm_mail(ann, "code", at)
    chosen: list[NoticeKind] = ["turn"]
    await social.choose_mail(ann, chosen)
    assert await social.claim_mail(ann, "challenge", at) is None
    boxes = await asyncio.gather(*(social.claim_mail(ann, "turn", at) for _ in range(4)))
    assert [box.address for box in boxes if box is not None] == ["ann@example.org"]
    assert await social.claim_mail(ann, "turn", at + HOUR_MS - 1) is None
    assert await social.claim_mail(ann, "turn", at + HOUR_MS) is not None
    await store.accounts.delete(ann, None, session)
    assert await social.mail_box(ann) is None
    assert await social.claim_mail(ann, "turn", at + 9 * HOUR_MS) is None
