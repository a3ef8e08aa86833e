"""`cornered admin ratings`: compare the ratings with the journal, and compute them again."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cornered.cli.errors import CommandGroup
from cornered.cli.rules import Json
from cornered.cli.store import store_settings
from cornered.clients.ending import run_until_signal

if TYPE_CHECKING:
    from cornered.server.runtime.recomputation import RatingFindings

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, help="Compare the ratings with the journal.", no_args_is_help=True)

Data = Annotated[Path | None, typer.Option(help="The server's data; setting CORNERED_DATA.")]


@app.command()
def check(data: Data = None, as_json: Json = False) -> None:
    """Compute all ratings from the journal, and compare them with those that are stored.

    Nothing is written, and the server may run meanwhile. The exit code is 1 where something differs.
    """
    findings = _recomputed(data, mends=False)
    _tell(findings, as_json=as_json)
    raise typer.Exit(0 if findings.is_right else 1)


@app.command()
def recompute(data: Data = None, as_json: Json = False) -> None:
    """Compute all ratings from the journal, and store what differs.

    The server may run meanwhile. An interrupted run has mended a part, and the next one mends the rest.
    """
    _tell(_recomputed(data, mends=True), as_json=as_json)


def _recomputed(data: Path | None, *, mends: bool) -> RatingFindings:
    from cornered.cli.progress import progress
    from cornered.server.app import recompute_ratings
    from cornered.server.settings import MEMORY_DATABASE

    settings = store_settings(data)
    if settings.database == MEMORY_DATABASE:
        raise ValueError("CORNERED_DATABASE: a store in memory has no ratings that outlive its server")
    with progress() as report:
        return run_until_signal(recompute_ratings(settings, report, mends=mends))


def _tell(findings: RatingFindings, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(asdict(findings) | {"is_right": findings.is_right}))
        return
    typer.echo(f"{findings.results:,} results, {findings.unreadable:,} of them unreadable")
    what = "mended" if findings.is_mended else "wrong"
    typer.echo(f"{findings.wrong_changes:,} matches and {findings.wrong_ratings:,} ratings {what}")
    if not findings.is_right:
        typer.echo("`cornered admin ratings recompute` mends them")
