"""Fills a store with live matches, so that a server starts with them."""

from __future__ import annotations

import asyncio
import secrets
import time

from cornered import engine
from cornered.protocol.values import NO_CLOCK, GameSpec, Player
from cornered.server.adapters.database import Database
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.match.dice import seed_of
from cornered.server.match.match import open_match
from cornered.server.match.terms import Opening

__all__ = ["stock"]


async def stock(url: str, matches: int) -> None:
    """Store `matches` live public matches in the database at `url`, each with two players of its own."""
    database = await Database.open(url, durability="normal")
    journal = SqlJournal(database)
    try:
        secret, now = await journal.secret(), int(time.time() * 1000)
        spec = GameSpec(name="trapgrid", options=dict(engine.load("trapgrid").options))

        async def store(number: int) -> None:
            name = secrets.token_hex(8)
            players = [Player(id=f"p{number}-{seat}", name=f"Guest {number}", kind="person") for seat in (0, 1)]
            await journal.append(
                name, 0, open_match(Opening(name, spec, players, NO_CLOCK), seed_of(secret, name), now=now)
            )

        for start in range(0, matches, 500):
            await asyncio.gather(*(store(number) for number in range(start, min(matches, start + 500))))
    finally:
        await journal.close()
        await database.close()
