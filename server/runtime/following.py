"""Follows what all nodes share in the store, also through outages of the store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

__all__ = ["follow"]

OUTAGE_SECONDS: Final = 0.5
"""Seconds by which the next look after a failed one is later, however often something asks for it."""

log = structlog.get_logger("following")


async def follow(
    what: str,
    look: Callable[[], Awaitable[None]],
    pause: Callable[[], Awaitable[object]],
    outages: tuple[type[Exception], ...],
) -> None:
    """Look after each pause until cancelled; what is stored during an outage is found after it.

    An outage is logged at its begin. Any other error is a defect in one look, which must not end the server.
    """
    is_blind = False
    while True:
        await pause()
        try:
            await look()
        except outages as error:
            if not is_blind:
                log.warning("the store cannot be read", for_=what, reason=str(error))
            is_blind = True
            await asyncio.sleep(OUTAGE_SECONDS)
        except Exception:
            log.exception("what is stored could not be read", for_=what)
        else:
            is_blind = False
