import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from cornered.lab.contests.standings import standings
from cornered.lab.contests.terms import ContestTerms, Effort, Fixture, PlayedGame
from cornered.lab.reports import charts

TERMS = ContestTerms.of("trapgrid", {"size": 4})
BOTS = ("greedy", "random", "minimax")
LONG = "bamboo-neural:weights=/data/experiments/large-model-final.npz,iterations=200"


def contest(bots: Sequence[str], *, seconds: float = 0.01) -> list[PlayedGame]:
    """Return four games a pairing, most of which the bot that is named earlier wins."""
    games: list[PlayedGame] = []
    for one, other in itertools.combinations(bots, 2):
        for at, (players, winner) in enumerate((((one, other), 0), ((other, one), 1), ((one, other), None))):
            plies = 6 + (7 * len(games) + at) % 20
            spent = Effort(plies // 2, seconds * plies, seconds * 9, 100 * plies, 2 * plies)
            games.append(
                PlayedGame(
                    Fixture(len(games), players), ("a1",) * plies, winner, "rules", (spent, replace(spent, nodes=0))
                )
            )
    return games


def drawn(folder: Path, bots: Sequence[str], games: Sequence[PlayedGame]) -> dict[str, str]:
    folder.mkdir()
    written = charts.write(folder, standings(TERMS, games, bots), games)
    return {chart.path.stem: chart.path.read_text(encoding="utf-8") for chart in written}


def words(svg: str) -> list[str]:
    return re.findall(r">([^<>]+)</(?:text|tspan)>", svg)


@pytest.fixture(scope="module")
def plots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return drawn(tmp_path_factory.mktemp("drawn") / "plots", BOTS, contest(BOTS))


def test_only_the_plot_of_times_depends_on_them_and_squares_say_what_the_tables_say(
    plots: dict[str, str], tmp_path: Path
) -> None:
    slower = drawn(tmp_path / "slower", BOTS, contest(BOTS, seconds=0.5))
    assert set(plots) == {"ratings", "win-rates", "superiority", "lengths", "times"}
    assert {name for name in plots if plots[name] != slower[name]} == {"times"}
    shares = [word for word in words(plots["win-rates"]) if word.isdigit() and len(word) > 1]
    assert shares == ["83", "83", "17", "83", "17", "17"]
    assert drawn(tmp_path / "plots", ("greedy", "random"), []) == {}


def test_every_bot_has_its_line_in_every_plot_of_bots(tmp_path: Path) -> None:
    bots = [LONG, "bamboo-mcts:iterations=500,c=0.4", *(f"level:level={level}" for level in range(1, 10))]
    plots = drawn(tmp_path / "plots", bots, contest(bots))
    assert "iterations=200" in words(plots["ratings"])
    for name in plots.keys() - {"lengths"}:
        texts = "\n".join(words(plots[name]))
        for place in range(1, len(bots) + 1):
            assert re.search(rf"^{place}\. ", texts, re.MULTILINE), (name, place)


def test_a_bot_that_has_not_played_has_no_times(tmp_path: Path) -> None:
    bots = ("greedy", "random")
    untimed = [replace(played, efforts=(Effort(), Effort())) for played in contest(bots)]
    assert "times" not in drawn(tmp_path / "untimed", bots, untimed)
    games = [*untimed[:1], *contest(("random", "minimax"))[1:]]
    texts = words(drawn(tmp_path / "timed", (*bots, "minimax"), games)["times"])
    assert sum(text.endswith(("greedy", "random", "minimax")) for text in texts) == 3


def test_a_score_of_every_game_can_be_drawn(tmp_path: Path) -> None:
    games = [PlayedGame(Fixture(number, ("greedy", "random")), ("a1",) * 7, 1, "rules") for number in range(3)]
    plots = drawn(tmp_path / "plots", ("greedy", "random"), games)
    assert "superiority" not in plots, "two bots have their difference instead"
    assert "100" in words(plots["win-rates"])
    assert "nan" not in plots["ratings"]
    games += [replace(games[0], fixture=Fixture(3, ("greedy", "random")), winner=None)]
    texts = words(drawn(tmp_path / "with a draw", ("greedy", "random"), games)["lengths"])
    assert [text for text in texts if " " in text or text == "draw"] == ["seat 1 wins", "draw"]
    assert max(int(text) for text in texts if text.isdigit() and text != "7") == 4
