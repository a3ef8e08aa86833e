"""For how long what is stored about people is kept, and the store that erases it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

__all__ = ["DAY_MS", "KINDS", "Kind", "Periods", "RetentionStore", "RetentionUnavailable"]

DAY_MS: Final = 24 * 60 * 60 * 1000
Kind: TypeAlias = Literal["undated", "report_chat", "reports", "addresses", "incidents", "tokens", "sessions", "guests"]
"""What is erased: `report_chat` and `reports` are what is kept beside the log, `incidents` those of bots, `tokens`
personal ones after their end.

`undated` are tokens of before their use was recorded: they count as used at the first sweep that meets them.
"""
KINDS: Final[tuple[Kind, ...]] = (
    "undated",
    "report_chat",
    "reports",
    "addresses",
    "incidents",
    "tokens",
    "sessions",
    "guests",
)
"""In the order in which they are erased."""


class RetentionUnavailable(Exception):
    """The store is unreachable, or was lost before it confirmed."""


@dataclass(frozen=True, slots=True)
class Periods:
    """The days for which each kind is kept; None for ever."""

    chat: int
    reports: int
    addresses: int
    incidents: int
    sessions: int | None = None
    guests: int | None = None

    def ends(self, now: int) -> Mapping[Kind, int]:
        """Return for each kind that is erased the time before which it is too old at `now`, in milliseconds."""
        found: dict[Kind, int] = {
            "report_chat": now - self.chat * DAY_MS,
            "reports": now - self.reports * DAY_MS,
            "addresses": now - self.addresses * DAY_MS,
            "incidents": now - self.incidents * DAY_MS,
            "tokens": now,
        }
        if self.sessions is not None:
            found["sessions"] = now - self.sessions * DAY_MS
        if self.guests is not None:
            found["guests"] = now - self.guests * DAY_MS
        if self.sessions is not None or self.guests is not None:
            found["undated"] = now
        return {kind: found[kind] for kind in KINDS if kind in found}


class RetentionStore(Protocol):
    """What is too old, as conditions on what is stored: erasing twice changes nothing more.

    Times are milliseconds since 1970. Every method raises RetentionUnavailable.
    """

    async def claim(self, now: int) -> bool:
        """Take today's sweep for the caller, for a while; return False where it is done, or another node's."""

    async def renew(self, now: int) -> None:
        """Keep the sweep for the caller for a while longer."""

    async def done(self, now: int) -> None:
        """Note that today's sweep is done."""

    async def due(self, kind: Kind, before: int) -> int:
        """Return how many rows, or guests, of a kind are too old."""

    async def erase(self, kind: Kind, before: int, limit: int) -> int:
        """Erase up to `limit` of them, and return how many were found; less than `limit` means that none is left."""
