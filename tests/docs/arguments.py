"""Reads a command's options and arguments without running it."""

from __future__ import annotations

import re
import shlex
import tomllib
from typing import Final

from typer.core import TyperGroup
from typer.main import get_command

from cornered.cli.main import app
from tests.docs.blocks import ROOT

__all__ = ["check_arguments"]

PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DOOR: Final = ("cornered", "serve", "cluster", "test", "lint", "lock", "docs", "python")
"""The words after `./run`."""


def check_arguments(command: str) -> None:
    """Raise AssertionError or typer's UsageError for a command that could not be run as it stands."""
    words = shlex.split(command, comments=True)
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words.pop(0)
    match words:
        case ["pip", "install", *requirements]:
            for requirement in requirements:
                _check_requirement(requirement)
        case ["cornered", *arguments] | ["./run", "cornered", *arguments]:
            _check_options(arguments)
        case ["./run", ("serve" | "cluster") as name, *arguments]:
            _check_options([name, *arguments])
        case ["./run", word, *arguments] if word in DOOR:
            missing = [path for path in arguments if path.startswith("tests/") and not (ROOT / path).exists()]
            assert not missing, f"{command}: there is no {', '.join(missing)}"
        case [program, *_] if (ROOT / program).is_file():
            pass
        case ["python3", "-m", "venv", _] | [".", _]:
            pass
        case _:
            raise AssertionError(f"the arguments of {command!r} cannot be read: mark it as not run, with the reason")


def _check_requirement(requirement: str) -> None:
    found = re.fullmatch(r"cornered(?:\[([\w,-]+)\])?", requirement)
    assert found is not None, f"{requirement!r} is not Cornered"
    unknown = set((found[1] or "").split(",")) - {""} - PROJECT["optional-dependencies"].keys()
    assert not unknown, f"there is no extra {', '.join(unknown)}"


def _check_options(arguments: list[str]) -> None:
    """Read the arguments as the command line does, down to the command that they name."""
    command = get_command(app)
    context = command.make_context("cornered", list(arguments))
    while isinstance(command, TyperGroup):
        rest = [*context._protected_args, *context.args]
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None
        command = found
        context = command.make_context(name, rest, parent=context)
