"""The lobby: seeks, challenges, bots and presence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from cornered.protocol.commands import (
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
from cornered.protocol.values import (
    MAX_VALUES,
    NO_CLOCK,
    Accepts,
    Correspondence,
    Fischer,
    GameSpec,
    PerMove,
    Player,
    SeekSettings,
)
from cornered.server.lobby import lobby as lobby_module
from cornered.server.lobby.bounds import MAX_CHALLENGES_RECEIVED, MAX_CHALLENGES_SENT, MAX_SEEKS_PER_PLAYER
from cornered.server.lobby.events import (
    DEPARTURE_DELAY_MS,
    Answered,
    ChallengeEnded,
    ChallengeSent,
    Departed,
    LobbyEvent,
    MatchEnded,
    MatchMade,
    SeekClosed,
    SeekJoined,
    SeekLeft,
    SeekPosted,
)
from cornered.server.lobby.lobby import CHALLENGE_LIFETIME_MS, Lobby
from cornered.server.refusal import Refusal

E = TypeVar("E", bound=LobbyEvent)
TRAPGRID = GameSpec(name="trapgrid", options={"size": 5})
THREE = GameSpec(name="isolation", options={"players": 3})
PLAYS_TRAPGRID = Accepts(game="trapgrid", options={"size": (3, 5)}, clocks=("none", "fischer"))


def person(name: str) -> Player:
    return Player(id=name, name=name.title(), kind="person")


ANN, BEN, CYD, DEE = map(person, ("ann", "ben", "cyd", "dee"))
BOT = Player(id="bot", name="Bot", kind="bot")


@dataclass
class LobbyDriver:
    """A lobby driven through its public interface."""

    lobby: Lobby = field(default_factory=Lobby)
    now: int = 1_000_000
    lot: int = 0
    count: int = 0

    def apply(self, events: Sequence[LobbyEvent]) -> Sequence[LobbyEvent]:
        for event in events:
            self.lobby.evolve(event)
        return events

    def arrive(self, *players: Player) -> None:
        for player in players:
            self.apply(self.lobby.arrive(player))

    def command(self, kind: type[LobbyCommand], **fields: Any) -> LobbyCommand:
        self.count += 1
        return kind(**{"id": f"c{self.count}"} | fields)

    def do(self, kind: type[LobbyCommand], player: Player, **fields: Any) -> Sequence[LobbyEvent]:
        """Carry out a command and return its events except the last, which records the answer."""
        return self.carry_out(self.command(kind, **fields), player)

    def carry_out(self, command: LobbyCommand, player: Player) -> Sequence[LobbyEvent]:
        """Carry out a command and return its events except the last, which records the answer."""
        events = self.lobby.decide(command, player, self.now, new_id=f"new{self.count}", random_number=self.lot)
        return self.apply(events)[:-1]

    def refused(self, kind: type[LobbyCommand], player: Player, **fields: Any) -> str:
        with pytest.raises(Refusal) as caught:
            self.do(kind, player, **fields)
        assert caught.value.text
        return caught.value.code

    def open_table(self, by: Player, game: GameSpec = TRAPGRID, **settings: Any) -> str:
        posted = one(SeekPosted, self.do(CreateSeek, by, settings=SeekSettings(game=game, **settings)))
        return posted.seek.id

    def challenge(self, by: Player, to: Player, **fields: Any) -> str:
        sent = one(ChallengeSent, self.do(Challenge, by, **{"to": to.id, "game": TRAPGRID} | fields))
        return sent.challenge.challenge


@pytest.fixture
def driver() -> LobbyDriver:
    driver = LobbyDriver()
    driver.arrive(ANN, BEN, CYD, DEE, BOT)
    return driver


def made(events: Sequence[LobbyEvent]) -> MatchMade:
    return next(event for event in events if isinstance(event, MatchMade))


def one(kind: type[E], events: Sequence[LobbyEvent]) -> E:
    """Return the only event, which is of this kind."""
    (event,) = events
    assert isinstance(event, kind)
    return event


# Names


def test_a_newcomer_gets_a_number_while_an_absent_player_of_that_name_is_in_a_live_match(driver: LobbyDriver) -> None:
    match = made(driver.do(AcceptChallenge, BEN, challenge=driver.challenge(ANN, BEN)))
    driver.apply(driver.lobby.disconnect("ann", 0))
    driver.apply(driver.lobby.tick(DEPARTURE_DELAY_MS))
    assert "ann" not in driver.lobby.guests
    second, third = (Player(id=name, name="Ann", kind="person") for name in ("second", "third"))
    driver.arrive(second)
    assert driver.lobby.guests["second"].player.name == "Ann (2)"
    driver.apply([MatchEnded(match.match)])
    driver.arrive(third)
    assert driver.lobby.guests["third"].player.name == "Ann"


def test_who_takes_another_name_has_it_at_tables_in_challenges_and_in_their_matches(driver: LobbyDriver) -> None:
    own, joined = driver.open_table(ANN), driver.open_table(BEN, THREE)
    driver.do(JoinSeek, ANN, seek=joined)
    sent, got = driver.challenge(ANN, CYD), driver.challenge(DEE, ANN)
    driver.lobby.take_changes()
    driver.arrive(
        zed := Player(id="ann", name="Zed", kind="person"), ann := Player(id="new", name="Ann", kind="person")
    )
    tables, challenges = driver.lobby.tables, driver.lobby.challenges
    assert (tables[own].seek.by, tables[own].seek.joined) == (zed, (zed,))
    assert (tables[joined].seek.by, tables[joined].seek.joined) == (BEN, (BEN, zed))
    assert (challenges[sent].by, challenges[sent].to) == (zed, CYD)
    assert (challenges[got].by, challenges[got].to) == (DEE, zed)
    assert set(driver.lobby.take_changes().tables) == {own, joined}
    assert set(made(driver.do(JoinSeek, ann, seek=own)).players) == {ann, zed}
    assert set(made(driver.do(AcceptChallenge, CYD, challenge=sent)).players) == {CYD, zed}
    assert set(made(driver.do(AcceptChallenge, ANN, challenge=got)).players) == {DEE, zed}


# Tables


def test_a_table_shows_its_game_with_every_option_and_the_suggested_draw_rules(driver: LobbyDriver) -> None:
    seek = driver.open_table(ANN, GameSpec(name="isolation", options={"players": 3}))
    shown = driver.lobby.tables[seek].seek
    assert shown.settings.game.options == {"width": 7, "height": 7, "players": 3, "dice": False}
    assert (shown.seats, shown.joined, shown.by, shown.since) == (3, (ANN,), ANN, driver.now)
    plain = driver.open_table(ANN, GameSpec(name="quoridor", options={"size": 5}))
    endless = driver.open_table(ANN, GameSpec(name="quoridor", options={"size": 5, "max_plies": None}))
    assert driver.lobby.tables[plain].seek.settings.game.options["max_plies"] == 100
    assert driver.lobby.tables[endless].seek.settings.game.options["max_plies"] is None


def test_the_match_begins_when_the_table_is_full(driver: LobbyDriver) -> None:
    seek = driver.open_table(ANN, THREE, seat=2, clock=PerMove(seconds=9), private=True, delay=4)
    one(SeekJoined, driver.do(JoinSeek, BEN, seek=seek))
    _, closed, match = driver.do(JoinSeek, CYD, seek=seek)
    assert isinstance(closed, SeekClosed)
    assert isinstance(match, MatchMade)
    assert match.players == (BEN, CYD, ANN)
    assert (match.clock, match.private, match.delay) == (PerMove(seconds=9), True, 4)
    assert driver.lobby.tables == {}
    assert driver.lobby.matches == {match.match: match}
    assert driver.refused(JoinSeek, DEE, seek=seek) == "unknown_seek"


def test_lots_give_every_order_and_leave_the_creators_seat_alone(driver: LobbyDriver) -> None:
    orders = set()
    for driver.lot in range(6):
        seek = driver.open_table(ANN, THREE)
        driver.do(JoinSeek, BEN, seek=seek)
        orders.add(made(driver.do(JoinSeek, CYD, seek=seek)).players)
        for seat in (0, 1):
            seek = driver.open_table(ANN, seat=seat)
            assert made(driver.do(JoinSeek, BEN, seek=seek)).players[seat] == ANN
    assert len(orders) == 6


def test_a_table_or_challenge_that_cannot_be_is_refused(driver: LobbyDriver) -> None:
    def trapgrid(**options: Any) -> dict[str, Any]:
        return {"game": GameSpec(name="trapgrid", options=options)}

    tables: list[tuple[dict[str, Any], str]] = [
        ({"game": GameSpec(name="chess")}, "unknown_game"),
        *((trapgrid(**options), "bad_options") for options in ({"size": 99}, {"depth": 3}, {"size": True})),
        ({"game": GameSpec(name="trapgrid", options={"self": 3, "name": 1})}, "bad_options"),
        ({"seat": 2}, "bad_options"),
        ({"minimum": 3}, "bad_options"),
    ]
    found = [
        driver.refused(CreateSeek, ANN, settings=SeekSettings(**{"game": TRAPGRID} | settings))
        for settings, _ in tables
    ]
    assert found == [code for _, code in tables]
    challenges: list[tuple[dict[str, Any], str]] = [
        ({"to": "ann"}, "yourself"),
        ({"to": "nobody"}, "unknown_player"),
        ({"game": THREE}, "bad_options"),
        ({"game": GameSpec(name="chess")}, "unknown_game"),
        ({"seat": 2}, "bad_options"),
    ]
    found = [driver.refused(Challenge, ANN, **{"to": "ben", "game": TRAPGRID} | fields) for fields, _ in challenges]
    assert found == [code for _, code in challenges]


def test_a_player_sits_at_a_table_once(driver: LobbyDriver) -> None:
    seek = driver.open_table(ANN, THREE)
    assert driver.refused(JoinSeek, ANN, seek=seek) == "already_joined"
    driver.do(JoinSeek, BEN, seek=seek)
    assert driver.refused(JoinSeek, BEN, seek=seek) == "already_joined"


def test_a_player_sits_at_a_bounded_number_of_tables(driver: LobbyDriver) -> None:
    for _ in range(MAX_SEEKS_PER_PLAYER):
        driver.open_table(ANN, THREE)
    seek = driver.open_table(BEN, THREE)
    assert driver.refused(CreateSeek, ANN, settings=SeekSettings(game=THREE)) == "busy"
    assert driver.refused(JoinSeek, ANN, seek=seek) == "busy"
    driver.do(CancelSeek, ANN, seek=next(iter(driver.lobby.tables)))
    driver.do(JoinSeek, ANN, seek=seek)


def test_who_leaves_a_table_frees_the_seat_and_the_creator_closes_it(driver: LobbyDriver) -> None:
    seek = driver.open_table(ANN, THREE)
    assert driver.refused(LeaveSeek, BEN, seek=seek) == "not_yours"
    driver.do(JoinSeek, BEN, seek=seek)
    one(SeekLeft, driver.do(LeaveSeek, BEN, seek=seek))
    assert driver.lobby.tables[seek].seek.joined == (ANN,)
    one(SeekClosed, driver.do(LeaveSeek, ANN, seek=seek))
    assert [guest.tables for guest in driver.lobby.guests.values()] == [0] * 5


def test_only_the_creator_starts_or_cancels(driver: LobbyDriver) -> None:
    seek = driver.open_table(ANN, THREE, minimum=2)
    driver.do(JoinSeek, BEN, seek=seek)
    assert driver.refused(CancelSeek, BEN, seek=seek) == "not_yours"
    assert driver.refused(StartSeek, BEN, seek=seek) == "not_yours"
    assert driver.refused(CancelSeek, ANN, seek="nope") == "unknown_seek"


def test_a_table_with_a_minimum_starts_before_it_is_full_if_the_game_knows_the_number(driver: LobbyDriver) -> None:
    four = GameSpec(name="quoridor", options={"size": 5, "players": 4})
    seek = driver.open_table(ANN, four, minimum=2, seat=3)
    assert driver.refused(StartSeek, ANN, seek=seek) == "too_few_players"
    driver.do(JoinSeek, BEN, seek=seek)
    match = made(driver.do(StartSeek, ANN, seek=seek))
    assert match.players == (BEN, ANN)
    assert (match.spec.options["players"], match.spec.options["walls"]) == (2, 5)
    seek = driver.open_table(ANN, GameSpec(name="quoridor", options={"size": 5, "players": 4}), minimum=3)
    driver.do(JoinSeek, BEN, seek=seek)
    driver.do(JoinSeek, CYD, seek=seek)
    assert driver.refused(StartSeek, ANN, seek=seek) == "too_few_players"
    seek = driver.open_table(ANN, THREE)
    driver.do(JoinSeek, BEN, seek=seek)
    assert driver.refused(StartSeek, ANN, seek=seek) == "too_few_players"


# Challenges


def test_an_accepted_challenge_becomes_a_match_and_another_is_declined_or_cancelled_by_its_own_side(
    driver: LobbyDriver,
) -> None:
    challenge = driver.challenge(ANN, BEN, seat=1, clock=Fischer(initial=60))
    ended, match = driver.do(AcceptChallenge, BEN, challenge=challenge)
    assert isinstance(ended, ChallengeEnded)
    assert isinstance(match, MatchMade)
    assert (ended.closed.how, ended.closed.match, ended.told) == ("accepted", match.match, ("ann", "ben"))
    assert (match.players, match.clock, match.spec) == ((BEN, ANN), Fischer(initial=60), TRAPGRID)
    assert driver.refused(AcceptChallenge, BEN, challenge=challenge) == "unknown_challenge"
    challenge = driver.challenge(ANN, BEN)
    assert driver.refused(DeclineChallenge, ANN, challenge=challenge) == "not_yours"
    ended = one(ChallengeEnded, driver.do(DeclineChallenge, BEN, challenge=challenge, reason="later"))
    assert (ended.closed.how, ended.closed.reason, driver.lobby.challenges) == ("declined", "later", {})
    challenge = driver.challenge(ANN, BEN)
    assert driver.refused(CancelChallenge, BEN, challenge=challenge) == "not_yours"
    assert driver.refused(AcceptChallenge, ANN, challenge=challenge) == "not_yours"
    assert driver.refused(AcceptChallenge, CYD, challenge=challenge) == "not_yours"
    ended = one(ChallengeEnded, driver.do(CancelChallenge, ANN, challenge=challenge))
    assert ended.closed.how == "cancelled"


def test_help_is_among_the_terms_of_a_persons_game_against_a_bot(driver: LobbyDriver) -> None:
    driver.do(Declare, BOT, accepts=(PLAYS_TRAPGRID,), concurrency=2)
    for with_help in (True, False):
        challenge = driver.challenge(ANN, BOT, with_help=with_help)
        assert driver.lobby.challenges[challenge].with_help is with_help
        assert made(driver.do(AcceptChallenge, BOT, challenge=challenge)).with_help is with_help


def test_nobody_has_help_against_a_person_nor_in_a_rated_game(driver: LobbyDriver) -> None:
    other = Player(id="other", name="Other", kind="bot")
    driver.arrive(other)
    driver.do(Declare, BOT, accepts=(PLAYS_TRAPGRID,), concurrency=2)
    for by, to, rated in ((ANN, BEN, False), (BOT, ANN, False), (other, BOT, False), (ANN, BOT, True)):
        refused = driver.refused(Challenge, by, to=to.id, game=TRAPGRID, with_help=True, rated=rated)
        assert refused == "bad_options", (by, to)


def test_a_table_or_challenge_for_two_may_be_rated(driver: LobbyDriver) -> None:
    for rated in (True, False):
        challenge = driver.challenge(ANN, BEN, rated=rated)
        assert driver.lobby.challenges[challenge].rated is rated
        assert made(driver.do(AcceptChallenge, BEN, challenge=challenge)).rated is rated
        seek = driver.open_table(ANN, TRAPGRID, rated=rated)
        assert made(driver.do(JoinSeek, BEN, seek=seek)).rated is rated
    settings = SeekSettings(game=THREE, rated=True)
    assert driver.refused(CreateSeek, ANN, settings=settings) == "bad_options"


def test_a_bot_plays_rated_games_unless_it_says_that_it_does_not(driver: LobbyDriver) -> None:
    driver.do(Declare, BOT, accepts=(PLAYS_TRAPGRID,), concurrency=2)
    driver.do(CancelChallenge, ANN, challenge=driver.challenge(ANN, BOT, rated=True))
    casual = PLAYS_TRAPGRID.model_copy(update={"rated": False})
    driver.do(Declare, BOT, accepts=(casual,), concurrency=2)
    assert driver.refused(Challenge, ANN, to=BOT.id, game=TRAPGRID, rated=True) == "not_accepted"
    driver.challenge(ANN, BOT)


def test_a_challenge_expires_after_a_minute(driver: LobbyDriver) -> None:
    driver.challenge(ANN, BEN)
    due = driver.now + CHALLENGE_LIFETIME_MS
    assert driver.lobby.deadline() == due
    assert driver.lobby.tick(due - 1) == ()
    ended = one(ChallengeEnded, driver.apply(driver.lobby.tick(due)))
    assert (ended.closed.how, driver.lobby.deadline()) == ("expired", None)


def test_challenges_that_wait_are_limited_for_both_sides(driver: LobbyDriver) -> None:
    for _ in range(MAX_CHALLENGES_SENT):
        driver.challenge(ANN, BEN)
    assert driver.refused(Challenge, ANN, to="cyd", game=TRAPGRID) == "busy"
    crowd = [person(f"p{number}") for number in range(MAX_CHALLENGES_RECEIVED)]
    driver.arrive(*crowd)
    for one in crowd[: MAX_CHALLENGES_RECEIVED - MAX_CHALLENGES_SENT]:
        driver.challenge(one, BEN)
    assert driver.refused(Challenge, crowd[-1], to="ben", game=TRAPGRID) == "busy"


def test_a_crowd_that_fills_what_waits_for_a_player_gives_way_to_one_who_was_here_before(driver: LobbyDriver) -> None:
    crowd = [person(f"p{number}") for number in range(MAX_CHALLENGES_RECEIVED)]
    driver.arrive(*crowd)
    for one in crowd:
        driver.challenge(one, BEN)
    ended, sent = driver.do(Challenge, CYD, to="ben", game=TRAPGRID)
    assert isinstance(ended, ChallengeEnded)
    assert isinstance(sent, ChallengeSent)
    assert (ended.closed.how, ended.told) == ("declined", (crowd[-1].id, "ben"))
    waiting = [driver.lobby.challenges[name].by.id for name in driver.lobby.challenges_of["ben"]]
    assert waiting == [*(one.id for one in crowd[:-1]), "cyd"]
    assert driver.refused(Challenge, crowd[-1], to="ben", game=TRAPGRID) == "busy"


# Bots


def test_a_bot_declares_only_what_exists_and_is_told_what_a_misspelling_means(driver: LobbyDriver) -> None:
    assert driver.refused(Declare, ANN, accepts=(), concurrency=1) == "not_a_bot"
    dice: dict[str, tuple[int | bool | None, ...]] = {"dice": (True,) * MAX_VALUES, "players": (2,)}
    for accepts, code, hint in (
        (Accepts(game="chess"), "unknown_game", ""),
        (Accepts(game="trapgrid", options={"depth": (3,)}), "bad_options", ""),
        (Accepts(game="trapgrid", options={"size": (3, 99)}), "bad_options", ""),
        (Accepts(game="isolation", options=dice), "bad_options", ""),
        (Accepts(game="isolaton"), "unknown_game", "did you mean `isolation`?"),
        (Accepts(game="quoridor", options={"wals": (3,)}), "bad_options", "did you mean `walls`?"),
    ):
        with pytest.raises(Refusal) as caught:
            driver.do(Declare, BOT, accepts=(accepts,), concurrency=1)
        assert (caught.value.code, hint in caught.value.text) == (code, True), accepts


def test_a_bot_is_challenged_to_what_it_declared_alone(driver: LobbyDriver) -> None:
    assert driver.refused(Challenge, ANN, to="bot", game=TRAPGRID) == "not_accepted"
    driver.do(Declare, BOT, accepts=(PLAYS_TRAPGRID,), concurrency=2)
    driver.challenge(ANN, BOT, game=GameSpec(name="trapgrid", options={"size": 5}))
    driver.challenge(ANN, BOT, game=GameSpec(name="trapgrid", options={"size": 3}), clock=Fischer(initial=9))
    for game in (GameSpec(name="trapgrid"), GameSpec(name="isolation")):
        assert driver.refused(Challenge, ANN, to="bot", game=game) == "not_accepted"
    assert driver.refused(Challenge, ANN, to="bot", game=TRAPGRID, clock=PerMove(seconds=3)) == "not_accepted"


def test_a_bot_never_plays_more_games_than_it_takes(driver: LobbyDriver) -> None:
    driver.do(Declare, BOT, accepts=(PLAYS_TRAPGRID,), concurrency=2)
    first, second = driver.challenge(ANN, BOT), driver.challenge(BEN, BOT)
    assert driver.refused(Challenge, CYD, to="bot", game=TRAPGRID) == "busy", "two that wait take its places already"
    driver.do(Declare, BOT, accepts=(PLAYS_TRAPGRID,), concurrency=1)
    match = made(driver.do(AcceptChallenge, BOT, challenge=first))
    assert driver.refused(AcceptChallenge, BOT, challenge=second) == "busy"
    assert driver.refused(Challenge, CYD, to="bot", game=TRAPGRID) == "busy"
    seek = driver.open_table(CYD)
    assert driver.refused(JoinSeek, BOT, seek=seek) == "busy"
    driver.apply([MatchEnded(match.match)])
    driver.do(JoinSeek, BOT, seek=seek)


def test_a_bots_own_challenge_is_not_accepted_once_it_is_full(driver: LobbyDriver) -> None:
    driver.do(Declare, BOT, accepts=(PLAYS_TRAPGRID,), concurrency=1)
    first, second = driver.challenge(BOT, ANN), driver.challenge(BOT, BEN)
    driver.do(AcceptChallenge, ANN, challenge=first)
    assert driver.refused(AcceptChallenge, BEN, challenge=second) == "busy"
    assert driver.refused(Challenge, BOT, to="cyd", game=TRAPGRID) == "busy"


def test_a_seat_at_an_open_table_takes_one_of_a_bots_places(driver: LobbyDriver) -> None:
    driver.do(Declare, BOT, accepts=(PLAYS_TRAPGRID,), concurrency=1)
    driver.do(JoinSeek, BOT, seek=driver.open_table(ANN, THREE))
    assert driver.refused(Challenge, CYD, to="bot", game=TRAPGRID) == "busy"
    assert driver.lobby.guests["bot"].presence().free == 0


# Coming and going


def test_who_goes_away_keeps_everything_for_a_while_and_then_leaves_tables_and_challenges(driver: LobbyDriver) -> None:
    seek = driver.open_table(ANN)
    driver.apply(driver.lobby.disconnect("ann", driver.now))
    assert driver.lobby.tick(driver.now + DEPARTURE_DELAY_MS - 1) == ()
    driver.apply(driver.lobby.arrive(ANN))
    assert driver.lobby.deadline() is None
    assert driver.lobby.tick(driver.now + 10 * DEPARTURE_DELAY_MS) == ()
    assert seek in driver.lobby.tables
    own, other = driver.open_table(ANN), driver.open_table(BEN, THREE)
    driver.do(JoinSeek, ANN, seek=other)
    sent, received = driver.challenge(ANN, BEN), driver.challenge(CYD, ANN)
    driver.apply(driver.lobby.disconnect("ann", driver.now))
    events = driver.apply(driver.lobby.tick(driver.now + DEPARTURE_DELAY_MS))
    ends = {event.closed.challenge: event.closed.how for event in events if isinstance(event, ChallengeEnded)}
    assert ends == {sent: "cancelled", received: "declined"}
    assert (own in driver.lobby.tables, driver.lobby.tables[other].seek.joined) == (False, (BEN,))
    assert events[-1] == Departed("ann")
    assert "ann" not in driver.lobby.guests
    assert driver.refused(Challenge, BEN, to="ann", game=TRAPGRID) == "unknown_player"
    assert driver.refused(CreateSeek, ANN, settings=SeekSettings(game=TRAPGRID)) == "unknown_player"


def test_a_new_name_shows_and_what_was_declared_stays(driver: LobbyDriver) -> None:
    driver.do(Declare, BOT, accepts=(PLAYS_TRAPGRID,), concurrency=3)
    driver.arrive(BOT.model_copy(update={"name": "Better Bot"}))
    shown = driver.lobby.guests["bot"].presence()
    assert (shown.player.name, shown.free, shown.accepts) == ("Better Bot", 3, (PLAYS_TRAPGRID,))


def test_who_comes_back_is_still_busy_and_a_match_counts_once_however_often_it_is_told(driver: LobbyDriver) -> None:
    match = MatchMade("m1", TRAPGRID, (ANN, BEN), NO_CLOCK)
    driver.apply([match, match])
    assert driver.lobby.guests["ann"].playing == 1
    driver.apply([MatchEnded("m1"), MatchEnded("m1")])
    assert (driver.lobby.guests["ann"].playing, driver.lobby.matches_of) == (0, {})
    driver.apply([MatchMade("m1", TRAPGRID, (person("eve"), ANN), NO_CLOCK)])
    driver.arrive(person("eve"))
    assert driver.lobby.guests["eve"].playing == driver.lobby.guests["ann"].playing == 1


# Answers


def test_the_newest_commands_of_those_who_are_there_are_known_with_what_they_made(driver: LobbyDriver) -> None:
    command = driver.command(CreateSeek, settings=SeekSettings(game=TRAPGRID))
    seek = one(SeekPosted, driver.carry_out(command, ANN)).seek.id
    known = driver.lobby.answered("ann", command)
    assert known is not None
    assert known.ref == seek
    assert driver.lobby.answered("ben", command) is None
    driver.do(JoinSeek, BEN, seek=seek)
    joined = driver.lobby.answered("ben", JoinSeek(id=f"c{driver.count}", seek=seek))
    assert joined is not None
    assert joined.ref in driver.lobby.matches
    for _ in range(40):
        driver.do(CancelSeek, ANN, seek=driver.open_table(ANN))
    assert len(driver.lobby.answers["ann"]) == 64
    assert driver.lobby.answered("ann", command) is None
    driver.apply([Departed("ann"), Answered("ann", "c1", "new")])
    assert "ann" not in driver.lobby.answers


def test_an_answer_is_for_a_command_of_the_same_content(driver: LobbyDriver) -> None:
    command = driver.command(Challenge, to="ben", game=TRAPGRID)
    driver.carry_out(command, ANN)
    for other in (command.model_copy(update={"to": "cyd"}), CancelSeek(id=command.id, seek="s")):
        with pytest.raises(Refusal, match="id_reused"):
            driver.lobby.answered("ann", other)
    # As versions stored it that did not compare.
    driver.apply([Answered("ann", command.id, "new")])
    assert driver.lobby.answered("ann", command.model_copy(update={"to": "cyd"})) is not None


def test_coming_and_going_twice_and_watching_change_nothing(driver: LobbyDriver) -> None:
    assert driver.do(WatchLobby, ANN) == driver.do(LeaveLobby, ANN) == ()
    assert driver.lobby.arrive(ANN) == ()
    driver.apply(driver.lobby.disconnect("ann", driver.now))
    assert driver.lobby.disconnect("ann", driver.now + 5) == ()
    assert driver.lobby.disconnect("nobody", driver.now) == ()


# Any interleaving


def folded(lobby: Lobby) -> list[Any]:
    """Return all that has been folded, to compare it with what it is later."""
    parts = (lobby.guests, lobby.away, lobby.tables, lobby.challenges, lobby.matches, lobby.matches_of, lobby.seeks_of)
    return [dict(part) for part in (*parts, lobby.challenges_of, lobby.answers)]


class LobbyMachine(RuleBasedStateMachine):
    """All players send all commands, come and go; the lobby's invariants hold."""

    people = st.sampled_from([ANN, BEN, CYD, BOT])
    addresses = ("1.1.1.1", "2.2.2.2")
    games = st.sampled_from([TRAPGRID, THREE, GameSpec(name="quoridor", options={"size": 5, "players": 4})])

    def __init__(self) -> None:
        super().__init__()
        self.driver = LobbyDriver()

    def attempt(self, kind: type[LobbyCommand], player: Player, **fields: Any) -> None:
        before = folded(self.driver.lobby)
        try:
            self.driver.do(kind, player, **fields)
        except Refusal:
            assert folded(self.driver.lobby) == before

    @rule(player=people, name=st.sampled_from(["", "Ann", "ann (2)"]), address=st.sampled_from(addresses))
    def come(self, player: Player, name: str, address: str) -> None:
        player = player.model_copy(update={"name": name or player.name})
        self.driver.apply(self.driver.lobby.arrive(player, address))

    @rule(player=people, pause=st.sampled_from([0, 10_000, 31_000, 61_000]))
    def go(self, player: Player, pause: int) -> None:
        self.driver.apply(self.driver.lobby.disconnect(player.id, self.driver.now))
        self.driver.now += pause
        self.driver.apply(self.driver.lobby.tick(self.driver.now))
        due = self.driver.lobby.deadline()
        assert due is None or due > self.driver.now

    @rule(player=people, game=games, seat=st.none() | st.integers(0, 3), minimum=st.none() | st.integers(2, 4))
    def open(self, player: Player, game: GameSpec, seat: int | None, minimum: int | None) -> None:
        self.attempt(CreateSeek, player, settings=SeekSettings(game=game, seat=seat, minimum=minimum))

    @rule(player=people, kind=st.sampled_from([JoinSeek, LeaveSeek, StartSeek, CancelSeek]), pick=st.integers(0, 9))
    def at_a_table(self, player: Player, kind: type[LobbyCommand], pick: int) -> None:
        tables = [*self.driver.lobby.tables, "gone"]
        self.driver.lot = pick * 7919
        self.attempt(kind, player, seek=tables[pick % len(tables)])

    @rule(by=people, to=people, seat=st.none() | st.integers(0, 3))
    def challenge(self, by: Player, to: Player, seat: int | None) -> None:
        self.attempt(Challenge, by, to=to.id, game=TRAPGRID, seat=seat)

    @rule(
        player=people,
        kind=st.sampled_from([AcceptChallenge, DeclineChallenge, CancelChallenge]),
        pick=st.integers(0, 9),
    )
    def answer(self, player: Player, kind: type[LobbyCommand], pick: int) -> None:
        challenges = [*self.driver.lobby.challenges, "gone"]
        self.attempt(kind, player, challenge=challenges[pick % len(challenges)])

    @rule(player=people, concurrency=st.integers(1, 3))
    def declare(self, player: Player, concurrency: int) -> None:
        self.attempt(Declare, player, accepts=(PLAYS_TRAPGRID,), concurrency=concurrency)

    @rule(pick=st.integers(0, 9))
    def finish_a_match(self, pick: int) -> None:
        matches = list(self.driver.lobby.matches)
        if matches:
            self.driver.apply([MatchEnded(matches[pick % len(matches)])])

    @invariant()
    def counts_agree(self) -> None:
        lobby = self.driver.lobby
        for name, guest in lobby.guests.items():
            seats = [one.id for table in lobby.tables.values() for one in table.seek.joined]
            assert guest.tables == seats.count(name) <= MAX_SEEKS_PER_PLAYER
            assert guest.playing == sum(name in {one.id for one in made.players} for made in lobby.matches.values())

    @invariant()
    def only_those_who_are_here_sit_or_challenge(self) -> None:
        lobby = self.driver.lobby
        for table in lobby.tables.values():
            assert {one.id for one in table.seek.joined} <= set(lobby.guests)
            assert len(set(table.seek.joined)) == len(table.seek.joined) < table.seek.seats
        for challenge in lobby.challenges.values():
            assert {challenge.by.id, challenge.to.id} <= set(lobby.guests)

    @invariant()
    def indexes_agree(self) -> None:
        lobby = self.driver.lobby
        seats = {(one.id, name) for name, table in lobby.tables.items() for one in table.seek.joined}
        assert {(player, name) for player, names in lobby.seeks_of.items() for name in names} == seats
        calls = {(one.id, name) for name, each in lobby.challenges.items() for one in (each.by, each.to)}
        assert {(player, name) for player, names in lobby.challenges_of.items() for name in names} == calls
        plays = {(player.id, name) for name, made in lobby.matches.items() for player in made.players}
        assert {(player, name) for player, names in lobby.matches_of.items() for name in names} == plays
        assert len(lobby.seeks) == len(lobby.tables)
        assert len(lobby.players) == len(lobby.guests)
        assert sum(lobby.seek_origins.count(address) for address in self.addresses) == len(lobby.tables)
        assert sum(lobby.challenge_origins.count(address) for address in self.addresses) == len(lobby.challenges)

    @invariant()
    def no_two_have_one_name(self) -> None:
        names = [guest.player.name for guest in self.driver.lobby.guests.values()]
        assert len(set(names)) == len(names)


TestLobby = LobbyMachine.TestCase
TestLobby.settings = settings(max_examples=40, stateful_step_count=40)


def test_a_table_for_a_game_by_days_stays_open_without_its_players_for_a_week(driver: LobbyDriver) -> None:
    lasting = driver.open_table(ANN, clock=Correspondence(days=3))
    passing = driver.open_table(ANN)
    driver.apply(driver.lobby.disconnect("ann", driver.now))
    events = driver.apply(driver.lobby.tick(driver.now + DEPARTURE_DELAY_MS))
    assert events == (SeekClosed(passing), Departed("ann"))
    # Who is not there is paired all the same: the game waits.
    assert [player.id for player in made(driver.do(JoinSeek, BEN, seek=lasting)).players] in (
        ["ann", "ben"],
        ["ben", "ann"],
    )
    expiring = driver.open_table(CYD, clock=Correspondence(days=3))
    due = driver.lobby.deadline()
    assert due is not None
    assert driver.lobby.tick(due - 1) == ()
    assert driver.apply(driver.lobby.tick(due)) == (SeekClosed(expiring),)
    assert driver.lobby.deadline() is None


def test_tables_for_games_by_days_stay_open_in_a_bounded_number(
    driver: LobbyDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby_module, "MAX_LASTING_TABLES", 1)
    for player in (ANN, BEN):
        driver.open_table(player, clock=Correspondence(days=3))
    driver.apply(driver.lobby.disconnect("ann", driver.now))
    events = driver.apply(driver.lobby.tick(driver.now + DEPARTURE_DELAY_MS))
    assert [type(event) for event in events] == [SeekClosed, Departed]
    driver.apply(driver.lobby.disconnect("ben", driver.now))
    assert driver.apply(driver.lobby.tick(driver.now + DEPARTURE_DELAY_MS)) == (Departed("ben"),)


def test_players_who_block_each_other_meet_nowhere(driver: LobbyDriver) -> None:
    blocks = {"ann": frozenset({"ben"})}
    table = driver.open_table(ANN)
    for player, command in (
        (BEN, driver.command(JoinSeek, seek=table)),
        (ANN, driver.command(Challenge, to="ben", game=TRAPGRID)),
    ):
        with pytest.raises(Refusal) as refused:
            driver.lobby.decide(command, player, driver.now, new_id="x", random_number=0, blocks=blocks)
        assert refused.value.code == "not_accepted"
    command = driver.command(Challenge, to="ann", game=TRAPGRID)
    events = driver.apply(driver.lobby.decide(command, BEN, driver.now, new_id="y", random_number=0, blocks=blocks))
    assert isinstance(events[0], ChallengeSent)
    assert events[0].is_hidden
    assert driver.lobby.challenges_to("ann") == 0
    assert driver.refused(AcceptChallenge, ANN, challenge="y") == "not_yours"
    ended = driver.do(CancelChallenge, BEN, challenge="y")[0]
    assert isinstance(ended, ChallengeEnded)
    assert ended.told == ("ben",)
    assert driver.lobby.hidden == {}
