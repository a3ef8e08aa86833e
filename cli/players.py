"""`cornered sign-in` and its neighbours: the player's account, ratings and leaderboards, as plain lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from cornered.cli.errors import CommandGroup
from cornered.cli.rules import Json
from cornered.clients.ending import run_until_signal

if TYPE_CHECKING:
    from cornered.clients.sdk import Client

__all__ = ["DEFAULT_SERVER", "Server", "app", "ask_password", "asked", "write_lines"]

T = TypeVar("T")
Server = Annotated[str, typer.Option(envvar="CORNERED_SERVER", help="The server.")]
DEFAULT_SERVER = "ws://127.0.0.1:8420"

app = typer.Typer(cls=CommandGroup, no_args_is_help=False, pretty_exceptions_enable=False)


def asked(server: str, ask: Callable[[Client], Awaitable[T]]) -> T:
    """Return what `ask` returns for the client of the last player in this terminal.

    Raises CannotStart and ClientError.
    """
    from cornered.clients.terminal.connecting import connected

    async def run() -> T:
        async with connected(server, None, None) as client:
            return await ask(client)

    return run_until_signal(run())


def ask_password(prompt: str, *, twice: bool = False) -> str:
    """Return a password that is typed without an echo, or, where nobody types, the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password: str = typer.prompt(prompt, hide_input=True, confirmation_prompt=twice)
    return password


@app.command()
def sign_in(name: Annotated[str, typer.Argument(help="The account's name.")], server: Server = DEFAULT_SERVER) -> None:
    """Sign in to an account, which `cornered play` and the commands beside this one use from now on.

    The password is asked for, or read from standard input. A file that you alone can read keeps the session's token.
    """
    from cornered.clients.terminal import identity

    run_until_signal(identity.sign_in(server, name, ask_password("Password")))
    typer.echo(f"You are signed in as {name}.")


@app.command()
def register(
    name: Annotated[str, typer.Argument(help="The name of the account.")],
    invitation: Annotated[str | None, typer.Option(help="The invitation code, where the server wants one.")] = None,
    server: Server = DEFAULT_SERVER,
) -> None:
    """Make an account of the player of this terminal, whose games and ratings it keeps, and print its recovery codes.

    The password is asked for, or read from standard input.
    """
    from cornered.clients.sdk import TokenStore, policies
    from cornered.clients.sdk import register as register_new
    from cornered.clients.sdk.address import require_name
    from cornered.clients.terminal import identity
    from cornered.clients.terminal.connecting import connected

    password = identity.require_password(ask_password("Password", twice=True))

    async def run() -> tuple[str, ...]:
        if (await policies(server)).guests:
            async with connected(server, None, None) as client:
                return await identity.register(client, name, password, invitation)
        token, codes = await register_new(
            server, require_name(name), password, invitation=invitation, label=identity.LABEL
        )
        identity.keep_token(TokenStore(), server, name, token)
        return codes

    codes = run_until_signal(run())
    typer.echo(f"You are {name}. Keep these recovery codes, which are shown this once:")
    for code in codes:
        typer.echo(code)


@app.command()
def sign_out(server: Server = DEFAULT_SERVER) -> None:
    """End the session of this terminal, and forget its token."""
    from cornered.clients.terminal import identity

    asked(server, identity.sign_out)
    typer.echo("You are signed out.")


@app.command()
def profile(
    player: Annotated[str | None, typer.Argument(help="The name or the id of a player; by default yourself.")] = None,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Show the ratings of a player, and the versions of a bot."""
    from pydantic import ValidationError

    from cornered.clients.sdk.errors import CommandRefused
    from cornered.clients.terminal.rating_words import profile_lines
    from cornered.protocol.ratings import Profile

    async def ask(client: Client) -> Profile:
        if player is None:
            return await client.profile()
        # An id comes first: a name may look like another player's id.
        try:
            return await client.profile(player)
        except ValidationError:
            pass
        except CommandRefused as refusal:
            if refusal.code != "unknown_player":
                raise
        return await client.profile((await client.find_player(player)).id)

    found = asked(server, ask)
    write_lines([found.model_dump_json(exclude={"id", "type"})] if as_json else profile_lines(found))


@app.command()
def leaders(
    pool: Annotated[
        str | None, typer.Argument(help="A rating pool, such as trapgrid:blitz; by default a list.")
    ] = None,
    bots: Annotated[bool, typer.Option("--bots", help="The bots in the place of the people.")] = False,
    server: Server = DEFAULT_SERVER,
    as_json: Json = False,
) -> None:
    """Show the leaderboard of a rating pool, or the pools that have players."""
    from cornered.clients.terminal.rating_words import leaderboard_lines, pool_text

    if pool is None:
        pools = asked(server, lambda client: client.rating_pools())
        if as_json:
            typer.echo(json.dumps([one.model_dump(mode="json") for one in pools]))
            return
        write_lines(f"{one.pool}  {pool_text(one)}, {one.players} players" for one in pools)
        if not pools:
            typer.echo("Nobody has played a rated game here yet.")
        return
    board = asked(server, lambda client: client.leaderboard(pool, "bot" if bots else "person"))
    write_lines([board.model_dump_json(exclude={"id", "type"})] if as_json else leaderboard_lines(board))


def write_lines(lines: Iterable[str]) -> None:
    """Write lines, whose control characters are escaped: names are other people's."""
    from cornered.protocol.text import visible

    for line in lines:
        typer.echo(visible(line))
