"""The search for accounts by administrators and operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cornered.protocol.account import Role
from cornered.protocol.text import comparison_key
from cornered.protocol.values import Player
from cornered.server.accounts import Accounts

__all__ = ["FoundAccount", "find_accounts"]


@dataclass(frozen=True, slots=True)
class FoundAccount:
    """A player that was found; a guest has no role. `seen` is when a token of it was last used, 0 where unknown."""

    player: Player
    role: Role | None
    since: int | None
    seen: int
    is_closed: bool


async def find_accounts(
    accounts: Accounts, text: str, after: str | None, limit: int
) -> tuple[Sequence[FoundAccount], str | None]:
    """Return up to `limit` accounts whose present names begin so, by name, and where the next page begins.

    A player's whole id finds that player, also a guest. Raises AccountsUnavailable.
    """
    known = await accounts.by_id(text) if text and after is None else None
    if known is not None:
        account = await accounts.account(known.id)
        seen = await accounts.seen([known.id])
        role, since, is_closed = (account.role, account.since, account.is_closed) if account else (None, None, False)
        return [FoundAccount(known, role, since, seen.get(known.id, 0), is_closed)], None
    beginning = comparison_key(text) if text else ""
    records = await accounts.accounts(limit + 1, after or "", beginning=beginning)
    page = records[:limit]
    seen = await accounts.seen([one.player.id for one in page])
    more = page[-1].key if len(records) > limit else None
    return [
        FoundAccount(one.player, one.role, one.since, seen.get(one.player.id, 0), one.is_closed) for one in page
    ], more
