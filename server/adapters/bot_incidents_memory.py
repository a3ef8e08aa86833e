"""The incidents of bots in memory, lost with the process."""

from __future__ import annotations

from collections.abc import Sequence

from cornered.protocol.bot_reports import BotIncident
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.bot.incidents import KEPT_INCIDENTS, KEPT_OF_MATCH, Incident

__all__ = ["MemoryBotIncidents"]


class MemoryBotIncidents:
    """Implements `BotIncidents`."""

    def __init__(self, accounts: MemoryAccounts) -> None:
        self._kept: dict[str, dict[str, Incident]] = {}
        accounts.on_delete.append(self._forget)

    async def add(self, incidents: Sequence[Incident]) -> None:
        for incident in incidents:
            kept = self._kept.setdefault(incident.player, {})
            kept.setdefault(incident.id, incident)
            if (match := incident.what.match) is not None:
                of_match = [one for one in self._newest(incident.player) if one.what.match == match]
                for old in of_match[KEPT_OF_MATCH:]:
                    del kept[old.id]
            for old in self._newest(incident.player)[KEPT_INCIDENTS:]:
                del kept[old.id]

    async def newest(self, player: str) -> Sequence[BotIncident]:
        return [incident.what for incident in self._newest(player)]

    def _forget(self, player: str) -> None:
        self._kept.pop(player, None)

    def _newest(self, player: str) -> list[Incident]:
        return sorted(self._kept.get(player, {}).values(), key=lambda one: (-one.what.at, one.id))
