"""The lobby folded from its events: who is here, which tables are open, who challenges whom. Pure.

The lobby lives in memory alone: a restart closes its tables, and nothing of a match depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Self, TypeAlias, TypeVar, assert_never

from protocol.messages import ChallengeClosed, Challenged
from protocol.values import Accepts, Clock, GameSpec, Player, Presence, Seek

__all__ = [
    "AWAY_GRACE",
    "REMEMBERED",
    "Answered",
    "Arrived",
    "ChallengeEnded",
    "ChallengeSent",
    "Declared",
    "Departed",
    "Guest",
    "LobbyEvent",
    "LobbyFacts",
    "MatchEnded",
    "MatchMade",
    "SeekClosed",
    "SeekJoined",
    "SeekLeft",
    "SeekPosted",
    "WentAway",
]

AWAY_GRACE: Final = 30_000
"""How long a player without a connection keeps tables and challenges, in milliseconds."""
REMEMBERED: Final = 64
"""How many of a player's newest commands are known again when they are repeated."""

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Arrived:
    """A player is here, for the first time or again."""

    player: Player


@dataclass(frozen=True, slots=True)
class WentAway:
    """A player's last connection is gone; what is theirs stays for a while."""

    player: str
    at: int


@dataclass(frozen=True, slots=True)
class Departed:
    """A player is no longer here."""

    player: str


@dataclass(frozen=True, slots=True)
class Declared:
    """A bot said what it plays."""

    player: str
    accepts: tuple[Accepts, ...]
    concurrency: int


@dataclass(frozen=True, slots=True)
class SeekPosted:
    """A table is open. `asked` is the game as its creator named it, before the server filled in the options."""

    seek: Seek
    asked: GameSpec


@dataclass(frozen=True, slots=True)
class SeekJoined:
    seek: str
    player: Player


@dataclass(frozen=True, slots=True)
class SeekLeft:
    seek: str
    player: str


@dataclass(frozen=True, slots=True)
class SeekClosed:
    """A table is gone: because its match begins, or because its creator gave it up."""

    seek: str


@dataclass(frozen=True, slots=True)
class ChallengeSent:
    challenge: Challenged


@dataclass(frozen=True, slots=True)
class ChallengeEnded:
    """A challenge is over; both players `told` are to hear how."""

    closed: ChallengeClosed
    told: tuple[str, str]


@dataclass(frozen=True, slots=True)
class MatchMade:
    """A match is to be opened, or goes on after a restart: `players` sit in this order, and are busy from now on."""

    match: str
    spec: GameSpec
    players: tuple[Player, ...]
    clock: Clock
    private: bool = False
    delay: int = 0


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """A match is over, or could not be opened: its players are free again."""

    match: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A command was carried out; `ref` is what it made."""

    player: str
    command: str
    ref: str | None


LobbyEvent: TypeAlias = (
    Arrived
    | WentAway
    | Departed
    | Declared
    | SeekPosted
    | SeekJoined
    | SeekLeft
    | SeekClosed
    | ChallengeSent
    | ChallengeEnded
    | MatchMade
    | MatchEnded
    | Answered
)


@dataclass(frozen=True, slots=True)
class Table:
    """A seek and the game as its creator named it."""

    seek: Seek
    asked: GameSpec


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who is here. `concurrency` is None for people, and for bots that have not declared."""

    player: Player
    playing: int = 0
    tables: int = 0
    accepts: tuple[Accepts, ...] = ()
    concurrency: int | None = None

    @property
    def free(self) -> int:
        """How many more games a declared bot takes; a seat at an open table is as good as taken."""
        return max(0, (self.concurrency or 0) - self.playing - self.tables)

    def presence(self) -> Presence:
        """Return the guest as others see it."""
        return Presence(player=self.player, playing=self.playing, accepts=self.accepts, free=self.free)


@dataclass(frozen=True, slots=True)
class LobbyFacts:
    """The lobby. Mappings are never changed in place; what did not change is the same object as before.

    `away` tells since when a guest has had no connection; `matches` who plays in each live match; `playing` how many
    matches a player is in, here or not; `answers` the newest commands of each guest and what they made.
    """

    guests: Mapping[str, Guest] = field(default_factory=dict)
    away: Mapping[str, int] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    challenges: Mapping[str, Challenged] = field(default_factory=dict)
    matches: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    playing: Mapping[str, int] = field(default_factory=dict)
    answers: Mapping[str, Mapping[str, Answered]] = field(default_factory=dict)

    def answered(self, player: str, command_id: str) -> Answered | None:
        """Return the answer to this command of the player's, if it was carried out before."""
        return self.answers.get(player, {}).get(command_id)

    def deadline(self) -> int | None:
        """Return when `tick` has something to decide."""
        times = [challenge.expires for challenge in self.challenges.values()]
        times += [since + AWAY_GRACE for since in self.away.values()]
        return min(times, default=None)

    def evolve(self, event: LobbyEvent) -> Self:
        """Return the lobby after `event`."""
        match event:
            case Arrived():
                return self._after_arrival(event.player)
            case WentAway():
                return replace(self, away={**self.away, event.player: event.at})
            case Departed():
                return replace(
                    self,
                    guests=_without(self.guests, event.player),
                    away=_without(self.away, event.player),
                    answers=_without(self.answers, event.player),
                )
            case Declared():
                guest = replace(self.guests[event.player], accepts=event.accepts, concurrency=event.concurrency)
                return replace(self, guests={**self.guests, event.player: guest})
            case SeekPosted():
                table = Table(event.seek, event.asked)
                return replace(self, tables={**self.tables, event.seek.id: table})._seated([event.seek.by.id], 1)
            case SeekJoined():
                joined = (*self.tables[event.seek].seek.joined, event.player)
                return self._rejoined(event.seek, joined)._seated([event.player.id], 1)
            case SeekLeft():
                joined = tuple(one for one in self.tables[event.seek].seek.joined if one.id != event.player)
                return self._rejoined(event.seek, joined)._seated([event.player], -1)
            case SeekClosed():
                seated = [player.id for player in self.tables[event.seek].seek.joined]
                return replace(self, tables=_without(self.tables, event.seek))._seated(seated, -1)
            case ChallengeSent():
                return replace(self, challenges={**self.challenges, event.challenge.challenge: event.challenge})
            case ChallengeEnded():
                return replace(self, challenges=_without(self.challenges, event.closed.challenge))
            case MatchMade():
                return self._after_match(event.match, tuple(player.id for player in event.players))
            case MatchEnded():
                return self._after_match(event.match, ())
            case Answered() if event.player not in self.guests:
                # Who departed while the command was carried out asks no more.
                return self
            case Answered():
                known = dict(self.answers.get(event.player, {}))
                if len(known) >= REMEMBERED:
                    del known[next(iter(known))]
                known[event.command] = event
                return replace(self, answers={**self.answers, event.player: known})
            case _:
                assert_never(event)

    def _after_arrival(self, player: Player) -> Self:
        known = self.guests.get(player.id)
        guest = replace(known, player=player) if known else Guest(player, playing=self.playing.get(player.id, 0))
        away = _without(self.away, player.id) if player.id in self.away else self.away
        return replace(self, guests={**self.guests, player.id: guest}, away=away)

    def _after_match(self, match: str, players: tuple[str, ...]) -> Self:
        """Return the lobby with `players`, or nobody any more, in a match; saying so twice counts once."""
        before = self.matches.get(match, ())
        matches = {**self.matches, match: players} if players else _without(self.matches, match)
        playing, guests = dict(self.playing), dict(self.guests)
        for change, names in ((-1, before), (1, players)):
            for name in names:
                playing[name] = playing.get(name, 0) + change
        for name in {*before, *players}:
            if name in guests:
                guests[name] = replace(guests[name], playing=playing[name])
            if not playing[name]:
                del playing[name]
        return replace(self, matches=matches, playing=playing, guests=guests)

    def _rejoined(self, seek: str, joined: tuple[Player, ...]) -> Self:
        table = self.tables[seek]
        changed = replace(table, seek=table.seek.model_copy(update={"joined": joined}))
        return replace(self, tables={**self.tables, seek: changed})

    def _seated(self, players: list[str], change: int) -> Self:
        changed = {name: replace(self.guests[name], tables=self.guests[name].tables + change) for name in players}
        return replace(self, guests={**self.guests, **changed})


def _without(mapping: Mapping[K, V], key: K) -> Mapping[K, V]:
    return {name: value for name, value in mapping.items() if name != key}
