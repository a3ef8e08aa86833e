"""What an operator does with accounts, beside servers that run: list, create, grant, reset, close, invite, erase."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Final

from cornered.protocol.account import Role
from cornered.protocol.text import clean_name
from cornered.server.accounts import (
    NO_PASSWORD,
    AccountRecord,
    Accounts,
    NameTaken,
    NewAccount,
    TooMany,
    UnknownPlayer,
    account_called,
    is_name_claimed,
)
from cornered.server.backing_services import open_accounts, open_retention, using_store
from cornered.server.lobby.names import Names, comparison_key, is_numbered
from cornered.server.moderation.retention import Kind
from cornered.server.runtime.codes import code_digest, invitation_digest, new_code
from cornered.server.runtime.retention_service import sweep
from cornered.server.settings import MEMORY_DATABASE, Settings, SettingsError

__all__ = ["close_account", "create_account", "erase_old", "grant_role", "invite", "list_accounts", "reset_password"]

DAY_MS: Final = 24 * 60 * 60 * 1000
PAGE: Final = 500


async def list_accounts(settings: Settings, limit: int) -> Sequence[AccountRecord]:
    """Return up to `limit` accounts, by name. Raises SettingsError."""
    found: list[AccountRecord] = []
    async with _accounts(settings) as accounts:
        while len(found) < limit:
            after = found[-1].key if found else ""
            page = await accounts.accounts(min(PAGE, limit - len(found)), after)
            if not page:
                break
            found += page
    return found


async def create_account(settings: Settings, name: str) -> str:
    """Make an account without a password; return the recovery code that sets one.

    Raises SettingsError, and a ValueError where the name is taken or reserved.
    """
    name = clean_name(name)
    code = new_code()
    if is_numbered(name) or Names(settings.reserved_names).is_reserved(name):
        raise ValueError(f"the name {name} is reserved; choose another")
    new = NewAccount(name, comparison_key(name), NO_PASSWORD, (code_digest(code),), _now())
    async with _accounts(settings, is_made=True) as accounts:
        try:
            if await is_name_claimed(accounts, name, ""):
                raise NameTaken
            identity, _ = await accounts.register(new, None)
        except NameTaken:
            raise ValueError(f"the name {name} is an account's, or was; choose another") from None
        # Its first session has a token that nobody was told.
        await accounts.revoke(identity.player.id)
    return code


async def grant_role(settings: Settings, name: str, role: Role) -> AccountRecord:
    """Change an account's role; its tokens with more than the new role permits end.

    Raises SettingsError, and a ValueError where there is no such account.
    """
    async with _accounts(settings) as accounts:
        known = await _named(accounts, name)
        with _known(name):
            await accounts.set_role(known.player.id, role)
    return known


async def reset_password(settings: Settings, name: str) -> str:
    """Replace an account's recovery codes by one, and return it; the password stays until it is used.

    Raises SettingsError, and a ValueError where there is no such account.
    """
    code = new_code()
    async with _accounts(settings) as accounts:
        known = await _named(accounts, name)
        with _known(name):
            await accounts.add_codes(known.player.id, (code_digest(code),))
    return code


async def close_account(settings: Settings, name: str, *, is_closed: bool) -> AccountRecord:
    """Close an account, with all of its sessions and tokens, or open it again.

    Raises SettingsError, and a ValueError where there is no such account.
    """
    async with _accounts(settings) as accounts:
        known = await _named(accounts, name)
        with _known(name):
            await accounts.close_account(known.player.id, is_closed=is_closed)
    return known


async def invite(settings: Settings, uses: int, days: int) -> str:
    """Store an invitation to register, and return its code. Raises SettingsError, and a ValueError for one too many."""
    code, now = new_code(), _now()
    async with _accounts(settings, is_made=True) as accounts:
        try:
            await accounts.invite(invitation_digest(code), uses, now, now + days * DAY_MS)
        except TooMany:
            raise ValueError("there are too many invitations; wait until some are used or expire") from None
    return code


async def erase_old(settings: Settings, *, is_dry: bool) -> dict[Kind, int]:
    """Erase what is kept for longer than the settings say, or only count it; return how much of each kind.

    Raises SettingsError.
    """
    if settings.database == MEMORY_DATABASE:
        raise SettingsError("CORNERED_DATABASE: a store in memory keeps nothing that outlives its server")
    async with open_retention(settings) as store:
        with using_store():
            return await sweep(store, settings.periods, _now(), is_dry=is_dry)


@contextlib.asynccontextmanager
async def _accounts(settings: Settings, *, is_made: bool = False) -> AsyncIterator[Accounts]:
    if settings.database == MEMORY_DATABASE:
        raise SettingsError("CORNERED_DATABASE: a store in memory has no accounts that outlive its server")
    async with open_accounts(settings, is_made=is_made) as accounts:
        try:
            yield accounts
        except ValueError:
            raise
        except Exception:
            with using_store():
                raise


async def _named(accounts: Accounts, name: str) -> AccountRecord:
    """Return the account with a name, or an id. Raises ValueError."""
    known = await account_called(accounts, clean_name(name)) or await accounts.account(name)
    if known is None:
        raise ValueError(f"there is no account called {name}; `cornered admin accounts list` shows all")
    return known


@contextlib.contextmanager
def _known(name: str) -> Iterator[None]:
    try:
        yield
    except UnknownPlayer:
        raise ValueError(f"the account {name} was deleted just now") from None


def _now() -> int:
    return time.time_ns() // 1_000_000
