"""The ladder of the champion's versions: which meet, on which boards, and at which times."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random

import pytest
from typer.testing import CliRunner

from cornered import engine
from cornered.bench import strength
from cornered.bots.bot import Limit
from cornered.bots.evaluate import network_of
from cornered.bots.roster import create
from cornered.cli.main import app
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.learning.plan import SUBJECTS


@pytest.mark.parametrize("game", strength.games_with_networks())
def test_every_version_of_the_champion_is_one_that_the_roster_makes(game: str) -> None:
    words = strength.versions(game)
    assert len(words) >= 2
    assert [create(word).settings["version"] for word in words] == list(range(1, len(words) + 1))


@pytest.mark.parametrize("game", strength.games_with_networks())
def test_the_last_version_of_a_board_is_the_champion(game: str) -> None:
    state, chance = ContestTerms.of(game, SUBJECTS[game].options).load().start(), Random(2)
    # No book holds it.
    for _ in range(4):
        state = state.play(chance.choice(state.moves()))
    newest, *others = (create(word).choose(state, Limit(nodes=400)) for word in reversed(strength.versions(game)))
    assert create("champion").choose(state, Limit(nodes=400)) == newest
    assert newest not in others


def test_each_version_meets_the_one_before_and_the_newest_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strength, "distinct_versions", lambda board: (1, 2, 3, 4))
    duels = strength.replays(["quoridor"], [50])
    word = "champion:version={}".format
    assert [(duel.first, duel.second) for duel in duels] == [
        *((word(newer), word(older)) for older, newer in pairwise(range(1, 5))),
        (word(4), word(1)),
    ]


def test_versions_meet_at_each_time_on_the_boards_of_the_networks() -> None:
    games = strength.games_with_networks()
    assert {"quoridor", "isolation"} <= set(games) <= set(SUBJECTS)
    duels = strength.replays(games, seed=7)
    assert [(duel.terms.game, duel.terms.time) for duel in duels] == [
        (game, time)
        for game in games
        for time in (50, 200, 1_000)
        for _ in range({2: 1, 3: 3, 4: 4}[len(strength.versions(game))])
    ]
    for duel in duels:
        assert network_of(duel.terms.load()) is not None
        assert duel.terms.seed == 7


def test_a_game_without_a_network_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no network ships for trapgrid.*choose quoridor"):
        strength.replays(["trapgrid"])


def test_the_command_plays_each_match_and_prints_its_figures() -> None:
    command = ["bench", "strength", "isolation", "--time", "0.002", "--time", "0.004", "--games", "2", "-w", "1"]
    told = CliRunner().invoke(app, [*command, "--json"])
    assert told.exit_code == 0, told.output
    matches = json.loads(told.stdout)
    assert [(each["time"], each["first"], each["second"]) for each in matches] == [
        (time, duel.first, duel.second) for time in (2, 4) for duel in strength.replays(["isolation"], [time])
    ]
    for each in matches:
        assert engine.load("isolation", **each["options"]) == engine.load("isolation", width=7, height=7)
        assert each["wins"] + each["draws"] + each["losses"] == 2
        assert all(moves > 4 for moves in each["moves"])
        assert all(0 <= over <= moves for over, moves in zip(each["overruns"], each["moves"], strict=True))


def test_an_odd_number_of_games_is_refused() -> None:
    told = CliRunner().invoke(app, ["bench", "strength", "--games", "3"])
    assert told.exit_code != 0
    assert "games come in pairs" in told.stderr
