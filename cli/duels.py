"""`cornered bench ladder` and `cornered bench strength`: bots against each other, with the differences in Elo."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cornered.cli.answers import milliseconds
from cornered.cli.contests import sequential_test
from cornered.cli.rules import Json, warm_up

if TYPE_CHECKING:
    from cornered.bench.duels import Duel
    from cornered.lab.statistics.sprt import Sprt

__all__ = ["register"]

DEFAULT_REPLAY_GAMES: Final = 40
LEVELS: Final = range(1, 11)

Seed = Annotated[int, typer.Option(help="Seed of openings, dice and bots with randomness.")]
Workers = Annotated[int | None, typer.Option("--workers", "-w", min=1, help="Worker processes; by default one a core.")]


def register(bench: typer.Typer) -> None:
    """Add the commands to `cornered bench`."""
    bench.command("ladder")(ladder)
    bench.command("strength")(strength)


def ladder(
    game: Annotated[str, typer.Argument(help="The game to play.")],
    bots: Annotated[
        str | None,
        typer.Option(help="Bots from the weakest to the strongest, separated by spaces; by default the levels."),
    ] = None,
    games: Annotated[int, typer.Option(min=2, help="Games for each step.")] = 200,
    seed: Seed = 1,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Measure how much stronger each level is than the one below."""
    from cornered.bench.ladder import steps

    climbers = bots.split() if bots else [f"level:level={level}" for level in LEVELS]
    _play(steps(game, climbers, seed=seed), games, None, workers, as_json=as_json)


def strength(
    game: Annotated[
        list[str] | None, typer.Argument(help="The games to play; by default all that have a network.")
    ] = None,
    games: Annotated[
        int, typer.Option(min=2, help="Games of each match, at each time. With --sprt the maximum.")
    ] = DEFAULT_REPLAY_GAMES,
    time_: Annotated[
        list[float] | None,
        typer.Option(
            "--time", "-t", min=0.001, max=86_400, help="Seconds a move; may be repeated. By default 0.05, 0.2 and 1."
        ),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            "--sprt",
            metavar="LOW,HIGH",
            help="End each match when a sequential test decides between two normalised Elo differences.",
        ),
    ] = None,
    seed: Seed = 1,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Replay the ladder of earlier champions: each version against the one before, and the newest against the first.

    They play on the boards of the networks. `over` counts moves that took longer than their time by more than 20 ms.
    """
    from cornered.bench.strength import DEFAULT_TIMES_MS, games_with_networks, replays

    times = [time for time in map(milliseconds, time_ or ()) if time is not None] or DEFAULT_TIMES_MS
    duels = replays(game or games_with_networks(), times, seed=seed)
    _play(duels, games, sequential_test(sprt), workers, as_json=as_json)


def _play(duels: Sequence[Duel], games: int, test: Sprt | None, workers: int | None, *, as_json: bool) -> None:
    from cornered.bench.duels import as_json as to_json
    from cornered.bench.duels import lines, play
    from cornered.cli.progress import progress

    if games % 2:
        raise ValueError(f"games come in pairs with the seats swapped: --games {games + 1}")
    warm_up(*dict.fromkeys(duel.terms.game for duel in duels))
    with progress() as report:
        results = play(duels, games, report, test=test, workers=workers)
    typer.echo(json.dumps(to_json(results)) if as_json else "\n".join(lines(results)))
