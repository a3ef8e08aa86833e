"""Counts seeks, challenges, pool entries and matches by address, for the limits of one address. Pure."""

from __future__ import annotations

__all__ = ["MatchOrigins", "Origins"]


class Origins:
    """Seeks, challenges or entries in pools by the address of their player; those without a known address do not count.

    After a restart they count from their creator's first arrival on.
    """

    __slots__ = ("_counts", "_origins")

    def __init__(self) -> None:
        self._origins: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def count(self, address: str) -> int:
        """Return the number of entries from `address`."""
        return self._counts.get(address, 0)

    def address_of(self, entry: str) -> str:
        """Return an entry's address; empty when that is not known."""
        return self._origins.get(entry, "")

    def add(self, entry: str, address: str) -> None:
        if address and entry not in self._origins:
            self._origins[entry] = address
            self._counts[address] = self._counts.get(address, 0) + 1

    def remove(self, entry: str) -> None:
        address = self._origins.pop(entry, "")
        if address:
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]


class MatchOrigins:
    """Live matches by the addresses of their players, one for each address, however many of its players are in it.

    A match counts for the address of a player at its start, or at the player's first arrival after that, as after a
    restart. It counts there until it is over, also when the player's address changes.
    """

    __slots__ = ("_counts", "_origins")

    def __init__(self) -> None:
        self._origins: dict[str, dict[str, str]] = {}
        self._counts: dict[str, int] = {}

    def count(self, address: str) -> int:
        """Return the number of live matches that count for `address`."""
        return self._counts.get(address, 0)

    def has(self, match: str, address: str) -> bool:
        """Return whether a live match counts for `address`."""
        return address in self._origins.get(match, {}).values()

    def add(self, match: str, player: str, address: str) -> None:
        origins = self._origins.setdefault(match, {})
        if address and player not in origins:
            if address not in origins.values():
                self._counts[address] = self._counts.get(address, 0) + 1
            origins[player] = address

    def remove(self, match: str) -> None:
        for address in set(self._origins.pop(match, {}).values()):
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]
