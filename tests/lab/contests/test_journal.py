"""Games on disk: round trip, a torn last line after a kill, and one process at a time."""

from __future__ import annotations

import resource
from dataclasses import replace
from pathlib import Path

import pytest

from cornered.engine.records.record import from_json, to_json
from cornered.lab.contests.arena import play
from cornered.lab.contests.journal import GAMES_FILE, ContestJournal, from_record, to_record
from cornered.lab.contests.terms import ENDINGS, ContestTerms, Effort, Fixture, PlayedGame

TERMS = ContestTerms.of("trapgrid", {"size": 4})
PLAN = {"kind": "test"}


def games(count: int) -> list[PlayedGame]:
    return [play(TERMS, Fixture(number, ("random", "random"), ("b4",), number // 2, 1)) for number in range(count)]


def test_a_game_survives_being_written_and_read_with_every_ending(subtests: pytest.Subtests) -> None:
    for played in games(5):
        again = from_record(from_json(to_json(to_record(TERMS, played))))
        assert replace(again, efforts=played.efforts) == played
        for one, other in zip(again.efforts, played.efforts, strict=True):
            assert other.seconds == pytest.approx(one.seconds, abs=1e-6)
            assert replace(one, seconds=0, slowest=0) == replace(other, seconds=0, slowest=0)

    for ending in [ending for ending in ENDINGS if ending != "rules"]:
        for winner in (0, 1, None):
            with subtests.test(ending=ending, winner=winner):
                # Only Quoridor has draws.
                terms = ContestTerms.of("quoridor")
                effort = Effort(2, 0.25, 0.125, 77, 6)
                fixture = Fixture(9, ("a:b=1,c=2", 'quo"te'), ("e2",), 4, 2)
                played = PlayedGame(fixture, ("e2", "e8", "e3"), winner, ending, (effort, effort), "what\nhappened")
                assert from_record(from_json(to_json(to_record(terms, played)))) == played


def test_a_contest_goes_on_where_it_was(tmp_path: Path) -> None:
    first, second, third = games(3)
    with ContestJournal.open(tmp_path, TERMS, PLAN) as journal:
        journal.append(second)
        journal.append(first)
    with ContestJournal.open(tmp_path, TERMS, PLAN) as journal:
        assert set(journal.games) == {0, 1}
        journal.append(third)
    with ContestJournal.open(tmp_path, TERMS, PLAN) as journal:
        assert [journal.games[number].moves for number in range(3)] == [game.moves for game in (first, second, third)]


@pytest.mark.parametrize("cut", [1, 2, 50])
def test_a_half_written_line_is_cut_off(tmp_path: Path, cut: int) -> None:
    with ContestJournal.open(tmp_path, TERMS, PLAN) as journal:
        for played in games(3):
            journal.append(played)
    path = tmp_path / GAMES_FILE
    path.write_bytes(path.read_bytes()[:-cut])
    with ContestJournal.open(tmp_path, TERMS, PLAN) as journal:
        assert set(journal.games) == {0, 1}
        journal.append(games(3)[2])
    with ContestJournal.open(tmp_path, TERMS, PLAN) as journal:
        assert set(journal.games) == {0, 1, 2}


def test_no_game_is_kept_twice(tmp_path: Path) -> None:
    (played,) = games(1)
    with ContestJournal.open(tmp_path, TERMS, PLAN) as journal:
        journal.append(played)
        with pytest.raises(ValueError, match="before"):
            journal.append(played)
    path = tmp_path / GAMES_FILE
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(ValueError, match=":2: game 0 is there twice"), ContestJournal.open(tmp_path, TERMS, PLAN):
        pass


def test_a_disk_that_takes_half_a_line_is_full(tmp_path: Path) -> None:
    first, second = games(2)
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    with ContestJournal.open(tmp_path, TERMS, PLAN) as journal:
        journal.append(first)
        resource.setrlimit(resource.RLIMIT_FSIZE, ((tmp_path / GAMES_FILE).stat().st_size + 9, most))
        try:
            with pytest.raises(OSError, match="took 9 of"):
                journal.append(second)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        assert set(journal.games) == {0}
    with ContestJournal.open(tmp_path, TERMS, PLAN) as journal:
        journal.append(second)
    with ContestJournal.open(tmp_path, TERMS, PLAN) as journal:
        assert set(journal.games) == {0, 1}


def test_a_plan_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("{")
    with pytest.raises(ValueError, match=r"plan\.json cannot be read"), ContestJournal.open(tmp_path, TERMS, PLAN):
        pass


def test_the_folder_of_another_contest_or_process_is_refused(tmp_path: Path) -> None:
    with ContestJournal.open(tmp_path, TERMS, PLAN):
        pass
    other = replace(TERMS, seed=2)
    for terms, plan in ((other, PLAN), (TERMS, {"kind": "other"})):
        with pytest.raises(ValueError, match="--out"), ContestJournal.open(tmp_path, terms, plan):
            pass

    with (
        ContestJournal.open(tmp_path, TERMS, PLAN),
        pytest.raises(ValueError, match="another process"),
        ContestJournal.open(tmp_path, TERMS, PLAN),
    ):
        pass


def test_games_without_a_plan_are_refused(tmp_path: Path) -> None:
    with ContestJournal.open(tmp_path, TERMS, PLAN) as journal:
        journal.append(games(1)[0])
    (tmp_path / "plan.json").unlink()
    with pytest.raises(ValueError, match="is gone"), ContestJournal.open(tmp_path, TERMS, PLAN):
        pass


@pytest.mark.parametrize("line", ["{}", "nonsense", '{"kind": "record", "game": "trapgrid", "moves": ["z9"]}'])
def test_a_line_that_is_no_game_is_named(tmp_path: Path, line: str) -> None:
    with ContestJournal.open(tmp_path, TERMS, PLAN) as journal:
        journal.append(games(1)[0])
    with (tmp_path / GAMES_FILE).open("a") as file:
        file.write(line + "\n")
    with pytest.raises(ValueError, match=r"games\.jsonl:2: "), ContestJournal.open(tmp_path, TERMS, PLAN):
        pass
