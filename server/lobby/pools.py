"""Who waits in which pool of quick pairing, and the pools that there are. Pure."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from cornered import engine
from cornered.protocol.messages import Waiting
from cornered.protocol.values import Fischer, GameSpec, PairingPool, Player, PoolStanding
from cornered.server.match.catalogue import settle

__all__ = ["MAX_REMEMBERED", "OPPONENTS_REMEMBERED", "Entry", "Pools", "offered_pools", "pool_named"]

_CLOCKS: Final = (
    Fischer(initial=60, increment=1),
    Fischer(initial=180, increment=2),
    Fischer(initial=600, increment=5),
)
"""The clocks of each game's pools, quickest first."""
OPPONENTS_REMEMBERED: Final = 3
"""A player's newest opponents from pools, whom pairing avoids."""
MAX_REMEMBERED: Final = 10_000
"""Players whose opponents are remembered, those with the newest games."""


@cache
def offered_pools() -> tuple[PairingPool, ...]:
    """Return the pools in the order in which they are shown: every game for two with each clock."""
    kinds = [kind for kind in engine.games() if kind().seats == 2]
    return tuple(
        PairingPool(id=f"{kind.name}-{clock.initial // 60}-{clock.increment}", game=spec, clock=clock)
        for kind in kinds
        for spec in (settle(GameSpec(name=kind.name))[1],)
        for clock in _CLOCKS
    )


@cache
def _by_id() -> dict[str, PairingPool]:
    return {pool.id: pool for pool in offered_pools()}


def pool_named(name: str) -> PairingPool | None:
    """Return the pool with this id; None where this server offers none."""
    return _by_id().get(name)


@dataclass(frozen=True, slots=True)
class Entry:
    """A player who waits in a pool since `since`, in milliseconds, with the `rating` at that time.

    `bot` is the bot that was named to the player as an opponent.
    """

    player: Player
    pool: str
    rating: float
    since: int
    bot: Player | None = None

    def message(self) -> Waiting:
        """Return what the player is told."""
        return Waiting(pool=self.pool, since=self.since, bot=self.bot)


class Pools:
    """The players who wait, each in one pool, and whom they met before.

    The opponents are not stored: after a restart two players may meet again.
    """

    __slots__ = ("_changed", "_entries", "_met", "_waiting")

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._waiting: dict[str, dict[str, None]] = {}  # pool -> players, in the order of their arrival
        self._met: OrderedDict[str, deque[str]] = OrderedDict()
        self._changed: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def entry(self, player: str) -> Entry | None:
        """Return where a player waits."""
        return self._entries.get(player)

    def entries(self) -> Iterator[Entry]:
        """Yield all who wait, in the order of their arrival."""
        yield from self._entries.values()

    def waiting_in(self, pool: str) -> tuple[Entry, ...]:
        """Return who waits in a pool, in the order of their arrival."""
        return tuple(self._entries[player] for player in self._waiting.get(pool, ()))

    def occupied(self) -> tuple[str, ...]:
        """Return the pools in which players wait."""
        return tuple(self._waiting)

    def opponents(self, player: str) -> tuple[str, ...]:
        """Return a player's newest opponents from pools."""
        return tuple(self._met.get(player, ()))

    def standings(self) -> tuple[PoolStanding, ...]:
        """Return the number of players in each pool that has any."""
        return tuple(PoolStanding(id=pool, waiting=len(players)) for pool, players in self._waiting.items())

    def take_changed(self) -> tuple[PoolStanding, ...]:
        """Return the pools whose numbers have changed since the last call."""
        changed, self._changed = self._changed, {}
        return tuple(PoolStanding(id=pool, waiting=len(self._waiting.get(pool, ()))) for pool in changed)

    def enter(self, entry: Entry) -> None:
        """Record that a player waits, in the place of an earlier pool."""
        self.leave(entry.player.id)
        self._entries[entry.player.id] = entry
        self._waiting.setdefault(entry.pool, {})[entry.player.id] = None
        self._changed[entry.pool] = None

    def leave(self, player: str) -> None:
        """Record that a player waits no more."""
        entry = self._entries.pop(player, None)
        if entry is None:
            return
        waiting = self._waiting[entry.pool]
        del waiting[player]
        if not waiting:
            del self._waiting[entry.pool]
        self._changed[entry.pool] = None

    def meet(self, player: str, opponent: str) -> None:
        """Remember an opponent."""
        met = self._met.pop(player, None) or deque(maxlen=OPPONENTS_REMEMBERED)
        met.append(opponent)
        self._met[player] = met
        if len(self._met) > MAX_REMEMBERED:
            self._met.popitem(last=False)

    def rename(self, player: Player) -> None:
        """Replace the name under which a player waits."""
        entry = self._entries.get(player.id)
        if entry is not None:
            self._entries[player.id] = replace(entry, player=player)

    def name_bot(self, player: str, bot: Player | None) -> None:
        """Record which bot is named to a player."""
        entry = self._entries.get(player)
        if entry is not None:
            self._entries[player] = replace(entry, bot=bot)
