"""Erases what is kept too long from SQLite or PostgreSQL, in transactions of bounded size."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from sqlalchemy import Select, and_, delete, exists, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.server.accounts import AccountsUnavailable, NameTaken, UnknownPlayer
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.bot_tables import BOT_INCIDENTS
from cornered.server.adapters.tables import (
    ACCOUNTS_TABLE,
    KNOWN_ADDRESSES,
    MATCHES_TABLE,
    PLAYERS_TABLE,
    REPORT_TEXTS,
    SEATS_TABLE,
    SWEEPS,
    TOKENS,
)
from cornered.server.adapters.tokens import token_id
from cornered.server.moderation.retention import DAY_MS, Kind, RetentionUnavailable

__all__ = ["CLAIM_MS", "SqlRetention"]

CLAIM_MS: Final = 10 * 60 * 1000
"""For how long a sweep belongs to a node that does not renew its claim."""
_SWEEP: Final = "retention"


class SqlRetention(SqlAccounts):
    """Implements `RetentionStore`, with the steps by which accounts are changed."""

    # The daily sweep

    async def claim(self, now: int) -> bool:
        free = and_(SWEEPS.c.name == _SWEEP, SWEEPS.c.done <= now - DAY_MS, SWEEPS.c.claimed <= now - CLAIM_MS)
        async with self._erasing():
            known = await self._rows(select(SWEEPS.c.done).where(SWEEPS.c.name == _SWEEP))
            async with self._writing() as connection:
                if known:
                    return bool((await connection.execute(update(SWEEPS).where(free).values(claimed=now))).rowcount)
                await connection.execute(insert(SWEEPS), {"name": _SWEEP, "claimed": now, "done": 0})
                return True
        return False

    async def renew(self, now: int) -> None:
        async with self._erasing(), self._writing() as connection:
            await connection.execute(update(SWEEPS).where(SWEEPS.c.name == _SWEEP).values(claimed=now))

    async def done(self, now: int) -> None:
        async with self._erasing(), self._writing() as connection:
            await connection.execute(update(SWEEPS).where(SWEEPS.c.name == _SWEEP).values(done=now))

    # What is too old

    async def due(self, kind: Kind, before: int) -> int:
        async with self._erasing():
            rows = await self._rows(select(func.count()).select_from(_old(kind, before).subquery()))
            return int(rows[0][0])
        return 0

    async def erase(self, kind: Kind, before: int, limit: int) -> int:
        async with self._erasing():
            found = await self._rows(_old(kind, before).limit(limit))
            if kind == "guests":
                for row in found:
                    await self._forget_guest(row.id, before)
            elif kind == "sessions":
                for row in found:
                    await self._end_session(row.player, row.digest, before)
            elif found:
                async with self._writing() as connection:
                    await _erase(connection, kind, before, [tuple(row) for row in found])
            return len(found)
        return 0

    async def _end_session(self, player: str, digest: str, before: int) -> None:
        try:
            async with self._changing(player) as connection:
                # It may have been used since it was found.
                still = _old("sessions", before).where(TOKENS.c.digest == digest)
                if (await connection.execute(still)).first() is not None:
                    await connection.execute(delete(TOKENS).where(TOKENS.c.digest == digest))
                    await self._record_revocation(connection, player, token=token_id(digest))
        except UnknownPlayer:
            # The player was deleted since.
            return

    async def _forget_guest(self, player: str, before: int) -> None:
        try:
            async with self._changing(player) as connection:
                # The guest may have come back, or registered, since it was found.
                still = _old("guests", before).where(PLAYERS_TABLE.c.id == player)
                if (await connection.execute(still)).first() is None:
                    return
                await self._delete_player(connection, player)
        except UnknownPlayer:
            return

    @asynccontextmanager
    async def _erasing(self) -> AsyncIterator[None]:
        """Turn errors of the store into RetentionUnavailable; of two first claims at once one is refused."""
        try:
            yield
        except NameTaken as error:
            if not isinstance(error.__cause__, IntegrityError):
                raise
        except AccountsUnavailable as error:
            raise RetentionUnavailable(str(error)) from error


def _old(kind: Kind, before: int) -> Select[Any]:
    """Return the query of the keys of what is too old."""
    match kind:
        case "undated":
            return select(TOKENS.c.digest).where(TOKENS.c.seen == 0)
        case "report_chat":
            closed = and_(REPORT_TEXTS.c.closed > 0, REPORT_TEXTS.c.closed < before)
            return select(REPORT_TEXTS.c.number).where(closed, REPORT_TEXTS.c.chat.not_in(("", "[]")))
        case "reports":
            return select(REPORT_TEXTS.c.number).where(REPORT_TEXTS.c.closed > 0, REPORT_TEXTS.c.closed < before)
        case "addresses":
            return select(KNOWN_ADDRESSES.c.player, KNOWN_ADDRESSES.c.address).where(KNOWN_ADDRESSES.c.seen < before)
        case "incidents":
            return select(BOT_INCIDENTS.c.id).where(BOT_INCIDENTS.c.at < before)
        case "tokens":
            return select(TOKENS.c.digest).where(TOKENS.c.expires > 0, TOKENS.c.expires <= before)
        case "sessions":
            of_account = exists().where(ACCOUNTS_TABLE.c.player == TOKENS.c.player)
            unused = and_(TOKENS.c.is_session.is_(True), TOKENS.c.seen > 0, TOKENS.c.seen < before)
            # What it has made would end with it, and may be in use.
            child = TOKENS.alias()
            id_ = func.substr(TOKENS.c.digest, 1, 16)
            has_made = exists().where(child.c.player == TOKENS.c.player, child.c.parent == id_)
            return select(TOKENS.c.digest, TOKENS.c.player).where(unused, of_account, ~has_made)
        case "guests":
            player = PLAYERS_TABLE.c.id
            recent = and_(TOKENS.c.player == player, or_(TOKENS.c.seen == 0, TOKENS.c.seen >= before))
            plays = and_(
                SEATS_TABLE.c.player == player,
                MATCHES_TABLE.c.id == SEATS_TABLE.c.match,
                or_(MATCHES_TABLE.c.ended.is_(None), MATCHES_TABLE.c.ended >= before),
            )
            return select(player).where(
                PLAYERS_TABLE.c.kind == "person",
                PLAYERS_TABLE.c.deleted.is_(False),
                ~exists().where(ACCOUNTS_TABLE.c.player == player),
                ~exists().where(recent),
                ~exists().where(plays),
            )


async def _erase(connection: AsyncConnection, kind: Kind, before: int, keys: list[tuple[Any, ...]]) -> None:
    """Erase what was found by its keys, where nothing else has to be changed with it."""
    first = [key[0] for key in keys]
    if kind == "undated":
        await connection.execute(update(TOKENS).where(TOKENS.c.digest.in_(first)).values(seen=before))
    elif kind == "report_chat":
        await connection.execute(update(REPORT_TEXTS).where(REPORT_TEXTS.c.number.in_(first)).values(chat=""))
    elif kind == "reports":
        await connection.execute(delete(REPORT_TEXTS).where(REPORT_TEXTS.c.number.in_(first)))
    elif kind == "incidents":
        await connection.execute(delete(BOT_INCIDENTS).where(BOT_INCIDENTS.c.id.in_(first)))
    elif kind == "tokens":
        await connection.execute(delete(TOKENS).where(TOKENS.c.digest.in_(first)))
    else:
        for player, address in keys:
            one = and_(KNOWN_ADDRESSES.c.player == player, KNOWN_ADDRESSES.c.address == address)
            await connection.execute(delete(KNOWN_ADDRESSES).where(one, KNOWN_ADDRESSES.c.seen < before))
