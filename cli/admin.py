"""`cornered admin`: maintenance of a server's store, whether or not the server runs."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cornered.cli import accounts, moderation
from cornered.cli.admin_ratings import app as ratings
from cornered.cli.errors import CommandGroup
from cornered.cli.rules import Json
from cornered.cli.status import status
from cornered.cli.store import log_to_stderr, store_settings
from cornered.clients.ending import run_until_signal

if TYPE_CHECKING:
    from cornered.server.adapters.inspection import StoreFindings

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, help="Look after a server's store.", no_args_is_help=True)
app.command()(status)
app.add_typer(ratings, name="ratings")
app.add_typer(accounts.app, name="accounts")
app.add_typer(moderation.app, name="moderation")


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
    from cornered.server.settings import MEMORY_DATABASE

    settings = store_settings(data)
    if settings.database == MEMORY_DATABASE:
        raise ValueError("CORNERED_DATABASE: a store in memory has nothing to check")
    findings = run_until_signal(inspect(settings.database_url, export))
    if as_json:
        typer.echo(json.dumps(asdict(findings)))
    else:
        for line in _lines(findings, export):
            typer.echo(line)
    raise typer.Exit(0 if findings.is_whole else 1)


@app.command()
def copy(
    source: Annotated[str, typer.Argument(help="The database to copy: sqlite:///FILE or postgresql://USER@HOST/NAME.")],
    target: Annotated[str, typer.Argument(help="An empty database of either kind.")],
    as_json: Json = False,
) -> None:
    """Copy a store into an empty database, from SQLite to PostgreSQL or back, and verify the copy.

    No server may run on either. A copy that is interrupted leaves the target empty. The file ~/.pgpass may hold
    passwords, which are visible to other users of this machine in an address.
    """
    from cornered.cli.progress import progress
    from cornered.server.adapters.database import STORE_ERRORS, reason_of
    from cornered.server.adapters.store_copy import copy_store

    log_to_stderr()
    try:
        with progress() as report:
            copied = run_until_signal(copy_store(source, target, report))
    except STORE_ERRORS as error:
        # The error itself may name the address with its password.
        reason = reason_of(error)
        raise ValueError(f"nothing was copied: {reason}") from None
    if as_json:
        typer.echo(json.dumps(asdict(copied)))
        return
    typer.echo(f"copied and verified {', '.join(f'{rows:,} {name}' for name, rows in copied.rows.items())}")
    typer.echo(f"checksum of the events: {copied.checksum}")


@app.command()
def retention(
    data: Annotated[Path | None, typer.Option(help="The server's data; setting CORNERED_DATA.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what would be erased, and erase nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Erase what is stored about people for longer than the settings `keep_..._days` say, as servers do once a day.

    Servers may run meanwhile, and an interrupted run is simply repeated.
    """
    from cornered.server.administration import erase_old

    erased = run_until_signal(erase_old(store_settings(data), is_dry=dry_run))
    if as_json:
        typer.echo(json.dumps(erased))
        return
    for kind, number in erased.items():
        typer.echo(f"{kind.replace('_', ' ')}: {number} {'to erase' if dry_run else 'erased'}")


@app.command()
def revoke(
    player: Annotated[str, typer.Argument(help="The player's id, or its name where no other player has that.")],
    data: Annotated[Path | None, typer.Option(help="The server's data; setting CORNERED_DATA.")] = None,
    as_json: Json = False,
) -> None:
    """Make a player's token invalid for good, with the settings of a node.

    Servers may run meanwhile: all nodes refuse the token at once, and close the player's connections within a second.
    The player's matches go on, and its opponents win them by the clock or by a claim.
    """
    from cornered.protocol.text import clean_name
    from cornered.server.app import revoke_tokens
    from cornered.server.settings import MEMORY_DATABASE

    settings = store_settings(data)
    if settings.database == MEMORY_DATABASE:
        raise ValueError("CORNERED_DATABASE: a store in memory has no tokens that outlive its server")
    revoked = run_until_signal(revoke_tokens(settings, clean_name(player)))
    if as_json:
        typer.echo(revoked.model_dump_json())
    else:
        typer.echo(f"the token of {revoked.name} is revoked; its id is {revoked.id}")


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
