"""The incidents of bots, and the port of their store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Protocol

from cornered.protocol.bot_reports import MAX_FAILURE_CHARS, BotIncident, escaped_lines

__all__ = ["KEPT_INCIDENTS", "KEPT_OF_MATCH", "BotIncidents", "Incident", "IncidentsUnavailable", "incident_id"]

KEPT_INCIDENTS: Final = 100
"""Incidents of one bot; an older one gives way to a newer one."""
KEPT_OF_MATCH: Final = 10
"""Incidents of one bot in one match, so that one match does not displace the incidents of all others."""
_ID_CHARS: Final = 32


class IncidentsUnavailable(Exception):
    """The store is unreachable, or was lost before it confirmed."""


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident of a bot as it is stored. `id` makes that a repeated command is stored once."""

    id: str
    player: str
    what: BotIncident

    @classmethod
    def noted(cls, id: str, player: str, what: BotIncident) -> Incident:
        """Return an incident whose text is escaped, and cut at its bound."""
        text = escaped_lines(what.text)[:MAX_FAILURE_CHARS]
        return cls(id, player, what.model_copy(update={"text": text}))


class BotIncidents(Protocol):
    """The newest incidents of each bot. Every method raises IncidentsUnavailable."""

    async def add(self, incidents: Sequence[Incident]) -> None:
        """Store incidents but for those whose id is there, and drop what is beyond the newest of a player or match."""

    async def newest(self, player: str) -> Sequence[BotIncident]:
        """Return a player's incidents, the newest first."""


def incident_id(player: str, cause: str) -> str:
    """Return the id of the incident that a player's command, or the end of a connection, causes."""
    return sha256(f"{player} {cause}".encode()).hexdigest()[:_ID_CHARS]
