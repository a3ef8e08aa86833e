"""`cornered tournaments`: those of a server, with their standings, and joining them, as plain lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from cornered.cli.errors import CommandGroup
from cornered.cli.players import DEFAULT_SERVER, Server, asked, write_lines
from cornered.cli.rules import Json

if TYPE_CHECKING:
    from cornered.clients.sdk import Client
    from cornered.protocol.tournaments import PairingInfo, Standing, TournamentInfo

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, no_args_is_help=False, pretty_exceptions_enable=False)


@app.command()
def tournaments(
    tournament: Annotated[
        str | None, typer.Argument(help="The id of one, for its standings; by default a list of all.")
    ] = None,
    over: Annotated[bool, typer.Option("--over", help="Those that are finished or cancelled.")] = False,
    join: Annotated[bool, typer.Option("--join", help="Enter this tournament; `cornered play` then plays it.")] = False,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Leave this tournament.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="The most tournaments to list.")] = 50,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """List the tournaments of a server, or show the standings of one."""
    from cornered.clients.terminal.tournament_words import pairing_text, standings_lines, tournament_text

    if (join or withdraw) and (tournament is None or join == withdraw):
        raise ValueError("name one tournament, and one of --join and --withdraw")

    async def listed(client: Client) -> tuple[list[TournamentInfo], int]:
        found = []
        async for one in client.tournaments.list(over=over):
            found.append(one)
            if len(found) == limit:
                break
        return found, client.server_now()

    async def one(client: Client) -> tuple[TournamentInfo, list[Standing], list[PairingInfo], int]:
        assert tournament is not None
        if join:
            await client.tournaments.join(tournament)
        if withdraw:
            await client.tournaments.withdraw(tournament)
        about = (await client.tournaments.about(tournament)).tournament
        standings = [one async for one in client.tournaments.standings(tournament)]
        pairings = [one async for one in client.tournaments.pairings(tournament)] if about.round else []
        return about, standings, pairings, client.server_now()

    if tournament is None:
        found, now = asked(server, listed)
        if as_json:
            typer.echo(json.dumps([info.model_dump(mode="json") for info in found]))
        elif found:
            write_lines(f"{info.id}  {tournament_text(info, now)}" for info in found)
        else:
            typer.echo("There is no such tournament." if over else "No tournament is open or under way.")
        return
    about, standings, pairings, now = asked(server, one)
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "tournament": about.model_dump(mode="json"),
                    "standings": [each.model_dump(mode="json") for each in standings],
                    "pairings": [each.model_dump(mode="json") for each in pairings],
                }
            )
        )
        return
    write_lines((tournament_text(about, now), "", *standings_lines(about, standings)))
    if pairings:
        write_lines(("", f"Round {about.round}", *map(pairing_text, pairings)))
