"""A contest's games are complete and in order, and stored, however it is interrupted."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from cornered.engine.progress import Progress
from cornered.lab.contests.contest import MemoryGameStore, hold, stream
from cornered.lab.contests.journal import ContestJournal
from cornered.lab.contests.match import PairedMatch, paired, run
from cornered.lab.contests.openings import no_opening, random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture, PlayedGame
from cornered.lab.execution.workforce import Workforce

TERMS = ContestTerms.of("trapgrid", {"size": 4}, depth=1)


@pytest.fixture(scope="module")
def workforce() -> Iterator[Workforce]:
    with Workforce.open(2) as workforce:
        yield workforce


MANY = 60
"""More games than the workers can finish before the first few are taken."""


def fixtures(count: int) -> list[Fixture]:
    return list(itertools.islice(paired("random", "greedy", random_plies(TERMS), count), count))


def test_games_come_in_the_order_of_their_fixtures(workforce: Workforce) -> None:
    keep = MemoryGameStore()
    played = list(stream(TERMS, fixtures(20), workforce, keep))
    assert [game.fixture for game in played] == fixtures(20)
    assert set(keep.games) == set(range(20))


def test_what_is_kept_is_not_played_again(workforce: Workforce) -> None:
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


class Worker(Workforce):
    """Plays in this process, and records when it was stopped."""

    def __init__(self) -> None:
        self.is_home = False

    def carry_out(  # type: ignore[override]  # a simple one
        self, function: Callable[[Fixture], PlayedGame], items: Iterable[Fixture], **named: object
    ) -> Generator[tuple[int, PlayedGame], None, None]:
        try:
            for place, item in enumerate(items):
                yield place, function(item)
        finally:
            self.is_home = True


def test_work_ends_when_a_game_cannot_be_stored_and_when_the_stream_is_closed() -> None:
    worker = Worker()
    with pytest.raises(OSError, match="full") as caught:
        hold(TERMS, Relay(), worker, Full())
    # The work ends at once, not only when the exception is released, whose traceback refers to it.
    assert worker.is_home, caught
    worker = Worker()
    games = stream(TERMS, fixtures(4), worker, MemoryGameStore())
    next(games)
    assert not worker.is_home
    games.close()
    assert worker.is_home


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


def test_a_pair_is_one_opening_with_the_seats_swapped() -> None:
    first, second, third, _ = paired("a", "b", lambda pair: (str(pair),), 2, number=10)
    assert (first.players, second.players) == (("a", "b"), ("b", "a"))
    assert first.opening == second.opening == ("0",)
    assert third.opening == ("1",)
    assert [first.number, second.number, third.number] == [10, 11, 12]


def test_the_better_bot_wins_and_every_pair_is_counted(workforce: Workforce) -> None:
    terms = ContestTerms.of("trapgrid")
    tally = run(PairedMatch("greedy", "random", terms, random_plies(terms), 30), workforce, MemoryGameStore())
    assert tally.games == 60 == 2 * sum(tally.pairs)
    assert tally.wins > 40


def test_a_bot_against_itself_scores_half_of_every_pair(workforce: Workforce) -> None:
    terms = ContestTerms.of("trapgrid", {"size": 4}, depth=3)
    tally = run(PairedMatch("perfect", "perfect", terms, no_opening, 5), workforce, MemoryGameStore())
    assert (tally.wins, tally.losses, tally.pairs) == (5, 5, (0, 0, 5, 0, 0))
