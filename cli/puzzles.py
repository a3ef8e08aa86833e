"""`cornered puzzles`: makes puzzles whose only solution is proven, as the page loads them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cornered.cli.errors import CommandGroup
from cornered.cli.progress import progress
from cornered.cli.rules import GameName, warm_up
from cornered.engine.progress import Progress

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
def puzzles(
    game: GameName,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many puzzles.")] = 60,
    games: Annotated[int, typer.Option(min=1, help="Games to search at most.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Seed of the games that are searched.")] = 1,
    out: Annotated[Path | None, typer.Option("--out", help="The file; by default the one that the page reads.")] = None,
) -> None:
    """Make puzzles, "win in n", with one winning move at every own turn. An interrupted run resumes."""
    from cornered import clients
    from cornered.lab.puzzles.generating import BOARDS, Collection, generate

    if game not in BOARDS:
        raise ValueError(f"puzzles are made for {', '.join(BOARDS)}, not for {game}")
    path = out or Path(clients.__file__).parent / "web" / f"puzzles-{game}.json"
    warm_up(game)
    found = Collection(game, seed, count)
    if path.exists():
        found.resume(path)
    try:
        with progress() as report:
            for _ in generate(found, games):
                report(Progress(game, len(found.puzzles), count, f"{found.games:,} games"))
    except KeyboardInterrupt:
        typer.echo(f"Stopped after {found.games:,} games; the same command goes on from here.", err=True)
        raise typer.Exit(130) from None
    finally:
        if found.puzzles:
            found.write(path)
    if not found.is_full:
        typer.echo(f"{len(found.puzzles)} puzzles in {found.games:,} games; --games searches more", err=True)
    typer.echo(str(path))
