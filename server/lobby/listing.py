"""A long list that is shown in pages: what costs anything is the page, not the list. Pure."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

__all__ = ["Listing"]


class Listing:
    """Keys in the order of their ranks, the highest first.

    Ranks are positive, and unique. They serve as cursors: a page after one is the same whatever was added or removed
    since. Adding and removing are a binary search and the shift of a few bytes an entry.
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
        """List `key`; one that is listed stays where it is."""
        if key not in self._ranks:
            insort(self._order, rank)
            self._keys[rank] = key
            self._ranks[key] = rank

    def remove(self, key: str) -> bool:
        """Take `key` from the list; say whether it was there."""
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
        """Return the rank of the last of the first `count` keys; 0 when all keys are among them."""
        return self._order[-count] if len(self._order) > count else 0

    def after(self, cursor: int | None = None, *, floor: int = 0) -> Iterator[tuple[int, str]]:
        """Yield ranks and keys below `cursor`, or from the first on, down to `floor`."""
        order = self._order
        index = len(order) if cursor is None else bisect_left(order, cursor)
        while index and order[index - 1] >= floor:
            index -= 1
            yield order[index], self._keys[order[index]]
