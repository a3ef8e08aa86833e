"""The port of accounts: players, the tokens that authenticate them, and the names and passwords of those that have any.

Every change says what it was decided on (`was`) and which session decided it (`by`). Where that is not so any more,
nothing is changed: of two commands that concern each other, on whatever nodes, one wins.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, TypeAlias

from cornered.protocol.account import Role, Scope
from cornered.protocol.text import comparison_keys
from cornered.protocol.values import Player, PlayerKind

__all__ = [
    "ALL_SCOPES",
    "DELETED_NAME",
    "MAX_KNOWN_ADDRESSES",
    "MAX_LIVE_INVITATIONS",
    "MAX_OLD_NAMES",
    "MAX_PASSKEYS",
    "MAX_SESSIONS",
    "MAX_SPENT",
    "MAX_TOKENS",
    "NO_PASSWORD",
    "PLAIN_SCOPES",
    "AccountEnd",
    "AccountRecord",
    "Accounts",
    "AccountsBusy",
    "AccountsUnavailable",
    "AlreadyRegistered",
    "BadInvitation",
    "FormerName",
    "Identity",
    "IdentityTaken",
    "LastWayIn",
    "NameTaken",
    "NewAccount",
    "NewKey",
    "NewSession",
    "Passkey",
    "Revocation",
    "StaleAccount",
    "TokenRecord",
    "TooMany",
    "UnknownPlayer",
    "account_called",
    "is_name_claimed",
]

AccountEnd: TypeAlias = Literal["closed", "deleted"]
"""How a player ceases to be able to come in."""
PLAIN_SCOPES: Final[tuple[Scope, ...]] = ("play", "bot", "read")
"""What the token of a guest, and of a session of an account without a role, permits."""
ALL_SCOPES: Final[tuple[Scope, ...]] = (*PLAIN_SCOPES, "admin")
DELETED_NAME: Final = "deleted"
"""The name of a deleted player."""
MAX_SESSIONS: Final = 32
"""Sessions of one account: a new one ends that which was unused for the longest time."""
MAX_TOKENS: Final = 32
"""Personal tokens of one account."""
MAX_OLD_NAMES: Final = 8
"""Former names of one account, besides the present one."""
MAX_PASSKEYS: Final = 16
"""Passkeys of one account."""
MAX_SPENT: Final = 20_000
"""Challenges and codes that are remembered as used, until they would be past their time anyway."""
NO_PASSWORD: Final = "none"
"""The hash of an account without a password, which no password matches."""
MAX_KNOWN_ADDRESSES: Final = 16
"""Addresses from which an account was signed in to, the newest ones."""
MAX_LIVE_INVITATIONS: Final = 1_000
"""Invitations that are neither used up nor past their time."""


class AccountsUnavailable(Exception):
    """The store of accounts is unreachable."""


class AccountsBusy(AccountsUnavailable):
    """A change waits for one of another node that takes too long: nothing was changed, and a retry may succeed."""


class UnknownPlayer(LookupError):
    """There is no player with this id."""


class NameTaken(Exception):
    """The name is another account's, or was one."""


class AlreadyRegistered(Exception):
    """The player has an account."""


class BadInvitation(Exception):
    """There is no such invitation, or it is used up or past its time."""


class TooMany(Exception):
    """The account or the server is at its limit of what was to be made."""


class IdentityTaken(Exception):
    """The passkey, or the identity at the provider, is an account's already; or the account has such an identity."""


class LastWayIn(Exception):
    """Without this the account could not be signed in to."""


class StaleAccount(Exception):
    """What the change was decided on is not so any more, or the deciding session has ended: nothing was changed."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a token authenticates: its player, and what it permits. `session` is the token's own id.

    Of a personal token `is_session` is false: it manages no account.
    """

    player: Player
    session: str = ""
    scopes: tuple[Scope, ...] = PLAIN_SCOPES
    is_session: bool = True
    has_account: bool = False
    seen: int = 0
    """When the token was last recorded as used, in milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Revocation:
    """Tokens of a player that are not valid any more: one, or all of them but `spared`, where that is not empty."""

    number: int
    player: str
    token: str = ""
    spared: str = ""

    def covers(self, player: str, token: str) -> bool:
        """Return whether a token was revoked."""
        return self.player == player and token != self.spared and self.token in ("", token)


@dataclass(frozen=True, slots=True)
class FormerName:
    """A name that an account had, until a time in milliseconds since 1970."""

    name: str
    until: int


@dataclass(frozen=True, slots=True)
class AccountRecord:
    """One account. `hash` is that of the password; times are milliseconds since 1970."""

    player: Player
    hash: str = field(repr=False)
    role: Role
    since: int
    is_closed: bool
    codes_left: int
    old_names: tuple[FormerName, ...]
    passkeys: int = 0
    is_linked: bool = False
    """Whether an identity at the provider signs in to it."""
    key: str = ""
    """The comparison key by which accounts are listed. Of a name of an earlier version it may be the key of then."""

    @property
    def has_password(self) -> bool:
        return self.hash != NO_PASSWORD


@dataclass(frozen=True, slots=True)
class NewKey:
    """A passkey to store: its id at the authenticator, the public key in COSE form, the user handle, the host name."""

    credential: str
    public_key: bytes
    count: int
    """The signature counter; an authenticator without one keeps 0."""
    handle: str
    site: str
    label: str
    at: int


@dataclass(frozen=True, slots=True)
class Passkey:
    """One passkey of a player. `id` is what its owner sees; times are milliseconds since 1970."""

    id: str
    player: str
    credential: str
    public_key: bytes
    count: int
    handle: str
    site: str
    label: str
    created: int
    used: int


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """One session or personal token without its secret. `expires` is 0 for one that does not expire."""

    id: str
    label: str
    scopes: tuple[Scope, ...]
    created: int
    seen: int
    expires: int
    is_session: bool
    parent: str = ""
    """The session that has made it, and with which it ends; empty for one that began with a sign-in."""


@dataclass(frozen=True, slots=True)
class NewAccount:
    """What a registration stores: the name with its comparison key, hashes of the password and of the codes."""

    name: str
    key: str
    hash: str = field(repr=False)
    codes: tuple[str, ...] = field(repr=False)
    at: int
    label: str = ""
    invitation: str | None = field(default=None, repr=False)
    """The digest of the invitation that is used; None where none is needed."""
    passkey: NewKey | None = None
    identity: str = ""
    """The digest of an identity at the provider; empty for none."""


@dataclass(frozen=True, slots=True)
class NewSession:
    """A sign-in: what the session is called, when it begins, and the address that is known from then on."""

    label: str
    at: int
    address: str = ""
    """A digest of the address; empty where it is not remembered."""


class Accounts(Protocol):
    """Players, accounts and tokens. Tokens are random and stored only as hashes, like all other secrets here.

    Times are milliseconds since 1970. Every method raises AccountsUnavailable when the store is unreachable.
    """

    # Players and tokens

    async def create(self, name: str, kind: PlayerKind, *, label: str = "", at: int = 0) -> tuple[Identity, str]:
        """Create a player without an account and return it with its token, which cannot be read again."""

    async def by_token(self, token: str, at: int = 0) -> Identity | None:
        """Return what a token authenticates at `at`; None for an unknown or expired one."""

    async def by_id(self, player: str) -> Player | None:
        """Return the player with this id, if there is one."""

    async def rename_guest(self, player: str, name: str) -> Player:
        """Change the name of a player without an account, and return it; one with an account keeps its name.

        Raises UnknownPlayer.
        """

    async def named(self, name: str, limit: int) -> Sequence[Player]:
        """Return up to `limit` players of this name that have a token."""

    async def is_claimed(self, key: str, player: str) -> bool:
        """Return whether the name with this comparison key is, or was, that of an account other than `player`'s."""

    async def by_ids(self, players: Collection[str]) -> Mapping[str, Player]:
        """Return the players with these ids as they are now, by id; those that do not exist are left out."""

    async def called(self, players: Collection[str]) -> Mapping[str, str]:
        """Return today's names of those of these players that have an account or are deleted, by id.

        Of others the name is the one under which they played.
        """

    async def departed(self, players: Collection[str]) -> Mapping[str, AccountEnd]:
        """Return those of these players who cannot come in any more, by id.

        Who is `deleted` is so for good; `closed` is an account that the operator has closed, or a player without an
        account who has no token.
        """

    async def touch(self, player: str, token: str, at: int) -> None:
        """Record that a token was used at `at`."""

    # Revocations

    async def revoke(self, player: str) -> bool:
        """Make all tokens of a player invalid for good; return False where it has none, or is unknown."""

    async def newest_revocation(self) -> int:
        """Return the number of the newest revocation; 0 where there is none."""

    async def revoked(self, since: int) -> Sequence[Revocation]:
        """Return the revocations after the one numbered `since`, oldest first.

        Numbers begin with 1 and have no gap, whichever process revokes. Old ones are forgotten.
        """

    # Accounts

    async def account(self, player: str) -> AccountRecord | None:
        """Return a player's account."""

    async def account_named(self, key: str) -> AccountRecord | None:
        """Return the account whose present name has this comparison key."""

    async def knows_address(self, player: str, address: str) -> bool:
        """Return whether the account was signed in to from an address, of which this is the digest."""

    async def has_code(self, player: str, code: str) -> bool:
        """Return whether the account has a recovery code with this digest."""

    async def register(self, new: NewAccount, player: str | None, by: str = "") -> tuple[Identity, str]:
        """Give a player an account, by its session `by`, or make a new player with one.

        A session of the account begins, and is returned with its token; those from before it end.

        Raises NameTaken, AlreadyRegistered, BadInvitation or StaleAccount.
        """

    async def sign_in(self, player: str, was: str, session: NewSession) -> tuple[Identity, str]:
        """Begin a session where the password's hash is still `was`; return it and its token. Raises StaleAccount."""

    async def sign_in_again(self, player: str, by: str, session: NewSession) -> tuple[Identity, str]:
        """Begin a further session where the session `by` goes on, with which it ends; return it and its token.

        Raises StaleAccount.
        """

    async def recover(
        self, player: str, was: str, code: str, new_hash: str, session: NewSession
    ) -> tuple[Identity, str]:
        """Use up the code with this digest, set the password, end all tokens, and begin a session.

        Raises StaleAccount, also where there is no such code.
        """

    async def change_password(self, player: str, was: str, new_hash: str, by: str) -> None:
        """Set the password and end all tokens but the session `by`. Raises StaleAccount."""

    async def renew_codes(self, player: str, was: str, codes: Collection[str], by: str) -> None:
        """Replace the recovery codes by those with these digests. Raises StaleAccount."""

    async def rename(self, player: str, was: str, name: str, key: str, by: str, at: int) -> Player:
        """Change the account's name from `was`; the old one stays reserved for it.

        Raises NameTaken, TooMany or StaleAccount.
        """

    async def tokens(self, player: str) -> Sequence[TokenRecord]:
        """Return a player's sessions and personal tokens, the newest first, also those that have expired."""

    async def create_token(
        self, player: str, by: str, label: str, scopes: Collection[Scope], at: int, expires: int
    ) -> tuple[TokenRecord, str]:
        """Create a personal token, which ends with the session `by`, and return it with its secret.

        Expired ones are forgotten. Raises TooMany or StaleAccount.
        """

    async def end_token(self, player: str, token: str, by: str, *, is_session: bool) -> bool:
        """End a session or a personal token by its id, with what it has made; return False where there is none.

        The session `by` stays, unless it is the one, and so does what it has made. Raises StaleAccount.
        """

    async def end_others(self, player: str, by: str) -> int:
        """End all sessions but `by`, with the tokens that they have made; return the number of sessions.

        Raises StaleAccount.
        """

    async def delete(self, player: str, was: str | None, by: str) -> None:
        """Delete a player: name, account, tokens and addresses. `was` is the password's hash, None without an account.

        The account's names are free from then on. Raises StaleAccount.
        """

    # Passkeys, and identities at the provider

    async def passkey(self, credential: str) -> Passkey | None:
        """Return the passkey with this id of an authenticator."""

    async def passkeys(self, player: str) -> Sequence[Passkey]:
        """Return a player's passkeys, the newest first."""

    async def add_passkey(self, player: str, was: str, new: NewKey, by: str) -> None:
        """Add a passkey to an account. Raises IdentityTaken, TooMany or StaleAccount."""

    async def remove_passkey(self, player: str, passkey: str, by: str) -> bool:
        """Remove a passkey by its id; return False where there is none. Raises LastWayIn or StaleAccount."""

    async def count_passkey(self, passkey: Passkey, count: int, at: int) -> None:
        """Record a use, where the counter is still the passkey's. Raises StaleAccount."""

    async def enter_by_passkey(self, passkey: Passkey, count: int, session: NewSession) -> tuple[Identity, str]:
        """Record a use as `count_passkey` does, and begin a session; return it and its token. Raises StaleAccount."""

    async def identity_holder(self, identity: str) -> str | None:
        """Return the player whose account an identity at the provider signs in to; it is given by its digest."""

    async def link(self, player: str, identity: str, by: str, at: int) -> None:
        """Have an identity sign in to an account. Raises IdentityTaken or StaleAccount."""

    async def unlink(self, player: str, by: str) -> bool:
        """Take the account's identity away; return False where it has none. Raises LastWayIn or StaleAccount."""

    async def enter_by_identity(self, identity: str, session: NewSession) -> tuple[Identity, str]:
        """Begin a session by an identity; return it and its token. Raises StaleAccount."""

    async def spend(self, digest: str, at: int, until: int) -> bool:
        """Record that a challenge or a code is used, until it is past its time; return False where it was used before.

        Raises TooMany.
        """

    # Invitations

    async def invite(self, code: str, uses: int, at: int, expires: int, by: str = "") -> None:
        """Store an invitation by its digest; those past their time are forgotten. Raises TooMany.

        It ends with the role of the player `by`, and with the account; without one it is the operator's.
        """

    # For operators

    async def accounts(self, limit: int, after: str = "", *, beginning: str = "") -> Sequence[AccountRecord]:
        """Return up to `limit` accounts by their present names' comparison keys, those after the key `after`.

        With `beginning` only those whose keys begin so.
        """

    async def seen(self, players: Collection[str]) -> Mapping[str, int]:
        """Return when a token of each of these players was last used; those without a token are left out."""

    async def set_role(self, player: str, role: Role) -> None:
        """Change an account's role; its tokens with the scope `admin` end with the role. Raises UnknownPlayer."""

    async def close_account(self, player: str, *, is_closed: bool) -> None:
        """Close an account, so that it cannot be signed in to, and end its tokens; or open it again.

        Raises UnknownPlayer.
        """

    async def add_codes(self, player: str, codes: Collection[str]) -> None:
        """Replace the recovery codes of an account, in the operator's name. Raises UnknownPlayer."""


async def account_called(accounts: Accounts, name: str) -> AccountRecord | None:
    """Return the account with a name. One of an earlier version is looked for first, by the key of then: the name may
    look like another's by today's."""
    # All are asked for: a shorter wait would tell that there is one.
    found = [await accounts.account_named(key) for key in comparison_keys(name)]
    return next((known for known in found if known is not None), None)


async def is_name_claimed(accounts: Accounts, name: str, player: str) -> bool:
    """Return whether a name is, or was, that of an account other than `player`'s."""
    return any([await accounts.is_claimed(key, player) for key in comparison_keys(name)])
