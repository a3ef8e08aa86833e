"""The decider of matches: the events of each command, and its refusals."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from cornered.engine.games.isolation import Isolation
from cornered.protocol.commands import (
    Abort,
    AcceptDraw,
    AcceptTakeback,
    Claim,
    DeclineDraw,
    DeclineRematch,
    DeclineTakeback,
    MatchCommand,
    OfferDraw,
    Play,
    Rematch,
    RequestTakeback,
    Resign,
)
from cornered.protocol.events import (
    Agreed,
    DrawDeclined,
    DrawOffered,
    Eliminated,
    Ended,
    MatchEvent,
    Played,
    RematchDeclined,
    Rematched,
    RematchOffered,
    Resumed,
    Rolled,
    Started,
    TakebackDeclined,
    TakebackRequested,
    TakenBack,
)
from cornered.protocol.values import (
    NO_CLOCK,
    Clock,
    Correspondence,
    Delay,
    Fischer,
    GameSpec,
    PerMove,
    Player,
    SeatRating,
)
from cornered.server.match.catalogue import settle
from cornered.server.match.dice import commitment_of, roll
from cornered.server.match.match import MAX_REMATCH_OFFERS, Match, Patience, open_match, open_rematch, rematch_id
from cornered.server.match.terms import Opening
from cornered.server.refusal import Refusal

E = TypeVar("E", bound=MatchEvent)
SEED = bytes(range(32))
DRAWS: dict[str, Any] = {"size": 3, "max_plies": 50}


class Table:
    """A match driven through its public interface: events are folded and logged."""

    def __init__(
        self,
        name: str = "trapgrid",
        clock: Clock = NO_CLOCK,
        *,
        with_help: bool = False,
        rated: bool = False,
        **options: Any,
    ) -> None:
        """With help the last player is a bot."""
        game, spec = settle(GameSpec(name=name, options=options))
        self.players = tuple(Player(id=f"p{n}", name=f"Player {n}", kind="person") for n in range(game.seats))
        if with_help:
            self.players = (*self.players[:-1], Player(id="bot", name="Bot", kind="bot"))
        self.now = 1_000_000
        opening = Opening("m1", spec, self.players, clock, with_help=with_help, rated=rated)
        self.log: list[MatchEvent] = list(open_match(opening, SEED, now=self.now))
        self.match = Match.replay(self.log, SEED)
        self.count = 0

    def apply(self, events: Sequence[MatchEvent]) -> Sequence[MatchEvent]:
        for event in events:
            self.match = self.match.evolve(event)
        self.log += events
        return events

    def command(self, kind: type[MatchCommand], **fields: Any) -> MatchCommand:
        self.count += 1
        return kind(**{"id": f"c{self.count}", "match": "m1"} | fields)

    def do(self, kind: type[MatchCommand], seat: int, *, after: int = 0, **context: Any) -> Sequence[MatchEvent]:
        self.now += after
        return self.apply(self.match.decide(self.command(kind), seat, self.now, **context))

    def play(self, *moves: str, after: int = 1_000, lag: int = 0) -> Sequence[MatchEvent]:
        """Play moves of the seats to move, `after` milliseconds apart; without a move the first legal one."""
        events: Sequence[MatchEvent] = ()
        for move in moves or (self.match.state.moves()[0],):
            self.now += after
            play = self.command(Play, ply=self.match.ply, move=move)
            events = self.apply(self.match.decide(play, self.match.to_move, self.now, lag=lag))
        return events

    def play_out(self, rng: random.Random) -> None:
        while not self.match.over:
            self.play(rng.choice(self.match.state.moves()))

    def tick(self, after: int) -> Sequence[MatchEvent]:
        self.now += after
        return self.apply(self.match.tick(self.now))

    def refused(self, kind: type[MatchCommand], seat: int | None, **context: Any) -> str:
        """Return the code with which a command is refused."""
        fields = {name: context.pop(name) for name in ("ply", "move", "id") if name in context}
        with pytest.raises(Refusal) as caught:
            self.match.decide(self.command(kind, **fields), seat, self.now, **context)
        return caught.value.code


def begun(**terms: Any) -> Table:
    """Return a match of TrapGrid in which both have moved."""
    table = Table(size=5, **terms)
    table.play("a4", "e2")
    return table


def ended(events: Sequence[MatchEvent]) -> Ended:
    assert isinstance(events[-1], Ended)
    return events[-1]


def one(kind: type[E], events: Sequence[MatchEvent]) -> E:
    """Return the only event, which is of this kind."""
    (event,) = events
    assert isinstance(event, kind)
    return event


# Playing


def test_a_match_starts_with_the_hash_of_its_seed_ends_with_the_seed_and_replays_to_itself() -> None:
    table = Table(size=3)
    started = table.log[0]
    assert isinstance(started, Started)
    assert (started.seq, started.commitment) == (1, commitment_of(SEED))
    table.play_out(random.Random(1))
    end = ended(table.log)
    assert (end.reason, end.seed, end.cause) == ("rules", SEED.hex(), None)
    assert end.winner is not None
    assert end.places[end.winner] == 1
    assert sorted(end.places) == [1, 2]
    table = Table(size=5, clock=Fischer(initial=60, increment=2))
    table.play_out(random.Random(2))
    assert Match.replay(table.log, SEED) == table.match


def test_a_move_is_an_event_with_its_ply_and_its_cause() -> None:
    table = Table(size=5)
    (played,) = table.play("a4")
    assert played == Played(seq=2, at=table.now, seat=0, cause="c1", ply=0, move="a4", spent=1_000, left=(None, None))
    assert (table.match.ply, table.match.to_move, str(table.match.state)[0]) == (1, 1, "x")


def test_a_move_out_of_turn_or_for_another_ply_is_refused() -> None:
    table = Table(size=5)
    assert table.refused(Play, 1, ply=0, move="e2") == "not_your_turn"
    table.play("a4")
    for seat in (0, 1):
        assert [table.refused(Play, seat, ply=ply, move="e2") for ply in (0, 2, 999)] == ["stale_ply"] * 3


def test_an_illegal_move_is_refused_with_a_reason() -> None:
    table = Table(size=5)
    for move in ("c3", "a5", "z9", "", "pass", "🦊", "e3h"):
        with pytest.raises(Refusal) as caught:
            table.match.decide(Play.model_construct(id="c1", match="m1", ply=0, move=move), 0, table.now)
        assert (caught.value.code, bool(caught.value.text)) == ("illegal_move", True), move


def test_a_stranger_decides_nothing() -> None:
    table = Table(size=3)
    for kind in (Resign, Abort, Rematch, Claim, OfferDraw, AcceptTakeback):
        assert [table.refused(kind, seat) for seat in (None, -1, 2, 3)] == ["not_a_player"] * 4, kind


def test_events_must_follow_one_another_and_a_clock_that_is_set_back_does_not_turn_time_around() -> None:
    table = Table(size=5)
    (played,) = table.play("a4")
    with pytest.raises(ValueError, match="does not follow"):
        table.match.evolve(played)
    with pytest.raises(ValueError, match="begins with `started`"):
        Match.replay([played], SEED)
    table = Table(size=5, clock=PerMove(seconds=10))
    table.play("a4")
    table.now -= 500_000
    played = one(Played, table.play("e2", after=0))
    assert (played.spent, played.at) == (0, table.log[-2].at)


# Repeats


def test_a_repeated_command_is_known_by_the_first_event_that_it_caused_also_after_a_restart() -> None:
    table = begun()
    assert [table.match.answered(0, "c1"), table.match.answered(1, "c2")] == [2, 3]
    assert table.match.answered(1, "c1") is None
    assert table.match.answered(7, "c1") is None
    assert Match.replay(table.log, SEED).answered(0, "c1") == 2
    table = Table("isolation", width=3, height=3, dice=True)
    table.play("a1")
    *_, placed, rolled = (*table.log, *table.play("c3"))
    assert isinstance(rolled, Rolled)
    assert table.match.answered(1, "c2") == placed.seq
    table = Table(size=3)
    table.do(Resign, 0)
    table.do(Rematch, 1)
    table.do(Rematch, 0)
    assert [table.match.answered(*who) for who in ((0, "c1"), (1, "c2"), (0, "c3"))] == [2, 3, 4]


def test_the_oldest_of_many_commands_is_forgotten() -> None:
    table = Table("quoridor", size=5, walls=0, max_plies=None, no_progress=None)
    for _ in range(35):
        table.play("b1", "d5", "c1", "c5")
    known = [number for number in range(1, 141, 2) if table.match.answered(0, f"c{number}") is not None]
    assert known == list(range(13, 141, 2))
    assert table.match.answered(0, "c139") == 140


# Giving up


def test_resigning_lets_the_other_win_and_after_the_end_only_a_rematch_is_possible() -> None:
    table = Table(size=5)
    end = ended(table.do(Resign, 0))
    assert (end.winner, end.places, end.reason, end.cause, end.seat) == (1, (2, 1), "resignation", "c1", 0)
    assert table.match.over
    table = Table(size=5)
    table.do(Resign, 1)
    for kind in (Resign, Abort, Claim, OfferDraw, AcceptDraw, DeclineDraw, RequestTakeback, AcceptTakeback):
        assert table.refused(kind, 0) == "match_over"
    assert table.refused(Play, 0, ply=0, move="a4") == "match_over"
    assert (table.match.deadline(), table.match.tick(table.now + 10**9)) == (None, ())
    assert table.do(Rematch, 0)


def test_a_match_is_aborted_before_its_second_move_whatever_is_rolled_and_counts_for_nothing() -> None:
    for moves in ((), ("a4",)):
        table = Table(size=5)
        for move in moves:
            table.play(move)
        end = ended(table.do(Abort, 1))
        assert (end.winner, end.places, end.reason) == (None, (), "aborted")
    table = begun()
    assert table.refused(Abort, 0) == "too_late"
    table = Table("isolation", width=3, height=3, dice=True)
    table.play("a1")
    table.do(Abort, 0)
    table = Table("isolation", width=3, height=3, dice=True)
    table.play("a1", "c3")
    assert table.refused(Abort, 0) == "too_late"


def test_victory_is_claimed_in_time_over_who_has_been_gone_for_long_enough_but_not_by_days() -> None:
    table = Table(size=5)
    gone = (None, table.now)
    patience = Patience().gone
    assert table.match.claim_at(table.now) == table.now + patience
    table.now += patience - 1
    assert table.refused(Claim, 0, gone_since=gone) == "opponent_here"
    table.now += 1
    assert table.refused(Claim, 0, gone_since=(None, None)) == "opponent_here"
    assert table.refused(Claim, 0) == "opponent_here"
    assert table.refused(Claim, 1, gone_since=gone) == "opponent_here"
    end = ended(table.do(Claim, 0, gone_since=gone))
    assert (end.winner, end.reason, end.seat) == (0, "gone", 0)
    table = begun(clock=Fischer(initial=100))
    gone = (None, table.now)
    table.now += 100_000
    assert table.refused(Claim, 0, gone_since=gone) == "too_late"
    table = Table(size=5, clock=Correspondence(days=1))
    assert table.match.claim_at(0) is None
    assert table.refused(Claim, 0, gone_since=(None, 0)) == "opponent_here"


# Time


def test_a_flag_falls_without_a_move_and_not_before_and_nothing_is_quicker() -> None:
    table = begun(clock=Fischer(initial=10))
    table.now += 10_000
    assert table.refused(Play, 0, ply=2, move="b4") == "too_late"
    end = ended(table.tick(500))
    assert (end.winner, end.places, end.reason, end.cause) == (1, (2, 1), "time", None)
    table = begun(clock=Fischer(initial=10))
    deadline = table.match.deadline()
    assert deadline == table.now + 10_500
    assert table.match.tick(deadline - 1) == ()
    assert ended(table.match.tick(deadline)).reason == "time"
    table = begun(clock=Fischer(initial=10))
    table.now += 10_500
    for kind in (Resign, Abort, Claim, RequestTakeback):
        assert table.refused(kind, 1) == "too_late"


def test_no_clock_runs_before_everybody_has_moved_and_lag_saves_a_move_that_was_made_in_time() -> None:
    table = Table(size=5, clock=Fischer(initial=10, increment=2))
    assert table.match.timer.running is None
    table.play("a4", after=5_000)
    assert (table.match.timer.running, table.match.timer.left) == (None, (10_000, 10_000))
    table.play("e2", after=5_000)
    assert (table.match.timer.running, table.match.timer.left) == (0, (10_000, 10_000))
    table.play("b4", after=3_000)
    assert (table.match.timer.running, table.match.timer.left) == (1, (9_000, 10_000))
    table = begun(clock=Fischer(initial=10))
    played = one(Played, table.play("b4", after=10_100, lag=300))
    assert (played.spent, played.left[0]) == (9_800, 200)


@pytest.mark.parametrize("clock", [PerMove(seconds=30), Correspondence(days=1)])
def test_a_time_for_each_move_runs_from_the_start_and_is_fresh_for_every_move(clock: Clock) -> None:
    table = Table(size=5, clock=clock)
    assert table.match.timer.running == 0
    full = table.match.timer.left
    table.play("a4", "e2", "b4", after=20_000)
    assert (table.match.timer.running, table.match.timer.left) == (1, full)


def test_a_first_move_has_a_minute_or_ten_without_a_clock_and_by_days_its_own() -> None:
    table = Table(size=5, clock=Correspondence(days=1))
    assert table.tick(86_400_000) == ()
    assert ended(table.tick(500)).reason == "time"
    table = Table(size=5)
    assert table.match.deadline() == table.now + 600_000
    table.play("a4", "e2")
    assert table.match.deadline() is None
    assert table.tick(10**10) == ()


@pytest.mark.parametrize("clock", [Fischer(initial=10), Delay(initial=10, delay=2), PerMove(seconds=300)])
def test_a_match_expires_when_a_first_move_does_not_come(clock: Clock) -> None:
    table = Table(size=5, clock=clock)
    table.play("a4", after=30_000)
    assert table.tick(59_999) == ()
    end = ended(table.tick(1))
    assert (end.winner, end.places, end.reason) == (None, (), "expired")


def test_what_runs_is_refunded_after_the_server_was_away_and_nothing_else() -> None:
    table = begun(clock=Fischer(initial=10))
    table.now += 1_000
    back = table.now + 3_600_000
    resumed = one(Resumed, table.match.resume(back, table.now))
    assert resumed.refunded == 3_600_000
    table.apply([resumed])
    table.now = back
    played = one(Played, table.play("b4", after=1_000))
    assert played.spent == 2_000
    table = begun(clock=Fischer(initial=10))
    resumed = one(Resumed, table.match.resume(table.now + 5_000, table.now - 60_000))
    assert resumed.refunded == 5_000
    table = Table(size=5, clock=Fischer(initial=10))
    table.apply(table.match.resume(table.now + 70_000, table.now + 10_000))
    assert table.match.deadline() == table.now + 120_000
    table = begun()
    assert table.match.resume(table.now + 5_000, table.now) == ()
    table.do(Resign, 0)
    assert table.match.resume(table.now + 5_000, table.now) == ()


# Draws


def test_a_draw_is_agreed_by_accepting_or_by_two_offers_where_the_game_has_draws() -> None:
    table = Table("quoridor", **DRAWS)
    table.play()
    one(DrawOffered, table.do(OfferDraw, 0))
    assert table.refused(AcceptDraw, 0) == "nothing_offered"
    end = ended(table.do(AcceptDraw, 1))
    assert (end.winner, end.places, end.reason, end.seat) == (None, (1, 1), "agreement", 1)
    table = Table("quoridor", **DRAWS)
    table.do(OfferDraw, 0)
    assert ended(table.do(OfferDraw, 1)).reason == "agreement"
    assert Table(size=5).refused(OfferDraw, 0) == "no_draws"


def test_an_offer_of_a_draw_ends_by_word_or_by_the_opponents_move() -> None:
    table = Table("quoridor", **DRAWS)
    table.do(OfferDraw, 0)
    assert table.refused(OfferDraw, 0) == "already_offered"
    one(DrawDeclined, table.do(DeclineDraw, 1))
    assert table.refused(AcceptDraw, 1) == "nothing_offered"
    assert table.refused(OfferDraw, 0) == "already_offered"
    table.play()
    table.do(OfferDraw, 0)
    table = Table("quoridor", **DRAWS)
    table.do(OfferDraw, 0)
    table.play()
    assert table.match.talks.draw == (0,)
    table.play()
    assert table.match.talks.draw == ()
    assert table.refused(AcceptDraw, 1) == "nothing_offered"
    table = Table("quoridor", **DRAWS)
    table.do(OfferDraw, 0)
    table.do(DeclineDraw, 0)
    assert table.refused(AcceptDraw, 1) == "nothing_offered"
    assert table.refused(DeclineDraw, 1) == "nothing_offered"


class Peaceable(Isolation):
    """A game for more than two players with draws by agreement."""

    has_draws = True


def test_with_more_players_everybody_who_is_still_in_agrees_to_a_draw_or_a_takeback() -> None:
    table = Table("isolation", players=4)
    terms = replace(table.match.terms, game=Peaceable(players=4))
    table.match = replace(table.match, terms=terms)
    table.do(Resign, 3)
    table.do(OfferDraw, 0)
    agreed = one(Agreed, table.do(AcceptDraw, 2))
    assert (agreed.seat, agreed.to, table.match.talks.draw) == (2, "draw", (0, 2))
    assert table.refused(AcceptDraw, 2) == "nothing_offered"
    assert table.refused(AcceptDraw, 3) == "too_late"
    table.play("a1")
    assert table.match.talks.draw == (0, 2)
    end = ended(table.do(AcceptDraw, 1))
    assert (end.winner, end.places, end.reason) == (None, (1, 1, 1, 4), "agreement")
    table = Table("isolation", players=3)
    table.play("a1", "b1")
    table.do(RequestTakeback, 1)
    agreed = one(Agreed, table.do(AcceptTakeback, 2))
    assert (agreed.to, table.match.talks.takeback, table.match.ply) == ("takeback", (1, 2), 2)
    taken = one(TakenBack, table.do(AcceptTakeback, 0))
    assert (taken.ply, table.match.to_move) == (1, 1)


# Takebacks


def test_a_takeback_undoes_the_askers_last_move_and_what_followed() -> None:
    table = Table(size=5)
    table.play("a4", "e2", "b4", "d2")
    before = table.match.states[2]
    one(TakebackRequested, table.do(RequestTakeback, 0))
    taken = one(TakenBack, table.do(AcceptTakeback, 1))
    assert (taken.ply, table.match.ply, table.match.state, table.match.to_move) == (2, 2, before, 0)
    table.play("b4")
    table = Table(size=5)
    table.play("a4", "e2", "b4")
    table.do(RequestTakeback, 0)
    table.do(AcceptTakeback, 1)
    assert table.match.moves == ("a4", "e2")
    table = Table(size=5)
    table.play("a4")
    assert table.refused(RequestTakeback, 1) == "nothing_to_take_back"


def test_a_flag_that_falls_when_the_machines_clock_was_set_back_falls_after_the_newest_event() -> None:
    table = Table(size=5, clock=Fischer(initial=5))
    table.play("a4", "e2")
    table.now += 106_000
    table.apply(table.match.refund(table.now, 100_000))
    assert ended(table.tick(after=-151)).at == table.match.at == table.log[-2].at


@pytest.mark.parametrize("clock", [Fischer(initial=60, increment=30), Delay(initial=60, delay=5)])
@pytest.mark.parametrize("with_help", [True, False])
def test_a_takeback_restores_the_clocks_of_its_ply_however_often(clock: Clock, with_help: bool) -> None:
    table = Table(size=5, clock=clock, with_help=with_help)
    table.play("a4", "e2")
    known = [table.match.timer.left]
    for move in ("b4", "d2"):
        table.play(move, after=7_000)
        known.append(table.match.timer.left)
    for _ in range(3):
        table.play("c4", after=10_000)
        if not with_help:
            table.do(RequestTakeback, 0, after=1_000)
        taken = one(TakenBack, table.do(*((RequestTakeback, 0) if with_help else (AcceptTakeback, 1)), after=2_000))
        assert (taken.ply, taken.left, table.match.timer.since) == (4, known[2], table.now)
        assert Match.replay(table.log, SEED) == table.match


def test_with_help_a_persons_takebacks_are_granted_at_once_in_time_and_the_bot_has_to_ask() -> None:
    table = Table(size=5, with_help=True, clock=Fischer(initial=60))
    table.play("a4", "e2", "b4", "d2", after=1_000)
    taken = one(TakenBack, table.do(RequestTakeback, 0, after=2_000))
    assert (taken.seat, taken.ply, taken.left, table.match.to_move) == (0, 2, (60_000, 60_000), 0)
    taken = one(TakenBack, table.do(RequestTakeback, 0))
    assert (taken.ply, table.match.moves) == (0, ())
    assert table.refused(RequestTakeback, 0) == "nothing_to_take_back"
    assert table.match.answered(0, taken.cause) == taken.seq
    assert Match.replay(table.log, SEED) == table.match
    table = begun(with_help=True)
    one(TakebackRequested, table.do(RequestTakeback, 1))
    taken = one(TakenBack, table.do(AcceptTakeback, 0))
    assert table.match.moves == ("a4",)
    table = Table(size=5, with_help=True, clock=Fischer(initial=10))
    table.play("a4", "e2", "b4", "d2")
    table.now += 10_000
    assert table.refused(RequestTakeback, 0) == "too_late"


def test_the_result_of_a_rated_match_counts_after_its_second_move_unless_a_takeback_made_it_casual() -> None:
    for rated in (True, False):
        table = Table(size=3, rated=rated)
        table.play_out(random.Random(5))
        assert ended(table.log).rated is rated
        table = begun(rated=rated)
        assert table.match.rated is rated
        table.do(Resign, 0)
        assert ended(table.log).rated is rated
    for moves in ((), ("a4",)):
        for how in (Abort, Resign):
            table = Table(size=5, rated=True)
            for move in moves:
                table.play(move)
            table.do(how, 1)
            assert not ended(table.log).rated
    table = Table(size=5, clock=Fischer(initial=60), rated=True)
    table.tick(after=Patience().first_move)
    assert ended(table.log).reason == "expired"
    assert not ended(table.log).rated
    table = Table("quoridor", rated=True, **DRAWS)
    table.play()
    table.play()
    table.do(OfferDraw, 0)
    table.do(AcceptDraw, 1)
    assert ended(table.log).rated
    assert ended(table.log).places == (1, 1)
    table = begun(rated=True)
    table.do(RequestTakeback, 1)
    assert table.match.rated
    table.do(AcceptTakeback, 0)
    assert not table.match.rated
    table.play("e2", "b4")
    assert not table.match.rated
    table.do(Resign, 0)
    assert not ended(table.log).rated


def test_a_game_that_an_organisers_order_decides_is_not_rated() -> None:
    table = begun(rated=True)
    table.apply(table.match.take_out(1, table.now))
    assert (ended(table.log).winner, ended(table.log).reason) == (0, "gone")
    assert not ended(table.log).rated
    assert not table.match.rated


def test_a_rematch_has_the_help_and_the_rating_of_its_match_and_the_next_seats() -> None:
    ratings = (SeatRating(rating=1600, provisional=True),) * 2
    every: tuple[dict[str, Any], ...] = ({"rated": True}, {"rated": False}, {"with_help": True})
    for terms in every:
        started = one(Started, open_rematch(Table(size=5, **terms).match, SEED, 1_000_000, ratings))
        assert (started.rated, started.with_help) == (terms.get("rated", False), terms.get("with_help", False))
        assert started.ratings[0].rating == 1600
    table = Table("isolation", players=3, clock=PerMove(seconds=5))
    started = one(Started, open_rematch(table.match, SEED, table.now))
    assert [player.id for player in started.players] == ["p2", "p0", "p1"]
    assert (started.game, started.clock, started.previous) == (table.match.terms.spec, PerMove(seconds=5), "m1")


def test_a_takeback_is_declined_by_word_or_by_a_move_and_off_when_a_player_is_eliminated() -> None:
    table = Table(size=5)
    table.play("a4")
    table.do(RequestTakeback, 0)
    assert table.refused(RequestTakeback, 0) == "already_offered"
    one(TakebackDeclined, table.do(DeclineTakeback, 1))
    assert table.refused(AcceptTakeback, 1) == "nothing_offered"
    assert table.refused(RequestTakeback, 0) == "already_offered"
    table.play("e2", "b4")
    table.do(RequestTakeback, 0)
    table.play("d2")
    assert table.refused(AcceptTakeback, 1) == "nothing_offered"
    assert table.refused(DeclineTakeback, 1) == "nothing_offered"
    table = Table("isolation", players=3)
    table.play("a1", "b1", "c1", "a2")
    table.do(RequestTakeback, 0)
    table.do(Resign, 2)
    assert table.refused(AcceptTakeback, 1) == "nothing_offered"
    table = Table("quoridor", **DRAWS)
    table.play("b2")
    table.do(OfferDraw, 0)
    table.do(RequestTakeback, 0)
    table.do(AcceptTakeback, 1)
    assert table.refused(AcceptDraw, 1) == table.refused(AcceptTakeback, 1) == "nothing_offered"


def test_after_a_takeback_the_clock_of_its_ply_runs_and_waits_for_first_moves_of_those_who_are_in() -> None:
    table = Table(size=5, clock=Fischer(initial=60))
    table.play("a4", "e2", "b4", "d2", after=1_000)
    table.do(RequestTakeback, 1, after=2_000)
    taken = one(TakenBack, table.do(AcceptTakeback, 0, after=1_000))
    assert taken.left == (59_000, 60_000)
    assert (table.match.timer.running, table.match.timer.since) == (1, table.now)
    table = begun(clock=Fischer(initial=60))
    table.do(RequestTakeback, 0)
    table.do(AcceptTakeback, 1)
    assert (table.match.ply, table.match.timer.running, table.match.moved) == (0, None, 0)
    assert table.match.deadline() == table.now + 60_000
    table = Table("isolation", players=3, clock=Fischer(initial=60))
    table.play("a1")
    table.do(Resign, 2)
    table.play("b1", "a2")
    table.do(RequestTakeback, 0)
    table.do(AcceptTakeback, 1)
    assert (table.match.ply, table.match.timer.running) == (2, 0)


def test_flags_dice_and_eliminations_are_not_taken_back() -> None:
    table = Table(size=5, clock=Fischer(initial=10))
    table.play("a4", "e2", "b4")
    table.do(RequestTakeback, 0)
    table.now += 10_000
    assert table.refused(AcceptTakeback, 1) == "too_late"
    table = Table("isolation", width=5, height=5, dice=True)
    table.play("a1", "e5")
    table.play()
    rolls = [event.move for event in table.log if isinstance(event, Rolled)]
    table.do(RequestTakeback, 0)
    table.do(AcceptTakeback, 1)
    table.play()
    again = [event.move for event in table.log if isinstance(event, Rolled)]
    assert again == [*rolls, rolls[-1]]
    table = Table("isolation", width=4, height=4, players=3)
    table.play("a1", "d4", "a4")
    table.do(Resign, 2)
    assert table.refused(RequestTakeback, 0) == "nothing_to_take_back"
    table.play()
    table.do(RequestTakeback, 0)
    table.do(AcceptTakeback, 1)
    assert (table.match.ply, table.match.out[2]) == (3, (3, "resignation"))


# Rematch


def test_a_rematch_is_agreed_by_all_and_an_offer_of_three_ends_with_one_refusal() -> None:
    table = Table(size=5)
    assert table.refused(Rematch, 0) == "match_not_over"
    table.do(Resign, 0)
    one(RematchOffered, table.do(Rematch, 1))
    assert table.refused(Rematch, 1) == "already_offered"
    agreed = one(Rematched, table.do(Rematch, 0))
    assert agreed.match == rematch_id("m1") == table.match.next != "m1"
    assert table.match.rematch == (1, 0)
    assert table.refused(Rematch, 0) == "already_offered"
    table = Table("isolation", players=3)
    table.do(Resign, 0)
    table.do(Resign, 1)
    (first,) = table.do(Rematch, 0)
    table.do(Rematch, 1, after=50_000)
    assert table.match.deadline() == first.at + 120_000
    table.do(DeclineRematch, 2)
    assert table.match.rematch == ()


@pytest.mark.parametrize("seat", [0, 1])
def test_an_offer_of_a_rematch_is_withdrawn_by_its_player_and_declined_by_the_other(seat: int) -> None:
    table = Table(size=5)
    table.do(Resign, 0)
    assert table.refused(DeclineRematch, seat) == "nothing_offered"
    table.do(Rematch, 1)
    decline = table.command(DeclineRematch, reason="I have to go")
    over = one(RematchDeclined, table.apply(table.match.decide(decline, seat, table.now)))
    assert (over.seat, over.reason) == (seat, "I have to go")
    assert table.match.answered(seat, decline.id) == over.seq
    assert (table.match.rematch, table.match.deadline()) == ((), None)
    table.do(Rematch, 0)
    one(Rematched, table.do(Rematch, 1))
    assert table.refused(DeclineRematch, seat) == "nothing_offered"
    assert table.match.deadline() is None
    assert Match.replay(table.log, SEED) == table.match


@pytest.mark.parametrize(("clock", "lasts"), [(NO_CLOCK, 120_000), (Correspondence(days=2), 2 * 86_400_000)])
def test_an_offer_of_a_rematch_that_nobody_answers_is_over_in_time(clock: Clock, lasts: int) -> None:
    table = Table(size=5, clock=clock)
    table.do(Resign, 0)
    (offered,) = table.do(Rematch, 1)
    assert table.match.deadline() == offered.at + lasts
    assert table.match.refund(offered.at + lasts, 1_000) == ()
    assert table.tick(lasts - 1) == ()
    over = one(RematchDeclined, table.tick(1))
    assert (over.seat, over.cause) == (None, None)
    assert (table.match.rematch, table.match.deadline()) == ((), None)


def test_each_seat_offers_a_rematch_a_bounded_number_of_times() -> None:
    table = Table(size=5)
    table.do(Resign, 0)
    for _ in range(MAX_REMATCH_OFFERS):
        table.do(Rematch, 1)
        table.do(DeclineRematch, 1)
    assert table.refused(Rematch, 1) == "too_late"
    # One that uses up its own offers takes none from the other, whose offer it may still accept.
    table.do(Rematch, 0)
    one(Rematched, table.do(Rematch, 1))


# Three and four players


def test_players_go_out_one_by_one_in_places_that_the_end_confirms(subtests: pytest.Subtests) -> None:
    for players, seed in itertools.product((3, 4), range(8)):
        with subtests.test(players=players, seed=seed):
            table = Table("isolation", width=5, height=4, players=players, dice=seed % 2 == 0)
            table.play_out(random.Random(seed))
            end = ended(table.log)
            out = {event.seat: event.place for event in table.log if isinstance(event, Eliminated)}
            assert end.winner is not None
            assert sorted(end.places) == list(range(1, players + 1))
            assert out == {seat: place for seat, place in enumerate(end.places) if place > 1}
            assert [*out.values()] == list(range(players, 1, -1))
            assert Match.replay(table.log, SEED) == table.match


def test_who_gives_up_or_is_gone_gets_the_last_place_and_the_others_go_on() -> None:
    table = Table("isolation", players=3)
    gone = one(Eliminated, table.do(Resign, 1))
    assert (gone.seat, gone.place, gone.reason, gone.cause, gone.by) == (1, 3, "resignation", "c1", 1)
    table.play("a1", "b1")
    assert table.match.to_move == 0
    assert table.refused(Resign, 1) == "too_late"
    out, end = table.do(Resign, 0)
    assert isinstance(out, Eliminated)
    assert isinstance(end, Ended)
    assert (end.winner, end.places, end.reason) == (2, (2, 3, 1), "resignation")
    table = Table("isolation", players=4)
    away = (None, table.now, None, table.now)
    table.now += 60_000
    events = table.do(Claim, 0, gone_since=away)
    assert [(event.seat, event.place, event.by) for event in events if isinstance(event, Eliminated)] == [
        (1, 4, 0),
        (3, 3, 0),
    ]
    assert table.match.answered(0, "c1") == events[0].seq
    assert not table.match.over


def test_when_the_others_gave_up_in_different_ways_they_left_unless_the_rules_end_the_match() -> None:
    table = Table("isolation", players=3, clock=PerMove(seconds=5))
    table.play("a1", "b1", "c1")
    table.do(Resign, 1)
    end = ended(table.tick(5_500))
    assert (end.winner, end.places, end.reason) == (2, (2, 3, 1), "left")
    assert [event.reason for event in table.log if isinstance(event, Eliminated)] == ["resignation", "time"]
    table = Table("isolation", width=3, height=2, players=3)
    table.play("b1", "b2", "c2", "c1")
    left, stuck, _ = events = table.do(Resign, 1)
    assert isinstance(left, Eliminated)
    assert isinstance(stuck, Eliminated)
    end = ended(events)
    assert [(left.seat, left.place, left.reason), (stuck.seat, stuck.place, stuck.reason)] == [
        (1, 3, "resignation"),
        (2, 2, "rules"),
    ]
    assert (end.winner, end.places, end.reason) == (0, (1, 3, 2), "rules")


def test_a_flag_or_a_resignation_in_a_game_for_more_puts_one_player_out_and_time_goes_on() -> None:
    table = Table("isolation", players=3, clock=PerMove(seconds=5))
    table.play("a1", "b1", "c1")
    out = one(Eliminated, table.tick(5_500))
    assert (out.seat, out.reason, out.by) == (0, "time", None)
    assert (table.match.to_move, table.match.timer.running, table.match.timer.since) == (1, 1, table.now)
    table = Table("isolation", players=3, clock=Fischer(initial=10))
    table.play("a1", "b1", "c1")
    since = table.match.timer.since
    table.do(Resign, 2, after=4_000)
    assert (table.match.timer.running, table.match.timer.since) == (0, since)
    table = Table("isolation", players=3, clock=Fischer(initial=10))
    table.play("a1", "b1")
    table.do(Resign, 2)
    assert table.match.timer.running == 0


# Dice


def test_dice_are_rolled_by_the_server_as_the_seed_says_and_anyone_can_verify_them() -> None:
    table = Table("isolation", width=5, height=5, dice=True)
    table.play_out(random.Random(5))
    rolls = [event for event in table.log if isinstance(event, Rolled)]
    assert len(rolls) > 3
    seed = bytes.fromhex(ended(table.log).seed)
    started = table.log[0]
    assert isinstance(started, Started)
    assert commitment_of(seed) == started.commitment
    for event in rolls:
        assert event.move == roll(seed, "m1", event.ply, ["1", "2", "3"])


def test_the_dice_are_rolled_with_the_move_before_them_and_for_the_next_one_when_the_mover_leaves() -> None:
    table = Table("isolation", width=5, height=5, dice=True)
    table.play("a1")
    played, rolled = table.play("e5")
    assert isinstance(played, Played)
    assert isinstance(rolled, Rolled)
    assert (played.at, rolled.ply, table.match.ply) == (rolled.at, 2, 3)
    assert table.match.to_move == 0
    table = Table("isolation", width=5, height=5, players=3, dice=True)
    table.play("a1", "e5", "a5")
    out, rolled = table.do(Resign, 0)
    assert isinstance(out, Eliminated)
    assert isinstance(rolled, Rolled)
    assert table.match.to_move == 1
    assert Match.replay(table.log, SEED) == table.match


# Going home


LONG = Patience().abandoned


def test_without_a_clock_who_is_away_too_long_loses_and_all_who_are_away_have_no_result() -> None:
    table = Table(size=5)
    table.play()
    since = table.now
    assert table.match.abandoned_at((since, None)) == since + LONG
    assert table.match.abandon(since + LONG - 1, (since, None)) == ()
    end = ended(table.apply(table.match.abandon(since + LONG, (since, None))))
    assert (end.reason, end.winner, end.places, end.cause) == ("gone", 1, (2, 1), None)
    assert table.match.abandoned_at((since, None)) is None
    table = Table(size=5)
    table.play()
    since = table.now
    gone = (since, since + 5_000)
    assert table.match.abandoned_at(gone) == since + 5_000 + LONG
    assert table.match.abandon(since + LONG, gone) == ()
    # A player who returns in time finds the other absent for too long.
    assert ended(table.match.abandon(since + LONG, (since, None))).winner == 1
    end = ended(table.match.abandon(since + 5_000 + LONG, gone))
    assert (end.reason, end.winner, end.places) == ("expired", None, ())
    table = Table(size=5)
    assert table.match.abandoned_at((None, None)) is None


def test_of_more_than_two_the_absent_go_out_and_the_others_play_on() -> None:
    table = Table("isolation", width=5, height=5, players=4)
    table.play()
    since = table.now
    events = table.apply(table.match.abandon(since + LONG, (since, None, since + 1, None)))
    out = one(Eliminated, events)
    assert (out.seat, out.reason) == (0, "gone")
    assert table.match.abandoned_at((since, None, since + 1, None)) == since + 1 + LONG
    events = table.apply(table.match.abandon(since + 1 + LONG, (since, since + 2, since + 1, None)))
    out = one(Eliminated, events)
    assert out.seat == 2
    assert not table.match.over
    assert table.match.abandon(since + 2 + LONG, (since, since + 2, since + 1, since + 3)) == ()
    end = ended(table.match.abandon(since + 3 + LONG, (since, since + 2, since + 1, since + 3)))
    assert (end.reason, end.places) == ("expired", ())


def test_where_a_clock_runs_absence_loses_no_match() -> None:
    clocks = (Fischer(initial=60), Delay(initial=60, delay=1), PerMove(seconds=9), Correspondence(days=1))
    for table in (Table(size=5, clock=clock) for clock in clocks):
        table.play()
        assert table.match.abandoned_at((0, None)) is None
        assert table.match.abandon(table.now + LONG, (0, 0)) == ()


# The bound of plies


def bounded(plies: int, name: str = "quoridor", clock: Clock = NO_CLOCK, **options: Any) -> Table:
    table = Table(name, clock, **options)
    table.match = Match.replay(table.log, SEED, Patience(max_plies=plies))
    return table


ENDLESS: dict[str, Any] = {"size": 5, "walls": 0, "max_plies": None, "no_progress": None}


def test_a_match_without_end_is_a_draw_at_the_servers_bound_of_plies_unless_its_last_ply_wins() -> None:
    table = bounded(10, **ENDLESS)
    for _ in range(2):
        table.play("b1", "d5", "c1", "c5")
    table.play("b1")
    assert not table.match.over
    end = ended(table.play("d5"))
    assert (table.match.ply, end.winner, end.places, end.reason) == (10, None, (1, 1), "ply_limit")
    table = bounded(3, **{**ENDLESS, "size": 3})
    end = ended(table.play("b2", "a3", "b3"))
    assert (end.winner, end.reason) == (0, "rules")
    table = bounded(12, players=4, **ENDLESS)
    table.do(Resign, 2)
    while not table.match.over:
        table.play()
    end = ended(table.log)
    assert (end.reason, end.winner, end.places) == ("ply_limit", None, (1, 1, 4, 1))


def test_rolls_and_moves_that_were_taken_back_count_for_the_bound_also_with_help() -> None:
    table = bounded(30, "trapgrid", size=5)
    for _ in range(29):
        table.play("a4")
        table.do(RequestTakeback, 0)
        table.do(AcceptTakeback, 1)
    assert (table.match.ply, table.match.made) == (0, 29)
    end = ended(table.play("a4"))
    assert (end.reason, end.places) == ("ply_limit", (1, 1))
    table = bounded(6, "isolation", width=6, height=6, dice=True)
    while not table.match.over:
        table.play()
    assert (table.match.made, ended(table.log).reason) == (6, "ply_limit")
    table = Table(size=5, with_help=True)
    table.match = Match.replay(table.log, SEED, Patience(max_plies=6))
    for _ in range(5):
        table.play("a4")
        table.do(RequestTakeback, 0)
    table.play("a4")
    assert ended(table.log).reason == "ply_limit"


def test_a_replay_can_be_interrupted_and_one_with_more_plies_than_the_bound_ends_with_its_next_move() -> None:
    table = bounded(10_000, **ENDLESS)
    for _ in range(30):
        table.play("b1", "d5", "c1", "c5")
    table.match = Match.replay(table.log, SEED, Patience(max_plies=100))
    assert (table.match.ply, table.match.over) == (120, False)
    assert ended(table.play("b1")).reason == "ply_limit"
    assert Match.replay(table.log, SEED, Patience(max_plies=100)).over
    table = bounded(10_000, **ENDLESS)
    for _ in range(100):
        table.play("b1", "d5", "c1", "c5")
    *grown, last = Match.replaying(table.log, SEED)
    assert [match.seq for match in grown] == [100, 200, 300, 400]
    assert last == Match.replay(table.log, SEED)
    assert (last.moves, last.states) == (table.match.moves, table.match.states)
    with pytest.raises(ValueError, match="begins with `started`"):
        next(Match.replaying((), SEED))


# Outages


def test_a_refund_is_never_more_than_the_time_since_the_newest_event() -> None:
    for away, refunded in ((0, 0), (-5, 0), (3_000, 3_000), (90_000, 8_000)):
        table = begun(clock=Fischer(initial=60))
        before = table.match.timer.since
        table.now += 8_000
        table.apply(table.match.refund(table.now, away))
        assert table.match.timer.since == before + refunded
        assert table.match.refund(table.now, away) == ()
    table = begun()
    assert table.match.refund(table.now + 5_000, 5_000) == ()
    table.do(Resign, 0)
    assert table.match.refund(table.now + 5_000, 5_000) == ()
