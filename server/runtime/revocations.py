"""Revoked tokens: this node looks for new revocations in the store, and disconnects those who used them.

The store is what all nodes share, and the only party that a revoking program has to reach. A hello is checked against
it in any case; looking is for the connections that are open already.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

import structlog

from cornered.server.accounts import Accounts, AccountsUnavailable, Identity, Revocation
from cornered.server.runtime.following import follow
from cornered.server.runtime.rights import RightEnded, Rights

__all__ = ["LOOK_SECONDS", "Greeting", "Revocations"]

LOOK_SECONDS: Final = 0.4
"""Seconds between two looks: with a query's time, connections close within a second."""

log = structlog.get_logger("revocations")


class Greeting:
    """The revocations that are found while one hello is answered."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: list[Revocation] = []

    def found(self, revocation: Revocation) -> None:
        self._found.append(revocation)

    def ended(self, identity: Identity) -> bool:
        """Return whether a token was revoked after the store was asked for it."""
        return any(one.covers(identity.player.id, identity.session) for one in self._found)


class Revocations:
    """The newest revocations. `revoked` closes the connections that one covers; a player's last one ends all rights."""

    def __init__(self, accounts: Accounts, revoked: Callable[[Revocation], None], rights: Rights) -> None:
        self._accounts = accounts
        self._revoked = revoked
        self._rights = rights
        self._newest = 0
        self._greetings: set[Greeting] = set()

    async def begin(self) -> None:
        """Count from the newest revocation on, before players are admitted. Raises AccountsUnavailable."""
        self._newest = await self._accounts.newest_revocation()

    @contextmanager
    def greeting(self) -> Iterator[Greeting]:
        """Collect what is found in the block, which asks the store for a token and ends before its socket has entered.

        A revocation is committed before the store is asked, and then the token is unknown; or it is found in the block;
        or it is found later, when the socket is among those that it closes.
        """
        greeting = Greeting()
        self._greetings.add(greeting)
        try:
            yield greeting
        finally:
            self._greetings.remove(greeting)

    async def run(self) -> None:
        """Look for new revocations, until cancelled; those during an outage of the store are found after it."""
        await follow("revoked tokens", self.look, partial(asyncio.sleep, LOOK_SECONDS), (AccountsUnavailable,))

    async def look(self) -> None:
        """Look for new revocations once. Raises AccountsUnavailable."""
        found = await self._accounts.revoked(self._newest)
        # Before anything counts as seen: an outage in between must not lose it.
        departed = dict(await self._accounts.departed({one.player for one in found})) if found else {}
        for revocation in found:
            if revocation.number <= self._newest:
                # Another look was faster.
                continue
            self._newest = revocation.number
            # Whoever signs out causes it: no line for the log of everyday.
            log.debug("a token is revoked", player=revocation.player)
            for greeting in self._greetings:
                greeting.found(revocation)
            self._revoked(revocation)
            if (how := departed.pop(revocation.player, None)) is not None:
                self._rights.ended(RightEnded(how, revocation.player))
