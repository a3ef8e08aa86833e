"""Reads finished public matches for plain HTTP requests, which pay for it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from websockets.http11 import Response

from cornered.protocol.events import Ended, MatchEvent, Started
from cornered.server.net.costs import download_cost
from cornered.server.net.responses import plain
from cornered.server.ports import DamagedMatch, Journal, JournalUnavailable
from cornered.server.runtime.limits import AddressLimits

__all__ = ["Payer", "read_finished"]


class Payer(Protocol):
    """Pays for one request in the name of its address."""

    @property
    def address(self) -> AddressLimits:
        """The limits of the address."""

    async def pay(self, cost: float) -> None:
        """Return when `cost` tokens are taken."""

    def reading(self) -> AbstractAsyncContextManager[None]:
        """Hold one of the few readings of the store that an address may owe; the block also pays for it.

        Raises Refusal when the others take too long.
        """


async def read_finished(journal: Journal, match_id: str, payer: Payer) -> Sequence[MatchEvent] | Response:
    """Return the events of a finished public match, or the refusal; a live one's could disclose what is withheld."""
    try:
        async with payer.reading():
            events = await journal.read(match_id)
            # Charged for a refusal too, since a long live match may be requested repeatedly.
            await payer.pay(download_cost(len(events)))
    except JournalUnavailable:
        return plain(503, "old matches cannot be read just now")
    except DamagedMatch:
        return plain(500, "this match is damaged and cannot be shown")
    if not events or not isinstance(events[0], Started) or events[0].private:
        return plain(404, "there is no such match")
    if not any(isinstance(event, Ended) for event in events):
        return plain(404, "the record is here when the match is over")
    return events
