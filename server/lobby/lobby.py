"""Decides the lobby: commands become events or refusals. Pure: time, new ids and random numbers are arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, assert_never

from cornered.contests.glicko import CENTRE
from cornered.protocol.commands import (
    AcceptChallenge,
    CancelChallenge,
    CancelSeek,
    Challenge,
    CreateSeek,
    Declare,
    DeclineChallenge,
    EnterPool,
    JoinSeek,
    LeaveLobby,
    LeavePool,
    LeaveSeek,
    LobbyCommand,
    StartSeek,
    WatchLobby,
)
from cornered.protocol.messages import ChallengeClosed, Challenged
from cornered.protocol.values import GameSpec, PairingPool, Player, Seek
from cornered.server.lobby.acceptance import check_bot, check_declared
from cornered.server.lobby.blocks import NO_BLOCKS, Blocks, block_each_other
from cornered.server.lobby.bounds import (
    MAX_BOT_MATCHES,
    Bounds,
    check_challenge,
    check_concurrency,
    check_ladder,
    check_place,
    check_pool,
    check_seat,
    check_share,
    check_table,
)
from cornered.server.lobby.events import (
    DEPARTURE_DELAY_MS,
    TABLE_LIFETIME_MS,
    Answered,
    Arrived,
    ChallengeEnded,
    ChallengeSent,
    Declared,
    Departed,
    Guest,
    LobbyEvent,
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
from cornered.server.lobby.names import comparison_key
from cornered.server.lobby.pool_pairing import Candidate, pair
from cornered.server.lobby.pools import Entry, pool_named
from cornered.server.lobby.state import LobbyFacts
from cornered.server.match.catalogue import settle
from cornered.server.refusal import Refusal

__all__ = [
    "CHALLENGE_LIFETIME_MS",
    "MAX_DEPARTURES_PER_TICK",
    "Lobby",
]

CHALLENGE_LIFETIME_MS: Final = 60_000
"""Milliseconds that a challenge waits for its answer."""
MAX_LASTING_TABLES: Final = 500
"""Tables for games by days up to which they stay open without their players."""
MAX_BOTS_ASKED: Final = 200
"""Bots among which one is chosen for a player who waits in a pool."""
MAX_DEPARTURES_PER_TICK: Final = 100
"""Departures, and expiries of challenges, that one tick decides; the others follow with the next."""


@dataclass(slots=True)
class Lobby(LobbyFacts):
    """The decider of the lobby."""

    bounds: Bounds = field(default_factory=Bounds)

    def decide(
        self,
        command: LobbyCommand,
        player: Player,
        now: int,
        *,
        new_id: str,
        random_number: int,
        rating: float = CENTRE,
        blocks: Blocks = NO_BLOCKS,
    ) -> tuple[LobbyEvent, ...]:
        """Return the events of `command` by `player`, who has arrived, at `now` in milliseconds. Raises Refusal.

        The events have the player's current visible name, whichever `player` has. `new_id` is an unused id for the
        seek, challenge or match that the command creates; `random_number` has 64 bits and shuffles the seats; `rating`
        is the player's in the pool that the command enters; `blocks` has whom those who would meet block. The caller
        checks `answered` first, since a repeated command would be carried out again.
        """
        guest = self.guests.get(player.id)
        if guest is None:
            raise Refusal("unknown_player", "you are not here")
        player = guest.player
        match command:
            case WatchLobby() | LeaveLobby():
                return ()
            case Declare():
                events, ref = self._declare(command, player), None
            case CreateSeek():
                events, ref = self._create_seek(command, player, now, new_id), new_id
            case JoinSeek():
                events, ref = self._join_seek(command, player, new_id, random_number, blocks)
            case LeaveSeek():
                events, ref = self._leave_seek(command, player), None
            case StartSeek():
                events, ref = self._start_seek(command, player, new_id, random_number), new_id
            case CancelSeek():
                self._own_table(command.seek, player)
                events, ref = (SeekClosed(command.seek),), None
            case Challenge():
                events, ref = self._challenge(command, player, now, new_id, blocks), new_id
            case AcceptChallenge():
                events, ref = self._accept_challenge(command, player, new_id, random_number), new_id
            case DeclineChallenge():
                challenge = self._challenge_to(command.challenge, player)
                events, ref = (self._ended(challenge, "declined", reason=command.reason),), None
            case CancelChallenge():
                challenge = self._open_challenge(command.challenge)
                if challenge.by.id != player.id:
                    raise Refusal("not_yours", "only the challenger cancels a challenge")
                events, ref = (self._ended(challenge, "cancelled"),), None
            case EnterPool():
                events, ref = self._enter_pool(command, player, now, rating), None
            case LeavePool():
                events, ref = tuple(self.leaving((player,))), None
            case _:
                assert_never(command)
        return (*events, Answered(player.id, command.id, ref, command.digest()))

    def arrive(
        self,
        player: Player,
        address: str = "",
        *,
        is_operators: bool = False,
        is_claimed: bool = False,
        shown_before: str = "",
    ) -> tuple[LobbyEvent, ...]:
        """Return the events of a player's new connection from `address`, empty when that is not known.

        `player.name` is the requested name. The visible name is unique in the lobby, and a reserved one only where
        `is_operators`; one that `is_claimed` is another's account's. A player who had a visible name keeps it where it
        is free.
        """
        guest = self.guests.get(player.id)
        if is_claimed:
            likeness = comparison_key(player.name)
            if comparison_key(shown_before) == likeness:
                shown_before = ""
            if guest is not None and comparison_key(guest.player.name) == likeness:
                guest = None
        gets_name = is_operators and self.names.may_bear(player.id, player.name, is_operators=True)
        if guest is not None and guest.name == player.name and not gets_name:
            shown = guest.player
        else:
            keeps_name = shown_before and self.names.may_bear(player.id, shown_before, is_operators=True)
            name = (
                shown_before
                if keeps_name
                else self.names.choose(player.id, player.name, is_operators=is_operators, is_claimed=is_claimed)
            )
            shown = player.model_copy(update={"name": name})
        if guest and guest.player == shown and guest.address == address and player.id not in self.away:
            return ()
        return (Arrived(shown, player.name, address),)

    def disconnect(self, player: str, now: int) -> tuple[LobbyEvent, ...]:
        """Return the events of the end of a player's last connection."""
        return (WentAway(player, now),) if player in self.guests and player not in self.away else ()

    def tick(self, now: int) -> tuple[LobbyEvent, ...]:
        """Return the events that are due at `now`: expired challenges and tables, departures of players who stay away.

        One call decides at most `MAX_DEPARTURES_PER_TICK` of each; `deadline` then stays in the past.
        """
        events: list[LobbyEvent] = []
        ended = set[str]()
        departing = dict[str, None]()
        for player, since in islice(self.away.items(), MAX_DEPARTURES_PER_TICK):
            if now < since + DEPARTURE_DELAY_MS:
                break
            departing[player] = None
        for player in departing:
            events += self._ends_of(player, ended)
        for challenge in islice(self.challenges.values(), MAX_DEPARTURES_PER_TICK):
            if now < challenge.expires:
                break
            if challenge.challenge not in ended:
                events.append(self._ended(challenge, "expired"))
        closed = set[str]()
        for player in departing:
            for seek in self.seeks_of.get(player, ()):
                if self.tables[seek].seek.by.id == player and not self._lasts(seek):
                    closed.add(seek)
                    events.append(SeekClosed(seek))
        for seek, since in islice(self.lasting.items(), MAX_DEPARTURES_PER_TICK):
            if now < since + TABLE_LIFETIME_MS:
                break
            if seek not in closed:
                closed.add(seek)
                events.append(SeekClosed(seek))
        for player in departing:
            left = [one for one in self.seeks_of.get(player, ()) if one not in closed and not self._lasts(one)]
            events += [SeekLeft(seek, player) for seek in left]
        events += [PoolLeft(player) for player in departing if self.pools.entry(player) is not None]
        return (*events, *(Departed(player) for player in departing))

    def _lasts(self, seek: str) -> bool:
        """Return whether a table stays open without its players: one for a game by days, unless there are too many."""
        return seek in self.lasting and len(self.lasting) <= MAX_LASTING_TABLES

    def _ends_of(self, player: str, ended: set[str]) -> Iterable[ChallengeEnded]:
        """Yield the ends of a departing player's challenges that are not in `ended`, and add them to it."""
        for name in self.challenges_of.get(player, ()):
            if name not in ended:
                ended.add(name)
                challenge = self.challenges[name]
                if challenge.by.id == player:
                    yield self._ended(challenge, "cancelled", reason="the challenger has left")
                else:
                    yield self._ended(challenge, "declined", reason="the player has left")

    def exclude(self, player: str) -> tuple[LobbyEvent, ...]:
        """Return the ends of all that a player has begun or waits for, tables that last without their players too."""
        events: list[LobbyEvent] = [*self._ends_of(player, set())]
        for seek in self.seeks_of.get(player, ()):
            is_own = self.tables[seek].seek.by.id == player
            events.append(SeekClosed(seek) if is_own else SeekLeft(seek, player))
        if self.pools.entry(player) is not None:
            events.append(PoolLeft(player))
        return tuple(events)

    def waiting(self) -> set[str]:
        """Return the players of tables, challenges and pools."""
        return {player.id for player in self._seated()}

    def recover(self, stored: Iterable[LobbyEvent], now: int) -> tuple[MatchMade, ...]:
        """Fold what was stored before a restart into an empty lobby; return the matches that were to be opened.

        Players of tables, challenges and pools are away since `now`. An event about what is not there is left out.
        """
        for event in stored:
            if isinstance(event, Answered):
                self.remember(event)
            elif not isinstance(event, PoolEntered) or pool_named(event.pool) is not None:
                with suppress(KeyError):
                    self.evolve(event)
        for player in self._seated():
            name = self.names.choose(player.id, player.name, is_operators=True)
            self.evolve(Arrived(player.model_copy(update={"name": name}), player.name, ""))
            self.evolve(WentAway(player.id, now))
        return tuple(self.matches.values())

    def _seated(self) -> tuple[Player, ...]:
        """Return the players of tables, challenges and pools, each once."""
        players = dict[str, Player]()
        for table in self.tables.values():
            players |= {player.id: player for player in table.seek.joined}
        for challenge in self.challenges.values():
            players |= {player.id: player for player in (challenge.by, challenge.to)}
        players |= {entry.player.id: entry.player for entry in self.pools.entries()}
        return tuple(players.values())

    def leaving(self, players: Iterable[Player]) -> Iterator[PoolLeft]:
        """Yield the events by which those of `players` who wait in a pool leave it."""
        return (PoolLeft(player.id) for player in players if self.pools.entry(player.id) is not None)

    def check_places(self, players: Iterable[Player]) -> None:
        """Refuse a match of `players`, connected or not, where one of them or an address is at its limit."""
        for player in players:
            check_place(self, self.bounds, player)
            check_concurrency(self, player)

    def _declare(self, command: Declare, player: Player) -> tuple[LobbyEvent, ...]:
        if player.kind != "bot":
            raise Refusal("not_a_bot", "only a bot says what it plays")
        for accepts in command.accepts:
            check_declared(accepts)
        most = max(MAX_BOT_MATCHES, self.bounds.matches_per_player)
        concurrency = min(command.concurrency, most)
        check_ladder(concurrency, command.ladder)
        return (Declared(player.id, command.accepts, concurrency, command.ladder, command.version),)

    def _create_seek(self, command: CreateSeek, player: Player, now: int, new_id: str) -> tuple[LobbyEvent, ...]:
        settings = command.settings
        game, spec = settle(settings.game)
        if settings.seat is not None and settings.seat >= game.seats:
            raise Refusal("bad_options", f"{game.title} has seats 0 to {game.seats - 1}")
        if settings.minimum is not None and settings.minimum > game.seats:
            raise Refusal("bad_options", f"the table has {game.seats} seats, fewer than {settings.minimum}")
        if settings.rated and game.seats != 2:
            raise Refusal("bad_options", "only games for two are rated; open the table without `rated`")
        check_seat(self, player)
        self.check_places((player,))
        check_table(self, self.bounds, player)
        settled = settings.model_copy(update={"game": spec})
        seek = Seek(id=new_id, by=player, settings=settled, joined=(player,), seats=game.seats, since=now)
        return (SeekPosted(seek, settings.game),)

    def _join_seek(
        self, command: JoinSeek, player: Player, new_id: str, random_number: int, blocks: Blocks
    ) -> tuple[tuple[LobbyEvent, ...], str | None]:
        """Return the events, and the match's id where the table is full now."""
        table = self._table(command.seek)
        seek = table.seek
        if any(one.id == player.id for one in seek.joined):
            raise Refusal("already_joined", "you sit at this table already")
        if any(block_each_other(blocks, player.id, one.id) for one in seek.joined):
            raise Refusal("not_accepted", "this table is not open to you; sit down at another one, or open one")
        check_seat(self, player)
        self.check_places((player,))
        joined = SeekJoined(seek.id, player)
        if len(seek.joined) + 1 < seek.seats:
            return (joined,), None
        for one in seek.joined:
            check_place(self, self.bounds, one)
        return (
            joined,
            SeekClosed(seek.id),
            *self.leaving((*seek.joined, player)),
            self._match_of(seek, seek.settings.game, (*seek.joined, player), new_id, random_number),
        ), new_id

    def _leave_seek(self, command: LeaveSeek, player: Player) -> tuple[LobbyEvent, ...]:
        seek = self._table(command.seek).seek
        if all(one.id != player.id for one in seek.joined):
            raise Refusal("not_yours", "you do not sit at this table")
        return (SeekClosed(seek.id),) if seek.by.id == player.id else (SeekLeft(seek.id, player.id),)

    def _start_seek(
        self, command: StartSeek, player: Player, new_id: str, random_number: int
    ) -> tuple[LobbyEvent, ...]:
        table = self._own_table(command.seek, player)
        seek, count = table.seek, len(table.seek.joined)
        minimum = seek.settings.minimum
        if minimum is None or count < minimum:
            raise Refusal("too_few_players", f"the table waits for {minimum or seek.seats} players; {count} are there")
        spec = _with_players(table, count)
        for one in seek.joined:
            check_place(self, self.bounds, one)
        made = self._match_of(seek, spec, seek.joined, new_id, random_number)
        return (SeekClosed(seek.id), *self.leaving(seek.joined), made)

    def _challenge(
        self, command: Challenge, player: Player, now: int, new_id: str, blocks: Blocks
    ) -> tuple[LobbyEvent, ...]:
        if command.to == player.id:
            raise Refusal("yourself", "you cannot challenge yourself")
        if command.to in blocks.get(player.id, ()):
            raise Refusal("not_accepted", "you block that player; unblock them first")
        guest = self.guests.get(command.to)
        if guest is None:
            raise Refusal("unknown_player", "that player is not here")
        game, spec = settle(command.game)
        if game.seats != 2:
            raise Refusal("bad_options", "a challenge is for two players; open a table for more")
        if command.seat is not None and command.seat > 1:
            raise Refusal("bad_options", "a game for two has seats 0 and 1")
        if command.with_help and (player.kind, guest.player.kind) != ("person", "bot"):
            text = "help is for a person's game against a bot; challenge again without `with_help`"
            raise Refusal("bad_options", text)
        if command.with_help and command.rated:
            raise Refusal("bad_options", "a game with help is never rated; choose one of the two")
        # A bot accepts all that wait, so they take its games already.
        check_bot(guest, game, command.clock, self.challenges_to(command.to), rated=command.rated)
        is_hidden = player.id in blocks.get(command.to, ())
        displaced = check_challenge(self, self.bounds, player, command.to, is_hidden=is_hidden)
        self.check_places((player,))
        check_share(self, guest.player, player)
        challenge = Challenged(
            challenge=new_id,
            by=player,
            to=guest.player,
            game=spec,
            clock=command.clock,
            seat=command.seat,
            expires=now + CHALLENGE_LIFETIME_MS,
            with_help=command.with_help,
            rated=command.rated,
        )
        if displaced is None:
            return (ChallengeSent(challenge, is_hidden=is_hidden),)
        reason = "too many challenges wait for that player's answer"
        return (self._ended(self.challenges[displaced], "declined", reason=reason), ChallengeSent(challenge))

    def _accept_challenge(
        self, command: AcceptChallenge, player: Player, new_id: str, random_number: int
    ) -> tuple[LobbyEvent, ...]:
        challenge = self._challenge_to(command.challenge, player)
        self.check_places((player, challenge.by))
        check_share(self, player, challenge.by)
        players = _seated((challenge.by, player), challenge.seat, random_number)
        made = MatchMade(
            new_id,
            challenge.game,
            players,
            challenge.clock,
            with_help=challenge.with_help,
            rated=challenge.rated,
            versions=self.versions_of(players),
        )
        return (self._ended(challenge, "accepted", match=new_id), *self.leaving(players), made)

    # Pools

    def _enter_pool(self, command: EnterPool, player: Player, now: int, rating: float) -> tuple[LobbyEvent, ...]:
        if player.kind == "bot":
            raise Refusal("not_allowed", "pools pair people; a bot declares what it plays, and is challenged")
        if pool_named(command.pool) is None:
            raise Refusal("unknown_pool", f"there is no pool {command.pool!r}; `games` lists the pools")
        self.check_places((player,))
        known = self.pools.entry(player.id)
        if known is not None and known.pool == command.pool:
            return ()
        if known is None:
            check_pool(self, self.bounds, player)
        return (PoolEntered(player, command.pool, rating, now),)

    def pairs_in(
        self, pool: str, now: int, blocks: Blocks = NO_BLOCKS, among: Collection[str] | None = None
    ) -> tuple[list[tuple[Player, Player]], list[PoolLeft]]:
        """Return who plays whom after a round of pairing in `pool`, and who has no place for a game and must leave.

        Players without a connection are passed over, and those who are not `among` the given ones. `blocks` has whom
        each player blocks.
        """
        present = dict[str, Entry]()
        leaving = list[PoolLeft]()
        for entry in self.pools.waiting_in(pool):
            if not self.is_here(entry.player.id) or (among is not None and entry.player.id not in among):
                continue
            try:
                self.check_places((entry.player,))
            except Refusal as refusal:
                leaving.append(PoolLeft(entry.player.id, reason=refusal.text))
            else:
                present[entry.player.id] = entry
        candidates = [
            Candidate(
                player,
                entry.rating,
                now - entry.since,
                self.pools.opponents(player),
                blocked=blocks.get(player, frozenset()),
            )
            for player, entry in present.items()
        ]
        pairs = [(present[one].player, present[other].player) for one, other in pair(candidates)]
        return pairs, leaving

    def meet(
        self, pool: PairingPool, players: tuple[Player, Player], *, new_id: str, random_number: int
    ) -> tuple[LobbyEvent, ...]:
        """Return the events by which two players get a rated match of a pool with the id `new_id`.

        Those who wait in it leave it.
        """
        seated = _seated(players, None, random_number)
        versions = self.versions_of(seated)
        made = MatchMade(new_id, pool.game, seated, pool.clock, rated=True, versions=versions)
        met = zip(players, reversed(players), strict=True)
        left = (PoolLeft(one.id, met=other.id) for one, other in met if self.pools.entry(one.id) is not None)
        return (*left, made)

    def bot_for(self, entry: Entry, ratings: Mapping[str, float]) -> Player | None:
        """Return the bot of `ratings` that is nearest to a player who waits, and takes the pool's game; None without.

        The bot that is named already stays where it takes one.
        """
        pool = pool_named(entry.pool)
        bots = {} if pool is None else {guest.player.id: guest.player for guest in self.bots_for(pool)}
        if entry.bot is not None and entry.bot.id in bots:
            return bots[entry.bot.id]
        known = [player for player in bots if player in ratings]
        nearest = min(known, key=lambda player: (abs(ratings[player] - entry.rating), player), default=None)
        return None if nearest is None else bots[nearest]

    def bots_for(self, pool: PairingPool) -> Iterator[Guest]:
        """Yield the bots, of those that came first, that take a challenge to a pool's game now."""
        game, _ = settle(pool.game)
        for guest in islice(self.bots(), MAX_BOTS_ASKED):
            with suppress(Refusal):
                check_bot(guest, game, pool.clock, self.challenges_to(guest.player.id), rated=True)
                yield guest

    def _match_of(
        self, seek: Seek, spec: GameSpec, players: Sequence[Player], match: str, random_number: int
    ) -> MatchMade:
        """Return the match of a table; its creator, the first in `players`, has the requested seat."""
        settings = seek.settings
        seated = _seated(players, settings.seat, random_number)
        return MatchMade(
            match,
            spec,
            seated,
            settings.clock,
            settings.private,
            settings.delay,
            rated=settings.rated,
            versions=self.versions_of(seated),
        )

    def _table(self, seek: str) -> OpenSeek:
        table = self.tables.get(seek)
        if table is None:
            raise Refusal("unknown_seek", "that table is gone")
        return table

    def _own_table(self, seek: str, player: Player) -> OpenSeek:
        table = self._table(seek)
        if table.seek.by.id != player.id:
            raise Refusal("not_yours", "only who opened the table does that")
        return table

    def _open_challenge(self, name: str) -> Challenged:
        challenge = self.challenges.get(name)
        if challenge is None:
            raise Refusal("unknown_challenge", "that challenge is over")
        return challenge

    def _challenge_to(self, name: str, player: Player) -> Challenged:
        challenge = self._open_challenge(name)
        if challenge.to.id != player.id or name in self.hidden:
            raise Refusal("not_yours", "only who was challenged answers")
        return challenge

    def _ended(self, challenge: Challenged, how: str, reason: str = "", match: str | None = None) -> ChallengeEnded:
        closed = ChallengeClosed.model_validate(
            {"challenge": challenge.challenge, "how": how, "reason": reason, "match": match}
        )
        told = (challenge.by.id,) if challenge.challenge in self.hidden else (challenge.by.id, challenge.to.id)
        return ChallengeEnded(closed, told)


def _seated(players: Sequence[Player], seat: int | None, random_number: int) -> tuple[Player, ...]:
    """Return the players in seat order: the first one in `seat`, or the last seat below it, the others shuffled."""
    first, *others = players
    waiting, seated = others if seat is not None else list(players), list[Player]()
    while waiting:
        random_number, index = divmod(random_number, len(waiting))
        seated.append(waiting.pop(index))
    if seat is not None:
        seated.insert(seat, first)
    return tuple(seated)


def _with_players(table: OpenSeek, count: int) -> GameSpec:
    """Return the table's game for fewer players, whose number sets the default options. Raises Refusal."""
    seek = table.seek
    if count == seek.seats:
        return seek.settings.game
    if "players" not in seek.settings.game.options:
        raise Refusal("too_few_players", f"this game needs {seek.seats} players")
    try:
        return settle(GameSpec(name=table.asked.name, options={**table.asked.options, "players": count}))[1]
    except Refusal as refusal:
        raise Refusal("too_few_players", f"the game cannot be played by {count}: {refusal.text}") from None
