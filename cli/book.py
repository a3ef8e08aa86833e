"""`cornered book`: builds an opening book with the compiled search."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from cornered import engine
from cornered.cli.errors import CommandGroup
from cornered.cli.progress import progress
from cornered.cli.rules import Options, warm_up
from cornered.engine.progress import Progress

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
def book(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game; books are made for quoridor.")],
    options: Options = None,
    positions: Annotated[int, typer.Option("--positions", "-p", min=1, help="The number of positions.")] = 400,
    nodes: Annotated[int, typer.Option("--nodes", "-n", min=1, max=2**62, help="Nodes to search.")] = 200_000,
    out: Annotated[Path | None, typer.Option("--out", help="The file; by default the one that the bots read.")] = None,
) -> None:
    """Search the most likely opening positions and store the best moves. An interrupted run resumes."""
    from cornered.bots.book import path_of
    from cornered.bots.book.building import build
    from cornered.engine.records.text import read_option

    if game != "quoridor":
        raise ValueError(f"books are made for quoridor, not for {game}")
    loaded = engine.load(game, **dict(read_option(option) for option in options or []))
    if loaded.seats != 2:
        raise ValueError("books are made for two players")
    warm_up(game)
    path = out or path_of(loaded)
    given = [part for option in options or [] for part in ("-o", option)]
    command = shlex.join(["cornered", "book", game, *given, "-p", str(positions), "-n", str(nodes)])
    building = build(loaded, path, command, positions, nodes)
    have = next(building)
    if have >= positions:
        typer.echo(f"{path.name} has {have} positions already", err=True)
        typer.echo(str(path))
        return
    try:
        with progress() as report:
            for done in building:
                report(Progress(path.name, done, positions))
    except KeyboardInterrupt:
        typer.echo(f"Stopped; the same command goes on from here: {command}", err=True)
        raise typer.Exit(130) from None
    typer.echo(str(path))
