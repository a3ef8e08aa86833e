"""`cornered admin accounts`: the accounts of a server's players, whether or not the server runs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cornered.cli.errors import CommandGroup
from cornered.cli.rules import Json
from cornered.cli.store import store_settings
from cornered.clients.ending import run_until_signal

if TYPE_CHECKING:
    from cornered.server.accounts import AccountRecord

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, help="Look after the players' accounts.", no_args_is_help=True)

Data = Annotated[Path | None, typer.Option(help="The server's data; setting CORNERED_DATA.")]
Account = Annotated[str, typer.Argument(help="The account's name, or its id.")]


@app.command("list")
def list_(
    limit: Annotated[int, typer.Option(min=1, help="The most accounts to list.")] = 1_000,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """List the accounts by name, with their roles."""
    from cornered.server.administration import list_accounts

    found = run_until_signal(list_accounts(store_settings(data), limit))
    if as_json:
        typer.echo(json.dumps([_facts(one) for one in found]))
        return
    for one in found:
        since = datetime.fromtimestamp(one.since // 1000, UTC).date()
        state = " closed" if one.is_closed else ""
        typer.echo(f"{one.player.name}  {one.role}{state}  since {since}  {one.player.id}")


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="The name of the new account.")],
    data: Data = None,
) -> None:
    """Make an account and print the recovery code with which its owner sets the password, once."""
    from cornered.server.administration import create_account

    typer.echo(run_until_signal(create_account(store_settings(data), name)))


@app.command()
def grant(
    name: Account,
    role: Annotated[Literal["admin", "player"], typer.Argument(help="`admin`, or `player` to take that back.")],
    data: Data = None,
) -> None:
    """Give an account a role. What it permits more is there with the next connection, and what less at once."""
    from cornered.server.administration import grant_role

    known = run_until_signal(grant_role(store_settings(data), name, role))
    typer.echo(f"{known.player.name} is {'an administrator' if role == 'admin' else 'a player'} now")


@app.command("reset-password")
def reset_password(name: Account, data: Data = None) -> None:
    """Replace an account's recovery codes by a new one and print it, once: its owner sets a new password with it.

    Until then the old password stays valid. `close` ends all sessions at once.
    """
    from cornered.server import administration

    typer.echo(run_until_signal(administration.reset_password(store_settings(data), name)))


@app.command()
def close(
    name: Account,
    data: Data = None,
    reopen: Annotated[bool, typer.Option("--open", help="Open the account again instead.")] = False,
) -> None:
    """Close an account: all of its sessions and tokens end on every node, and nobody can sign in to it."""
    from cornered.server.administration import close_account

    known = run_until_signal(close_account(store_settings(data), name, is_closed=not reopen))
    typer.echo(f"the account of {known.player.name} is {'open' if reopen else 'closed'}")


@app.command()
def invite(
    uses: Annotated[int, typer.Option(min=1, max=1_000, help="Accounts that may be made with it.")] = 1,
    days: Annotated[int, typer.Option(min=1, max=90, help="Days until it expires.")] = 7,
    data: Data = None,
) -> None:
    """Print an invitation to register, once, for a server whose setting `registration` asks for one."""
    from cornered.server import administration

    typer.echo(run_until_signal(administration.invite(store_settings(data), uses, days)))


def _facts(record: AccountRecord) -> dict[str, object]:
    return {
        "id": record.player.id,
        "name": record.player.name,
        "role": record.role,
        "since": record.since,
        "closed": record.is_closed,
        "recovery_codes_left": record.codes_left,
        "old_names": [one.name for one in record.old_names],
    }
