"""`cornered admin`: maintenance of a server's store, whether or not the server runs."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cornered.cli.rules import Json

if TYPE_CHECKING:
    from cornered.server.adapters.inspection import StoreFindings

__all__ = ["app"]

app = typer.Typer(help="Look after a server's store.", no_args_is_help=True)


@app.callback()
def admin() -> None:
    """Look after a server's store."""


@app.command()
def check(
    data: Annotated[Path | None, typer.Option(help="The server's data; setting CORNERED_DATA.")] = None,
    export: Annotated[Path | None, typer.Option(help="Write the readable events here, a file for each match.")] = None,
    as_json: Json = False,
) -> None:
    """Look for damaged pages and matches, replay every match by the rules, and verify its dice.

    Nothing is written to the store, and the server may run meanwhile. The exit code is 1 where something is damaged.
    """
    from cornered.server.adapters.inspection import inspect
    from cornered.server.settings import MEMORY_DATABASE, load_settings

    settings = load_settings(**({} if data is None else {"data": data}))
    if settings.database == MEMORY_DATABASE:
        raise ValueError("CORNERED_DATABASE: a store in memory has nothing to check")
    findings = asyncio.run(inspect(settings.database_url, export))
    if as_json:
        typer.echo(json.dumps(asdict(findings)))
    else:
        for line in _lines(findings, export):
            typer.echo(line)
    raise typer.Exit(0 if findings.is_whole else 1)


def _lines(findings: StoreFindings, export: Path | None) -> list[str]:
    said = [f"store: {fault}" for fault in findings.faults]
    said += [f"match {one.match}: {one.reason}; {one.readable} events can be read" for one in findings.damaged]
    whole = findings.matches - len(findings.damaged)
    said.append(
        f"{findings.matches} matches, {findings.live} of them live: {whole} whole, {len(findings.damaged)} damaged"
    )
    if export is not None:
        said.append(f"the readable events of {findings.exported} matches are in {export}")
    if not findings.is_whole:
        said.append("the server sets damaged matches aside and plays the others; restore a backup to get them back")
    return said
