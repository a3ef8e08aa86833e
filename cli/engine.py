"""`cornered engine`: a bot of the roster as an engine for other programs, on standard input and output."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from cornered.cli.errors import CommandGroup

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
def engine(
    bot: Annotated[str, typer.Argument(metavar="[BOT]", help="A bot, as for `match`.")] = "champion",
    protocol: Annotated[
        Literal["ugi", "qtp"],
        typer.Option(help="ugi: the Universal Game Interface. qtp: the Quoridor Text Protocol."),
    ] = "ugi",
    time: Annotated[
        float, typer.Option(min=0.001, max=86_400, help="Seconds a move with qtp, which has no limits.")
    ] = 1.0,
    seed: Annotated[int | None, typer.Option(help="Seed of bots with randomness.")] = None,
) -> None:
    """Answer a protocol of engines (docs/engines.md) on standard input and output, until `quit`."""
    from cornered.bots.bot import Limit
    from cornered.bots.qtp.engine import QtpEngine
    from cornered.bots.roster import create
    from cornered.bots.ugi.engine import Engine

    first = create(bot, seed)

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    if protocol == "qtp":
        quoridor = QtpEngine(first, write, lambda: Limit(round(1000 * time)))
        for line in sys.stdin:
            if not quoridor.handle(line):
                return
        return
    answering = Engine(lambda: create(bot, seed), lambda line: write(f"{line}\n"))
    for line in sys.stdin:
        if not answering.handle(line):
            return
    answering.wait()
