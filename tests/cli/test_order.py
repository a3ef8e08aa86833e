"""Options stand in one order everywhere: those of the commands by what they decide, those of games as declared."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import pytest
import typer
from typer.testing import CliRunner

from cornered import engine
from cornered.cli.main import app
from cornered.clients.terminal.options_screen import OptionsScreen, values_of
from cornered.protocol.values import GameSpec, OfferedGame
from cornered.server.match import catalogue
from cornered.server.settings import Settings

WHAT: Final = (
    *(
        "--list",
        "--game",
        "--option",
        "--moves",
        "--position",
        "--winner",
        "--check",
        "--bot",
        "--bots",
        "--against",
        "--rated",
        "--seek",
        "--join",
        "--name",
    ),
    *(
        "--games",
        "--generations",
        "--iterations",
        "--pairs",
        "--spread",
        "--step",
        "--matches",
        "--watchers",
        "--clock",
        "--ladder",
        "--version-name",
    ),
)
LIMITS: Final = (
    *(
        "--time",
        "--longest",
        "--depth",
        "--nodes",
        "--seconds",
        "--minutes",
        "--hours",
        "--epochs",
        "--warm-up",
        "--openings",
        "--plies",
        "--memory",
        "--adjudicate",
        "--sprt",
        "--rate",
        "--limit",
    ),
)
CHANCE: Final = ("--tune", "--range", "--seed")
WHERE: Final = (
    *(
        "--concurrency",
        "--workers",
        "--cluster",
        "--server",
        "--token",
        "--host",
        "--port",
        "--data",
        "--store",
        "--mqtt",
    ),
)
OUTPUT: Final = ("--open", "--out", "--plot", "--plain", "--json")
ORDER: Final = (*WHAT, *LIMITS, *CHANCE, *WHERE, *OUTPUT)
"""What is done, within which limits, with which randomness, where it runs, and the output."""


def commands(command: Any, *path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each command, and its options as its help lists them."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, *path, name)
    if not hasattr(command, "commands"):
        options = [parameter.opts[0] for parameter in command.params if parameter.param_type_name == "option"]
        yield " ".join(path), options


COMMANDS: Final = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_lists_the_options_that_it_shares_in_the_one_order(name: str) -> None:
    shared = [option for option in COMMANDS[name] if option in ORDER]
    assert shared == sorted(shared, key=ORDER.index)


def test_every_option_that_two_commands_have_has_its_place_in_the_order() -> None:
    uses = Counter(option for options in COMMANDS.values() for option in options)
    shared = {option for option, count in uses.items() if count > 1}
    assert shared <= set(ORDER), "give them their place in ORDER"
    assert set(ORDER) <= uses.keys()
    assert len(COMMANDS) > 30


@pytest.mark.parametrize("name", COMMANDS)
def test_what_comes_out_is_the_last_that_a_command_lists(name: str) -> None:
    options = COMMANDS[name]
    for option in ("--plain", "--json"):
        assert option not in options or options[-1] == option


def test_serve_lists_its_settings_in_the_order_of_their_reference() -> None:
    fields = [f"--{name.replace('_', '-')}" for name in Settings.model_fields]
    given = [option for option in COMMANDS["serve"] if option in fields]
    assert given == [field for field in fields if field in given]
    assert len(given) == 4


GAMES: Final = {game.name: [option.name for option in game.OPTIONS] for game in engine.games()}


def offered(name: str) -> OfferedGame:
    return next(game for game in catalogue.offered() if game.name == name)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_tells_its_options_in_the_order_in_which_it_declares_them(name: str) -> None:
    declared = GAMES[name]
    backwards = dict(reversed(list(engine.load(name).options.items())))
    assert list(engine.load(name, **backwards).options) == declared
    assert list(catalogue.settle(GameSpec(name=name, options=backwards))[1].options) == declared
    assert [option.name for option in offered(name).options] == declared
    listed = {game["name"]: game for game in json.loads(CliRunner().invoke(app, ["games", "--json"]).stdout)}
    assert [option["name"] for option in listed[name]["options"]] == declared


@pytest.mark.parametrize("name", GAMES)
def test_the_terminal_names_options_as_declared_in_whatever_order_they_are_chosen(name: str) -> None:
    game = offered(name)
    last = {option.name: values_of(option)[-1] for option in reversed(game.options)}
    backwards = {name: value for name, value in last.items() if not isinstance(value, str)}
    assert len(backwards) == len(last)
    assert list(OptionsScreen(game, backwards).chosen) == GAMES[name]
