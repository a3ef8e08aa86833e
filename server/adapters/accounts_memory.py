"""Accounts in memory, lost with the process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from cornered.protocol.account import Role, Scope
from cornered.protocol.values import Player, PlayerKind
from cornered.server.accounts import (
    ALL_SCOPES,
    DELETED_NAME,
    MAX_KNOWN_ADDRESSES,
    MAX_LIVE_INVITATIONS,
    MAX_OLD_NAMES,
    MAX_PASSKEYS,
    MAX_SESSIONS,
    MAX_SPENT,
    MAX_TOKENS,
    NO_PASSWORD,
    PLAIN_SCOPES,
    AccountEnd,
    AccountRecord,
    AlreadyRegistered,
    BadInvitation,
    FormerName,
    Identity,
    IdentityTaken,
    LastWayIn,
    NameTaken,
    NewAccount,
    NewKey,
    NewSession,
    Passkey,
    Revocation,
    StaleAccount,
    TokenRecord,
    TooMany,
    UnknownPlayer,
)
from cornered.server.adapters.tokens import digest_of, new_player_id, new_token, token_id, with_children

__all__ = ["MemoryAccounts"]


@dataclass(slots=True)
class _Account:
    hash: str = field(repr=False)
    key: str
    since: int
    codes: set[str] = field(repr=False)
    role: Role = "player"
    is_closed: bool = False
    old: dict[str, FormerName] = field(default_factory=dict)
    """The names of before by their comparison keys."""
    addresses: OrderedDict[str, None] = field(default_factory=OrderedDict)


class MemoryAccounts:
    """Implements `Accounts`. No change waits for anything between its checks and its end."""

    def __init__(self) -> None:
        self._players: dict[str, Player] = {}
        self._deleted: set[str] = set()
        self._accounts: dict[str, _Account] = {}
        self._names: dict[str, str] = {}  # comparison key of a name, of today or of before -> player
        self._tokens: dict[str, TokenRecord] = {}  # digest -> token
        self._bearers: dict[str, str] = {}  # digest -> player
        self._invitations: dict[str, tuple[int, int, str]] = {}  # digest -> uses that are left, end, administrator
        self._revocations: list[Revocation] = []
        self._passkeys: dict[str, Passkey] = {}  # id of an authenticator -> passkey
        self._identities: dict[str, str] = {}  # digest -> player
        self._spent: dict[str, int] = {}  # digest -> end
        self.on_delete: list[Callable[[str], None]] = []
        """Called with a player who is deleted, as part of the same change."""

    # Players and tokens

    async def create(self, name: str, kind: PlayerKind, *, label: str = "", at: int = 0) -> tuple[Identity, str]:
        player = Player(id=new_player_id(), name=name, kind=kind)
        self._players[player.id] = player
        return self._begin_session(player.id, label, at)

    async def by_token(self, token: str, at: int = 0) -> Identity | None:
        digest = digest_of(token)
        record = self._tokens.get(digest)
        if record is None or 0 < record.expires <= at:
            return None
        return self._identity(self._bearers[digest], record)

    async def by_id(self, player: str) -> Player | None:
        return self._players.get(player)

    def has(self, player: str) -> bool:
        """Return whether there is such a player, who is not deleted."""
        return player in self._players and player not in self._deleted

    async def by_ids(self, players: Collection[str]) -> Mapping[str, Player]:
        return {player: self._players[player] for player in players if player in self._players}

    async def rename_guest(self, player: str, name: str) -> Player:
        known = self._players.get(player)
        if known is None:
            raise UnknownPlayer(player)
        if player not in self._accounts and player not in self._deleted:
            self._players[player] = known = known.model_copy(update={"name": name})
        return known

    async def named(self, name: str, limit: int) -> Sequence[Player]:
        bearers = set(self._bearers.values())
        found = (known for player, known in self._players.items() if player in bearers and known.name == name)
        return list(islice(found, limit))

    async def is_claimed(self, key: str, player: str) -> bool:
        return self._names.get(key, player) != player

    async def called(self, players: Collection[str]) -> Mapping[str, str]:
        named = self._accounts.keys() | self._deleted
        return {player: self._players[player].name for player in players if player in named}

    async def departed(self, players: Collection[str]) -> Mapping[str, AccountEnd]:
        found: dict[str, AccountEnd] = {}
        bearers = set(self._bearers.values())
        for player in players:
            known = self._accounts.get(player)
            if player in self._deleted:
                found[player] = "deleted"
            elif known is not None:
                if known.is_closed:
                    found[player] = "closed"
            elif player in self._players and player not in bearers:
                found[player] = "closed"
        return found

    async def touch(self, player: str, token: str, at: int) -> None:
        digest = self._find(player, token)
        if digest is not None:
            self._tokens[digest] = replace(self._tokens[digest], seen=at)

    # Revocations

    async def revoke(self, player: str) -> bool:
        digests = self._digests(player)
        if digests:
            self._drop(digests)
            self._record(player)
        return bool(digests)

    async def newest_revocation(self) -> int:
        return len(self._revocations)

    async def revoked(self, since: int) -> Sequence[Revocation]:
        return self._revocations[since:]

    # Accounts

    async def account(self, player: str) -> AccountRecord | None:
        known = self._accounts.get(player)
        return None if known is None else self._record_of(player, known)

    async def account_named(self, key: str) -> AccountRecord | None:
        player = self._names.get(key, "")
        known = self._accounts.get(player)
        return None if known is None or known.key != key else self._record_of(player, known)

    async def knows_address(self, player: str, address: str) -> bool:
        known = self._accounts.get(player)
        return known is not None and address in known.addresses

    async def has_code(self, player: str, code: str) -> bool:
        known = self._accounts.get(player)
        return known is not None and code in known.codes

    async def register(self, new: NewAccount, player: str | None, by: str = "") -> tuple[Identity, str]:
        before = [] if player is None else self._digests(player)
        label = new.label
        if player is not None:
            own = self._require_session(player, by)
            label = label or own
            if player in self._accounts:
                raise AlreadyRegistered
        uses, expires, inviter = self._invitations.get(new.invitation or "", (0, 0, ""))
        if new.invitation is not None and (uses <= 0 or expires <= new.at):
            raise BadInvitation
        if new.key in self._names:
            raise NameTaken
        if (new.passkey and new.passkey.credential in self._passkeys) or new.identity in self._identities:
            raise IdentityTaken
        if new.invitation is not None:
            self._invitations[new.invitation] = (uses - 1, expires, inviter)
        is_new = player is None
        player = player or new_player_id()
        kind: PlayerKind = "person" if is_new else self._players[player].kind
        self._players[player] = Player(id=player, name=new.name, kind=kind)
        self._accounts[player] = _Account(new.hash, new.key, new.at, set(new.codes))
        self._names[new.key] = player
        if new.passkey is not None:
            self._add_passkey(player, new.passkey)
        if new.identity:
            self._identities[new.identity] = player
        identity, token = self._begin_session(player, label, new.at)
        if not is_new:
            self._drop(before)
            self._record(player, spared=identity.session)
        return identity, token

    async def sign_in(self, player: str, was: str, session: NewSession) -> tuple[Identity, str]:
        return self._enter(player, self._require_account(player, was), session)

    async def sign_in_again(self, player: str, by: str, session: NewSession) -> tuple[Identity, str]:
        known = self._require_account(player)
        self._require_session(player, by)
        return self._enter(player, known, session, parent=by)

    async def recover(
        self, player: str, was: str, code: str, new_hash: str, session: NewSession
    ) -> tuple[Identity, str]:
        known = self._require_account(player, was)
        if code not in known.codes:
            raise StaleAccount
        known.codes.remove(code)
        known.hash = new_hash
        self._drop(self._digests(player))
        identity, token = self._enter(player, known, session)
        self._record(player, spared=identity.session)
        return identity, token

    async def change_password(self, player: str, was: str, new_hash: str, by: str) -> None:
        known = self._require_account(player, was)
        self._require_session(player, by)
        known.hash = new_hash
        self._drop([digest for digest in self._digests(player) if token_id(digest) != by])
        self._record(player, spared=by)

    async def renew_codes(self, player: str, was: str, codes: Collection[str], by: str) -> None:
        known = self._require_account(player, was)
        self._require_session(player, by)
        known.codes = set(codes)

    async def rename(self, player: str, was: str, name: str, key: str, by: str, at: int) -> Player:
        known = self._require_account(player)
        self._require_session(player, by)
        if self._players[player].name != was:
            raise StaleAccount
        if self._names.get(key, player) != player:
            raise NameTaken
        if key not in self._names and len(known.old) + 1 > MAX_OLD_NAMES:
            raise TooMany
        known.old[known.key] = FormerName(was, max(at, 1))
        known.old.pop(key, None)
        known.key = key
        self._names[key] = player
        self._players[player] = self._players[player].model_copy(update={"name": name})
        return self._players[player]

    async def tokens(self, player: str) -> Sequence[TokenRecord]:
        records = [self._tokens[digest] for digest in self._digests(player)]
        return sorted(records, key=lambda record: (-record.created, record.id))

    async def create_token(
        self, player: str, by: str, label: str, scopes: Collection[Scope], at: int, expires: int
    ) -> tuple[TokenRecord, str]:
        self._require_account(player)
        self._require_session(player, by)
        personal = [digest for digest in self._digests(player) if not self._tokens[digest].is_session]
        past = [digest for digest in personal if self._tokens[digest].expires <= at]
        if len(personal) - len(past) >= MAX_TOKENS:
            raise TooMany
        self._drop(past)
        token = new_token()
        granted = tuple(scope for scope in ALL_SCOPES if scope in scopes)
        return self._add(player, token, label, granted, at, expires, is_session=False, parent=by), token

    async def end_token(self, player: str, token: str, by: str, *, is_session: bool) -> bool:
        self._require_session(player, by)
        digest = self._find(player, token)
        if digest is None or self._tokens[digest].is_session is not is_session:
            return False
        self._end(player, [token], spared="" if token == by else by)
        return True

    async def end_others(self, player: str, by: str) -> int:
        self._require_session(player, by)
        others = [token_id(digest) for digest in self._digests(player) if self._tokens[digest].is_session]
        others = [token for token in others if token != by]
        self._end(player, others, spared=by)
        return len(others)

    async def delete(self, player: str, was: str | None, by: str) -> None:
        self._require_session(player, by)
        if was is not None:
            self._require_account(player, was)
        elif player in self._accounts:
            raise StaleAccount
        self._accounts.pop(player, None)
        for passkey in await self.passkeys(player):
            del self._passkeys[passkey.credential]
        self._unlink(player)
        for key in [key for key, owner in self._names.items() if owner == player]:
            del self._names[key]
        self._drop(self._digests(player))
        self._end_invitations(player)
        self._deleted.add(player)
        self._players[player] = self._players[player].model_copy(update={"name": DELETED_NAME})
        for forget in self.on_delete:
            forget(player)
        self._record(player)

    # Passkeys, and identities at the provider

    async def passkey(self, credential: str) -> Passkey | None:
        return self._passkeys.get(credential)

    async def passkeys(self, player: str) -> Sequence[Passkey]:
        own = [passkey for passkey in self._passkeys.values() if passkey.player == player]
        return sorted(own, key=lambda passkey: (-passkey.created, passkey.id))

    async def add_passkey(self, player: str, was: str, new: NewKey, by: str) -> None:
        self._require_account(player, was)
        self._require_session(player, by)
        if len(await self.passkeys(player)) >= MAX_PASSKEYS:
            raise TooMany
        if new.credential in self._passkeys:
            raise IdentityTaken
        self._add_passkey(player, new)

    async def remove_passkey(self, player: str, passkey: str, by: str) -> bool:
        known = self._require_account(player)
        self._require_session(player, by)
        own = await self.passkeys(player)
        found = next((one for one in own if one.id == passkey), None)
        if found is None:
            return False
        if known.hash == NO_PASSWORD and len(own) == 1 and player not in self._identities.values():
            raise LastWayIn
        del self._passkeys[found.credential]
        return True

    async def count_passkey(self, passkey: Passkey, count: int, at: int) -> None:
        known = self._passkeys.get(passkey.credential)
        if known is None or (known.player, known.count) != (passkey.player, passkey.count):
            raise StaleAccount
        self._passkeys[passkey.credential] = replace(known, count=count, used=at)

    async def enter_by_passkey(self, passkey: Passkey, count: int, session: NewSession) -> tuple[Identity, str]:
        known = self._accounts.get(passkey.player)
        if known is None or known.is_closed:
            raise StaleAccount
        await self.count_passkey(passkey, count, session.at)
        return self._enter(passkey.player, known, session)

    async def identity_holder(self, identity: str) -> str | None:
        return self._identities.get(identity)

    async def link(self, player: str, identity: str, by: str, at: int) -> None:
        self._require_account(player)
        self._require_session(player, by)
        if identity in self._identities or player in self._identities.values():
            raise IdentityTaken
        self._identities[identity] = player

    async def unlink(self, player: str, by: str) -> bool:
        known = self._require_account(player)
        self._require_session(player, by)
        is_linked = player in self._identities.values()
        if is_linked and known.hash == NO_PASSWORD and not await self.passkeys(player):
            raise LastWayIn
        self._unlink(player)
        return is_linked

    async def enter_by_identity(self, identity: str, session: NewSession) -> tuple[Identity, str]:
        player = self._identities.get(identity, "")
        known = self._accounts.get(player)
        if known is None or known.is_closed:
            raise StaleAccount
        return self._enter(player, known, session)

    async def spend(self, digest: str, at: int, until: int) -> bool:
        self._spent = {known: end for known, end in self._spent.items() if end > at}
        if len(self._spent) >= MAX_SPENT:
            raise TooMany
        if digest in self._spent:
            return False
        self._spent[digest] = until
        return True

    # Invitations

    async def invite(self, code: str, uses: int, at: int, expires: int, by: str = "") -> None:
        live = {digest: left for digest, left in self._invitations.items() if left[0] > 0 and left[1] > at}
        if len(live) >= MAX_LIVE_INVITATIONS:
            raise TooMany
        self._invitations = {**live, code: (uses, expires, by)}

    # For operators

    async def accounts(self, limit: int, after: str = "", *, beginning: str = "") -> Sequence[AccountRecord]:
        named = ((known.key, player) for player, known in self._accounts.items() if known.key > after)
        found = sorted((key, player) for key, player in named if key.startswith(beginning))
        return [self._record_of(player, self._accounts[player]) for _, player in found[:limit]]

    async def seen(self, players: Collection[str]) -> Mapping[str, int]:
        seen = {player: [self._tokens[digest].seen for digest in self._digests(player)] for player in players}
        return {player: max(times) for player, times in seen.items() if times}

    async def set_role(self, player: str, role: Role) -> None:
        self._known(player).role = role
        if role != "admin":
            own = {token_id(digest): self._tokens[digest] for digest in self._digests(player)}
            self._end(player, [token for token, record in own.items() if "admin" in record.scopes])
            self._end_invitations(player)

    async def close_account(self, player: str, *, is_closed: bool) -> None:
        self._known(player).is_closed = is_closed
        if is_closed:
            self._drop(self._digests(player))
            self._end_invitations(player)
            self._record(player)

    async def add_codes(self, player: str, codes: Collection[str]) -> None:
        self._known(player).codes = set(codes)

    # Parts of changes

    def _known(self, player: str) -> _Account:
        if player not in self._accounts:
            raise UnknownPlayer(player)
        return self._accounts[player]

    def _add_passkey(self, player: str, new: NewKey) -> None:
        self._passkeys[new.credential] = Passkey(
            token_id(digest_of(new.credential)),
            player,
            new.credential,
            new.public_key,
            new.count,
            new.handle,
            new.site,
            new.label,
            new.at,
            new.at,
        )

    def _unlink(self, player: str) -> None:
        self._identities = {identity: holder for identity, holder in self._identities.items() if holder != player}

    def _require_account(self, player: str, was: str | None = None) -> _Account:
        if player not in self._players or player in self._deleted:
            raise UnknownPlayer(player)
        known = self._accounts.get(player)
        if known is None or known.is_closed or was not in (None, known.hash):
            raise StaleAccount
        return known

    def _require_session(self, player: str, by: str) -> str:
        digest = self._find(player, by)
        if digest is None or not self._tokens[digest].is_session:
            raise StaleAccount
        return self._tokens[digest].label

    def _enter(self, player: str, known: _Account, session: NewSession, parent: str = "") -> tuple[Identity, str]:
        parents = {self._tokens[digest].parent for digest in self._digests(player)}
        own = [digest for digest in self._digests(player) if self._tokens[digest].is_session]
        own = [digest for digest in own if token_id(digest) != parent]
        own.sort(key=lambda digest: (token_id(digest) not in parents, -self._tokens[digest].seen, digest))
        surplus = own[MAX_SESSIONS - (2 if parent else 1) :]
        self._end(player, [token_id(digest) for digest in surplus], spared=parent)
        if session.address:
            known.addresses.pop(session.address, None)
            known.addresses[session.address] = None
            if len(known.addresses) > MAX_KNOWN_ADDRESSES:
                known.addresses.popitem(last=False)
        return self._begin_session(player, session.label, session.at, parent)

    def _begin_session(self, player: str, label: str, at: int, parent: str = "") -> tuple[Identity, str]:
        token = new_token()
        record = self._add(player, token, label, PLAIN_SCOPES, at, 0, is_session=True, parent=parent)
        return self._identity(player, record), token

    def _add(
        self,
        player: str,
        token: str,
        label: str,
        scopes: tuple[Scope, ...],
        at: int,
        expires: int,
        *,
        is_session: bool,
        parent: str = "",
    ) -> TokenRecord:
        digest = digest_of(token)
        self._tokens[digest] = TokenRecord(token_id(digest), label, scopes, at, at, expires, is_session, parent)
        self._bearers[digest] = player
        return self._tokens[digest]

    def _identity(self, player: str, record: TokenRecord) -> Identity:
        known = self._accounts.get(player)
        is_admin = known is not None and known.role == "admin"
        scopes = ALL_SCOPES if record.is_session and is_admin else record.scopes
        return Identity(
            self._players[player],
            record.id,
            scopes if is_admin else tuple(scope for scope in scopes if scope != "admin"),
            record.is_session,
            has_account=known is not None,
            seen=record.seen,
        )

    def _record_of(self, player: str, known: _Account) -> AccountRecord:
        old = tuple(sorted(known.old.values(), key=lambda former: former.until))
        return AccountRecord(
            self._players[player],
            known.hash,
            known.role,
            known.since,
            known.is_closed,
            len(known.codes),
            old,
            sum(passkey.player == player for passkey in self._passkeys.values()),
            player in self._identities.values(),
            known.key,
        )

    def _digests(self, player: str) -> list[str]:
        return [digest for digest, bearer in self._bearers.items() if bearer == player]

    def _find(self, player: str, token: str) -> str | None:
        return next((digest for digest in self._digests(player) if token_id(digest) == token), None)

    def _drop(self, digests: Collection[str]) -> None:
        for digest in digests:
            del self._tokens[digest], self._bearers[digest]

    def _end(self, player: str, tokens: Collection[str], *, spared: str = "") -> None:
        own = {token_id(digest): digest for digest in self._digests(player)}
        parents = {token: self._tokens[digest].parent for token, digest in own.items()}
        for token in with_children(tokens, parents, spared):
            self._drop([own[token]])
            self._record(player, token=token)

    def _end_invitations(self, player: str) -> None:
        self._invitations = {digest: one for digest, one in self._invitations.items() if one[2] != player}

    def _record(self, player: str, *, token: str = "", spared: str = "") -> None:
        self._revocations.append(Revocation(len(self._revocations) + 1, player, token, spared))
