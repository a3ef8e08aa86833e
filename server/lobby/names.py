"""Unique visible names of the players in the lobby: a second one that reads the same gets a number. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from functools import partial
from hashlib import blake2b
from typing import Final

from cornered.protocol.text import MAX_NAME, comparison_key

__all__ = ["MAX_CONSECUTIVE_NUMBERS", "RESERVED_WORDS", "Names", "comparison_key", "is_numbered"]

MAX_CONSECUTIVE_NUMBERS: Final = 16
"""Consecutive numbers that are tried for a name before random ones."""
RANDOM_NUMBER_RANGE: Final = 1_000_000
"""Range of the numbers that are hashed from a player's id once the consecutive ones are taken."""
RESERVED_WORDS: Final = ("admin", "administrator", "cornered", "deleted", "moderator", "operator", "server", "system")
"""Names that are reserved like those of house bots, since they read as the server's or the operator's own."""
_NUMBER: Final = re.compile(r" \((\d+)\)$")


def is_numbered(name: str) -> bool:
    """Return whether a name has the form of those that get a number."""
    return _NUMBER.search(name) is not None


def _numbered(name: str, number: int) -> str:
    suffix = f" ({number})"
    return name[: MAX_NAME - len(suffix)].rstrip() + suffix


def _numbers(player: str, first: int) -> Iterator[int]:
    """Yield the numbers to try; they depend on the player's id, so that an attacker cannot take them in advance."""
    yield from range(first, first + MAX_CONSECUTIVE_NUMBERS)
    for attempt in itertools.count():
        digest = blake2b(f"{player} {attempt}".encode(), digest_size=8).digest()
        yield first + MAX_CONSECUTIVE_NUMBERS + int.from_bytes(digest) % RANDOM_NUMBER_RANGE


class Names:
    """Visible names of all players in the lobby.

    A player keeps the visible name from arrival to departure, and beyond while a live match shows it: no other player
    gets it then. A number is not reused while a player with the same
    requested name is in the lobby. `reserved` names are for the operator's players: any other always gets a number.
    """

    __slots__ = ("_bearers", "_highest", "_holders", "_reserved", "_seated")

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._reserved = frozenset(map(comparison_key, (*reserved, *RESERVED_WORDS)))
        self._holders: dict[str, str] = {}  # comparison key of the visible name -> player
        self._bearers: dict[str, int] = {}  # comparison key of the requested name -> number of players
        self._highest: dict[str, int] = {}  # comparison key of the requested name -> highest number given
        self._seated: dict[str, dict[str, int]] = {}  # comparison key of a name -> player -> live matches that show it

    def may_bear(self, player: str, name: str, *, is_operators: bool) -> bool:
        """Return whether the name can be the player's visible name: not another's, and not reserved for others."""
        likeness = comparison_key(name)
        return self._is_free(player, likeness, is_operators=is_operators) and (
            is_operators or likeness not in self._reserved
        )

    def _is_free(self, player: str, likeness: str, *, is_operators: bool) -> bool:
        """Return whether no other player bears the name, nor plays a live match under it, which does not concern the
        operator's players."""
        if self._holders.get(likeness, player) != player:
            return False
        return is_operators or all(other == player for other in self._seated.get(likeness, ()))

    def seat(self, player: str, shown: str) -> None:
        """Record a live match that shows a player's name."""
        matches = self._seated.setdefault(comparison_key(shown), {})
        matches[player] = matches.get(player, 0) + 1

    def unseat(self, player: str, shown: str) -> None:
        """Record the end of a live match that shows a player's name."""
        likeness = comparison_key(shown)
        matches = self._seated[likeness]
        matches[player] -= 1
        if not matches[player]:
            del matches[player]
            if not matches:
                del self._seated[likeness]

    def is_reserved(self, name: str) -> bool:
        """Return whether a name is for the operator's players alone."""
        return comparison_key(name) in self._reserved

    def holder(self, name: str) -> str | None:
        """Return the player whose visible name, now or in a live match, reads like this one."""
        likeness = comparison_key(name)
        return self._holders.get(likeness) or next(iter(self._seated.get(likeness, ())), None)

    def choose(self, player: str, name: str, *, is_operators: bool = False, is_claimed: bool = False) -> str:
        """Return the visible name of a player who arrives as `name`; one that `is_claimed` is an account's."""
        if not is_claimed and self.may_bear(player, name, is_operators=is_operators):
            return name
        shown = map(partial(_numbered, name), _numbers(player, self._highest.get(comparison_key(name), 1) + 1))
        return next(one for one in shown if self._is_free(player, comparison_key(one), is_operators=is_operators))

    def take(self, player: str, name: str, shown: str) -> None:
        """Record the visible name `shown` of a player who requested `name`."""
        likeness = comparison_key(name)
        self._holders[comparison_key(shown)] = player
        self._bearers[likeness] = self._bearers.get(likeness, 0) + 1
        numbered = None if shown == name else _NUMBER.search(shown)
        if numbered:
            self._highest[likeness] = max(self._highest.get(likeness, 1), int(numbered[1]))

    def free(self, name: str, shown: str) -> None:
        """Release the visible name `shown` of a departed player who requested `name`."""
        likeness = comparison_key(name)
        self._holders.pop(comparison_key(shown), None)
        self._bearers[likeness] -= 1
        if not self._bearers[likeness]:
            del self._bearers[likeness]
            self._highest.pop(likeness, None)
