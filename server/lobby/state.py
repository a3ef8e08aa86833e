"""The lobby folded from its events: who is here, which tables are open, who challenges whom. Pure.

The lobby lives in memory alone: a restart closes its tables, and nothing of a match depends on it. The fold changes
the lobby in place and notes what changed, so that an event costs the same however much is there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, TypeVar, assert_never

from cornered.protocol.messages import Challenged
from cornered.protocol.values import Player
from cornered.server.lobby.events import (
    AWAY_GRACE,
    REMEMBERED,
    Answered,
    Arrived,
    ChallengeEnded,
    ChallengeSent,
    Declared,
    Departed,
    Guest,
    LobbyEvent,
    MatchEnded,
    MatchMade,
    OpenSeek,
    SeekClosed,
    SeekJoined,
    SeekLeft,
    SeekPosted,
    WentAway,
)
from cornered.server.lobby.listing import Listing
from cornered.server.lobby.names import Names
from cornered.server.lobby.origins import MatchOrigins, Origins

__all__ = ["LobbyFacts", "News"]

T = TypeVar("T")

_BOTS: Final = 1 << 50
"""Above the rank of every person: bots are listed first, the one that is here longest leading."""


@dataclass(slots=True)
class News:
    """What changed since it was last taken: the players by id, and each table with all who sat or sit there."""

    players: dict[str, None] = field(default_factory=dict)
    tables: dict[str, tuple[OpenSeek, set[str]]] = field(default_factory=dict)

    def note_table(self, table: OpenSeek) -> None:
        company = self.tables.pop(table.seek.id, (table, set[str]()))[1]
        company.update(player.id for player in table.seek.joined)
        self.tables[table.seek.id] = (table, company)


@dataclass(slots=True)
class LobbyFacts:
    """The lobby. Only `evolve` changes it.

    `away` tells since when a guest has had no connection and `challenges` which stand, both with the oldest first, so
    that the first one is due first; `matches` who plays in each live match; `plays`, `sits` and `calls` in which
    matches, at which tables and in which challenges a player is, here or not; `answers` the newest commands of each
    guest and what they made; `seeks` and `crowd` the public tables and the guests in the order of their lists.
    """

    names: Names = field(default_factory=Names)
    guests: dict[str, Guest] = field(default_factory=dict)
    away: OrderedDict[str, int] = field(default_factory=OrderedDict)
    tables: dict[str, OpenSeek] = field(default_factory=dict)
    challenges: OrderedDict[str, Challenged] = field(default_factory=OrderedDict)
    matches: dict[str, tuple[str, ...]] = field(default_factory=dict)
    plays: dict[str, dict[str, None]] = field(default_factory=dict)
    sits: dict[str, dict[str, None]] = field(default_factory=dict)
    calls: dict[str, dict[str, None]] = field(default_factory=dict)
    answers: dict[str, dict[str, Answered]] = field(default_factory=dict)
    seek_origins: Origins = field(default_factory=Origins)
    challenge_origins: Origins = field(default_factory=Origins)
    match_origins: MatchOrigins = field(default_factory=MatchOrigins)
    seeks: Listing = field(default_factory=Listing)
    crowd: Listing = field(default_factory=Listing)
    news: News = field(default_factory=News)
    _serial: int = 0

    def arrival(self, player: str) -> int:
        """Return a number that is the higher the later a player came to the lobby; 0 for one who is not here."""
        rank = self.crowd.rank(player)
        return _BOTS - rank if rank and self.guests[player].player.kind == "bot" else rank

    def answered(self, player: str, command_id: str) -> Answered | None:
        """Return the answer to this command of the player's, if it was carried out before."""
        return self.answers.get(player, {}).get(command_id)

    def deadline(self) -> int | None:
        """Return when `tick` has something to decide."""
        times = [since + AWAY_GRACE for since in _first(self.away.values())]
        times += [challenge.expires for challenge in _first(self.challenges.values())]
        return min(times, default=None)

    def take_news(self) -> News:
        """Return what changed since the last call."""
        news, self.news = self.news, News()
        return news

    def evolve(self, event: LobbyEvent) -> None:
        """Fold `event` in."""
        match event:
            case Arrived():
                self._arrive(event)
            case WentAway():
                self.away[event.player] = event.at
            case Departed():
                self._depart(event.player)
            case Declared():
                guest = self.guests[event.player]
                self._update(replace(guest, accepts=event.accepts, concurrency=event.concurrency))
            case SeekPosted():
                self._post(OpenSeek(event.seek, event.asked))
            case SeekJoined():
                self._sit(event.seek, (*self.tables[event.seek].seek.joined, event.player))
            case SeekLeft():
                joined = self.tables[event.seek].seek.joined
                self._sit(event.seek, tuple(one for one in joined if one.id != event.player))
            case SeekClosed():
                self._sit(event.seek, ())
                self.seeks.remove(event.seek)
                self.seek_origins.remove(event.seek)
                del self.tables[event.seek]
            case ChallengeSent():
                self._send(event.challenge)
            case ChallengeEnded():
                challenge = self.challenges.pop(event.closed.challenge)
                self.challenge_origins.remove(challenge.challenge)
                for player in {challenge.by.id, challenge.to.id}:
                    _discard(self.calls, player, challenge.challenge)
            case MatchMade():
                self._play(event.match, tuple(player.id for player in event.players))
            case MatchEnded():
                self._play(event.match, ())
            case Answered():
                # Who departed while the command was carried out asks no more.
                if event.player in self.guests:
                    known = self.answers.setdefault(event.player, {})
                    if len(known) >= REMEMBERED:
                        del known[next(iter(known))]
                    known[event.command] = event
            case _:
                assert_never(event)

    def _arrive(self, event: Arrived) -> None:
        player = event.player
        known = self.guests.get(player.id)
        self.away.pop(player.id, None)
        if known is None:
            self.names.take(player.id, event.name, player.name)
            self._serial += 1
            self.crowd.add(player.id, _BOTS - self._serial if player.kind == "bot" else self._serial)
            known = Guest(player, event.name, playing=len(self.plays.get(player.id, ())))
            self.news.players[player.id] = None
        elif (known.name, known.player.name) != (event.name, player.name):
            self.names.free(known.name, known.player.name)
            self.names.take(player.id, event.name, player.name)
        for match in self.plays.get(player.id, ()):
            self.match_origins.add(match, player.id, event.address)
        self._update(replace(known, player=player, name=event.name, address=event.address))
        if known.player != player:
            self._rename(player)

    def _rename(self, player: Player) -> None:
        """Show a player's new name at tables and in challenges: the old one may be another's from now on."""
        for name in self.sits.get(player.id, ()):
            table = self.tables[name]
            joined = tuple(player if one.id == player.id else one for one in table.seek.joined)
            by = player if table.seek.by.id == player.id else table.seek.by
            self.tables[name] = table = OpenSeek(
                table.seek.model_copy(update={"by": by, "joined": joined}), table.asked
            )
            self.news.note_table(table)
        for name in self.calls.get(player.id, ()):
            challenge = self.challenges[name]
            role = "by" if challenge.by.id == player.id else "to"
            self.challenges[name] = challenge.model_copy(update={role: player})

    def _depart(self, player: str) -> None:
        guest = self.guests.pop(player)
        self.names.free(guest.name, guest.player.name)
        self.crowd.remove(player)
        self.away.pop(player, None)
        self.answers.pop(player, None)
        self.news.players[player] = None

    def _post(self, table: OpenSeek) -> None:
        seek = table.seek
        self._serial += 1
        if not seek.settings.private:
            self.seeks.add(seek.id, self._serial)
        self.seek_origins.add(seek.id, self.guests[seek.by.id].address)
        self.tables[seek.id] = OpenSeek(seek.model_copy(update={"joined": ()}), table.asked)
        self._sit(seek.id, seek.joined)

    def _sit(self, seek: str, joined: tuple[Player, ...]) -> None:
        """Let exactly `joined` sit at a table."""
        table = self.tables[seek]
        before, after = {one.id for one in table.seek.joined}, {one.id for one in joined}
        self.news.note_table(table)
        self.tables[seek] = table = OpenSeek(table.seek.model_copy(update={"joined": joined}), table.asked)
        self.news.note_table(table)
        for player in before - after:
            _discard(self.sits, player, seek)
            self._recount(player)
        for player in after - before:
            self.sits.setdefault(player, {})[seek] = None
            self._recount(player)

    def _send(self, challenge: Challenged) -> None:
        self.challenges[challenge.challenge] = challenge
        self.challenge_origins.add(challenge.challenge, self.guests[challenge.by.id].address)
        for player in (challenge.by.id, challenge.to.id):
            self.calls.setdefault(player, {})[challenge.challenge] = None

    def _play(self, match: str, players: tuple[str, ...]) -> None:
        """Let exactly `players`, perhaps none any more, be in a match; saying so twice counts once."""
        before = self.matches.pop(match, ())
        for player in before:
            _discard(self.plays, player, match)
        if players:
            self.matches[match] = players
        else:
            self.match_origins.remove(match)
        for player in players:
            self.plays.setdefault(player, {})[match] = None
            if player in self.guests:
                self.match_origins.add(match, player, self.guests[player].address)
        for player in {*before, *players}:
            self._recount(player)

    def _update(self, guest: Guest) -> None:
        """Put `guest` in the place of what was known of the player."""
        known = self.guests.get(guest.player.id)
        self.guests[guest.player.id] = guest
        if known is None or known.presence() != guest.presence():
            self.news.players[guest.player.id] = None

    def _recount(self, player: str) -> None:
        """Take over at how many tables and in how many matches a guest is."""
        guest = self.guests.get(player)
        if guest is not None:
            tables, playing = len(self.sits.get(player, ())), len(self.plays.get(player, ()))
            self._update(replace(guest, tables=tables, playing=playing))


def _first(values: Collection[T]) -> Iterable[T]:
    """Return the first value, if there is one."""
    return islice(values, 1)


def _discard(index: dict[str, dict[str, None]], key: str, value: str) -> None:
    """Take a value from those of a key, and the key with its last value."""
    values = index.get(key)
    if values is not None:
        values.pop(value, None)
        if not values:
            del index[key]
