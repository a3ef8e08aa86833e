"""Push messages to browsers: encrypted by RFC 8291, signed by RFC 8292, and handed to the push services over HTTP/1.1.

Where messages go is chosen by clients, so it is bounded: known hosts over HTTPS, whose addresses are looked up here and
must be public. The connection goes to the very address that was checked, and no redirection is followed.
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import json
import os
import re
import secrets
import socket
import struct
import time
from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

import structlog
from cryptography.exceptions import InvalidKey, InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from cornered.server.adapters.tls import client_context
from cornered.server.social.ports import Device, PushOutcome

__all__ = ["WebPush", "encrypt", "new_private_key"]

MAX_PAYLOAD: Final = 3_000
"""Bytes of a message; push services take 4,096 with what the encryption adds."""
RECORD_SIZE: Final = 4_096
SEND_SECONDS: Final = 10.0
"""The time limit of one message, from the look-up of the host to the answer."""
MAX_HEAD: Final = 4_096
"""Bytes of an answer that are read: its status is in the first line."""
TOKEN_SECONDS: Final = 12 * 60 * 60
"""How long a signed token holds; services take at most 24 hours."""
MAX_TOKENS: Final = 64
"""Tokens that are kept, one for each push service."""
_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The order of the group of P-256."""
_STATUS: Final = re.compile(rb"HTTP/1\.[01] (?P<status>[0-9]{3})[ \r\n]")
_TARGET: Final = re.compile(r"[!-~]*")

log = structlog.get_logger("push")


def new_private_key() -> bytes:
    """Return a new private key of P-256, 32 bytes."""
    return (secrets.randbelow(_ORDER - 1) + 1).to_bytes(32, "big")


def encrypt(payload: bytes, p256dh: bytes, auth: bytes, *, key: ec.EllipticCurvePrivateKey, salt: bytes) -> bytes:
    """Return a message as `aes128gcm` (RFC 8188) under keys that only the browser has (RFC 8291).

    `key` is used for this message alone, as is `salt`. Raises ValueError where `p256dh` is no point of the curve.
    """
    browser = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), p256dh)
    own = _point(key.public_key())
    shared = key.exchange(ec.ECDH(), browser)
    secret = _derived(shared, auth, b"WebPush: info\0" + p256dh + own, 32)
    content_key = _derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    # One record, which the delimiter 2 marks as the last.
    sealed = AESGCM(content_key).encrypt(nonce, payload + b"\x02", None)
    return salt + struct.pack("!IB", RECORD_SIZE, len(own)) + own + sealed


class _Address(NamedTuple):
    """Where a message goes: `is_own` is a push service of the operator's."""

    url: SplitResult
    host: str
    port: int
    is_own: bool

    @property
    def origin(self) -> str:
        return f"{self.url.scheme}://{self.url.netloc}"


class WebPush:
    """Implements `PushSender`."""

    def __init__(
        self, private_key: bytes, *, contact: str = "", hosts: Sequence[str] = (), origins: Sequence[str] = ()
    ) -> None:
        """`hosts` and `origins` are those of the settings. Raises ValueError, which begins with the setting's name."""
        if contact and not contact.startswith(("mailto:", "https://")):
            raise ValueError(f"CONTACT: {contact!r} is neither mailto:somebody@example.org nor https://example.org")
        for origin in origins:
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
                raise ValueError(f"ORIGINS: {origin!r} is no origin, such as http://127.0.0.1:9000")
        self._key = ec.derive_private_key(int.from_bytes(private_key, "big"), ec.SECP256R1())
        self._public = _encoded(_point(self._key.public_key()))
        self._contact = contact
        self._hosts = tuple(host.lower() for host in hosts)
        self._origins = {origin.rstrip("/").lower() for origin in origins}
        # Signed tokens by the origin of the push service, with the time until which they are used.
        self._tokens: dict[str, tuple[float, str]] = {}

    @property
    def public_key(self) -> str:
        return self._public

    def check(self, device: Device) -> None:
        self._address(device.endpoint)
        try:
            ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(device.p256dh))
        except ValueError:
            raise ValueError("this is no public key of a browser; subscribe again") from None

    async def send(self, device: Device, payload: bytes, *, topic: str, ttl: int) -> PushOutcome:
        if len(payload) > MAX_PAYLOAD:
            raise ValueError(f"a push message has at most {MAX_PAYLOAD} bytes, not {len(payload)}")
        try:
            address = self._address(device.endpoint)
            key = ec.generate_private_key(ec.SECP256R1())
            sealed = encrypt(payload, _decoded(device.p256dh), _decoded(device.auth), key=key, salt=os.urandom(16))
            async with asyncio.timeout(SEND_SECONDS):
                status = await self._post(address, sealed, topic, ttl)
        except (OSError, TimeoutError, ValueError, InvalidKey, InvalidTag, asyncio.IncompleteReadError) as error:
            log.warning("a push message was not sent", reason=f"{type(error).__name__}: {error}")
            return "failed"
        if status in (404, 410):
            return "gone"
        if not 200 <= status < 300:
            log.warning("a push service refused a message", host=address.host, status=status)
            return "failed"
        return "sent"

    # Where messages go

    def _address(self, endpoint: str) -> _Address:
        """Return where an endpoint is. Raises ValueError with a sentence for those that are not served."""
        try:
            url = urlsplit(endpoint)
            host, port = (url.hostname or "").rstrip("."), url.port
        except ValueError:
            raise ValueError("this endpoint is no address") from None
        if not host or not _TARGET.fullmatch(endpoint) or url.username is not None or url.password is not None:
            raise ValueError("this endpoint is no address of a push service")
        if f"{url.scheme}://{url.netloc}".lower() in self._origins:
            return _Address(url, host, port or (443 if url.scheme == "https" else 80), is_own=True)
        if url.scheme != "https" or port not in (None, 443):
            raise ValueError("a push service is reached by HTTPS at its usual port")
        if not any(host == known or (known.startswith(".") and host.endswith(known)) for known in self._hosts):
            raise ValueError("this server knows no such push service; the setting CORNERED_PUSH_HOSTS adds it")
        return _Address(url, host, 443, is_own=False)

    async def _resolved(self, address: _Address) -> str:
        """Return an address of the host's to connect to. Raises OSError where one of them is not public."""
        found = await asyncio.get_running_loop().getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        addresses = [str(one[4][0]) for one in found]
        if not addresses:
            raise OSError(f"{address.host} has no address")
        if not address.is_own and not all(map(_is_public, addresses)):
            raise OSError(f"{address.host} has an address that is not public")
        return addresses[0]

    # HTTP

    async def _post(self, address: _Address, body: bytes, topic: str, ttl: int) -> int:
        """Send one request and return the status of its answer."""
        where = await self._resolved(address)
        is_secure = address.url.scheme == "https"
        reader, writer = await asyncio.open_connection(
            where,
            address.port,
            ssl=await asyncio.to_thread(client_context) if is_secure else None,
            server_hostname=address.host if is_secure else None,
            limit=MAX_HEAD,
        )
        try:
            target = address.url.path or "/"
            if address.url.query:
                target += f"?{address.url.query}"
            lines = (
                f"POST {target} HTTP/1.1",
                f"Host: {address.url.netloc}",
                f"Authorization: vapid t={self._token(address.origin)}, k={self._public}",
                "Content-Encoding: aes128gcm",
                "Content-Type: application/octet-stream",
                f"Content-Length: {len(body)}",
                f"TTL: {ttl}",
                "Urgency: normal",
                f"Topic: {topic}",
                "Connection: close",
            )
            writer.write("\r\n".join((*lines, "", "")).encode("ascii") + body)
            await writer.drain()
            found = _STATUS.match(await reader.readuntil(b"\n"))
        except asyncio.LimitOverrunError:
            raise ValueError("the answer of the push service is too long") from None
        finally:
            writer.transport.abort()
        if found is None:
            raise ValueError("the push service does not answer in HTTP")
        return int(found["status"])

    def _token(self, audience: str) -> str:
        """Return a signed token (RFC 8292): it says to which service this server speaks, and until when."""
        now = time.time()
        until, token = self._tokens.get(audience, (0.0, ""))
        if now < until:
            return token
        claims: dict[str, object] = {"aud": audience, "exp": int(now) + TOKEN_SECONDS}
        if self._contact:
            claims["sub"] = self._contact
        signed = ".".join(_encoded(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims))
        r, s = decode_dss_signature(self._key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        token = f"{signed}.{_encoded(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
        if len(self._tokens) >= MAX_TOKENS:
            del self._tokens[next(iter(self._tokens))]
        self._tokens[audience] = (now + TOKEN_SECONDS / 2, token)
        return token


def _is_public(address: str) -> bool:
    known = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(known, "ipv4_mapped", None)
    return (known if mapped is None else mapped).is_global and not known.is_multicast


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
