"""What a tournament decides: every format to its end, and what holds whatever happens in between."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as thorough
from hypothesis import strategies as st

from cornered.protocol import tournaments as trn
from cornered.protocol.values import Correspondence, Fischer, GameSpec, NoClock, Player
from cornered.server.refusal import Refusal
from cornered.server.tournament.events import TOURNAMENT_EVENT, Created, Result, TournamentEvent
from cornered.server.tournament.rounds import drafted
from cornered.server.tournament.standings import places
from cornered.server.tournament.state import MAX_REPLAYS, TournamentState
from cornered.server.tournament.tournament import (
    MAX_COMINGS,
    MAX_EVENTS,
    MAX_MESSAGES,
    MAX_OPEN_MS,
    check_settings,
    decide,
    is_round_due,
    pair_round,
    resulted,
    tick,
)
from cornered.server.tournament.views import info, pairing_info, standing

GAME = GameSpec(name="trapgrid", options={"size": 3})
OLGA = Player(id="olga", name="Olga", kind="person")


def player(number: int, kind: Any = "person") -> Player:
    return Player(id=f"p{number}", name=f"Player {number}", kind=kind)


def terms(format: str = "swiss", **more: Any) -> trn.TournamentSettings:
    given = {"name": "Open", "format": format, "game": GAME, "clock": Fischer(initial=60), "pause": 0, **more}
    if format == "arena":
        given.setdefault("minutes", 1)
    return trn.TournamentSettings(**given)


class Scene:
    """A tournament with a clock, ids and commands of its own; every event passes through its JSON."""

    def __init__(self, format: str = "swiss", **more: Any) -> None:
        self.now = 1_000
        self.ids = itertools.count(1)
        self.state = TournamentState.begin("t", Created(self.now, terms(format, **more), OLGA))
        self.events: list[TournamentEvent] = []

    def new_id(self, _: str = "") -> str:
        return f"m{next(self.ids)}"

    def fold(self, events: Sequence[TournamentEvent]) -> None:
        for event in events:
            stored = TOURNAMENT_EVENT.validate_json(TOURNAMENT_EVENT.dump_json(event))
            assert stored == event
            self.state.evolve(stored)
            self.events.append(stored)

    def do(self, kind: type[Any], by: Player = OLGA, rating: int = 1500, **fields: Any) -> None:
        fields.setdefault("id", f"c{next(self.ids)}")
        command = kind(tournament="t", **fields)
        self.fold(decide(self.state, command, by, self.now, rating=rating, new_id=self.new_id))

    def refused(self, kind: type[Any], by: Player = OLGA, **fields: Any) -> str:
        with pytest.raises(Refusal) as refusal:
            self.do(kind, by, **fields)
        return refusal.value.code

    def join(self, *numbers: int) -> None:
        for number in numbers:
            self.do(trn.JoinTournament, player(number), rating=2_000 - 10 * number)

    def advance(self, here: Sequence[str] | None = None, *, seconds: float = 1) -> None:
        """Let time pass, and carry out what it decides, as the driver does."""
        self.now += int(seconds * 1000)
        self.fold(tick(self.state, self.now, self.new_id, self.state.entries if here is None else here))
        if is_round_due(self.state, self.now):
            self.fold(pair_round(self.state, drafted(self.state)(), self.now, self.new_id))

    def finish(self, match: str, first: float = 1.0, **more: Any) -> None:
        self.fold(resulted(self.state, [Result(match, (first, 1.0 - first), **more)], self.now))

    def miss(self, match: str) -> None:
        """Have neither player come to a game."""
        self.fold(resulted(self.state, [Result(match, (0.0, 0.0), is_forfeit=True, absent=(0, 1))], self.now))

    def finish_all(self) -> None:
        """Have the first seat win all games that go on."""
        for match in tuple(self.state.pending):
            self.finish(match)

    def play(self, strongest: Callable[[str, str], float] | None = None) -> None:
        """Play to the end; by default the better seed wins."""
        score = strongest or (lambda one, other: float(int(one[1:]) < int(other[1:])))
        for _ in range(200):
            if self.state.is_over:
                return
            self.advance()
            for match in tuple(self.state.pending):
                pairing = self.state.pairing_of(match)
                assert pairing is not None
                self.finish(match, score(*pairing.players))
        raise AssertionError("the tournament does not end")

    def status(self) -> str:
        return self.state.status

    def order(self) -> list[str]:
        return [place.entry.player.id for place in places(self.state)]


def begun(format: str, count: int, **more: Any) -> Scene:
    scene = Scene(format, **more)
    scene.join(*range(1, count + 1))
    scene.do(trn.StartTournament)
    return scene


# Formats


@pytest.mark.parametrize("count", [2, 3, 4, 7, 8])
@pytest.mark.parametrize("format", ["swiss", "round_robin", "knockout"])
def test_every_format_of_rounds_ends_and_the_best_player_wins(format: str, count: int) -> None:
    scene = begun(format, count)
    scene.play()
    assert scene.status() == "finished"
    assert scene.state.round == scene.state.rounds
    assert info(scene.state, places(scene.state)).winner == player(1)


def test_in_a_round_robin_everybody_meets_everybody_in_each_cycle_with_both_seats() -> None:
    scene = begun("round_robin", 5, cycles=2)
    scene.play()
    met = Counter(pairing.players for _, pairing in scene.state.games())
    assert met == Counter(itertools.permutations([f"p{number}" for number in range(1, 6)], 2))


def test_in_a_swiss_tournament_nobody_meets_twice_or_has_two_byes() -> None:
    scene = begun("swiss", 9, rounds=5)
    scene.play()
    met = Counter(frozenset(pairing.players) for _, pairing in scene.state.games())
    assert set(met.values()) == {1}
    assert scene.state.round == 5


def test_a_swiss_tournament_has_as_many_rounds_as_its_players_need_and_no_more_than_they_can_play() -> None:
    assert begun("swiss", 30).state.rounds == 5
    assert begun("swiss", 4, rounds=32).state.rounds == 3


def test_a_drawn_meeting_of_a_knockout_is_replayed_with_swapped_seats_and_then_the_seed_decides() -> None:
    scene = begun("knockout", 2)
    scene.play(lambda one, other: 0.5)
    assert [pairing.players for _, pairing in scene.state.games()] == [("p1", "p2"), ("p2", "p1"), ("p1", "p2")]
    assert len(scene.state.pairings[0]) == 1 + MAX_REPLAYS
    assert scene.order() == ["p1", "p2"]
    assert scene.state.entries["p2"].is_out


def test_a_replay_that_is_won_decides_the_meeting() -> None:
    scene = begun("knockout", 4)
    scene.advance()
    for match in tuple(scene.state.pending):
        scene.finish(match, 0.5)
    scene.advance()
    assert len(scene.state.pending) == 2
    for match in tuple(scene.state.pending):
        scene.finish(match, 1.0)
    scene.play()
    assert {place.entry.player.id: place.entry.points for place in places(scene.state)} == {
        "p3": 2,
        "p4": 1,
        "p1": 0,
        "p2": 0,
    }


def test_the_best_seeds_of_a_knockout_have_the_byes() -> None:
    scene = begun("knockout", 5)
    scene.advance()
    assert {pairing.players for _, pairing in scene.state.games() if pairing.match is None} == {
        ("p1",),
        ("p2",),
        ("p3",),
    }


def test_an_arena_pairs_who_is_free_and_here_doubles_streaks_and_ends_at_its_time() -> None:
    scene = begun("arena", 4)
    scene.advance(here=["p1", "p2", "p3"])
    (first,) = scene.state.pending
    assert scene.state.entries["p4"].pending is None
    for _ in range(3):
        for match in tuple(scene.state.pending):
            pairing = scene.state.pairing_of(match)
            assert pairing is not None
            scene.finish(match, float(pairing.players[0] == "p1"))
        scene.advance(seconds=3)
    assert scene.state.entries["p1"].points == 2 + 2 + 4
    scene.advance(seconds=60)
    assert scene.status() == "running"
    (last,) = {scene.state.entries["p1"].pending} - {None} or {None}
    scene.finish_all()
    scene.advance()
    assert scene.status() == "finished"
    assert first != last


def test_two_in_an_arena_do_not_meet_again_at_once_while_a_third_is_there() -> None:
    scene = begun("arena", 3)
    scene.advance(here=["p1", "p2"])
    scene.advance(here=["p1", "p2", "p3"])
    scene.finish_all()
    scene.do(trn.JoinTournament, player(4))
    scene.advance(here=["p1", "p2", "p4"])
    assert all(set(pairing.players) != {"p1", "p2"} for pairing in scene.state.pairings[-1])


def test_the_organiser_pairs_by_hand_whoever_is_free() -> None:
    scene = begun("by_hand", 4)
    scene.do(trn.PairByHand, pairs=(("p3", "p1"),))
    scene.advance()
    assert [pairing.players for _, pairing in scene.state.games()] == [("p3", "p1")]
    assert scene.refused(trn.PairByHand, pairs=(("p1", "p2"),)) == "busy"
    assert scene.refused(trn.PairByHand, pairs=(("p2", "p4"), ("p4", "p2"))) == "busy"
    assert scene.refused(trn.PairByHand, pairs=(("p2", "nobody"),)) == "unknown_player"
    scene.do(trn.PairByHand, pairs=(("p2", "p4"),))
    assert scene.refused(trn.FinishTournament) == "not_now"
    scene.finish_all()
    scene.do(trn.FinishTournament)
    assert scene.order()[:2] == ["p3", "p2"] or scene.order()[:2] == ["p2", "p3"]


# Late entry, byes, absence


def test_who_joins_late_gets_the_named_points_for_each_round_that_was_missed(subtests: pytest.Subtests) -> None:
    for late_points, points in (("half", 1.0), ("none", 0.0)):
        with subtests.test(late_points=late_points, points=points):
            scene = begun("swiss", 8, rounds=4, late_rounds=2, late_points=late_points)
            for _ in range(2):
                scene.advance()
                for match in tuple(scene.state.pending):
                    scene.finish(match)
            scene.join(9)
            assert scene.state.entries["p9"].points == points
            scene.advance()
            assert scene.refused(trn.JoinTournament, player(10)) == "too_late"


def test_nobody_joins_a_fixed_schedule_late(subtests: pytest.Subtests) -> None:
    for format in ("round_robin", "knockout"):
        with subtests.test(format=format):
            assert begun(format, 4).refused(trn.JoinTournament, player(9)) == "too_late"


def test_who_withdraws_before_the_start_leaves_no_trace_and_may_come_again() -> None:
    scene = Scene()
    scene.join(1, 2)
    scene.do(trn.WithdrawFromTournament, player(1))
    assert list(scene.state.entries) == ["p2"]
    scene.join(1)
    assert scene.refused(trn.WithdrawFromTournament, player(7)) == "not_a_player"


def test_who_withdraws_later_is_paired_no_more_and_the_game_that_goes_on_counts() -> None:
    scene = begun("swiss", 5, rounds=3)
    scene.advance()
    match = scene.state.entries["p1"].pending
    scene.do(trn.WithdrawFromTournament, player(1))
    assert match is not None
    scene.finish_all()
    assert len(scene.state.entries["p1"].settled) == 1
    scene.play()
    assert len(scene.state.entries["p1"].settled) == 1
    assert scene.refused(trn.JoinTournament, player(1)) == "tournament_over"


def test_the_games_of_who_left_a_round_robin_are_forfeited() -> None:
    scene = begun("round_robin", 4)
    scene.do(trn.WithdrawFromTournament, player(1))
    scene.play()
    assert [one.how for one in scene.state.entries["p1"].settled] == ["forfeit"] * 3
    assert scene.state.entries["p1"].points == 0
    assert scene.state.entries["p4"].points == 1


def test_who_is_taken_out_before_the_start_does_not_come_back() -> None:
    scene = Scene()
    scene.join(1)
    scene.do(trn.ForfeitPlayer, player="p1")
    assert scene.refused(trn.JoinTournament, player(1)) == "not_permitted"


def test_a_player_enters_a_tournament_a_bounded_number_of_times() -> None:
    scene = Scene()
    for _ in range(MAX_COMINGS):
        scene.join(1)
        scene.do(trn.WithdrawFromTournament, player(1))
    assert scene.refused(trn.JoinTournament, player(1)) == "busy"
    scene.join(2)


def test_a_tournament_with_a_long_history_takes_nobody_and_is_paused_no_more() -> None:
    scene = Scene("by_hand")
    scene.join(1, 2)
    scene.do(trn.StartTournament)
    scene.do(trn.PauseTournament)
    scene.state.seq = MAX_EVENTS
    assert scene.refused(trn.JoinTournament, player(3)) == "busy"
    scene.do(trn.JoinTournament, player(1))
    scene.do(trn.ResumeTournament)
    assert scene.refused(trn.PauseTournament) == "busy"
    scene.do(trn.FinishTournament)


def test_a_forfeited_player_loses_the_game_that_goes_on_and_its_late_result_changes_nothing() -> None:
    scene = begun("swiss", 4, rounds=2)
    scene.advance()
    match = scene.state.entries["p1"].pending
    assert match is not None
    pairing = scene.state.pairing_of(match)
    assert pairing is not None
    scene.do(trn.ForfeitPlayer, player="p1")
    scene.finish(match, 1.0 if pairing.players[0] == "p1" else 0.0)
    assert scene.state.entries["p1"].points == 0
    assert pairing_info(scene.state, 1, pairing).how == "forfeit"
    assert scene.refused(trn.JoinTournament, player(1)) == "not_permitted"


def test_who_misses_two_games_in_a_row_is_paired_no_more_until_coming_back() -> None:
    scene = begun("swiss", 6, rounds=5)
    for _ in range(2):
        scene.advance()
        for match in tuple(scene.state.pending):
            pairing = scene.state.pairing_of(match)
            assert pairing is not None
            if "p6" in pairing.players:
                seat = pairing.players.index("p6")
                scene.finish(match, float(seat == 1), is_forfeit=True, absent=(seat,))
            else:
                scene.finish(match)
    scene.advance()
    assert scene.state.entries["p6"].pending is None
    scene.finish_all()
    scene.do(trn.JoinTournament, player(6))
    scene.advance()
    assert scene.state.entries["p6"].pending is not None


def test_a_win_by_forfeit_is_no_game_that_a_player_came_to() -> None:
    scene = begun("swiss", 6, rounds=5)
    for both in (True, False, True):
        scene.advance()
        for match in tuple(scene.state.pending):
            pairing = scene.state.pairing_of(match)
            assert pairing is not None
            seat = pairing.players.index("p6") if "p6" in pairing.players else None
            if seat is None:
                scene.finish(match)
            elif both:
                scene.miss(match)
            else:
                scene.finish(match, float(seat == 0), is_forfeit=True, absent=(1 - seat,))
    entry = scene.state.entries["p6"]
    assert (entry.points, scene.state.is_absent(entry)) == (1, True)
    scene.advance()
    assert entry.pending is None
    scene.do(trn.JoinTournament, player(6))
    scene.finish_all()
    scene.advance()
    assert entry.pending is not None


def test_who_has_won_by_forfeit_has_no_bye_while_another_player_has_had_neither() -> None:
    scene = begun("swiss", 5, rounds=4)
    scene.advance()
    match = scene.state.entries["p4"].pending
    assert match is not None
    pairing = scene.state.pairing_of(match)
    assert pairing is not None
    seat = pairing.players.index("p4")
    scene.finish(match, float(seat == 0), is_forfeit=True, absent=(1 - seat,))
    # The fourth player loses all other games, and is the last one but for the point without a game.
    scene.play(lambda one, other: float(other == "p4" or (one != "p4" and int(one[1:]) < int(other[1:]))))
    byes = [pairing.players[0] for _, pairing in scene.state.games() if len(pairing.players) == 1]
    assert sorted(byes) == ["p1", "p2", "p3", "p5"]


def test_a_swiss_tournament_ends_where_fewer_than_two_are_left_to_be_paired() -> None:
    scene = begun("swiss", 4, rounds=3)
    for _ in range(2):
        scene.advance()
        for match in tuple(scene.state.pending):
            pairing = scene.state.pairing_of(match)
            assert pairing is not None
            seat = pairing.players.index("p1") if "p1" in pairing.players else None
            if seat is None:
                scene.miss(match)
            else:
                scene.finish(match, float(seat == 0), is_forfeit=True, absent=(1 - seat,))
    scene.advance()
    assert (scene.status(), scene.state.round) == ("finished", 2)


def test_nobody_wins_a_tournament_in_which_nobody_has_a_point() -> None:
    scene = begun("swiss", 2)
    scene.advance()
    scene.miss(*scene.state.pending)
    scene.advance()
    assert scene.status() == "finished"
    assert info(scene.state, places(scene.state)).winner is None


def test_a_meeting_of_a_knockout_to_which_nobody_comes_has_no_winner_and_the_next_one_is_a_bye() -> None:
    scene = begun("knockout", 8)
    scene.advance()
    first, second, *_ = (pairing.match for pairing in scene.state.pairings[0])
    assert first is not None
    assert second is not None
    scene.miss(first)
    scene.miss(second)
    scene.finish_all()
    scene.advance()
    assert [(pairing.board, len(pairing.players)) for pairing in scene.state.pairings[1]] == [(2, 2)]
    scene.play()
    final = scene.state.pairings[2]
    assert [len(pairing.players) for pairing in final] == [1]
    assert info(scene.state, places(scene.state)).winner == scene.state.entries[final[0].players[0]].player


def test_a_knockout_of_which_all_are_absent_ends_without_a_winner() -> None:
    scene = begun("knockout", 4)
    for _ in range(3):
        scene.advance()
        for match in tuple(scene.state.pending):
            scene.miss(match)
    assert scene.status() == "finished"
    assert info(scene.state, places(scene.state)).winner is None


def test_a_game_that_nobody_played_counts_for_the_points_and_not_as_a_win() -> None:
    scene = begun("swiss", 2)
    scene.advance()
    (match,) = scene.state.pending
    scene.finish(match, 1.0, is_forfeit=True, absent=(1,))
    row = standing(scene.state, places(scene.state)[0])
    assert (row.points, row.games, row.wins) == (1, 0, 0)


# Time and the organiser


def test_a_tournament_starts_at_its_time_or_is_cancelled_where_nobody_came() -> None:
    scene = Scene(starts_at=11_000)
    scene.join(1, 2)
    scene.advance()
    assert scene.status() == "open"
    scene.advance(seconds=10)
    assert scene.status() == "running"
    empty = Scene(starts_at=11_000)
    empty.join(1)
    empty.advance(seconds=20)
    assert empty.status() == "cancelled"
    forgotten = Scene()
    forgotten.advance(seconds=MAX_OPEN_MS / 1000 + 1)
    assert forgotten.status() == "cancelled"


def test_rounds_wait_for_their_pause_or_for_the_organiser() -> None:
    scene = begun("swiss", 4, pause=30)
    scene.advance()
    scene.finish_all()
    assert scene.state.next_round_at == scene.now + 30_000
    scene.advance(seconds=29)
    assert scene.state.round == 1
    scene.do(trn.StartTournament)
    scene.advance(seconds=0)
    assert scene.state.round == 2
    by_organiser = begun("swiss", 4, pause=None)
    by_organiser.advance()
    assert by_organiser.refused(trn.StartTournament) == "not_now"
    for match in tuple(by_organiser.state.pending):
        by_organiser.finish(match)
    by_organiser.advance(seconds=86_400)
    assert by_organiser.state.round == 1
    by_organiser.do(trn.StartTournament)
    by_organiser.advance()
    assert by_organiser.state.round == 2


def test_nobody_is_paired_in_a_pause_which_ends_by_itself_after_an_hour() -> None:
    scene = begun("swiss", 4)
    scene.do(trn.PauseTournament)
    scene.advance()
    assert scene.state.round == 0
    scene.do(trn.ResumeTournament)
    scene.advance()
    assert scene.state.round == 1
    scene.do(trn.PauseTournament)
    scene.advance(seconds=3_601)
    assert not scene.state.is_paused


def test_a_repeated_command_of_the_organiser_changes_nothing() -> None:
    scene = Scene("by_hand")
    scene.join(1, 2)
    for _ in range(2):
        scene.do(trn.StartTournament, id="start")
        scene.do(trn.PairByHand, id="pair", pairs=(("p1", "p2"),))
        scene.do(trn.TellTournament, id="tell", text="Welcome")
    assert (scene.state.round, scene.state.told, scene.state.status) == (1, 1, "running")
    assert scene.refused(trn.TellTournament, id="tell", text="Goodbye") == "id_reused"
    assert scene.refused(trn.StartTournament, id="tell") == "id_reused"


def test_only_the_organiser_or_an_administrator_does_what_an_organiser_does(subtests: pytest.Subtests) -> None:
    for kind in (
        trn.StartTournament,
        trn.FinishTournament,
        trn.CancelTournament,
        trn.PauseTournament,
        trn.ResumeTournament,
    ):
        with subtests.test(kind=kind):
            scene = begun("swiss", 4)
            assert scene.refused(kind, player(1)) == "not_yours"
            command = trn.CancelTournament(id="c", tournament="t")
            assert decide(scene.state, command, player(9), 1, rating=0, new_id=scene.new_id, is_admin=True)


def test_an_organiser_sends_a_bounded_number_of_lines() -> None:
    scene = Scene()
    for _ in range(MAX_MESSAGES):
        scene.do(trn.TellTournament, text="Again")
    assert scene.refused(trn.TellTournament, text="Again") == "busy"


def test_what_is_over_takes_no_commands_and_its_unplayed_games_are_void() -> None:
    scene = begun("swiss", 4)
    scene.advance()
    scene.do(trn.CancelTournament)
    assert scene.refused(trn.JoinTournament, player(7)) == "tournament_over"
    assert {pairing_info(scene.state, round_, one).how for round_, one in scene.state.games()} == {"void"}
    assert not scene.state.pending


def test_who_may_enter_is_bounded_by_number_kind_and_rating() -> None:
    scene = Scene(limit=2, entrants="people", rating_from=1_000, rating_to=1_600)
    assert scene.refused(trn.JoinTournament, player(1, "bot")) == "not_permitted"
    assert scene.refused(trn.JoinTournament, player(1), rating=999) == "not_permitted"
    assert scene.refused(trn.JoinTournament, player(1), rating=1_601) == "not_permitted"
    for number in (1, 2):
        scene.do(trn.JoinTournament, player(number), rating=1_500)
    scene.do(trn.JoinTournament, player(2), rating=1_500)
    assert scene.refused(trn.JoinTournament, player(3), rating=1_500) == "server_full"
    assert Scene(entrants="bots").refused(trn.JoinTournament, player(1)) == "not_permitted"


def test_settings_that_do_not_go_together_are_refused(subtests: pytest.Subtests) -> None:
    rows: tuple[dict[str, Any], ...] = (
        {"clock": NoClock()},
        {"format": "arena", "minutes": None},
        {"format": "arena", "clock": Correspondence(days=1)},
        {"minutes": 5},
        {"format": "round_robin", "limit": 41},
        {"format": "knockout", "rounds": 3},
        {"format": "knockout", "late_rounds": 1},
        {"cycles": 2},
        {"rating_from": 2_000, "rating_to": 1_000},
        {"starts_at": 1},
        {"starts_at": 10 + MAX_OPEN_MS + 1},
    )
    for fields in rows:
        with subtests.test(str(fields)):
            with pytest.raises(Refusal) as refusal:
                check_settings(terms(**fields), 2, 10)
            assert refusal.value.code == "bad_options"


def test_a_tournament_is_for_two_at_a_board() -> None:
    check_settings(terms(), 2, 10)
    with pytest.raises(Refusal):
        check_settings(terms(), 3, 10)


# Whatever happens


@thorough(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(["swiss", "round_robin", "knockout", "arena"]), st.integers(2, 9))
def test_whatever_happens_nobody_plays_two_games_at_once_and_all_points_are_accounted_for(
    data: st.DataObject, format: str, count: int
) -> None:
    more = {"late_rounds": 2} if format == "swiss" else {}
    scene = Scene(format, **more)
    scene.join(*range(1, count + 1))
    scene.do(trn.StartTournament)
    for _ in range(data.draw(st.integers(0, 40))):
        state = scene.state
        what = data.draw(st.sampled_from(["time", "time", "result", "result", "join", "leave", "forfeit", "no-show"]))
        number = data.draw(st.integers(1, 12))
        try:
            match what:
                case "time":
                    scene.advance(seconds=data.draw(st.integers(0, 5)))
                case "result" | "no-show" if state.pending:
                    match_id = data.draw(st.sampled_from(sorted(state.pending)))
                    first = data.draw(st.sampled_from([0.0, 0.5, 1.0] if what == "result" else [0.0, 1.0]))
                    absent = {} if what == "result" else {"is_forfeit": True, "absent": (int(first),)}
                    scene.finish(match_id, first, **absent)
                case "join":
                    scene.do(trn.JoinTournament, player(number))
                case "leave":
                    scene.do(trn.WithdrawFromTournament, player(number))
                case "forfeit" if number > 10:
                    scene.do(trn.ForfeitPlayer, player=f"p{number - 10}")
                case _:
                    pass
        except Refusal:
            pass
        check(scene)
    # The same events make the same tournament on every node.
    again = TournamentState.begin("t", Created(1_000, scene.state.settings, OLGA))
    for event in scene.events:
        again.evolve(event)
    assert again == scene.state


def check(scene: Scene) -> None:
    state = scene.state
    playing = Counter(
        player for match in state.pending if (pairing := state.pairing_of(match)) for player in pairing.players
    )
    assert set(playing.values()) <= {1}
    assert {name: state.entries[name].pending is not None for name in playing} == dict.fromkeys(playing, True)
    assert sum(entry.pending is not None for entry in state.entries.values()) == len(playing)
    rows = places(state)
    assert [place.rank for place in rows] == list(range(1, len(state.entries) + 1))
    if state.settings.format in ("swiss", "round_robin"):
        given = sum(sum(pairing_info(state, round_, pairing).points) for round_, pairing in state.games())
        late = sum(0.5 * entry.late for entry in state.entries.values()) if state.settings.format == "swiss" else 0
        assert sum(place.entry.points for place in rows) == given + late
    byes = Counter(pairing.players[0] for _, pairing in state.games() if len(pairing.players) == 1)
    if state.settings.format == "swiss" and not any(entry.is_out or entry.late for entry in state.entries.values()):
        assert all(number <= 1 + state.round // max(1, len(state.entries)) for number in byes.values()) or any(
            entry.no_shows for entry in state.entries.values()
        )
