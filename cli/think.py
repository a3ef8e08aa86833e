"""`cornered think` and `cornered solve`: a bot's choice with its reasons, and the proven result of a position."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from cornered import engine
from cornered.cli.answers import answer, describe, limit_of, milliseconds
from cornered.cli.errors import CommandGroup
from cornered.cli.rules import GameName, Json, MovesOption, Options, PositionOption, position_of
from cornered.clients.ending import run_until_signal
from cornered.engine.game import CHANCE, State

if TYPE_CHECKING:
    from cornered.bots.bot import Bot, Limit, Thought
    from cornered.bots.solve import Solution

__all__ = ["app", "interruptible"]

DEFAULT_BOT: Final = "champion"
T = TypeVar("T")

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)

BotSpec = Annotated[
    str,
    typer.Option(
        "--bot", "-b", metavar="BOT", help="A bot as for `match`: NAME, ./file.py, package.module:name, exec:COMMAND."
    ),
]
Seconds = Annotated[
    float | None, typer.Option("--time", "-t", min=0.001, max=86_400, help="Seconds for each position.")
]
Depth = Annotated[int | None, typer.Option("--depth", "-d", min=1, max=1000, help="Plies to look ahead.")]
Nodes = Annotated[int | None, typer.Option("--nodes", "-n", min=1, max=2**62, help="Nodes for each position.")]


def timed(bot: Bot, state: State, limit: Limit) -> Thought:
    """Return the bot's thought, with the seconds measured here where it does not report them."""
    started = time.perf_counter()
    thought = bot.choose(state, limit)
    return thought if thought.seconds else replace(thought, seconds=time.perf_counter() - started)


def require_turn(state: State) -> None:
    """Raise ValueError where no player is to move."""
    if state.outcome is not None:
        raise ValueError("the game is over in this position; leave some moves out")
    if state.to_move == CHANCE:
        raise ValueError("the dice have to be rolled here; add the roll, 1, 2 or 3, to the moves")


def interruptible(work: Callable[[], T], status: str, progress: Callable[[], str] = str) -> T:
    """Return the result of `work` with a status line on the terminal, interruptible at any time. Compiled code handles
    no signals, so it runs in a daemon thread, which does not outlive the process."""
    from rich.console import Console

    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as failure:
            failures.append(failure)

    running = threading.Thread(target=run, daemon=True)
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(status) as line:
            running.start()
            while running.is_alive():
                running.join(0.2)
                line.update(f"{status} {progress()}")
    else:
        running.start()
        while running.is_alive():
            running.join(0.2)
    for failure in failures:
        raise failure
    return results[0]


@app.command()
def think(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="A game; none with --file.")] = None,
    option: Options = None,
    moves: MovesOption = "",
    position: PositionOption = None,
    file: Annotated[
        Path | None, typer.Option("--file", help='Positions as JSON lines: {"game", "options", "moves"}.')
    ] = None,
    bot: BotSpec = DEFAULT_BOT,
    time_: Seconds = None,
    depth: Depth = None,
    nodes: Nodes = None,
    multipv: Annotated[
        int, typer.Option("--multipv", min=1, max=1000, help="The number of moves with exact scores and lines.")
    ] = 1,
    seed: Annotated[
        int | None, typer.Option(help="Seed of bots with randomness; each position is then searched by one process.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Worker processes; by default one for a position, one a core for a file.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Where the answers go, a line for each position.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume after the answers that --out holds.")] = False,
    json_: Json = False,
) -> None:
    """Show a bot's move and its reasons: in one position, or in every position of a file."""
    from cornered.bots.roster import create

    player = create(bot, seed)
    if file is not None:
        if game is not None or moves or position or option:
            raise ValueError("--file brings its own games and moves: leave GAME, --option, --moves and --position out")
        if out is None:
            raise ValueError("--file needs --out, the file for the answers")
        from cornered.cli.think_batch import BatchConfig, think_through

        think_through(file, out, BatchConfig(bot, time_, depth, nodes, multipv, seed), workers=workers, resume=resume)
        return
    if out is not None or resume:
        raise ValueError("--out and --resume belong to --file")
    if game is None:
        raise ValueError(f"name a game, one of {', '.join(game.name for game in engine.games())}, or give a --file")
    state = position_of(game, option, position, moves)
    require_turn(state)
    if not player.plays(state.game):
        instead = player.played_instead(state.game)
        raise ValueError(f"{player.name} does not play {state.game!r}{instead and f'; {instead}'}")
    player.prepare(state.game)
    limit = limit_of(time_, depth, nodes, multipv)
    if workers is not None and workers > 1:
        thought = _with_pool(bot, state, limit, workers, seed)
    else:
        thought = interruptible(lambda: timed(player, state, limit), f"{player.label} thinks")
    typer.echo(json.dumps(answer(thought, state)) if json_ else describe(thought, player.label, multipv))


def _with_pool(bot: str, state: State, limit: Limit, workers: int, seed: int | None) -> Thought:
    """Search one position in several processes with a shared transposition table; with a seed, in one process."""
    from time import monotonic

    from cornered.bots.pool.pool import Pool

    async def run() -> Thought:
        async with Pool.open(workers, all_workers=True) as pool:
            return await pool.choose(bot, state, replace(limit, started=monotonic()), seed=seed)

    return run_until_signal(run())


@app.command()
def solve(
    game: GameName,
    option: Options = None,
    moves: MovesOption = "",
    position: PositionOption = None,
    time_: Seconds = None,
    nodes: Nodes = None,
    memory: Annotated[
        int | None, typer.Option("--memory", min=1, max=2**20, help="MiB of Quoridor's tables; by default 305.")
    ] = None,
    json_: Json = False,
) -> None:
    """Prove what a position comes to with best play, by default the start; exit code 1 when the limit is too small."""
    from cornered.bots.bot import Limit
    from cornered.bots.solve import solver

    state = position_of(game, option, position, moves)
    require_turn(state)
    found = solver(game)
    if found is None:
        raise ValueError(f"there is no solver for {game}")
    limit = Limit(milliseconds(time_), None, nodes, memory=None if memory is None else memory << 20)
    counted = 0

    def report(nodes: int) -> None:
        nonlocal counted
        counted = nodes

    started = time.perf_counter()
    solution = interruptible(
        lambda: found.solve(state, limit, report), f"Solving {state.game!r}:", lambda: f"{counted:,} nodes"
    )
    seconds = time.perf_counter() - started
    if json_:
        typer.echo(json.dumps(_solution(solution, state, seconds)))
    elif solution is not None:
        typer.echo(_solved(solution, state, seconds))
    if solution is None:
        why = "the solver does not play these options, or needs more --memory"
        if time_ is not None or nodes is not None:
            why = "not solved within the limit; give more --time or --nodes, or the solver may not reach these options"
        typer.echo(why, err=True)
        raise typer.Exit(1)


def _solution(solution: Solution | None, state: State, seconds: float) -> dict[str, Any]:
    if solution is None:
        return {"position": str(state), "value": None, "seconds": round(seconds, 4)}
    return {
        "position": str(state),
        "value": solution.value,
        "plies": solution.plies,
        "winning": list(solution.winning),
        "moves": {
            move: {"value": value, "plies": solution.lengths.get(move)} for move, value in solution.moves.items()
        },
        "nodes": solution.nodes,
        "seconds": round(seconds, 4),
    }


def _solved(solution: Solution, state: State, seconds: float) -> str:
    who = f"seat {state.to_move}, to move,"
    what = {"win": "wins", "loss": "loses", "draw": "draws"}[solution.value]
    length = f" in {solution.plies} plies" if solution.plies is not None and solution.value != "draw" else ""
    lines = [f"{who} {what}{length} with best play"]
    for value, words in (("win", "winning moves"), ("draw", "drawing moves"), ("loss", "losing moves")):
        listed = [
            f"{move} ({solution.lengths[move]})" if move in solution.lengths else move
            for move, found in solution.moves.items()
            if found == value
        ]
        if listed:
            lines.append(f"{words}: {' '.join(listed)}")
    return "\n".join([*lines, f"{solution.nodes:,} nodes in {seconds:.3f} s"])
