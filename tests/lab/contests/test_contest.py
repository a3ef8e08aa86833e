"""A contest's games are complete and in order, and stored, however it is interrupted."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from cornered.engine.progress import Progress
from cornered.lab.contests.contest import MemoryGameStore, hold, stream
from cornered.lab.contests.journal import ContestJournal
from cornered.lab.contests.match import PairedMatch, paired, run
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture, PlayedGame
from cornered.lab.execution.workforce import Workforce
from tests.lab.inline import Inline

TERMS = ContestTerms.of("trapgrid", {"size": 4}, depth=1)


MANY = 60
"""More games than the workers can finish before the first few are taken."""


def fixtures(count: int) -> list[Fixture]:
    return list(itertools.islice(paired("random", "greedy", random_plies(TERMS), count), count))


def test_games_come_in_the_order_of_their_fixtures_and_what_is_kept_is_not_played_again(workforce: Workforce) -> None:
    keep = MemoryGameStore()
    played = list(stream(TERMS, fixtures(20), workforce, keep))
    assert [game.fixture for game in played] == fixtures(20)
    assert set(keep.games) == set(range(20))

    keep = MemoryGameStore()
    for number in (0, 3, 4, 9):
        keep.append(PlayedGame(fixtures(10)[number], ("b4",), 0, "adjudicated"))
    played = list(stream(TERMS, fixtures(10), workforce, keep))
    assert [game.fixture.number for game in played] == list(range(10))
    assert [game.fixture.number for game in played if game.ending == "adjudicated"] == [0, 3, 4, 9]


def test_a_contest_that_was_stopped_resumes(tmp_path: Path, workforce: Workforce) -> None:
    whole = list(stream(TERMS, fixtures(MANY), workforce, MemoryGameStore()))
    with ContestJournal.open(tmp_path, TERMS, {}) as journal:
        for _ in itertools.islice(stream(TERMS, fixtures(MANY), workforce, journal), 5):
            pass
        assert 5 <= len(journal.games) < MANY
    with ContestJournal.open(tmp_path, TERMS, {}) as journal:
        again = list(stream(TERMS, fixtures(MANY), workforce, journal))
    assert [game.moves for game in again] == [game.moves for game in whole]


def test_an_endless_match_is_not_planned_to_its_end(workforce: Workforce) -> None:
    endless = (Fixture(number, ("random", "random")) for number in itertools.count())
    assert len(list(itertools.islice(stream(TERMS, endless, workforce, MemoryGameStore()), 30))) == 30


def test_another_contests_games_are_refused(workforce: Workforce) -> None:
    strangers, moved = (("greedy", "random"), ("b4",)), (("random", "greedy"), ("d4", "a2"))
    for players, opening in (strangers, moved):
        keep = MemoryGameStore()
        keep.append(PlayedGame(Fixture(0, players, opening), opening, 0, "adjudicated"))
        with pytest.raises(ValueError, match="game 0 was played by other rules"):
            list(stream(TERMS, [Fixture(0, ("random", "greedy"), ("b4", "a2"))], workforce, keep))


class Full(MemoryGameStore):
    """A store that refuses every game."""

    def append(self, played: PlayedGame) -> None:
        raise OSError("full")


def test_work_ends_when_a_game_cannot_be_stored_and_when_the_stream_is_closed() -> None:
    worker = Inline()
    with pytest.raises(OSError, match="full") as caught:
        hold(TERMS, Relay(), worker, Full())
    # The work ends at once, not only when the exception is released, whose traceback refers to it.
    assert not worker.is_at_work, caught
    worker = Inline()
    games = stream(TERMS, fixtures(4), worker, MemoryGameStore())
    next(games)
    assert worker.is_at_work
    games.close()
    assert not worker.is_at_work


class Relay:
    """Each round's winner has the first seat in the next round."""

    def games(self) -> int | None:
        return None

    def fixtures(self, round_: int, played: Sequence[PlayedGame]) -> Sequence[Fixture]:
        if round_ == 3:
            return ()
        winner = "greedy" if not played else played[-1].fixture.players[played[-1].winner or 0]
        return [Fixture(round_, (winner, "random"), round=round_)]


def test_a_round_is_made_from_the_rounds_before(workforce: Workforce) -> None:
    heard: list[Progress] = []
    games = hold(TERMS, Relay(), workforce, MemoryGameStore(), lambda _, progress: heard.append(progress))
    assert [game.fixture.round for game in games] == [0, 1, 2]
    assert games[1].fixture.players[0] == games[0].fixture.players[games[0].winner or 0]
    assert heard == [Progress("games", done) for done in (1, 2, 3)]


def test_the_better_bot_wins_and_every_pair_is_counted(workforce: Workforce) -> None:
    terms = ContestTerms.of("trapgrid")
    tally = run(PairedMatch("greedy", "random", terms, random_plies(terms), 30), workforce, MemoryGameStore())
    assert tally.games == 60 == 2 * sum(tally.pairs)
    assert tally.wins > 40
