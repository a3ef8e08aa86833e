"""The other nodes with clients of one match that this node owns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from cornered.server.cluster.messages import Subscribe
from cornered.server.runtime.timekeeping import SLOWEST_MS, Interval

__all__ = ["Subscribers"]


@dataclass(slots=True)
class _Subscriber:
    seats: frozenset[int]
    watchers: int
    # Since when nothing has come from the node, in milliseconds of the match clock.
    silent_since: int | None = None


class Subscribers:
    """Nodes by name, each with the seats and the number of spectators that it serves."""

    def __init__(self, silence_ms: Callable[[str], int]) -> None:
        """`silence_ms` returns the milliseconds since a node was heard."""
        self._silence_ms = silence_ms
        self._nodes: dict[str, _Subscriber] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    @property
    def watchers(self) -> int:
        """The number of spectators on all of them."""
        return sum(one.watchers for one in self._nodes.values())

    def serves(self, seat: int) -> bool:
        """Return whether the player in a seat has the match open on one of them."""
        return any(seat in one.seats for one in self._nodes.values())

    def add(self, node: str, wish: Subscribe) -> None:
        """Add or update a node, which is heard now."""
        self._nodes[node] = _Subscriber(frozenset(wish.seats), wish.watchers)

    def remove(self, node: str) -> bool:
        """Remove a node; return whether it was here."""
        return self._nodes.pop(node, None) is not None

    def fell_silent(self, node: str, now: int) -> None:
        """Nothing has come from a node lately."""
        subscriber = self._nodes.get(node)
        if subscriber is not None and subscriber.silent_since is None:
            subscriber.silent_since = now - self._silence_ms(node)

    def heard(self, node: str) -> bool:
        """Something comes from a node again; return whether it is one of these."""
        subscriber = self._nodes.get(node)
        if subscriber is not None:
            subscriber.silent_since = None
        return subscriber is not None

    def silent_stretch(self, seat: int, local: Collection[int], now: int) -> Interval | None:
        """Return the stretch until `now` in which a player could not be heard, if that is so.

        `local` are the seats of players who are connected to this node. A silent node counts from SLOWEST_MS on: a flag
        may be due before its link is lost.
        """
        if seat in local:
            return None
        heard: list[int] = []
        for node, one in self._nodes.items():
            if seat in one.seats:
                silence = self._silence_ms(node)
                if one.silent_since is None and silence <= SLOWEST_MS:
                    return None
                heard.append(now - silence if one.silent_since is None else one.silent_since)
        return (max(heard), now) if heard else None
