"""The help of every command, as a terminal of 80 columns shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from cornered.cli.main import MainGroup, app, narrowed_to
from tests.cli.conftest import run


@pytest.fixture(scope="module")
def whole() -> Any:
    """The whole tree of commands."""
    return get_command(app)


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def helps(command: Any, name: str, parent: Any = None) -> Iterator[tuple[str, str]]:
    """Yield the words of each command and of each group of commands, with its help."""
    context = command.make_context(name, [], parent, resilient_parsing=True)
    yield context.command_path, context.get_help()
    for inner, below in getattr(command, "commands", {}).items():
        yield from helps(below, inner, context)


def test_help_cuts_no_word_and_fits(whole: Any) -> None:
    shown = dict(helps(whole, "cornered"))
    assert len(shown) > 80
    lines = [(words, line) for words, text in shown.items() for line in text.splitlines()]
    # Arguments that may be repeated are written `BOT...`.
    assert [
        (words, line)
        for words, line in lines
        if "\u2026" in line or (line.endswith(("...", "...]")) and "Usage" not in line) or len(line) > 80
    ] == []


def test_a_command_that_is_called_is_the_one_of_the_whole_tree(whole: Any) -> None:
    def options(command: Any) -> list[list[str]]:
        return [one.opts for one in command.params]

    for name, command in whole.commands.items():
        ((called, found),) = get_command(narrowed_to(name)).commands.items()  # type: ignore[attr-defined]
        assert (called, found.help, options(found)) == (name, command.help, options(command))
        assert list(getattr(found, "commands", ())) == list(getattr(command, "commands", ()))
    assert "Error: No such command 'nosuch'." in run("nosuch").stderr


def test_help_has_defaults_and_variables_whole() -> None:
    shown = run("bot", "--help").stdout
    assert "[env var: CORNERED_SERVER;" in " ".join(shown.split())
    assert "ws://127.0.0.1:8420" in shown
    assert "CORNERED_ANALYST_KEY" in shown


def test_every_command_has_its_place_under_one_heading_with_its_whole_first_paragraph(whole: Any) -> None:
    placed = [name for names in MainGroup.panels.values() for name in names]
    assert sorted(placed) == sorted(whole.commands)
    with whole.make_context("cornered", [], resilient_parsing=True) as context:
        shown = context.get_help()
    headings = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings[-4:] == ["Play:", "Write a bot:", "Research:", "Operate a server:"]
    assert "Commands:" not in shown
    assert "Create a player for a bot on this machine's server and print its token, once. Keep it secret." in " ".join(
        shown.split()
    )
    assert "Commands:" in run("bench", "--help").stdout
