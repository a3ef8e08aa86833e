"""What may happen in the lobby: commands become events or refusals. Pure: time, fresh ids and lots come in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from protocol.commands import (
    AcceptChallenge,
    CancelChallenge,
    CancelSeek,
    Challenge,
    CreateSeek,
    Declare,
    DeclineChallenge,
    JoinSeek,
    LeaveLobby,
    LeaveSeek,
    LobbyCommand,
    StartSeek,
    WatchLobby,
)
from protocol.messages import ChallengeClosed, Challenged
from protocol.values import GameSpec, Player, Seek
from server.acceptance import check_bot, check_declared
from server.catalogue import settle
from server.lobbystate import (
    AWAY_GRACE,
    Answered,
    Arrived,
    ChallengeEnded,
    ChallengeSent,
    Declared,
    Departed,
    LobbyEvent,
    LobbyFacts,
    MatchMade,
    SeekClosed,
    SeekJoined,
    SeekLeft,
    SeekPosted,
    Table,
    WentAway,
)
from server.refusal import Refusal

__all__ = ["CHALLENGE_LIFE", "MOST_CHALLENGES", "MOST_INCOMING", "MOST_TABLES", "Lobby"]

CHALLENGE_LIFE: Final = 60_000
"""How long a challenge waits for its answer, in milliseconds."""
MOST_TABLES: Final = 5
"""At how many open tables one player may sit."""
MOST_CHALLENGES: Final = 5
"""How many challenges one player may have sent and not heard about yet."""
MOST_INCOMING: Final = 20
"""How many challenges may wait for one player's answer."""


class Lobby(LobbyFacts):
    """The lobby and its rules of conduct."""

    __slots__ = ()

    def decide(
        self, command: LobbyCommand, player: Player, now: int, *, fresh: str, lot: int
    ) -> tuple[LobbyEvent, ...]:
        """Return what `command` of `player`, who has arrived, leads to at `now`. Raises Refusal.

        `fresh` is an id that nobody has used, for what the command makes; `lot` is a large random number that seats
        the players. Repeats of a command are the caller's affair: ask `answered` first.
        """
        if player.id not in self.guests:
            raise Refusal("unknown_player", "you are not here")
        match command:
            case WatchLobby() | LeaveLobby():
                return ()
            case Declare():
                events, ref = self._declare(command, player), None
            case CreateSeek():
                events, ref = self._create_seek(command, player, now, fresh), fresh
            case JoinSeek():
                events, ref = self._join_seek(command, player, fresh, lot)
            case LeaveSeek():
                events, ref = self._leave_seek(command, player), None
            case StartSeek():
                events, ref = self._start_seek(command, player, fresh, lot), fresh
            case CancelSeek():
                self._own_table(command.seek, player)
                events, ref = (SeekClosed(command.seek),), None
            case Challenge():
                events, ref = self._challenge(command, player, now, fresh), fresh
            case AcceptChallenge():
                events, ref = self._accept_challenge(command, player, fresh, lot), fresh
            case DeclineChallenge():
                challenge = self._challenge_to(command.challenge, player)
                events, ref = (_ended(challenge, "declined", reason=command.reason),), None
            case CancelChallenge():
                challenge = self._open_challenge(command.challenge)
                if challenge.by.id != player.id:
                    raise Refusal("not_yours", "only the challenger cancels a challenge")
                events, ref = (_ended(challenge, "cancelled"),), None
            case _:
                assert_never(command)
        return (*events, Answered(player.id, command.id, ref))

    def arrive(self, player: Player) -> tuple[LobbyEvent, ...]:
        """Return what follows from the player's having a connection."""
        guest = self.guests.get(player.id)
        return () if guest and guest.player == player and player.id not in self.away else (Arrived(player),)

    def disconnect(self, player: str, now: int) -> tuple[LobbyEvent, ...]:
        """Return what follows from the end of the player's last connection."""
        return (WentAway(player, now),) if player in self.guests and player not in self.away else ()

    def tick(self, now: int) -> tuple[LobbyEvent, ...]:
        """Return what the passing of time decides by `now`: challenges expire, and who stays away departs."""
        events: list[LobbyEvent] = []
        departing = {player for player, since in self.away.items() if now >= since + AWAY_GRACE}
        for challenge in self.challenges.values():
            if challenge.by.id in departing:
                events.append(_ended(challenge, "cancelled", reason="the challenger has left"))
            elif challenge.to.id in departing:
                events.append(_ended(challenge, "declined", reason="the player has left"))
            elif now >= challenge.expires:
                events.append(_ended(challenge, "expired"))
        for name, table in self.tables.items():
            if table.seek.by.id in departing:
                events.append(SeekClosed(name))
            else:
                events += [SeekLeft(name, one.id) for one in table.seek.joined if one.id in departing]
        return (*events, *(Departed(player) for player in departing))

    def _declare(self, command: Declare, player: Player) -> tuple[LobbyEvent, ...]:
        if player.kind != "bot":
            raise Refusal("not_a_bot", "only a bot says what it plays")
        for accepts in command.accepts:
            check_declared(accepts)
        return (Declared(player.id, command.accepts, command.concurrency),)

    def _create_seek(self, command: CreateSeek, player: Player, now: int, fresh: str) -> tuple[LobbyEvent, ...]:
        settings = command.settings
        game, spec = settle(settings.game)
        if settings.seat is not None and settings.seat >= game.seats:
            raise Refusal("bad_options", f"{game.title} has seats 0 to {game.seats - 1}")
        if settings.minimum is not None and settings.minimum > game.seats:
            raise Refusal("bad_options", f"the table has {game.seats} seats, fewer than {settings.minimum}")
        self._check_free(player)
        settled = settings.model_copy(update={"game": spec})
        seek = Seek(id=fresh, by=player, settings=settled, joined=(player,), seats=game.seats, since=now)
        return (SeekPosted(seek, settings.game),)

    def _join_seek(
        self, command: JoinSeek, player: Player, fresh: str, lot: int
    ) -> tuple[tuple[LobbyEvent, ...], str | None]:
        """Return the events, and the match if the table is full now."""
        table = self.table(command.seek)
        seek = table.seek
        if any(one.id == player.id for one in seek.joined):
            raise Refusal("already_joined", "you sit at this table already")
        self._check_free(player)
        joined = SeekJoined(seek.id, player)
        if len(seek.joined) + 1 < seek.seats:
            return (joined,), None
        return (
            joined,
            SeekClosed(seek.id),
            _match_of(seek, seek.settings.game, (*seek.joined, player), fresh, lot),
        ), fresh

    def _leave_seek(self, command: LeaveSeek, player: Player) -> tuple[LobbyEvent, ...]:
        seek = self.table(command.seek).seek
        if all(one.id != player.id for one in seek.joined):
            raise Refusal("not_yours", "you do not sit at this table")
        return (SeekClosed(seek.id),) if seek.by.id == player.id else (SeekLeft(seek.id, player.id),)

    def _start_seek(self, command: StartSeek, player: Player, fresh: str, lot: int) -> tuple[LobbyEvent, ...]:
        table = self._own_table(command.seek, player)
        seek, count = table.seek, len(table.seek.joined)
        minimum = seek.settings.minimum
        if minimum is None or count < minimum:
            raise Refusal("too_few_players", f"the table waits for {minimum or seek.seats} players; {count} are there")
        spec = _with_players(table, count)
        return (SeekClosed(seek.id), _match_of(seek, spec, seek.joined, fresh, lot))

    def _challenge(self, command: Challenge, player: Player, now: int, fresh: str) -> tuple[LobbyEvent, ...]:
        if command.to == player.id:
            raise Refusal("yourself", "you cannot challenge yourself")
        guest = self.guests.get(command.to)
        if guest is None:
            raise Refusal("unknown_player", "that player is not here")
        game, spec = settle(command.game)
        if game.seats != 2:
            raise Refusal("bad_options", "a challenge is for two players; open a table for more")
        if command.seat is not None and command.seat > 1:
            raise Refusal("bad_options", "a game for two has seats 0 and 1")
        check_bot(guest, game, command.clock)
        if sum(one.by.id == player.id for one in self.challenges.values()) >= MOST_CHALLENGES:
            raise Refusal("busy", f"{MOST_CHALLENGES} of your challenges wait for an answer; cancel one first")
        if sum(one.to.id == command.to for one in self.challenges.values()) >= MOST_INCOMING:
            raise Refusal("busy", "too many challenges wait for that player's answer")
        self._check_concurrency(player)
        challenge = Challenged(
            challenge=fresh,
            by=player,
            to=guest.player,
            game=spec,
            clock=command.clock,
            seat=command.seat,
            expires=now + CHALLENGE_LIFE,
        )
        return (ChallengeSent(challenge),)

    def _accept_challenge(
        self, command: AcceptChallenge, player: Player, fresh: str, lot: int
    ) -> tuple[LobbyEvent, ...]:
        challenge = self._challenge_to(command.challenge, player)
        self._check_concurrency(player)
        self._check_concurrency(challenge.by)
        players = _seated((challenge.by, player), challenge.seat, lot)
        made = MatchMade(fresh, challenge.game, players, challenge.clock)
        return (_ended(challenge, "accepted", match=fresh), made)

    def table(self, seek: str) -> Table:
        """Return an open table. Raises Refusal."""
        table = self.tables.get(seek)
        if table is None:
            raise Refusal("unknown_seek", "that table is gone")
        return table

    def _own_table(self, seek: str, player: Player) -> Table:
        table = self.table(seek)
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
        if challenge.to.id != player.id:
            raise Refusal("not_yours", "only who was challenged answers")
        return challenge

    def _check_free(self, player: Player) -> None:
        """Refuse who sits at too many tables, and a bot that would exceed its own declaration."""
        if self.guests[player.id].tables >= MOST_TABLES:
            raise Refusal("busy", f"you sit at {MOST_TABLES} open tables already; leave one first")
        self._check_concurrency(player)

    def _check_concurrency(self, player: Player) -> None:
        guest = self.guests.get(player.id)
        if guest and guest.concurrency is not None and not guest.free:
            raise Refusal("busy", f"{player.name} plays as many games as it takes")


def _ended(challenge: Challenged, how: str, reason: str = "", match: str | None = None) -> ChallengeEnded:
    closed = ChallengeClosed.model_validate(
        {"challenge": challenge.challenge, "how": how, "reason": reason, "match": match}
    )
    return ChallengeEnded(closed, (challenge.by.id, challenge.to.id))


def _match_of(seek: Seek, spec: GameSpec, players: Sequence[Player], match: str, lot: int) -> MatchMade:
    """Return the match of a table: its creator, who joined first, has the seat that was asked for."""
    settings = seek.settings
    return MatchMade(
        match, spec, _seated(players, settings.seat, lot), settings.clock, settings.private, settings.delay
    )


def _seated(players: Sequence[Player], seat: int | None, lot: int) -> tuple[Player, ...]:
    """Return the players in seat order: the first in `seat`, or in the last there is, and `lot` shuffles the rest."""
    first, *others = players
    waiting, seated = others if seat is not None else list(players), list[Player]()
    while waiting:
        lot, index = divmod(lot, len(waiting))
        seated.append(waiting.pop(index))
    if seat is not None:
        seated.insert(seat, first)
    return tuple(seated)


def _with_players(table: Table, count: int) -> GameSpec:
    """Return the table's game for fewer players; options that nobody set follow their number. Raises Refusal."""
    seek = table.seek
    if count == seek.seats:
        return seek.settings.game
    if "players" not in seek.settings.game.options:
        raise Refusal("too_few_players", f"this game needs {seek.seats} players")
    try:
        return settle(GameSpec(name=table.asked.name, options={**table.asked.options, "players": count}))[1]
    except Refusal as refusal:
        raise Refusal("too_few_players", f"the game cannot be played by {count}: {refusal.text}") from None
