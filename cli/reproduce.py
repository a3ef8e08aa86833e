"""`cornered reproduce`: reproduces the tables and figures of the references."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cornered import engine
from cornered.cli.errors import CommandGroup
from cornered.cli.missing_extra import require
from cornered.cli.progress import progress
from cornered.cli.rules import Json, warm_up

if TYPE_CHECKING:
    from cornered.lab.experiments.findings import Finding, Scale

__all__ = ["app"]

DEFAULT_SEED: Final = 1
DEFAULT_OUT: Final = Path("data/lab")

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)


@app.command()
def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...|all", help="Experiments; a list without.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
    is_full: Annotated[
        bool, typer.Option("--full/--quick", help="At least the references' number of games, or a quick first result.")
    ] = False,
    is_tiny: Annotated[bool, typer.Option("--tiny", hidden=True, help="Only check that everything works.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of all randomness.")] = DEFAULT_SEED,
    workers: Annotated[int | None, typer.Option(min=1, help="Worker processes; by default one a core.")] = None,
    cluster: Annotated[str | None, typer.Option(help="A Dask scheduler, tcp://HOST:PORT or tls://HOST:PORT.")] = None,
    out: Annotated[Path, typer.Option(help="The folder for the report and its data.")] = DEFAULT_OUT,
    again: Annotated[bool, typer.Option("--again", help="Repeat finished experiments.")] = False,
    keep: Annotated[
        bool,
        typer.Option("--keep-games", help="Keep all games and measurements; --again --keep-games judges them again."),
    ] = False,
    json_: Json = False,
) -> None:
    """Reproduce tables and figures of the references, each beside the printed one, and write a report.

    Experiments that finished with the same seed and scale are not repeated; interrupted ones resume. Games and
    measurements that --keep-games left are read instead of made again: with --again --keep-games, a changed analysis
    judges them.
    """
    from cornered.lab.experiments import REFERENCES, experiments, named

    if listed or not names:
        _list(json_=json_)
        return
    require("matplotlib")
    from cornered.lab.execution.workforce import Workforce
    from cornered.lab.experiments.reproduction import FOLDER, as_json, make, write_report

    chosen = named(names)
    scale: Scale = "tiny" if is_tiny else "full" if is_full else "quick"
    warm_up(*(game.name for game in engine.games()))
    findings: list[Finding] = []
    try:
        with Workforce.open(workers, cluster) as workforce:
            for experiment in chosen:
                command = _command(experiment.name, scale, seed, out)
                with progress() as report:
                    finding = make(
                        *(experiment, workforce, out, scale, seed, report), command=command, again=again, keep=keep
                    )
                findings.append(finding)
                if not json_:
                    typer.echo("\n".join(lines(finding)))
    except KeyboardInterrupt:
        typer.echo("cornered: interrupted; the same command goes on from here", err=True)
        raise typer.Exit(130) from None
    written, left_out = write_report(out, experiments().values(), REFERENCES)
    for name in left_out:
        typer.echo(
            f"cornered: the report leaves out {name}: {out / FOLDER / name}.json is of another version, or damaged; "
            f"`{_command(name, scale, seed, out)}` makes it again",
            err=True,
        )
    if json_:
        results = [as_json(finding) for finding in findings]
        told = {"report": str(written), "folder": str(out / FOLDER), "findings": results, "left_out": left_out}
        typer.echo(json.dumps(told))
    else:
        typer.echo(f"The report is {written}")


def lines(finding: Finding) -> list[str]:
    """Return a finding as text, one line a row."""
    from cornered.lab.experiments.pages import cells

    table = [cells(row) for row in finding.rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    return [f"{finding.name}: {finding.title}", *(f"  {line}" for line in shown), *finding.notes, ""]


def _list(*, json_: bool) -> None:
    from cornered.lab.experiments import experiments

    known = experiments().values()
    if json_:
        listed = [{"name": one.name, "title": one.title, "source": one.source} for one in known]
        typer.echo(json.dumps(listed))
        return
    width = max((len(one.name) for one in known), default=0)
    for one in known:
        typer.echo(f"{one.name:{width}}  {one.title} ({one.source})")


def _command(name: str, scale: Scale, seed: int, out: Path) -> str:
    """Return the command line that reproduces an experiment's result."""
    return shlex.join(["cornered", "reproduce", name, f"--{scale}", "--seed", str(seed), "--out", str(out)])
