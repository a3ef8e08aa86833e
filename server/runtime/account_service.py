"""The account service: carries out and answers the commands about accounts, sessions and tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Final, TypeAlias, assert_never

from cornered.protocol.account import (
    Account,
    AskAccount,
    AskPolicies,
    AskSessions,
    AskSignInLink,
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
    Rename,
    RenewCodes,
    RevokeToken,
    SessionInfo,
    Sessions,
    SignedIn,
    SignIn,
    SignInByLink,
    SignOut,
    TokenCreated,
    Tokens,
)
from cornered.protocol.credentials import PasskeyProof
from cornered.protocol.messages import Acknowledged, ServerMessage
from cornered.protocol.oidc import BeginOidc, FinishOidc, OidcBegun, OidcDoorCommand, UnlinkOidc
from cornered.protocol.passkeys import (
    AddPasskey,
    AskPasskeyChallenge,
    AskPasskeys,
    PasskeyDoorCommand,
    PasskeyInfo,
    RegisterByPasskey,
    RemovePasskey,
    SignInByPasskey,
)
from cornered.protocol.passkeys import Passkeys as PasskeyList
from cornered.server.accounts import (
    MAX_OLD_NAMES,
    MAX_PASSKEYS,
    MAX_TOKENS,
    NO_PASSWORD,
    AccountRecord,
    Accounts,
    AccountsBusy,
    AccountsUnavailable,
    AlreadyRegistered,
    BadInvitation,
    Identity,
    IdentityTaken,
    LastWayIn,
    NameTaken,
    NewSession,
    Passkey,
    StaleAccount,
    TokenRecord,
    TooMany,
    UnknownPlayer,
    account_called,
    is_name_claimed,
)
from cornered.server.lobby.names import comparison_key
from cornered.server.metrics import Counts
from cornered.server.passkeys import PasskeyVerifier
from cornered.server.passwords import Passwords, PasswordsBusy
from cornered.server.refusal import Refusal
from cornered.server.runtime.codes import check_password, code_digest, invitation_digest, new_code, new_codes
from cornered.server.runtime.device_links import DeviceLinks
from cornered.server.runtime.hashing import Hashing, too_busy
from cornered.server.runtime.limits import Limits
from cornered.server.runtime.oidc_visits import OidcVisits
from cornered.server.runtime.passkey_proofs import PasskeyProofs
from cornered.server.runtime.provider_sign_ins import ProviderSignIns
from cornered.server.runtime.registrations import Registrations
from cornered.server.runtime.sign_ins import Attempt, SignIns, address_digest
from cornered.server.runtime.signed_texts import TextSigner
from cornered.server.runtime.visits import Visit, Visits

__all__ = ["NEW_SESSION_MS", "AccountService", "ManagedCommand", "VisitorsCommand"]

DAY_MS: Final = 24 * 60 * 60 * 1000
NEW_SESSION_MS: Final = 10 * 60 * 1000
"""The age up to which a session confirms by itself what its account has no password or passkey for."""
BUSY_RETRY_MS: Final = 2_000
"""`retry_after` where a change at another node holds what this one needs."""
VisitorsCommand: TypeAlias = DoorCommand | PasskeyDoorCommand | OidcDoorCommand
"""The commands that may come before hello too."""
ManagedCommand: TypeAlias = (
    AskAccount
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
    | DeleteAccount
    | CreateInvitation
    | AskPasskeys
    | AddPasskey
    | RemovePasskey
    | UnlinkOidc
)
"""The commands of those who have said hello."""


class AccountService:
    """The accounts of all nodes, as the clients of this one reach them."""

    def __init__(
        self,
        accounts: Accounts,
        passwords: Passwords,
        limits: Limits,
        counts: Counts,
        visits: Visits,
        secret: bytes,
        *,
        clean_name: Callable[[str], str],
        now: Callable[[], int],
        passkeys: PasskeyVerifier | None = None,
        oidc: OidcVisits | None = None,
        draw_qr: Callable[[str], Awaitable[tuple[str, ...]]],
    ) -> None:
        """`secret` is the store's, and `draw_qr` returns the rows of a link's QR code.

        `clean_name` raises a Refusal for a forbidden name; `now` is the time in milliseconds since 1970.
        """
        self._accounts = accounts
        self._limits = limits
        self._counts = counts
        self._visits = visits
        self._now = now
        self._sign_ins = SignIns(limits)
        self._hashing = Hashing(passwords, limits)
        self._registrations = Registrations(accounts, limits, counts, visits, clean_name=clean_name, now=now)
        signer = TextSigner(secret, now=now)
        self._passkeys = PasskeyProofs(accounts, passkeys, signer, now=now)
        self._links = DeviceLinks(accounts, signer, self._sign_ins, draw_qr, now=now)
        self._provider = None if oidc is None else ProviderSignIns(accounts, oidc, self._registrations, now=now)

    async def answer(self, command: VisitorsCommand | ManagedCommand, visit: Visit) -> ServerMessage:
        """Carry out a command and return its answer. Raises Refusal."""
        with _refusing():
            if isinstance(command, ManagedCommand):
                if visit.identity is None:
                    raise Refusal("hello_first", "the first message must be `hello`")
                return await self._manage(command, visit, visit.identity)
            match command:
                case AskPolicies():
                    return self._policies(command, visit)
                case Register():
                    return await self._register(command, visit)
                case SignIn():
                    return await self._sign_in(command, visit)
                case SignInByLink():
                    return await self._sign_in_by_link(command, visit)
                case Recover():
                    return await self._recover(command, visit)
                case AskPasskeyChallenge():
                    return await self._passkeys.challenge(command, visit)
                case RegisterByPasskey():
                    return await self._register_by_passkey(command, visit)
                case SignInByPasskey():
                    return await self._sign_in_by_passkey(command, visit)
                case BeginOidc():
                    return await self._begin_oidc(command, visit)
                case FinishOidc():
                    return await self._finish_oidc(command, visit)
                case _:
                    assert_never(command)

    def _policies(self, command: AskPolicies, visit: Visit) -> Policies:
        settings = self._limits.settings
        return Policies(
            id=command.id,
            guests=settings.guests,
            registration=settings.registration,
            tournaments=settings.tournaments,
            chat=settings.chat,
            passkeys=self._passkeys.are_offered(visit),
            oidc="" if self._provider is None else self._provider.visits.name,
        )

    def check_chat(self, identity: Identity) -> None:
        """Raise a Refusal where this player writes no chat lines."""
        policy = self._limits.settings.chat
        if policy == "nobody":
            raise Refusal("no_chat", "there is no chat on this server")
        if policy == "accounts" and not identity.has_account:
            raise Refusal("no_account", "only players with an account write here; register or sign in")

    # Commands that may come before hello

    async def _register(self, command: Register, visit: Visit) -> Registered:
        registrations = self._registrations
        registrations.check_policy(command.invitation)
        registrations.check_player(visit)
        await registrations.check_claim(command.name, visit)
        check_password(command.password, command.name)
        stored = await self._hashing.hash(command.password, visit)
        new = registrations.draft(command.name, stored, label=command.label, invitation=command.invitation)
        return await registrations.store(command.id, new, visit)

    async def _register_by_passkey(self, command: RegisterByPasskey, visit: Visit) -> Registered:
        registrations = self._registrations
        registrations.check_policy(command.invitation)
        registrations.check_player(visit)
        await registrations.check_claim(command.name, visit)
        passkey = await self._passkeys.created(command.passkey, "register", visit, command.passkey_label)
        new = registrations.draft(command.name, NO_PASSWORD, label=command.label, invitation=command.invitation)
        return await registrations.store(command.id, replace(new, passkey=passkey), visit)

    async def _sign_in(self, command: SignIn, visit: Visit) -> SignedIn:
        known = await account_called(self._accounts, command.name)
        async with self._attempt(command.name, known, visit) as attempt:
            is_right = await self._hashing.verify(
                known, command.password, visit, is_known_address=attempt.is_known_address
            )
            if known is None or not is_right:
                raise Refusal("bad_credentials", "the name or the password is wrong")
            attempt.succeeded()
        session = NewSession(command.label, self._now(), address_digest(known.player.id, visit.key))
        identity, token = await self._accounts.sign_in(known.player.id, known.hash, session)
        self._counts.signed_in("good")
        return SignedIn(id=command.id, player=identity.player, token=token)

    async def _sign_in_by_passkey(self, command: SignInByPasskey, visit: Visit) -> SignedIn:
        with self._counted(), self._sign_ins.attempt(f"passkey {command.passkey.credential}", visit.address, "") as one:
            passkey, count = await self._passkeys.proven(command.passkey, "sign_in", visit)
            session = NewSession(command.label, self._now(), address_digest(passkey.player, visit.key))
            try:
                identity, token = await self._accounts.enter_by_passkey(passkey, count, session)
            except StaleAccount:
                # It is closed, deleted or without this passkey by now: nothing that others are told.
                raise Refusal("bad_credentials", "this passkey is not known here; sign in another way") from None
            one.succeeded()
        self._counts.signed_in("good")
        return SignedIn(id=command.id, player=identity.player, token=token)

    async def _begin_oidc(self, command: BeginOidc, visit: Visit) -> OidcBegun:
        provider = self._require_provider()
        if command.purpose == "link" and visit.identity is not None:
            known = await self._required(visit.identity)
            # An account that only the provider signs in to has nothing to confirm with, and takes no second identity.
            if known.has_password or known.passkeys:
                await self._confirm(command.password, command.proof, visit.identity, visit)
        return provider.visits.begin(command, visit)

    async def _finish_oidc(self, command: FinishOidc, visit: Visit) -> SignedIn | Registered | Acknowledged:
        with self._counted():
            answer = await self._require_provider().finish(command, visit)
        if isinstance(answer, SignedIn):
            self._counts.signed_in("good")
        return answer

    def _require_provider(self) -> ProviderSignIns:
        if self._provider is None:
            raise Refusal("no_oidc", "this server signs nobody in at a provider")
        return self._provider

    async def _sign_in_by_link(self, command: SignInByLink, visit: Visit) -> SignedIn:
        with self._counted():
            answer = await self._links.enter(command, visit)
        self._counts.signed_in("good")
        return answer

    async def _recover(self, command: Recover, visit: Visit) -> SignedIn:
        check_password(command.password, command.name)
        known = await account_called(self._accounts, command.name)
        async with self._attempt(command.name, known, visit) as attempt:
            stored = await self._hashing.hash(command.password, visit, is_known_address=attempt.is_known_address)
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
        known_address = visit.key if is_known else ""
        with self._counted(), self._sign_ins.attempt(comparison_key(name), visit.address, known_address) as attempt:
            yield attempt

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count the refusals of attempts to sign in."""
        try:
            yield
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
                check_password(command.password, identity.player.name)
                known = await self._confirm(command.old, command.proof, identity, visit)
                stored = await self._hashing.hash(command.password, visit)
                await self._accounts.change_password(player, known.hash, stored, by)
                return Acknowledged(id=command.id)
            case RenewCodes():
                known = await self._confirm(command.password, command.proof, identity, visit)
                codes = new_codes()
                await self._accounts.renew_codes(player, known.hash, tuple(map(code_digest, codes)), by)
                return RecoveryCodes(id=command.id, codes=codes)
            case AskSessions():
                records = await self._accounts.tokens(player)
                sessions = (_session_info(one, by) for one in records if one.is_session)
                return Sessions(id=command.id, sessions=tuple(sessions))
            case AskSignInLink():
                await self._required(identity)
                self._links.check_page(visit)
                await self._confirm(command.password, command.proof, identity, visit)
                return await self._links.show(command, identity, visit)
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
                return await self._create_token(command, identity, visit)
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
                else:
                    known = await self._confirm(command.password, command.proof, identity, visit)
                    await self._accounts.delete(player, known.hash, by)
                return Acknowledged(id=command.id)
            case CreateInvitation():
                return await self._create_invitation(command, identity)
            case AskPasskeys():
                return await self._list_passkeys(command, player)
            case AddPasskey():
                known = await self._confirm(command.password, command.proof, identity, visit)
                new = await self._passkeys.created(command.passkey, "add", visit, command.label)
                try:
                    await self._accounts.add_passkey(player, known.hash, new, by)
                except TooMany:
                    text = f"an account has at most {MAX_PASSKEYS} passkeys; remove one first"
                    raise Refusal("busy", text) from None
                return await self._list_passkeys(command, player)
            case RemovePasskey():
                if not await self._accounts.remove_passkey(player, command.passkey, by):
                    raise Refusal("unknown_passkey", "you have no such passkey; it may be removed already")
                return Acknowledged(id=command.id)
            case UnlinkOidc():
                if not await self._accounts.unlink(player, by):
                    raise Refusal("no_oidc", "your account is not linked; it may be unlinked already")
                return Acknowledged(id=command.id)
            case _:
                assert_never(command)

    async def _list_passkeys(self, command: AskPasskeys | AddPasskey, player: str) -> PasskeyList:
        found = await self._accounts.passkeys(player)
        return PasskeyList(id=command.id, passkeys=tuple(map(_passkey_info, found)))

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
            has_password=known.has_password,
            passkeys=known.passkeys,
            is_linked=known.is_linked,
            old_names=tuple(OldName(name=one.name, until=one.until) for one in known.old_names),
        )

    async def _rename(self, command: Rename, identity: Identity) -> None:
        known = await self._required(identity)
        self._registrations.check_name(command.name, known.player.id)
        if await is_name_claimed(self._accounts, command.name, known.player.id):
            raise NameTaken
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

    async def _create_token(self, command: CreateToken, identity: Identity, visit: Visit) -> TokenCreated:
        if not set(command.scopes) <= set(identity.scopes):
            raise Refusal("not_permitted", "a token permits no more than you may do yourself")
        await self._confirm(command.password, command.proof, identity, visit)
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
            await self._accounts.invite(invitation_digest(code), command.uses, now, expires, known.player.id)
        except TooMany:
            raise Refusal("busy", "there are too many invitations; wait until some are used or expire") from None
        return InvitationCreated(id=command.id, code=code, uses=command.uses, expires=expires)

    # Parts of commands

    async def _required(self, identity: Identity) -> AccountRecord:
        known = await self._accounts.account(identity.player.id)
        if known is None:
            raise Refusal("no_account", "this is for players with an account; register first")
        return known

    async def _confirm(
        self, password: str | None, proof: PasskeyProof | None, identity: Identity, visit: Visit
    ) -> AccountRecord:
        """Return the account of a session whose password or passkey this is; attempts are bounded for the account.

        An account that has neither, since only the provider signs in to it, is confirmed by a new sign-in there. Raises
        Refusal.
        """
        known = await self._required(identity)
        if not (known.has_password or known.passkeys):
            records = await self._accounts.tokens(known.player.id)
            # A session by a link began with another session's consent alone.
            began = [one.created for one in records if one.id == identity.session and not one.parent]
            if not began or self._now() - began[0] > NEW_SESSION_MS:
                raise Refusal("sign_in_again", "sign in at the provider again, and do this within ten minutes")
            return known
        if proof is None and password is None:
            raise Refusal("bad_credentials", "this needs your password, or a passkey")
        # All sessions of the account together have so many: a session may make others by links.
        with self._sign_ins.attempt(known.player.id, visit.address, "any session") as attempt:
            if proof is not None:
                passkey, count = await self._passkeys.proven(proof, "confirm", visit)
                await self._accounts.count_passkey(passkey, count, self._now())
            elif password is None or not await self._hashing.verify(
                known, password, visit, is_known_address=attempt.is_known_address
            ):
                raise Refusal("bad_credentials", "the password is wrong")
            attempt.succeeded()
        return known


@contextmanager
def _refusing() -> Iterator[None]:
    """Turn what the store and the threads raise into refusals."""
    try:
        yield
    except NameTaken:
        raise Refusal("name_taken", "this name is taken or reserved; choose another") from None
    except AlreadyRegistered:
        raise Refusal("already_registered", "you have an account already") from None
    except IdentityTaken:
        raise Refusal("passkey_known", "this is an account's already; sign in with it") from None
    except LastWayIn:
        text = "this is your last way to sign in; add a passkey or set a password first"
        raise Refusal("last_way_in", text) from None
    except TooMany:
        text = "too many people do this just now; try again in a moment"
        raise Refusal("busy", text, retry_after=BUSY_RETRY_MS) from None
    except BadInvitation:
        raise Refusal("bad_invitation", "this invitation is wrong, used up or past its time; ask for another") from None
    except (StaleAccount, UnknownPlayer):
        raise Refusal("conflict", "your account was changed at the same time; look at it and try again") from None
    except PasswordsBusy as busy:
        raise too_busy(busy.retry_after) from None
    except AccountsBusy:
        text = "another change of accounts takes too long just now; try again in a moment"
        raise Refusal("busy", text, retry_after=BUSY_RETRY_MS) from None
    except AccountsUnavailable:
        raise Refusal("internal", "the server cannot look up accounts just now; try again") from None


def _passkey_info(passkey: Passkey) -> PasskeyInfo:
    return PasskeyInfo(
        passkey=passkey.id, label=passkey.label, site=passkey.site, created=passkey.created, used=passkey.used
    )


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
