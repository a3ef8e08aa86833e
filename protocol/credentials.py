"""What a browser's WebAuthn makes: new passkeys, and proofs that one is there. Binary fields are base64url text."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from cornered.protocol.values import Value

__all__ = ["Base64", "CredentialId", "NewPasskey", "PasskeyProof"]

Base64: TypeAlias = Annotated[str, Field(min_length=1, max_length=4_096, pattern=r"^[A-Za-z0-9_-]+$")]
"""Bytes as base64url without padding."""
CredentialId: TypeAlias = Annotated[str, Field(min_length=1, max_length=1_364, pattern=r"^[A-Za-z0-9_-]+$")]
"""The id that an authenticator gave to a passkey: up to 1,023 bytes."""


class NewPasskey(Value):
    """A passkey that `navigator.credentials.create` has made: the fields of its response."""

    credential: CredentialId
    client_data: Base64
    attestation: Base64


class PasskeyProof(Value):
    """The answer of `navigator.credentials.get`: the fields of its response. `user` is the user handle."""

    credential: CredentialId
    client_data: Base64
    authenticator_data: Base64
    signature: Base64
    user: Base64 | None = None
