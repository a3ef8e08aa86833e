"""`cornered engine`: a bot of the roster as an engine for other programs, on standard input and output."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cornered.cli.errors import CommandGroup

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
def engine(
    bot: Annotated[str, typer.Argument(metavar="[BOT]", help="A bot of `cornered bots`.")] = "champion",
    seed: Annotated[int | None, typer.Option(help="Seed of bots with randomness.")] = None,
) -> None:
    """Answer the Universal Game Interface (docs/engines.md) on standard input and output, until `quit`."""
    from cornered.bots.roster import create
    from cornered.bots.ugi.engine import Engine

    create(bot, seed)

    def write(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    answering = Engine(lambda: create(bot, seed), write)
    for line in sys.stdin:
        if not answering.handle(line):
            return
    answering.wait()
