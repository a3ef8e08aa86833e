"""Accounts in SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Row, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.protocol.account import Role, Scope
from cornered.protocol.values import Player
from cornered.server.accounts import (
    DELETED_NAME,
    MAX_LIVE_INVITATIONS,
    MAX_OLD_NAMES,
    MAX_TOKENS,
    AccountRecord,
    AlreadyRegistered,
    BadInvitation,
    FormerName,
    Identity,
    NameTaken,
    NewAccount,
    NewSession,
    StaleAccount,
    TokenRecord,
    TooMany,
)
from cornered.server.adapters.account_steps_sql import ACCOUNT, account_of
from cornered.server.adapters.bot_incidents_sql import forget_incidents
from cornered.server.adapters.passkeys_sql import SqlPasskeys
from cornered.server.adapters.players_sql import is_token, player_of, read_scopes, written_scopes
from cornered.server.adapters.social_sql import forget_player
from cornered.server.adapters.tables import (
    ACCOUNT_NAMES,
    ACCOUNTS_TABLE,
    IDENTITIES,
    INVITATIONS,
    KNOWN_ADDRESSES,
    PASSKEYS,
    PLAYERS_TABLE,
    RECOVERY_CODES,
    TOKENS,
)
from cornered.server.adapters.tokens import digest_of, new_player_id, new_token, token_id

__all__ = ["SqlAccounts"]


class SqlAccounts(SqlPasskeys):
    """Implements `Accounts`. The database is shared with other adapters, and its owner closes it."""

    async def account(self, player: str) -> AccountRecord | None:
        rows = await self._rows(ACCOUNT.where(PLAYERS_TABLE.c.id == player))
        return (await self._with_names(rows))[0] if rows else None

    async def account_named(self, key: str) -> AccountRecord | None:
        named = ACCOUNT.join(ACCOUNT_NAMES, ACCOUNT_NAMES.c.player == ACCOUNTS_TABLE.c.player)
        rows = await self._rows(named.where(ACCOUNT_NAMES.c.key == key, ACCOUNT_NAMES.c.until == 0))
        # Asked for an unknown name too, which would be told by a shorter wait otherwise.
        found = await self._with_names(rows)
        return found[0] if found else None

    async def _with_names(self, rows: Sequence[Row[Any]]) -> list[AccountRecord]:
        query = select(ACCOUNT_NAMES).where(
            ACCOUNT_NAMES.c.player.in_([row.id for row in rows]), ACCOUNT_NAMES.c.until > 0
        )
        names: dict[str, list[FormerName]] = {}
        for row in await self._rows(query.order_by(ACCOUNT_NAMES.c.until)):
            names.setdefault(row.player, []).append(FormerName(row.name, row.until))
        return [account_of(row, tuple(names.get(row.id, ()))) for row in rows]

    async def knows_address(self, player: str, address: str) -> bool:
        query = select(KNOWN_ADDRESSES.c.seen)
        return bool(
            await self._rows(query.where(KNOWN_ADDRESSES.c.player == player, KNOWN_ADDRESSES.c.address == address))
        )

    async def has_code(self, player: str, code: str) -> bool:
        query = select(RECOVERY_CODES.c.player)
        return bool(await self._rows(query.where(RECOVERY_CODES.c.player == player, RECOVERY_CODES.c.digest == code)))

    async def register(self, new: NewAccount, player: str | None, by: str = "") -> tuple[Identity, str]:
        label = new.label
        async with self._writing() as connection:
            if player is None:
                player = new_player_id()
                await connection.execute(insert(PLAYERS_TABLE), {"id": player, "name": new.name, "kind": "person"})
            elif not await self._lock(connection, player):
                raise StaleAccount
            else:
                own = await self._require_session(connection, player, by)
                label = label or own
                if (await connection.execute(ACCOUNT.where(PLAYERS_TABLE.c.id == player))).first() is not None:
                    raise AlreadyRegistered
            if new.invitation is not None:
                valid = (INVITATIONS.c.uses > 0) & (INVITATIONS.c.expires > new.at)
                invited = update(INVITATIONS).where(INVITATIONS.c.digest == new.invitation, valid)
                used = await connection.execute(invited.values(uses=INVITATIONS.c.uses - 1))
                if not used.rowcount:
                    raise BadInvitation
            if await self._owner(connection, new.key) is not None:
                raise NameTaken
            account = {"player": player, "hash": new.hash, "role": "player", "since": new.at, "is_closed": False}
            await connection.execute(insert(ACCOUNTS_TABLE), account)
            # Of two that register a name at once, the primary key refuses the second.
            await connection.execute(
                insert(ACCOUNT_NAMES), {"key": new.key, "player": player, "name": new.name, "until": 0}
            )
            await self._set_codes(connection, player, new.codes)
            if new.passkey is not None:
                await self._insert_passkey(connection, player, new.passkey)
            if new.identity:
                await self._insert_identity(connection, player, new.identity, new.at)
            await connection.execute(update(PLAYERS_TABLE).where(PLAYERS_TABLE.c.id == player).values(name=new.name))
            row = (await connection.execute(select(PLAYERS_TABLE).where(PLAYERS_TABLE.c.id == player))).one()
            identity, token = await self._begin_session(connection, player_of(row), label, new.at, has_account=True)
            if by:
                # Somebody else may have given the guest its token, and know it.
                others = ~is_token(player, identity.session)
                await connection.execute(delete(TOKENS).where(TOKENS.c.player == player, others))
                await self._record_revocation(connection, player, spared=identity.session)
        return identity, token

    async def sign_in(self, player: str, was: str, session: NewSession) -> tuple[Identity, str]:
        async with self._changing(player) as connection:
            row = await self._require_account(connection, player, was)
            return await self._enter(connection, row, session)

    async def sign_in_again(self, player: str, by: str, session: NewSession) -> tuple[Identity, str]:
        async with self._changing(player) as connection:
            row = await self._require_account(connection, player)
            await self._require_session(connection, player, by)
            return await self._enter(connection, row, session, parent=by)

    async def recover(
        self, player: str, was: str, code: str, new_hash: str, session: NewSession
    ) -> tuple[Identity, str]:
        async with self._changing(player) as connection:
            row = await self._require_account(connection, player, was)
            used = await connection.execute(
                delete(RECOVERY_CODES).where(RECOVERY_CODES.c.player == player, RECOVERY_CODES.c.digest == code)
            )
            if not used.rowcount:
                raise StaleAccount
            await self._set_hash(connection, player, new_hash)
            await connection.execute(delete(TOKENS).where(TOKENS.c.player == player))
            identity, token = await self._enter(connection, row, session)
            await self._record_revocation(connection, player, spared=identity.session)
        return identity, token

    async def change_password(self, player: str, was: str, new_hash: str, by: str) -> None:
        async with self._changing(player) as connection:
            await self._require_account(connection, player, was)
            await self._require_session(connection, player, by)
            await self._set_hash(connection, player, new_hash)
            await connection.execute(delete(TOKENS).where(TOKENS.c.player == player, ~is_token(player, by)))
            await self._record_revocation(connection, player, spared=by)

    async def renew_codes(self, player: str, was: str, codes: Collection[str], by: str) -> None:
        async with self._changing(player) as connection:
            await self._require_account(connection, player, was)
            await self._require_session(connection, player, by)
            await self._set_codes(connection, player, codes)

    async def rename(self, player: str, was: str, name: str, key: str, by: str, at: int) -> Player:
        async with self._changing(player) as connection:
            row = await self._require_account(connection, player)
            await self._require_session(connection, player, by)
            if row.name != was:
                raise StaleAccount
            names = ACCOUNT_NAMES.c.player == player
            owner = await self._owner(connection, key)
            if owner not in (None, player):
                raise NameTaken
            if owner is None:
                number = (
                    await connection.execute(select(func.count()).select_from(ACCOUNT_NAMES).where(names))
                ).scalar()
                if (number or 0) > MAX_OLD_NAMES:
                    raise TooMany
            await connection.execute(
                update(ACCOUNT_NAMES).where(names, ACCOUNT_NAMES.c.until == 0).values(until=max(at, 1))
            )
            if owner is None:
                await connection.execute(
                    insert(ACCOUNT_NAMES), {"key": key, "player": player, "name": name, "until": 0}
                )
            else:
                await connection.execute(
                    update(ACCOUNT_NAMES).where(ACCOUNT_NAMES.c.key == key).values(name=name, until=0)
                )
            await connection.execute(update(PLAYERS_TABLE).where(PLAYERS_TABLE.c.id == player).values(name=name))
        return Player(id=player, name=name, kind=row.kind)

    # Tokens

    async def tokens(self, player: str) -> Sequence[TokenRecord]:
        query = select(TOKENS).where(TOKENS.c.player == player)
        return [_token_of(row) for row in await self._rows(query.order_by(TOKENS.c.created.desc(), TOKENS.c.digest))]

    async def create_token(
        self, player: str, by: str, label: str, scopes: Collection[Scope], at: int, expires: int
    ) -> tuple[TokenRecord, str]:
        token = new_token()
        digest = digest_of(token)
        async with self._changing(player) as connection:
            await self._require_account(connection, player)
            await self._require_session(connection, player, by)
            personal = (TOKENS.c.player == player) & TOKENS.c.is_session.is_(False)
            await connection.execute(delete(TOKENS).where(personal, TOKENS.c.expires <= at))
            number = (await connection.execute(select(func.count()).select_from(TOKENS).where(personal))).scalar()
            if (number or 0) >= MAX_TOKENS:
                raise TooMany
            written = written_scopes(scopes)
            row = {"digest": digest, "player": player, "label": label, "created": at, "seen": at, "expires": expires}
            await connection.execute(insert(TOKENS).values(**row, is_session=False, scopes=written, parent=by))
        scopes = read_scopes(written)
        return TokenRecord(token_id(digest), label, scopes, at, at, expires, is_session=False, parent=by), token

    async def end_token(self, player: str, token: str, by: str, *, is_session: bool) -> bool:
        async with self._changing(player) as connection:
            await self._require_session(connection, player, by)
            found = select(TOKENS.c.digest).where(is_token(player, token), TOKENS.c.is_session.is_(is_session))
            if (await connection.execute(found)).first() is None:
                return False
            await self._end(connection, player, [token], spared="" if token == by else by)
        return True

    async def end_others(self, player: str, by: str) -> int:
        async with self._changing(player) as connection:
            await self._require_session(connection, player, by)
            others = (TOKENS.c.player == player) & TOKENS.c.is_session.is_(True) & ~is_token(player, by)
            ended = (await connection.execute(select(TOKENS.c.digest).where(others))).all()
            await self._end(connection, player, [token_id(row.digest) for row in ended], spared=by)
        return len(ended)

    async def delete(self, player: str, was: str | None, by: str) -> None:
        async with self._changing(player) as connection:
            await self._require_session(connection, player, by)
            if was is not None:
                await self._require_account(connection, player, was)
            elif (await connection.execute(ACCOUNT.where(PLAYERS_TABLE.c.id == player))).first() is not None:
                raise StaleAccount
            await self._delete_player(connection, player)

    async def _delete_player(self, connection: AsyncConnection, player: str) -> None:
        """Delete all that is stored of a player but its id, which matches name."""
        of_account = (PASSKEYS, IDENTITIES, RECOVERY_CODES, KNOWN_ADDRESSES, ACCOUNT_NAMES)
        for table in (*of_account, ACCOUNTS_TABLE, TOKENS, INVITATIONS):
            await connection.execute(delete(table).where(table.c.player == player))
        await forget_player(connection, player)
        await forget_incidents(connection, player)
        await connection.execute(
            update(PLAYERS_TABLE).where(PLAYERS_TABLE.c.id == player).values(name=DELETED_NAME, deleted=True)
        )
        await self._record_revocation(connection, player)

    # Invitations

    async def invite(self, code: str, uses: int, at: int, expires: int, by: str = "") -> None:
        async with self._writing() as connection:
            await connection.execute(
                delete(INVITATIONS).where(or_(INVITATIONS.c.expires <= at, INVITATIONS.c.uses <= 0))
            )
            number = (await connection.execute(select(func.count()).select_from(INVITATIONS))).scalar()
            if (number or 0) >= MAX_LIVE_INVITATIONS:
                raise TooMany
            row = {"digest": code, "uses": uses, "expires": expires, "player": by}
            await connection.execute(insert(INVITATIONS), row)

    # For operators

    async def accounts(self, limit: int, after: str = "", *, beginning: str = "") -> Sequence[AccountRecord]:
        named = ACCOUNT.join(ACCOUNT_NAMES, ACCOUNT_NAMES.c.player == ACCOUNTS_TABLE.c.player)
        query = named.where(ACCOUNT_NAMES.c.until == 0, ACCOUNT_NAMES.c.key > after)
        if beginning:
            query = query.where(ACCOUNT_NAMES.c.key.startswith(beginning, autoescape=True))
        rows = await self._rows(query.order_by(ACCOUNT_NAMES.c.key).limit(limit))
        return await self._with_names(rows)

    async def seen(self, players: Collection[str]) -> Mapping[str, int]:
        newest = select(TOKENS.c.player, func.max(TOKENS.c.seen).label("seen")).where(TOKENS.c.player.in_(players))
        return {row.player: row.seen for row in await self._rows(newest.group_by(TOKENS.c.player))}

    async def set_role(self, player: str, role: Role) -> None:
        async with self._changing_account(player) as connection:
            await connection.execute(update(ACCOUNTS_TABLE).where(ACCOUNTS_TABLE.c.player == player).values(role=role))
            if role != "admin":
                rows = (await connection.execute(select(TOKENS).where(TOKENS.c.player == player))).all()
                ended = [token_id(row.digest) for row in rows if "admin" in read_scopes(row.scopes)]
                await self._end(connection, player, ended)
                await connection.execute(delete(INVITATIONS).where(INVITATIONS.c.player == player))

    async def close_account(self, player: str, *, is_closed: bool) -> None:
        async with self._changing_account(player) as connection:
            closed = update(ACCOUNTS_TABLE).where(ACCOUNTS_TABLE.c.player == player)
            await connection.execute(closed.values(is_closed=is_closed))
            if is_closed:
                for table in (TOKENS, INVITATIONS):
                    await connection.execute(delete(table).where(table.c.player == player))
                await self._record_revocation(connection, player)

    async def add_codes(self, player: str, codes: Collection[str]) -> None:
        async with self._changing_account(player) as connection:
            await self._set_codes(connection, player, codes)


def _token_of(row: Row[Any]) -> TokenRecord:
    return TokenRecord(
        token_id(row.digest),
        row.label,
        read_scopes(row.scopes),
        row.created,
        row.seen,
        row.expires,
        row.is_session,
        row.parent,
    )
