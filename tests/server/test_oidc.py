"""Signing in at a provider of identities: the whole visit, who is accepted, and a table of hostile answers."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any

import pytest
from joserfc.jwk import ECKey

from cornered.protocol import account as acc
from cornered.protocol import oidc
from cornered.protocol.messages import Refused
from cornered.server.runtime.account_service import NEW_SESSION_MS
from cornered.server.settings import SettingsError
from tests.conftest import Mosquitto, Postgres
from tests.server.conftest import Client, Fetched, Running, Start, Stores
from tests.server.oidc_provider import CLIENT, SECRET, Claims, Provider, provider
from tests.server.scenes import PASSWORD, register
from tests.server.test_passkeys import authenticator, challenge, enrol, page


@dataclass
class Browser:
    """A browser between the page's socket, this server and the provider; it keeps cookies and what it was sent."""

    server: Running
    client: Client
    cookies: dict[str, str] = field(default_factory=dict)
    secret: str = ""

    async def get(self, path: str) -> Fetched:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = await self.server.fetch(path, **({"Cookie": cookies} if cookies else {}))
        for name, morsel in SimpleCookie(answer.headers.get("set-cookie", "")).items():
            if morsel["max-age"] == "0":
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = morsel.value
        return answer

    async def leave(self, purpose: str = "sign_in", **confirmed: Any) -> str:
        """Begin a visit; return the address of the provider that the browser is sent to."""
        begun = await self.client.ask(oidc.BeginOidc, purpose=purpose, **confirmed)
        assert isinstance(begun, oidc.OidcBegun), begun
        self.secret = begun.secret
        answer = await self.get(begun.path)
        assert answer.status == 303
        return answer.headers["location"]

    async def come_back(self, address: str) -> str:
        """Follow the provider's redirect; return what the page finds in its address."""
        here = self.server.address.replace("127.0.0.1", "localhost")
        assert address.startswith(f"{here}/oidc/return?")
        answer = await self.get(address.removeprefix(here))
        assert answer.status == 303
        assert answer.headers["location"].startswith("/#/oidc/")
        assert answer.headers["cache-control"] == "no-store"
        return answer.headers["location"].removeprefix("/#/oidc/")

    async def visit(self, at: Provider, purpose: str = "sign_in", **confirmed: Any) -> str:
        return await self.come_back(at.authorize(await self.leave(purpose, **confirmed)))

    async def finish(self, code: str, **fields: Any) -> Any:
        return await self.client.ask(oidc.FinishOidc, code=code, **{"secret": self.secret, **fields})


@asynccontextmanager
async def browser(server: Running, name: str | None = "Guest", **hello: Any) -> AsyncIterator[Browser]:
    async with page(server, name, **hello) as client:
        yield Browser(server, client)


@asynccontextmanager
async def school(
    start: Start, *, claims: Claims | None = None, **settings: Any
) -> AsyncIterator[tuple[Running, Provider]]:
    """A provider, and a server that its people sign in to."""
    async with provider(**({} if claims is None else {"claims": claims})) as at:
        given = {
            "oidc_issuer": at.issuer,
            "oidc_client_id": CLIENT,
            "oidc_client_secret": SECRET,
            "oidc_name": "School",
        }
        async with start(**{**given, **settings}) as server:
            yield server, at


@pytest.fixture
async def campus(start: Start) -> AsyncIterator[tuple[Running, Provider]]:
    async with school(start) as campus:
        yield campus


@pytest.fixture
def server(campus: tuple[Running, Provider]) -> Running:
    return campus[0]


@pytest.fixture
def at(campus: tuple[Running, Provider]) -> Provider:
    return campus[1]


@pytest.fixture
async def first(server: Running) -> AsyncIterator[Browser]:
    async with browser(server) as first:
        yield first


async def test_a_guest_becomes_an_account_at_the_provider_and_signs_in_on_a_second_device(start: Start) -> None:
    async with school(start, registration="closed") as (server, at), browser(server) as first:
        assert (await first.client.ask(acc.AskPolicies)).oidc == "School"
        made = await first.finish(await first.visit(at), label="a laptop")
        assert isinstance(made, acc.Registered)
        assert (made.player.id, made.player.name, made.codes) == (first.client.player.id, "Anna", ())
        own = await first.client.ask(acc.AskAccount)
        assert (own.has_account, own.has_password, own.is_linked) == (True, False, True)
        async with browser(server) as second:
            entered = await second.finish(await second.visit(at))
            assert isinstance(entered, acc.SignedIn)
            assert entered.player == made.player
            assert entered.token != first.client.welcome.token
            assert (await second.client.ask(acc.AskAccount)).player == second.client.player, (
                "no socket changes its player"
            )
        assert await first.client.refused(oidc.UnlinkOidc) == "last_way_in"


async def test_what_only_the_provider_signs_in_to_is_confirmed_by_a_new_session(
    running_server: Start, stores: Stores
) -> None:
    async with school(running_server) as (server, at), browser(server) as first, browser(server) as second:
        await first.finish(await first.visit(at))
        stores.now.at += NEW_SESSION_MS + 1
        for command in (acc.RenewCodes, acc.DeleteAccount):
            assert await first.client.refused(command) == "sign_in_again"
        entered = await second.finish(await second.visit(at))
        async with page(server, token=entered.token) as again:
            for command in (acc.RenewCodes, acc.DeleteAccount):
                assert not isinstance(await again.ask(command), Refused)


async def test_before_hello_the_provider_makes_a_new_player(start: Start) -> None:
    async with school(start, guests=False) as (server, at), browser(server, None) as door:
        made = await door.finish(await door.visit(at))
        assert isinstance(made, acc.Registered)
        async with page(server, token=made.token) as again:
            assert again.player == made.player


async def test_an_account_is_linked_and_unlinked(server: Running, at: Provider, first: Browser) -> None:
    async with browser(server) as other:
        await register(first.client)
        assert (await first.finish(await first.visit(at, "link", password=PASSWORD))).type == "acknowledged"
        assert (await first.client.ask(acc.AskAccount)).is_linked
        entered = await other.finish(await other.visit(at))
        assert entered.player.name == "Anna"
        await register(other.client, "Berta")
        assert (await other.finish(await other.visit(at, "link", password=PASSWORD))).code == "already_linked"
        at.claims = {"sub": "person-2"}
        assert (await first.finish(await first.visit(at, "link", password=PASSWORD))).code == "already_linked"
        await first.client.do(oidc.UnlinkOidc)
        assert await first.client.refused(oidc.UnlinkOidc) == "no_oidc"
        assert not (await first.client.ask(acc.AskAccount)).is_linked


async def test_a_password_or_a_passkey_of_the_account_confirms_that_an_identity_is_linked(
    server: Running, at: Provider, first: Browser
) -> None:
    async with browser(server, "Other") as other:
        ask = first.client.refused
        await register(first.client)
        assert await ask(oidc.BeginOidc, purpose="link") == "bad_credentials"
        assert await ask(oidc.BeginOidc, purpose="link", password="another password") == "bad_credentials"
        device = authenticator(server)
        await enrol(other.client, device, "Other one")
        proof = device.prove(await challenge(first.client, "confirm"))
        assert await ask(oidc.BeginOidc, purpose="link", proof=proof) == "bad_credentials"
        assert await other.client.refused(oidc.BeginOidc, purpose="link") == "bad_credentials"
        proof = device.prove(await challenge(other.client, "sign_in"))
        assert await other.client.refused(oidc.BeginOidc, purpose="link", proof=proof) == "bad_credentials"
        assert (await first.finish(await first.visit(at, "link", password=PASSWORD))).type == "acknowledged"


async def test_an_account_of_the_provider_alone_has_nothing_that_confirms_and_takes_no_other_identity(
    at: Provider, first: Browser
) -> None:
    await first.finish(await first.visit(at))
    at.claims = {"sub": "person-2"}
    assert (await first.finish(await first.visit(at, "link"))).code == "already_linked"


async def test_a_guest_has_no_account_to_link(server: Running, at: Provider) -> None:
    async with browser(server) as guest, browser(server, None) as door:
        assert await guest.client.refused(oidc.BeginOidc, purpose="link") == "no_account"
        assert await door.client.refused(oidc.BeginOidc, purpose="link") == "hello_first"


async def test_a_name_that_is_taken_is_chosen_with_the_same_code(server: Running, at: Provider, first: Browser) -> None:
    async with browser(server, "Anna") as second:
        await register(second.client)
        code = await first.visit(at)
        assert (await first.finish(code)).code == "name_taken"
        assert (await first.finish(code, name="Moderator")).code == "name_taken"
        assert (await first.finish(code, name="Berta")).player.name == "Berta"
        assert (await first.finish(code, name="Clara")).code == "oidc_refused"


async def test_names_of_the_provider_follow_the_usual_rules(start: Start) -> None:
    claims = {"sub": "x", "preferred_username": "admin", "nickname": "A\u200bnna", "name": "  Anna  Lena "}
    async with school(start, claims=claims) as (server, at), browser(server) as first:
        assert (await first.finish(await first.visit(at))).player.name == "Anna Lena"


async def test_who_is_new_may_have_to_have_an_account(start: Start) -> None:
    async with school(start, oidc_creates_accounts=False) as (server, at), browser(server) as first:
        assert (await first.finish(await first.visit(at))).code == "no_account"


ACCEPTED: dict[str, list[tuple[Claims, bool]]] = {
    "domains": [
        ({"email": "a@school.example", "email_verified": True}, True),
        ({"email": "a@School.Example", "email_verified": True}, True),
        ({"email": "a@school.example"}, False),
        ({"email": "a@school.example", "email_verified": "true"}, False),
        ({"email": "a@evil.example", "email_verified": True}, False),
        ({"email": "a@school.example@evil.example", "email_verified": True}, False),
        ({}, False),
    ],
    "claim": [
        ({"groups": ["staff", "players"]}, True),
        ({"groups": "players"}, True),
        ({"groups": ["staff"]}, False),
        ({"groups": "players and others"}, False),
        ({}, False),
    ],
}


async def test_the_settings_say_whom_the_provider_may_send(start: Start, subtests: pytest.Subtests) -> None:
    for settings, rows in (
        ({"oidc_domains": ("school.example",)}, ACCEPTED["domains"]),
        ({"oidc_claim": "groups=players"}, ACCEPTED["claim"]),
    ):
        async with school(start, **settings) as (server, at), browser(server) as first:
            for claims, is_accepted in rows:
                with subtests.test(str(claims)):
                    at.claims = {"sub": "person-1", "preferred_username": "Anna", **claims}
                    assert (await first.visit(at) != "refused") is is_accepted


def lies(**changed: Any) -> Callable[[Provider], None]:
    def lie(at: Provider) -> None:
        at.lie = lambda claims: {name: value for name, value in {**claims, **changed}.items() if value is not None}

    return lie


def signs(sign: Callable[[Provider, Claims], str]) -> Callable[[Provider], None]:
    def lie(at: Provider) -> None:
        at.sign = sign

    return lie


HOSTILE: dict[str, Callable[[Provider], None]] = {
    "another issuer": lies(iss="https://evil.example"),
    "no issuer": lies(iss=None),
    "another audience": lies(aud="another client"),
    "another client among the audience": lies(aud=[CLIENT, "another client"], azp="another client"),
    "no audience": lies(aud=None),
    "another nonce": lies(nonce="another nonce"),
    "no nonce": lies(nonce=None),
    "expired": lies(exp=int(time.time()) - 300),
    "no end": lies(exp=None),
    "from the future": lies(iat=int(time.time()) + 3_600),
    "no subject": lies(sub=None),
    "a subject that is no text": lies(sub=["person-1"]),
    "an endless subject": lies(sub="x" * 300),
    "no signature": signs(Provider.unsigned),
    "signed with the client's secret": signs(Provider.with_hmac),
    "signed with another key": signs(lambda at, claims: at.signed(claims, ECKey.generate_key("P-256"))),
    "no id token": signs(lambda _, claims: ""),
    "an endless id token": signs(lambda at, claims: at.signed({**claims, "more": "x" * 20_000})),
}


async def test_no_hostile_answer_of_a_provider_signs_anybody_in(
    at: Provider, first: Browser, subtests: pytest.Subtests
) -> None:
    honest = {name: getattr(at, name) for name in ("lie", "sign")}
    for hostile, tell in HOSTILE.items():
        with subtests.test(hostile):
            vars(at).update(honest)
            tell(at)
            assert await first.visit(at) == "refused"
            assert first.cookies == {}
    vars(at).update(honest)
    assert isinstance(await first.finish(await first.visit(at)), acc.Registered)


async def test_no_hostile_document_of_a_provider_is_used(start: Start, subtests: pytest.Subtests) -> None:
    for hostile, changed in {
        "another provider": {"issuer": "https://evil.example"},
        "endless": {"more": "x" * 300_000},
        "keys that are not fetched by TLS": {"jwks_uri": "http://keys.example/keys"},
    }.items():
        async with school(start) as (server, at), browser(server) as first:
            at.metadata.update(changed)
            with subtests.test(hostile):
                if "jwks_uri" in changed:
                    assert await first.visit(at) == "refused"
                    assert first.cookies == {}
                else:
                    begun = await first.client.ask(oidc.BeginOidc)
                    assert (await first.get(begun.path)).headers["location"] == "/#/oidc/refused"


async def test_a_visit_is_one_browsers_and_comes_back_once(server: Running, at: Provider, first: Browser) -> None:
    async with browser(server, "Other") as other:
        away = at.authorize(await first.leave())
        assert await other.come_back(away) == "refused", "it has no cookie"
        at.authorize(await other.leave())
        assert await other.come_back(away) == "refused", "it has another state"
        kept = dict(first.cookies)
        code = await first.come_back(away)
        assert code != "refused"
        first.cookies = kept
        assert await first.come_back(away) == "refused", "it came back before"
        other.secret = "another secret"
        for page_ in (other, first):
            answer = await page_.finish(code, secret="not-the-secret-of-the-visit")
            assert (answer.code, isinstance(answer, Refused)) == ("oidc_refused", True)
        assert isinstance(await first.finish(code), acc.Registered)
        assert (await first.finish(code)).code == "oidc_refused", "it is used"


def bound_what_is_used(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    for adapter in ("accounts_memory", "passkeys_sql"):
        monkeypatch.setattr(f"cornered.server.adapters.{adapter}.MAX_SPENT", most)


async def test_what_the_provider_does_not_confirm_is_not_remembered_as_used(
    at: Provider, first: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound_what_is_used(monkeypatch, 2)
    for _ in range(3):
        path, _, query = at.authorize(await first.leave()).partition("?")
        lie = [part for part in query.split("&") if not part.startswith("code=")]
        assert await first.come_back(f"{path}?{'&'.join([*lie, 'code=a-guess'])}") == "refused"
    assert isinstance(await first.finish(await first.visit(at)), acc.Registered)


async def test_where_too_much_is_remembered_as_used_the_browser_is_told_to_try_again(
    at: Provider, first: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound_what_is_used(monkeypatch, 0)
    away = at.authorize(await first.leave())
    answer = await first.get(away[away.index("/oidc/") :])
    assert answer.status == 503
    assert answer.headers["retry-after"] == "2"
    assert "sign in again" in answer.body
    assert first.cookies == {}


async def test_an_address_uses_few_signed_texts_at_once(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.server.runtime.limits.SPENT_BURST", 3.0)
    monkeypatch.setattr("cornered.server.runtime.limits.SPENT_RATE", 0.01)
    async with school(start) as (server, at), browser(server) as first, browser(server) as second:
        assert isinstance(await first.finish(await first.visit(at)), acc.Registered)
        code = await second.visit(at)
        answer = await second.finish(code)
        assert (answer.code, answer.retry_after > 1_000) == ("too_fast", True)
        away = at.authorize(await second.leave())
        told = await second.get(away[away.index("/oidc/") :])
        assert (told.status, "your address" in told.body) == (429, True)
        assert int(told.headers["retry-after"]) > 1


async def test_what_the_browser_brings_back_is_complete(at: Provider, first: Browser) -> None:
    for change in ("state=", "state=other&", "code=", "error=access_denied&"):
        path, _, query = at.authorize(await first.leave()).partition("?")
        name = change.partition("=")[0]
        left_out = (f"{name}=", "code=" if name == "error" else "-")
        kept = [part for part in query.split("&") if not part.startswith(left_out)]
        assert await first.come_back(f"{path}?{'&'.join([*kept, change.rstrip('&')])}") == "refused", change


async def test_an_identity_is_linked_by_the_session_that_asked_for_it(server: Running, at: Provider) -> None:
    async with browser(server) as victim, browser(server) as thief:
        await register(victim.client)
        await register(thief.client, "Thief")
        code = await thief.visit(at, "link", password=PASSWORD)
        answer = await victim.finish(code, secret=thief.secret)
        assert answer.code == "oidc_refused"
        assert not (await victim.client.ask(acc.AskAccount)).is_linked


async def test_the_way_to_the_provider_leads_nowhere_else(server: Running, at: Provider, first: Browser) -> None:
    location = await first.leave()
    assert location.startswith(f"{at.issuer}/authorize?")
    (cookie,) = first.cookies
    answer = await first.get("/oidc/start?ticket=forged.seal")
    assert answer.headers["location"] == "/#/oidc/refused"
    assert cookie == "cornered-oidc", "by https it is __Host-cornered-oidc"
    assert (await server.fetch("/oidc/return", method="HEAD")).status == 405
    assert (await server.fetch("/oidc/other")).status == 404


async def test_by_https_the_cookie_is_this_hosts_alone(start: Start) -> None:
    async with school(start, origins=("https://play.example",)) as (server, _):
        async with server.socket(origin="https://play.example") as door:
            begun = await door.ask(oidc.BeginOidc)
        answer = await server.fetch(begun.path)
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-cornered-oidc=")
        assert all(part in cookie for part in ("; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax"))
        assert "redirect_uri=https%3A%2F%2Fplay.example%2Foidc%2Freturn" in answer.headers["location"]


async def test_documents_of_the_provider_are_fetched_once_and_its_new_keys_when_they_are_needed(
    at: Provider, first: Browser
) -> None:
    for _ in range(3):
        await first.visit(at)
    assert [at.asked.count(path) for path in ("/.well-known/openid-configuration", "/keys", "/token")] == [1, 1, 3]
    at.key = ECKey.generate_key("P-256")
    assert await first.visit(at) == "refused", "keys were fetched within a minute"
    assert at.asked.count("/keys") == 1


async def test_a_provider_that_is_away_costs_nobody_an_account(start: Start) -> None:
    async with school(start, oidc_issuer="http://127.0.0.1:1") as (server, _), browser(server) as first:
        begun = await first.client.ask(oidc.BeginOidc)
        assert (await first.get(begun.path)).headers["location"] == "/#/oidc/refused"


async def test_settings_that_cannot_work_end_the_start(start: Start) -> None:
    for settings, named in (
        ({"oidc_issuer": "http://login.example", "oidc_client_id": "x"}, "CORNERED_OIDC_ISSUER"),
        ({"oidc_issuer": "https://login.example"}, "CORNERED_OIDC_CLIENT_ID"),
    ):
        with pytest.raises(SettingsError, match=named):
            async with start(**settings):
                raise AssertionError("the server runs")


async def test_an_account_with_a_passkey_may_be_unlinked(server: Running, at: Provider, first: Browser) -> None:
    device = authenticator(server)
    await enrol(first.client, device)
    proof = device.prove(await challenge(first.client, "confirm"))
    await first.finish(await first.visit(at, "link", proof=proof))
    await first.client.do(oidc.UnlinkOidc)
    assert (await challenge(first.client, "confirm")).passkeys
    assert await first.client.refused(acc.RenewCodes, password=PASSWORD) == "bad_credentials"


@pytest.mark.mqtt
@pytest.mark.postgres
async def test_on_two_nodes_a_visit_goes_on_at_the_other_and_is_used_once(
    start: Start, postgres: Postgres, mosquitto: Mosquitto
) -> None:
    shared: dict[str, Any] = {"database": postgres.new_database(), "mqtt": mosquitto.url}
    async with school(start, **shared, node="one") as (one, at):
        same = {"oidc_issuer": at.issuer, "oidc_client_id": CLIENT, "oidc_client_secret": SECRET}
        async with start(**shared, **same, node="two") as two, browser(one) as first, page(two, "Other") as second:
            away = at.authorize(await first.leave())
            here, there = (server.address.rpartition(":")[2] for server in (one, two))
            first.server = two
            code = await first.come_back(away.replace(f":{here}/", f":{there}/"))
            made = await second.ask(oidc.FinishOidc, code=code, secret=first.secret)
            assert isinstance(made, acc.Registered)
            assert (await first.finish(code)).code == "oidc_refused"
