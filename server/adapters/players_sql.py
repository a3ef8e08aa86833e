"""Players, their tokens and the revocations of these in SQLite or PostgreSQL: the part of accounts that guests need."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, delete, exists, func, insert, or_, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.protocol.account import Scope
from cornered.protocol.values import Player, PlayerKind
from cornered.server.accounts import (
    ALL_SCOPES,
    PLAIN_SCOPES,
    AccountEnd,
    AccountsBusy,
    AccountsUnavailable,
    AlreadyRegistered,
    BadInvitation,
    Identity,
    IdentityTaken,
    LastWayIn,
    NameTaken,
    Revocation,
    StaleAccount,
    TooMany,
    UnknownPlayer,
)
from cornered.server.adapters.database import STORE_ERRORS, Database
from cornered.server.adapters.tables import ACCOUNT_NAMES, ACCOUNTS_TABLE, PLAYERS_TABLE, REVOCATIONS, TOKENS
from cornered.server.adapters.tokens import digest_of, new_player_id, new_token, token_id

__all__ = [
    "KEPT_REVOCATIONS",
    "LOCK_MS",
    "SILENCE_MS",
    "SqlPlayers",
    "is_token",
    "player_of",
    "read_scopes",
    "written_scopes",
]

KEPT_REVOCATIONS: Final = 10_000
"""The newest revocations, which a node may have to look for after an outage of the store."""
DEPARTED_PAGE: Final = 500
"""Players of one query for those who have departed: SQLite bounds the number of variables."""
LOCK_MS: Final = 1_000
"""How long a change of an account waits on PostgreSQL for a lock that a change at another node holds. The node's
appends to its journal wait meanwhile: they share the writer."""
SILENCE_MS: Final = 5_000
"""How long PostgreSQL waits for the next statement of such a change; then it ends the connection, and with it the
transaction and its locks. The node may have frozen, or the network be gone."""
_LOCK_NOT_AVAILABLE: Final = "55P03"
_PATIENCE: Final = text(
    "SELECT set_config('lock_timeout', :lock, true), set_config('idle_in_transaction_session_timeout', :silence, true)"
)
_DECIDED: Final = (
    AlreadyRegistered,
    BadInvitation,
    IdentityTaken,
    LastWayIn,
    NameTaken,
    StaleAccount,
    TooMany,
    UnknownPlayer,
)
"""Refusals of a change, after which the connection is as good as before."""
_PLAYER: Final = (PLAYERS_TABLE.c.id, PLAYERS_TABLE.c.name, PLAYERS_TABLE.c.kind)
_LOCK_REVOCATIONS: Final = text("LOCK TABLE revocations IN EXCLUSIVE MODE")
"""Makes those who revoke on PostgreSQL take turns, so that no number is committed before a lower one."""
_NEXT_NUMBER: Final = select(func.coalesce(func.max(REVOCATIONS.c.number), 0) + 1).scalar_subquery()


def written_scopes(scopes: Collection[Scope]) -> str:
    """Return scopes as they are stored."""
    return " ".join(scope for scope in ALL_SCOPES if scope in scopes)


def read_scopes(stored: str) -> tuple[Scope, ...]:
    """Return stored scopes; one that this version does not know permits nothing."""
    words = stored.split()
    return tuple(scope for scope in ALL_SCOPES if scope in words)


class SqlPlayers:
    """The part of `Accounts` about players, tokens and revocations."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # At most one writer of accounts waits for the database's write lock, so that the journal's next commit waits
        # for one commit of a new guest and not for all of them.
        self._turn = asyncio.Lock()

    async def create(self, name: str, kind: PlayerKind, *, label: str = "", at: int = 0) -> tuple[Identity, str]:
        player = Player(id=new_player_id(), name=name, kind=kind)
        async with self._writing() as connection:
            await connection.execute(insert(PLAYERS_TABLE), {"id": player.id, "name": player.name, "kind": player.kind})
            return await self._begin_session(connection, player, label, at, has_account=False)

    async def by_token(self, token: str, at: int = 0) -> Identity | None:
        digest = digest_of(token)
        query = (
            select(*_PLAYER, TOKENS.c.is_session, TOKENS.c.scopes, TOKENS.c.seen, ACCOUNTS_TABLE.c.role)
            .join(TOKENS, TOKENS.c.player == PLAYERS_TABLE.c.id)
            .outerjoin(ACCOUNTS_TABLE, ACCOUNTS_TABLE.c.player == PLAYERS_TABLE.c.id)
            .where(TOKENS.c.digest == digest, or_(TOKENS.c.expires == 0, TOKENS.c.expires > at))
        )
        rows = await self._rows(query)
        if not rows:
            return None
        row = rows[0]
        scopes = read_scopes(row.scopes)
        is_admin = row.role == "admin"
        if row.is_session and is_admin:
            scopes = ALL_SCOPES
        elif not is_admin:
            scopes = tuple(scope for scope in scopes if scope != "admin")
        return Identity(
            player_of(row), token_id(digest), scopes, row.is_session, has_account=row.role is not None, seen=row.seen
        )

    async def by_id(self, player: str) -> Player | None:
        rows = await self._rows(select(*_PLAYER).where(PLAYERS_TABLE.c.id == player))
        return player_of(rows[0]) if rows else None

    async def rename_guest(self, player: str, name: str) -> Player:
        has_account = exists().where(ACCOUNTS_TABLE.c.player == player)
        async with self._writing() as connection:
            # After the lock the next statement sees a registration that was committed while this one waited.
            if await self._lock(connection, player):
                guest = update(PLAYERS_TABLE).where(PLAYERS_TABLE.c.id == player, ~has_account)
                await connection.execute(guest.values(name=name))
        renamed = await self.by_id(player)
        if renamed is None:
            raise UnknownPlayer(player)
        return renamed

    async def named(self, name: str, limit: int) -> Sequence[Player]:
        has_token = select(TOKENS.c.player).where(TOKENS.c.player == PLAYERS_TABLE.c.id).exists()
        rows = await self._rows(select(*_PLAYER).where(PLAYERS_TABLE.c.name == name, has_token).limit(limit))
        return [player_of(row) for row in rows]

    async def is_claimed(self, key: str, player: str) -> bool:
        query = select(ACCOUNT_NAMES.c.player).where(ACCOUNT_NAMES.c.key == key, ACCOUNT_NAMES.c.player != player)
        return bool(await self._rows(query))

    async def by_ids(self, players: Collection[str]) -> Mapping[str, Player]:
        if not players:
            return {}
        rows = await self._rows(select(*_PLAYER).where(PLAYERS_TABLE.c.id.in_(players)))
        return {row.id: player_of(row) for row in rows}

    async def called(self, players: Collection[str]) -> Mapping[str, str]:
        if not players:
            return {}
        query = (
            select(PLAYERS_TABLE.c.id, PLAYERS_TABLE.c.name)
            .outerjoin(ACCOUNTS_TABLE, ACCOUNTS_TABLE.c.player == PLAYERS_TABLE.c.id)
            .where(PLAYERS_TABLE.c.id.in_(players))
            .where(or_(PLAYERS_TABLE.c.deleted.is_(True), ACCOUNTS_TABLE.c.player.is_not(None)))
        )
        return {row.id: row.name for row in await self._rows(query)}

    async def departed(self, players: Collection[str]) -> Mapping[str, AccountEnd]:
        known, found = list(players), dict[str, AccountEnd]()
        has_token = exists().where(TOKENS.c.player == PLAYERS_TABLE.c.id)
        query = select(PLAYERS_TABLE.c.id, PLAYERS_TABLE.c.deleted).outerjoin(
            ACCOUNTS_TABLE, ACCOUNTS_TABLE.c.player == PLAYERS_TABLE.c.id
        )
        is_shut = ACCOUNTS_TABLE.c.is_closed.is_(True) | (ACCOUNTS_TABLE.c.player.is_(None) & ~has_token)
        query = query.where(PLAYERS_TABLE.c.deleted.is_(True) | is_shut)
        for first in range(0, len(known), DEPARTED_PAGE):
            page = PLAYERS_TABLE.c.id.in_(known[first : first + DEPARTED_PAGE])
            for row in await self._rows(query.where(page)):
                found[row.id] = "deleted" if row.deleted else "closed"
        return found

    async def touch(self, player: str, token: str, at: int) -> None:
        async with self._writing() as connection:
            await connection.execute(update(TOKENS).where(is_token(player, token)).values(seen=at))

    async def revoke(self, player: str) -> bool:
        async with self._writing() as connection:
            # The same order of locks as in every change of an account.
            await self._lock(connection, player)
            deleted = await connection.execute(delete(TOKENS).where(TOKENS.c.player == player))
            if not deleted.rowcount:
                return False
            await self._record_revocation(connection, player)
        return True

    async def newest_revocation(self) -> int:
        newest = await self._rows(select(func.coalesce(func.max(REVOCATIONS.c.number), 0)))
        return int(newest[0][0])

    async def revoked(self, since: int) -> Sequence[Revocation]:
        query = select(REVOCATIONS).where(REVOCATIONS.c.number > since).order_by(REVOCATIONS.c.number)
        return [Revocation(row.number, row.player, row.token, row.spared) for row in await self._rows(query)]

    # Steps of a transaction

    async def _lock(self, connection: AsyncConnection, player: str) -> bool:
        """Take the lock that all changes of one player's account take, first of all; return whether there is one.

        On SQLite it is that of the whole database, so that what is read next is what the change is decided on.
        """
        locked = update(PLAYERS_TABLE).where(PLAYERS_TABLE.c.id == player, PLAYERS_TABLE.c.deleted.is_(False))
        return bool((await connection.execute(locked.values(kind=PLAYERS_TABLE.c.kind))).rowcount)

    async def _require_session(self, connection: AsyncConnection, player: str, by: str) -> str:
        """Return the label of a session of the player. Raises StaleAccount where it has none with the id `by`."""
        query = select(TOKENS.c.label).where(is_token(player, by), TOKENS.c.is_session.is_(True))
        row = (await connection.execute(query)).first()
        if row is None:
            raise StaleAccount
        label: str = row.label
        return label

    async def _begin_session(
        self,
        connection: AsyncConnection,
        player: Player,
        label: str,
        at: int,
        *,
        has_account: bool,
        is_admin: bool = False,
        parent: str = "",
    ) -> tuple[Identity, str]:
        token = new_token()
        digest = digest_of(token)
        row = {"digest": digest, "player": player.id, "label": label, "created": at, "seen": at, "parent": parent}
        await connection.execute(
            insert(TOKENS).values(**row, is_session=True, scopes=written_scopes(PLAIN_SCOPES), expires=0)
        )
        scopes = ALL_SCOPES if is_admin else PLAIN_SCOPES
        return Identity(player, token_id(digest), scopes, has_account=has_account, seen=at), token

    async def _record_revocation(
        self, connection: AsyncConnection, player: str, *, token: str = "", spared: str = ""
    ) -> None:
        if not self._database.is_sqlite:
            await connection.execute(_LOCK_REVOCATIONS)
        row = {"player": player, "token": token, "spared": spared}
        await connection.execute(insert(REVOCATIONS).values(number=_NEXT_NUMBER, **row))
        newest = select(func.max(REVOCATIONS.c.number)).scalar_subquery()
        await connection.execute(delete(REVOCATIONS).where(REVOCATIONS.c.number <= newest - KEPT_REVOCATIONS))

    # The store

    @contextlib.asynccontextmanager
    async def _changing(self, player: str) -> AsyncIterator[AsyncConnection]:
        """Lend a connection for one change of a player that no other change of the player overlaps.

        Raises UnknownPlayer, and what the block raises; then nothing is changed.
        """
        async with self._writing() as connection:
            if not await self._lock(connection, player):
                raise UnknownPlayer(player)
            yield connection

    @contextlib.asynccontextmanager
    async def _writing(self) -> AsyncIterator[AsyncConnection]:
        refusal: Exception | None = None
        try:
            async with self._turn, self._database.writing() as connection:
                try:
                    if not self._database.is_sqlite:
                        await connection.execute(_PATIENCE, {"lock": str(LOCK_MS), "silence": str(SILENCE_MS)})
                    yield connection
                except _DECIDED as error:
                    # The writer is the journal's too: an error in its block would have it connect anew.
                    await connection.rollback()
                    refusal = error
                except DBAPIError as error:
                    if getattr(error.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
                        raise
                    await connection.rollback()
                    refusal = AccountsBusy("a change at another node does not end")
        except IntegrityError as error:
            raise NameTaken from error
        except STORE_ERRORS as error:
            raise AccountsUnavailable("the store cannot be written") from error
        if refusal is not None:
            raise refusal

    async def _rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        try:
            async with self._database.reading() as connection:
                rows: Sequence[Row[Any]] = (await connection.execute(query)).all()
        except STORE_ERRORS as error:
            raise AccountsUnavailable("the store cannot be read") from error
        return rows


def is_token(player: str, token: str) -> ColumnElement[bool]:
    """Return the condition for the row of a player's token by its id."""
    return (TOKENS.c.player == player) & (func.substr(TOKENS.c.digest, 1, 16) == token)


def player_of(row: Row[Any]) -> Player:
    """Return the player of a row with its columns."""
    return Player(id=row.id, name=row.name, kind=row.kind)
