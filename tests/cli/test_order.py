"""Options stand in one order everywhere: those of the commands by what they decide, those of games as declared."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import pytest
from typer.main import get_command

from cornered import engine
from cornered.cli.main import app
from cornered.clients.terminal.options_screen import OptionsScreen, values_of
from cornered.protocol.values import GameSpec
from cornered.server.match import catalogue
from cornered.server.settings import Settings
from tests.cli.conftest import run

ORDER: Final = re.findall(
    r"--\S+",
    """
    What is done: --list --game --option --moves --position --winner --check --bot --bots --against --rated --seek
    --join --name --games --generations --iterations --pairs --spread --step --matches --watchers --clock --ladder
    --version-name
    within which limits: --time --longest --depth --nodes --seconds --minutes --hours --epochs --warm-up --openings
    --plies --memory --adjudicate --sprt --rate --limit
    with which randomness: --tune --range --seed
    where it runs: --concurrency --workers --cluster --server --token --host --port --data --store --mqtt
    and the output: --open --out --plot --plain --json
    """,
)


def commands(command: Any, *path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each command, and its options as its help lists them."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, *path, name)
    if not hasattr(command, "commands"):
        options = [parameter.opts[0] for parameter in command.params if parameter.param_type_name == "option"]
        yield " ".join(path), options


@pytest.fixture(scope="module")
def options() -> dict[str, list[str]]:
    """The options of each command."""
    return dict(commands(get_command(app)))


def test_every_command_lists_the_options_that_it_shares_in_the_one_order_and_output_last(
    options: dict[str, list[str]],
) -> None:
    shared = {name: [option for option in listed if option in ORDER] for name, listed in options.items()}
    assert shared == {name: sorted(listed, key=ORDER.index) for name, listed in shared.items()}
    for option in ("--plain", "--json"):
        assert [name for name, listed in options.items() if option in listed and listed[-1] != option] == []


def test_every_option_that_two_commands_have_has_its_place_in_the_order(options: dict[str, list[str]]) -> None:
    uses = Counter(option for listed in options.values() for option in listed)
    shared = {option for option, count in uses.items() if count > 1}
    assert shared <= set(ORDER), "give them their place in ORDER"
    assert set(ORDER) <= uses.keys()
    assert len(options) > 30


def test_serve_lists_its_settings_in_the_order_of_their_reference(options: dict[str, list[str]]) -> None:
    fields = [f"--{name.replace('_', '-')}" for name in Settings.model_fields]
    given = [option for option in options["serve"] if option in fields]
    assert given == [field for field in fields if field in given]
    assert len(given) == 4


def test_a_game_tells_its_options_in_the_order_in_which_it_declares_them_however_they_are_chosen(
    subtests: pytest.Subtests,
) -> None:
    listed = {game["name"]: game for game in json.loads(run("games", "--json").stdout)}
    for kind in engine.games():
        with subtests.test(kind.name):
            declared = [option.name for option in kind.OPTIONS]
            backwards = dict(reversed(list(engine.load(kind.name).options.items())))
            assert list(engine.load(kind.name, **backwards).options) == declared
            assert list(catalogue.settle(GameSpec(name=kind.name, options=backwards))[1].options) == declared
            offered = next(game for game in catalogue.offered() if game.name == kind.name)
            assert [option.name for option in offered.options] == declared
            assert [option["name"] for option in listed[kind.name]["options"]] == declared
            last = {option.name: values_of(option)[-1] for option in reversed(offered.options)}
            chosen = {name: value for name, value in last.items() if not isinstance(value, str)}
            assert len(chosen) == len(last)
            # The terminal names them as declared too.
            assert list(OptionsScreen(offered, chosen).chosen) == declared
