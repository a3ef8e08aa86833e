"""The ladder of the champion's versions: which meet, on which boards, and at which times."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from typer.testing import CliRunner

from cornered import engine
from cornered.bench import strength
from cornered.bots.bot import Setting
from cornered.bots.evaluate import network_of
from cornered.bots.roster import create
from cornered.bots.roster.champion import NEWEST_VERSION, ChampionBot
from cornered.cli.main import app
from cornered.lab.learning.plan import SUBJECTS


def test_every_version_of_the_champion_is_one_that_the_roster_makes() -> None:
    words = strength.versions()
    assert len(words) == NEWEST_VERSION
    assert [create(word).settings["version"] for word in words] == list(range(1, NEWEST_VERSION + 1))


def test_a_later_version_meets_the_one_before_and_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ChampionBot, "SETTINGS", (Setting("version", "as of a later release", 4, 1, 4),))
    duels = strength.replays(["quoridor"], [50])
    word = "champion:version={}".format
    assert [(duel.first, duel.second) for duel in duels] == [
        *((word(newer), word(older)) for older, newer in pairwise(range(1, 5))),
        (word(4), word(1)),
    ]


def test_two_versions_meet_once_at_each_time_on_the_board_of_the_network() -> None:
    games = strength.games_with_networks()
    assert {"quoridor", "isolation"} <= set(games) <= set(SUBJECTS)
    duels = strength.replays(games, seed=7)
    assert [(duel.terms.game, duel.terms.time) for duel in duels] == [
        (game, time) for game in games for time in (50, 200, 1_000)
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
        (time, "champion:version=2", "champion:version=1") for time in (2, 4)
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
