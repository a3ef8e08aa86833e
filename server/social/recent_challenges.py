"""Of whose challenges players were notified lately: who challenges again and again is announced once. Pure."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import Final

__all__ = ["MAX_PLAYERS", "QUIET_MS", "RecentChallenges"]

QUIET_MS: Final = 10 * 60 * 1000
"""How long further challenges of one player to another are not announced; a challenge itself waits for a minute."""
MAX_PLAYERS: Final = 20
"""Players who are notified of one player's challenges within that time."""
KEPT: Final = 10_000
"""Pairs of players that are remembered; the oldest makes room."""


class RecentChallenges:
    """The challenges that one node has announced."""

    def __init__(self) -> None:
        # When each was announced, by challenger and challenged player, the oldest first.
        self._announced: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._of: Counter[str] = Counter()

    def admit(self, by: str, to: str, now: int) -> bool:
        """Return whether a challenge is to be announced; from `now` on, in milliseconds, it is."""
        while self._announced and next(iter(self._announced.values())) <= now - QUIET_MS:
            self._forget_oldest()
        if (by, to) in self._announced or self._of[by] >= MAX_PLAYERS:
            return False
        if len(self._announced) >= KEPT:
            self._forget_oldest()
        self._announced[by, to] = now
        self._of[by] += 1
        return True

    def _forget_oldest(self) -> None:
        (by, _), _ = self._announced.popitem(last=False)
        self._of[by] -= 1
        if not self._of[by]:
            del self._of[by]
