"""Visits to the provider of identities: they begin and end in one browser, whatever node it reaches on the way.

    page     begin_oidc                   a ticket for this browser, and a secret that it keeps
    browser  GET /oidc/start?ticket=      a cookie with the state, and the way to the provider
    browser  GET /oidc/return?code=       the provider's code is exchanged; a signed code goes to the page's fragment
    page     finish_oidc code, secret     the session

Nothing is stored but what was used. Neither the ticket nor the signed code is worth anything without the secret, which
travels by the page's socket alone.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from urllib.parse import quote

import structlog

from cornered.protocol.oidc import BeginOidc, FinishOidc, OidcBegun
from cornered.protocol.text import ForbiddenText, clean_name
from cornered.server.accounts import Accounts
from cornered.server.oidc import OidcError, OidcPerson, OidcProvider, OidcTrip
from cornered.server.refusal import Refusal
from cornered.server.runtime.limits import AddressLimits
from cornered.server.runtime.signed_texts import BadSignature, SignedText, TextSigner
from cornered.server.runtime.used_texts import spend
from cornered.server.runtime.visits import Visit

__all__ = ["COOKIE_SECONDS", "Departure", "OidcVisits", "Returned"]

COOKIE_SECONDS: Final = 600
"""How long one may take at the provider."""
TICKET_SECONDS: Final = 60
CODE_SECONDS: Final = 300
"""How long the page may take to finish: a new account may have to find another name."""
MAX_CODE: Final = 2_000
"""Characters of a code of the provider."""
_STATE_BYTES: Final = 32
_TICKET, _COOKIE, _CODE = "oidc ticket", "oidc cookie", "oidc code"
log = structlog.get_logger("oidc")


@dataclass(frozen=True, slots=True)
class Departure:
    """Where a browser goes, and the cookie that it takes along."""

    location: str
    cookie: str
    is_secure: bool


@dataclass(frozen=True, slots=True)
class Returned:
    """Who came back, for the page that holds the secret to `mark`: the names that may be used, the purpose."""

    person: OidcPerson
    purpose: str
    signed: SignedText


class OidcVisits:
    """The visits of this node's browsers. `creates`: whether an unknown identity becomes an account."""

    def __init__(
        self,
        provider: OidcProvider,
        accounts: Accounts,
        signer: TextSigner,
        *,
        name: str,
        creates: bool,
        now: Callable[[], int],
    ) -> None:
        """`name` is shown on the button; `now` is the time in milliseconds since 1970."""
        self._provider = provider
        self._accounts = accounts
        self._signer = signer
        self._now = now
        self.name = name
        self.creates = creates

    def begin(self, command: BeginOidc, visit: Visit) -> OidcBegun:
        """Return the way to the provider for the visitor's page. Raises Refusal."""
        if not visit.origin:
            raise Refusal("oidc_refused", "only a browser visits the provider")
        if command.purpose == "link" and visit.identity is None:
            raise Refusal("hello_first", "the first message must be `hello`")
        secret = secrets.token_urlsafe(_STATE_BYTES)
        linked = visit.identity if command.purpose == "link" else None
        facts = {
            "purpose": command.purpose,
            "player": "" if linked is None else linked.player.id,
            "session": "" if linked is None else linked.session,
            "origin": visit.origin,
            "mark": _mark(secret),
        }
        ticket = self._signer.sign(_TICKET, facts, seconds=TICKET_SECONDS)
        return OidcBegun(id=command.id, path=f"/oidc/start?ticket={quote(ticket)}", secret=secret)

    async def start(self, ticket: str) -> Departure:
        """Return where the browser with a ticket goes. Raises OidcError."""
        try:
            facts = self._signer.verify(_TICKET, ticket).facts
        except BadSignature as error:
            raise OidcError(f"the ticket is not accepted: {error}") from None
        state = secrets.token_urlsafe(_STATE_BYTES)
        location = await self._provider.address(self._trip(facts["origin"], state))
        cookie = self._signer.sign(_COOKIE, {**facts, "state": state}, seconds=COOKIE_SECONDS)
        return Departure(location, cookie, facts["origin"].startswith("https:"))

    async def returned(self, query: Mapping[str, str], cookie: str, address: AddressLimits) -> str:
        """Return the code with which the page goes on, for a browser that comes from the provider.

        Raises OidcError, Refusal and TooMany.
        """
        try:
            signed = self._signer.verify(_COOKIE, cookie)
        except BadSignature as error:
            raise OidcError(f"the browser did not begin here: {error}") from None
        facts, state = signed.facts, signed.facts["state"]
        if not hmac.compare_digest(state.encode(), query.get("state", "").encode()):
            raise OidcError("the state is another one")
        code = query.get("code", "")
        if not 0 < len(code) <= MAX_CODE:
            raise OidcError(f"the provider sends no code: {query.get('error', '')[:100]!r}")
        person = await self._provider.person(self._trip(facts["origin"], state), code)
        # Only now: everybody gets cookies, and each that was recorded as used would take a place of those who sign in.
        if not await spend(self._accounts, signed, address, self._now()):
            raise OidcError("the browser came back before")
        kept = {name: facts[name] for name in ("purpose", "player", "session", "mark")}
        said = {"identity": person.identity, "names": json.dumps(_usable(person.names))}
        return self._signer.sign(_CODE, {**kept, **said}, seconds=CODE_SECONDS)

    def opened(self, command: FinishOidc, visit: Visit) -> Returned:
        """Return who came back to this page. Raises Refusal."""
        try:
            signed = self._signer.verify(_CODE, command.code)
        except BadSignature as error:
            raise refused(str(error)) from None
        facts = signed.facts
        if not hmac.compare_digest(facts["mark"], _mark(command.secret)):
            raise refused("another browser began")
        identity = visit.identity
        if facts["purpose"] == "link" and (
            identity is None or (identity.player.id, identity.session) != (facts["player"], facts["session"])
        ):
            raise refused("another session began")
        return Returned(OidcPerson(facts["identity"], tuple(json.loads(facts["names"]))), facts["purpose"], signed)

    async def spend(self, returned: Returned, visit: Visit) -> None:
        """Record that a code was used. Raises Refusal where it was before, and TooMany."""
        if not await spend(self._accounts, returned.signed, visit.address, self._now()):
            raise refused("the code was used before")

    async def close(self) -> None:
        """Close connections to the provider."""
        await self._provider.close()

    def _trip(self, origin: str, state: str) -> OidcTrip:
        """Return the visit with this state: what else belongs to it is made from it, at any node alike."""
        nonce, verifier = (self._signer.derived(f"oidc {what}", state) for what in ("nonce", "verifier"))
        return OidcTrip(f"{origin}/oidc/return", state, nonce, verifier)


def refused(reason: str) -> Refusal:
    """Return the refusal of a visit, with its reason in the log alone."""
    log.info("a visit to the provider is not accepted", reason=reason)
    return Refusal("oidc_refused", "this sign-in is over, or was begun in another browser; begin again")


def _mark(secret: str) -> str:
    return sha256(f"oidc {secret}".encode()).hexdigest()


def _usable(names: tuple[str, ...]) -> list[str]:
    """Return the names that an account may have, as the usual rules clean them."""
    found: list[str] = []
    for name in names:
        try:
            found.append(clean_name(name))
        except ForbiddenText:
            continue
    return list(dict.fromkeys(found))[:4]
