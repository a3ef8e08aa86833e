"""An authenticator in software: makes passkeys and proofs as a browser's WebAuthn hands them to a page."""

from __future__ import annotations

import json
import secrets
import struct
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

from cornered.protocol.credentials import NewPasskey, PasskeyProof
from cornered.protocol.passkeys import PasskeyChallenge

__all__ = ["ORIGIN", "Authenticator", "encoded"]

ORIGIN: Final = "http://localhost"
PRESENT: Final = 0x01
WITH_KEY: Final = 0x40


def encoded(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


@dataclass
class Authenticator:
    """One key, of one account at one site. `counter` is None for an authenticator that counts nothing."""

    origin: str = ORIGIN
    counter: int | None = 0
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    user: str = ""

    def create(self, challenge: PasskeyChallenge, /, **changed: Any) -> NewPasskey:
        """Make the passkey; `changed` replaces the origin, site, flags or the type of the response."""
        self.user = challenge.user
        numbers = self.key.public_key().public_numbers()
        cose = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        flags = changed.get("flags", PRESENT | WITH_KEY)
        data = self._data(changed.get("site", challenge.site), flags)
        data += bytes(16) + struct.pack(">H", len(self.id)) + self.id + cbor2.dumps(cose)
        attestation = {"fmt": "none", "attStmt": {}, "authData": data}
        return NewPasskey(
            credential=encoded(changed.get("id", self.id)),
            client_data=self._client_data("webauthn.create", challenge.challenge, changed),
            attestation=encoded(cbor2.dumps(attestation)),
        )

    def prove(self, challenge: PasskeyChallenge, /, **changed: Any) -> PasskeyProof:
        """Prove the passkey, with the next number of the counter; `changed` as for `create`."""
        if self.counter is not None:
            self.counter = changed.get("counter", self.counter + 1)
        data = self._data(changed.get("site", challenge.site), changed.get("flags", PRESENT))
        client_data = self._client_data("webauthn.get", challenge.challenge, changed)
        raw = json.dumps(self._facts("webauthn.get", challenge.challenge, changed)).encode()
        assert encoded(raw) == client_data
        key = changed.get("key", self.key)
        signature = key.sign(data + sha256(raw).digest(), ec.ECDSA(SHA256()))
        return PasskeyProof(
            credential=encoded(changed.get("id", self.id)),
            client_data=client_data,
            authenticator_data=encoded(data),
            signature=encoded(signature),
            user=changed.get("user", self.user or None),
        )

    def _data(self, site: str, flags: int) -> bytes:
        return sha256(site.encode()).digest() + struct.pack(">BI", flags, self.counter or 0)

    def _client_data(self, kind: str, challenge: str, changed: dict[str, Any]) -> str:
        return encoded(json.dumps(self._facts(kind, challenge, changed)).encode())

    def _facts(self, kind: str, challenge: str, changed: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": changed.get("type", kind),
            "challenge": encoded(changed.get("challenge", challenge).encode()),
            "origin": changed.get("origin", self.origin),
            "crossOrigin": False,
        }
