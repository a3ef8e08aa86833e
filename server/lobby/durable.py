"""What of the lobby is stored, and the events that a whole lobby is folded from. Pure.

Tables, challenges, players who wait in pools, matches that are to be opened, and the answers to the commands that made
them survive a restart. Presence, declarations of bots and other answers do not: players connect again, and bots declare
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cornered.server.lobby.events import (
    Answered,
    Arrived,
    BotNamed,
    ChallengeEnded,
    ChallengeSent,
    Declared,
    LobbyEvent,
    MatchEnded,
    MatchMade,
    PoolEntered,
    PoolLeft,
    SeekClosed,
    SeekJoined,
    SeekLeft,
    SeekPosted,
    WentAway,
)
from cornered.server.lobby.state import LobbyFacts

__all__ = ["checkpoint", "durable", "whole"]

_LASTING: Final = (
    SeekPosted,
    SeekJoined,
    SeekLeft,
    SeekClosed,
    ChallengeSent,
    ChallengeEnded,
    MatchMade,
    PoolEntered,
    PoolLeft,
)


def durable(events: Sequence[LobbyEvent]) -> tuple[LobbyEvent, ...]:
    """Return those of one decision's events that are stored; its answer only where another one is."""
    if not any(map(_is_lasting, events)):
        return ()
    return tuple(event for event in events if isinstance(event, Answered) or _is_lasting(event))


def _is_lasting(event: LobbyEvent) -> bool:
    return isinstance(event, _LASTING) or (isinstance(event, MatchEnded) and event.is_withdrawn)


def checkpoint(lobby: LobbyFacts, unopened: Iterable[MatchMade], answers: Iterable[Answered]) -> tuple[LobbyEvent, ...]:
    """Return the events that everything durable is folded from; `unopened` are matches that are to be opened."""
    return (*_tables(lobby), *unopened, *answers)


def whole(lobby: LobbyFacts) -> Iterator[LobbyEvent]:
    """Yield the events that a lobby is folded from, without its answers."""
    for guest in lobby.guests.values():
        yield Arrived(guest.player, guest.name, guest.address)
        if guest.concurrency is not None:
            yield Declared(guest.player.id, guest.accepts, guest.concurrency, guest.ladder, guest.version)
    for player, since in lobby.away.items():
        yield WentAway(player, since)
    yield from _tables(lobby)
    for entry in lobby.pools.entries():
        if entry.bot is not None:
            yield BotNamed(entry.player.id, entry.bot)
    yield from lobby.matches.values()


def _tables(lobby: LobbyFacts) -> Iterator[LobbyEvent]:
    for table in lobby.tables.values():
        yield SeekPosted(table.seek, table.asked)
    for challenge in lobby.challenges.values():
        yield ChallengeSent(challenge, is_hidden=challenge.challenge in lobby.hidden)
    for entry in lobby.pools.entries():
        yield PoolEntered(entry.player, entry.pool, entry.rating, entry.since)
