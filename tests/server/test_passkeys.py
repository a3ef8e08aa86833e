"""Passkeys on a server server: registration, sign-in, confirmation, removal, and what is refused."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from cornered.protocol import account as acc
from cornered.protocol import passkeys as keys
from cornered.protocol.messages import Refused
from cornered.server.accounts import MAX_PASSKEYS
from cornered.server.runtime.passkey_proofs import CHALLENGE_SECONDS
from tests.server.authenticator import Authenticator
from tests.server.conftest import Client, Running, Start, Stores
from tests.server.scenes import OTHER, PASSWORD, REVOKED, closing, register, sign_in


@asynccontextmanager
async def page(server: Running, name: str | None = None, **hello: Any) -> AsyncIterator[Client]:
    """A socket of the server's own page at http://localhost; it says hello where it has a name."""
    named = Running(server.address.replace("127.0.0.1", "localhost"))
    async with named.socket(host="127.0.0.1", origin=named.address) as client:
        if name is not None or hello:
            await client.hello(name, **hello)
        yield client


def authenticator(server: Running, **fields: Any) -> Authenticator:
    return Authenticator(origin=f"http://localhost:{server.address.rpartition(':')[2]}", **fields)


async def challenge(client: Client, purpose: str) -> keys.PasskeyChallenge:
    answer = await client.ask(keys.AskPasskeyChallenge, purpose=purpose)
    assert isinstance(answer, keys.PasskeyChallenge), answer
    return answer


async def enrol(client: Client, device: Authenticator, name: str = "Anna", **fields: Any) -> acc.Registered:
    """Register a client with a passkey alone."""
    passkey = device.create(await challenge(client, "register"))
    answer = await client.ask(keys.RegisterByPasskey, name=name, passkey=passkey, **fields)
    assert isinstance(answer, acc.Registered), answer
    return answer


async def enter(server: Running, device: Authenticator, **changed: Any) -> Any:
    """Return the answer to a sign-in by passkey on a socket of its own."""
    async with page(server) as door:
        proof = device.prove(await challenge(door, "sign_in"), **changed)
        return await door.ask(keys.SignInByPasskey, passkey=proof)


async def test_a_guest_becomes_an_account_with_a_passkey_alone_and_signs_in_elsewhere(server: Running) -> None:
    device = authenticator(server)
    async with page(server, "somebody") as ann:
        made = await enrol(ann, device, passkey_label="a telephone")
        assert (made.player.id, made.player.name) == (ann.player.id, "Anna")
        assert len(set(made.codes)) == acc.CODE_COUNT
        own = await ann.ask(acc.AskAccount)
        assert (own.has_account, own.has_password, own.passkeys) == (True, False, 1)
        answer = await enter(server, device)
        assert isinstance(answer, acc.SignedIn)
        assert answer.token not in (ann.welcome.token, "")
        async with page(server, token=answer.token) as phone:
            assert phone.player == made.player
        (only,) = (await ann.ask(keys.AskPasskeys)).passkeys
        assert (only.label, only.site) == ("a telephone", "localhost")
        assert (await sign_in(server)).code == "bad_credentials", "there is no password"


async def test_an_account_is_made_with_a_passkey_before_hello(server: Running) -> None:
    async with page(server) as door:
        made = await enrol(door, authenticator(server))
        assert (await door.hello(token=made.token)).player.name == "Anna"


async def test_a_sign_in_names_nobody_and_changes_no_socket(server: Running) -> None:
    device = authenticator(server)
    async with page(server, "Guest") as ann, page(server, "Other") as other:
        await enrol(ann, device)
        asked = await challenge(other, "sign_in")
        assert (asked.passkeys, asked.user) == ((), "")
        answer = await other.ask(keys.SignInByPasskey, passkey=device.prove(asked))
        assert answer.player == (await ann.ask(acc.AskAccount)).player
        assert (await other.ask(acc.AskAccount)).player == other.player


HOSTILE: dict[str, Callable[[Authenticator], dict[str, Any]]] = {
    "another origin": lambda _: {"origin": "https://evil.example"},
    "another site": lambda _: {"site": "evil.example"},
    "another key": lambda device: {"key": Authenticator().key},
    "another type": lambda _: {"type": "webauthn.create"},
    "nobody was there": lambda _: {"flags": 0},
    "an unknown passkey": lambda _: {"id": b"unknown" * 4},
    "another user": lambda _: {"user": "c29tZWJvZHk"},
    "a challenge of its own": lambda _: {"challenge": "0" * 40},
    "a counter that stands still": lambda device: {"counter": device.counter},
}


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_every_false_proof_is_refused_in_the_same_words(server: Running, hostile: str) -> None:
    device = authenticator(server)
    async with page(server, "Guest") as ann:
        await enrol(ann, device)
        assert isinstance(await enter(server, device), acc.SignedIn)
        refused = await enter(server, device, **HOSTILE[hostile](device))
        unknown = await enter(server, authenticator(server))
        assert isinstance(refused, Refused)
        assert refused.code == "bad_credentials"
        assert refused.model_dump(exclude={"id"}) == unknown.model_dump(exclude={"id"})
        assert len((await ann.ask(acc.AskSessions)).sessions) == 2


@pytest.mark.parametrize(
    "changed", [{"origin": "https://evil.example"}, {"site": "evil.example"}, {"id": b"other" * 5}]
)
async def test_a_passkey_for_elsewhere_makes_no_account(server: Running, changed: dict[str, Any]) -> None:
    async with page(server, "Guest") as ann:
        passkey = authenticator(server).create(await challenge(ann, "register"), **changed)
        assert await ann.refused(keys.RegisterByPasskey, name="Anna", passkey=passkey) == "bad_credentials"
        assert not (await ann.ask(acc.AskAccount)).has_account


async def test_a_challenge_is_good_once_for_its_purpose_and_its_player(server: Running) -> None:
    device = authenticator(server)
    async with page(server, "Guest") as ann, page(server, "Other") as other:
        asked = await challenge(ann, "register")
        stolen = authenticator(server).create(asked)
        assert await other.refused(keys.RegisterByPasskey, name="Berta", passkey=stolen) == "bad_credentials"
        await enrol(ann, device)
        proof = device.prove(await challenge(other, "sign_in"))
        assert isinstance(await other.ask(keys.SignInByPasskey, passkey=proof), acc.SignedIn)
        assert await other.refused(keys.SignInByPasskey, passkey=proof) == "bad_credentials"
        still = authenticator(server, counter=None)
        new = still.create(await challenge(ann, "add"))
        confirmed = device.prove(await challenge(ann, "sign_in"))
        assert await ann.refused(keys.AddPasskey, passkey=new, label="", proof=confirmed) == "bad_credentials"
        confirmed = device.prove(await challenge(ann, "confirm"))
        assert await ann.refused(acc.RenewCodes, password=PASSWORD) == "bad_credentials"
        assert len((await ann.ask(acc.RenewCodes, proof=confirmed)).codes) == acc.CODE_COUNT
        await ann.ask(keys.AddPasskey, passkey=new, label="", proof=device.prove(await challenge(ann, "confirm")))
        # Its counter proves nothing: the challenge alone tells a replay.
        proof = still.prove(await challenge(other, "sign_in"))
        assert isinstance(await other.ask(keys.SignInByPasskey, passkey=proof), acc.SignedIn)
        assert await other.refused(keys.SignInByPasskey, passkey=proof) == "bad_credentials"


@pytest.mark.virtual_time
async def test_a_challenge_is_over_after_some_minutes(server: Running, stores: Stores) -> None:
    async with page(server, "Guest") as ann:
        passkey = authenticator(server).create(await challenge(ann, "register"))
        stores.now.at += CHALLENGE_SECONDS * 1000
        assert await ann.refused(keys.RegisterByPasskey, name="Anna", passkey=passkey) == "bad_credentials"


async def test_passkeys_are_added_and_removed_but_not_the_last_way_in(server: Running) -> None:
    first, second = authenticator(server), authenticator(server)
    async with page(server, "Guest") as ann:
        await enrol(ann, first, passkey_label="one")
        asked = await challenge(ann, "add")
        assert asked.passkeys == (first.create(asked).credential,)
        new = second.create(asked)
        assert new.client_data
        assert await ann.refused(keys.AddPasskey, passkey=new, label="two") == "bad_credentials"
        proof = first.prove(await challenge(ann, "confirm"))
        listed = (await ann.ask(keys.AddPasskey, passkey=new, label="two", proof=proof)).passkeys
        assert sorted(one.label for one in listed) == ["one", "two"]
        assert second.user == first.user, "an authenticator keeps one passkey for each handle"
        by_label = {one.label: one.passkey for one in listed}
        await ann.do(keys.RemovePasskey, passkey=by_label["one"])
        assert await ann.refused(keys.RemovePasskey, passkey=by_label["one"]) == "unknown_passkey"
        assert (await enter(server, first)).code == "bad_credentials"
        assert isinstance(await enter(server, second), acc.SignedIn)
        assert await ann.refused(keys.RemovePasskey, passkey=by_label["two"]) == "last_way_in"
        proof = second.prove(await challenge(ann, "confirm"))
        await ann.do(acc.ChangePassword, password=PASSWORD, proof=proof)
        await ann.do(keys.RemovePasskey, passkey=by_label["two"])
        assert isinstance(await sign_in(server), acc.SignedIn)


async def test_a_password_confirms_a_passkey_and_another_accounts_passkey_confirms_nothing(start: Start) -> None:
    # So much at once is more than a message rate for people allows.
    async with start(message_burst=9_000) as server, page(server, "Guest") as ann, page(server, "Other") as ben:
        anns, bens = authenticator(server), authenticator(server)
        await register(ann)
        await enrol(ben, bens, "Ben")
        new = anns.create(await challenge(ann, "add"))
        assert await ann.refused(keys.AddPasskey, passkey=new, label="", password=OTHER) == "bad_credentials"
        proof = bens.prove(await challenge(ann, "confirm"))
        assert await ann.refused(keys.AddPasskey, passkey=new, label="", proof=proof) == "bad_credentials"
        await ann.ask(keys.AddPasskey, passkey=new, label="", password=PASSWORD)
        again = anns.create(await challenge(ann, "add"))
        assert await ann.refused(keys.AddPasskey, passkey=again, label="", password=PASSWORD) == "passkey_known"
        assert await ann.refused(acc.DeleteAccount, proof=proof) == "bad_credentials"
        await ann.do(acc.DeleteAccount, proof=anns.prove(await challenge(ann, "confirm")))
        assert await closing(ann) == REVOKED
        assert (await enter(server, anns)).code == "bad_credentials"


async def test_the_passkeys_of_an_account_are_bounded(start: Start) -> None:
    async with start(message_burst=9_000) as server, page(server, "Guest") as ann:
        await register(ann)
        for number in range(MAX_PASSKEYS + 1):
            new = authenticator(server).create(await challenge(ann, "add"))
            answer = await ann.ask(keys.AddPasskey, passkey=new, label=f"{number}", password=PASSWORD)
            if number == MAX_PASSKEYS:
                assert answer.code == "busy"
                assert len((await ann.ask(keys.AskPasskeys)).passkeys) == MAX_PASSKEYS


async def test_an_export_lists_the_passkeys_without_their_keys(server: Running) -> None:
    device = authenticator(server)
    async with page(server, "Guest") as ann:
        await enrol(ann, device, passkey_label="a telephone")
        about = json.loads((await ann.ask(acc.AskExport)).text)
        (only,) = about["passkeys"]
        assert (only["label"], only["site"]) == ("a telephone", "localhost")
        assert "public_key" not in only
        assert (about["account"]["has_password"], about["account"]["is_linked"]) == (False, False)


@pytest.mark.parametrize("origin", [None, "http://127.0.0.1:{port}"])
async def test_where_browsers_have_no_passkeys_the_server_has_none(server: Running, origin: str | None) -> None:
    port = server.address.rpartition(":")[2]
    where = None if origin is None else origin.format(port=port)
    async with server.socket(origin=where) as door:
        assert not (await door.ask(acc.AskPolicies)).passkeys
        assert await door.refused(keys.AskPasskeyChallenge, purpose="sign_in") == "no_passkeys"
    async with page(server) as door:
        assert (await door.ask(acc.AskPolicies)).passkeys


async def test_a_server_without_the_package_has_no_passkeys(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.server.app.new_passkeys", lambda: None)
    async with start() as server, page(server) as door:
        assert not (await door.ask(acc.AskPolicies)).passkeys
        assert await door.refused(keys.AskPasskeyChallenge, purpose="register") == "no_passkeys"


async def test_registration_by_passkey_follows_the_policy(start: Start) -> None:
    async with start(registration="closed") as server, page(server, "Guest") as ann:
        passkey = authenticator(server).create(await challenge(ann, "register"))
        assert await ann.refused(keys.RegisterByPasskey, name="Anna", passkey=passkey) == "registration_closed"
    async with start(registration="invitation") as server, page(server, "Guest") as ann:
        passkey = authenticator(server).create(await challenge(ann, "register"))
        assert await ann.refused(keys.RegisterByPasskey, name="Anna", passkey=passkey) == "bad_invitation"
