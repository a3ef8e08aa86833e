"""The steps that transactions on accounts in SQLite or PostgreSQL are made of."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any, Final

from sqlalchemy import Row, case, delete, exists, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.server.accounts import (
    MAX_KNOWN_ADDRESSES,
    MAX_SESSIONS,
    AccountRecord,
    FormerName,
    Identity,
    NewSession,
    StaleAccount,
    UnknownPlayer,
)
from cornered.server.adapters.players_sql import SqlPlayers, is_token, player_of
from cornered.server.adapters.tables import (
    ACCOUNT_NAMES,
    ACCOUNTS_TABLE,
    IDENTITIES,
    KNOWN_ADDRESSES,
    PASSKEYS,
    PLAYERS_TABLE,
    RECOVERY_CODES,
    TOKENS,
)
from cornered.server.adapters.tokens import token_id, with_children

__all__ = ["ACCOUNT", "SqlAccountSteps", "account_of"]

_CODES_LEFT: Final = (
    select(func.count()).where(RECOVERY_CODES.c.player == ACCOUNTS_TABLE.c.player).correlate(ACCOUNTS_TABLE)
).scalar_subquery()
_PASSKEYS: Final = (
    select(func.count()).where(PASSKEYS.c.player == ACCOUNTS_TABLE.c.player).correlate(ACCOUNTS_TABLE)
).scalar_subquery()
_IDENTITIES: Final = (
    select(func.count()).where(IDENTITIES.c.player == ACCOUNTS_TABLE.c.player).correlate(ACCOUNTS_TABLE)
).scalar_subquery()
_KEY: Final = (
    select(ACCOUNT_NAMES.c.key)
    .where(ACCOUNT_NAMES.c.player == ACCOUNTS_TABLE.c.player, ACCOUNT_NAMES.c.until == 0)
    .correlate(ACCOUNTS_TABLE)
).scalar_subquery()
ACCOUNT: Final = select(
    PLAYERS_TABLE.c.id,
    PLAYERS_TABLE.c.name,
    PLAYERS_TABLE.c.kind,
    ACCOUNTS_TABLE.c.hash,
    ACCOUNTS_TABLE.c.role,
    ACCOUNTS_TABLE.c.since,
    ACCOUNTS_TABLE.c.is_closed,
    _CODES_LEFT.label("codes_left"),
    _PASSKEYS.label("passkeys"),
    _IDENTITIES.label("identities"),
    _KEY.label("name_key"),
).join(ACCOUNTS_TABLE, ACCOUNTS_TABLE.c.player == PLAYERS_TABLE.c.id)
"""An account with its player, and the numbers of its codes and of its ways to sign in besides a password."""


class SqlAccountSteps(SqlPlayers):
    """What changes of accounts have in common; every step is a part of the caller's transaction."""

    @contextlib.asynccontextmanager
    async def _changing_account(self, player: str) -> AsyncIterator[AsyncConnection]:
        """Yield a connection in a transaction for one change of an account by the operator. Raises UnknownPlayer."""
        async with self._changing(player) as connection:
            if (await connection.execute(ACCOUNT.where(PLAYERS_TABLE.c.id == player))).first() is None:
                raise UnknownPlayer(player)
            yield connection

    async def _owner(self, connection: AsyncConnection, key: str) -> str | None:
        """Return the player whose account has, or had, the name with this comparison key."""
        query = select(ACCOUNT_NAMES.c.player).where(ACCOUNT_NAMES.c.key == key)
        owner: str | None = (await connection.execute(query)).scalar()
        return owner

    async def _require_account(self, connection: AsyncConnection, player: str, was: str | None = None) -> Row[Any]:
        """Return an open account. Raises StaleAccount where it has another hash than `was`, if that is given."""
        found = await connection.execute(ACCOUNT.where(PLAYERS_TABLE.c.id == player))
        rows: list[Any] = list(found)
        if not rows or rows[0].is_closed or was not in (None, rows[0].hash):
            raise StaleAccount
        row: Row[Any] = rows[0]
        return row

    async def _enter(
        self, connection: AsyncConnection, row: Row[Any], session: NewSession, parent: str = ""
    ) -> tuple[Identity, str]:
        """Begin a session, of which an account has so many at most, and remember the address.

        `parent` is the session that lets it in. Sessions with which others would end give way last.
        """
        others = (TOKENS.c.player == row.id) & TOKENS.c.is_session.is_(True) & ~is_token(row.id, parent)
        child = TOKENS.alias()
        has_made = exists().where(child.c.player == row.id, child.c.parent == func.substr(TOKENS.c.digest, 1, 16))
        order = case((has_made, 0), else_=1), TOKENS.c.seen.desc(), TOKENS.c.digest
        newest = select(TOKENS.c.digest).where(others).order_by(*order)
        surplus = (await connection.execute(newest.offset(MAX_SESSIONS - (2 if parent else 1)))).all()
        await self._end(connection, row.id, [token_id(one.digest) for one in surplus], spared=parent)
        if session.address:
            of_account = KNOWN_ADDRESSES.c.player == row.id
            known = {"player": row.id, "address": session.address, "seen": session.at}
            await connection.execute(
                delete(KNOWN_ADDRESSES).where(of_account, KNOWN_ADDRESSES.c.address == session.address)
            )
            newest = select(KNOWN_ADDRESSES.c.address).where(of_account)
            newest = newest.order_by(KNOWN_ADDRESSES.c.seen.desc(), KNOWN_ADDRESSES.c.address)
            old = (await connection.execute(newest.offset(MAX_KNOWN_ADDRESSES - 1))).scalars().all()
            if old:
                await connection.execute(delete(KNOWN_ADDRESSES).where(of_account, KNOWN_ADDRESSES.c.address.in_(old)))
            await connection.execute(insert(KNOWN_ADDRESSES), known)
        return await self._begin_session(
            connection,
            player_of(row),
            session.label,
            session.at,
            has_account=True,
            is_admin=row.role == "admin",
            parent=parent,
        )

    async def _end(self, connection: AsyncConnection, player: str, tokens: Sequence[str], *, spared: str = "") -> None:
        """Delete tokens of a player by their ids, and what they have made, with a revocation for each.

        `spared` goes on, and so does what it has made.
        """
        if not tokens:
            return
        query = select(TOKENS.c.digest, TOKENS.c.parent).where(TOKENS.c.player == player)
        parents = {token_id(row.digest): row.parent for row in await connection.execute(query)}
        for token in with_children(tokens, parents, spared):
            await connection.execute(delete(TOKENS).where(is_token(player, token)))
            await self._record_revocation(connection, player, token=token)

    async def _set_hash(self, connection: AsyncConnection, player: str, new_hash: str) -> None:
        await connection.execute(update(ACCOUNTS_TABLE).where(ACCOUNTS_TABLE.c.player == player).values(hash=new_hash))

    async def _set_codes(self, connection: AsyncConnection, player: str, codes: Collection[str]) -> None:
        await connection.execute(delete(RECOVERY_CODES).where(RECOVERY_CODES.c.player == player))
        if codes:
            await connection.execute(insert(RECOVERY_CODES), [{"player": player, "digest": digest} for digest in codes])


def account_of(row: Row[Any], old_names: tuple[FormerName, ...]) -> AccountRecord:
    """Return the account of a row of `ACCOUNT`."""
    return AccountRecord(
        player_of(row),
        row.hash,
        row.role,
        row.since,
        row.is_closed,
        row.codes_left,
        old_names,
        row.passkeys,
        bool(row.identities),
        row.name_key or "",
    )
