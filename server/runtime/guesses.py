"""Wrong codes of groups, bounded for each player and each address, so that nobody finds a group by trying."""

from __future__ import annotations

from typing import Final

from cornered.server.refusal import Refusal, milliseconds
from cornered.server.runtime.tallies import Allowance, Tally

__all__ = ["ADDRESS_GUESSES", "PLAYER_GUESSES", "Guesses"]

PLAYER_GUESSES: Final = 10
"""Wrong codes of a player at once; one more each minute."""
PLAYER_RATE: Final = 1 / 60
ADDRESS_GUESSES: Final = 60
"""Wrong codes from an address at once, such as a class's; one more every ten seconds."""
ADDRESS_RATE: Final = 1 / 10


class Guesses:
    """The wrong codes at one node."""

    def __init__(self) -> None:
        self._tally = Tally(
            player=Allowance(PLAYER_GUESSES, PLAYER_RATE), address=Allowance(ADDRESS_GUESSES, ADDRESS_RATE)
        )

    def check(self, player: str, address: str) -> None:
        """Raise a Refusal where a player or an address has named too many wrong codes."""
        wait = self._tally.wait(player, address)
        if wait:
            text = "too many codes that no group has; look at the code again, and try it in a moment"
            raise Refusal("too_fast", text, retry_after=milliseconds(wait))

    def failed(self, player: str, address: str) -> None:
        """A player has named a code that no group has."""
        self._tally.count(player, address)
