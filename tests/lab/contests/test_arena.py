"""One game in process: its winner, its record, and the failures of bots."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from cornered.bots.bot import Bot, Proven, Thought
from cornered.bots.roster import create
from cornered.engine import State
from cornered.lab.contests import arena
from cornered.lab.contests.arena import create_bots, play
from cornered.lab.contests.terms import ContestTerms, Fixture
from tests.lab.contests.puppets import first_move, stage

SMALL = ContestTerms.of("trapgrid", {"size": 4}, depth=2)


def test_a_game_is_played_to_the_end_of_its_rules() -> None:
    played = play(SMALL, Fixture(3, ("greedy", "minimax"), ("b4", "d2")))
    assert played.ending == "rules"
    state = SMALL.load().start()
    for move in played.moves:
        state = state.play(move)
    assert state.outcome is not None
    assert state.outcome.winner == played.winner
    assert played.moves[:2] == ("b4", "d2")
    assert sum(effort.moves for effort in played.efforts) == len(played.moves) - 2
    assert played.score(0) + played.score(1) == 1


def test_equal_fixtures_are_equal_games_also_with_dice_and_other_numbers_are_others() -> None:
    terms = ContestTerms.of("isolation", {"width": 5, "height": 5}, seed=4)
    one, again, other = (play(terms, Fixture(number, ("random", "greedy"))) for number in (1, 1, 2))
    assert one.moves == again.moves
    assert one.moves != other.moves
    terms = ContestTerms.of("isolation", {"width": 4, "height": 4, "dice": True})
    fixture = Fixture(5, ("random", "greedy"))
    assert play(terms, fixture).moves == play(terms, fixture).moves


def test_seeds_of_seats_games_and_contests_differ_and_fit_compiled_code() -> None:
    chances = set()
    for seed in (-(2**63), -1, 0, 1, 2**63 - 1):
        for number in range(20):
            bots = create_bots(ContestTerms.of("trapgrid", seed=seed), Fixture(number, ("greedy", "greedy")))
            assert isinstance(bots, list)
            chances |= {bot.chance.random() for bot in bots}
    assert len(chances) == 200

    for seed in (2**63, -(2**63) - 1):
        with pytest.raises(ValueError, match="a seed is from"):
            ContestTerms.of("trapgrid", seed=seed)


def test_random_games_are_the_same_whether_compiled_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = ContestTerms.of("quoridor", {"size": 5}, longest=60)
    fixtures = [Fixture(number, ("random", "random"), ("c2",) * (number % 2)) for number in range(8)]
    quick = [play(terms, fixture) for fixture in fixtures]
    monkeypatch.setattr(arena, "is_random", lambda terms, fixture: False)
    slow = [play(terms, fixture) for fixture in fixtures]
    for one, other in zip(quick, slow, strict=True):
        assert (one.moves, one.winner, one.ending) == (other.moves, other.winner, other.ending)
        for seat in (0, 1):
            assert one.efforts[seat].moves == other.efforts[seat].moves
            assert one.efforts[seat].nodes == other.efforts[seat].nodes


def test_a_bot_that_raises_loses_its_game(monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    for seat in (0, 1):
        for error in (RuntimeError("no\nidea \udc80"), SystemExit("no idea")):
            with subtests.test(seat=seat, error=error):

                def fail(state: State, error: BaseException = error) -> Thought:
                    raise error

                stage(monkeypatch, broken=fail)
                players = ("broken", "greedy") if seat == 0 else ("greedy", "broken")
                played = play(SMALL, Fixture(0, players))
                assert (played.winner, played.ending) == (1 - seat, "crashed")
                assert re.match(rf"broken: test_arena\.py, line \d+: {type(error).__name__}: no idea", played.fault)
                assert played.fault.encode()


def test_a_bot_that_cannot_be_made_or_whose_answer_is_no_thought_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(spec: str, seed: int | None = None) -> Bot:
        if spec == "broken":
            raise RuntimeError("not built")
        return create(spec, seed)

    monkeypatch.setattr(arena, "create", make)
    played = play(SMALL, Fixture(0, ("greedy", "broken")))
    assert (played.winner, played.ending) == (0, "crashed")

    answer: Any = None
    stage(monkeypatch, silent=lambda state: answer)
    played = play(SMALL, Fixture(0, ("silent", "greedy")))
    assert (played.winner, played.ending) == (1, "crashed")
    assert played.fault == "silent: TypeError: None is no thought"


def test_a_move_that_is_not_legal_loses(monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    moves: tuple[Any, ...] = ("z9", "a1", "", 7)
    for move in moves:
        with subtests.test(move=move):
            stage(monkeypatch, cheat=partial(lambda move, state: Thought(move), move))
            played = play(SMALL, Fixture(0, ("cheat", "greedy")))
            assert (played.winner, played.ending, played.moves) == (1, "illegal", ())


def test_a_bot_that_takes_far_too_long_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def dawdle(state: State) -> Thought:
        nonlocal now
        now += 0.3
        return first_move(state)

    monkeypatch.setattr(arena, "perf_counter", lambda: now)
    stage(monkeypatch, slow=dawdle, quick=first_move)
    played = play(ContestTerms.of("trapgrid", {"size": 4}, time=10), Fixture(0, ("slow", "quick")))
    assert (played.winner, played.ending) == (1, "time")
    assert play(ContestTerms.of("trapgrid", {"size": 4}, time=100), Fixture(0, ("slow", "quick"))).ending == "rules"


def test_a_game_that_is_too_long_is_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    stage(monkeypatch, back=lambda state: Thought("e1" if "e1" in state.moves() else "d1"), there=first_move)
    terms = ContestTerms.of("quoridor", {"max_plies": None, "no_progress": None}, longest=20)
    played = play(terms, Fixture(0, ("back", "random")))
    assert (played.winner, played.ending, len(played.moves)) == (None, "length", 20)
    assert played.score(0) == played.score(1) == 0.5


def claims(proven: Proven | None) -> Callable[[State], Thought]:
    return lambda state: Thought(state.moves()[0], proven=proven)


def test_a_game_ends_when_both_have_proven_the_same(monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[Proven | None, Proven | None, Any, str], ...] = (
        ("win", "loss", 0, "adjudicated"),
        ("loss", "win", 1, "adjudicated"),
        ("draw", "draw", None, "adjudicated"),
        ("win", "win", ..., "rules"),
        ("win", None, ..., "rules"),
    )
    for first, second, winner, ending in rows:
        with subtests.test(first=first, second=second, winner=winner, ending=ending):
            stage(monkeypatch, one=claims(first), other=claims(second))
            terms = ContestTerms.of("trapgrid", {"size": 4}, adjudicates=True)
            played = play(terms, Fixture(0, ("one", "other")))
            assert played.ending == ending
            if ending == "adjudicated":
                assert (played.winner, len(played.moves)) == (winner, 2)
            assert play(ContestTerms.of("trapgrid", {"size": 4}), Fixture(0, ("one", "other"))).ending == "rules"
