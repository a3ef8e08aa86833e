"""The lobby folded from its events: players, open tables, challenges. Pure.

The fold changes the lobby in place and records the changes, so that the cost of an event does not grow with the lobby.
Tables, challenges, matches and answers may be folded before their players have arrived, as after a restart.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, TypeVar, assert_never

from cornered.protocol.commands import LobbyCommand
from cornered.protocol.messages import Challenged
from cornered.protocol.values import Correspondence, Player
from cornered.server.lobby.events import (
    DEPARTURE_DELAY_MS,
    MAX_CACHED_ANSWERS,
    TABLE_LIFETIME_MS,
    Answered,
    Arrived,
    BotNamed,
    ChallengeEnded,
    ChallengeSent,
    Declared,
    Departed,
    Guest,
    LobbyEvent,
    MatchEnded,
    MatchMade,
    OpenSeek,
    PoolEntered,
    PoolLeft,
    SeekClosed,
    SeekJoined,
    SeekLeft,
    SeekPosted,
    WentAway,
)
from cornered.server.lobby.listing import Listing
from cornered.server.lobby.names import Names
from cornered.server.lobby.origins import MatchOrigins, Origins
from cornered.server.lobby.pools import Entry, Pools
from cornered.server.refusal import id_reused

__all__ = ["Changes", "LobbyFacts"]

T = TypeVar("T")

_BOT_RANK_BASE: Final = 1 << 50
"""Above the rank of every person: bots are listed first, in the order of arrival."""


@dataclass(slots=True)
class Changes:
    """Changes since the last `take_changes`: players by id, and each table with all its players before and after."""

    players: dict[str, None] = field(default_factory=dict)
    tables: dict[str, tuple[OpenSeek, set[str]]] = field(default_factory=dict)

    def note_table(self, table: OpenSeek) -> None:
        participants = self.tables.pop(table.seek.id, (table, set[str]()))[1]
        participants.update(player.id for player in table.seek.joined)
        self.tables[table.seek.id] = (table, participants)


@dataclass(slots=True)
class LobbyFacts:
    """State of the lobby, which only `evolve` changes.

    `away` maps guests without a connection to the time of its loss; it and `challenges` have the oldest first, which is
    due first. `lasting` are the tables for games by days, which stay open without their players, and when they were
    opened, oldest first. `hidden` are the challenges of which the challenged player is told nothing. `matches` has
    each live match; `matches_of`, `seeks_of` and `challenges_of` index by player, connected or not. `answers` has each
    guest's newest commands, and after a restart those of players who have not come back. `ladder_bots` are the bots
    that play in the ladder. `seeks` and `players` list the public tables and the guests.
    """

    names: Names = field(default_factory=Names)
    guests: dict[str, Guest] = field(default_factory=dict)
    away: OrderedDict[str, int] = field(default_factory=OrderedDict)
    tables: dict[str, OpenSeek] = field(default_factory=dict)
    lasting: OrderedDict[str, int] = field(default_factory=OrderedDict)
    challenges: OrderedDict[str, Challenged] = field(default_factory=OrderedDict)
    hidden: dict[str, None] = field(default_factory=dict)
    matches: dict[str, MatchMade] = field(default_factory=dict)
    matches_of: dict[str, dict[str, None]] = field(default_factory=dict)
    seeks_of: dict[str, dict[str, None]] = field(default_factory=dict)
    challenges_of: dict[str, dict[str, None]] = field(default_factory=dict)
    answers: dict[str, dict[str, Answered]] = field(default_factory=dict)
    seek_origins: Origins = field(default_factory=Origins)
    challenge_origins: Origins = field(default_factory=Origins)
    match_origins: MatchOrigins = field(default_factory=MatchOrigins)
    pool_origins: Origins = field(default_factory=Origins)
    pools: Pools = field(default_factory=Pools)
    ladder_bots: dict[str, None] = field(default_factory=dict)
    seeks: Listing = field(default_factory=Listing)
    players: Listing = field(default_factory=Listing)
    changes: Changes = field(default_factory=Changes)
    notes_changes: bool = True
    """Whether changes are recorded; a lobby whose changes are not taken needs none of them."""
    # Arrivals and tables so far: the rank of the next one.
    _serial: int = 0

    def arrival(self, player: str) -> int:
        """Return a number that grows with the order of arrival; 0 for a player who is not in the lobby."""
        rank = self.players.rank(player)
        return _BOT_RANK_BASE - rank if rank and self.guests[player].player.kind == "bot" else rank

    def versions_of(self, players: Iterable[Player]) -> tuple[str | None, ...]:
        """Return the version that each of `players` has declared; none where all of them have declared none."""
        guests = [self.guests.get(player.id) for player in players]
        versions = tuple(None if guest is None else guest.version for guest in guests)
        return versions if any(versions) else ()

    def answered(self, player: str, command: LobbyCommand) -> Answered | None:
        """Return the answer to a repeated command. Raises Refusal where one with other content had its id."""
        known = self.answers.get(player, {}).get(command.id)
        if known is not None and known.digest and known.digest != command.digest():
            raise id_reused()
        return known

    def is_here(self, player: str) -> bool:
        """Return whether a player has a connection."""
        return player in self.guests and player not in self.away

    def bots(self) -> Iterator[Guest]:
        """Yield the bots that are here, in the order of their arrival."""
        for _, player in self.players.after(floor=_BOT_RANK_BASE >> 1):
            if self.is_here(player):
                yield self.guests[player]

    def challenges_to(self, player: str) -> int:
        """Return how many challenges wait for a player's answer."""
        return sum(self.challenges[name].to.id == player for name in self.challenges_of.get(player, ()))

    def live_of(self, player: str) -> tuple[str, ...]:
        """Return the ids of a player's open matches, oldest first."""
        return tuple(match for match in self.matches_of.get(player, ()) if self.matches[match].is_open)

    def deadline(self) -> int | None:
        """Return the time at which `tick` has events to decide."""
        if not (self.away or self.challenges or self.lasting):
            return None
        times = [since + TABLE_LIFETIME_MS for since in _first(self.lasting.values())]
        times += [since + DEPARTURE_DELAY_MS for since in _first(self.away.values())]
        times += [challenge.expires for challenge in _first(self.challenges.values())]
        return min(times, default=None)

    def take_changes(self) -> Changes:
        """Return the changes since the last call."""
        changes, self.changes = self.changes, Changes()
        return changes

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
                self._update(
                    replace(
                        guest,
                        accepts=event.accepts,
                        concurrency=event.concurrency,
                        ladder=event.ladder,
                        version=event.version,
                    )
                )
                if event.ladder:
                    self.ladder_bots[event.player] = None
                else:
                    self.ladder_bots.pop(event.player, None)
            case SeekPosted():
                self._post(OpenSeek(event.seek, event.asked))
            case SeekJoined():
                self._set_joined(event.seek, (*self.tables[event.seek].seek.joined, event.player))
            case SeekLeft():
                joined = self.tables[event.seek].seek.joined
                self._set_joined(event.seek, tuple(one for one in joined if one.id != event.player))
            case SeekClosed():
                self._close(event.seek)
            case ChallengeSent():
                self._send(event.challenge, is_hidden=event.is_hidden)
            case ChallengeEnded():
                challenge = self.challenges.pop(event.closed.challenge)
                self.challenge_origins.remove(challenge.challenge)
                self.hidden.pop(challenge.challenge, None)
                for player in {challenge.by.id, challenge.to.id}:
                    _discard(self.challenges_of, player, challenge.challenge)
            case MatchMade():
                self._replace_match(event.match, event)
            case MatchEnded():
                if event.is_withdrawn:
                    self._forget_answers(event.match)
                self._replace_match(event.match, None)
            case PoolEntered():
                self.pools.enter(Entry(event.player, event.pool, event.rating, event.since))
                self.pool_origins.add(event.player.id, self._address_of(event.player.id))
            case PoolLeft():
                self.pools.leave(event.player)
                self.pool_origins.remove(event.player)
                if event.met is not None:
                    self.pools.meet(event.player, event.met)
            case BotNamed():
                self.pools.name_bot(event.player, event.bot)
            case Answered():
                # A player can depart while the command is carried out.
                if event.player in self.guests:
                    self.remember(event)
            case _:
                assert_never(event)

    def remember(self, answer: Answered) -> None:
        """Keep an answer, of a guest or of a player who has not come back after a restart."""
        known = self.answers.setdefault(answer.player, {})
        if len(known) >= MAX_CACHED_ANSWERS:
            del known[next(iter(known))]
        known[answer.command] = answer

    def _forget_answers(self, match: str) -> None:
        """Forget the answers that name a withdrawn match."""
        made = self.matches.get(match)
        for player in made.players if made is not None else ():
            known = self.answers.get(player.id, {})
            for command in [command for command, answer in known.items() if answer.ref == match]:
                del known[command]

    def _arrive(self, event: Arrived) -> None:
        player = event.player
        known = self.guests.get(player.id)
        self.away.pop(player.id, None)
        if known is None:
            self.names.take(player.id, event.name, player.name)
            self._serial += 1
            self.players.add(player.id, _BOT_RANK_BASE - self._serial if player.kind == "bot" else self._serial)
            known = Guest(
                player,
                event.name,
                playing=len(self.matches_of.get(player.id, ())),
                tables=len(self.seeks_of.get(player.id, ())),
            )
            self._note_player(player.id)
        elif (known.name, known.player.name) != (event.name, player.name):
            self.names.free(known.name, known.player.name)
            self.names.take(player.id, event.name, player.name)
        for match in self.matches_of.get(player.id, ()):
            self.match_origins.add(match, player.id, event.address)
        for seek in self.seeks_of.get(player.id, ()):
            if self.tables[seek].seek.by.id == player.id:
                self.seek_origins.add(seek, event.address)
        for challenge in self.challenges_of.get(player.id, ()):
            if self.challenges[challenge].by.id == player.id:
                self.challenge_origins.add(challenge, event.address)
        if self.pools.entry(player.id) is not None:
            self.pool_origins.add(player.id, event.address)
        self._update(replace(known, player=player, name=event.name, address=event.address))
        if known.player != player:
            self._rename(player)

    def _rename(self, player: Player) -> None:
        """Replace a player's name at tables, in challenges and pools, since another player may get the old one."""
        self.pools.rename(player)
        for name in self.seeks_of.get(player.id, ()):
            table = self.tables[name]
            joined = tuple(player if one.id == player.id else one for one in table.seek.joined)
            by = player if table.seek.by.id == player.id else table.seek.by
            self.tables[name] = table = OpenSeek(
                table.seek.model_copy(update={"by": by, "joined": joined}), table.asked
            )
            self._note_table(table)
        for name in self.challenges_of.get(player.id, ()):
            challenge = self.challenges[name]
            role = "by" if challenge.by.id == player.id else "to"
            self.challenges[name] = challenge.model_copy(update={role: player})

    def _depart(self, player: str) -> None:
        guest = self.guests.pop(player)
        self.names.free(guest.name, guest.player.name)
        self.players.remove(player)
        self.away.pop(player, None)
        self.ladder_bots.pop(player, None)
        self.answers.pop(player, None)
        self._note_player(player)

    def _post(self, table: OpenSeek) -> None:
        seek = table.seek
        self._serial += 1
        if not seek.settings.private:
            self.seeks.add(seek.id, self._serial)
        self.seek_origins.add(seek.id, self._address_of(seek.by.id))
        self.tables[seek.id] = table
        if isinstance(seek.settings.clock, Correspondence):
            self.lasting[seek.id] = seek.since
        self._note_table(table)
        for player in seek.joined:
            self.seeks_of.setdefault(player.id, {})[seek.id] = None
            self._update_counts(player.id)

    def _close(self, seek: str) -> None:
        table = self.tables.pop(seek)
        self.lasting.pop(seek, None)
        self.seeks.remove(seek)
        self.seek_origins.remove(seek)
        self._note_table(table)
        for player in table.seek.joined:
            _discard(self.seeks_of, player.id, seek)
            self._update_counts(player.id)

    def _set_joined(self, seek: str, joined: tuple[Player, ...]) -> None:
        """Replace the players at a table."""
        table = self.tables[seek]
        before, after = {one.id for one in table.seek.joined}, {one.id for one in joined}
        self._note_table(table)
        self.tables[seek] = table = OpenSeek(table.seek.model_copy(update={"joined": joined}), table.asked)
        self._note_table(table)
        for player in before - after:
            _discard(self.seeks_of, player, seek)
            self._update_counts(player)
        for player in after - before:
            self.seeks_of.setdefault(player, {})[seek] = None
            self._update_counts(player)

    def _send(self, challenge: Challenged, *, is_hidden: bool) -> None:
        self.challenges[challenge.challenge] = challenge
        self.challenge_origins.add(challenge.challenge, self._address_of(challenge.by.id))
        if is_hidden:
            self.hidden[challenge.challenge] = None
        for player in (challenge.by.id,) if is_hidden else (challenge.by.id, challenge.to.id):
            self.challenges_of.setdefault(player, {})[challenge.challenge] = None

    def _address_of(self, player: str) -> str:
        guest = self.guests.get(player)
        return guest.address if guest is not None else ""

    def _replace_match(self, match: str, made: MatchMade | None) -> None:
        """Replace what is known of a match; None when it is over. Idempotent."""
        known = self.matches.pop(match, None)
        before = _players(known)
        for player in before:
            _discard(self.matches_of, player, match)
        for one in () if known is None else known.players:
            self.names.unseat(one.id, one.name)
        for one in () if made is None else made.players:
            self.names.seat(one.id, one.name)
        if made is not None:
            self.matches[match] = made
        else:
            self.match_origins.remove(match)
        players = _players(made)
        for player in players:
            self.matches_of.setdefault(player, {})[match] = None
            if player in self.guests:
                self.match_origins.add(match, player, self.guests[player].address)
        for player in {*before, *players}:
            self._update_counts(player)

    def _note_table(self, table: OpenSeek) -> None:
        if self.notes_changes:
            self.changes.note_table(table)

    def _note_player(self, player: str) -> None:
        if self.notes_changes:
            self.changes.players[player] = None

    def _update(self, guest: Guest) -> None:
        """Replace the guest, and record a change of its presence."""
        known = self.guests.get(guest.player.id)
        self.guests[guest.player.id] = guest
        if self.notes_changes and (known is None or not known.looks_like(guest)):
            self.changes.players[guest.player.id] = None

    def _update_counts(self, player: str) -> None:
        """Update a guest's numbers of tables and of matches."""
        guest = self.guests.get(player)
        if guest is not None:
            tables, playing = len(self.seeks_of.get(player, ())), len(self.matches_of.get(player, ()))
            # What `replace` does, at a quarter of its price: every change of the lobby comes here.
            self._update(
                Guest(
                    guest.player,
                    guest.name,
                    guest.address,
                    playing,
                    tables,
                    guest.accepts,
                    guest.concurrency,
                    guest.ladder,
                    guest.version,
                )
            )


def _players(made: MatchMade | None) -> tuple[str, ...]:
    return () if made is None else tuple(player.id for player in made.players)


def _first(values: Collection[T]) -> Iterable[T]:
    """Return the first value, or none."""
    return islice(values, 1)


def _discard(index: dict[str, dict[str, None]], key: str, value: str) -> None:
    """Remove a value from an index, and its key with the last value."""
    values = index.get(key)
    if values is not None:
        values.pop(value, None)
        if not values:
            del index[key]
