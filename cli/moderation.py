"""`cornered admin moderation`: bans and mutes of players, and their log, whether or not the server runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cornered.cli.rules import Json

if TYPE_CHECKING:
    from cornered.server.moderation.events import Entry
    from cornered.server.settings import Settings

__all__ = ["app"]

app = typer.Typer(help="Ban and mute players, and read what was decided.", no_args_is_help=True)

Data = Annotated[Path | None, typer.Option(help="The server's data; setting CORNERED_DATA.")]
Grounds = Annotated[str, typer.Argument(help="Why, in one line, which the player is told.")]
Player = Annotated[str, typer.Argument(help="The player's id, or its name where no other player has that.")]
Hours = Annotated[float | None, typer.Option(min=0.01, help="How long it lasts; by default until it is lifted.")]


def _settings(data: Path | None) -> Settings:
    from cornered.server.settings import load_settings

    return load_settings(**({} if data is None else {"data": data}))


@app.command()
def ban(player: Player, grounds: Grounds, hours: Hours = None, data: Data = None) -> None:
    """Keep a player out: its connections close on all nodes within a second, and its opponents win by the clock."""
    from cornered.server.orders import ban as order

    _tell(asyncio.run(order(_settings(data), player, "ban", _seconds(hours), grounds)))


@app.command()
def mute(player: Player, grounds: Grounds, hours: Hours = None, data: Data = None) -> None:
    """Refuse a player's chat lines."""
    from cornered.server.orders import ban as order

    _tell(asyncio.run(order(_settings(data), player, "mute", _seconds(hours), grounds)))


@app.command()
def lift(
    number: Annotated[int, typer.Argument(min=1, help="The number of the ban or mute, as `list` shows it.")],
    grounds: Grounds,
    data: Data = None,
) -> None:
    """Lift a ban or mute."""
    from cornered.server.orders import unban

    _tell(asyncio.run(unban(_settings(data), number, grounds)))


@app.command("list")
def list_(data: Data = None, as_json: Json = False) -> None:
    """List the bans and mutes that hold."""
    from cornered.server.orders import held

    _list(asyncio.run(held(_settings(data))), as_json=as_json)


@app.command("log")
def log_(data: Data = None, as_json: Json = False) -> None:
    """List everything that was reported and decided, and check that no entry was changed since."""
    from cornered.server.orders import read_log

    _list(asyncio.run(read_log(_settings(data))), as_json=as_json)


def _seconds(hours: float | None) -> int | None:
    return None if hours is None else max(1, round(3600 * hours))


def _list(entries: Sequence[Entry], *, as_json: bool) -> None:
    from cornered.server.moderation.events import sentence

    if as_json:
        facts = [
            {"number": one.number, "at": one.at, "by": one.by, "what": sentence(one.event), "seal": one.seal}
            for one in entries
        ]
        typer.echo(json.dumps(facts))
        return
    for one in entries:
        _tell(one)


def _tell(entry: Entry) -> None:
    from cornered.server.moderation.events import sentence

    when = datetime.fromtimestamp(entry.at / 1000, UTC)
    typer.echo(f"{entry.number}  {when:%Y-%m-%d %H:%M} UTC  {entry.by}: {sentence(entry.event)}")
