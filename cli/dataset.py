"""`cornered dataset GAME`: games between bots as a data set of positions in Parquet files, with a data card."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Final

import typer

from cornered.cli.answers import milliseconds
from cornered.cli.contest_setup import as_typed
from cornered.cli.contests import ClusterOption, Seed, Workers
from cornered.cli.errors import CommandGroup
from cornered.cli.missing_extra import require
from cornered.cli.progress import progress
from cornered.cli.rules import GameName, Json, Options, warm_up
from cornered.cli.think import interruptible

__all__ = ["app"]

DEFAULT_BOT: Final = "champion"
DEFAULT_DEPTH: Final = 4

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
def dataset(
    context: typer.Context,
    game: GameName,
    *,
    option: Options = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            "--bot",
            "-b",
            help=f"A teacher: a bot of `cornered bots`, NAME[:SETTING=VALUE,...]; may be repeated, and each seat of a "
            f"game draws one. By default {DEFAULT_BOT}.",
        ),
    ] = None,
    games: Annotated[int, typer.Option("--games", min=1, help="The number of games.")],
    time_: Annotated[
        float | None,
        typer.Option(
            "--time", "-t", min=0.001, max=86_400, help="Seconds a move; the data set is not repeatable then."
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth", "-d", min=1, max=1000, help=f"Plies to look ahead; {DEFAULT_DEPTH} if no limit is given."
        ),
    ] = None,
    nodes: Annotated[int | None, typer.Option("--nodes", "-n", min=1, max=2**62, help="Nodes a move.")] = None,
    plies: Annotated[
        int | None,
        typer.Option(
            "--plies",
            min=0,
            max=100,
            help="Random plies before the bots play; by default as many as give varied games.",
        ),
    ] = None,
    explore: Annotated[
        float,
        typer.Option("--explore", min=0, max=1, help="The probability of a random move in the place of a bot's."),
    ] = 0.1,
    shard: Annotated[
        int, typer.Option("--shard", min=1, max=1_000_000, help="Games a file; an interrupt loses unfinished files.")
    ] = 500,
    seed: Seed = 1,
    workers: Workers = None,
    cluster: ClusterOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="The folder for the files, where the same command resumes; by default cornered-games-GAME-SEED.",
        ),
    ] = None,
    licence: Annotated[str, typer.Option("--licence", help="The licence that the data card states.")] = "CC0-1.0",
    json_: Json = False,
) -> None:
    """Play games between bots and write every position, with its evaluation, as Parquet files with a data card.

    With a limit of depth or nodes the same command makes the same files. Ctrl-C interrupts; the same command resumes.
    """
    require("pyarrow", "numpy", "numba")
    from cornered.engine.records.text import read_option
    from cornered.lab.contests.folder import held
    from cornered.lab.contests.preparing import prepare
    from cornered.lab.contests.terms import ContestTerms
    from cornered.lab.datasets.card import count, write_card
    from cornered.lab.datasets.making import make
    from cornered.lab.datasets.plan import DatasetPlan
    from cornered.lab.datasets.schema import DATA
    from cornered.lab.execution.workforce import Workforce

    is_unlimited = time_ is None and depth is None and nodes is None
    terms = ContestTerms.of_any_seats(
        game,
        dict(read_option(text) for text in option or ()),
        time=milliseconds(time_),
        depth=DEFAULT_DEPTH if is_unlimited else depth,
        nodes=nodes,
        seed=seed,
    )
    bots: Sequence[str] = bot or (DEFAULT_BOT,)
    warm_up(game)
    plan = interruptible(
        lambda: DatasetPlan.of(terms, bots, games, plies=plies, explore=explore, shard_games=shard),
        "Preparing the openings",
    )
    # The first opening may compile the game, or fail.
    interruptible(lambda: plan.fixture(0), "Preparing the openings")
    if not licence.isprintable() or not licence.strip():
        raise ValueError("--licence is one line of text, such as CC0-1.0")
    folder = out or Path(f"cornered-games-{game}-{seed}")
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is no folder; choose another with --out")
    try:
        with ExitStack() as stack:
            stack.enter_context(held(folder, plan.as_json(), "data set", f"{DATA}/*.parquet"))
            report = stack.enter_context(progress())
            prepare(terms, bots, report)
            workforce = stack.enter_context(Workforce.open(workers, cluster))
            rows, seconds = make(plan, folder, workforce, report)
            counts = count(plan, folder)
            card = write_card(plan, folder, counts, as_typed(context), licence)
    except KeyboardInterrupt:
        typer.echo("interrupted; complete files are kept, and the same command goes on", err=True)
        raise
    speed = rows / max(seconds, 1e-9)
    if json_:
        typer.echo(json.dumps({"folder": str(folder), **counts.as_json(), "made": rows, "seconds": round(seconds, 3)}))
        return
    files = "1 file" if plan.shards == 1 else f"{plan.shards:,} files"
    typer.echo(
        f"{counts.rows:,} positions of {counts.games:,} games in {files}, "
        f"{counts.bytes / 2**20:.1f} MiB, {counts.bytes / max(1, counts.rows):.1f} bytes a position"
    )
    if rows:
        typer.echo(f"made {rows:,} in {seconds:.1f} s, {speed:,.0f} a second")
    if counts.faults:
        typer.echo(f"{counts.faults:,} games ended by a bot's failure; their results are left out", err=True)
    typer.echo(f"{card} describes them.")
