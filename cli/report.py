"""`cornered report`: the standings and the next Swiss round of a Tournament Report File, of this or another program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from cornered.cli.errors import CommandGroup
from cornered.cli.players import write_lines
from cornered.cli.rules import Json

__all__ = ["app"]

MOST_BYTES = 8 * 2**20

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)


class Row(NamedTuple):
    """A player of the standings."""

    number: int
    name: str
    points: float
    buchholz: float
    sonneborn_berger: float


@app.command()
def report(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A report (.trf), as FIDE defines it.")],
    as_json: Json = False,
) -> None:
    """Show the standings, with tie-breaks, and the next Swiss round of a Tournament Report File (TRF16).

    The server has the report of a tournament at /tournaments/ID.trf; other pairing programs write such files too.
    """
    from cornered.contests.pairing import swiss
    from cornered.contests.standings import adjusted, buchholz, sonneborn_berger
    from cornered.contests.trf import SHARES, read

    with file.open("rb") as opened:
        data = opened.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"{file} has more than {MOST_BYTES // 2**20} MiB; no report is as long")
    try:
        found = read(data.decode())
    except UnicodeDecodeError:
        raise ValueError(f"{file} is no UTF-8; save it again in this encoding") from None
    if not found.players:
        raise ValueError(f"{file} has no players; the lines of a report's players begin with 001")
    meetings = {str(number): met for number, met in found.meetings().items()}
    points = {
        str(player.number): sum(SHARES[one.result] for one in player.rounds[: found.played]) for player in found.players
    }
    worth = {name: adjusted(points[name], met) for name, met in meetings.items()}
    rows = [
        Row(
            player.number,
            player.name,
            points[name := str(player.number)],
            buchholz(name, meetings[name], points, worth),
            sonneborn_berger(name, meetings[name], points, worth),
        )
        for player in sorted(found.players, key=lambda player: player.number)
    ]
    rows.sort(key=lambda row: (-row.points, -row.buchholz, -row.sonneborn_berger))
    goes_on = any(one.opponent is not None and one.result == " " for player in found.players for one in player.rounds)
    is_over = found.rounds is not None and found.played >= found.rounds
    entrants = found.entrants()
    may_pair = not goes_on and not is_over and len(entrants) > 1
    drawn = swiss(entrants, top_meets=found.played + 1 == found.rounds) if may_pair else None
    pairs = [] if drawn is None else [[int(one.name), int(other.name)] for one, other in drawn[0]]
    bye = None if drawn is None or drawn[1] is None else int(drawn[1].name)
    if as_json:
        standings = [row._asdict() for row in rows]
        told = {"name": found.name, "rounds": found.played, "standings": standings, "next": pairs, "bye": bye}
        typer.echo(json.dumps(told))
        return
    names = {player.number: f"{player.name} ({player.number})" for player in found.players}
    width = max(map(len, names.values()))
    write_lines((f"{found.name}, {found.played} rounds", "", f"     {'':{width}}  points  Buchholz  Sonneborn-Berger"))
    write_lines(
        f"{rank:4} {names[row.number]:{width}}  {row.points:6.1f}  {row.buchholz:8.1f}  {row.sonneborn_berger:16.2f}"
        for rank, row in enumerate(rows, 1)
    )
    if goes_on:
        write_lines(("", f"Round {found.played} goes on."))
    elif drawn is not None:
        write_lines(("", f"Round {found.played + 1} by this server's Swiss pairing, first move first"))
        write_lines(f"{board:4} {names[one]} - {names[other]}" for board, (one, other) in enumerate(pairs, 1))
        if bye is not None:
            write_lines((f"     {names[bye]} has a bye",))
