"""Relations between players and their notifications in SQLite or PostgreSQL."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Row, Select, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.protocol.social import NOTICE_KINDS, MailLanguage, NoticeKind
from cornered.server.adapters.database import STORE_ERRORS, Database
from cornered.server.adapters.social_tables import ANNOUNCED_TURNS, MAIL_BOXES, NOTICE_CHOICES, PUSH_DEVICES, RELATIONS
from cornered.server.adapters.tables import PLAYERS_TABLE, SECRETS
from cornered.server.social.ports import (
    CODE_TRIES,
    HOUR_MS,
    Device,
    MailBox,
    Relation,
    SocialUnavailable,
    TooManyRelations,
    TooSoon,
    UnknownPerson,
)

__all__ = ["PUSH_KEY", "SqlSocialStore", "forget_player"]

PUSH_KEY: Final = "push"
"""The name of the private key of push messages among the secrets."""
CHUNK: Final = 500
"""Players of one query."""


async def forget_player(connection: AsyncConnection, player: str) -> None:
    """Delete what is stored of a player here, and the relations that others have with the player."""
    await connection.execute(delete(RELATIONS).where((RELATIONS.c.player == player) | (RELATIONS.c.other == player)))
    for table in (NOTICE_CHOICES, PUSH_DEVICES, MAIL_BOXES):
        await connection.execute(delete(table).where(table.c.player == player))


class SqlSocialStore:
    """Implements `SocialStore`. The database is shared with other adapters, and its owner closes it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # Relations

    async def add_relation(self, player: str, relation: Relation, other: str, at: int, most: int) -> None:
        async with self._changing(player) as connection:
            exists = select(PLAYERS_TABLE.c.id).where(PLAYERS_TABLE.c.id == other, PLAYERS_TABLE.c.deleted.is_(False))
            if (await connection.execute(exists)).first() is None:
                raise UnknownPerson(other)
            of_player = (RELATIONS.c.player == player) & (RELATIONS.c.kind == relation)
            if (
                await connection.execute(select(RELATIONS.c.since).where(of_player, RELATIONS.c.other == other))
            ).first():
                return
            count = select(func.count()).select_from(RELATIONS).where(of_player)
            if (await connection.execute(count)).scalar_one() >= most:
                raise TooManyRelations
            await connection.execute(
                insert(RELATIONS), {"player": player, "kind": relation, "other": other, "since": at}
            )
            if relation == "block":
                await connection.execute(_without(player, "follow", other))

    async def remove_relation(self, player: str, relation: Relation, other: str) -> None:
        async with self._writing() as connection:
            await connection.execute(_without(player, relation, other))

    async def relations(self, player: str, relation: Relation) -> Mapping[str, int]:
        query = select(RELATIONS.c.other, RELATIONS.c.since).where(
            RELATIONS.c.player == player, RELATIONS.c.kind == relation
        )
        return {row.other: row.since for row in await self._rows(query)}

    async def blocks_of(self, players: Collection[str]) -> Mapping[str, frozenset[str]]:
        blocked = dict[str, set[str]]()
        wanted = list(players)
        for start in range(0, len(wanted), CHUNK):
            some = wanted[start : start + CHUNK]
            query = select(RELATIONS.c.player, RELATIONS.c.other).where(
                RELATIONS.c.player.in_(some), RELATIONS.c.kind == "block"
            )
            for row in await self._rows(query):
                blocked.setdefault(row.player, set()).add(row.other)
        return {player: frozenset(others) for player, others in blocked.items()}

    # Notifications

    async def push_kinds(self, player: str) -> Sequence[NoticeKind]:
        rows = await self._rows(select(NOTICE_CHOICES.c.push).where(NOTICE_CHOICES.c.player == player))
        if not rows:
            return NOTICE_KINDS
        chosen = rows[0].push.split()
        return [kind for kind in NOTICE_KINDS if kind in chosen]

    async def choose_push(self, player: str, kinds: Collection[NoticeKind]) -> None:
        async with self._changing(player) as connection:
            await connection.execute(delete(NOTICE_CHOICES).where(NOTICE_CHOICES.c.player == player))
            chosen = " ".join(kind for kind in NOTICE_KINDS if kind in kinds)
            await connection.execute(insert(NOTICE_CHOICES), {"player": player, "push": chosen})

    async def devices(self, player: str) -> Sequence[Device]:
        of_player = select(PUSH_DEVICES).where(PUSH_DEVICES.c.player == player)
        rows = await self._rows(of_player.order_by(PUSH_DEVICES.c.created.desc(), PUSH_DEVICES.c.digest))
        return [Device(row.endpoint, row.p256dh, row.auth, row.label, row.created) for row in rows]

    async def add_device(self, player: str, device: Device, most: int) -> None:
        digest = _digest_of(device.endpoint)
        async with self._changing(player) as connection:
            await connection.execute(delete(PUSH_DEVICES).where(PUSH_DEVICES.c.digest == digest))
            row = {
                "digest": digest,
                "player": player,
                "endpoint": device.endpoint,
                "p256dh": device.p256dh,
                "auth": device.auth,
                "label": device.label,
                "created": device.created,
            }
            await connection.execute(insert(PUSH_DEVICES), row)
            newest = select(PUSH_DEVICES.c.digest).where(PUSH_DEVICES.c.player == player)
            newest = newest.order_by(PUSH_DEVICES.c.created.desc(), PUSH_DEVICES.c.digest)
            old = (await connection.execute(newest.offset(most))).scalars().all()
            if old:
                await connection.execute(delete(PUSH_DEVICES).where(PUSH_DEVICES.c.digest.in_(old)))

    async def remove_device(self, player: str, endpoint: str | None) -> None:
        removed = delete(PUSH_DEVICES).where(PUSH_DEVICES.c.player == player)
        if endpoint is not None:
            removed = removed.where(PUSH_DEVICES.c.digest == _digest_of(endpoint))
        async with self._writing() as connection:
            await connection.execute(removed)

    async def mail_box(self, player: str) -> MailBox | None:
        rows = await self._rows(select(MAIL_BOXES).where(MAIL_BOXES.c.player == player))
        return _box_of(rows[0]) if rows else None

    async def set_mail(self, player: str, address: str, language: MailLanguage, code: str, at: int) -> None:
        async with self._changing(player) as connection:
            of_either = (MAIL_BOXES.c.player == player) | (MAIL_BOXES.c.address == address)
            recent = select(MAIL_BOXES.c.player).where(of_either, MAIL_BOXES.c.asked > at - HOUR_MS)
            if (await connection.execute(recent)).first() is not None:
                raise TooSoon
            kinds = " ".join(NOTICE_KINDS)
            known = (await connection.execute(select(MAIL_BOXES).where(MAIL_BOXES.c.player == player))).first()
            await connection.execute(delete(MAIL_BOXES).where(MAIL_BOXES.c.player == player))
            row = {"player": player, "address": address, "language": language, "code": code, "asked": at, "tries": 0}
            kept = {"kinds": kinds, "mailed": 0} if known is None else {"kinds": known.kinds, "mailed": known.mailed}
            await connection.execute(insert(MAIL_BOXES), {**row, **kept, "is_confirmed": False})

    async def confirm_mail(self, player: str, code: str, at: int) -> bool:
        is_open = (MAIL_BOXES.c.player == player) & (MAIL_BOXES.c.asked > at - HOUR_MS) & (MAIL_BOXES.c.code != "")
        tried = update(MAIL_BOXES).where(is_open, MAIL_BOXES.c.tries < CODE_TRIES)
        right = update(MAIL_BOXES).where(is_open, MAIL_BOXES.c.code == code)
        async with self._writing() as connection:
            if not (await connection.execute(tried.values(tries=MAIL_BOXES.c.tries + 1))).rowcount:
                return False
            return bool((await connection.execute(right.values(is_confirmed=True, code=""))).rowcount)

    async def choose_mail(self, player: str, kinds: Collection[NoticeKind]) -> None:
        chosen = " ".join(kind for kind in NOTICE_KINDS if kind in kinds)
        async with self._writing() as connection:
            await connection.execute(update(MAIL_BOXES).where(MAIL_BOXES.c.player == player).values(kinds=chosen))

    async def forget_mail(self, player: str) -> None:
        async with self._writing() as connection:
            # The time of the newest code stays, so that to forget an address is no way to have another code sent.
            gone = {"address": "", "code": "", "is_confirmed": False}
            await connection.execute(update(MAIL_BOXES).where(MAIL_BOXES.c.player == player).values(**gone))

    async def claim_mail(self, player: str, kind: NoticeKind, at: int) -> MailBox | None:
        box = await self.mail_box(player)
        if box is None or not box.is_confirmed or kind not in box.kinds:
            return None
        of_player = (MAIL_BOXES.c.player == player) & MAIL_BOXES.c.is_confirmed.is_(True)
        async with self._writing() as connection:
            due = update(MAIL_BOXES).where(of_player, MAIL_BOXES.c.mailed <= at - HOUR_MS).values(mailed=at)
            return box if (await connection.execute(due)).rowcount else None

    async def claim_turn(self, match: str, seq: int) -> bool:
        of_match = ANNOUNCED_TURNS.c.match == match
        try:
            async with self._writing() as connection:
                later = update(ANNOUNCED_TURNS).where(of_match, ANNOUNCED_TURNS.c.seq < seq).values(seq=seq)
                if (await connection.execute(later)).rowcount:
                    return True
                if (await connection.execute(select(ANNOUNCED_TURNS.c.seq).where(of_match))).first() is not None:
                    return False
                await connection.execute(insert(ANNOUNCED_TURNS), {"match": match, "seq": seq})
                return True
        except _Taken:
            # Another node was faster.
            return False

    async def forget_turns(self, match: str) -> None:
        async with self._writing() as connection:
            await connection.execute(delete(ANNOUNCED_TURNS).where(ANNOUNCED_TURNS.c.match == match))

    async def push_secret(self, new: bytes) -> bytes:
        query = select(SECRETS.c.value).where(SECRETS.c.name == PUSH_KEY)
        rows = await self._rows(query)
        if not rows:
            with contextlib.suppress(_Taken):
                async with self._writing() as connection:
                    await connection.execute(insert(SECRETS), {"name": PUSH_KEY, "value": new})
            rows = await self._rows(query)
        return bytes(rows[0].value)

    # The store

    @contextlib.asynccontextmanager
    async def _changing(self, player: str) -> AsyncIterator[AsyncConnection]:
        """Yield a connection for a change that no other change of the player overlaps, nor the deletion of the player.

        Raises UnknownPerson and what the block raises; then nothing is changed.
        """
        async with self._writing() as connection:
            lock = update(PLAYERS_TABLE).where(PLAYERS_TABLE.c.id == player, PLAYERS_TABLE.c.deleted.is_(False))
            if not (await connection.execute(lock.values(kind=PLAYERS_TABLE.c.kind))).rowcount:
                raise UnknownPerson(player)
            yield connection

    @contextlib.asynccontextmanager
    async def _writing(self) -> AsyncIterator[AsyncConnection]:
        decided: Exception | None = None
        try:
            async with self._database.writing() as connection:
                try:
                    yield connection
                except (UnknownPerson, TooManyRelations, TooSoon) as error:
                    # The writer is the journal's too: an error in its block would have it connect anew.
                    await connection.rollback()
                    decided = error
        except IntegrityError as error:
            raise _Taken("another change was faster") from error
        except STORE_ERRORS as error:
            raise SocialUnavailable("the store cannot be written") from error
        if decided is not None:
            raise decided

    async def _rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        try:
            async with self._database.reading() as connection:
                rows: Sequence[Row[Any]] = (await connection.execute(query)).all()
        except STORE_ERRORS as error:
            raise SocialUnavailable("the store cannot be read") from error
        return rows


class _Taken(SocialUnavailable):
    """A row is there already."""


def _without(player: str, relation: Relation, other: str) -> Any:
    return delete(RELATIONS).where(
        RELATIONS.c.player == player, RELATIONS.c.kind == relation, RELATIONS.c.other == other
    )


def _box_of(row: Row[Any]) -> MailBox | None:
    if not row.address:
        return None
    chosen = row.kinds.split()
    kinds = tuple(kind for kind in NOTICE_KINDS if kind in chosen)
    return MailBox(row.address, row.language, row.is_confirmed, kinds)


def _digest_of(endpoint: str) -> str:
    return sha256(endpoint.encode()).hexdigest()
