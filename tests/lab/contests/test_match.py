"""Matches in pairs: equal openings, swapped seats, and the same result for any number of workers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from cornered.lab.contests.arena import play
from cornered.lab.contests.contest import MemoryGameStore
from cornered.lab.contests.journal import GAMES_FILE, ContestJournal
from cornered.lab.contests.match import MatchTally, PairedMatch, meeting, paired, run
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, Effort, PlayedGame
from cornered.lab.execution.workforce import Workforce
from tests.lab.inline import Inline

TERMS = ContestTerms.of("trapgrid", {"size": 5}, nodes=50)
OPENINGS = random_plies(TERMS)
STRONG, WEAK = "minimax", "random"


def timeless(games: dict[int, PlayedGame]) -> list[PlayedGame]:
    def quick(effort: Effort) -> Effort:
        return replace(effort, seconds=0.0, slowest=0.0)

    return [
        replace(game, efforts=(quick(game.efforts[0]), quick(game.efforts[1]))) for _, game in sorted(games.items())
    ]


def test_the_games_of_a_pair_have_one_opening_and_swapped_seats() -> None:
    fixtures = list(paired("a", "b", OPENINGS, 3, number=10))
    assert [fixture.number for fixture in fixtures] == [10, 11, 12, 13, 14, 15]
    assert [fixture.players for fixture in fixtures] == [("a", "b"), ("b", "a")] * 3
    assert [fixture.pair for fixture in fixtures] == [0, 0, 1, 1, 2, 2]
    assert [fixture.opening for fixture in fixtures] == [OPENINGS(pair) for pair in (0, 0, 1, 1, 2, 2)]
    assert len({fixture.opening for fixture in fixtures}) > 1

    fixtures = list(meeting("a", "b", OPENINGS, 3, number=6, pair=4, round_=2))
    assert [(fixture.number, fixture.pair, fixture.round) for fixture in fixtures] == [(6, 4, 2), (7, 4, 2), (8, 5, 2)]
    assert fixtures[2].players == ("a", "b")


def test_a_tally_counts_games_and_pairs_from_the_first_bots_side() -> None:
    tally = MatchTally()
    for first, second in ((0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)):
        tally = tally.after(first, second)
    assert (tally.wins, tally.draws, tally.losses) == (4, 4, 4)
    assert tally.pairs == (1, 1, 2, 1, 1)
    assert tally.games == 12
    assert tally.after(1.0, 0.5).points == 7.5
    assert tally.after(1.0, 0.5).share == 7.5 / 14
    assert MatchTally().share == 0.5


def test_the_stronger_bot_wins_from_either_side_and_a_bot_against_itself_by_its_seat(workforce: Workforce) -> None:
    ahead = run(PairedMatch(STRONG, WEAK, TERMS, OPENINGS, 10), workforce, MemoryGameStore())
    behind = run(PairedMatch(WEAK, STRONG, TERMS, OPENINGS, 10), workforce, MemoryGameStore())
    assert ahead.games == behind.games == 20
    assert ahead.wins >= 15
    assert behind.losses >= 15

    """The seat decides the game, so each side scores one point of every pair."""
    terms = ContestTerms.of("trapgrid", {"size": 3}, nodes=1000)
    tally = run(PairedMatch(STRONG, STRONG, terms, lambda pair: (), 4), workforce, MemoryGameStore())
    assert tally.pairs == (0, 0, 4, 0, 0)


def test_a_match_ends_after_the_same_pair_however_many_workers_play(workforce: Workforce) -> None:
    def ended(workforce: Workforce) -> tuple[MatchTally, list[PlayedGame]]:
        heard: dict[int, PlayedGame] = {}

        def report(played: PlayedGame, tally: MatchTally) -> bool:
            heard[played.fixture.number] = played
            return tally.wins >= 5

        tally = run(PairedMatch(STRONG, WEAK, TERMS, OPENINGS, 50), workforce, MemoryGameStore(), until=report)
        assert list(heard) == list(range(tally.games))
        return tally, timeless(heard)

    alone = ended(Inline())
    assert alone[0].wins in (5, 6)
    assert ended(workforce) == alone


def test_a_match_goes_on_where_it_was_and_plays_no_game_twice(workforce: Workforce, tmp_path: Path) -> None:
    whole = MemoryGameStore()
    expected = run(PairedMatch(STRONG, WEAK, TERMS, OPENINGS, 6), workforce, whole)
    for count in (3, 8, 12):
        seen: list[int] = []

        def report(played: PlayedGame, tally: MatchTally, seen: list[int] = seen, count: int = count) -> bool:
            seen.append(played.fixture.number)
            return len(seen) == count

        with ContestJournal.open(tmp_path, TERMS, {}) as journal:
            tally = run(PairedMatch(STRONG, WEAK, TERMS, OPENINGS, 6), workforce, journal, until=report)
        assert seen == list(range(count))
    assert tally == expected
    with ContestJournal.open(tmp_path, TERMS, {}) as journal:
        assert timeless(journal.games) == timeless(whole.games)
    assert len((tmp_path / GAMES_FILE).read_bytes().splitlines()) == 12


def test_what_is_decided_plays_no_more_and_a_game_depends_on_its_number_alone() -> None:
    keep = MemoryGameStore()
    for fixture in paired(STRONG, WEAK, OPENINGS, 2):
        keep.append(PlayedGame(fixture, (), 0, "rules", (Effort(), Effort())))
    tally = run(
        PairedMatch(STRONG, WEAK, TERMS, OPENINGS, 50), Nobody(), keep, until=lambda played, tally: tally.games == 4
    )
    assert tally.pairs == (0, 0, 2, 0, 0)

    fixtures = list(paired(STRONG, WEAK, OPENINGS, 3))
    alone = play(TERMS, fixtures[5])
    after = [play(TERMS, fixture) for fixture in fixtures]
    assert timeless({0: alone}) == timeless({0: after[5]})


class Nobody(Workforce):
    """A workforce that must not get any work."""

    def __init__(self) -> None:
        pass

    def carry_out(self, *args: object, **named: object) -> NoReturn:  # whatever it is
        raise AssertionError("nobody is there to play")
