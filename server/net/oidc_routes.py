"""The two addresses of a visit to the provider of identities. They show nothing and lead nowhere but on the way."""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qsl

import structlog
from websockets.http11 import Request, Response

from cornered.server.accounts import AccountsUnavailable, TooMany
from cornered.server.net.finished import Payer
from cornered.server.net.requests import field_of
from cornered.server.net.responses import plain, respond
from cornered.server.oidc import OidcError
from cornered.server.runtime.limits import AddressLimits
from cornered.server.runtime.oidc_visits import COOKIE_SECONDS, OidcVisits

__all__ = ["OIDC_PATHS", "OidcRoutes"]

OIDC_PATHS: Final = ("/oidc/start", "/oidc/return")
STEP: Final = 100.0
"""Tokens of one step: signed texts, and two or three requests to the provider, which the loop does not wait for."""
MAX_FIELDS: Final = 10
RETRY_SECONDS: Final = 2
_SECURE_COOKIE: Final = "__Host-cornered-oidc"
"""Browsers take it by https from this very host alone."""
_PLAIN_COOKIE: Final = "cornered-oidc"
log = structlog.get_logger("oidc")


class OidcRoutes:
    """Answers GET of `OIDC_PATHS`."""

    def __init__(self, visits: OidcVisits) -> None:
        self._visits = visits

    async def answer(self, request: Request, path: str, payer: Payer) -> Response:
        """Return the answer to a GET. Raises Refusal."""
        await payer.pay(STEP)
        try:
            query = dict(parse_qsl(request.path.partition("?")[2], max_num_fields=MAX_FIELDS))
        except ValueError:
            return plain(400, "this address is too long")
        if path == "/oidc/start":
            return await self._start(query.get("ticket", ""))
        return await self._return(query, _cookie_of(request), payer.address)

    async def _start(self, ticket: str) -> Response:
        try:
            departure = await self._visits.start(ticket)
        except OidcError as error:
            log.warning("nobody can be sent to the provider", reason=str(error))
            return _back("refused")
        name = _SECURE_COOKIE if departure.is_secure else _PLAIN_COOKIE
        return _redirect(departure.location, _cookie(name, departure.cookie, COOKIE_SECONDS))

    async def _return(self, query: dict[str, str], cookie: tuple[str, str], address: AddressLimits) -> Response:
        name, value = cookie
        try:
            code = await self._visits.returned(query, value, address)
        except OidcError as error:
            log.warning("a visit to the provider failed", reason=str(error))
            return _back("refused", _cookie(name, "", 0))
        except (TooMany, AccountsUnavailable) as error:
            log.warning("a visit to the provider cannot be recorded", reason=type(error).__name__)
            text = "the server is too busy to sign you in just now; go back to the page in a moment and sign in again"
            return plain(503, text, retry_after=RETRY_SECONDS, Set_Cookie=_cookie(name, "", 0))
        return _back(code, _cookie(name, "", 0))


def _back(code: str, *cookies: str) -> Response:
    """Return the way back to the page. Fragments are sent to no server."""
    return _redirect(f"/#/oidc/{code}", *cookies)


def _redirect(location: str, *cookies: str) -> Response:
    response = respond(303, "text/plain; charset=utf-8", b"", Location=location, Cache_Control="no-store")
    for cookie in cookies:
        response.headers["Set-Cookie"] = cookie
    return response


def _cookie(name: str, value: str, seconds: int) -> str:
    secure = "; Secure" if name == _SECURE_COOKIE else ""
    return f"{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"


def _cookie_of(request: Request) -> tuple[str, str]:
    """Return the name and the value of the visit's cookie; the value is empty where there is none."""
    try:
        found = SimpleCookie(field_of(request, "Cookie"))
    except CookieError:
        return _PLAIN_COOKIE, ""
    for name in (_SECURE_COOKIE, _PLAIN_COOKIE):
        if name in found:
            return name, found[name].value
    return _PLAIN_COOKIE, ""
