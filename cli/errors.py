"""Converts errors of commands into one line and an exit code: 2 for an invalid request, 130 for an interrupt."""

from __future__ import annotations

import inspect
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
    from pydantic import ValidationError

    from cornered.bots.ugi.process import EngineFailed
    from cornered.clients.sdk.choosing import BotFailed
    from cornered.clients.sdk.errors import ClientError
    from cornered.clients.terminal.errors import CannotStart

    match error:
        case ValidationError():
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            return ": ".join([*map(str, first["loc"]), first["msg"]])
        case OSError() if error.filename is not None and error.strerror:
            return f"{error.filename}: {error.strerror}"
        case OSError() | ValueError() | ClientError() | BotFailed() | CannotStart() | EngineFailed():
            return str(error) or type(error).__name__
        case ModuleNotFoundError():
            return advice(error)
        case _:
            return None
