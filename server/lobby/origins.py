"""How much came from each address, so that one with many players takes no more than its share. Pure."""

from __future__ import annotations

__all__ = ["MatchOrigins", "Origins"]


class Origins:
    """Things by the address from which they came. Things without a known address are not counted."""

    __slots__ = ("_counts", "_origins")

    def __init__(self) -> None:
        self._origins: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def count(self, address: str) -> int:
        """Return how many things came from `address`."""
        return self._counts.get(address, 0)

    def of(self, thing: str) -> str:
        """Return where a thing came from; empty when that is not known."""
        return self._origins.get(thing, "")

    def add(self, thing: str, address: str) -> None:
        if address and thing not in self._origins:
            self._origins[thing] = address
            self._counts[address] = self._counts.get(address, 0) + 1

    def remove(self, thing: str) -> None:
        address = self._origins.pop(thing, "")
        if address:
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]


class MatchOrigins:
    """Live matches by the addresses of their players: once for each address, however many of its players are in it.

    A match counts for the address that its player has when it is made, or when the player first arrives after that,
    as after a restart; it counts there until it is over, wherever the player goes meanwhile.
    """

    __slots__ = ("_counts", "_origins")

    def __init__(self) -> None:
        self._origins: dict[str, dict[str, str]] = {}
        self._counts: dict[str, int] = {}

    def count(self, address: str) -> int:
        """Return how many live matches count for `address`."""
        return self._counts.get(address, 0)

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
