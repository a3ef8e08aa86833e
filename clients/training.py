"""`cornered train bamboo`: plays the games that the network learns from, trains it, and says what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clients.boundary import Bounded
from clients.rules import Json, warm_up

__all__ = ["app"]

app = typer.Typer(
    cls=Bounded, no_args_is_help=True, help="Make the data that bots ship with.", pretty_exceptions_enable=False
)


@app.callback()
def train() -> None:
    """Train networks from games that this machine plays itself."""


@app.command()
def bamboo(
    radius: Annotated[int, typer.Option(min=1, max=6, help="The board's radius; each has a network of its own.")] = 5,
    games: Annotated[int | None, typer.Option(min=1, help="How many games to play; by default it depends.")] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often to go through all positions.")] = 30,
    seed: Annotated[int, typer.Option(help="Equal seeds make equal weights on one platform.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Where the weights go; bamboo-r5.npz here, by radius.")] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="What an interrupted run goes on from; the weights' name with .checkpoint.")
    ] = None,
    json_: Json = False,
) -> None:
    """Train the network of bamboo-neural and bamboo-hybrid. Ctrl-C interrupts; the same command goes on."""
    import json

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    from bots.neural.training import GAMES, Plan, Progress
    from bots.neural.training import train as carry_out
    from bots.neural.weights import save, shipped_path

    plan = Plan(radius, games or GAMES[radius], epochs, seed)
    target = out or Path(f"bamboo-r{radius}.npz")
    if not target.parent.is_dir():
        raise ValueError(f"there is no folder {target.parent}; make it, or choose another with --out")
    kept = checkpoint or target.with_name(target.name + ".checkpoint")
    warm_up("bamboo")
    typer.echo(plan.command, err=True)
    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=Console(stderr=True),
    )
    with bars:
        shown = {}

        def report(progress: Progress) -> None:
            if progress.step not in shown:
                shown[progress.step] = bars.add_task(progress.step, total=progress.total, note="")
            bars.update(shown[progress.step], completed=progress.done, note=progress.note)

        trained = carry_out(plan, kept, report)
    save(trained, target)
    kept.unlink(missing_ok=True)
    if json_:
        typer.echo(json.dumps({"file": str(target), **trained.provenance}))
        return
    for name, value in trained.provenance.items():
        typer.echo(f"{name}: {value}")
    typer.echo(f"{target}: {target.stat().st_size / 1024:.0f} KiB; bots play with {shipped_path(radius)}", err=True)
