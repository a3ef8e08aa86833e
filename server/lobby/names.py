"""One visible name for each player who is here: a second one that reads the same gets a number. Pure."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Final

from cornered.protocol.text import MAX_NAME, fold_name

__all__ = ["IN_A_ROW", "Names"]

IN_A_ROW: Final = 16
"""Numbers that are tried one after the other for a name."""
SPARE_NUMBERS: Final = 1_000_000
"""How many numbers above those a player's id chooses from when all of them are taken."""
_NUMBER: Final = re.compile(r" \((\d+)\)$")


@lru_cache(maxsize=4_096)
def _likeness(name: str) -> str:
    """Return what names that read alike have in common: letters, marks and digits, whatever stands between them."""
    folded = fold_name(name)
    return "".join(one for one in folded if unicodedata.category(one)[0] in "LMN") or folded


def _numbered(name: str, number: int) -> str:
    suffix = f" ({number})"
    return name[: MAX_NAME - len(suffix)].rstrip() + suffix


def _numbers(player: str, first: int) -> Iterator[int]:
    """Yield the numbers to try. Whoever takes names that end in numbers does not know the ids of those who come."""
    yield from range(first, first + IN_A_ROW)
    for attempt in itertools.count():
        digest = blake2b(f"{player} {attempt}".encode(), digest_size=8).digest()
        yield first + IN_A_ROW + int.from_bytes(digest) % SPARE_NUMBERS


class Names:
    """The visible names of all players who are here.

    A player keeps the name that was chosen at the arrival, with its number, until the departure. Numbers of a name are
    not given again while one of its bearers is here. `reserved` names are for the operator's own players: everybody
    else always gets a number.
    """

    __slots__ = ("_bearers", "_highest", "_holders", "_reserved")

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._reserved = frozenset(map(_likeness, reserved))
        self._holders: dict[str, str] = {}
        self._bearers: dict[str, int] = {}
        self._highest: dict[str, int] = {}

    def may_bear(self, player: str, name: str, *, is_operators: bool) -> bool:
        """Say whether a player can be seen under this very name: it is nobody else's, and not kept for others."""
        likeness = _likeness(name)
        return self._holders.get(likeness, player) == player and (is_operators or likeness not in self._reserved)

    def choose(self, player: str, name: str, *, is_operators: bool = False) -> str:
        """Return the visible name of a player who arrives as `name`."""
        if self.may_bear(player, name, is_operators=is_operators):
            return name
        shown = map(partial(_numbered, name), _numbers(player, self._highest.get(_likeness(name), 1) + 1))
        return next(one for one in shown if self._holders.get(_likeness(one), player) == player)

    def take(self, player: str, name: str, shown: str) -> None:
        """Note that a player who arrived as `name` is `shown` so."""
        likeness = _likeness(name)
        self._holders[_likeness(shown)] = player
        self._bearers[likeness] = self._bearers.get(likeness, 0) + 1
        numbered = None if shown == name else _NUMBER.search(shown)
        if numbered:
            self._highest[likeness] = max(self._highest.get(likeness, 1), int(numbered[1]))

    def free(self, name: str, shown: str) -> None:
        """Note that the player who arrived as `name` and was `shown` so has departed."""
        likeness = _likeness(name)
        self._holders.pop(_likeness(shown), None)
        self._bearers[likeness] -= 1
        if not self._bearers[likeness]:
            del self._bearers[likeness]
            self._highest.pop(likeness, None)
