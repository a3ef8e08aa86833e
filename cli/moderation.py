"""`cornered admin moderation`: bans and mutes of players, and their log, whether or not the server runs."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cornered.cli.errors import CommandGroup
from cornered.cli.rules import Json
from cornered.cli.store import store_settings
from cornered.clients.ending import run_until_signal
from cornered.protocol.text import visible

if TYPE_CHECKING:
    from cornered.server.moderation.events import Entry
    from cornered.server.orders import Told

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, help="Ban and mute players, and read what was decided.", no_args_is_help=True)

Data = Annotated[Path | None, typer.Option(help="The server's data; setting CORNERED_DATA.")]
Grounds = Annotated[str, typer.Argument(help="Why, in one line, which the player is told.")]
Player = Annotated[str, typer.Argument(help="The player's id, or its name where no other player has that.")]
Hours = Annotated[float | None, typer.Option(min=0.01, help="How long it lasts; by default until it is lifted.")]


@app.command()
def ban(player: Player, grounds: Grounds, hours: Hours = None, data: Data = None) -> None:
    """Keep a player out: its connections close on all nodes within a second, and its opponents win by the clock."""
    from cornered.server.orders import ban as order

    _list(run_until_signal(order(store_settings(data), player, "ban", _seconds(hours), grounds)))


@app.command()
def mute(player: Player, grounds: Grounds, hours: Hours = None, data: Data = None) -> None:
    """Refuse a player's chat lines."""
    from cornered.server.orders import ban as order

    _list(run_until_signal(order(store_settings(data), player, "mute", _seconds(hours), grounds)))


@app.command()
def lift(
    number: Annotated[int, typer.Argument(min=1, help="The number of the ban or mute, as `list` shows it.")],
    grounds: Grounds,
    data: Data = None,
) -> None:
    """Lift a ban or mute."""
    from cornered.server.orders import unban

    _list(run_until_signal(unban(store_settings(data), number, grounds)))


@app.command()
def reports(data: Data = None, as_json: Json = False) -> None:
    """List the open reports, each with its words and the chat that its reporter saw."""
    from cornered.server.orders import open_reports

    told = run_until_signal(open_reports(store_settings(data)))
    if as_json:
        typer.echo(json.dumps([_report_facts(one, told) for one in told.entries]))
        return
    for entry in told.entries:
        _tell(entry, told)
        text = told.texts.get(entry.number)
        if text is not None:
            typer.echo(f"    {visible(text.grounds)}")
            for line in text.chat:
                typer.echo(f"    {_when(line.at)}  {visible(told.names.get(line.by, line.by))}: {visible(line.text)}")


@app.command()
def close(
    number: Annotated[int, typer.Argument(min=1, help="The number of the report, as `reports` shows it.")],
    grounds: Annotated[str, typer.Argument(help="What was decided, in one line, for the log.")],
    data: Data = None,
) -> None:
    """Close a report: its reporter is told, once, that it was looked at."""
    from cornered.server.orders import close_report

    _list(run_until_signal(close_report(store_settings(data), number, grounds)))


@app.command("list")
def list_(data: Data = None, as_json: Json = False) -> None:
    """List the bans and mutes that hold."""
    from cornered.server.orders import held

    _list(run_until_signal(held(store_settings(data))), as_json=as_json)


@app.command("log")
def log_(data: Data = None, as_json: Json = False) -> None:
    """List everything that was reported and decided, and check that no entry was changed since."""
    from cornered.server.orders import read_log

    _list(run_until_signal(read_log(store_settings(data))), as_json=as_json)


def _seconds(hours: float | None) -> int | None:
    return None if hours is None else max(1, round(3600 * hours))


def _list(told: Told, *, as_json: bool = False) -> None:
    if as_json:
        typer.echo(json.dumps([_facts(one, told) for one in told.entries]))
        return
    for entry in told.entries:
        _tell(entry, told)


def _facts(entry: Entry, told: Told) -> dict[str, object]:
    from cornered.server.moderation.events import sentence

    what = sentence(entry.event, told.names)
    return {"number": entry.number, "at": entry.at, "by": _by(entry, told), "what": what, "seal": entry.seal}


def _report_facts(entry: Entry, told: Told) -> dict[str, object]:
    text = told.texts.get(entry.number)
    chat = [] if text is None else [asdict(line) for line in text.chat]
    return {**_facts(entry, told), "grounds": "" if text is None else text.grounds, "chat": chat}


def _tell(entry: Entry, told: Told) -> None:
    from cornered.server.moderation.events import sentence

    what = sentence(entry.event, told.names)
    typer.echo(f"{entry.number}  {_when(entry.at)}  {visible(_by(entry, told))}: {visible(what)}")


def _by(entry: Entry, told: Told) -> str:
    return told.names.get(entry.by, entry.by)


def _when(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M} UTC"
