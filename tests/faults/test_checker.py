"""The checker accepts a true history, and each of its checks finds the one thing that was doctored in it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cornered import engine
from cornered.bench.faults.checker import check
from cornered.bench.faults.history import Answered, ClientLog, Connected, Entry, History, Outage, Saw, Sent, Shown
from cornered.bench.faults.violation import Violation
from cornered.protocol.commands import Play
from cornered.protocol.events import Ended, MatchEvent, Played, Resumed, Started
from cornered.protocol.values import Clock, Fischer, GameSpec, PerMove, Player

SEED = b"s" * 32
MATCH = "m0"
GAME = GameSpec(name="trapgrid", options={"size": 5})
THINKS_MS = 100
FISCHER = Fischer(initial=20, increment=2)


def _game(moves: int | None) -> tuple[list[str], engine.State]:
    """Return the first legal move again and again, at most `moves` times, and the position after it."""
    state = engine.load(GAME.name, **GAME.options).start()
    played: list[str] = []
    while state.outcome is None and (moves is None or len(played) < moves):
        played.append(state.moves()[0])
        state = engine.apply(state, played[-1])
    return played, state


def _true_history(clock: Clock = FISCHER, *, moves: int | None = None, slow: dict[int, int] | None = None) -> History:
    """Return a match of two players and a watcher on one connection each, in which nothing went wrong.

    A move takes THINKS_MS, that of ply `p` `slow[p]` more. The clients' clock runs with the match clock, in seconds.
    """
    players = tuple(Player(id=f"p{seat}", name=f"P{seat}", kind="bot") for seat in (0, 1))
    commitment = hashlib.sha256(SEED).hexdigest()
    at = 1_000
    events: list[MatchEvent] = [
        Started(seq=1, at=at, match=MATCH, game=GAME, players=players, clock=clock, commitment=commitment)
    ]
    logs = [ClientLog("one", "p0"), ClientLog("two", "p1"), ClientLog("watcher", "w")]
    for log in logs:
        log.entries.append(Connected(0.9, 1, "ws://here"))
        log.entries.append(Saw(1.0, 1, MATCH, (events[0],)))
    played, state = _game(moves)
    full = clock.initial * 1000 if isinstance(clock, Fischer) else clock.seconds * 1000  # type: ignore[union-attr]
    left: list[int | None] = [full, full]
    for ply, move in enumerate(played):
        seat, spent = ply % 2, THINKS_MS + (slow or {}).get(ply, 0)
        logs[seat].entries.append(Sent((at + spent - 1) / 1000, 1, Play(id=f"c{ply}", match=MATCH, ply=ply, move=move)))
        at += spent
        if isinstance(clock, Fischer) and ply >= 2:
            left[seat] = (left[seat] or 0) - spent + round(clock.increment * 1000)
        new: list[MatchEvent] = [
            Played(seq=ply + 2, at=at, seat=seat, cause=f"c{ply}", ply=ply, move=move, spent=spent, left=tuple(left))
        ]
        if ply == len(played) - 1 and state.outcome is not None:
            winner, places = state.outcome.winner, state.outcome.places
            new.append(Ended(seq=ply + 3, at=at, winner=winner, places=places, reason="rules", seed=SEED.hex()))
        events += new
        logs[seat].entries.append(Answered(at / 1000 + 0.001, 1, f"c{ply}", seq=ply + 2))
        for log in logs:
            log.entries.append(Saw(at / 1000 + 0.001, 1, MATCH, tuple(new)))
    return History({MATCH: events}, logs, calm_at=1.05)


def _first(history: History) -> Violation:
    found = check(history)
    assert found, "nothing was found"
    return found[0]


def _entries(history: History, client: int, change: Callable[[list[Entry]], list[Entry]]) -> History:
    history.clients[client].entries = change(history.clients[client].entries)
    return history


def _event(history: History, seq: int, **changes: Any) -> History:
    """Change an event wherever it is: in the journal and in what the clients saw."""
    old = history.journal[MATCH][seq - 1]
    new = old.model_copy(update=changes)
    events = [new if event.seq == seq else event for event in history.journal[MATCH]]
    for log in history.clients:
        log.entries = [
            replace(entry, events=tuple(new if event == old else event for event in entry.events))
            if isinstance(entry, Saw)
            else entry
            for entry in log.entries
        ]
    history.journal = {MATCH: events}
    return history


@pytest.mark.parametrize("clock", [FISCHER, PerMove(seconds=15)])
def test_a_true_history_is_accepted(clock: Clock) -> None:
    assert check(_true_history(clock)) == []


def test_an_acknowledged_move_that_is_not_stored_is_found() -> None:
    history = _true_history(moves=6)
    history.journal = {MATCH: history.journal[MATCH][:-1]}
    for client in range(3):
        history = _entries(history, client, lambda entries: [one for one in entries if not _saw(one, 7)])
    violation = _first(history)
    assert violation.check == "lost"
    assert "acknowledged as event 7 of match m0, which is not stored" in violation.text
    assert any("'kind': 'answered'" in line for line in violation.evidence)
    assert any(line.startswith("journal m0") for line in violation.evidence)


def _saw(entry: Entry, seq: int) -> bool:
    return isinstance(entry, Saw) and any(event.seq == seq for event in entry.events)


def test_an_acknowledgement_that_names_another_event_is_found() -> None:
    history = _entries(
        _true_history(),
        0,
        lambda entries: [replace(one, seq=5) if isinstance(one, Answered) and one.seq == 4 else one for one in entries],
    )
    assert _first(history).check == "lost"


def test_a_move_that_is_stored_as_another_one_is_found() -> None:
    history = _true_history(moves=4)
    other = _game(3)[1].moves()[1]
    found = {violation.check for violation in check(_event(history, 5, move=other))}
    assert {"lost", "twice"} <= found


def test_a_command_that_is_carried_out_twice_is_found() -> None:
    history = _true_history(moves=4)
    again = history.journal[MATCH][3].model_copy(update={"seq": 6})
    history.journal = {MATCH: [*history.journal[MATCH], again]}
    assert "twice" in {violation.check for violation in check(history)}


def test_a_move_that_no_client_sent_is_found() -> None:
    history = _entries(
        _true_history(moves=4),
        0,
        lambda entries: [one for one in entries if not (isinstance(one, Sent) and one.command.id == "c2")],
    )
    assert "never sent" in _first(history).text


@pytest.mark.parametrize(("code", "is_found"), [("stale_ply", True), ("internal", False)])
def test_a_refused_command_that_is_stored_is_found_unless_the_refusal_left_it_open(code: str, is_found: bool) -> None:
    history = _entries(
        _true_history(moves=4),
        0,
        lambda entries: [
            replace(one, code=code, seq=None) if isinstance(one, Answered) and one.id == "c2" else one
            for one in entries
        ],
    )
    assert bool([one for one in check(history) if "was refused" in one.text]) is is_found


def test_a_gap_in_what_a_player_was_told_is_found() -> None:
    history = _entries(_true_history(), 0, lambda entries: [one for one in entries if not _saw(one, 4)])
    violation = _first(history)
    assert (violation.check, violation.text) == ("sequence", "one was told event 5 of match m0 where 4 was due")


def test_a_watcher_may_miss_events() -> None:
    history = _entries(_true_history(), 2, lambda entries: [one for one in entries if not _saw(one, 4)])
    assert check(history) == []


def test_an_event_that_was_told_twice_on_one_connection_is_found() -> None:
    history = _entries(
        _true_history(), 0, lambda entries: [again for one in entries for again in ([one] * (1 + _saw(one, 4)))]
    )
    assert _first(history).text == "one was told event 4 of match m0 where 5 was due"


def test_an_event_that_was_told_again_on_a_new_connection_is_accepted() -> None:
    def resume(entries: list[Entry]) -> list[Entry]:
        place = next(index for index, one in enumerate(entries) if _saw(one, 4))
        again = entries[place]
        assert isinstance(again, Saw)
        later = [replace(one, connection=2) for one in entries[place + 1 :]]
        return [*entries[: place + 1], Connected(again.at, 2, "ws://there"), replace(again, connection=2), *later]

    assert check(_entries(_true_history(), 0, resume)) == []


def test_an_event_that_was_told_and_is_not_stored_is_found() -> None:
    history = _true_history(moves=4)
    history.journal = {MATCH: history.journal[MATCH][:-1]}
    watcher = [one for one in check(history) if one.text.startswith("watcher")]
    assert watcher[0].text == "watcher was told event 5 of match m0, which is not stored"


def test_an_event_that_was_told_otherwise_than_stored_is_found() -> None:
    history = _true_history(moves=4)
    history.journal = {
        MATCH: [one.model_copy(update={"spent": 7}) if one.seq == 3 else one for one in history.journal[MATCH]]
    }
    assert "is stored otherwise" in _first(history).text


def test_a_snapshot_of_another_position_is_found() -> None:
    history = _true_history(moves=4)
    position = str(_game(2)[1])
    history.clients[2].entries.append(Shown(9.0, 1, MATCH, 4, position, 3, over=False))
    assert "was shown match m0 at event 4" in _first(history).text
    history.clients[2].entries[-1] = Shown(9.0, 1, MATCH, 5, str(_game(4)[1]), 4, over=False)
    assert check(history) == []


def test_a_player_that_was_not_told_the_end_is_found() -> None:
    history = _true_history()
    last = history.journal[MATCH][-1].seq
    history = _entries(history, 0, lambda entries: [one for one in entries if not _saw(one, last)])
    assert "knows match m0 up to event" in _first(history).text


def test_a_gap_in_the_journal_is_found() -> None:
    history = _true_history()
    history.journal = {MATCH: [event for event in history.journal[MATCH] if event.seq != 4]}
    assert "event 4 of match m0 is missing: event 5 stands in its place" in {one.text for one in check(history)}


def test_time_that_goes_back_is_found() -> None:
    history = _event(_true_history(moves=4), 4, at=500)
    assert _first(history).text == "time goes back by 700 ms in match m0"


def test_an_illegal_move_and_a_move_out_of_turn_are_found() -> None:
    assert [one.check for one in check(_event(_true_history(moves=4), 4, move="z9"))].count("rules") == 1
    assert "it is the turn of 0, not of 1" in " ".join(
        one.text for one in check(_event(_true_history(moves=4), 4, seat=1))
    )


def test_another_winner_than_that_of_the_rules_is_found() -> None:
    history = _true_history()
    ended = history.journal[MATCH][-1]
    assert isinstance(ended, Ended)
    winner, places = 1 - (ended.winner or 0), tuple(reversed(ended.places))
    assert "the winner is" in _first(_event(history, ended.seq, winner=winner, places=places)).text


def test_another_seed_than_the_promised_one_is_found() -> None:
    history = _true_history()
    assert "commits to" in _first(_event(history, history.journal[MATCH][-1].seq, seed="00" * 32)).text


def test_a_match_that_goes_on_after_its_end_by_the_rules_is_found() -> None:
    history = _true_history()
    history.journal = {MATCH: history.journal[MATCH][:-1]}
    assert "the game is over by the rules, and the match is not" in " ".join(one.text for one in check(history))


OUTAGE = Outage(1.35, 7.35, "fault 1: kill of n1")


def test_a_player_that_was_charged_for_an_outage_is_found() -> None:
    # The move of ply 3 takes six seconds in which the server is down, and is charged all of them.
    history = _true_history(slow={3: 6_000})
    assert check(history) == []
    history.outages = [OUTAGE]
    violation = _first(history)
    assert violation.check == "clocks"
    assert "was charged 6.1 s" in violation.text


def test_a_player_whose_outage_was_refunded_is_accepted() -> None:
    history = _true_history(slow={3: 6_000})
    history.outages = [OUTAGE]
    # The same match with the refund: what followed is left out.
    events = list(history.journal[MATCH][:5])
    played = events[4]
    assert isinstance(played, Played)
    left = (played.left[0], (played.left[1] or 0) + 6_000)
    refund = Resumed(seq=5, at=7_300, refunded=6_000)
    events[4:] = [refund, played.model_copy(update={"seq": 6, "spent": 100, "left": left})]
    history.journal = {MATCH: events}
    for log in history.clients:
        log.entries = [one for one in log.entries if one.at < 1.35]
    history.clients[1].entries.append(Sent(7.4, 1, Play(id="c3", match=MATCH, ply=3, move=played.move)))
    history.clients[1].entries.append(Answered(7.5, 1, "c3", seq=6))
    for log in history.clients:
        log.entries.append(Saw(7.5, 1, MATCH, tuple(events[4:])))
    assert check(history) == []


def test_an_outage_of_other_slots_takes_nothing_off() -> None:
    history = _true_history(slow={3: 6_000})
    history.outages = [replace(OUTAGE, slots=frozenset())]
    assert check(history) == []


def test_a_flag_that_fell_in_an_outage_is_found() -> None:
    history = _true_history(PerMove(seconds=5), moves=4)
    loser = _game(4)[1].to_move
    outcome = _game(4)[1].leave(loser).outcome
    assert outcome is not None
    ended = Ended(seq=6, at=6_400, winner=outcome.winner, places=outcome.places, reason="time", seed=SEED.hex())
    history.journal = {MATCH: [*history.journal[MATCH], ended]}
    for log in history.clients:
        log.entries.append(Saw(6.5, 1, MATCH, (ended,)))
    assert check(history) == []
    history.outages = [Outage(1.45, 6.3, "fault 1: kill of n1")]
    assert _first(history).check == "clocks"


def test_clocks_that_do_not_add_up_are_found() -> None:
    history = _true_history(moves=6)
    played = history.journal[MATCH][6]
    assert isinstance(played, Played)
    assert "and should be" in _first(_event(history, 7, left=(played.left[0], (played.left[1] or 0) - 1))).text


def test_a_command_that_was_never_answered_is_found() -> None:
    history = _true_history(moves=4)
    history.clients[0].entries.append(Sent(5.0, 1, Play(id="c4", match=MATCH, ply=4, move="a1")))
    assert _first(history).text == "one's Play c4 was never answered"


def test_a_match_that_does_not_go_on_after_the_last_fault_is_found() -> None:
    history = _true_history(moves=4)
    assert check(history) == []
    history.calm_at = 60.0
    assert _first(history).text == "match m0 did not go on after the last fault"


def test_a_defect_in_a_log_is_found() -> None:
    history = _true_history()
    history.complaints = ["n1: Traceback (most recent call last):\n  File\nValueError: wrong"]
    assert _first(history).text == "n1: Traceback (most recent call last):"
    assert _first(history).evidence[1:] == ("  File", "ValueError: wrong")


def test_the_first_violation_is_the_one_that_was_observed_first() -> None:
    history = _true_history()
    history = _entries(history, 0, lambda entries: [one for one in entries if not _saw(one, 4)])
    history = _event(history, 3, left=(1, 1))
    found = check(history)
    assert found[0].check == "clocks"
    assert [one.at for one in found] == sorted(one.at for one in found)
    assert "sequence" in {one.check for one in found}
