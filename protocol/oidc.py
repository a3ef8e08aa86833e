"""Commands and answers about signing in at a school's or company's own provider (OpenID Connect)."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from cornered.protocol.account import Attempt, Label, WithSecret
from cornered.protocol.credentials import PasskeyProof
from cornered.protocol.values import Command, CommandId, Made, Name

__all__ = [
    "BeginOidc",
    "FinishOidc",
    "OidcAnswer",
    "OidcBegun",
    "OidcCommand",
    "OidcDoorCommand",
    "OidcPurpose",
    "UnlinkOidc",
]

OidcPurpose: TypeAlias = Literal["sign_in", "link"]
OidcCode: TypeAlias = Annotated[str, Field(min_length=1, max_length=2_000, pattern=r"^[A-Za-z0-9_.-]+$")]
OidcSecret: TypeAlias = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_-]+$")]


class BeginOidc(WithSecret, json_schema_extra={"answers": ["oidc_begun"]}):
    """Begin a visit to the provider: to sign in, or to link its identity to the account of this session.

    It may be sent before `hello` to `sign_in`. The account's password, or a proof of a passkey, confirms a `link`.
    """

    type: Literal["begin_oidc"] = "begin_oidc"
    purpose: OidcPurpose = "sign_in"
    password: Attempt | None = Field(default=None, repr=False)
    proof: PasskeyProof | None = Field(default=None, repr=False)


class FinishOidc(Command, json_schema_extra={"answers": ["signed_in", "registered", "acknowledged"]}):
    """Finish it in the browser that began it: sign in, become an account where the identity is new, or link it.

    It may be sent before `hello` to sign in. The code is good once; a `name_taken` leaves it as it is, and another
    `name` may be sent with it.
    """

    type: Literal["finish_oidc"] = "finish_oidc"
    code: OidcCode = Field(repr=False)
    """What the page's address ends with after the visit."""
    secret: OidcSecret = Field(repr=False)
    """The secret of `oidc_begun`."""
    name: Name | None = None
    """The name of a new account, in place of that which the provider tells."""
    label: Label = ""


class UnlinkOidc(Command):
    """Take the provider's identity from the account; the last way to sign in stays."""

    type: Literal["unlink_oidc"] = "unlink_oidc"


OidcDoorCommand: TypeAlias = BeginOidc | FinishOidc
"""Commands that may come before `hello` too."""
OidcCommand: TypeAlias = OidcDoorCommand | UnlinkOidc


class OidcBegun(Made):
    """The answer to `begin_oidc`: the path that the browser goes to, and the secret that it keeps until it is back."""

    type: Literal["oidc_begun"] = "oidc_begun"
    id: CommandId
    path: str
    secret: str = Field(repr=False)


OidcAnswer: TypeAlias = OidcBegun
