"""A small provider of OpenID Connect on loopback, which signs with a key of its own and lies where a test wants it."""

from __future__ import annotations

import asyncio
import base64
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey

__all__ = ["CLIENT", "SECRET", "Provider", "provider"]

CLIENT: Final = "cornered"
SECRET: Final = "a secret of the client's"
Claims = dict[str, Any]


@dataclass
class Provider:
    """`claims` are of the person who signs in next; `lie` changes the id token's claims just before they are signed."""

    issuer: str = ""
    key: ECKey = field(default_factory=lambda: ECKey.generate_key("P-256"))
    claims: Claims = field(default_factory=lambda: {"sub": "person-1", "preferred_username": "Anna"})
    lie: Callable[[Claims], Claims] = lambda claims: claims
    sign: Callable[[Provider, Claims], str] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    """What replaces fields of the discovery document."""
    asked: list[str] = field(default_factory=list)
    """The paths that were fetched."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def discovery(self) -> Mapping[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            **self.metadata,
        }

    def authorize(self, location: str) -> str:
        """Sign somebody in who was sent to `location`; return where the browser is sent back to."""
        query = dict(parse_qsl(urlsplit(location).query))
        assert (query["client_id"], query["response_type"]) == (CLIENT, "code")
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def token(self, form: Mapping[str, str], authorization: str) -> tuple[int, Mapping[str, Any]]:
        query = self.codes.pop(form.get("code", ""), None)
        basic = base64.b64encode(f"{CLIENT}:a%20secret%20of%20the%20client%27s".encode()).decode()
        if query is None or authorization != f"Basic {basic}":
            return 400, {"error": "invalid_grant"}
        challenge = base64.urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
        if challenge != query["code_challenge"] or form["redirect_uri"] != query["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": query["nonce"],
            **self.claims,
        }
        claims = self.lie(claims)
        token = self.signed(claims) if self.sign is None else self.sign(self, claims)
        return 200, {"id_token": token, "access_token": "unused", "token_type": "Bearer"}

    def signed(self, claims: Claims, key: ECKey | None = None) -> str:
        return jwt.encode({"alg": "ES256", "kid": self.key.thumbprint()}, claims, key or self.key)

    def with_hmac(self, claims: Claims) -> str:
        """Sign with the secret of the client, which the client has too."""
        return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET))

    def unsigned(self, claims: Claims) -> str:
        parts = ({"alg": "none", "typ": "JWT"}, claims)
        return ".".join(
            [*(base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts), ""]
        )

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.split("\r\n")
        fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        target = first.split()[1]
        body = (await reader.readexactly(int(fields.get("content-length", 0)))).decode()
        self.asked.append(urlsplit(target).path)
        location = ""
        status, document = 200, dict[str, Any]()
        match urlsplit(target).path:
            case "/.well-known/openid-configuration":
                document = dict(self.discovery())
            case "/keys":
                document = dict(KeySet([self.key]).as_dict(private=False))
            case "/token":
                status, found = self.token(dict(parse_qsl(body)), fields.get("authorization", ""))
                document = dict(found)
            case "/authorize":
                status, location = 302, self.authorize(f"{self.issuer}{target}")
            case _:
                status = 404
        content = json.dumps(document).encode()
        answer = [f"HTTP/1.1 {status} X", "Content-Type: application/json", f"Content-Length: {len(content)}"]
        answer += [f"Location: {location}"] if location else []
        writer.write("\r\n".join([*answer, "Connection: close", "", ""]).encode() + content)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def provider(**fields: Any) -> AsyncIterator[Provider]:
    """Run a provider inside the block."""
    made = Provider(**fields)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.issuer = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield made
