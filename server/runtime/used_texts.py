"""Signed texts that are good once: each is recorded as used, and few for each address, since all share one bound."""

from __future__ import annotations

import asyncio
import math

from cornered.server.accounts import Accounts
from cornered.server.refusal import Refusal
from cornered.server.runtime.limits import AddressLimits
from cornered.server.runtime.signed_texts import SignedText

__all__ = ["spend"]


async def spend(accounts: Accounts, signed: SignedText, address: AddressLimits, now: int) -> bool:
    """Record that a text is used, which has been verified; return False where it was used before.

    `now` is the time in milliseconds since 1970. Raises Refusal where its address uses too many, and TooMany.
    """
    monotonic = asyncio.get_running_loop().time()
    if not address.spent.take(monotonic):
        text = "too many sign-ins and passkeys come from your address just now; try again in a moment"
        raise Refusal("too_fast", text, retry_after=math.ceil(address.spent.wait(monotonic)) * 1000)
    return await accounts.spend(signed.digest, now, signed.until)
