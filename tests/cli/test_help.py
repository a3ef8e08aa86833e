"""The help of every command, as a terminal of 80 columns shows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO

import pytest
from typer.main import get_command

from cornered.cli.main import MainGroup, app


def commands(command: object, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command and of each group of commands."""
    yield words
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*words, name))


WHOLE = get_command(app)
EVERY = list(commands(WHOLE))


def help_of(words: tuple[str, ...]) -> str:
    # Not by the runner of typer, which makes the whole tree of commands for each call.
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as shown:
        patch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit) as ended:
            WHOLE.main([*words, "--help"], prog_name="cornered")
    assert ended.value.code == 0
    return shown.getvalue()


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_help_cuts_no_word_and_fits(words: tuple[str, ...]) -> None:
    shown = help_of(words)
    # Arguments that may be repeated are written `BOT...`.
    cut = [
        line
        for line in shown.splitlines()
        if "\u2026" in line or (line.endswith(("...", "...]")) and "Usage" not in line)
    ]
    assert cut == []
    assert max(map(len, shown.splitlines())) <= 80


def test_help_has_defaults_and_variables_whole() -> None:
    shown = help_of(("bot",))
    assert "[env var: CORNERED_SERVER;" in " ".join(shown.split())
    assert "ws://127.0.0.1:8420" in shown
    assert "CORNERED_ANALYST_KEY" in shown


def test_a_group_says_of_each_command_the_whole_first_paragraph() -> None:
    shown = " ".join(help_of(()).split())
    assert "Create a player for a bot on this machine's server and print its token, once. Keep it secret." in shown


def test_every_command_has_its_place_under_one_heading() -> None:
    group = WHOLE
    placed = [name for names in MainGroup.panels.values() for name in names]
    assert sorted(placed) == sorted(getattr(group, "commands", {}))
    shown = help_of(())
    headings = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings[-4:] == ["Play:", "Write a bot:", "Research:", "Operate a server:"]
    assert "Commands:" not in shown
    assert "Commands:" in help_of(("bench",))
