"""`cornered new`, `cornered try` and `cornered connect`: the way of an author's bot from nothing to its ratings."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cornered.cli.bot_folder import write_bot
from cornered.cli.bot_word import LONGEST_MS, Longest
from cornered.cli.errors import CommandGroup
from cornered.cli.missing_extra import require_extras
from cornered.cli.players import DEFAULT_SERVER, Server

if TYPE_CHECKING:
    from cornered.clients.sdk.bot_word import ChooseState

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, no_args_is_help=False, pretty_exceptions_enable=False)

BotPath = Annotated[Path, typer.Argument(metavar="BOT", help="The folder of `cornered new`, or a Python file.")]
Games = Annotated[
    list[str] | None, typer.Option("--game", help="A game that the bot plays; may be repeated. By default all.")
]


@app.command()
def new(name: Annotated[str, typer.Argument(help="The bot's name; a folder of this name is made here.")]) -> None:
    """Write a new bot: one file with one function, a test, and a README of ten lines."""
    from cornered.clients.sdk.bot_file import file_of

    folder = write_bot(name, Path.cwd())
    shown = folder.name
    typer.echo(f"{shown}/{file_of(folder).name} has the function that chooses the moves.")
    typer.echo(f"Play with it on this machine:  cornered try {shown}")
    typer.echo(f"Let it play on a server:       cornered connect {shown} --server URL")


@app.command("try")
def try_(
    bot: BotPath,
    game: Games = None,
    against: Annotated[
        str | None,
        typer.Option(help="Stay with this opponent, level-1 to level-10; by default it meets several."),
    ] = None,
    games: Annotated[int | None, typer.Option(min=1, help="End after so many games; by default at Ctrl-C.")] = None,
    clock: Annotated[str, typer.Option(help="1+0: a minute, and no more seconds a move; 20/move; none.")] = "none",
    seed: Annotated[int, typer.Option(help="Seed of the bot and its opponents.")] = 1,
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 0,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page where the games are shown.")
    ] = True,
) -> None:
    """Try a bot on a server of its own on this machine, against the levels, and load it again when its file changes.

    At first one game with each of level-1, level-4, level-7 and level-10; with --games these are left out. Then two
    games with each level, from the highest one that it has beaten on, and the next one after a score of more than half.
    """
    require_extras("a trial has a server and opponents of its own", server="sqlalchemy", bots="numba")
    from cornered.cli.running_bots import run_until_ended
    from cornered.cli.trial import Trial, run_trial
    from cornered.clients.sdk.bot_file import file_of

    path = file_of(bot)
    trial = Trial(path, tuple(game or ()), against, games, clock, seed, port)

    def started(page: str) -> None:
        typer.echo(f"Watch it at {page} - Ctrl-C ends")
        if open_browser:
            webbrowser.open(page)

    run_until_ended(partial(run_trial, trial, started, typer.echo), only_games=True)


@app.command()
def connect(
    bot: BotPath,
    game: Games = None,
    name: Annotated[str | None, typer.Option(help="The bot's name; by default that of its file.")] = None,
    ladder: Annotated[
        int, typer.Option(min=0, max=16, help="Rated games at once against other bots, for which the server pairs it.")
    ] = 1,
    version_name: Annotated[
        str | None, typer.Option(help="The bot's version, such as 2.1; with a new one its ratings are uncertain again.")
    ] = None,
    longest: Longest = LONGEST_MS,
    concurrency: Annotated[int, typer.Option(min=1, max=100, help="Further games at once, against people.")] = 4,
    server: Server = DEFAULT_SERVER,
    token: Annotated[
        str | None,
        typer.Option(envvar="CORNERED_TOKEN", help="The bot's token; by default the stored one of its name."),
    ] = None,
) -> None:
    """Let a bot play on a server until Ctrl-C: rated games of the bot ladder, and games with every challenger.

    It is loaded again when its file changes. A version that cannot be loaded is named, and the one before plays on.
    """
    from cornered.cli.editable_bot import EditableBot
    from cornered.cli.running_bots import run_until_ended
    from cornered.clients.sdk.address import require_name, require_token
    from cornered.clients.sdk.bot_file import file_of
    from cornered.clients.sdk.running import BotSettings, play_bot

    path = file_of(bot)
    known = require_token(token) if token else None
    settings = BotSettings(
        accepts=game or None, ladder=ladder, concurrency=concurrency, version=version_name, longest=longest
    )
    called = require_name(name or path.stem)

    async def play(load: Callable[[], ChooseState]) -> None:
        await play_bot(called, load, settings, server=server, token=known)

    async def connected() -> None:
        editable = EditableBot(path, typer.echo)
        await editable.load()
        await editable.play(play)

    run_until_ended(connected)
