"""`cornered conform`: checks a client, or a server, against the protocol."""

from __future__ import annotations

import json
import logging
import shlex
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cornered.cli.errors import CommandGroup
from cornered.cli.missing_extra import require
from cornered.cli.rules import Json
from cornered.clients.ending import run_until_signal
from cornered.protocol.text import visible

if TYPE_CHECKING:
    from cornered.cli.conformance.verdict import Scenario, StageT, Verdict

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)

BOT_CONCURRENCY: Final = 2
"""Games at once of a bot that the kit runs itself, so that it can fill them."""


@app.command()
def conform(
    as_list: Annotated[bool, typer.Option("--list", help="List the scenarios.")] = False,
    bot: Annotated[
        str | None, typer.Option(help="Check this bot, as `cornered bot` takes it: champion, ./my_bot.py.")
    ] = None,
    client: Annotated[
        str | None,
        typer.Option(
            help="Check this program: it finds CORNERED_SERVER, CORNERED_TOKEN and CORNERED_NAME in its environment."
        ),
    ] = None,
    server: Annotated[str | None, typer.Option(help="Check the server at this address.")] = None,
    restart: Annotated[
        str | None, typer.Option(help="With --server: a command that restarts it, for the scenario `restart`.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Play this scenario alone; may be repeated.")] = None,
    as_json: Json = False,
) -> None:
    """Check that a client, or a server, keeps the protocol (docs/conformance.md). Ends with 1 where it does not."""
    given = [what for what in (bot, client, server) if what is not None]
    if as_list:
        _print_list(as_json=as_json)
        return
    if len(given) != 1:
        raise ValueError("name one of --bot, --client and --server")
    if restart is not None and server is None:
        raise ValueError("--restart is for a server that is checked by --server")
    # Connections that break are part of the scenarios.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    verdicts: AsyncIterator[Verdict]
    if server is not None:
        from cornered.cli.conformance.server_scenarios import SERVER_SCENARIOS
        from cornered.cli.conformance.server_stage import check_server, restart_by

        restarting = restart_by(shlex.split(restart)) if restart else None
        verdicts = check_server(server, _chosen(SERVER_SCENARIOS, only), restart=restarting)
    else:
        require("sqlalchemy")
        from cornered.cli.conformance.client_scenarios import CLIENT_SCENARIOS
        from cornered.cli.conformance.client_stage import check_client
        from cornered.cli.conformance.subject import Program

        program = Program(shlex.split(client) if client is not None else _command_of(bot or ""))

        def bot_failure() -> str | None:
            return None if bot is None else program.bot_failure

        verdicts = check_client(program, _chosen(CLIENT_SCENARIOS, only), bot_failure=bot_failure)
    found = run_until_signal(_collect(verdicts, is_silent=as_json))
    if as_json:
        typer.echo(json.dumps([asdict(verdict) for verdict in found]))
    else:
        _print(found)
    if any(verdict.outcome == "failed" for verdict in found):
        raise typer.Exit(1)


def _command_of(bot: str) -> list[str]:
    """Return the command that runs a bot, whose server and token are in the environment."""
    return [sys.executable, "-m", "cornered", "bot", bot, "--concurrency", str(BOT_CONCURRENCY)]


def _chosen(scenarios: Sequence[Scenario[StageT]], names: Sequence[str] | None) -> list[Scenario[StageT]]:
    known = [scenario.name for scenario in scenarios]
    if unknown := [name for name in names or () if name not in known]:
        raise ValueError(f"there is no scenario {unknown[0]!r}; there are {', '.join(known)}")
    return [scenario for scenario in scenarios if not names or scenario.name in names]


async def _collect(verdicts: AsyncIterator[Verdict], *, is_silent: bool) -> list[Verdict]:
    found = []
    async for verdict in verdicts:
        found.append(verdict)
        if not is_silent:
            typer.echo(f"{verdict.outcome}  {verdict.scenario}", err=True)
    return found


def _print(verdicts: Sequence[Verdict]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    table = Table("Scenario", "Verdict", "Seconds", "Expected", box=None)
    for verdict in verdicts:
        style = {"passed": "green", "failed": "bold red", "skipped": "yellow"}[verdict.outcome]
        table.add_row(
            verdict.scenario, f"[{style}]{verdict.outcome}[/]", f"{verdict.seconds:.1f}", _plain(verdict.expected)
        )
    console.print(table)
    for verdict in verdicts:
        if verdict.outcome == "passed":
            continue
        console.print(f"\n{verdict.scenario} {verdict.outcome}", style="bold", markup=False)
        lines = [("expected", verdict.expected), ("seen", verdict.seen), ("rule", verdict.rule)]
        if verdict.outcome == "failed":
            lines.append(("what to do", verdict.advice))
        for title, text in lines:
            # What a program or a server says may hold control characters.
            console.print(f"  {title}: {visible(text)}", markup=False)
    counts = {kind: sum(verdict.outcome == kind for verdict in verdicts) for kind in ("passed", "failed", "skipped")}
    console.print("\n" + ", ".join(f"{count} {kind}" for kind, count in counts.items()))


def _plain(text: str) -> str:
    """Return the text with its brackets escaped for a table's markup."""
    from rich.markup import escape

    return escape(text)


def _print_list(*, as_json: bool) -> None:
    require("sqlalchemy")
    from cornered.cli.conformance.client_scenarios import CLIENT_SCENARIOS
    from cornered.cli.conformance.server_scenarios import SERVER_SCENARIOS

    listed = [
        {"side": side, "scenario": one.name, "expected": one.expected, "rule": one.rule}
        for side, scenarios in (("client", CLIENT_SCENARIOS), ("server", SERVER_SCENARIOS))
        for one in scenarios
    ]
    if as_json:
        typer.echo(json.dumps(listed))
        return
    for one in listed:
        typer.echo(f"{one['side']}  {one['scenario']:20}  {one['expected']}")
