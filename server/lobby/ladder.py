"""The ladder of bots: which bots are free for it, and who of them plays whom. Pure.

Bots are paired as people in a pool are: those of similar rating first, newest opponents avoided while others may come.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from cornered.protocol.values import PairingPool, Player
from cornered.server.lobby.acceptance import check_bot
from cornered.server.lobby.events import Guest
from cornered.server.lobby.pool_pairing import Candidate, pair
from cornered.server.lobby.state import LobbyFacts
from cornered.server.match.catalogue import settle
from cornered.server.refusal import Refusal

__all__ = ["MAX_LADDER_BOTS", "Ladder"]

MAX_LADDER_BOTS: Final = 200
"""Bots that one round compares, those that declared first."""
OPPONENTS_REMEMBERED: Final = 3
"""A bot's newest opponents, whom pairing avoids."""


@dataclass(slots=True)
class Ladder:
    """What the ladder remembers from round to round, of bots that are here; nothing of it is stored."""

    _idle_since: dict[str, int] = field(default_factory=dict)
    _met: dict[str, deque[str]] = field(default_factory=dict)

    def free(self, lobby: LobbyFacts, pool: PairingPool, now: int) -> list[Guest]:
        """Return the bots that take one more game of the ladder in `pool`; none where only the operator's would.

        Since when each bot of the ladder has a place is noted.
        """
        here = dict.fromkeys(islice(lobby.ladder_bots, MAX_LADDER_BOTS))
        self._idle_since = {player: since for player, since in self._idle_since.items() if player in here}
        self._met = {player: met for player, met in self._met.items() if player in here}
        game, _ = settle(pool.game)
        free = list[Guest]()
        for player in here:
            guest = lobby.guests[player]
            if not lobby.is_here(player) or _games(lobby, player) >= guest.ladder:
                self._idle_since.pop(player, None)
                continue
            self._idle_since.setdefault(player, now)
            with suppress(Refusal):
                check_bot(guest, game, pool.clock, lobby.challenges_to(player), rated=True)
                free.append(guest)
        return [] if all(lobby.names.is_reserved(guest.player.name) for guest in free) else free

    def pairs(
        self, lobby: LobbyFacts, bots: Sequence[Guest], ratings: Mapping[str, float], now: int
    ) -> Iterator[tuple[Player, Player]]:
        """Yield who plays whom of `bots` with these ratings. Two bots of the operator's do not meet: nothing is learnt.

        Those without a rating in `ratings` are left out.
        """
        known = {guest.player.id: guest.player for guest in bots if guest.player.id in ratings}
        house = [player.id for player in known.values() if lobby.names.is_reserved(player.name)]
        candidates = [
            Candidate(
                player,
                ratings[player],
                now - self._idle_since.get(player, now),
                tuple(self._met.get(player, ())),
                kin="house" if player in house else "",
            )
            for player in known
        ]
        for one, other in pair(candidates):
            for player, opponent in ((one, other), (other, one)):
                self._met.setdefault(player, deque(maxlen=OPPONENTS_REMEMBERED)).append(opponent)
                self._idle_since.pop(player, None)
            yield known[one], known[other]


def _games(lobby: LobbyFacts, player: str) -> int:
    """Return how many of a bot's live matches are against bots alone."""
    matches = (lobby.matches[name] for name in lobby.matches_of.get(player, ()))
    return sum(all(seated.kind == "bot" for seated in made.players) for made in matches)
