"""Games of three and four players: seats, failures, the journal, points by pairs, and what a tournament shows."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cornered.bots.bot import Bot, Limit, Thought
from cornered.bots.roster import create
from cornered.engine import CHANCE, State
from cornered.engine.records.record import RecordError, from_json, to_json
from cornered.lab.contests import arena
from cornered.lab.contests.arena import play
from cornered.lab.contests.contest import MemoryGameStore, hold
from cornered.lab.contests.journal import ContestJournal, from_record, to_record
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.places import as_json, place_standings
from cornered.lab.contests.schedule import SeatRotation
from cornered.lab.contests.terms import ContestTerms, Effort, Fixture, PlayedGame
from cornered.lab.execution.processes import Death
from cornered.lab.reports.document import markdown
from cornered.lab.reports.places_report import document
from tests.lab.inline import Inline

THREE = ContestTerms.of_any_seats("isolation", {"width": 4, "height": 4, "players": 3}, depth=1)
FOUR = ContestTerms.of_any_seats("quoridor", {"size": 5, "players": 4}, depth=1)
DICE = ContestTerms.of_any_seats("isolation", {"width": 4, "height": 4, "players": 4, "dice": True}, depth=1)
NAMES = ("maxn:depth=1", "greedy", "random", "mcts:iterations=5")


class Failing(Bot):
    """Plays the first legal move, and fails at a given number of pieces on the board."""

    name = "failing"
    description = "For tests."

    def choose(self, state: State, limit: Limit) -> Thought:
        if sum(str(state).split(" ")[0].count(str(seat)) for seat in range(state.game.seats)) == state.game.seats:
            raise RuntimeError("no idea")
        return Thought(state.moves()[0])


def test_a_game_of_several_ends_with_the_places_of_its_rules(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[ContestTerms, int], ...] = ((THREE, 3), (FOUR, 4), (DICE, 4))
    for terms, seats in rows:
        with subtests.test(terms=terms, seats=seats):
            played = play(terms, Fixture(5, NAMES[:seats]))
            state = terms.load().start()
            moves: Counter[int] = Counter()
            for move in played.moves:
                moves[state.to_move] += 1
                state = state.play(move)
            assert state.outcome is not None
            assert (played.ending, played.places, played.winner) == (
                "rules",
                state.outcome.places,
                state.outcome.winner,
            )
            assert [effort.moves for effort in played.efforts] == [moves[seat] for seat in range(seats)]
            assert (moves[CHANCE] > 0) == bool(terms.options.get("dice"))
            assert from_record(from_json(to_json(to_record(terms, played)))).places == played.places


def test_points_are_means_over_the_others_and_an_unfinished_result_is_no_record() -> None:
    played = PlayedGame(Fixture(0, ("a", "b", "c")), (), 1, "rules", (Effort(),) * 3, ranks=(3, 1, 2))
    assert [played.score(seat) for seat in range(3)] == [0, 1, 0.5]
    shared = PlayedGame(Fixture(0, tuple("abcd")), (), None, "length", (Effort(),) * 4, ranks=(1, 1, 1, 4))
    assert [shared.score(seat) for seat in range(4)] == [pytest.approx(2 / 3)] * 3 + [0]
    assert shared.beaten(0, 1) == 0.5

    played = play(THREE, Fixture(1, ("random",) * 3))
    told = json.loads(to_json(to_record(THREE, played)))
    told["moves"] = told["moves"][:4]
    told["places"] = [1, 1, 3]
    for termination in ("rules", "crashed"):
        with pytest.raises(RecordError, match="do not finish the game"):
            from_json(json.dumps({**told, "termination": termination}))


def stage(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(spec: str, seed: int | None = None) -> Bot:
        return Failing(seed) if spec == "failing" else create(spec, seed)

    monkeypatch.setattr(arena, "create", make)


@pytest.mark.parametrize("seat", range(3))
def test_who_fails_is_behind_all_that_are_still_in(seat: int, monkeypatch: pytest.MonkeyPatch) -> None:
    stage(monkeypatch)
    players = tuple("failing" if other == seat else "random" for other in range(3))
    played = play(THREE, Fixture(1, players))
    assert (played.ending, played.winner, played.left) == ("crashed", None, seat)
    assert played.places == tuple(3 if other == seat else 1 for other in range(3))
    assert re.fullmatch(r"failing: test_places\.py, line \d+: RuntimeError: no idea", played.fault)
    again = from_record(from_json(to_json(to_record(THREE, played))))
    assert (again.places, again.left, again.ending, again.winner) == (played.places, seat, "crashed", None)


def test_who_was_out_before_a_failure_keeps_the_place_and_a_death_is_one_of_a_seat() -> None:
    state = THREE.load().start()
    left = state.leave(1)
    played = PlayedGame(Fixture(0, ("a", "b", "c")), (), None, "crashed", (Effort(),) * 3)
    ended = arena._lost_by(0, left, played)
    assert (ended.places, ended.winner, ended.left) == ((2, 3, 1), 2, 0)

    death = Death(words="2 a1 b1", is_hung=False, cause="was killed")
    played = arena.lost(THREE, Fixture(3, ("x", "y", "z"), ("a1", "b1")), death)
    assert (played.places, played.left, played.ending) == ((1, 1, 3), 2, "crashed")
    assert "z" in played.fault


@pytest.mark.parametrize(("bots", "seats", "each"), [(3, 3, 6), (5, 3, 12), (4, 4, 4), (5, 4, 24)])
def test_each_bot_has_each_seat_equally_often(bots: int, seats: int, each: int) -> None:
    names = tuple(f"bot{number}" for number in range(bots))
    schedule = SeatRotation(names, seats, each, lambda pair: (f"opening{pair}",))
    fixtures = schedule.fixtures(0, [])
    assert schedule.fixtures(1, []) == []
    assert len(fixtures) == schedule.games()
    assert [fixture.number for fixture in fixtures] == list(range(len(fixtures)))
    at = Counter((seat, name) for fixture in fixtures for seat, name in enumerate(fixture.players))
    assert len(at) == seats * bots
    assert len(set(at.values())) == 1
    groups = Counter(frozenset(fixture.players) for fixture in fixtures)
    assert set(groups.values()) == {each}
    for cluster in {fixture.pair for fixture in fixtures}:
        same = [fixture for fixture in fixtures if fixture.pair == cluster]
        assert len({fixture.opening for fixture in same}) == 1
        assert len(same) == len({fixture.players for fixture in same}) == seats
    if each >= 2 * seats and seats == 3:
        # The second order around the board: who follows whom changes.
        assert len({fixture.players for fixture in fixtures if frozenset(fixture.players) == set(names[:3])}) == 6


def contest(terms: ContestTerms, bots: tuple[str, ...], each: int, keep: Any) -> list[PlayedGame]:
    return hold(terms, SeatRotation(bots, terms.load().seats, each, random_plies(terms, 3)), Inline(), keep)


def test_an_interrupted_contest_goes_on_to_the_same_games(tmp_path: Path) -> None:
    bots, other = NAMES[:3], MemoryGameStore()
    with ContestJournal.open(tmp_path, THREE, {}) as journal:
        whole = contest(THREE, bots, 6, journal)
    with ContestJournal.open(tmp_path, THREE, {}) as journal:
        other.games = dict(list(journal.games.items())[:3])
    again = contest(THREE, bots, 6, other)
    assert [(game.moves, game.places) for game in again] == [(game.moves, game.places) for game in whole]


def test_standings_add_up() -> None:
    games = contest(THREE, NAMES, 6, MemoryGameStore())
    found = place_standings(THREE, games, NAMES)
    assert found.games == len(games) == 24
    assert sum(one.points for one in found.table) == pytest.approx(1.5 * 24)
    assert all(sum(one.places) == one.games == 18 for one in found.table)
    assert sum(found.seats) == pytest.approx(1.5)
    assert [one.share for one in found.table] == sorted((one.share for one in found.table), reverse=True)
    assert all(one.low < one.elo < one.high for one in found.table)
    for (one, other), (points, common) in found.pairings.items():
        assert points + found.pairings[other, one][0] == common == 12
    told = json.loads(json.dumps(as_json(found)))
    assert [line["bot"] for line in told["bots"]] == [one.bot for one in found.table]
    text = markdown(document(found, {"command": "cornered tournament"}))
    assert all(bot in text.replace("\\", "") for bot in NAMES)
    assert "Each bot had each seat equally often." in text
