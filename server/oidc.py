"""The port of a provider of identities: a school's or company's own OpenID Connect server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["OidcError", "OidcPerson", "OidcProvider", "OidcTrip"]


class OidcError(Exception):
    """The provider is unreachable, or what it or the browser said is not accepted. The text is for the log."""


@dataclass(frozen=True, slots=True)
class OidcTrip:
    """One visit of a browser to the provider, from which nobody else's answer is accepted."""

    redirect: str
    """The address that the provider sends the browser back to."""
    state: str
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)
    """The code verifier of PKCE, which only the server knows."""


@dataclass(frozen=True, slots=True)
class OidcPerson:
    """Who was signed in at the provider: a digest of issuer and subject, and names that the claims propose."""

    identity: str
    names: tuple[str, ...]


class OidcProvider(Protocol):
    """The provider of the settings. Both methods raise OidcError."""

    async def address(self, trip: OidcTrip) -> str:
        """Return where the browser signs in."""

    async def person(self, trip: OidcTrip, code: str) -> OidcPerson:
        """Exchange the code that the browser came back with, and return who its id token is about."""

    async def close(self) -> None:
        """Close connections to the provider."""
