"""Accounts on a server server: registration, sign-in, recovery, sessions, tokens, export and deletion."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from cornered.protocol import account as acc
from cornered.protocol.commands import AskMyMatches, Hello, Join, Leave, Ping, Resign, Say
from cornered.protocol.messages import MyMatches, Pong, Refused, Said, Snapshot, Welcome
from cornered.server.accounts import AccountsUnavailable, NewAccount
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.runtime import limits
from cornered.server.runtime.limits import ACCOUNT_FAILURE_BURST, ADDRESS_FAILURE_BURST
from tests.server.conftest import ANALYST_KEY, Client, Pair, Running, Start, Stores
from tests.server.scenes import OTHER, PASSWORD, REVOKED, closing, refusal, register, sign_in, token_of


async def test_a_guest_becomes_an_account_and_signs_in_elsewhere(server: Running, pair: Pair) -> None:
    async with server.client("somebody") as ann, server.client("Ben") as ben:
        match, token = await pair(ann, ben), ann.welcome.token
        made = await register(ann)
        assert (made.player.id, made.player.name) == (ann.player.id, "Anna")
        assert len(set(made.codes)) == acc.CODE_COUNT
        async with server.socket() as phone:
            answer = await phone.ask(acc.SignIn, name="ANNA", password=PASSWORD, label="a telephone")
            welcome = await phone.hello(token=answer.token)
        assert len({answer.token, made.token, token}) == 3
        assert (welcome.player, welcome.matches, welcome.has_account) == (made.player, (match,), True)
        sessions = (await ann.ask(acc.AskSessions)).sessions
        assert sorted((one.label, one.is_current) for one in sessions) == [("", True), ("a telephone", False)]
        assert await ann.refused(acc.Register, name="Berta", password=PASSWORD) == "already_registered"


async def test_an_account_is_made_before_hello_and_shown_by_its_name(server: Running) -> None:
    async with server.socket() as door:
        made = await register(door)
        welcome = await door.hello(token=made.token)
    assert (welcome.player.name, welcome.has_account) == ("Anna", True)


async def test_nobody_else_is_shown_under_an_accounts_name(server: Running) -> None:
    async with server.client("Guest one") as ann:
        await register(ann, "Anna")
        await ann.ask(acc.Rename, name="Berta")
    for taken in ("Anna", "ANNA", "\u0410nna", "Berta", "admin", "deleted"):
        async with server.client(taken) as guest:
            assert guest.player.name.startswith(f"{taken} (")
            assert await guest.refused(acc.Register, name=taken, password=PASSWORD) == "name_taken"
    async with server.client("Bert") as guest:
        assert guest.player.name == "Bert"
        token = guest.welcome.token
    async with server.client("Anna", token=token) as again:
        assert again.player.name.startswith("Anna (")
    async with server.socket() as owner:
        assert (await owner.hello("somebody else", token=await token_of(server, "Berta"))).player.name == "Berta"


async def test_names_of_others_and_numbered_ones_are_not_to_be_had(server: Running, ann: Client, ben: Client) -> None:
    for name in ("Ann (7)", "level-3", "Moderator", "ben"):
        assert await ann.refused(acc.Register, name=name, password=PASSWORD) == "name_taken", name
    await register(ann, "Ann")
    assert await ann.refused(acc.Rename, name="ben") == "name_taken"


async def test_passwords_that_are_tried_first_are_refused(ann: Client) -> None:
    for password in ("Password1", "aaaaaaaaab", "ANNA  anna", "anna anna"):
        assert await ann.refused(acc.Register, name="Anna Anna", password=password) == "weak_password", password
    assert not (await ann.ask(acc.AskAccount)).has_account


async def test_a_name_that_is_unknown_is_refused_as_a_wrong_password_is(server: Running) -> None:
    async with server.client("Guest") as ann:
        await register(ann)
        answers = [await sign_in(server, name, OTHER) for name in ("Anna", "Zoe")]
        async with server.socket() as door:
            wrong = {"code": "abcde-fghjk", "password": OTHER}
            answers += [await door.ask(acc.Recover, name=name, **wrong) for name in ("Anna", "Zoe")]
    for one, other in (answers[:2], answers[2:]):
        assert isinstance(one, Refused)
        assert one.code == "bad_credentials"
        assert one.model_dump(exclude={"id"}) == other.model_dump(exclude={"id"})


async def test_a_session_ends_at_once_and_the_others_stay(ann: Client, server: Running) -> None:
    await register(ann)
    tokens = [await token_of(server) for _ in range(3)]
    async with server.client(token=tokens[0]) as first, server.client(token=tokens[1]) as second:
        sessions = (await first.ask(acc.AskSessions)).sessions
        own = next(one.session for one in sessions if one.is_current)
        await second.do(acc.EndSession, session=own)
        assert await closing(first) == REVOKED
        assert await refusal(server, tokens[0]) == "bad_token"
        assert await second.refused(acc.EndSession, session=own) == "unknown_session"
        assert isinstance(await ann.ask(Ping), Pong)
        await second.do(acc.EndOtherSessions)
        assert await closing(ann) == REVOKED
        assert await refusal(server, tokens[2]) == "bad_token"
        await second.do(acc.SignOut)
        assert await closing(second) == REVOKED
        assert await refusal(server, tokens[1]) == "bad_token"


async def test_a_new_password_ends_the_other_sessions_and_the_tokens(ann: Client, server: Running) -> None:
    await register(ann)
    program = await ann.ask(acc.CreateToken, label="a bot", scopes=("play",), password=PASSWORD)
    async with server.client(token=await token_of(server)) as other, server.client(token=program.secret) as bot:
        assert await ann.refused(acc.ChangePassword, old=OTHER, password=OTHER) == "bad_credentials"
        assert await ann.refused(acc.ChangePassword, old=PASSWORD, password="12345678") == "weak_password"
        await ann.do(acc.ChangePassword, old=PASSWORD, password=OTHER)
        assert await closing(other) == await closing(bot) == REVOKED
    assert (await sign_in(server)).code == "bad_credentials"
    assert await token_of(server, "Anna", OTHER)
    assert isinstance(await ann.ask(Ping), Pong)


async def test_a_recovery_code_works_once_however_it_is_typed(server: Running) -> None:
    async with server.client("Guest") as ann:
        codes = (await register(ann)).codes
        async with server.socket() as door:
            typed = codes[0].upper().replace("-", " ")
            answer = await door.ask(acc.Recover, name="anna", code=typed, password=OTHER, label="a telephone")
            assert isinstance(answer, acc.SignedIn)
            assert await closing(ann) == REVOKED
            again = await door.ask(acc.Recover, name="anna", code=codes[0], password=PASSWORD)
            assert again.code == "bad_credentials"
    async with server.client(token=answer.token) as ann:
        assert (await ann.ask(acc.AskAccount)).codes_left == acc.CODE_COUNT - 1
        assert await ann.refused(acc.RenewCodes, password=PASSWORD) == "bad_credentials"
        renewed = (await ann.ask(acc.RenewCodes, password=OTHER)).codes
        assert not set(renewed) & set(codes)
        async with server.socket() as door:
            assert await door.refused(acc.Recover, name="anna", code=codes[1], password=PASSWORD) == "bad_credentials"


async def test_a_personal_token_does_what_its_scopes_say_and_manages_nothing(
    ann: Client, ben: Client, server: Running, pair: Pair
) -> None:
    await register(ann)
    match = await pair(ann, ben)
    made = await ann.ask(acc.CreateToken, label="a screen", scopes=("read",), days=7, password=PASSWORD)
    assert made.token.expires - made.token.created == 7 * 24 * 60 * 60 * 1000
    assert (await ann.ask(acc.AskTokens)).tokens == (made.token,)
    assert len((await ann.ask(acc.AskSessions)).sessions) == 1
    async with server.client("somebody", token=made.secret) as screen:
        assert (screen.player.id, screen.welcome.scopes) == (ann.player.id, ("read",))
        assert isinstance(await screen.ask(Join, match=match), Snapshot)
        assert await screen.refused(Resign, match=match) == "not_permitted"
        for kind, fields in (
            (acc.CreateToken, {"label": "", "scopes": ("play",)}),
            (acc.ChangePassword, {"old": PASSWORD, "password": OTHER}),
            (acc.DeleteAccount, {"password": PASSWORD}),
            (acc.EndOtherSessions, {}),
            (acc.CreateInvitation, {}),
        ):
            assert await screen.refused(kind, **fields) == "not_permitted"
        own = await screen.ask(acc.AskAccount)
        assert (own.is_session, own.scopes, own.has_account) == (False, ("read",), True)
        assert await ann.refused(acc.CreateToken, label="", scopes=("play", "admin")) == "not_permitted"
        await ann.do(acc.RevokeToken, token=made.token.token)
        assert await closing(screen) == REVOKED
    assert await ann.refused(acc.RevokeToken, token=made.token.token) == "unknown_token"


async def test_guests_have_no_tokens_but_sessions_an_export_and_an_end(ann: Client, server: Running) -> None:
    assert await ann.refused(acc.CreateToken, label="", scopes=("play",)) == "no_account"
    assert await ann.refused(acc.Rename, name="Anna") == "no_account"
    assert len((await ann.ask(acc.AskSessions)).sessions) == 1
    assert "Ann" in (await ann.ask(acc.AskExport)).text
    await ann.do(acc.DeleteAccount)
    assert await closing(ann) == REVOKED
    assert await refusal(server, ann.welcome.token) == "bad_token"


@pytest.mark.virtual_time
async def test_a_token_ends_when_its_time_is_over(server: Running, ann: Client, stores: Stores) -> None:
    await register(ann)
    made = await ann.ask(acc.CreateToken, label="", scopes=("play",), days=1, password=PASSWORD)
    stores.now.at = made.token.expires - 1
    assert await refusal(server, made.secret) == ""
    stores.now.at = made.token.expires
    assert await refusal(server, made.secret) == "bad_token"
    assert (await ann.ask(acc.AskTokens)).tokens == ()


@pytest.mark.virtual_time
async def test_the_role_of_an_administrator_is_looked_up_at_each_use(running_server: Start, stores: Stores) -> None:
    async with running_server(registration="invitation") as server:
        first, _ = await stores.accounts.create("Guest", "person")
        await stores.accounts.invite("digest", 1, 0, 2**50)
        anna = NewAccount("Anna", "anna", "hash", ("code",), 1)
        _, token = await stores.accounts.register(anna, first.player.id, first.session)
        await stores.accounts.set_role(first.player.id, "admin")
        async with server.client(token=token) as admin, server.client("Guest") as guest:
            assert "admin" in admin.welcome.scopes
            invitation = await admin.ask(acc.CreateInvitation, uses=1)
            assert await guest.refused(acc.Register, name="Bert", password=PASSWORD) == "bad_invitation"
            wrong = {"name": "Bert", "password": PASSWORD, "invitation": "wrong"}
            assert await guest.refused(acc.Register, **wrong) == "bad_invitation"
            await register(guest, "Bert", invitation=invitation.code.upper())
            async with server.client("Other") as other:
                late = {"name": "Cleo", "password": PASSWORD, "invitation": invitation.code}
                assert await other.refused(acc.Register, **late) == "bad_invitation"
            assert await guest.refused(acc.CreateInvitation) == "not_permitted"
            await stores.accounts.set_role(first.player.id, "player")
            assert await admin.refused(acc.CreateInvitation) == "not_permitted"


async def test_guests_and_registration_may_be_closed(start: Start) -> None:
    async with start(guests=False, registration="closed", chat="accounts") as server, server.socket() as door:
        policies = await door.ask(acc.AskPolicies)
        assert (policies.guests, policies.registration, policies.chat) == (False, "closed", "accounts")
        assert await door.refused(acc.Register, name="Anna", password=PASSWORD) == "registration_closed"
        await door.tell(Hello(name="Anna"))
        assert (await door.hear(Refused)).code == "no_guests"
        assert (await door.hello("house", kind="bot", key=ANALYST_KEY)).player.name == "house"


async def test_guests_may_be_kept_from_chatting(start: Start, pair: Pair) -> None:
    async with start(chat="accounts") as server, server.client("Guest") as ann, server.client("Ben") as ben:
        match = await pair(ann, ben)
        await register(ann)
        assert await ben.refused(Say, match=match, text="hello", room="players") == "no_account"
        await ann.do(Say, match=match, text="hello", room="players")
        assert (await ben.hear(Said)).text == "hello"


async def test_an_export_has_the_account_and_every_finished_match(start: Start, pair: Pair) -> None:
    async with start(message_burst=9_000) as server, server.client("Guest") as ann, server.client("Ben") as ben:
        await register(ann)
        matches = []
        for _ in range(12):
            matches.append(await pair(ann, ben))
            await ann.do(Resign, match=matches[-1])
        parts, after = [], None
        while True:
            part = await ann.ask(acc.AskExport, after=after)
            assert "\n" not in part.text
            parts.append(json.loads(part.text))
            after = part.more
            if after is None:
                break
        assert len(parts) == 3
        assert parts[0]["account"]["name"] == "Anna"
        found = [match for part in parts[1:] for match in part["matches"]]
        assert sorted(one["match"] for one in found) == sorted(matches)
        assert all(one["events"][-1]["type"] == "ended" for one in found)
        text = json.dumps(parts)
        assert ann.welcome.token is not None
        assert ann.welcome.token not in text
        assert "argon2" not in text


async def test_who_is_deleted_is_called_deleted_wherever_the_games_are_read(
    ann: Client, ben: Client, server: Running, pair: Pair
) -> None:
    await register(ann)
    match = await pair(ann, ben)
    await ann.do(Resign, match=match)
    (known,) = (await ben.ask(AskMyMatches)).finished
    assert known.players[0].name == "Anna"
    assert await ann.refused(acc.DeleteAccount) == "bad_credentials"
    assert await ann.refused(acc.DeleteAccount, password=OTHER) == "bad_credentials"
    await ann.do(acc.DeleteAccount, password=PASSWORD)
    assert await closing(ann) == REVOKED
    assert (await sign_in(server)).code == "bad_credentials"
    listed: MyMatches = await ben.ask(AskMyMatches)
    assert [player.name for player in listed.finished[0].players] == ["deleted", "Ben"]
    await ben.do(Leave, match=match)
    record = await server.fetch(f"/matches/{match}.txt")
    assert "deleted" in record.body
    assert "Anna" not in record.body


async def test_a_password_is_in_no_log_line_and_no_refusal(
    start: Start, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    secret, short = "a secret of Anna's own", "sh0rt!!"
    with caplog.at_level(logging.DEBUG):
        async with start(database="", log_level="debug") as server, server.client("Guest") as ann:
            answer = await ann.ask(acc.Register, name="Anna", password=secret)
            token = await token_of(server, "Anna", secret)
            for fields in ({"password": short}, {"password": secret, "wrong": secret}, {"password": [secret]}):
                raw = json.dumps({"type": "register", "id": "x1", "name": "Anna", **fields})
                await ann.socket.send(raw)
                refused = await ann.hear(Refused)
                assert short not in refused.text
                assert secret not in refused.text
    written = capsys.readouterr()
    # The test's own sockets are those of the library, which logs what they send.
    own = [record.getMessage() for record in caplog.records if not record.name.startswith("websockets.")]
    said = "".join(own) + written.out + written.err
    assert said
    assert not [one for one in (secret, short, token, *answer.codes, ann.welcome.token or "") if one in said]
    stored = b"".join(path.read_bytes() for path in files_in(tmp_path))
    assert b"Anna" in stored
    assert not [one for one in (secret, token, *answer.codes) if one.encode() in stored]
    for command in (
        acc.Register(id="1", name="Anna", password=secret, invitation=secret),
        acc.SignIn(id="1", name="Anna", password=secret),
        acc.Recover(id="1", name="Anna", password=secret, code=secret),
        acc.ChangePassword(id="1", old=secret, password=secret),
        acc.DeleteAccount(id="1", password=secret),
        acc.SignedIn(id="1", player=ann.player, token=secret),
        Hello(token=secret, key=secret),
        Welcome(player=ann.player, token=secret, server="1", now=0, matches=()),
    ):
        assert secret not in repr(command)


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file()]


# Attempts


async def fail(door: Client, name: str, times: int) -> list[str]:
    return [await door.refused(acc.SignIn, name=name, password=OTHER) for _ in range(times)]


@pytest.mark.virtual_time
async def test_who_guesses_passwords_is_slowed_down_and_the_owner_gets_in(start: Start) -> None:
    burst = int(ACCOUNT_FAILURE_BURST)
    async with start(proxies="127.0.0.1", hello_seconds=600) as server:

        def at(address: str) -> Any:
            return server.socket(additional_headers={"X-Forwarded-For": address})

        async with at("10.0.0.1") as home:
            await register(home)
            answer = await home.ask(acc.SignIn, name="Anna", password=PASSWORD)
            assert isinstance(answer, acc.SignedIn)
        async with at("10.0.0.2") as one, at("10.0.0.3") as other:
            assert await fail(one, "Anna", burst) == ["bad_credentials"] * burst
            for attacker in (one, other):
                assert await fail(attacker, "Anna", 1) == ["too_fast"]
                right = await attacker.ask(acc.SignIn, name="Anna", password=PASSWORD)
                assert right.code == "too_fast", "not even the right password tells anything"
                assert right.retry_after > 0
        async with at("10.0.0.1") as home:
            assert isinstance(await home.ask(acc.SignIn, name="Anna", password=PASSWORD), acc.SignedIn)
            assert await fail(home, "Anna", burst + 1) == ["bad_credentials"] * burst + ["too_fast"]


@pytest.mark.virtual_time
async def test_an_address_tries_few_names_and_an_unknown_one_is_as_slow(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So that no failure is forgotten while passwords wait to be hashed.
    monkeypatch.setattr(limits, "PASSWORD_RATE", 100.0)
    account, burst = int(ACCOUNT_FAILURE_BURST), int(ADDRESS_FAILURE_BURST)
    async with start(hello_seconds=600) as server, server.client("Guest") as ann:
        await register(ann)
        codes = []
        for name in ("Zoe", "Yve", "Anna"):
            async with server.socket() as door:
                codes.append(await fail(door, name, account + 1))
        assert codes == [["bad_credentials"] * account + ["too_fast"]] * 3
        assert account * 3 == burst
        async with server.socket() as door:
            assert await fail(door, "Xenia", 1) == ["too_fast"]
        found = await server.metrics()
        assert found['cornered_sign_ins_total{outcome="wrong"}'] == burst
        assert found['cornered_sign_ins_total{outcome="slowed"}'] == 4
        assert found["cornered_registrations_total"] == 1


@pytest.mark.virtual_time
async def test_attempts_at_once_are_no_more_than_those_one_by_one(start: Start) -> None:
    burst = int(ACCOUNT_FAILURE_BURST)
    async with start(hello_seconds=600) as server, server.client("Guest") as ann:
        await register(ann)
        answers = await asyncio.gather(*(sign_in(server, "Anna", OTHER) for _ in range(2 * burst)))
        assert sorted(one.code for one in answers) == ["bad_credentials"] * burst + ["too_fast"] * burst


async def test_one_socket_knocks_so_often_before_hello(server: Running) -> None:
    async with server.socket() as door:
        answers = [await door.ask(acc.AskPolicies) for _ in range(24)]
    kinds = [type(one).__name__ for one in answers]
    assert kinds == ["Policies"] * 20 + ["Refused"] * 4


async def test_an_outage_of_the_store_is_told(running_server: Start, stores: Stores) -> None:
    class Away(MemoryAccounts):
        is_away = False

        async def account_named(self, key: str) -> Any:
            if self.is_away:
                raise AccountsUnavailable("the store cannot be read")
            return await super().account_named(key)

    stores.accounts = accounts = Away()
    async with running_server() as server, server.socket() as door:
        accounts.is_away = True
        assert await door.refused(acc.SignIn, name="Anna", password=PASSWORD) == "internal"
        accounts.is_away = False
        assert await door.refused(acc.SignIn, name="Anna", password=PASSWORD) == "bad_credentials"
