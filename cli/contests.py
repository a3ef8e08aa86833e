"""`cornered match` and `cornered tournament`: bots against bots, in process or on a server."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cornered.cli.contest_setup import ContestConfig, ContestOptions, as_typed, playing
from cornered.cli.errors import CommandGroup
from cornered.cli.missing_extra import advice, require
from cornered.cli.places import PlacesTournament
from cornered.cli.rules import Json, Options
from cornered.cli.tournament import Tournament, TournamentKind
from cornered.engine.progress import Progress

if TYPE_CHECKING:
    from cornered.lab.contests.match import MatchTally
    from cornered.lab.contests.terms import PlayedGame
    from cornered.lab.statistics.sprt import Sprt

__all__ = ["app", "sequential_test"]

DEFAULT_GAMES: Final = 100
MAX_TEST_GAMES: Final = 20_000
"""Maximum games of a sequential test."""

ERROR_PROBABILITY: Final = 0.05
"""Default error probabilities of --sprt."""

REPORT_MODULES: Final = ("jinja2", "matplotlib")
"""What a report is written with, which needs the extra `lab`."""

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)

BotWord = Annotated[
    str,
    typer.Argument(
        metavar="BOT",
        help="NAME[:SETTING=VALUE,...] of `cornered bots`, ./file.py, package.module:name or exec:COMMAND.",
    ),
]
GameName = Annotated[str, typer.Option("--game", "-g", metavar="GAME", help="A game; `cornered games` lists them.")]
Seconds = Annotated[
    float | None, typer.Option("--time", "-t", min=0.001, max=86_400, help="Seconds a move; 0.1 if no limit is given.")
]
Depth = Annotated[int | None, typer.Option("--depth", "-d", min=1, max=1000, help="Plies to look ahead.")]
Nodes = Annotated[int | None, typer.Option("--nodes", "-n", min=1, max=2**62, help="Nodes a move.")]
OpeningsFile = Annotated[
    Path | None,
    typer.Option("--openings", help="A file of openings, one a line: moves from the start, separated by spaces."),
]
PliesOption = Annotated[
    int | None,
    typer.Option(
        "--plies", min=0, max=100, help="Random plies before the bots play; by default as many as give varied games."
    ),
]
Adjudicate = Annotated[bool, typer.Option("--adjudicate", help="End games when both bots have proven the result.")]
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=2**32 - 1, help="Seed of openings, dice and bots with randomness.")
]
Workers = Annotated[int | None, typer.Option("--workers", "-w", min=1, help="Worker processes; by default one a core.")]
ClusterOption = Annotated[
    str | None,
    typer.Option("--cluster", metavar="URL", help="Play on the machines of a Dask scheduler, tcp://host:8786."),
]
Server = Annotated[
    str | None, typer.Option("--server", metavar="URL", help="Play as clients of a server, ws://host:8420.")
]
ClockOption = Annotated[str | None, typer.Option("--clock", help="The time control on a server: 5+3, 20/move or none.")]


@app.command()
def match(
    context: typer.Context,
    first: BotWord,
    second: BotWord,
    game: GameName,
    option: Options = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            min=2,
            help=f"The number of games, which is even; by default {DEFAULT_GAMES}. With --sprt the maximum; by default "
            f"{MAX_TEST_GAMES:,}.",
        ),
    ] = None,
    clock: ClockOption = None,
    time_: Seconds = None,
    depth: Depth = None,
    nodes: Nodes = None,
    openings: OpeningsFile = None,
    plies: PliesOption = None,
    adjudicate: Adjudicate = False,
    sprt: Annotated[
        str | None,
        typer.Option(
            "--sprt",
            metavar="LOW,HIGH",
            help="Stop when a sequential test decides between two normalised Elo differences.",
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            min=1e-6, max=0.499, help=f"The probability that --sprt accepts HIGH wrongly; {ERROR_PROBABILITY}."
        ),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(
            min=1e-6, max=0.499, help=f"The probability that --sprt accepts LOW wrongly; {ERROR_PROBABILITY}."
        ),
    ] = None,
    seed: Seed = 1,
    workers: Workers = None,
    cluster: ClusterOption = None,
    server: Server = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The folder for the games and a report; the same command resumes there."),
    ] = None,
    json_: Json = False,
) -> None:
    """Find out which of two bots is stronger, with the confidence.

    They play pairs of games: each pair has an opening of its own, and the seats are swapped for its second game.
    """
    from cornered.cli.match_report import MatchResult, note
    from cornered.lab.contests.match import PairedMatch, run

    if out is not None:
        require(*REPORT_MODULES)
    test = sequential_test(sprt, alpha, beta)
    most = games or (MAX_TEST_GAMES if test else DEFAULT_GAMES)
    _require_pairs(most)
    options = ContestOptions(
        game=game,
        option=option or (),
        seconds=time_,
        depth=depth,
        nodes=nodes,
        seed=seed,
        server=server,
        clock=clock,
        openings=openings,
        plies=plies,
        adjudicates=adjudicate,
    )
    config = ContestConfig.of(options)
    config.terms.check(first, second)
    counted: list[PlayedGame] = []
    with playing(config, "match", {"bots": [first, second]}, (first, second), out, workers, cluster) as session:

        def on_game(played: PlayedGame, tally: MatchTally) -> bool:
            counted.append(played)
            is_whole = tally.games == len(counted)
            is_decided = is_whole and test is not None and test.verdict(tally.pairs) is not None
            if is_decided or len(counted) == most or session.is_due():
                session.report(Progress("games", len(counted), most, note(tally, test, session.pace)))
            return is_decided

        session.report(Progress("games", 0, most))
        paired = PairedMatch(first, second, config.terms, config.openings, most // 2)
        tally = run(paired, session.workforce, session.keep, until=on_game)
    result = MatchResult(first, second, config.terms, tuple(counted), tally, test)
    # The result comes first: a report that cannot be written must not hide it.
    if json_:
        typer.echo(json.dumps({**result.as_json(), "folder": None if out is None else str(out)}))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        typer.echo("\n".join(result.lines(width)))
    if counted and not session.has_played:
        typer.echo(_all_earlier(len(counted)), err=json_)
    if out is not None:
        result.write(out, {"command": as_typed(context), "Openings": config.opened})
        if not json_:
            typer.echo(f"The games and a report are in {out}.")


def sequential_test(text: str | None, alpha: float | None = None, beta: float | None = None) -> Sprt | None:
    """Return the test of --sprt, None without one; its errors are `ERROR_PROBABILITY` by default. Raises ValueError."""
    if text is None:
        if alpha is not None or beta is not None:
            raise ValueError("--alpha and --beta are the errors of a test: give --sprt, as in --sprt 0,3")
        return None
    from cornered.lab.statistics.sprt import Sprt

    low, _, high = text.partition(",")
    try:
        bounds = float(low), float(high)
    except ValueError:
        raise ValueError(f"--sprt is two differences in normalised Elo, as in 0,3, not {text!r}") from None
    return Sprt(*bounds, ERROR_PROBABILITY if alpha is None else alpha, ERROR_PROBABILITY if beta is None else beta)


def _all_earlier(games: int) -> str:
    """Return the line for a contest whose games were all played before."""
    return f"All {games:,} games are of an earlier run; nothing was played."


def _require_pairs(games: int) -> None:
    if games % 2:
        raise ValueError(f"two games make a pair: give --games an even number, {games - 1} or {games + 1}")


@app.command()
def tournament(
    context: typer.Context,
    bots: Annotated[
        list[str],
        typer.Argument(metavar="BOT...", help="Bots as for `match`, in the order of their seeding."),
    ],
    game: GameName,
    option: Options = None,
    kind: Annotated[TournamentKind, typer.Option("--kind", "-k", help="How the bots are paired.")] = "round-robin",
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            min=1,
            help="Games of a meeting; by default 10, swiss 2, knockout 4, and 12 of three or four bots.",
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds", min=1, max=1000, help="Rounds of a Swiss tournament; by default the fewest that find a winner."
        ),
    ] = None,
    tested: Annotated[
        int | None,
        typer.Option(
            "--tested", min=1, help="How many of the first bots play a gauntlet against the others; by default 1."
        ),
    ] = None,
    clock: ClockOption = None,
    time_: Seconds = None,
    depth: Depth = None,
    nodes: Nodes = None,
    openings: OpeningsFile = None,
    plies: PliesOption = None,
    adjudicate: Adjudicate = False,
    seed: Seed = 1,
    workers: Workers = None,
    cluster: ClusterOption = None,
    server: Server = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The folder for the games and the report; by default tournament-GAME-SEED."),
    ] = None,
    json_: Json = False,
) -> None:
    """Play a tournament between bots, and rate them. The same command resumes an interrupted tournament.

    round-robin: every bot meets every other.
    gauntlet: the first meets all others.
    swiss: a few rounds pair bots of similar score.
    knockout: the loser of a meeting is eliminated.
    Games of three or four players are for round-robin: every group of as many bots meets, in rotated seats.
    """
    from cornered.lab.contests.contest import hold

    options = ContestOptions(
        game=game,
        option=option or (),
        seconds=time_,
        depth=depth,
        nodes=nodes,
        seed=seed,
        server=server,
        clock=clock,
        openings=openings,
        plies=plies,
        adjudicates=adjudicate,
        takes_several=True,
    )
    seats = options.terms().load().seats
    event = (
        Tournament.of(kind, bots, games, rounds, tested)
        if seats == 2
        else PlacesTournament.of(seats, kind, bots, games, rounds, tested)
    )
    config = ContestConfig.of(options)
    terms = config.terms
    terms.check(*bots)
    folder = out or Path(f"tournament-{terms.game}-{seed}")
    schedule = event.schedule(config.openings)
    with playing(config, "tournament", asdict(event), bots, folder, workers, cluster) as session:

        def on_game(_: PlayedGame, progress: Progress) -> None:
            if session.is_due():
                session.report(replace(progress, note=f"{session.pace:.1f}/s"))

        session.report(Progress("games", 0, schedule.games()))
        played = hold(terms, schedule, session.workforce, session.keep, on_game)
        session.report(Progress("games", len(played), len(played), f"{session.pace:.1f}/s"))
    # The result comes first: a report that cannot be written must not hide it.
    if json_:
        typer.echo(json.dumps({**event.as_json(terms, played), "folder": str(folder)}))
    else:
        event.show(terms, played)
    if not session.has_played:
        typer.echo(_all_earlier(len(played)), err=json_)
    try:
        require(*REPORT_MODULES)
    except ModuleNotFoundError as error:
        typer.echo(f"The games are in {folder}, without a report: {advice(error)}", err=json_)
        return
    event.write(folder, terms, played, {"command": as_typed(context), "Openings": config.opened})
    if not json_:
        typer.echo(f"The games and a report are in {folder}.")
