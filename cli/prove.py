"""`cornered prove GAME`: proves who wins, in a folder, with certificates that `cornered prove --check` verifies."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cornered.cli.contests import ClusterOption, Workers
from cornered.cli.errors import CommandGroup
from cornered.cli.missing_extra import require
from cornered.cli.progress import progress
from cornered.cli.rules import Json, MovesOption, Options, position_of, split_moves, warm_up

if TYPE_CHECKING:
    from cornered.lab.proofs.proving import ProofResult

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
def prove(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="A game; `cornered games` lists them. None with --check.")
    ] = None,
    option: Options = None,
    moves: MovesOption = "",
    winner: Annotated[
        int | None,
        typer.Option(
            "--winner",
            min=0,
            max=1,
            help="Look for this seat's win alone; by default for either's, in Quoridor in turn.",
        ),
    ] = None,
    check: Annotated[
        Path | None, typer.Option("--check", help="Verify the certificates in this folder by the rules alone.")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", "-n", min=1, max=2**40, help="Nodes of a job; by default 4 million.")
    ] = None,
    hours: Annotated[
        float | None, typer.Option("--hours", min=0, max=10_000, help="Begin no job after this time.")
    ] = None,
    plies: Annotated[
        int | None,
        typer.Option("--plies", min=1, max=126, help="Quoridor: the longest win to look for; by default 40."),
    ] = None,
    memory: Annotated[
        int | None, typer.Option("--memory", min=1, max=2**20, help="MiB of each worker's table; by default 512.")
    ] = None,
    workers: Workers = None,
    cluster: ClusterOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The folder of the proof, where the same command goes on; by default GAME-proof."),
    ] = None,
    json_: Json = False,
) -> None:
    """Prove who wins a position, by default the start, and certify it. Ctrl-C interrupts; the same command resumes.

    The exit code is 0 for a proof, and 1 where none was found or a certificate shows nothing.
    """
    require("numpy", "numba")
    if check is not None:
        if game is not None:
            raise ValueError("--check reads the game from the folder: leave GAME out")
        _check(check, is_json=json_)
        return
    if game is None:
        raise ValueError("name a game, or a folder with --check")
    from cornered.lab.contests.folder import held
    from cornered.lab.execution.workforce import Workforce
    from cornered.lab.proofs.plan import JOB_NODES, TABLE_MIB, ProofPlan
    from cornered.lab.proofs.proving import RESULTS
    from cornered.lab.proofs.proving import prove as carry_out

    state = position_of(game, option, None, moves)
    plan = ProofPlan.of(state, tuple(split_moves(moves)), winner, plies, nodes or JOB_NODES, memory or TABLE_MIB)
    folder = out or Path(f"{game}-proof")
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is no folder; choose another with --out")
    try:
        with ExitStack() as stack:
            stack.enter_context(held(folder, plan.as_json(), "proof", RESULTS))
            report = stack.enter_context(progress())
            workforce = stack.enter_context(Workforce.open(workers, cluster))
            result = carry_out(plan, folder, workforce, report, None if hours is None else hours * 3600)
    except KeyboardInterrupt:
        typer.echo(f"interrupted; {folder} holds what is done, and the same command goes on from there", err=True)
        raise
    typer.echo(json.dumps({"folder": str(folder), **asdict(result)}) if json_ else _told(result, folder))
    raise typer.Exit(0 if result.winner is not None else 1)


def _told(result: ProofResult, folder: Path) -> str:
    spent = f"{result.nodes:,} nodes in {result.jobs:,} jobs, {result.seconds:,.0f} s of work"
    if result.winner is None:
        why = (
            "neither claim holds within these plies"
            if result.is_refuted
            else "not proven yet; the same command goes on"
        )
        return f"{why}: {spent}"
    return (
        f"seat {result.winner} wins, a {result.value} for the seat to move: {spent}\n"
        f"{result.positions:,} positions in certificates of {result.certificate_bytes:,} bytes; "
        f"verify them with cornered prove --check {folder}"
    )


def _check(folder: Path, *, is_json: bool) -> None:
    from cornered.lab.proofs.certificate import Flaw
    from cornered.lab.proofs.proving import check_folder, plan_of

    try:
        warm_up(plan_of(folder).game)
        with progress() as report:
            plan, winner, positions = check_folder(folder, report)
    except Flaw as flaw:
        typer.echo(json.dumps({"winner": None, "flaw": str(flaw)}) if is_json else f"no proof: {flaw}", err=not is_json)
        raise typer.Exit(1) from None
    value = "win" if winner == plan.state().to_move else "loss"
    if is_json:
        typer.echo(json.dumps({"winner": winner, "value": value, "positions": positions, "flaw": None}))
    else:
        typer.echo(f"seat {winner} wins, a {value} for the seat to move: {positions:,} positions agree with the rules")
