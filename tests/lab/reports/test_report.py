import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from cornered.lab.contests.arena import play
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.schedule import RoundRobin
from cornered.lab.contests.standings import standings
from cornered.lab.contests.terms import ContestTerms, Effort, Fixture, PlayedGame
from cornered.lab.reports import report
from cornered.lab.statistics.elo import elo_of_pairs

TERMS = ContestTerms.of("trapgrid", {"size": 4}, seed=3, depth=2)
BOTS = ("greedy", "random", "minimax")


@pytest.fixture(scope="module")
def games() -> list[PlayedGame]:
    schedule = RoundRobin(BOTS, 4, random_plies(TERMS, 2))
    return [play(TERMS, fixture) for fixture in schedule.fixtures(0, ())]


def written(folder: Path, games: Sequence[PlayedGame], bots: Sequence[str] = BOTS) -> tuple[str, str, list[Path]]:
    """Return the Markdown, the page, and the list of written files."""
    paths = report.write(folder, TERMS, games, bots, {"command": "cornered tournament <b>", "Kind": "round robin"})
    return paths[0].read_text(encoding="utf-8"), paths[1].read_text(encoding="utf-8"), paths


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, games: list[PlayedGame]) -> tuple[str, str, list[Path]]:
    return written(tmp_path_factory.mktemp("told"), games)


def test_a_tournament_leaves_a_report_in_both_forms(told: tuple[str, str, list[Path]], games: list[PlayedGame]) -> None:
    text, page, paths = told
    folder = paths[0].parent
    assert [path.relative_to(folder).as_posix() for path in paths] == [
        "report.md",
        "report.html",
        *(f"plots/{name}.svg" for name in ("ratings", "win-rates", "superiority", "lengths", "times")),
    ]
    assert all(path.stat().st_size > 100 for path in paths)
    found = standings(TERMS, games, BOTS)
    for place, standing in enumerate(found.table, 1):
        score = standing.score
        line = f"| {place}. `{standing.bot}` | {score.points:g} | 8 | {score.wins} | {score.draws} | {score.losses} |"
        assert line in text
    for heading in ("Standings", "Who beats whom", "Who is stronger", "The first seat", "How games go"):
        assert f"\n## {heading}\n" in text
        assert f"<h2>{heading}</h2>" in page
    assert "    cornered tournament <b>\n" in text
    assert "cornered check games.jsonl" in text
    assert re.findall(r"\]\(<(.*?)>\)", text) == [path.relative_to(folder).as_posix() for path in paths[2:]]


def test_the_page_needs_nothing_else_and_says_the_same(told: tuple[str, str, list[Path]]) -> None:
    _, page, _ = told
    assert "<script" not in page
    assert "http" not in page
    assert not re.search(r"\b(?:src|srcset|action)=|@import|url\((?!#)", page)
    assert page.count("<svg ") == 5
    assert re.findall(r"<td>([-+.,%\d]+)</td>", page) == ["3"], "but for the seed, numbers stand in columns of numbers"

    text, page, _ = told
    rows = [row for row in re.findall(r"^\| (.*) \|$", text, re.MULTILINE) if not row.startswith(":--")]
    cells = [re.sub(r"[`\\]", "", cell) for row in rows for cell in re.split(r" (?<!\\)\| ", row)]
    shown = re.findall(r"<t[hd](?: [^>]*)?>(.*?)</t[hd]>", page)
    unescaped = [re.sub(r"<[^>]*>", "", cell).replace("&lt;", "<").replace("&gt;", ">") for cell in shown]
    assert cells == unescaped
    assert len(cells) > 100


def test_equal_games_make_equal_reports_also_in_the_place_of_an_earlier_one(
    tmp_path: Path, games: list[PlayedGame], told: tuple[str, str, list[Path]]
) -> None:
    before = written(tmp_path, games[:4])
    after = written(tmp_path, games)
    assert before[0] != after[0]
    assert [path.read_bytes() for path in after[2]] == [path.read_bytes() for path in told[2]]


def test_a_match_of_two_begins_with_its_result_and_the_elo_difference_by_pairs(tmp_path: Path) -> None:
    def played(number: int, winner: int | None) -> PlayedGame:
        players = ("greedy", "random") if number % 2 == 0 else ("random", "greedy")
        return PlayedGame(Fixture(number, players, pair=number // 2), ("a1",), winner, "rules")

    games = [played(number, 0 if number < 8 else None if number < 10 else number % 2) for number in range(20)]
    report.write(tmp_path, TERMS, games, ("greedy", "random"), {"Result": "greedy is stronger."})
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert text.startswith("# TrapGrid: greedy against random, 20 games\n\ngreedy is stronger.\n\n")
    assert "`greedy` comes first with 15 points of 20 games (75.0%)." in text
    difference, low, high = (f"{round(elo):+d}" for elo in elo_of_pairs((0, 0, 5, 0, 5)))
    assert f"The Elo difference is {difference}, with 95% confidence between {low} and {high}:" in text
    assert "0 with 0, 0 with 0.5, 5 with 1, 0 with 1.5, 5 with 2." in text
    assert not (tmp_path / "plots" / "superiority.svg").exists()
    assert "Tie-breaks" not in text
    assert text.count("greedy is stronger") == 1


def test_what_bots_are_called_is_never_markup(tmp_path: Path) -> None:
    evil = 'champion:weights=<script>alert("x")</script>|`_*.json'
    fault = f"{evil}: ValueError: <img src=x>\nsecond | line"
    spent = (Effort(2, 0.1, 0.07, 10, 4), Effort(2, 0.2, 0.15))
    games = [PlayedGame(Fixture(0, (evil, "random")), ("a1",), 1, "crashed", spent, fault)]
    text, page, _ = written(tmp_path, games, (evil, "random"))
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert not any(re.search(r"(?<!\\)<", line) for line in tables)
    widths = [len(re.findall(r"(?<!\\)\|", line)) for line in tables if "crashed" in line]
    assert widths == [4, 4]


def test_a_contest_of_one_bot_or_with_a_ranking_of_its_own_has_a_report(
    tmp_path: Path, games: list[PlayedGame]
) -> None:
    alone = [PlayedGame(Fixture(0, ("greedy", "greedy")), ("a1", "b2"), 0, "rules")]
    text, _, _ = written(tmp_path / "alone", alone, ("greedy", "greedy"))
    assert "No two different bots have met" in text
    assert "| by the rules | 1 | 100.0 |" in text
    text, _, paths = written(tmp_path / "nothing", [], ("greedy", "random"))
    assert "0 games" in text
    assert len(paths) == 2

    worst_first = [*reversed(standings(TERMS, games, BOTS).bots)]
    report.write(tmp_path, TERMS, games, BOTS, {}, ranking=worst_first, byes={worst_first[0]: 1})
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "**Who scored what, as the contest's rules place them**" in text
    assert re.findall(r"^\| \d\. `(\w+)` \|", text, re.MULTILINE)[:3] == worst_first
    assert re.search(rf"^\| 1\. `{worst_first[0]}` \| [\d.]+ \| 1 \|", text, re.MULTILINE)
