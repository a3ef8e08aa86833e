"""The loser of a game that ended its process, and the recorded fault."""

from __future__ import annotations

import pytest

from cornered.lab.contests import arena
from cornered.lab.contests.arena import lost, play
from cornered.lab.contests.journal import from_record, to_record
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.execution import heartbeat
from cornered.lab.execution.processes import Death

SMALL = ContestTerms.of("trapgrid", {"size": 4}, seed=2)


def test_the_bot_that_was_thinking_loses_and_one_that_gave_no_sign_of_life_on_time() -> None:
    fixture = Fixture(4, ("greedy", "random"), ("a3", "d2"))
    played = lost(SMALL, fixture, Death("was ended by SIGSEGV", "1 a3 d2 a2"))
    assert (played.winner, played.ending, played.moves) == (0, "crashed", ("a3", "d2", "a2"))
    assert played.fault == "random: the process was ended by SIGSEGV while it was its turn"
    assert from_record(to_record(SMALL, played)) == played

    fixture = Fixture(4, ("greedy", "random"))
    for words, said in (("0 ", "choose did not return in time: "), ("preparing 0", "loading it took too long: ")):
        played = lost(SMALL, fixture, Death("gave no sign of life any more", words, is_hung=True))
        assert (played.winner, played.ending, played.moves) == (1, "time", ())
        assert played.fault.startswith(f"greedy: {said}")


def test_without_a_thinking_bot_the_next_to_move_loses_and_the_fault_says_so() -> None:
    fixture = Fixture(4, ("greedy", "random"), ("a3",))
    played = lost(SMALL, fixture, Death("ended with exit code 3"))
    assert (played.winner, played.ending, played.moves) == (0, "crashed", ("a3",))
    assert "no bot was thinking; it counts against random" in played.fault


def test_with_dice_the_roll_before_the_next_move_is_the_one_that_is_played() -> None:
    terms = ContestTerms.of("isolation", {"width": 4, "height": 4, "dice": True}, seed=5)
    fixture = Fixture(0, ("random", "random"), ("a1", "d4"))
    played = lost(terms, fixture, Death("ended with exit code 3"))
    assert len(played.moves) == 3
    assert played.moves == play(terms, fixture).moves[:3]
    assert played.winner == 1


def test_words_about_another_game_are_not_believed_and_signs_outside_a_worker_go_nowhere() -> None:
    with pytest.raises(ValueError, match="are not the last words"):
        lost(SMALL, Fixture(4, ("greedy", "random"), ("a3",)), Death("ended with exit code 3", "1 d2"))
    heartbeat.beat("hello", 0.001)
    assert type(heartbeat.current()) is heartbeat.LivenessReporter


def test_a_game_tells_whose_turn_it_is_before_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[str, float | None]] = []
    monkeypatch.setattr(
        arena, "report_thinking", lambda seat, moves, within: heard.append((f"{seat} {' '.join(moves)}", within))
    )
    played = play(SMALL, Fixture(4, ("greedy", "random"), ("a3", "d2")))
    # The seat and the moves that are reported before each bot is called, which a death leaves as its last words.
    expected = [f"{ply % 2} {' '.join(played.moves[:ply])}" for ply in range(2, len(played.moves))]
    assert [words for words, _ in heard] == expected
    assert {within for _, within in heard} == {None}
    heard.clear()
    play(ContestTerms.of("trapgrid", {"size": 4}, time=100), Fixture(4, ("random", "greedy")))
    assert {within for _, within in heard} == {0.2 + arena.LATE_TOLERANCE_S + arena.HANG_TOLERANCE_S}
