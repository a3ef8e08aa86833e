"""A search of the archive: its conditions, its order, and the cursors of its pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from cornered.protocol.archive import ArchiveFilter
from cornered.server.archive.index import Indexed, option_text

__all__ = ["ArchivePage", "Cursor", "Search"]

_CURSOR: Final = re.compile(r"(?P<value>[0-9]{1,16})-(?P<tie>[0-9]{1,15})")


class Cursor(NamedTuple):
    """A place in an order: a match's end or plies, and its `tie`, which tells apart matches of the same value.

    The tie is a hash, since the place may be that of a private match, whose id is the key to it.
    """

    value: int
    tie: int

    @classmethod
    def parse(cls, text: str) -> Cursor | None:
        """Return the cursor that was written so; None for any other text."""
        found = _CURSOR.fullmatch(text)
        return None if found is None else cls(int(found["value"]), int(found["tie"]))

    def __str__(self) -> str:
        return f"{self.value}-{self.tie}"


class ArchivePage(NamedTuple):
    """The ids of matches that were found, and where the next page begins; None after the last one."""

    matches: tuple[str, ...]
    more: Cursor | None


@dataclass(frozen=True, slots=True)
class Search:
    """What a search looks for, with the conditions of the client, and the player who asks, if any.

    `variant` is the key of the game with all options where the search is exact.
    """

    wanted: ArchiveFilter
    viewer: str | None = None
    variant: str | None = None

    @property
    def player(self) -> str | None:
        """The player whose matches are looked through."""
        return self.wanted.player or self.wanted.opponent

    @property
    def sees_private(self) -> bool:
        """Whether all matches that can be found are the viewer's own."""
        return self.viewer is not None and self.viewer in (self.wanted.player, self.wanted.opponent)

    @property
    def by_plies(self) -> bool:
        return self.wanted.order == "longest"

    @property
    def opening_text(self) -> str:
        return "".join(f"{move} " for move in self.wanted.opening)

    def option_parts(self) -> list[str]:
        """Return the texts that `options_text` of a match contains where it has these options."""
        return [option_text(name, value) for name, value in self.wanted.options.items()]

    def has(self, match: Indexed, ratings: Sequence[float]) -> bool:
        """Return whether a match is found, whose players had these `ratings` before it; none where it changed none."""
        wanted = self.wanted
        players = [player for player, _ in match.players]
        if (match.private and not self.sees_private) or any(
            each is not None and each not in players for each in (wanted.player, wanted.opponent)
        ):
            return False
        expected = (
            (wanted.game, match.game),
            (self.variant, match.variant),
            (wanted.reason, match.reason),
            (wanted.clock, match.clock),
            (wanted.rated, match.rated),
        )
        if any(given is not None and given != found for given, found in expected):
            return False
        bounds = (
            (wanted.least_plies, match.plies, wanted.most_plies),
            (wanted.ended_from, match.ended, wanted.ended_until),
        )
        if any(
            (least is not None and value < least) or (most is not None and value > most)
            for least, value, most in bounds
        ):
            return False
        if not self._has_ratings(ratings):
            return False
        if not all(part in match.options for part in self.option_parts()):
            return False
        return match.opening_text.startswith(self.opening_text) and self._has_result(match)

    def _has_ratings(self, ratings: Sequence[float]) -> bool:
        least, most = self.wanted.least_rating, self.wanted.most_rating
        if least is None and most is None:
            return True
        return bool(ratings) and (least is None or min(ratings) >= least) and (most is None or max(ratings) <= most)

    def _has_result(self, match: Indexed) -> bool:
        wanted = self.wanted.result
        if wanted is None:
            return True
        if self.player is None or wanted in ("decided", "none"):
            return match.outcome == wanted
        return any(player == self.player and result == wanted for _, player, _, result in match.seats())
