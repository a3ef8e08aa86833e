"""The state of a tournament, folded from its events. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, assert_never

from cornered.contests.arena import arena_points
from cornered.protocol.tournaments import PairingHow, TournamentSettings, TournamentStatus
from cornered.protocol.values import Player
from cornered.server.tournament.events import (
    RULES,
    Begun,
    Called,
    Cancelled,
    Created,
    Finished,
    Forfeited,
    Joined,
    Left,
    Paired,
    Pairing,
    Paused,
    Result,
    Resulted,
    Resumed,
    Returned,
    Told,
    TournamentEvent,
)

__all__ = ["MAX_NO_SHOWS", "MAX_REPLAYS", "Entry", "Settled", "TournamentState"]

MAX_NO_SHOWS: Final = 2
"""Games that a player may miss before it is paired no more; in an arena one, since a pairing there is never due."""
MAX_CAUSES: Final = 32
MAX_REPLAYS: Final = 2
"""How often a drawn meeting of a knockout is played again, with swapped seats; then the better seed wins it."""


@dataclass(slots=True)
class Entry:
    """A participant, and what the pairings so far gave."""

    player: Player
    rating: int
    late: int = 0
    """Rounds that were paired before the player joined."""
    is_out: bool = False
    """Withdrawn, forfeited, or beaten in a knockout."""
    is_barred: bool = False
    """Taken out by the organiser, so that it may not come back."""
    is_outsider: bool = False
    """Taken out because a right has ended, with which the sight of a group's event ends too."""
    no_shows: int = 0
    """Games that it missed since it last played one: a win by forfeit is none that it played."""
    points: float = 0.0
    streak: int = 0
    free_since: int = 0
    """When it joined, came back, or ended its newest game."""
    settled: list[Settled] = field(default_factory=list)
    """Everything that has a result, in the order of the results."""
    pending: str | None = None
    """The match that goes on."""

    def seats(self) -> tuple[int, ...]:
        """Return its seats in the games that were played on the board, oldest first."""
        return tuple(one.seat for one in self.settled if one.how == "played")


@dataclass(frozen=True, slots=True)
class Settled:
    """What one pairing gave a player: a share of one point, and the points by the format's rules."""

    round: int
    opponent: str | None
    share: float
    points: float
    how: PairingHow
    seat: int = 0


@dataclass(slots=True)
class TournamentState:
    """A tournament. `seq` is the number of its newest event, which counts from 1."""

    id: str
    settings: TournamentSettings
    organiser: Player
    created: int
    seq: int = 1
    status: TournamentStatus = "open"
    started: int | None = None
    ended: int | None = None
    rounds: int | None = None
    rules: int = RULES
    """The version of the rules by which it is held, of those of `RULES`."""
    entries: dict[str, Entry] = field(default_factory=dict)
    pairings: list[list[Pairing]] = field(default_factory=list)
    """The pairings of each round."""
    results: dict[str, Result] = field(default_factory=dict)
    """The results of the matches that have ended."""
    taken_out: dict[str, int] = field(default_factory=dict)
    """The seats of players whom the organiser took out of matches that went on."""
    pending: dict[str, int] = field(default_factory=dict)
    """The matches without a result, each with its round."""
    matches: int = 0
    """How many matches were made."""
    is_paused: bool = False
    paused_at: int | None = None
    """When its clocks were paused last; None where they never were."""
    is_called: bool = False
    """Whether the organiser has started the next round, which is not paired yet."""
    causes: dict[str, str] = field(default_factory=dict)
    """The newest commands of the organiser that a repetition must not carry out again: the digests by id."""
    told: int = 0
    """Lines that the organiser has sent."""
    quiet_since: int = 0
    """When the newest round had all its results, or the tournament began."""
    address: str = ""
    """A digest of where it was created from."""
    barred: set[str] = field(default_factory=set)
    """Whom the organiser took out before the start, and who have no entry any more."""
    comings: dict[str, int] = field(default_factory=dict)
    """How often each player has joined or come back."""

    @classmethod
    def begin(cls, id: str, event: TournamentEvent) -> TournamentState:
        """Return the tournament that its first event makes. Raises ValueError for any other one."""
        if not isinstance(event, Created):
            raise ValueError(f"a tournament begins with `created`, not with {event.type!r}")
        return cls(id, event.settings, event.organiser, event.at, address=event.address)

    @property
    def round(self) -> int:
        """The newest round, from 1; 0 before the first."""
        return len(self.pairings)

    @property
    def is_over(self) -> bool:
        return self.status in ("finished", "cancelled")

    @property
    def ends_at(self) -> int | None:
        """When an arena pairs nobody any more."""
        if self.settings.minutes is None or self.started is None:
            return None
        return self.started + self.settings.minutes * 60_000

    @property
    def next_round_at(self) -> int | None:
        """When the next round may begin by itself; None where games go on, the organiser starts it, or none follows."""
        pause, is_arena = self.settings.pause, self.settings.format in ("arena", "by_hand")
        if self.status != "running" or self.pending or pause is None or is_arena:
            return None
        return self.quiet_since + (pause * 1000 if self.round else 0)

    def is_absent(self, entry: Entry) -> bool:
        """Return whether a player missed so many games that it is paired no more."""
        return entry.no_shows >= (1 if self.settings.format == "arena" else MAX_NO_SHOWS)

    def active(self) -> list[Entry]:
        """Return those who are to be paired, in the order of seeding."""
        return [entry for entry in self.seeded() if not entry.is_out and not self.is_absent(entry)]

    def seeded(self) -> list[Entry]:
        """Return all participants in the order of seeding: by rating, and by a hash where that is equal."""
        return sorted(self.entries.values(), key=lambda entry: (-entry.rating, self._lot(entry.player.id)))

    def _lot(self, player: str) -> str:
        return sha256(f"{self.id}:{player}".encode()).hexdigest()

    def pairing_of(self, match: str) -> Pairing | None:
        """Return the pairing of a match that goes on."""
        round_ = self.pending.get(match)
        if round_ is None:
            return None
        return next(pairing for pairing in self.pairings[round_ - 1] if pairing.match == match)

    def games(self) -> Iterator[tuple[int, Pairing]]:
        """Yield all pairings with their rounds, oldest first."""
        for round_, pairings in enumerate(self.pairings, 1):
            for pairing in pairings:
                yield round_, pairing

    def evolve(self, event: TournamentEvent) -> None:
        """Fold the next event in."""
        self.seq += 1
        if isinstance(event, Begun | Called | Paired | Told) and event.cause:
            self.causes[event.cause] = event.digest
            if len(self.causes) > MAX_CAUSES:
                del self.causes[next(iter(self.causes))]
        match event:
            case Created():
                raise ValueError("a tournament is created once")
            case Joined():
                self._came(event.player.id)
                self.entries[event.player.id] = Entry(event.player, event.rating, self.round, free_since=event.at)
                if self.settings.format == "swiss" and self.status == "running":
                    self._settle_late(self.entries[event.player.id])
            case Returned():
                self._came(event.player)
                entry = self.entries[event.player]
                entry.no_shows, entry.is_out, entry.is_outsider, entry.free_since = 0, False, False, event.at
            case Left():
                if self.status == "open":
                    del self.entries[event.player]
                else:
                    entry = self.entries[event.player]
                    entry.is_out, entry.is_outsider = True, entry.is_outsider or bool(event.right)
            case Forfeited():
                self._forfeit(event)
            case Begun():
                self.status, self.started, self.rounds = "running", event.at, event.rounds
                self.rules = event.rules
                self.quiet_since = event.at
            case Called():
                self.is_called = True
            case Paired():
                self._pair(event)
            case Resulted():
                for result in event.results:
                    self._result(result, event.at)
            case Paused():
                self.paused_at, self.is_paused = event.at, True
            case Resumed():
                self.is_paused = False
            case Told():
                self.told += 1
            case Finished():
                self._end("finished", event.at)
            case Cancelled():
                self._end("cancelled", event.at)
            case _:
                assert_never(event)

    def _came(self, player: str) -> None:
        self.comings[player] = self.comings.get(player, 0) + 1

    def _end(self, status: TournamentStatus, at: int) -> None:
        self.status, self.ended, self.is_paused = status, at, False
        self.pending.clear()
        for entry in self.entries.values():
            entry.pending = None

    def _settle_late(self, entry: Entry) -> None:
        share = 0.5 if self.settings.late_points == "half" else 0.0
        for round_ in range(1, self.round + 1):
            self._settle(entry, Settled(round_, None, share, share, "bye"))

    def _pair(self, event: Paired) -> None:
        self.is_called = False
        while self.round < event.round:
            self.pairings.append([])
        self.pairings[event.round - 1].extend(event.pairings)
        for pairing in event.pairings:
            if pairing.match is None:
                how: PairingHow = "bye" if len(pairing.players) == 1 else "forfeit"
                self._give(event.round, pairing, pairing.points, how)
                continue
            self.matches += 1
            self.pending[pairing.match] = event.round
            for player in pairing.players:
                self.entries[player].pending = pairing.match
        if not self.pending:
            self.quiet_since = event.at

    def _forfeit(self, event: Forfeited) -> None:
        if self.status == "open":
            del self.entries[event.player]
            self.barred.add(event.player)
            return
        entry = self.entries[event.player]
        match = entry.pending
        entry.is_out = entry.is_barred = True
        if match is not None and (pairing := self.pairing_of(match)) is not None:
            seat = pairing.players.index(event.player)
            self.taken_out[match] = seat
            shares = (0.0, 1.0) if seat == 0 else (1.0, 0.0)
            self._result(Result(match, shares, is_forfeit=True), event.at)

    def _result(self, result: Result, at: int) -> None:
        pairing = self.pairing_of(result.match)
        if pairing is None:
            # It was decided before, as by a forfeit.
            return
        round_ = self.pending.pop(result.match)
        self.results[result.match] = result
        for seat, player in enumerate(pairing.players):
            entry = self.entries[player]
            entry.pending, entry.free_since = None, at
            if seat in result.absent:
                entry.no_shows += 1
            elif not result.is_forfeit:
                entry.no_shows = 0
        self._give(round_, pairing, result.shares, "forfeit" if result.is_forfeit else "played")
        if not self.pending:
            self.quiet_since = at

    def _give(self, round_: int, pairing: Pairing, shares: tuple[float, ...], how: PairingHow) -> None:
        for seat, player in enumerate(pairing.players):
            entry, share = self.entries[player], shares[seat]
            opponent = pairing.players[1 - seat] if len(pairing.players) == 2 else None
            points = share
            if self.settings.format == "arena":
                points = arena_points(share, entry.streak)
                entry.streak = entry.streak + 1 if share == 1 else 0
            self._settle(entry, Settled(round_, opponent, share, points, how, seat))
        if self.settings.format == "knockout":
            self._knock_out(pairing, shares)

    def _settle(self, entry: Entry, settled: Settled) -> None:
        entry.settled.append(settled)
        if self.settings.format != "knockout":
            entry.points += settled.points

    def _knock_out(self, pairing: Pairing, shares: tuple[float, ...]) -> None:
        """Count a meeting that is decided; the loser is out. A bye, and the last replay, decide too.

        Both are out where neither has come.
        """
        if len(pairing.players) == 1:
            self.entries[pairing.players[0]].points += 1
            return
        if not any(shares) and self.rules > 1:
            for player in pairing.players:
                self.entries[player].is_out = True
            return
        if shares[0] == shares[1]:
            if pairing.game < MAX_REPLAYS and any(shares):
                return
            better = min(pairing.players, key=[entry.player.id for entry in self.seeded()].index)
        else:
            better = pairing.players[0 if shares[0] > shares[1] else 1]
        self.entries[better].points += 1
        for player in pairing.players:
            if player != better:
                self.entries[player].is_out = True
