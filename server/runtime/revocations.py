"""Revoked tokens: this node looks for new revocations in the store, and disconnects their players.

The store is what all nodes share, and the only party that a revoking program has to reach. A hello is checked against
it in any case; looking is for the connections that are open already.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from cornered.server.ports import Accounts, AccountsUnavailable

__all__ = ["LOOK_SECONDS", "Revocations"]

LOOK_SECONDS: Final = 0.4
"""Seconds between two looks: with a query's time, connections close within a second."""

log = structlog.get_logger("revocations")


class Revocations:
    """The players whose tokens were revoked since the server started. `disconnect` closes a player's connections."""

    def __init__(self, accounts: Accounts, disconnect: Callable[[str], None]) -> None:
        self._accounts = accounts
        self._disconnect = disconnect
        self._newest = 0
        self._players: set[str] = set()

    async def begin(self) -> None:
        """Count from the newest revocation on, before players are admitted. Raises AccountsUnavailable."""
        self._newest = max((number for number, _ in await self._accounts.revoked(0)), default=0)

    def includes(self, player: str) -> bool:
        """Return whether a player is revoked: a hello may have read the token just before."""
        return player in self._players

    async def run(self) -> None:
        """Look for new revocations, until cancelled; those during an outage of the store are found after it."""
        is_blind = False
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                revoked = await self._accounts.revoked(self._newest)
            except AccountsUnavailable as error:
                if not is_blind:
                    log.warning("revoked tokens cannot be looked for", reason=str(error))
                is_blind = True
                continue
            is_blind = False
            for number, player in revoked:
                self._newest = number
                self._players.add(player)
                log.info("a token is revoked", player=player)
                self._disconnect(player)
