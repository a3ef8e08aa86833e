"""The account service: carries out and answers the commands about accounts, sessions and tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias, assert_never

from cornered.protocol.account import (
    Account,
    AskAccount,
    AskPolicies,
    AskSessions,
    AskTokens,
    ChangePassword,
    CreateInvitation,
    CreateToken,
    DeleteAccount,
    DoorCommand,
    EndOtherSessions,
    EndSession,
    InvitationCreated,
    OldName,
    PersonalToken,
    Policies,
    Recover,
    RecoveryCodes,
    Register,
    Registered,
    Registration,
    Rename,
    RenewCodes,
    RevokeToken,
    SessionInfo,
    Sessions,
    SignedIn,
    SignIn,
    SignOut,
    TokenCreated,
    Tokens,
)
from cornered.protocol.messages import Acknowledged, ServerMessage
from cornered.protocol.values import Player
from cornered.server.accounts import (
    MAX_OLD_NAMES,
    MAX_TOKENS,
    AccountRecord,
    Accounts,
    AccountsUnavailable,
    AlreadyRegistered,
    BadInvitation,
    Identity,
    NameTaken,
    NewAccount,
    NewSession,
    StaleAccount,
    TokenRecord,
    TooMany,
    UnknownPlayer,
)
from cornered.server.lobby.names import Names, comparison_key, is_numbered
from cornered.server.metrics import Counts
from cornered.server.passwords import Passwords, PasswordsBusy
from cornered.server.refusal import Refusal
from cornered.server.runtime.codes import check_password, code_digest, invitation_digest, new_code, new_codes
from cornered.server.runtime.limits import AddressLimits, Limits
from cornered.server.runtime.sign_ins import Attempt, SignIns, address_digest

__all__ = ["AccountService", "ManagedCommand", "Visit", "Visits"]

DAY_MS: Final = 24 * 60 * 60 * 1000
HASH_PATIENCE_SECONDS: Final = 10.0
"""How long a password may wait for its turn among those of all addresses; a longer wait is refused."""
ManagedCommand: TypeAlias = (
    AskAccount
    | Rename
    | ChangePassword
    | RenewCodes
    | AskSessions
    | SignOut
    | EndSession
    | EndOtherSessions
    | CreateToken
    | AskTokens
    | RevokeToken
    | DeleteAccount
    | CreateInvitation
)
"""The commands of those who have said hello."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Where a command comes from: the client's address, and what its token permits, None before hello."""

    key: str
    address: AddressLimits
    identity: Identity | None


class Visits(Protocol):
    """What the service tells of a change to those who are connected."""

    @property
    def names(self) -> Names:
        """The visible names of all players in the lobby."""

    def changed(self, player: Player) -> None:
        """A player has an account from now on, or another name."""


class AccountService:
    """The accounts of all nodes, as the clients of this one reach them."""

    def __init__(
        self,
        accounts: Accounts,
        passwords: Passwords,
        limits: Limits,
        counts: Counts,
        visits: Visits,
        *,
        clean_name: Callable[[str], str],
        now: Callable[[], int],
    ) -> None:
        """`clean_name` raises a Refusal for a forbidden name; `now` is the time in milliseconds since 1970."""
        self._accounts = accounts
        self._passwords = passwords
        self._limits = limits
        self._counts = counts
        self._visits = visits
        self._clean_name = clean_name
        self._now = now
        self._sign_ins = SignIns(limits)

    @property
    def registration(self) -> Registration:
        return self._limits.settings.registration

    async def answer(self, command: DoorCommand | ManagedCommand, visit: Visit) -> ServerMessage:
        """Carry out a command and return its answer. Raises Refusal."""
        with _refusing():
            if isinstance(command, AskPolicies):
                return self._policies(command)
            if isinstance(command, Register):
                return await self._register(command, visit)
            if isinstance(command, SignIn):
                return await self._sign_in(command, visit)
            if isinstance(command, Recover):
                return await self._recover(command, visit)
            if visit.identity is None:
                raise Refusal("hello_first", "the first message must be `hello`")
            return await self._manage(command, visit, visit.identity)

    def _policies(self, command: AskPolicies) -> Policies:
        settings = self._limits.settings
        return Policies(
            id=command.id,
            guests=settings.guests,
            registration=settings.registration,
            tournaments=settings.tournaments,
            chat=settings.chat,
        )

    async def check_chat(self, identity: Identity) -> None:
        """Raise a Refusal where this player writes no chat lines; a guest may have registered at another node."""
        policy = self._limits.settings.chat
        if policy == "nobody":
            raise Refusal("no_chat", "there is no chat on this server")
        if identity.has_account or policy == "everybody":
            return
        with _refusing():
            if await self._accounts.account(identity.player.id) is None:
                raise Refusal("no_account", "only players with an account write here; register or sign in")

    # At the door

    async def _register(self, command: Register, visit: Visit) -> Registered:
        identity = visit.identity
        if self.registration == "closed":
            raise Refusal("registration_closed", "no accounts are made here; ask those who run this server")
        if identity is not None and identity.has_account:
            raise _already_registered()
        if identity is not None and identity.player.kind == "bot":
            raise Refusal("not_accepted", "accounts are for people; give your bot a personal token of your account")
        if self.registration == "invitation" and command.invitation is None:
            raise Refusal("bad_invitation", "one needs an invitation to make an account here")
        player = None if identity is None else identity.player.id
        self._check_name(command.name, player)
        check_password(command.password, command.name)
        if await self._accounts.is_claimed(comparison_key(command.name), player or ""):
            # Before the work: the store decides again.
            raise NameTaken
        codes = new_codes()
        stored = await self._hash(command.password, visit)
        new = NewAccount(
            command.name,
            comparison_key(command.name),
            stored,
            tuple(map(code_digest, codes)),
            self._now(),
            label=command.label,
            invitation=_digest_of(command) if self.registration == "invitation" else None,
        )
        known, token = await self._accounts.register(new, player, identity.session if identity else "")
        self._counts.registrations += 1
        if identity is not None:
            self._visits.changed(known.player)
        return Registered(id=command.id, player=known.player, token=token, codes=codes)

    async def _sign_in(self, command: SignIn, visit: Visit) -> SignedIn:
        known = await self._accounts.account_named(comparison_key(command.name))
        async with self._attempt(command.name, known, visit) as attempt:
            is_right = await self._verify(known, command.password, visit)
            if known is None or not is_right:
                raise Refusal("bad_credentials", "the name or the password is wrong")
            attempt.succeeded()
        session = NewSession(command.label, self._now(), address_digest(known.player.id, visit.key))
        identity, token = await self._accounts.sign_in(known.player.id, known.hash, session)
        self._counts.signed_in("good")
        return SignedIn(id=command.id, player=identity.player, token=token)

    async def _recover(self, command: Recover, visit: Visit) -> SignedIn:
        check_password(command.password, command.name)
        known = await self._accounts.account_named(comparison_key(command.name))
        async with self._attempt(command.name, known, visit) as attempt:
            stored = await self._hash(command.password, visit)
            player = "" if known is None else known.player.id
            code = code_digest(command.code)
            is_right = await self._accounts.has_code(player, code)
            if known is None or known.is_closed or not is_right:
                raise Refusal("bad_credentials", "the name or the code is wrong")
            attempt.succeeded()
        session = NewSession(command.label, self._now(), address_digest(player, visit.key))
        identity, token = await self._accounts.recover(player, known.hash, code, stored, session)
        self._counts.signed_in("good")
        return SignedIn(id=command.id, player=identity.player, token=token)

    @asynccontextmanager
    async def _attempt(self, name: str, known: AccountRecord | None, visit: Visit) -> AsyncIterator[Attempt]:
        """Bound and count an attempt to sign in. Raises Refusal."""
        player = "" if known is None else known.player.id
        is_known = await self._accounts.knows_address(player, address_digest(player, visit.key))
        try:
            with self._sign_ins.attempt(comparison_key(name), visit.address, visit.key if is_known else "") as attempt:
                yield attempt
        except Refusal as refusal:
            outcomes = {"bad_credentials": "wrong", "too_fast": "slowed", "busy": "busy"}
            self._counts.signed_in(outcomes.get(refusal.code, refusal.code))
            raise

    # After hello

    async def _manage(self, command: ManagedCommand, visit: Visit, identity: Identity) -> ServerMessage:
        player, by = identity.player.id, identity.session
        match command:
            case AskAccount():
                return await self._account(command, identity)
            case Rename():
                await self._rename(command, identity)
                return await self._account(command, identity)
            case ChangePassword():
                known = await self._confirm(command.old, identity, visit)
                check_password(command.password, known.player.name)
                stored = await self._hash(command.password, visit)
                await self._accounts.change_password(player, known.hash, stored, by)
                return Acknowledged(id=command.id)
            case RenewCodes():
                known = await self._confirm(command.password, identity, visit)
                codes = new_codes()
                await self._accounts.renew_codes(player, known.hash, tuple(map(code_digest, codes)), by)
                return RecoveryCodes(id=command.id, codes=codes)
            case AskSessions():
                records = await self._accounts.tokens(player)
                sessions = (_session_info(one, by) for one in records if one.is_session)
                return Sessions(id=command.id, sessions=tuple(sessions))
            case SignOut():
                await self._accounts.end_token(player, by, by, is_session=True)
                return Acknowledged(id=command.id)
            case EndSession():
                if not await self._accounts.end_token(player, command.session, by, is_session=True):
                    raise Refusal("unknown_session", "you have no such session; it may have ended already")
                return Acknowledged(id=command.id)
            case EndOtherSessions():
                await self._accounts.end_others(player, by)
                return Acknowledged(id=command.id)
            case CreateToken():
                return await self._create_token(command, identity)
            case AskTokens():
                now = self._now()
                records = await self._accounts.tokens(player)
                personal = (_personal(one) for one in records if not one.is_session and one.expires > now)
                return Tokens(id=command.id, tokens=tuple(personal))
            case RevokeToken():
                if not await self._accounts.end_token(player, command.token, by, is_session=False):
                    raise Refusal("unknown_token", "you have no such token; it may be revoked already")
                return Acknowledged(id=command.id)
            case DeleteAccount():
                if not identity.has_account and await self._accounts.account(player) is None:
                    await self._accounts.delete(player, None, by)
                elif command.password is None:
                    raise Refusal("bad_credentials", "an account is deleted with its password")
                else:
                    known = await self._confirm(command.password, identity, visit)
                    await self._accounts.delete(player, known.hash, by)
                return Acknowledged(id=command.id)
            case CreateInvitation():
                return await self._create_invitation(command, identity)
            case _:
                assert_never(command)

    async def _account(self, command: AskAccount | Rename, identity: Identity) -> Account:
        known = await self._accounts.account(identity.player.id)
        if known is None:
            return Account(
                id=command.id,
                player=identity.player,
                has_account=False,
                role="player",
                scopes=identity.scopes,
                is_session=identity.is_session,
            )
        return Account(
            id=command.id,
            player=known.player,
            has_account=True,
            role=known.role,
            scopes=identity.scopes,
            is_session=identity.is_session,
            since=known.since,
            codes_left=known.codes_left,
            old_names=tuple(OldName(name=one.name, until=one.until) for one in known.old_names),
        )

    async def _rename(self, command: Rename, identity: Identity) -> None:
        known = await self._required(identity)
        self._check_name(command.name, known.player.id)
        try:
            player = await self._accounts.rename(
                known.player.id,
                known.player.name,
                command.name,
                comparison_key(command.name),
                identity.session,
                self._now(),
            )
        except TooMany:
            text = f"an account has at most {MAX_OLD_NAMES} names besides its own; take one of yours again"
            raise Refusal("busy", text) from None
        self._visits.changed(player)

    async def _create_token(self, command: CreateToken, identity: Identity) -> TokenCreated:
        await self._required(identity)
        if not set(command.scopes) <= set(identity.scopes):
            raise Refusal("not_permitted", "a token permits no more than you may do yourself")
        now = self._now()
        try:
            record, secret = await self._accounts.create_token(
                identity.player.id,
                identity.session,
                command.label,
                command.scopes,
                now,
                now + command.days * DAY_MS,
            )
        except TooMany:
            raise Refusal("busy", f"an account has at most {MAX_TOKENS} tokens; revoke one first") from None
        return TokenCreated(id=command.id, secret=secret, token=_personal(record))

    async def _create_invitation(self, command: CreateInvitation, identity: Identity) -> InvitationCreated:
        known = await self._accounts.account(identity.player.id)
        if known is None or known.role != "admin":
            # The role may have ended since the hello.
            raise Refusal("not_permitted", "invitations are made by administrators")
        now = self._now()
        code, expires = new_code(), now + command.days * DAY_MS
        try:
            await self._accounts.invite(invitation_digest(code), command.uses, now, expires)
        except TooMany:
            raise Refusal("busy", "there are too many invitations; wait until some are used or expire") from None
        return InvitationCreated(id=command.id, code=code, uses=command.uses, expires=expires)

    # Parts of commands

    async def _required(self, identity: Identity) -> AccountRecord:
        known = await self._accounts.account(identity.player.id)
        if known is None:
            raise Refusal("no_account", "this is for players with an account; register first")
        return known

    async def _confirm(self, password: str, identity: Identity, visit: Visit) -> AccountRecord:
        """Return the account of a session whose password this is; attempts are bounded. Raises Refusal."""
        known = await self._required(identity)
        with self._sign_ins.attempt(known.player.id, visit.address, identity.session) as attempt:
            if not await self._verify(known, password, visit):
                raise Refusal("bad_credentials", "the password is wrong")
            attempt.succeeded()
        return known

    def _check_name(self, name: str, player: str | None) -> None:
        """Raise a Refusal where a name is reserved, or somebody else bears it just now."""
        names = self._visits.names
        self._clean_name(name)
        if is_numbered(name):
            raise Refusal("name_taken", "names with a number in parentheses are given to guests; choose another")
        if names.is_reserved(name) or names.holder(name) not in (None, player):
            raise NameTaken

    async def _hash(self, password: str, visit: Visit) -> str:
        await self._take_turn(visit)
        return await self._passwords.hash(password)

    async def _verify(self, known: AccountRecord | None, password: str, visit: Visit) -> bool:
        await self._take_turn(visit)
        stored = None if known is None or known.is_closed else known.hash
        return await self._passwords.verify(stored, password)

    async def _take_turn(self, visit: Visit) -> None:
        """Return when it is the address's turn to have a password hashed. Raises Refusal."""
        queue = self._limits.passwords
        delay = queue.delay(visit.key)
        if delay > HASH_PATIENCE_SECONDS:
            raise _busy(round(delay * 1000))
        await queue.take(visit.key)


@contextmanager
def _refusing() -> Iterator[None]:
    """Turn what the store and the threads raise into refusals."""
    try:
        yield
    except NameTaken:
        raise Refusal("name_taken", "this name is taken or reserved; choose another") from None
    except AlreadyRegistered:
        raise _already_registered() from None
    except BadInvitation:
        raise Refusal("bad_invitation", "this invitation is wrong, used up or past its time; ask for another") from None
    except (StaleAccount, UnknownPlayer):
        raise Refusal("conflict", "your account was changed at the same time; look at it and try again") from None
    except PasswordsBusy as busy:
        raise _busy(busy.retry_after) from None
    except AccountsUnavailable:
        raise Refusal("internal", "the server cannot look up accounts just now; try again") from None


def _digest_of(command: Register) -> str:
    return invitation_digest(command.invitation or "")


def _already_registered() -> Refusal:
    return Refusal("already_registered", "you have an account already")


def _busy(retry_after: int) -> Refusal:
    return Refusal("busy", "too many people sign in just now; try again in a moment", retry_after=retry_after)


def _session_info(record: TokenRecord, current: str) -> SessionInfo:
    return SessionInfo(
        session=record.id,
        label=record.label,
        created=record.created,
        seen=record.seen,
        is_current=record.id == current,
    )


def _personal(record: TokenRecord) -> PersonalToken:
    return PersonalToken(
        token=record.id,
        label=record.label,
        scopes=record.scopes,
        created=record.created,
        seen=record.seen,
        expires=record.expires,
    )
