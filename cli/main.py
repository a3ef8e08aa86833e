"""`cornered`: the commands of the command line. Each imports what it needs when it runs."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import io
import json
import os
import signal
import socket
import sys
import webbrowser
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

import typer

import cornered
from cornered import engine
from cornered.cli.admin import app as admin
from cornered.cli.archive import app as archiving
from cornered.cli.author import app as authoring
from cornered.cli.book import app as booking
from cornered.cli.bot_report import app as owning
from cornered.cli.bot_word import LONGEST_MS, Longest
from cornered.cli.cluster import app as clustering
from cornered.cli.conform import app as conforming
from cornered.cli.contests import app as contests
from cornered.cli.dataset import app as collecting
from cornered.cli.duels import register as register_duels
from cornered.cli.engine import app as answering
from cornered.cli.errors import CommandGroup, first_error
from cornered.cli.fairplay import app as judging
from cornered.cli.house_process import (
    ANALYST_KEY,
    DEFAULT_ANALYST,
    HOUSE_BOTS,
    keep_house_bots,
)
from cornered.cli.lan import EVERY_ADDRESS, invitation
from cornered.cli.lessons import app as teaching
from cornered.cli.load import register as register_load
from cornered.cli.missing_extra import require
from cornered.cli.players import app as playing
from cornered.cli.prove import app as proving
from cornered.cli.puzzles import app as puzzling
from cornered.cli.reachable import loopback, reachable
from cornered.cli.report import app as reporting
from cornered.cli.reproduce import app as reproducing
from cornered.cli.rules import Json, Options, warm_up
from cornered.cli.rules import app as rules
from cornered.cli.running_bots import run_until_ended
from cornered.cli.store import store_settings
from cornered.cli.think import app as thinking
from cornered.cli.tournaments import app as competing
from cornered.cli.train import app as training
from cornered.cli.tune import app as tuning
from cornered.clients.ending import run_until_signal

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from cornered.server.settings import Settings

__all__ = ["app", "main", "narrowed_to"]

DEFAULT_SERVER = "ws://127.0.0.1:8420"
HELP_COLUMNS_MAX: Final = 120
"""The widest help, on a wider terminal."""


class MainGroup(CommandGroup):
    """All commands, by what people come for."""

    panels: ClassVar[Mapping[str, Sequence[str]]] = {
        "Play": (
            *("play", "watch", "register", "sign-in", "sign-out", "profile", "leaders", "tournaments", "archive"),
            *("games", "moves", "show", "report"),
        ),
        "Write a bot": (
            *("new", "try", "connect", "bot", "bots", "bot-report", "replay", "match", "tournament", "think"),
            *("engine", "conform"),
        ),
        "Research": (
            *("solve", "prove", "perft", "check", "dataset", "reproduce", "tune", "train", "book", "puzzles"),
            *("lessons", "bench"),
        ),
        "Operate a server": ("serve", "cluster", "token", "admin", "fairplay", "shots"),
    }


app = typer.Typer(
    name="cornered",
    cls=MainGroup,
    help="A game server with bots for TrapGrid, Isolation, Bamboo and Quoridor.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # rich's columns cut long words, such as defaults, at 80 columns.
    rich_markup_mode=None,
    context_settings={"max_content_width": HELP_COLUMNS_MAX},
)
app.add_typer(rules)
app.add_typer(clustering)
app.add_typer(thinking)
app.add_typer(answering)
app.add_typer(authoring)
app.add_typer(conforming)
app.add_typer(booking)
app.add_typer(archiving)
app.add_typer(playing)
app.add_typer(owning)
app.add_typer(competing)
app.add_typer(reporting)
app.add_typer(proving)
app.add_typer(puzzling)
app.add_typer(teaching)
app.add_typer(
    training,
    name="train",
    help="Train the networks with which bots evaluate positions: Bamboo's, and the champion's for Quoridor.",
)
app.add_typer(contests)
app.add_typer(collecting)
app.add_typer(judging)
app.add_typer(tuning, name="tune")
app.add_typer(reproducing)
bench = typer.Typer(
    cls=CommandGroup,
    help="Measure the engine and the server, each beside a baseline in the same run.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
register_load(bench)
register_duels(bench)
app.add_typer(bench, name="bench")
app.add_typer(admin, name="admin")


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"cornered {cornered.__version__}")
        raise typer.Exit


@app.callback()
def every_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before the command."""


ServerUrl = Annotated[str, typer.Option("--server", envvar="CORNERED_SERVER", help="The server's address.")]


@app.command()
def serve(
    bot: Annotated[
        list[str] | None,
        typer.Option(help="One more house bot, as for `match`: ./my_bot.py, for example; may be repeated."),
    ] = None,
    bots: Annotated[bool, typer.Option("--bots/--no-bots", help="Connect the house bots.")] = True,
    host: Annotated[str | None, typer.Option(help="The address to listen on; setting CORNERED_HOST.")] = None,
    lan: Annotated[bool, typer.Option("--lan", help="Let others on this network play; print a QR code.")] = False,
    port: Annotated[int | None, typer.Option(help="0 takes a free one; setting CORNERED_PORT.")] = None,
    data: Annotated[Path | None, typer.Option(help="Where matches are kept; setting CORNERED_DATA.")] = None,
    mqtt: Annotated[str | None, typer.Option(help="A broker, mqtt://host:1883; setting CORNERED_MQTT.")] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Start the server, with its house bots as ordinary clients, and print its address."""
    from cornered.server.app import new_event_loop
    from cornered.server.app import serve as serve_until_stopped
    from cornered.server.cluster.ports import NodesUnlinked, NodeTaken
    from cornered.server.settings import with_analyst_key

    house_bots = [*(HOUSE_BOTS if bots else ()), *(bot or ())]
    if house_bots:
        require("numpy", "numba")
        from cornered.bots.online.host import HostedBot

        HostedBot.all_of(house_bots)
    if lan and host is not None:
        raise ValueError("--lan listens on every address of this machine; leave out either --lan or --host")
    settings = with_analyst_key(_settings(host=EVERY_ADDRESS if lan else host, port=port, data=data, mqtt=mqtt))

    is_up = False

    async def run() -> None:
        async with asyncio.TaskGroup() as tasks:
            house: list[asyncio.Task[None]] = []

            def started(address: str) -> None:
                nonlocal is_up
                is_up = True
                local, *others = reachable(address)
                typer.echo(f"Cornered is at {local}")
                if lan:
                    for line in invitation(others, sys.stdout.encoding):
                        typer.echo(line)
                elif others:
                    typer.echo(f"On the network it is at {' and '.join(others)}")
                if house_bots:
                    identities = settings.data / "house.json"
                    keeping = keep_house_bots(
                        house_bots,
                        loopback(address).replace("http", "ws", 1),
                        identities,
                        analyse=DEFAULT_ANALYST if bots else None,
                        analyst_key=settings.analyst_key.get_secret_value(),
                    )
                    house.append(tasks.create_task(keeping, name="house"))
                if open_browser:
                    # Invite links hold the address under which the page was opened.
                    webbrowser.open(others[0] if lan and others else local)

            await serve_until_stopped(settings, started=started)
            for task in house:
                task.cancel()

    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(run())
    except Exception as error:
        reason = first_error(error)
        if isinstance(reason, NodeTaken | NodesUnlinked):
            raise ValueError("another server took this one's database while it was away; this one stops") from None
        if is_up:
            # A fault, not a wrong setting: the traceback is needed.
            raise RuntimeError("the server broke down") from error
        if not isinstance(reason, OSError | ValueError):
            raise
        raise ValueError(f"the server cannot start: {_why_not(reason, settings)}") from None


def _why_not(error: OSError | ValueError, settings: Settings) -> str:
    """Return why the server cannot listen, with the address."""
    where = f"{settings.host}:{settings.port}"
    match error:
        case OSError(errno=errno.EADDRINUSE):
            return f"{where} is in use; choose another with --port"
        case OSError(errno=errno.EACCES, filename=None):
            return f"{where} is not for ordinary users; choose one above 1023 with --port"
        case socket.gaierror() | OSError(errno=errno.EADDRNOTAVAIL):
            return f"{where} is no address of this machine; choose another with --host"
        case _:
            return str(error)


def _settings(**given: object) -> Settings:
    from cornered.server.settings import load_settings

    return load_settings(**{name: value for name, value in given.items() if value is not None})


@app.command()
def token(
    name: Annotated[str, typer.Argument(help="The bot's name, as shown to other players.")],
    data: Annotated[Path | None, typer.Option(help="The server's data; setting CORNERED_DATA.")] = None,
) -> None:
    """Create a player for a bot on this machine's server and print its token, once. Keep it secret."""
    from cornered.clients.sdk.address import require_name
    from cornered.server.app import mint_bot_token

    typer.echo(run_until_signal(mint_bot_token(store_settings(data), require_name(name))))


@app.command()
def bot(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT...",
            help="Bots of `cornered bots`, or a bot of yours: ./my_bot.py, package.module:name, exec:COMMAND.",
        ),
    ],
    game: Annotated[
        list[str] | None, typer.Option(help="For one bot: a game that it plays; may be repeated. By default all.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="For one bot: challenge this opponent, again after each game.")
    ] = None,
    rated: Annotated[
        bool, typer.Option("--rated", help="For one bot, with --against or --seek: play for ratings.")
    ] = False,
    seek: Annotated[bool, typer.Option(help="Keep a table open while the bot plays no match.")] = False,
    name: Annotated[str | None, typer.Option(help="For one bot: its name; by default as its word says.")] = None,
    games: Annotated[int | None, typer.Option(min=1, help="For one bot: end after so many games.")] = None,
    clock: Annotated[
        str | None,
        typer.Option(
            help="For one bot, with --against or --seek: 1+0, a minute and no more seconds a move; 20/move; none."
        ),
    ] = None,
    on_error: Annotated[
        str | None,
        typer.Option(
            help="For one bot: what to do without a legal move of it: resign (as by default), random, or raise, which "
            "ends it."
        ),
    ] = None,
    thinks_in: Annotated[
        str | None,
        typer.Option(help="For one bot: in a process for each match (as by default), or in a thread of this process."),
    ] = None,
    ladder: Annotated[
        int, typer.Option(min=0, max=16, help="Rated games at once against other bots, for which the server pairs it.")
    ] = 0,
    version_name: Annotated[
        str | None,
        typer.Option(help="The version that each bot names, such as 2.1; with a new one its ratings are uncertain."),
    ] = None,
    tournament: Annotated[str | None, typer.Option(help="The id of a tournament that each bot enters.")] = None,
    exhibition: Annotated[bool, typer.Option(help="Play exhibition games while no public match is active.")] = False,
    longest: Longest = LONGEST_MS,
    ponder: Annotated[bool, typer.Option("--ponder/--no-ponder", help="Think during the opponent's turn.")] = True,
    analyse: Annotated[
        str | None,
        typer.Option(
            help="Let this bot analyse positions for players; CORNERED_ANALYST_KEY has to be the server operator's key."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of bots with randomness, so that their moves are repeatable.")
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100,
            help="Games at once, for each bot; by default 4, and 40 for those that answer within milliseconds.",
        ),
    ] = None,
    server: ServerUrl = DEFAULT_SERVER,
    token: Annotated[
        str | None,
        typer.Option(envvar="CORNERED_TOKEN", help="The bot's token; by default that of --identities, or a new guest."),
    ] = None,
    identities: Annotated[Path | None, typer.Option(help="The file of the bots' tokens.")] = None,
    house: Annotated[
        bool, typer.Option("--house", hidden=True, help="Run as a server's house bots: end when standard input closes.")
    ] = False,
) -> None:
    """Connect bots to a server, until interrupted. A bot of yours thinks in worker processes, one for each match."""
    from cornered.cli.bot_word import is_own
    from cornered.clients.sdk.address import require_key, require_token, require_version, socket_url
    from cornered.clients.sdk.tokens import TokenStore

    options = "--against, --games, --game, --clock, --rated, --thinks-in, --on-error and --name"
    solo = (against, games, game or None, clock, on_error, name, thinks_in)
    is_solo = rated or any(given is not None for given in solo)
    if is_solo and (len(names) > 1 or house):
        raise ValueError(f"{options} are for one bot, which comes alone")
    is_alone = is_solo or (len(names) == 1 and is_own(names[0]) and not house)
    if not is_alone:
        from cornered.bots.roster import create

        for word in names:
            create(word)
    if token and len(names) > 1:
        raise ValueError("one token is one bot: name one bot, or leave the token out")
    token = require_token(token) if token else None
    # Worker processes inherit the environment and do not need the key.
    given = os.environ.pop(ANALYST_KEY, "")
    analyst_key = require_key(ANALYST_KEY, given) if given else None
    socket_url(server)
    # Tokens are stored by the server's address; `place` keeps those of house bots when the port changes.
    store = TokenStore(identities, place="house" if house else None) if identities else None
    played: Callable[[], Coroutine[None, None, None]]
    if is_alone:
        from cornered.cli.bot_word import bot_of_word

        if exhibition or analyse is not None or not ponder:
            raise ValueError(
                f"--exhibition, --analyse and --no-ponder are for several bots or those of the roster, and without "
                f"{options}"
            )
        played = bot_of_word(
            names[0],
            name,
            server=server,
            token=token,
            store=store,
            accepts=game or None,
            concurrency=concurrency,
            ladder=ladder,
            version=version_name,
            tournament=tournament,
            longest=longest,
            on_error=on_error,
            thinks_in=thinks_in,
            seed=seed,
            play=against,
            games=games,
            clock=clock,
            rated=rated,
            seek=seek,
        )
    else:
        from cornered.bots.online.host import DEFAULT_CONCURRENCY, QUICK_CONCURRENCY, HostConfig
        from cornered.bots.online.runner import run_bots
        from cornered.clients.sdk import Tempo

        config = HostConfig(
            concurrency=concurrency or DEFAULT_CONCURRENCY,
            quick_concurrency=concurrency or QUICK_CONCURRENCY,
            ladder=ladder,
            version=None if version_name is None else require_version(version_name),
            tournament=tournament,
            tempo=Tempo(longest=longest),
            exhibition=exhibition,
            seek=seek,
            seed=seed,
            ponder=ponder,
            analyse=analyse,
            analyst_key=analyst_key,
        )
        played = partial(run_bots, names, config, server=server, token=token, store=store)
    run_until_ended(played, is_house=house)


@app.command()
def bots(as_json: Json = False) -> None:
    """List the bots of the roster, and those of installed packages."""
    from cornered.bots.roster import bots as roster
    from cornered.clients.sdk.bot_word import installed

    games = [game.name for game in engine.games()]
    if as_json:
        listed = [
            {
                "name": bot.name,
                "description": bot.description,
                "games": [game for game in games if bot.plays(game)],
                "settings": [asdict(setting) for setting in bot.SETTINGS],
            }
            for bot in roster()
        ]
        typer.echo(json.dumps(listed))
        return
    wide = max(len(bot.name) for bot in roster())
    for bot in roster():
        plays = "" if bot.games is None else f" ({', '.join(bot.games)})"
        typer.echo(f"{bot.name:<{wide}}  {bot.description}{plays}")
        for setting in bot.SETTINGS:
            typer.echo(f"{'':<{wide}}    :{setting.name}=  {setting.title}: {setting.describe()}")
    for point in installed().values():
        typer.echo(f"{point.name:<{wide}}  Installed: {point.value}")


@app.command()
def play(
    game: Annotated[str | None, typer.Argument(help="A game of `cornered games`; by default a menu.")] = None,
    option: Options = None,
    bot: Annotated[str | None, typer.Option(help="Play this bot at once.")] = None,
    with_help: Annotated[
        bool,
        typer.Option("--with-help", help="Take moves back without asking the bot; never rated."),
    ] = False,
    rated: Annotated[
        bool, typer.Option("--rated", help="Play for ratings, with --bot or --seek; takebacks make it casual.")
    ] = False,
    seek: Annotated[bool, typer.Option("--seek", help="Open a table and wait for an opponent.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Wait for an opponent of a similar rating; --clock 1+1, 3+2 or 10+5.")
    ] = False,
    join: Annotated[str | None, typer.Option(help="Sit down at this table, or come back to this match.")] = None,
    name: Annotated[str | None, typer.Option(help="The name of a new player.")] = None,
    clock: Annotated[
        str, typer.Option(help="5+3: five minutes and three more seconds a move; 20/move: 20 seconds for each; none.")
    ] = "none",
    server: ServerUrl = DEFAULT_SERVER,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Print lines and read moves from standard input, instead of full-screen views."),
    ] = False,
) -> None:
    """Play in the terminal."""
    from cornered.clients.sdk import read_clock
    from cornered.clients.terminal.app import PlayRequest
    from cornered.clients.terminal.app import play as play_in_terminal
    from cornered.engine.records.text import read_option

    options = dict(read_option(text) for text in option or [])
    if game is not None:
        engine.load(game, **options)
    elif options:
        raise ValueError("name the game that these options are of")
    if with_help and bot is None:
        raise ValueError("help is for games against a bot: name one with --bot")
    if sum((bot is not None, seek, quick, join is not None)) > 1:
        raise ValueError("choose one of --bot, --seek, --quick and --join")
    if quick and options:
        raise ValueError("the pools of quick pairing have the games' usual options; leave --option out")
    if rated and with_help:
        raise ValueError("a game with help is never rated: choose one of --rated and --with-help")
    if rated and bot is None and not seek:
        raise ValueError("--rated is for a game of your own: add --bot or --seek")
    request = PlayRequest(
        game,
        options,
        read_clock(clock),
        bot=bot,
        with_help=with_help,
        rated=rated,
        seek=seek,
        quick=quick,
        join=join,
    )
    play_in_terminal(request, server=server, name=name, plain=plain)


@app.command()
def watch(
    match: Annotated[str | None, typer.Argument(help="A match's id; by default a choice of the live matches.")] = None,
    server: Annotated[
        str | None,
        typer.Option(
            envvar="CORNERED_SERVER", help=f"By default {DEFAULT_SERVER}; with --mqtt optional, to fill gaps."
        ),
    ] = None,
    mqtt: Annotated[str | None, typer.Option(help="Receive the match from this broker, as in CORNERED_MQTT.")] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Print lines instead of full-screen views.")] = False,
) -> None:
    """Watch a match in the terminal."""
    from cornered.clients.terminal.app import watch as watch_in_terminal

    watch_in_terminal(match, server=server, mqtt=mqtt, plain=plain)


@app.command()
def shots(
    out: Annotated[Path, typer.Option(help="The folder for the screenshots.")] = Path("screenshots"),
) -> None:
    """Take screenshots of the page, every game and state, with a server of its own. Needs Chromium and Playwright."""
    from cornered.cli.screenshots import take

    take(out)


@bench.command("rules")
def bench_rules(
    games: Annotated[list[str] | None, typer.Argument(help="The games; by default all.")] = None,
    as_json: Json = False,
) -> None:
    """Count positions on one core, beside a C program of the same work."""
    from cornered.bench.rules import as_json as to_json
    from cornered.bench.rules import lines, run

    for name in games or ():
        engine.load(name)
    warm_up(*(games or [game.name for game in engine.games()]))
    measured = run(tuple(games or ()))
    typer.echo(json.dumps(to_json(measured)) if as_json else "\n".join(lines(measured)))


@bench.command("server")
def bench_server(as_json: Json = False) -> None:
    """Measure moves, latency, fan-out and idle connections, beside a bare echo, in about a minute."""
    from cornered.bench.server import run

    typer.echo(run(as_json=as_json, tell=lambda text: typer.echo(text, err=True)))


@bench.command("page")
def bench_page(as_json: Json = False) -> None:
    """Measure the page's first view, beside a bare page of the same server. Needs Chromium and Playwright."""
    from cornered.bench.page import as_json as to_json
    from cornered.bench.page import lines, measure
    from cornered.cli.screenshots import running_browser, running_server

    with running_server("--no-bots") as address, running_browser() as browser:
        report = measure(browser, address)
    typer.echo(to_json(report) if as_json else "\n".join(lines(report)))


@bench.command("lobby")
def bench_lobby(
    seeks: Annotated[int, typer.Option(min=1, help="Open tables.")] = 4_000,
    matches: Annotated[int, typer.Option(min=1, help="Live matches, each with a move a second.")] = 1_000,
    watchers: Annotated[int, typer.Option(min=1, help="Sockets that watch the lobby.")] = 50,
    as_json: Json = False,
) -> None:
    """Measure the cost of a change in a large lobby, and the bytes sent to each of its watchers."""
    from cornered.bench.lobby import run

    typer.echo(run(seeks, matches, watchers, as_json=as_json, tell=lambda text: typer.echo(text, err=True)))


@bench.command("pairing")
def bench_pairing(
    players: Annotated[int, typer.Option(min=100, help="Players, and their entries into the pool.")] = 10_000,
    rate: Annotated[float, typer.Option(min=0.01, help="Entries a second.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Seed of the simulation.")] = 0,
    plot: Annotated[Path | None, typer.Option(help="An SVG file for waits and gaps by rating.")] = None,
    as_json: Json = False,
) -> None:
    """Simulate quick pairing: waits, differences of the ratings, and the time that a round takes."""
    from cornered.bench.pairing import as_json as to_json
    from cornered.bench.pairing import draw, lines, run

    report = run(players, rate, seed)
    if plot is not None:
        draw(report, plot)
    typer.echo(to_json(report) if as_json else "\n".join(lines(report)))


@bench.command("start")
def bench_start(
    matches: Annotated[int, typer.Option(min=1, help="Live matches that the server finds.")] = 5_000,
    as_json: Json = False,
) -> None:
    """Measure how long a server with many live matches takes to be ready, and to load them in the background."""
    from cornered.bench.start import as_json as to_json
    from cornered.bench.start import lines, run

    warm_up(*(game.name for game in engine.games()))
    report = run(matches)
    typer.echo(to_json(report) if as_json else "\n".join(lines(report)))


@bench.command("attacks")
def bench_attacks(
    names: Annotated[list[str] | None, typer.Argument(help="The attacks; by default all.")] = None,
    nodes: Annotated[int, typer.Option(min=1, max=8, help="Number of nodes.")] = 1,
    seconds: Annotated[float, typer.Option(min=0.5, help="How long each attack lasts.")] = 2.0,
    scale: Annotated[float, typer.Option(min=0.1, help="Factor on the number of sockets and matches.")] = 1.0,
    as_json: Json = False,
) -> None:
    """Attack a server process in every known way, and measure the latency of honest players meanwhile.

    Several nodes share a PostgreSQL and a Mosquitto of their own; the attackers are at the first node.
    """
    from cornered.bench.attacks.table import as_json as to_json
    from cornered.bench.attacks.table import lines, run

    rows = run(
        names or (),
        seconds=seconds,
        scale=scale,
        nodes=nodes,
        tell=lambda text: typer.echo(text, err=True),
    )
    typer.echo(json.dumps(to_json(rows)) if as_json else "\n".join(lines(rows)))
    raise typer.Exit(0 if all(row.is_withstood for row in rows) else 1)


@bench.command("fuzz")
def bench_fuzz(
    seconds: Annotated[float, typer.Option(min=0.5, help="How long.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of the cases.")] = 1,
    replay: Annotated[Path | None, typer.Option(help="Repeat the cases of this file instead.")] = None,
    keep: Annotated[Path, typer.Option(help="The folder for failing cases.")] = Path("fuzz-failures"),
) -> None:
    """Send random handshakes, frames and messages to a server process, while honest players use it."""
    from cornered.bench.attacks.table import lines
    from cornered.bench.fuzzing.fuzzer import run

    findings = run(seconds, seed=seed, replay=replay, keep=keep)
    typer.echo("\n".join(lines([findings.row])))
    if findings.cases is not None:
        typer.echo(f"the cases are in {findings.cases}; play them with --replay {findings.cases}")
    raise typer.Exit(0 if findings.row.is_withstood else 1)


@bench.command("soak")
def bench_soak(
    minutes: Annotated[float, typer.Option(min=0.1, help="How long.")] = 10.0,
    as_json: Json = False,
) -> None:
    """Play, watch, chat and reconnect for minutes, and check that the server keeps no resources."""
    from cornered.bench.soak import as_json as to_json
    from cornered.bench.soak import lines, run

    report = run(
        minutes, report=lambda progress: typer.echo(f"\r{progress.done:,} s, {progress.note} ", err=True, nl=False)
    )
    typer.echo("", err=True)
    typer.echo(json.dumps(to_json(report)) if as_json else "\n".join(lines(report)))
    raise typer.Exit(1 if report.errors else 0)


@bench.command("faults")
def bench_faults(
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of players of each kind of client.")] = 6,
    nodes: Annotated[int, typer.Option(min=1, max=8, help="Number of nodes.")] = 1,
    minutes: Annotated[float, typer.Option(min=0.1, help="How long faults occur.")] = 5.0,
    faults: Annotated[int, typer.Option(min=0, help="How many faults; 0 is one each 1.5 seconds.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the schedule.")] = 1,
    postgres: Annotated[bool, typer.Option(help="Store in PostgreSQL; more than one node always does.")] = False,
    out: Annotated[Path, typer.Option(help="The folder for the report.")] = Path("faults-report"),
    as_json: Json = False,
) -> None:
    """Let players play while networks, processes, disks and clocks fail, and check that nothing was lost.

    The exit code is 0, 1 where a promise was broken, and 130 after Ctrl-C, which ends the faults and checks what was.
    """
    from cornered.bench.faults.campaign import Plan, run
    from cornered.bench.faults.report import as_json as to_json
    from cornered.bench.faults.report import lines, write

    seconds = minutes * 60
    plan = Plan(seconds, faults or round(seconds / 1.5), seed, nodes, is_postgres=postgres or nodes > 1, pairs=pairs)
    campaign = run(plan, lambda text: typer.echo(text, err=True))
    write(campaign, out)
    typer.echo(json.dumps(to_json(campaign)) if as_json else "\n".join(lines(campaign)))
    typer.echo(f"the report is in {out}", err=True)
    raise typer.Exit(1 if campaign.violations else 130 if campaign.was_interrupted else 0)


@bench.command("search")
def bench_search(
    games: Annotated[list[str] | None, typer.Argument(help="The games; by default all.")] = None,
    as_json: Json = False,
) -> None:
    """Count the nodes of fixed searches, and measure the search beside a C program of the same work."""
    from cornered.bench.search import as_json as to_json
    from cornered.bench.search import lines, run

    for name in games or ():
        engine.load(name)
    warm_up(*(games or [game.name for game in engine.games()]))
    figures = run(tuple(games or ()), tell=lambda text: typer.echo(text, err=True))
    typer.echo(json.dumps(to_json(figures)) if as_json else "\n".join(lines(figures)))


@bench.command("clocks")
def bench_clocks(
    only: Annotated[list[str] | None, typer.Option("--game", help="A game; may be repeated.")] = None,
    bots: Annotated[str, typer.Option(help="Bots of the roster, separated by spaces; by default all.")] = "",
    games: Annotated[int, typer.Option(min=1, help="The number of games.")] = 100,
    clock: Annotated[str, typer.Option(help="Initial seconds, and seconds added per move.")] = "1+0.05",
    concurrency: Annotated[int, typer.Option(min=1, help="Games at once.")] = 4,
    workers: Annotated[int | None, typer.Option(min=1, help="Worker processes.")] = None,
    kill_every: Annotated[float, typer.Option(min=0, help="Seconds between kills of a worker process.")] = 0.0,
    as_json: Json = False,
) -> None:
    """Let bots play each other on short clocks over real sockets, and check that none loses on time."""
    from cornered.bench.clocks import Trial, lines, run
    from cornered.bench.clocks import as_json as to_json

    trial = Trial(
        games=games,
        clock=clock,
        concurrency=concurrency,
        workers=workers,
        kill_every_s=kill_every,
        bots=bots.split(),
        only=only or (),
    )
    report = run(trial, tell=lambda text: typer.echo(text, err=True))
    typer.echo(json.dumps(to_json(report)) if as_json else "\n".join(lines(report)))
    raise typer.Exit(1 if report.flags else 0)


@bench.command("playouts")
def bench_playouts(
    seconds: Annotated[float, typer.Option(min=0.1, help="CPU seconds for each figure.")] = 2.0, json_: Json = False
) -> None:
    """Measure whole random games a second on one core, beside OpenSpiel's Quoridor where that is installed."""
    from cornered.bench.playouts import as_json as to_json
    from cornered.bench.playouts import lines, run

    warm_up(*(game.name for game in engine.games()))
    speeds = list(run(seconds))
    if json_:
        typer.echo(json.dumps(to_json(speeds)))
        return
    for line in lines(speeds):
        typer.echo(line)


def narrowed_to(word: str) -> typer.Typer:
    """Return the command line with the command `word` alone, or the whole one where there is no such command.

    Reading the parameters of all commands takes a tenth of a second.
    """
    found = _with_only(word, app)
    return found if found.registered_commands or found.registered_groups else app


def _with_only(word: str, group: typer.Typer) -> typer.Typer:
    found = copy(group)
    found.registered_commands = [
        one
        for one in group.registered_commands
        if one.callback is not None and word == (one.name or one.callback.__name__.replace("_", "-"))
    ]
    found.registered_groups = [one for one in group.registered_groups if one.name == word]
    for one in group.registered_groups:
        if not one.name and one.typer_instance is not None:
            # Its commands are those of the group that it was added to.
            inner = _with_only(word, one.typer_instance)
            found.registered_commands += inner.registered_commands
            found.registered_groups += inner.registered_groups
    return found


def _use_utf8() -> None:
    """Read and write UTF-8 where standard streams are files or pipes, as all files of ours are, and escape what a
    terminal with another encoding cannot show."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # A test and a program without a console have others, or none.
        if not isinstance(stream, io.TextIOWrapper):
            continue
        is_read = stream is sys.stdin
        errors = "replace" if is_read else "backslashreplace"
        if stream.isatty():
            stream.reconfigure(errors=errors)
        else:
            # Some shells begin what they write with a byte order mark.
            stream.reconfigure(encoding="utf-8-sig" if is_read else "utf-8", errors=errors)


def main() -> None:
    """Run the command line. SIGTERM ends it as an exception does, so that what it has started ends too.

    So does SIGHUP, the end of its terminal, but for a program that ignores it, as `nohup` has it.
    """
    with contextlib.suppress(ValueError):
        # Some commands replace them. Outside the main thread there are none.
        for name in ("SIGTERM", "SIGHUP"):
            ending: signal.Signals | None = getattr(signal, name, None)
            if ending is not None and signal.getsignal(ending) is signal.SIG_DFL:
                signal.signal(ending, lambda number, frame: sys.exit(128 + number))
    _use_utf8()
    narrowed_to(sys.argv[1] if len(sys.argv) > 1 else "")(prog_name="cornered")


if __name__ == "__main__":
    main()
