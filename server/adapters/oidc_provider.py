"""A provider of OpenID Connect, by httpx and joserfc, an extra: discovery, keys, code exchange and id tokens.

Documents of the provider are bounded in size and time, and kept for an hour; keys are fetched again for an id token
that names an unknown one, at most once a minute.
"""

from __future__ import annotations

import asyncio
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

import httpx
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from cornered.server.adapters.tls import client_context
from cornered.server.oidc import OidcError, OidcPerson, OidcTrip

__all__ = ["ALGORITHMS", "HttpOidcProvider", "OidcClient"]

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key that the provider alone has: neither `none` nor HMAC, whose key is the client's secret."""
MAX_DOCUMENT: Final = 256 * 1024
"""Bytes of one answer of the provider."""
TIMEOUT_SECONDS: Final = 5.0
KEEP_SECONDS: Final = 3_600.0
"""How long the discovery document and the keys are kept."""
REFRESH_SECONDS: Final = 60.0
"""How often keys are fetched for an unknown key at most."""
LEEWAY_SECONDS: Final = 60
"""By how much the provider's clock may differ."""
MAX_TOKEN: Final = 16 * 1024
MAX_SUBJECT: Final = 255
LOCAL_HOSTS: Final = ("localhost", "127.0.0.1", "::1")
NAME_CLAIMS: Final = ("preferred_username", "nickname", "name", "given_name")


@dataclass(frozen=True, slots=True)
class OidcClient:
    """This server as a client of the provider, and whom it accepts: e-mail addresses of the domains, and a claim."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    domains: tuple[str, ...] = ()
    claim: str = ""
    """A claim that is required, as `groups=players`: one that has this value, or a list with it."""


class HttpOidcProvider:
    """Implements `OidcProvider`."""

    def __init__(self, client: OidcClient, *, now: Callable[[], float] = time.time) -> None:
        """`now` is the time in seconds since 1970. Raises ValueError for an issuer that is not reached by TLS."""
        require_tls(client.issuer)
        self._client = client
        self._now = now
        # The authorities that this machine trusts, among them a company's own.
        self._http = httpx.AsyncClient(timeout=TIMEOUT_SECONDS, verify=client_context(), follow_redirects=False)
        self._turn = asyncio.Lock()
        self._known: dict[str, tuple[float, Mapping[str, Any]]] = {}  # address -> when it was fetched, document

    async def address(self, trip: OidcTrip) -> str:
        metadata = await self._metadata()
        challenge = urlsafe_b64encode(sha256(trip.verifier.encode()).digest()).decode().rstrip("=")
        query = {
            "response_type": "code",
            "client_id": self._client.client_id,
            "redirect_uri": trip.redirect,
            "scope": "openid profile email" if self._client.domains else "openid profile",
            "state": trip.state,
            "nonce": trip.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        endpoint = self._endpoint(metadata, "authorization_endpoint")
        return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(query)}"

    async def person(self, trip: OidcTrip, code: str) -> OidcPerson:
        metadata = await self._metadata()
        answer = await self._exchange(metadata, trip, code)
        token = answer.get("id_token")
        if not isinstance(token, str) or len(token) > MAX_TOKEN:
            raise OidcError("the provider's answer has no id token")
        return self._accepted(await self._claims(metadata, token, trip.nonce))

    async def close(self) -> None:
        await self._http.aclose()

    # The provider's documents

    async def _metadata(self) -> Mapping[str, Any]:
        issuer = self._client.issuer
        metadata = await self._document(f"{issuer.rstrip('/')}/.well-known/openid-configuration", KEEP_SECONDS)
        if metadata.get("issuer") != issuer:
            raise OidcError(f"the provider says that it is {metadata.get('issuer')!r}, not the issuer of the settings")
        return metadata

    def _endpoint(self, metadata: Mapping[str, Any], name: str) -> str:
        endpoint = metadata.get(name)
        if not isinstance(endpoint, str):
            raise OidcError(f"the provider names no {name}")
        try:
            require_tls(endpoint)
        except ValueError as error:
            raise OidcError(f"{name}: {error}") from None
        return endpoint

    async def _document(self, address: str, keep: float) -> Mapping[str, Any]:
        """Return a document of the provider, as it was up to `keep` seconds ago."""
        async with self._turn:
            at, document = self._known.get(address, (0.0, None))
            if document is None or self._now() - at >= keep:
                document = await self._fetch("GET", address)
                self._known[address] = (self._now(), document)
        return document

    async def _fetch(self, method: str, address: str, **more: Any) -> Mapping[str, Any]:
        try:
            async with (
                asyncio.timeout(TIMEOUT_SECONDS),
                self._http.stream(method, address, **more) as response,
            ):
                body = bytearray()
                async for part in response.aiter_bytes():
                    body += part
                    if len(body) > MAX_DOCUMENT:
                        raise OidcError("the provider's answer is too long")
                if response.status_code != httpx.codes.OK:
                    raise OidcError(f"the provider answers {response.status_code}")
                document = json.loads(body)
        except (httpx.HTTPError, TimeoutError, ValueError, RecursionError) as error:
            raise OidcError(f"the provider does not answer: {error!r}") from error
        if not isinstance(document, dict):
            raise OidcError("the provider's answer is no JSON object")
        return document

    # The code and the id token

    async def _exchange(self, metadata: Mapping[str, Any], trip: OidcTrip, code: str) -> Mapping[str, Any]:
        client = self._client
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": trip.redirect,
            "code_verifier": trip.verifier,
        }
        methods = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        endpoint = self._endpoint(metadata, "token_endpoint")
        if "client_secret_basic" in methods:
            # RFC 6749, 2.3.1: both are form-encoded first.
            secrets = (quote(client.client_id, safe=""), quote(client.client_secret, safe=""))
            return await self._fetch("POST", endpoint, data=form, auth=secrets)
        form |= {"client_id": client.client_id, "client_secret": client.client_secret}
        return await self._fetch("POST", endpoint, data=form)

    async def _claims(self, metadata: Mapping[str, Any], token: str, nonce: str) -> Mapping[str, Any]:
        """Return the claims of an id token that the provider signed for this client, for this trip, and just now."""
        address = self._endpoint(metadata, "jwks_uri")
        try:
            claims = self._verified(await self._document(address, KEEP_SECONDS), token)
        except (JoseError, ValueError, TypeError, KeyError, AttributeError):
            # The provider may have new keys.
            try:
                claims = self._verified(await self._document(address, REFRESH_SECONDS), token)
            except (JoseError, ValueError, TypeError, KeyError, AttributeError) as error:
                raise OidcError(f"the id token is not the provider's: {error!r}") from error
        registry = jwt.JWTClaimsRegistry(
            now=int(self._now()),
            leeway=LEEWAY_SECONDS,
            iss={"essential": True, "value": self._client.issuer},
            aud={"essential": True, "value": self._client.client_id},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        try:
            registry.validate(claims)
        except (JoseError, ValueError, TypeError) as error:
            raise OidcError(f"the id token is not accepted: {error!r}") from error
        audience = claims["aud"]
        if isinstance(audience, list) and len(audience) > 1 and claims.get("azp") != self._client.client_id:
            raise OidcError("the id token was issued to another client")
        return claims

    def _verified(self, keys: Mapping[str, Any], token: str) -> dict[str, Any]:
        return jwt.decode(token, KeySet.import_key_set({"keys": keys["keys"]}), algorithms=ALGORITHMS).claims

    def _accepted(self, claims: Mapping[str, Any]) -> OidcPerson:
        """Return who the claims are about. Raises OidcError where the settings do not accept them."""
        client, subject = self._client, claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT:
            raise OidcError("the id token has no subject")
        if client.domains:
            email = claims.get("email")
            domain = email.rpartition("@")[2].lower() if isinstance(email, str) else ""
            if claims.get("email_verified") is not True or domain not in client.domains:
                raise OidcError("the e-mail address is of another domain, or was not verified")
        name, _, value = client.claim.partition("=")
        found = claims.get(name) if name else value
        if value != found and not (isinstance(found, list) and value in found):
            raise OidcError(f"the claim {name} has not the value that is required")
        names = [claims[name] for name in NAME_CLAIMS if isinstance(claims.get(name), str)]
        identity = sha256(json.dumps([client.issuer, subject]).encode()).hexdigest()
        return OidcPerson(identity, tuple(name.partition("@")[0][:100] for name in names))


def require_tls(address: str) -> None:
    """Raise ValueError for an address that is neither https nor on this machine."""
    parts = urlsplit(address)
    if not parts.hostname or parts.fragment:
        raise ValueError(f"{address!r} is no address such as https://login.example.org")
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOCAL_HOSTS):
        raise ValueError(f"{address!r} is not reached by https")
