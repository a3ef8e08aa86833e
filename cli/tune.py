"""`cornered tune`: finds weights of evaluations, and settings of bots, by playing."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer

from cornered.cli.errors import CommandGroup
from cornered.cli.missing_extra import require
from cornered.cli.progress import progress
from cornered.cli.rules import Json, Options, warm_up
from cornered.cli.tune_setup import (
    command_of,
    games_beside,
    load_target,
    named,
    number_in,
    path_of,
    playing,
    ranges_of,
    resumable,
    settings_of,
    space_of,
    write_result,
    write_settings,
)

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)

DEFAULT_HYPOTHESES: Final = (0.0, 20.0)
"""Default hypotheses of the test, in normalised Elo."""

GameOption = Annotated[str, typer.Option("--game", "-g", help="The game of the evaluation.")]
Depth = Annotated[int, typer.Option("--depth", "-d", min=1, max=12, help="Search depth of the players, in plies.")]
Tune = Annotated[
    list[str] | None, typer.Option("--tune", metavar="NAME", help="A weight to tune; may be repeated. All by default.")
]
Range = Annotated[
    list[str] | None,
    typer.Option("--range", metavar="NAME=LOW:HIGH", help="The range of a weight; may be repeated."),
]
Iterations = Annotated[int, typer.Option(min=1, help="The number of steps.")]
Pairs = Annotated[int, typer.Option(min=1, help="Pairs of games in a match.")]
Spread = Annotated[float, typer.Option(help="The initial perturbation of each side, relative to the range.")]
Step = Annotated[float, typer.Option(help="The initial step when one side wins every game, relative to the range.")]
Seed = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Equal seeds make equal weights.")]
Workers = Annotated[int | None, typer.Option("--workers", "-w", min=1, help="Worker processes; by default one a core.")]
ClusterOption = Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, as in tcp://host:8786.")]
Out = Annotated[
    Path | None, typer.Option(help="The file for the weights, with a plot beside it; by default GAME-METHOD.json here.")
]


@app.callback()
def tune() -> None:
    """Find weights of evaluations, and settings of bots, by playing. Ctrl-C interrupts; the same command resumes."""


@app.command()
def td(
    game: GameOption,
    option: Options = None,
    games: Annotated[int, typer.Option(min=1, help="Games of self-play.")] = 5000,
    batch: Annotated[int, typer.Option(min=1, help="Games of a batch, played by the same weights.")] = 50,
    depth: Depth = 1,
    rate: Annotated[float, typer.Option(help="The learning rate of the first game.")] = 0.02,
    half: Annotated[int, typer.Option(min=1, help="The number of games after which the rate is halved.")] = 1000,
    lambda_: Annotated[float, typer.Option("--lambda", min=0, max=1, help="The decay of eligibility traces.")] = 0.7,
    epsilon: Annotated[float, typer.Option(min=0, max=1, help="The probability of a random move.")] = 0.1,
    tune: Tune = None,
    seed: Seed = 1,
    workers: Workers = None,
    cluster: ClusterOption = None,
    out: Out = None,
    json_: Json = False,
) -> None:
    """Learn weights from self-play by TD(lambda)."""
    from cornered.lab.execution.workforce import Workforce
    from cornered.lab.tuning.curves import thinned
    from cornered.lab.tuning.learner import LearningPlan, learn
    from cornered.lab.tuning.space import TuningResult

    target = load_target("td", game, option, seed, depth, out)
    plan = LearningPlan(games, batch, depth, rate, half, lambda_, epsilon, tuple(tune or ()))
    target.known.places(plan.tuned)
    checkpoint = target.path.with_name(target.path.name + ".checkpoint")
    with resumable(), Workforce.open(workers, cluster) as workforce, progress() as report:
        learnt = learn(target.terms, plan, workforce, checkpoint, report)
    command = command_of(target, tune, games=games, batch=batch, depth=depth, rate=rate, half=half)
    command += f" --lambda {lambda_} --epsilon {epsilon} --seed {seed}"
    curve = thinned([asdict(point) for point in learnt.curve])
    result = {"games": learnt.games, "first_error": curve[0]["error"], "last_error": curve[-1]["error"]}
    found = TuningResult(learnt.values(target.known), result, curve)
    write_result(target, found, command, asdict(plan), json_=json_)
    checkpoint.unlink(missing_ok=True)


@app.command()
def grid(
    game: GameOption,
    option: Options = None,
    pairs: Pairs = 4,
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="Each combination plays the printed weights only, instead of all others.")
    ] = False,
    level: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=A,B,...",
            help="The levels of a weight; by default the ends of its range and the printed value.",
        ),
    ] = None,
    depth: Depth = 2,
    tune: Tune = None,
    range_: Range = None,
    seed: Seed = 1,
    workers: Workers = None,
    cluster: ClusterOption = None,
    out: Out = None,
    json_: Json = False,
) -> None:
    """Play a tournament between all combinations of some levels, and take the one with the highest rating."""
    from cornered.lab.tuning.grid import GridPlan, configurations, search

    target = load_target("grid", game, option, seed, depth, out)
    levels = {name: tuple(map(number_in, text.split(","))) for name, text in map(named, level or [])}
    space = space_of(target.known, [*(tune or []), *(levels if tune else [])], range_)
    plan = GridPlan(pairs, "gauntlet" if gauntlet else "round-robin", tuple(levels.items()))
    configurations(space, levels)
    with playing(target, plan, space, workers, cluster) as (workforce, journal, report):
        found = search(space, plan, target.terms, depth, workforce, journal, report)
    command = command_of(target, tune, range_, depth=depth, pairs=pairs) + (" --gauntlet" if gauntlet else "")
    command += "".join(f" --level {each}" for each in level or ()) + f" --seed {seed}"
    write_result(target, found, command, settings_of(plan, space), json_=json_)


@app.command()
def spsa(
    game: GameOption,
    option: Options = None,
    iterations: Iterations = 200,
    pairs: Pairs = 8,
    spread: Spread = 0.15,
    step: Step = 0.3,
    depth: Depth = 2,
    tune: Tune = None,
    range_: Range = None,
    seed: Seed = 1,
    workers: Workers = None,
    cluster: ClusterOption = None,
    out: Out = None,
    json_: Json = False,
) -> None:
    """Tune all weights at once by matches between two perturbed sides (SPSA)."""
    from cornered.lab.tuning.spsa import SpsaPlan, search
    from cornered.lab.tuning.trial import Trials

    target = load_target("spsa", game, option, seed, depth, out)
    space, plan = space_of(target.known, tune, range_), SpsaPlan(iterations, pairs, spread, step)
    with playing(target, plan, space, workers, cluster) as (workforce, journal, report):
        trials = Trials(target.word, target.terms, workforce, journal)
        found = search(space, plan, trials, target.terms.chance("spsa"), report)
    command = command_of(target, tune, range_, depth=depth, iterations=iterations, pairs=pairs)
    command += f" --spread {spread} --step {step} --seed {seed}"
    write_result(target, found, command, settings_of(plan, space), json_=json_)


@app.command()
def settings(
    bot: Annotated[
        str,
        typer.Argument(metavar="BOT", help="NAME[:SETTING=VALUE,...]; it begins with these values or the defaults."),
    ],
    game: Annotated[str, typer.Option("--game", "-g", help="The game to play.")],
    option: Options = None,
    iterations: Iterations = 200,
    pairs: Pairs = 8,
    spread: Spread = 0.15,
    step: Step = 0.3,
    time_: Annotated[float | None, typer.Option("--time", "-t", min=0.001, max=86_400, help="Seconds a move.")] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", "-n", min=1, help="Nodes a move; by default 2,000 if no time is given.")
    ] = None,
    range_: Annotated[
        list[str] | None,
        typer.Option("--range", metavar="NAME=LOW:HIGH", help="A setting to tune with its range; may be repeated."),
    ] = None,
    seed: Seed = 1,
    workers: Workers = None,
    cluster: ClusterOption = None,
    out: Annotated[
        Path | None, typer.Option(help="The file for the result; by default GAME-settings.json here.")
    ] = None,
    json_: Json = False,
) -> None:
    """Tune settings of any bot, one of yours too, by SPSA: constants of a search, say.

    `cornered match` then tells whether the result is stronger: its command is printed.
    """
    from cornered.cli.answers import milliseconds
    from cornered.engine.records.text import read_option
    from cornered.lab.contests.terms import ContestTerms
    from cornered.lab.tuning.settings import SettingsSpace
    from cornered.lab.tuning.spsa import SpsaPlan, search
    from cornered.lab.tuning.trial import Trials

    plan = SpsaPlan(iterations, pairs, spread, step)
    space = SettingsSpace.of(bot, ranges_of(range_), spread)
    limits = {"time": milliseconds(time_), "nodes": 2000 if time_ is None and nodes is None else nodes}
    terms = ContestTerms.of(game, dict(read_option(each) for each in option or []), seed=seed, **limits)
    terms.check(space.word())
    path = path_of(out, game, "settings")
    warm_up(game)
    identity = {"tune": "settings", "bot": space.word(), "settings": settings_of(plan, space)}
    with games_beside(path, terms, identity, workers, cluster) as (workforce, journal, report):
        found = search(space, plan, Trials(space.word, terms, workforce, journal), terms.chance("spsa"), report)
    write_settings(path, space, terms, plan, found, json_=json_)


@app.command()
def optuna(
    game: GameOption,
    option: Options = None,
    trials: Annotated[int, typer.Option(min=1, help="The number of sets of weights to try.")] = 50,
    pairs: Pairs = 20,
    depth: Depth = 2,
    tune: Tune = None,
    range_: Range = None,
    seed: Seed = 1,
    workers: Workers = None,
    cluster: ClusterOption = None,
    out: Out = None,
    json_: Json = False,
) -> None:
    """Search for weights that beat the printed ones with Optuna; needs the extra `tuning`."""
    from cornered.lab.tuning.tpe import TpePlan, search
    from cornered.lab.tuning.trial import Trials

    require("optuna")
    target = load_target("optuna", game, option, seed, depth, out)
    space, plan = space_of(target.known, tune, range_), TpePlan(trials, pairs)
    with playing(target, plan, space, workers, cluster) as (workforce, journal, report):
        matches = Trials(target.word, target.terms, workforce, journal)
        found = search(space, plan, matches, seed, report)
    command = command_of(target, tune, range_, depth=depth, trials=trials, pairs=pairs) + f" --seed {seed}"
    write_result(target, found, command, settings_of(plan, space), json_=json_)


@app.command()
def chance(
    game: GameOption,
    option: Options = None,
    games: Annotated[
        int, typer.Option(min=10, help="Games of self-play; every second one is left for the check.")
    ] = 200,
    nodes: Annotated[int, typer.Option(min=10, help="Nodes of the search that scores each position.")] = 3000,
    seed: Seed = 1,
    json_: Json = False,
) -> None:
    """Fit the curve of win probabilities to games between equal levels, and check it on other games of theirs."""
    from cornered.cli.rules import position_of
    from cornered.engine.progress import Progress
    from cornered.lab.tuning.chance import fitted, judged, self_play

    board = position_of(game, option, None, "").game
    with progress() as report:
        samples = list(self_play(board, games, seed, nodes, lambda done: report(Progress("games", done, games))))
    scale = fitted([sample for sample in samples if sample.game % 2 == 0])
    check = judged([sample for sample in samples if sample.game % 2], scale)
    if json_:
        typer.echo(json.dumps({"game": board.name, "scale": scale, **asdict(check)}))
        return
    typer.echo(f"scale {scale:.2f}: p = 1 / (1 + exp(-score / {scale:.2f}))")
    typer.echo(
        f"{check.positions} positions of {check.games} other games: Brier {check.brier:.3f} (guessing "
        f"{check.guessing:.3f}), mean error {check.error:.3f}"
    )
    for told, came, number in check.bins:
        typer.echo(f"  predicted {told:.2f}, came {came:.2f}, {number} positions")


@app.command("test")
def judge_file(
    file: Annotated[Path, typer.Argument(help="A file of weights; the result of the test is added to it.")],
    pairs: Annotated[int, typer.Option(min=1, help="The maximum number of pairs of games.")] = 1000,
    low: Annotated[float, typer.Option(help="The normalised Elo difference of H0, not better.")] = DEFAULT_HYPOTHESES[
        0
    ],
    high: Annotated[float, typer.Option(help="The normalised Elo difference of H1, better.")] = DEFAULT_HYPOTHESES[1],
    depth: Annotated[
        int | None,
        typer.Option("--depth", "-d", min=1, max=12, help="Search depth in plies; by default that of the tuning."),
    ] = None,
    seed: Seed = 1,
    workers: Workers = None,
    cluster: ClusterOption = None,
    json_: Json = False,
) -> None:
    """Play tuned weights against the printed ones until a sequential probability ratio test decides."""
    from cornered.bots.weights.file import read, write
    from cornered.cli.match_report import elo_in_words
    from cornered.lab.contests.journal import ContestJournal
    from cornered.lab.contests.terms import ContestTerms
    from cornered.lab.execution.workforce import Workforce
    from cornered.lab.tuning.verdict import SprtPlan, judge

    tuned = read(file)
    terms = ContestTerms.of(tuned.game, tuned.options, seed=seed)
    warm_up(tuned.game)
    plan = SprtPlan(pairs, low, high, depth or tuned.depth)
    command = f"cornered tune test {file.name} --pairs {pairs} --low {low:g} --high {high:g}"
    command += f" --depth {plan.depth} --seed {seed}"
    # The games do not depend on the bounds or their maximum number, so that a longer test continues with them.
    identity = {"test": plan.depth, "weights": tuned.weights}
    digest = hashlib.sha256(json.dumps(tuned.weights).encode()).hexdigest()[:8]
    kept = f"{file.name}.test-d{plan.depth}-s{seed}-{digest}"
    with (
        resumable(),
        ContestJournal.open(file.with_name(kept), terms, identity) as journal,
        Workforce.open(workers, cluster) as workforce,
        progress() as report,
    ):
        came = judge(tuned, terms, plan, command, workforce, journal, report)
    others = [each for each in tuned.tests if each.command != command]
    write(tuned.model_copy(update={"tests": [*others, came]}), file)
    if json_:
        typer.echo(json.dumps({"file": str(file), **came.model_dump(mode="json")}))
        return
    typer.echo(f"{came.wins} won, {came.draws} drawn, {came.losses} lost; pairs {list(came.pairs)}")
    typer.echo(f"Elo {elo_in_words(came.pairs)}")
    typer.echo(f"LLR {came.llr:.2f} for [{low:g}, {high:g}] normalised Elo, tuned against printed: {came.decision}")
