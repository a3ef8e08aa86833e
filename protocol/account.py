"""Commands and answers about accounts: names and passwords, sessions, tokens, what is stored about a player."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field

from cornered.protocol.credentials import PasskeyProof
from cornered.protocol.values import ONE_LINE, Command, CommandId, Key, Made, Milliseconds, Name, Player, Token

__all__ = [
    "CODE_COUNT",
    "MAX_INVITATION_DAYS",
    "MAX_PASSWORD",
    "MAX_TOKEN_DAYS",
    "MIN_PASSWORD",
    "Account",
    "AccountAnswer",
    "AccountCommand",
    "AskAccount",
    "AskExport",
    "AskPolicies",
    "AskSessions",
    "AskSignInLink",
    "AskTokens",
    "Attempt",
    "ChangePassword",
    "ChatPolicy",
    "CreateInvitation",
    "CreateToken",
    "Creators",
    "DeleteAccount",
    "DoorCommand",
    "EndOtherSessions",
    "EndSession",
    "Export",
    "InvitationCode",
    "InvitationCreated",
    "Label",
    "OldName",
    "Password",
    "PersonalToken",
    "Policies",
    "Recover",
    "RecoveryCode",
    "RecoveryCodes",
    "Register",
    "Registered",
    "Registration",
    "Rename",
    "RenewCodes",
    "RevokeToken",
    "Role",
    "Scope",
    "SessionInfo",
    "Sessions",
    "SignIn",
    "SignInByLink",
    "SignInLink",
    "SignOut",
    "SignedIn",
    "TokenCreated",
    "Tokens",
    "WithSecret",
]

MIN_PASSWORD: Final = 8
MAX_PASSWORD: Final = 128
"""Characters of a password, after normalisation."""
CODE_COUNT: Final = 10
"""Recovery codes of one account."""
MAX_TOKEN_DAYS: Final = 366
MAX_INVITATION_DAYS: Final = 90


def _normal(text: object) -> object:
    """Return a text in the form NFC: keyboards and systems compose the same letters differently."""
    return unicodedata.normalize("NFC", text) if isinstance(text, str) else text


Password: TypeAlias = Annotated[str, BeforeValidator(_normal), Field(min_length=MIN_PASSWORD, max_length=MAX_PASSWORD)]
"""A password, in the form NFC. Every character may occur in it, and none is removed."""
Attempt: TypeAlias = Annotated[str, BeforeValidator(_normal), Field(min_length=1, max_length=MAX_PASSWORD)]
"""A password that is to be compared with the account's."""
RecoveryCode: TypeAlias = Annotated[str, Field(min_length=1, max_length=40)]
"""A recovery code; case, spaces and dashes make no difference."""
InvitationCode: TypeAlias = Annotated[str, Field(min_length=1, max_length=40)]
"""An invitation to register; case, spaces and dashes make no difference."""
LinkCode: TypeAlias = Annotated[str, Field(min_length=1, max_length=1_000, pattern=r"^[A-Za-z0-9_.-]+$")]
"""What a link for another device ends with."""
Label: TypeAlias = Annotated[str, ONE_LINE, Field(max_length=60)]
"""What a session or token is for, as its owner calls it: a device, or a program."""
Scope: TypeAlias = Literal["play", "bot", "read", "admin"]
"""What a token permits: `play` as a person, play and analyse as a `bot`, `read` matches and the lobby, and what only
an administrator may do."""
Role: TypeAlias = Literal["player", "admin"]
Creators: TypeAlias = Literal["everybody", "accounts", "admins"]
ChatPolicy: TypeAlias = Literal["everybody", "accounts", "nobody"]
Registration: TypeAlias = Literal["open", "invitation", "closed"]


# Commands


class WithSecret(Command):
    """Base of the commands that have a secret, which a program that makes a wrong one reads in no error."""

    model_config = ConfigDict(hide_input_in_errors=True)


class AskPolicies(Command, json_schema_extra={"answers": ["policies"]}):
    """Ask who may come in here. It may be sent before `hello`."""

    type: Literal["ask_policies"] = "ask_policies"


class Register(WithSecret, json_schema_extra={"answers": ["registered"]}):
    """Become an account. A guest keeps its id and matches; before `hello` a new player is made.

    A session begins, in which this socket goes on, and whose token comes with the answer. The guest's token ends then,
    and other sockets that said hello with it are closed. The name must be free: no other account has it or has had it,
    and nobody bears it just now.
    """

    type: Literal["register"] = "register"
    name: Name
    password: Password = Field(repr=False)
    invitation: InvitationCode | None = Field(default=None, repr=False)
    """Where registration is by invitation."""
    label: Label = ""
    """The name of the session that begins; that of a guest's session where it is empty."""


class SignIn(WithSecret, json_schema_extra={"answers": ["signed_in"]}):
    """Begin a session of an account. The socket's own player stays as it is: connect with the token that comes.

    It may be sent before `hello`. The answer to an unknown name is that to a wrong password.
    """

    type: Literal["sign_in"] = "sign_in"
    name: Name
    password: Attempt = Field(repr=False)
    label: Label = ""


class SignInByLink(WithSecret, json_schema_extra={"answers": ["signed_in"]}):
    """Begin a session by a link that another device of the account shows. The socket's own player stays as it is.

    It may be sent before `hello`. A link is good once.
    """

    type: Literal["sign_in_by_link"] = "sign_in_by_link"
    code: LinkCode = Field(repr=False)
    label: Label = ""


class Recover(WithSecret, json_schema_extra={"answers": ["signed_in"]}):
    """Set a new password by a recovery code, which is used up. All sessions and tokens of the account end.

    It may be sent before `hello`.
    """

    type: Literal["recover"] = "recover"
    name: Name
    code: RecoveryCode = Field(repr=False)
    password: Password = Field(repr=False)
    label: Label = ""


class AskAccount(Command, json_schema_extra={"answers": ["account"]}):
    """Ask for what the server knows of one's own account, or of oneself as a guest."""

    type: Literal["ask_account"] = "ask_account"


class Rename(Command, json_schema_extra={"answers": ["account"]}):
    """Change the account's name. The old one stays reserved for the account."""

    type: Literal["rename"] = "rename"
    name: Name


class ChangePassword(WithSecret, json_schema_extra={"answers": ["acknowledged"]}):
    """Change the account's password, or set the first one. All other sessions, and all personal tokens, end.

    The `old` password confirms it, or a proof of a passkey.
    """

    type: Literal["change_password"] = "change_password"
    old: Attempt | None = Field(default=None, repr=False)
    proof: PasskeyProof | None = Field(default=None, repr=False)
    password: Password = Field(repr=False)


class RenewCodes(WithSecret, json_schema_extra={"answers": ["recovery_codes"]}):
    """Replace the recovery codes by new ones, which are shown this once.

    The password confirms it, or a proof of a passkey.
    """

    type: Literal["renew_codes"] = "renew_codes"
    password: Attempt | None = Field(default=None, repr=False)
    proof: PasskeyProof | None = Field(default=None, repr=False)


class AskSessions(Command, json_schema_extra={"answers": ["sessions"]}):
    """Ask for the places where one is signed in."""

    type: Literal["ask_sessions"] = "ask_sessions"


class AskSignInLink(WithSecret, json_schema_extra={"answers": ["sign_in_link"]}):
    """Ask for a link that signs another device in to one's account, once, within two minutes.

    The password confirms it, or a proof of a passkey. The link, and the session that it begins, end with this session.
    """

    type: Literal["ask_sign_in_link"] = "ask_sign_in_link"
    password: Attempt | None = Field(default=None, repr=False)
    proof: PasskeyProof | None = Field(default=None, repr=False)


class SignOut(Command):
    """End this session, and what it has made: personal tokens, and sessions by its links.

    Its sockets are closed after the answer; a guest cannot come back.
    """

    type: Literal["sign_out"] = "sign_out"


class EndSession(Command):
    """End one of one's sessions: its token is refused and its sockets are closed, on every node.

    So end the personal tokens that it has made and the sessions by its links, except the session that asks.
    """

    type: Literal["end_session"] = "end_session"
    session: Key


class EndOtherSessions(Command):
    """End all of one's sessions but this one, and the personal tokens that those have made; this one's stay."""

    type: Literal["end_other_sessions"] = "end_other_sessions"


class CreateToken(WithSecret, json_schema_extra={"answers": ["token_created"]}):
    """Create a personal token for a program. It is shown this once, and ends after `days`, or with this session.

    The password confirms it, or a proof of a passkey.
    """

    type: Literal["create_token"] = "create_token"
    password: Attempt | None = Field(default=None, repr=False)
    proof: PasskeyProof | None = Field(default=None, repr=False)
    label: Label
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1, max_length=4, fail_fast=True)]
    days: Annotated[int, Field(ge=1, le=MAX_TOKEN_DAYS)] = 90


class AskTokens(Command, json_schema_extra={"answers": ["tokens"]}):
    """Ask for one's personal tokens."""

    type: Literal["ask_tokens"] = "ask_tokens"


class RevokeToken(Command):
    """Revoke a personal token: it is refused and its sockets are closed, on every node."""

    type: Literal["revoke_token"] = "revoke_token"
    token: Key
    """The id of the token, as `tokens` lists it."""


class AskExport(Command, json_schema_extra={"answers": ["export"]}):
    """Ask for a part of what is stored about oneself: the first, or the one after the cursor `after`.

    The first has the account, tokens, groups and the reports that one made; the others have the matches.
    """

    type: Literal["ask_export"] = "ask_export"
    after: Key | None = None


class DeleteAccount(WithSecret, json_schema_extra={"answers": ["acknowledged"]}):
    """Delete oneself. Matches stay, under the name `deleted`; sessions, tokens and the socket end after the answer."""

    type: Literal["delete_account"] = "delete_account"
    password: Attempt | None = Field(default=None, repr=False)
    """An account is deleted with it, or with a proof of a passkey; a guest has neither."""
    proof: PasskeyProof | None = Field(default=None, repr=False)


class CreateInvitation(Command, json_schema_extra={"answers": ["invitation_created"]}):
    """Create an invitation to register, for an administrator. It is shown this once."""

    type: Literal["create_invitation"] = "create_invitation"
    uses: Annotated[int, Field(ge=1, le=1_000)] = 1
    days: Annotated[int, Field(ge=1, le=MAX_INVITATION_DAYS)] = 7


DoorCommand: TypeAlias = AskPolicies | Register | SignIn | SignInByLink | Recover
"""Commands that may come before `hello` too."""
AccountCommand: TypeAlias = (
    DoorCommand
    | AskAccount
    | Rename
    | ChangePassword
    | RenewCodes
    | AskSessions
    | AskSignInLink
    | SignOut
    | EndSession
    | EndOtherSessions
    | CreateToken
    | AskTokens
    | RevokeToken
    | AskExport
    | DeleteAccount
    | CreateInvitation
)


# Answers


class Policies(Made):
    """The answer to `ask_policies`."""

    type: Literal["policies"] = "policies"
    id: CommandId
    guests: bool
    """Whether one may play without an account."""
    registration: Registration
    chat: ChatPolicy
    """Who may write chat lines."""
    tournaments: Creators = "everybody"
    """Who may create tournaments: everybody, players with an account, or administrators."""
    passkeys: bool = False
    """Whether passkeys work at the address by which this connection came: a host name by https, or localhost."""
    oidc: str = ""
    """The name of the provider at which one may sign in; empty for none."""


class Registered(Made):
    """The answer to `register`: the player, as which a guest goes on, and the recovery codes, which are shown once."""

    type: Literal["registered"] = "registered"
    id: CommandId
    player: Player
    token: Token = Field(repr=False)
    """The token of the session that begins. A guest's token from before is not valid any more."""
    codes: tuple[str, ...] = Field(repr=False)


class SignedIn(Made):
    """The answer to `sign_in` and `recover`: the token with which the next `hello` is this player."""

    type: Literal["signed_in"] = "signed_in"
    id: CommandId
    player: Player
    token: Token = Field(repr=False)


class SignInLink(Made):
    """The answer to `ask_sign_in_link`: the page's address with the code, and the rows of its QR code, `1` is dark."""

    type: Literal["sign_in_link"] = "sign_in_link"
    id: CommandId
    link: str = Field(repr=False)
    qr: tuple[str, ...] = Field(repr=False)
    expires: Milliseconds


class OldName(Made):
    """A name that an account has had, until the time `until`."""

    name: str
    until: Milliseconds


class Account(Made):
    """The answer to `ask_account` and `rename`. Of a guest it has the player and the scopes alone.

    Times are wall-clock milliseconds since 1970, here and in all messages about accounts.
    """

    type: Literal["account"] = "account"
    id: CommandId
    player: Player
    has_account: bool
    role: Role
    scopes: tuple[Scope, ...]
    """What this connection's token permits."""
    is_session: bool
    """Whether it is a session, which may change the account; a personal token may not."""
    since: Milliseconds | None = None
    """The time of the registration; null for a guest."""
    codes_left: int = 0
    """Recovery codes that are not used."""
    has_password: bool = False
    passkeys: int = 0
    is_linked: bool = False
    """Whether an identity at the provider signs in to it."""
    old_names: tuple[OldName, ...] = ()


class RecoveryCodes(Made):
    """The answer to `renew_codes`."""

    type: Literal["recovery_codes"] = "recovery_codes"
    id: CommandId
    codes: tuple[str, ...] = Field(repr=False)


class SessionInfo(Made):
    """One session; `seen` is when it was last used to connect, to within an hour."""

    session: Key
    label: str
    created: Milliseconds
    seen: Milliseconds
    is_current: bool


class Sessions(Made):
    """The answer to `ask_sessions`, the newest first."""

    type: Literal["sessions"] = "sessions"
    id: CommandId
    sessions: tuple[SessionInfo, ...]


class PersonalToken(Made):
    """One personal token, without its secret."""

    token: Key
    """Its id, for `revoke_token`."""
    label: str
    scopes: tuple[Scope, ...]
    created: Milliseconds
    seen: Milliseconds
    expires: Milliseconds


class Tokens(Made):
    """The answer to `ask_tokens`, the newest first."""

    type: Literal["tokens"] = "tokens"
    id: CommandId
    tokens: tuple[PersonalToken, ...]


class TokenCreated(Made):
    """The answer to `create_token`. The `secret` cannot be read again."""

    type: Literal["token_created"] = "token_created"
    id: CommandId
    secret: Token = Field(repr=False)
    token: PersonalToken


class Export(Made):
    """The answer to `ask_export`: one line of JSON. All parts in order, a line each, are one archive (JSON Lines)."""

    type: Literal["export"] = "export"
    id: CommandId
    text: str = Field(repr=False)
    more: Key | None
    """Cursor of the next part; null on the last one."""


class InvitationCreated(Made):
    """The answer to `create_invitation`."""

    type: Literal["invitation_created"] = "invitation_created"
    id: CommandId
    code: str = Field(repr=False)
    uses: int
    expires: Milliseconds


AccountAnswer: TypeAlias = (
    Policies
    | Registered
    | SignedIn
    | SignInLink
    | Account
    | RecoveryCodes
    | Sessions
    | Tokens
    | TokenCreated
    | Export
    | InvitationCreated
)
