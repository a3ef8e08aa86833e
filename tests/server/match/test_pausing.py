"""The organiser's pauses: clocks stand still, nobody moves, and everything goes on where it was."""

from __future__ import annotations

import pytest

from cornered.protocol.commands import Abort, Claim, OfferDraw, Play, Resign
from cornered.protocol.events import ClocksPaused, ClocksResumed, Played
from cornered.protocol.values import MAX_PAUSE_SECONDS, Clock, Correspondence, Delay, Fischer, PerMove
from cornered.server.match import views
from cornered.server.match.audit import check_match
from cornered.server.match.match import Match, Patience
from cornered.server.match.pausing import MAX_PAUSES, order_pause, resume_clocks
from cornered.server.net.records import record_of
from cornered.server.ports import DamagedMatch
from cornered.server.refusal import Refusal
from tests.server.match.test_match import SEED, Table, begun, ended

HOUR = 3_600_000
CLOCKS: list[Clock] = [
    Fischer(initial=60, increment=1),
    Delay(initial=60, delay=5),
    PerMove(seconds=60),
    Correspondence(days=1),
]


def pause(table: Table, seconds: int = 1_800, *, after: int = 0) -> None:
    table.now += after
    assert table.apply(order_pause(table.match, table.match.deadline(), seconds, table.now))


def go_on(table: Table, *, after: int = 0) -> None:
    table.now += after
    assert table.apply(resume_clocks(table.match, table.now))


def refused_pause(table: Table) -> str:
    with pytest.raises(Refusal) as caught:
        order_pause(table.match, table.match.deadline(), 60, table.now)
    return caught.value.code


@pytest.mark.parametrize("clock", CLOCKS, ids=lambda clock: clock.kind)
def test_the_time_of_a_pause_counts_for_no_seat(clock: Clock) -> None:
    table, twin = (Table(size=5, clock=clock) for _ in range(2))
    for each in (table, twin):
        each.play("a4", "e2")
    pause(table, after=2_000)
    go_on(table, after=1_000_000)
    (played,) = table.play("b4", after=3_000)
    (other,) = twin.play("b4", after=5_000)
    assert isinstance(played, Played)
    assert isinstance(other, Played)
    assert (played.spent, played.left) == (other.spent, other.left)


def test_a_move_forgets_no_pause() -> None:
    table = begun(clock=Fischer(initial=60))
    gone_since = (None, table.now)
    for _ in range(MAX_PAUSES):
        pause(table)
        go_on(table, after=60_000)
    resumed_at = table.now
    table.play(after=1_000)
    assert refused_pause(table) == "busy"
    assert table.match.claim_at(gone_since[1]) == resumed_at + Patience().gone


@pytest.mark.parametrize("clock", CLOCKS, ids=lambda clock: clock.kind)
def test_no_flag_falls_during_a_pause_and_it_falls_after_the_time_that_was_left(clock: Clock) -> None:
    table = begun(clock=clock)
    due = table.match.deadline()
    assert due is not None
    began = table.now + 2_000
    pause(table, MAX_PAUSE_SECONDS, after=2_000)
    assert table.match.deadline() == began + HOUR
    assert table.tick(HOUR - 1) == ()
    go_on(table)
    assert table.match.deadline() == due + HOUR - 1
    assert ended(table.tick(due - began)).reason == "time"


def test_clocks_are_shown_as_they_stand_while_the_match_is_paused() -> None:
    table = begun(clock=Fischer(initial=60))
    pause(table, after=2_000)
    shown = views.clocks(table.match)
    assert (shown.left, shown.running) == ((58_000, 60_000), None)
    snapshot = views.snapshot(table.match, 0, connected=[True, True], watchers=0)
    assert snapshot.paused_until == table.now + 1_800_000
    go_on(table, after=5_000)
    shown = views.clocks(table.match)
    assert (shown.left, shown.running, table.now - shown.at) == ((60_000, 60_000), 0, 2_000)


def test_while_paused_players_can_only_resign_and_a_first_move_has_the_rest_of_its_time_after_it() -> None:
    table = begun(clock=Fischer(initial=60))
    pause(table)
    assert table.refused(Play, 0, ply=2, move="b4") == "paused"
    assert [table.refused(kind, 0) for kind in (OfferDraw, Abort, Claim)] == ["paused"] * 3
    end = ended(table.do(Resign, 0))
    assert (end.winner, end.reason) == (1, "resignation")
    assert table.match.pause is None
    table = Table(size=5, clock=Fischer(initial=60))
    due = table.match.deadline()
    assert due is not None
    pause(table, after=10_000)
    assert table.tick(HOUR // 4) == ()
    go_on(table)
    assert table.match.deadline() == due + HOUR // 4


def test_a_pause_lasts_an_hour_at_most_ends_by_itself_and_is_ordered_once() -> None:
    table = begun(clock=Fischer(initial=60))
    pause(table, 60)
    assert table.tick(59_999) == ()
    (resumed,) = table.tick(1)
    assert isinstance(resumed, ClocksResumed)
    assert table.match.timer.left_at(table.now) == (60_000, 60_000)
    table = Table(size=5)
    pause(table, 10**9)
    paused = table.log[-1]
    assert isinstance(paused, ClocksPaused)
    assert paused.until == table.now + HOUR
    table = Table(size=5)
    assert resume_clocks(table.match, table.now) == ()
    pause(table)
    assert order_pause(table.match, table.match.deadline(), 60, table.now) == ()


def test_what_time_has_decided_or_is_over_is_not_paused_and_the_rest_a_bounded_number_of_times() -> None:
    table = begun(clock=Fischer(initial=60))
    table.now += 60_000
    assert refused_pause(table) == "too_late"
    early = Table(size=5, clock=Fischer(initial=60))
    early.now = early.match.deadline() or 0
    assert refused_pause(early) == "too_late"
    table = Table(size=5)
    table.do(Resign, 0)
    assert refused_pause(table) == "match_over"
    table = Table(size=5)
    for _ in range(MAX_PAUSES):
        pause(table)
        go_on(table, after=1)
    assert refused_pause(table) == "busy"


def test_absence_during_a_pause_counts_against_nobody() -> None:
    table = begun(clock=Fischer(initial=600))
    gone = table.now + 1_000
    pause(table, after=500)
    assert table.match.claim_at(gone) is None
    go_on(table, after=HOUR // 2)
    assert table.match.claim_at(gone) == table.now + Patience().gone
    untimed = begun()
    since = untimed.now
    pause(untimed)
    assert untimed.match.abandoned_at((since, None)) is None
    go_on(untimed, after=60_000)
    assert untimed.match.abandoned_at((since, None)) == untimed.now + Patience().abandoned
    assert untimed.match.abandon(since + Patience().abandoned, (since, None)) == ()


def test_who_leaves_a_game_of_three_during_a_pause_passes_the_turn_on_when_the_clocks_go_on() -> None:
    table = Table("isolation", clock=Fischer(initial=60), width=5, height=5, players=3)
    table.play()
    table.play()
    table.play()
    mover = table.match.to_move
    pause(table, after=1_000)
    table.do(Resign, mover, after=5_000)
    go_on(table, after=7_000)
    assert table.match.timer.running == table.match.to_move != mover
    assert table.match.timer.elapsed(table.now) == 0


def test_a_paused_match_is_the_same_after_a_restart_and_an_outage_is_not_refunded_twice() -> None:
    table = begun(clock=Fischer(initial=60))
    pause(table, after=3_000)
    assert Match.replay(table.log, SEED) == table.match
    go_on(table, after=3_000)
    assert Match.replay(table.log, SEED) == table.match
    table = begun(clock=Fischer(initial=60))
    pause(table)
    assert table.match.resume(table.now + 100_000, table.now) == ()
    go_on(table, after=100_000)
    assert table.match.timer.left_at(table.now) == (60_000, 60_000)


def test_a_move_within_a_pause_is_no_match_and_the_record_counts_the_pauses() -> None:
    table = begun()
    check_match("m1", table.log, None)
    forged = Played(seq=5, at=table.now, seat=0, cause="c9", ply=2, move="b4", spent=0, left=(None, None))
    paused = ClocksPaused(seq=4, at=table.now, until=table.now + 1)
    with pytest.raises(DamagedMatch, match="paused"):
        check_match("m1", [*table.log, paused, forged], None)
    check_match("m1", [*table.log, paused, ClocksResumed(seq=5, at=table.now)], None)
    table = Table(size=5)
    table.play("a4")
    assert "Pauses" not in record_of(table.log).tags
    pause(table)
    go_on(table)
    assert record_of(table.log).tags["Pauses"] == "1"
