"""Accounts in SQLite or PostgreSQL."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Row, Select, delete, func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.protocol.values import Player, PlayerKind
from cornered.server.adapters.database import STORE_ERRORS, Database
from cornered.server.adapters.tables import PLAYERS_TABLE, REVOCATIONS, TOKENS
from cornered.server.adapters.tokens import digest_of, new_player_id, new_token
from cornered.server.ports import AccountsUnavailable, Identity, UnknownPlayer

__all__ = ["SqlAccounts"]

_SELECT_PLAYER = select(PLAYERS_TABLE.c.id, PLAYERS_TABLE.c.name, PLAYERS_TABLE.c.kind)
_LOCK_REVOCATIONS: Final = text("LOCK TABLE revocations IN EXCLUSIVE MODE")
"""Makes those who revoke on PostgreSQL take turns, so that no number is committed before a lower one."""
_NEXT_NUMBER: Final = select(func.coalesce(func.max(REVOCATIONS.c.number), 0) + 1).scalar_subquery()


class SqlAccounts:
    """Implements `Accounts`. The database is shared with other adapters, and its owner closes it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # At most one writer of accounts waits for the database's write lock, so that the journal's next commit waits
        # for one commit of a new guest and not for all of them.
        self._turn = asyncio.Lock()

    async def create(self, name: str, kind: PlayerKind) -> tuple[Identity, str]:
        player = Player(id=new_player_id(), name=name, kind=kind)
        token = new_token()
        async with self._writing() as connection:
            await connection.execute(insert(PLAYERS_TABLE), {"id": player.id, "name": player.name, "kind": player.kind})
            await connection.execute(insert(TOKENS), {"digest": digest_of(token), "player": player.id})
        return Identity(player), token

    async def by_token(self, token: str) -> Identity | None:
        return await self._one(_SELECT_PLAYER.join(TOKENS).where(TOKENS.c.digest == digest_of(token)))

    async def by_id(self, player: str) -> Identity | None:
        return await self._one(_SELECT_PLAYER.where(PLAYERS_TABLE.c.id == player))

    async def by_ids(self, players: Collection[str]) -> Mapping[str, Player]:
        if not players:
            return {}
        rows = await self._rows(_SELECT_PLAYER.where(PLAYERS_TABLE.c.id.in_(players)))
        return {row.id: _player_of(row) for row in rows}

    async def rename(self, player: str, name: str) -> Identity:
        async with self._writing() as connection:
            await connection.execute(update(PLAYERS_TABLE).where(PLAYERS_TABLE.c.id == player).values(name=name))
        renamed = await self.by_id(player)
        if renamed is None:
            raise UnknownPlayer(player)
        return renamed

    async def named(self, name: str, limit: int) -> Sequence[Player]:
        has_token = select(TOKENS.c.player).where(TOKENS.c.player == PLAYERS_TABLE.c.id).exists()
        rows = await self._rows(_SELECT_PLAYER.where(PLAYERS_TABLE.c.name == name, has_token).limit(limit))
        return [_player_of(row) for row in rows]

    async def revoke(self, player: str) -> bool:
        async with self._writing() as connection:
            if not self._database.is_sqlite:
                await connection.execute(_LOCK_REVOCATIONS)
            deleted = await connection.execute(delete(TOKENS).where(TOKENS.c.player == player))
            if not deleted.rowcount:
                return False
            await connection.execute(insert(REVOCATIONS).values(number=_NEXT_NUMBER, player=player))
        return True

    async def revoked(self, since: int) -> Sequence[tuple[int, str]]:
        query = select(REVOCATIONS.c.number, REVOCATIONS.c.player).where(REVOCATIONS.c.number > since)
        return [(row.number, row.player) for row in await self._rows(query.order_by(REVOCATIONS.c.number))]

    @contextlib.asynccontextmanager
    async def _writing(self) -> AsyncIterator[AsyncConnection]:
        try:
            async with self._turn, self._database.writing() as connection:
                yield connection
        except STORE_ERRORS as error:
            raise AccountsUnavailable("the store cannot be written") from error

    async def _one(self, query: Select[Any]) -> Identity | None:
        rows = await self._rows(query)
        return Identity(_player_of(rows[0])) if rows else None

    async def _rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        try:
            async with self._database.reading() as connection:
                rows: Sequence[Row[Any]] = (await connection.execute(query)).all()
        except STORE_ERRORS as error:
            raise AccountsUnavailable("the store cannot be read") from error
        return rows


def _player_of(row: Row[Any]) -> Player:
    return Player.model_validate(row._asdict())
