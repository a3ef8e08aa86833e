"""The port of passkeys: whether what a browser sends was made by an authenticator, for this page and this challenge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from cornered.protocol.credentials import NewPasskey, PasskeyProof

__all__ = ["BadPasskey", "Ceremony", "PasskeyVerifier", "VerifiedKey"]


class BadPasskey(Exception):
    """What was sent is no passkey, or no proof of it, for this page and challenge. The text is for the log."""


@dataclass(frozen=True, slots=True)
class Ceremony:
    """What a response has to be for: the challenge's bytes, the host name and the origin of the page."""

    challenge: bytes
    site: str
    origin: str


@dataclass(frozen=True, slots=True)
class VerifiedKey:
    """A new passkey's public key in COSE form, with its signature counter."""

    public_key: bytes
    count: int


class PasskeyVerifier(Protocol):
    """Verifies the responses of authenticators by WebAuthn."""

    def challenge_of(self, client_data: str) -> bytes:
        """Return the challenge that a response names, which proves nothing yet. Raises BadPasskey."""

    def created(self, passkey: NewPasskey, ceremony: Ceremony) -> VerifiedKey:
        """Verify a new passkey. Raises BadPasskey."""

    def proven(self, proof: PasskeyProof, ceremony: Ceremony, public_key: bytes, count: int) -> int:
        """Verify a proof by a known key; return the counter, which has grown unless it stays 0. Raises BadPasskey."""
