"""Passkeys and identities at a provider in SQLite or PostgreSQL: the ways to sign in besides a password."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.server.accounts import (
    MAX_PASSKEYS,
    MAX_SPENT,
    NO_PASSWORD,
    Identity,
    IdentityTaken,
    LastWayIn,
    NameTaken,
    NewKey,
    NewSession,
    Passkey,
    StaleAccount,
    TooMany,
    UnknownPlayer,
)
from cornered.server.adapters.account_steps_sql import SqlAccountSteps
from cornered.server.adapters.tables import IDENTITIES, PASSKEYS, SPENT
from cornered.server.adapters.tokens import digest_of, token_id

__all__ = ["SqlPasskeys"]


class SqlPasskeys(SqlAccountSteps):
    """The part of `Accounts` about passkeys, identities, and what is used once."""

    async def passkey(self, credential: str) -> Passkey | None:
        rows = await self._rows(select(PASSKEYS).where(PASSKEYS.c.digest == digest_of(credential)))
        return _passkey_of(rows[0]) if rows else None

    async def passkeys(self, player: str) -> Sequence[Passkey]:
        query = select(PASSKEYS).where(PASSKEYS.c.player == player)
        rows = await self._rows(query.order_by(PASSKEYS.c.created.desc(), PASSKEYS.c.digest))
        return [_passkey_of(row) for row in rows]

    async def add_passkey(self, player: str, was: str, new: NewKey, by: str) -> None:
        async with self._changing(player) as connection:
            await self._require_account(connection, player, was)
            await self._require_session(connection, player, by)
            of_player = select(func.count()).select_from(PASSKEYS).where(PASSKEYS.c.player == player)
            if ((await connection.execute(of_player)).scalar() or 0) >= MAX_PASSKEYS:
                raise TooMany
            await self._insert_passkey(connection, player, new)

    async def remove_passkey(self, player: str, passkey: str, by: str) -> bool:
        async with self._changing(player) as connection:
            row = await self._require_account(connection, player)
            await self._require_session(connection, player, by)
            one = (PASSKEYS.c.player == player) & (func.substr(PASSKEYS.c.digest, 1, 16) == passkey)
            removed = await connection.execute(delete(PASSKEYS).where(one))
            if removed.rowcount and row.hash == NO_PASSWORD and row.passkeys + row.identities == 1:
                raise LastWayIn
            return bool(removed.rowcount)

    async def count_passkey(self, passkey: Passkey, count: int, at: int) -> None:
        async with self._changing(passkey.player) as connection:
            await self._count(connection, passkey, count, at)

    async def enter_by_passkey(self, passkey: Passkey, count: int, session: NewSession) -> tuple[Identity, str]:
        try:
            async with self._changing(passkey.player) as connection:
                row = await self._require_account(connection, passkey.player)
                await self._count(connection, passkey, count, session.at)
                return await self._enter(connection, row, session)
        except UnknownPlayer:
            raise StaleAccount from None

    async def identity_holder(self, identity: str) -> str | None:
        rows = await self._rows(select(IDENTITIES.c.player).where(IDENTITIES.c.digest == identity))
        return str(rows[0].player) if rows else None

    async def link(self, player: str, identity: str, by: str, at: int) -> None:
        async with self._changing(player) as connection:
            row = await self._require_account(connection, player)
            await self._require_session(connection, player, by)
            if row.identities:
                raise IdentityTaken
            await self._insert_identity(connection, player, identity, at)

    async def unlink(self, player: str, by: str) -> bool:
        async with self._changing(player) as connection:
            row = await self._require_account(connection, player)
            await self._require_session(connection, player, by)
            if row.identities and row.hash == NO_PASSWORD and not row.passkeys:
                raise LastWayIn
            removed = await connection.execute(delete(IDENTITIES).where(IDENTITIES.c.player == player))
            return bool(removed.rowcount)

    async def enter_by_identity(self, identity: str, session: NewSession) -> tuple[Identity, str]:
        player = await self.identity_holder(identity)
        if player is None:
            raise StaleAccount
        try:
            async with self._changing(player) as connection:
                row = await self._require_account(connection, player)
                held = IDENTITIES.c.player == player, IDENTITIES.c.digest == identity
                if (await connection.execute(select(IDENTITIES.c.digest).where(*held))).first() is None:
                    raise StaleAccount
                return await self._enter(connection, row, session)
        except UnknownPlayer:
            raise StaleAccount from None

    async def spend(self, digest: str, at: int, until: int) -> bool:
        try:
            async with self._writing() as connection:
                await connection.execute(delete(SPENT).where(SPENT.c.until <= at))
                if ((await connection.execute(select(func.count()).select_from(SPENT))).scalar() or 0) >= MAX_SPENT:
                    raise TooMany
                # Of two that use it at once, on whatever nodes, the primary key refuses the second.
                await connection.execute(insert(SPENT).values(digest=digest, until=until))
        except NameTaken:
            return False
        return True

    # Steps of a transaction

    async def _insert_passkey(self, connection: AsyncConnection, player: str, new: NewKey) -> None:
        digest = digest_of(new.credential)
        if (await connection.execute(select(PASSKEYS.c.digest).where(PASSKEYS.c.digest == digest))).first():
            raise IdentityTaken
        row = {"digest": digest, "player": player, "credential": new.credential, "public_key": new.public_key}
        more = {"counter": new.count, "handle": new.handle, "site": new.site, "label": new.label}
        await connection.execute(insert(PASSKEYS).values(**row, **more, created=new.at, used=new.at))

    async def _insert_identity(self, connection: AsyncConnection, player: str, identity: str, at: int) -> None:
        if (await connection.execute(select(IDENTITIES.c.digest).where(IDENTITIES.c.digest == identity))).first():
            raise IdentityTaken
        await connection.execute(insert(IDENTITIES).values(digest=identity, player=player, created=at))

    async def _count(self, connection: AsyncConnection, passkey: Passkey, count: int, at: int) -> None:
        same = (PASSKEYS.c.digest == digest_of(passkey.credential)) & (PASSKEYS.c.player == passkey.player)
        used = update(PASSKEYS).where(same, PASSKEYS.c.counter == passkey.count).values(counter=count, used=at)
        if not (await connection.execute(used)).rowcount:
            raise StaleAccount


def _passkey_of(row: Row[Any]) -> Passkey:
    return Passkey(
        token_id(row.digest),
        row.player,
        row.credential,
        row.public_key,
        row.counter,
        row.handle,
        row.site,
        row.label,
        row.created,
        row.used,
    )
