"""A list with cursor pagination, where a page costs its own length and not that of the list. Pure."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

__all__ = ["Listing"]


class Listing:
    """Keys in descending order of their ranks, which are positive and unique.

    A rank is a cursor that stays valid whatever is added or removed. Adding and removing cost a binary search and a
    memmove of eight bytes an entry.
    """

    __slots__ = ("_keys", "_order", "_ranks")

    def __init__(self) -> None:
        self._order: list[int] = []
        self._keys: dict[int, str] = {}
        self._ranks: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._order)

    def __contains__(self, key: str) -> bool:
        return key in self._ranks

    def add(self, key: str, rank: int) -> None:
        """Add `key`; one that is listed already keeps its rank."""
        if key not in self._ranks:
            insort(self._order, rank)
            self._keys[rank] = key
            self._ranks[key] = rank

    def remove(self, key: str) -> bool:
        """Remove `key`; return whether it was listed."""
        rank = self._ranks.pop(key, None)
        if rank is None:
            return False
        del self._keys[rank]
        del self._order[bisect_left(self._order, rank)]
        return True

    def rank(self, key: str) -> int:
        """Return the rank of a key; 0 when it is not listed."""
        return self._ranks.get(key, 0)

    def floor(self, count: int) -> int:
        """Return the rank of key number `count` from the top; 0 when there are no more keys than that."""
        return self._order[-count] if len(self._order) > count else 0

    def after(self, cursor: int | None = None, *, floor: int = 0) -> Iterator[tuple[int, str]]:
        """Yield ranks and keys in descending order below `cursor`, or from the top, down to `floor`."""
        order = self._order
        index = len(order) if cursor is None else bisect_left(order, cursor)
        while index and order[index - 1] >= floor:
            index -= 1
            yield order[index], self._keys[order[index]]
