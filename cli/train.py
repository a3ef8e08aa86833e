"""`cornered train`: plays the training games, trains the networks, and prints their evaluation."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cornered.bots.pool.blas import ONE_THREAD
from cornered.cli.errors import CommandGroup
from cornered.cli.rules import Json, warm_up

if TYPE_CHECKING:
    from cornered.bots.neural.network import NetworkKind
    from cornered.lab.learning.generations import Generation
    from cornered.lab.training.training import TrainingOutcome

__all__ = ["app"]

app = typer.Typer(
    cls=CommandGroup, no_args_is_help=True, help="Make the data that bots ship with.", pretty_exceptions_enable=False
)


DEFAULT_HOURS: Final = 2.0


class NetworkChoice(StrEnum):
    DENSE = "dense"
    CONVOLUTIONAL = "convolutional"
    BOTH = "both"


@app.callback()
def train() -> None:
    """Train networks from games that this machine plays itself."""


@app.command()
def bamboo_neural(
    network: Annotated[
        NetworkChoice,
        typer.Option(help="The paper's network, the convolutional one that it proposes, or both, compared."),
    ] = NetworkChoice.BOTH,
    radius: Annotated[int, typer.Option(min=1, max=6, help="The board's radius.")] = 5,
    games: Annotated[
        int | None, typer.Option(min=1, help="The number of games; the default depends on the radius.")
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="The number of passes over all positions.")] = 20,
    mix: Annotated[
        str | None,
        typer.Option(help="The relative frequency of each teacher; by default minimax=3,mcts=1,hybrid=1,outer=2."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Equal seeds make equal weights on one platform.")
    ] = 1,
    workers: Annotated[
        int | None, typer.Option("--workers", "-w", min=1, help="Worker processes; by default one a core.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="A Dask scheduler whose machines play the teachers' games.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder for the weights.")] = Path(),
    plot: Annotated[bool, typer.Option("--plot", help="Write the learning curves beside the weights, as SVG.")] = False,
    checkpoint: Annotated[
        Path | None, typer.Option(help="The checkpoint of an interrupted run; by default a file in the folder.")
    ] = None,
    json_: Json = False,
) -> None:
    """Train the networks of bamboo-neural and bamboo-hybrid. Ctrl-C interrupts; the same command resumes."""
    os.environ.update(ONE_THREAD)

    from contextlib import ExitStack

    from cornered.bots.neural.weights import file_name, save
    from cornered.cli.progress import progress
    from cornered.lab.execution.workforce import Workforce
    from cornered.lab.training.games import MIX, spell
    from cornered.lab.training.plan import TrainingPlan
    from cornered.lab.training.training import train as carry_out

    plan = TrainingPlan.of(radius, games, epochs, seed, network.value, mix or spell(MIX))
    if not out.is_dir():
        raise ValueError(f"there is no folder {out}; make it, or choose another with --out")
    kept = checkpoint or out / f"bamboo-r{radius}.checkpoint"
    warm_up("bamboo")
    typer.echo(plan.command, err=True)
    try:
        with ExitStack() as stack:
            workforce = stack.enter_context(Workforce.open(workers, cluster))
            # The players of the evaluation read their weights from files of this machine.
            referees = workforce if cluster is None else stack.enter_context(Workforce.open(workers))
            report = stack.enter_context(progress())
            outcome = carry_out(plan, workforce, kept, report, referees=referees)
    except KeyboardInterrupt:
        typer.echo(f"interrupted; {kept} holds what is done, and the same command goes on from there", err=True)
        raise
    files = {kind: out / file_name(kind, radius) for kind in outcome.networks}
    for kind, trained in outcome.networks.items():
        save(trained, files[kind])
    drawn = out / f"bamboo-r{radius}.svg" if plot else None
    if drawn is not None:
        from cornered.lab.training.curves import plot as draw

        draw(outcome.curves, f"Bamboo, radius {radius}", drawn)
    kept.unlink(missing_ok=True)
    if json_:
        _print_json(plan.command, outcome, files, drawn)
    else:
        _print(outcome, files, drawn)


def _command(game: str, board: str) -> None:
    """Add the command that trains the champion's network of a game."""

    def command(
        games: Annotated[int | None, typer.Option(min=1, help="The number of games of each generation.")] = None,
        generations: Annotated[
            int,
            typer.Option(min=1, help="How often a network plays, learns from it, and is judged against the last one."),
        ] = 3,
        nodes: Annotated[int, typer.Option(min=50, help="Nodes a move of these games.")] = 800,
        hours: Annotated[
            float | None, typer.Option(min=0.01, help="How long it takes, about; it sets --games. By default it is 2.")
        ] = None,
        epochs: Annotated[int, typer.Option(min=1, help="The number of passes over all positions.")] = 12,
        seed: Annotated[
            int, typer.Option(min=0, max=2**32 - 1, help="Equal seeds make equal networks on one machine.")
        ] = 1,
        workers: Annotated[
            int | None, typer.Option("--workers", "-w", min=1, help="Worker processes; by default one a core.")
        ] = None,
        out: Annotated[
            Path, typer.Option(help="The folder of the run. The same command goes on there after an interruption.")
        ] = Path(f"{game}-training"),
        json_: Json = False,
    ) -> None:
        _learn(game, games, generations, nodes, hours, epochs, seed, workers, out, is_json=json_)

    app.command(game, help=f"Train the network with which the champion evaluates {board}. Ctrl-C interrupts.")(command)


for _game, _board in {
    "quoridor": "Quoridor on 9x9",
    "isolation": "Isolation on 7x7",
    "bamboo": "Bamboo of radius 5",
}.items():
    _command(_game, _board)


def _learn(
    game: str,
    games: int | None,
    generations: int,
    nodes: int,
    hours: float | None,
    epochs: int,
    seed: int,
    workers: int | None,
    out: Path,
    *,
    is_json: bool,
) -> None:
    import json

    from cornered.cli.missing_extra import require_extras
    from cornered.cli.progress import progress
    from cornered.lab.execution.workforce import Workforce

    require_extras("a network for the search is trained with PyTorch", train="torch")
    from cornered.lab.learning.card import write_card
    from cornered.lab.learning.generations import held_plan, learn, plan_within
    from cornered.lab.learning.plan import LearningPlan

    if hours is not None and games is not None:
        raise ValueError("--hours sets the number of games: leave out --games or --hours")
    warm_up(game)
    with Workforce.open(workers) as workforce:
        plan = LearningPlan(game, generations, games or 1, nodes, epochs, seed)
        if games is None:
            # A run that goes on has its plan.
            plan = held_plan(out) or plan_within(plan, hours or DEFAULT_HOURS, workforce.workers)
        typer.echo(plan.command, err=True)
        with progress() as report:
            try:
                done = learn(plan, out, workforce, report, lambda generation: write_card(plan, out, generation))
            except KeyboardInterrupt:
                typer.echo(f"interrupted; {out} holds what is done, and the same command goes on from there", err=True)
                raise
    if is_json:
        told = [{**asdict(one), "network": str(one.network)} for one in done]
        typer.echo(json.dumps({"command": plan.command, "generations": told}))
    else:
        _print_generations(done)


def _print_generations(done: Sequence[Generation]) -> None:
    """Print a row for each generation."""
    from rich.console import Console
    from rich.table import Table

    table = Table("generation", "positions", "loss", "pairs of 0, 1/2, 1, 1 1/2, 2 points", "network")
    for one in done:
        loss, pairs = one.loss["held_out"], one.judgement["pairs"]
        kept = str(one.network) if one.is_kept else "not better than the last one"
        table.add_row(str(one.number), f"{one.positions:,}", f"{loss:.4f}", " ".join(map(str, pairs)), kept)
    Console().print(table)


def _print_json(command: str, outcome: TrainingOutcome, files: Mapping[NetworkKind, Path], drawn: Path | None) -> None:
    import json

    networks = {
        kind: {
            "file": str(files[kind]),
            **trained.provenance,
            "curve": [point._asdict() for point in outcome.curves[kind]],
            "milliseconds": {name: round(found.milliseconds, 4) for name, found in outcome.results[kind].items()},
        }
        for kind, trained in outcome.networks.items()
    }
    typer.echo(json.dumps({"command": command, "networks": networks, "plot": None if drawn is None else str(drawn)}))


def _print(outcome: TrainingOutcome, files: Mapping[NetworkKind, Path], drawn: Path | None) -> None:
    """Print a column for each network."""
    from rich.console import Console
    from rich.table import Table

    table = Table("", *outcome.networks)
    shown = {
        "positions": "positions learnt",
        "parameters": "parameters",
        "accuracy": "teacher's move foretold",
        "policy_loss": "cross-entropy of the move",
        "value_error": "squared error of the outcome",
        "value_error_of_the_mean": "the same, knowing nothing",
    }
    columns = [trained.provenance for trained in outcome.networks.values()]
    for name, title in shown.items():
        if any(name in column for column in columns):
            table.add_row(title, *(str(column.get(name, "-")) for column in columns))
    for opponent in dict.fromkeys(name for results in outcome.results.values() for name in results):
        results = [found.get(opponent) for found in outcome.results.values()]
        table.add_row(f"wins against {opponent}", *("-" if found is None else str(found) for found in results))
    speeds = [
        sum(found.milliseconds for found in results.values()) / len(results) for results in outcome.results.values()
    ]
    table.add_row("milliseconds a move", *(f"{speed:.2f}" for speed in speeds))
    Console().print(table)
    for path in (*files.values(), *([drawn] if drawn else [])):
        typer.echo(f"{path}: {path.stat().st_size / 1024:.0f} KiB", err=True)
    first = next(iter(files.values()))
    typer.echo(f"bamboo-neural:network={first} plays with it, and bamboo-hybrid:network={first} too", err=True)
