"""The commands of the rules, which need no server: `cornered games`, `moves`, `show`, `perft` and `check`."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from cornered import engine
from cornered.cli.errors import CommandGroup
from cornered.engine.game import CHANCE, State
from cornered.engine.progress import Progress
from cornered.protocol.text import visible

__all__ = ["app"]

SHOWN_PROBLEMS = 20

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game; `cornered games` lists them.")]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the game; may be repeated."),
]
MovesOption = Annotated[str, typer.Option("--moves", "-m", help='Moves from the start, as in "c2 c4".')]
PositionOption = Annotated[str | None, typer.Option("--position", "-p", help="A position text to start from.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def position_of(game: str, options: list[str] | None, position: str | None, moves: str) -> State:
    """Return the position that the command line describes, with its rules compiled."""
    from cornered.engine.records.text import read_option

    loaded = engine.load(game, **dict(read_option(option) for option in options or []))
    warm_up(game)
    state = loaded.parse(position) if position else loaded.start()
    for move in split_moves(moves):
        state = engine.apply(state, move)
    return state


def split_moves(moves: str) -> list[str]:
    """Return the moves of a command line, separated by spaces or commas."""
    return moves.replace(",", " ").split()


def warm_up(*games: str) -> None:
    """Compile the rules that are not compiled yet, with a message on standard error."""
    from cornered.engine.warming import is_warm, warm

    cold = [game for game in games if not is_warm(game)]
    if not cold:
        return
    from rich.console import Console

    with Console(stderr=True).status(f"Compiling the rules of {', '.join(cold)}, once on this machine") as status:

        def report(progress: Progress) -> None:
            status.update(f"Compiling {progress.step} ({progress.done}/{progress.total})")

        warm(*cold, report=report)


def as_json(state: State) -> dict[str, Any]:
    """Return a position as JSON-compatible values."""
    outcome = state.outcome
    return {
        "game": state.game.name,
        "options": dict(state.game.options),
        "position": str(state),
        "to_move": None if outcome else "chance" if state.to_move == CHANCE else state.to_move,
        "outcome": None if outcome is None else {"winner": outcome.winner, "places": outcome.places},
        "legal": state.moves(),
        "gauges": [{"label": label, "value": value} for label, value in state.gauges()],
    }


def describe_turn(state: State) -> str:
    """Return the seat to move, or the result, in words."""
    outcome = state.outcome
    if outcome is None:
        return "chance rolls" if state.to_move == CHANCE else f"seat {state.to_move} to move"
    result = "a draw" if outcome.winner is None else f"seat {outcome.winner} has won"
    return result if len(outcome.places) == 2 else f"{result}; places by seat: {', '.join(map(str, outcome.places))}"


@app.command()
def games(json_: Json = False) -> None:
    """List the games and their options."""
    if json_:
        listed = [
            {
                "name": game.name,
                "title": game.title,
                "summary": game.summary,
                "options": [
                    {
                        "name": option.name,
                        "title": option.title,
                        "kind": option.kind,
                        "choices": option.choices,
                        "default": game().options[option.name],
                        "optional": option.optional,
                    }
                    for option in game.OPTIONS
                ],
            }
            for game in engine.games()
        ]
        typer.echo(json.dumps(listed))
        return
    for game in engine.games():
        typer.echo(f"{game.name}: {game.summary}")
        defaults = game().options
        for option in game.OPTIONS:
            value = defaults[option.name]
            default = "nothing" if value is None else str(value).lower()
            typer.echo(f"    --option {option.name}=  {option.title}: {option.describe()} (default {default})")


@app.command()
def moves(
    game: GameName,
    option: Options = None,
    moves: MovesOption = "",
    position: PositionOption = None,
    json_: Json = False,
) -> None:
    """Print the legal moves of a position, in one line."""
    state = position_of(game, option, position, moves)
    if json_:
        typer.echo(json.dumps(as_json(state)))
    else:
        typer.echo(describe_turn(state), err=True)
        typer.echo(" ".join(state.moves()))


@app.command()
def show(
    game: GameName,
    option: Options = None,
    moves: MovesOption = "",
    position: PositionOption = None,
    hints: Annotated[bool, typer.Option("--hints", help="Mark the destinations of legal moves.")] = False,
    light: Annotated[
        bool | None, typer.Option("--light/--dark", help="Light or dark tiles; by default as the terminal reports.")
    ] = None,
    json_: Json = False,
) -> None:
    """Draw a position."""
    state = position_of(game, option, position, moves)
    if json_:
        typer.echo(json.dumps(as_json(state)))
        return
    from rich.console import Console

    from cornered.cli import show as showing

    console = Console(highlight=False)
    showing.show(console, state, split_moves(moves), describe_turn(state), has_hints=hints, is_light=light)


def count_by_move(state: State, depth: int) -> dict[str, int]:
    """Return the perft of each first move, with progress, interruptible at any time. Compiled code handles no signals,
    so it runs in a daemon thread, which does not outlive the process."""
    from rich.console import Console
    from rich.progress import Progress as Bar

    moves = state.moves()
    counts: dict[str, int] = {}

    failures: list[Exception] = []

    def count() -> None:
        try:
            for move in moves:
                counts[move] = engine.perft(state.play(move), depth - 1)
        except Exception as failure:
            failures.append(failure)

    counting = threading.Thread(target=count, daemon=True)
    console = Console(stderr=True)
    with Bar(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(f"perft {depth}", total=len(moves))
        counting.start()
        while counting.is_alive():
            counting.join(0.1)
            progress.update(bar, completed=len(counts))
    for failure in failures:
        raise failure
    return counts


@app.command()
def perft(
    game: GameName,
    *,
    option: Options = None,
    moves: MovesOption = "",
    position: PositionOption = None,
    depth: Annotated[int, typer.Option("--depth", "-d", min=0, help="Depth in plies.")],
    divide: Annotated[bool, typer.Option("--divide", help="Print each first move's count too.")] = False,
    json_: Json = False,
) -> None:
    """Count the legal move sequences of exactly --depth plies; the count is the last line."""
    state = position_of(game, option, position, moves)
    started = time.perf_counter()
    counts = count_by_move(state, depth) if depth > 1 or (divide and depth) else {}
    leaves = sum(counts.values()) if depth > 1 else engine.perft(state, depth)
    seconds = time.perf_counter() - started
    if json_:
        typer.echo(
            json.dumps({"depth": depth, "leaves": leaves, "seconds": seconds, "divide": counts if divide else {}})
        )
        return
    if divide:
        for move, count in counts.items():
            typer.echo(f"{move} {count}")
    typer.echo(f"depth {depth}: {seconds:.3f} s, {leaves / max(seconds, 1e-9) / 1e6:.1f} M leaves/s", err=True)
    typer.echo(leaves)


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Oracles or records: JSON lines, or records as text.")],
    json_: Json = False,
) -> None:
    """Replay oracles or records and count what agrees with the rules. Exit code 1 when anything differs."""
    from cornered.cli.check import check_lines, check_records
    from cornered.engine.records.files import read_text

    agreed: Counter[tuple[str, str]] = Counter()
    differed: Counter[tuple[str, str]] = Counter()
    problems: list[str] = []
    for path in files:
        text = read_text(path)
        warm_up(*(game.name for game in engine.games() if f'"{game.name}"' in text))
        is_records = text.lstrip().startswith(("[", ";", "%"))
        for verdict in check_records(text) if is_records else check_lines(text.split("\n")):
            (agreed if verdict.problem is None else differed)[verdict.game, verdict.kind] += 1
            if verdict.problem is not None:
                problems.append(f"{path}:{verdict.line}: {verdict.kind}: {verdict.problem}")
    keys = sorted({*agreed, *differed})
    if json_:
        counts = [
            {"game": game, "kind": kind, "agree": agreed[game, kind], "differ": differed[game, kind]}
            for game, kind in keys
        ]
        typer.echo(json.dumps({"counts": counts, "problems": problems}))
        raise typer.Exit(1 if problems else 0)
    for problem in problems[:SHOWN_PROBLEMS]:
        typer.echo(visible(problem))
    if len(problems) > SHOWN_PROBLEMS:
        typer.echo(f"... and {len(problems) - SHOWN_PROBLEMS} more")
    for game, kind in keys:
        typer.echo(f"{visible(game)} {visible(kind)}: {agreed[game, kind]} agree, {differed[game, kind]} differ")
    if any(kind == "exact" for _, kind in keys):
        typer.echo("exact: positions, turns and moves were compared; the values themselves take a search to check")
    typer.echo(f"all: {agreed.total()} agree, {differed.total()} differ")
    raise typer.Exit(1 if problems else 0)
