"""Converts errors of commands into one line and an exit code: 2 for an invalid request, 130 for an interrupt."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup

from cornered.cli.missing_extra import advice
from cornered.protocol.text import visible

__all__ = ["CommandGroup", "first_error"]


class CommandGroup(TyperGroup):
    """A command group that prints one line in place of a traceback, except for faults of the program itself.

    Its help has the whole first paragraph of each command, under the headings of `panels`.
    """

    panels: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Names of commands by the heading under which help lists them; all others are under "Commands"."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # the base's own types are private
        rows = {
            name: " ".join(inspect.cleandoc(command.help or "").split("\n\n")[0].split())
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None and not command.hidden
        }
        placed = {name for names in self.panels.values() for name in names}
        others = [name for name in rows if name not in placed]
        for title, names in {**self.panels, "Commands": others}.items():
            if shown := [(name, rows[name]) for name in names if name in rows]:
                with formatter.section(title):
                    formatter.write_dl(shown)

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]  # the base's own type is private
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (Exception, BaseExceptionGroup) as error:
            if _was_interrupted(error):
                raise typer.Exit(130) from None
            if isinstance(error, typer.Exit | typer.Abort | typer.TyperException):
                raise
            line = _one_line(first_error(error))
            if line is None:
                raise
            typer.echo("\n".join(map(visible, f"cornered: {line}".split("\n"))), err=True)
            raise typer.Exit(2) from None


def first_error(error: BaseException) -> BaseException:
    """Return the first error inside nested exception groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _was_interrupted(error: BaseException) -> bool:
    """Return whether Ctrl-C caused an error: an interrupted compiler raises errors of its own."""
    behind: BaseException | None = first_error(error)
    while behind is not None and not isinstance(behind, KeyboardInterrupt):
        behind = behind.__context__
    return behind is not None


def _one_line(error: BaseException) -> str | None:
    """Return the message for the user, or None for a fault of the program. Input that may be secret is never
    repeated."""
    match error:
        case OSError() if error.filename is not None and error.strerror:
            return f"{error.filename}: {error.strerror}"
        case ModuleNotFoundError():
            return advice(error)
        case ValueError() if (field := _invalid_field(error)) is not None:
            return field
        case OSError() | ValueError():
            return str(error) or type(error).__name__
        case _:
            return (str(error) or type(error).__name__) if _is_told(error) else None


def _invalid_field(error: ValueError) -> str | None:
    """Return the first field that a model refuses, with the reason; None for an error of another kind."""
    if "pydantic" not in sys.modules:
        return None
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return None
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return ": ".join([*map(str, first["loc"]), first["msg"]])


def _is_told(error: BaseException) -> bool:
    """Return whether an error of the package is the user's to mend. The classes take half a second to import: they are
    compared with errors of the package alone."""
    if not any(kind.__module__.startswith("cornered.") for kind in type(error).__mro__):
        return False
    from cornered.bots.ugi.process import EngineFailed
    from cornered.clients.sdk.choosing import BotFailed
    from cornered.clients.sdk.errors import ClientError
    from cornered.clients.terminal.errors import CannotStart

    return isinstance(error, ClientError | BotFailed | CannotStart | EngineFailed)
