"""Signed texts: facts that the server gives to a browser and believes again when they come back, at any node.

A signature is an HMAC with a key that is made from the store's secret. A signed text can be read by everybody who has
it.
"""

from __future__ import annotations

import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

__all__ = ["MAX_SIGNED", "BadSignature", "SignedText", "TextSigner"]

MAX_SIGNED: Final = 2_000
"""Characters of a signed text that is read."""
_NONCE_BYTES: Final = 16


class BadSignature(ValueError):
    """A text was not signed here for this purpose, or is past its time."""


@dataclass(frozen=True, slots=True)
class SignedText:
    """What a signed text says. `digest` stands for the text where it is recorded as used; times are in milliseconds."""

    facts: Mapping[str, str]
    until: int
    digest: str


class TextSigner:
    """Signs texts for named purposes; one that is signed for another purpose is not accepted."""

    def __init__(self, secret: bytes, *, now: Callable[[], int]) -> None:
        """`secret` is the store's, `now` the time in milliseconds since 1970."""
        self._key = hmac.new(secret, b"cornered signed texts", sha256).digest()
        self._now = now

    def sign(self, purpose: str, facts: Mapping[str, str], *, seconds: int) -> str:
        """Return a text that is good for so many seconds, and never the same twice."""
        until = self._now() + seconds * 1000
        body = json.dumps({"facts": dict(facts), "until": until, "nonce": secrets.token_hex(_NONCE_BYTES)})
        written = _encoded(body.encode())
        return f"{written}.{self._mark(purpose, written)}"

    def verify(self, purpose: str, text: str) -> SignedText:
        """Return what a text says. Raises BadSignature."""
        written, _, mark = text.partition(".")
        if len(text) > MAX_SIGNED or not text.isascii():
            raise BadSignature("this is no signed text")
        if not hmac.compare_digest(mark, self._mark(purpose, written)):
            raise BadSignature("the signature is not of this server, or for another purpose")
        body = json.loads(urlsafe_b64decode(written + "=" * (-len(written) % 4)))
        if body["until"] <= self._now():
            raise BadSignature("the time of this is over")
        return SignedText(body["facts"], body["until"], sha256(f"{purpose} {text}".encode()).hexdigest())

    def derived(self, purpose: str, text: str) -> str:
        """Return a secret that belongs to a text, the same at every node: 256 bits as base64url."""
        return self._mark(f"derived {purpose}", text)

    def _mark(self, purpose: str, text: str) -> str:
        return _encoded(hmac.new(self._key, f"{purpose}\n{text}".encode(), sha256).digest())


def _encoded(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")
