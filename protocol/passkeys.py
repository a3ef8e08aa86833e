"""Commands and answers about passkeys (WebAuthn): keys on a device that sign a player in without a password."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from cornered.protocol.account import Attempt, InvitationCode, Label, WithSecret
from cornered.protocol.credentials import CredentialId, NewPasskey, PasskeyProof
from cornered.protocol.values import Command, CommandId, Key, Made, Milliseconds, Name

__all__ = [
    "AddPasskey",
    "AskPasskeyChallenge",
    "AskPasskeys",
    "PasskeyAnswer",
    "PasskeyChallenge",
    "PasskeyCommand",
    "PasskeyDoorCommand",
    "PasskeyInfo",
    "PasskeyPurpose",
    "Passkeys",
    "RegisterByPasskey",
    "RemovePasskey",
    "SignInByPasskey",
]

PasskeyPurpose: TypeAlias = Literal["register", "sign_in", "add", "confirm"]
"""What a challenge is for; it is good for nothing else."""


class AskPasskeyChallenge(Command, json_schema_extra={"answers": ["passkey_challenge"]}):
    """Ask for a challenge, which an authenticator signs. It is good once, for some minutes, at any node.

    It may be sent before `hello` to `register` and to `sign_in`.
    """

    type: Literal["ask_passkey_challenge"] = "ask_passkey_challenge"
    purpose: PasskeyPurpose


class RegisterByPasskey(Command, json_schema_extra={"answers": ["registered"]}):
    """Become an account with a passkey and without a password, as `register` does with one.

    It may be sent before `hello`.
    """

    type: Literal["register_by_passkey"] = "register_by_passkey"
    name: Name
    passkey: NewPasskey = Field(repr=False)
    passkey_label: Label = ""
    """What the passkey is called."""
    invitation: InvitationCode | None = Field(default=None, repr=False)
    label: Label = ""
    """The name of the session that begins where a new player is made."""


class SignInByPasskey(Command, json_schema_extra={"answers": ["signed_in"]}):
    """Begin a session by a passkey, which says whose it is. The socket's own player stays as it is.

    It may be sent before `hello`. The answer to an unknown passkey is that to a wrong signature.
    """

    type: Literal["sign_in_by_passkey"] = "sign_in_by_passkey"
    passkey: PasskeyProof = Field(repr=False)
    label: Label = ""


class AskPasskeys(Command, json_schema_extra={"answers": ["passkeys"]}):
    """Ask for one's passkeys."""

    type: Literal["ask_passkeys"] = "ask_passkeys"


class AddPasskey(WithSecret, json_schema_extra={"answers": ["passkeys"]}):
    """Add a passkey to the account. The present password, or a proof of another passkey, confirms it."""

    type: Literal["add_passkey"] = "add_passkey"
    passkey: NewPasskey = Field(repr=False)
    label: Label
    password: Attempt | None = Field(default=None, repr=False)
    proof: PasskeyProof | None = Field(default=None, repr=False)


class RemovePasskey(Command):
    """Remove a passkey; the last way to sign in stays."""

    type: Literal["remove_passkey"] = "remove_passkey"
    passkey: Key
    """Its id, as `passkeys` lists it."""


PasskeyDoorCommand: TypeAlias = AskPasskeyChallenge | RegisterByPasskey | SignInByPasskey
"""Commands that may come before `hello` too."""
PasskeyCommand: TypeAlias = PasskeyDoorCommand | AskPasskeys | AddPasskey | RemovePasskey


class PasskeyChallenge(Made):
    """The answer to `ask_passkey_challenge`: what the browser's WebAuthn is asked with.

    The challenge is the text's bytes. `passkeys` are those of the account: a new one is not made where one of them is,
    and one of them confirms. To sign in none is named, so that the answer is the same for everybody.
    """

    type: Literal["passkey_challenge"] = "passkey_challenge"
    id: CommandId
    challenge: str = Field(repr=False)
    site: str
    """The relying party's id: the host name of the page."""
    user: str
    """The user handle of a new passkey, as base64url; empty for other purposes."""
    passkeys: tuple[CredentialId, ...] = ()


class PasskeyInfo(Made):
    """One passkey; `site` is the host name that it works at."""

    passkey: Key
    """Its id, for `remove_passkey`."""
    label: str
    site: str
    created: Milliseconds
    used: Milliseconds


class Passkeys(Made):
    """The answer to `ask_passkeys` and `add_passkey`, the newest first."""

    type: Literal["passkeys"] = "passkeys"
    id: CommandId
    passkeys: tuple[PasskeyInfo, ...]


PasskeyAnswer: TypeAlias = PasskeyChallenge | Passkeys
