"""Shared by the commands of `cornered tune`: the model, the journal of its games, and the output file."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from cornered.cli.progress import progress
from cornered.cli.rules import warm_up

if TYPE_CHECKING:
    from cornered.bots.weights.file import Method
    from cornered.bots.weights.model import Model, Values
    from cornered.engine.progress import Report
    from cornered.lab.contests.journal import ContestJournal
    from cornered.lab.contests.terms import ContestTerms
    from cornered.lab.execution.workforce import Workforce
    from cornered.lab.tuning.settings import SettingsSpace
    from cornered.lab.tuning.space import SearchSpace, Space, TuningResult
    from cornered.lab.tuning.spsa import SpsaPlan

__all__ = [
    "TuneTarget",
    "command_of",
    "games_beside",
    "load_target",
    "named",
    "number_in",
    "path_of",
    "playing",
    "ranges_of",
    "resumable",
    "settings_of",
    "space_of",
    "write_result",
    "write_settings",
]


@dataclass(frozen=True, slots=True)
class TuneTarget:
    """What a search tunes, how many plies its players look ahead, and the file that the weights become."""

    method: Method
    known: Model
    terms: ContestTerms
    depth: int
    path: Path

    def word(self, values: Values | None) -> str:
        """Return the bot that plays by these values, None for the printed ones."""
        return self.known.word(values, self.depth)


def load_target(
    method: Method, game: str, option: list[str] | None, seed: int, depth: int, out: Path | None
) -> TuneTarget:
    """Return the target of a search. Compiles the rules of its game."""
    from cornered.bots.weights.model import model
    from cornered.engine.records.text import read_option
    from cornered.lab.contests.terms import ContestTerms

    known = model(game)
    terms = ContestTerms.of(game, dict(read_option(each) for each in option or []), seed=seed)
    terms.check(known.word(None, 1))
    path = path_of(out, game, method)
    warm_up(game)
    return TuneTarget(method, known, terms, depth, path)


def named(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"this looks like NAME=VALUE, not {text!r}")
    return name, value


def number_in(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{text!r} is no number")
    return number


def ranges_of(ranges: list[str] | None) -> dict[str, tuple[float, float]]:
    read = {}
    for name, text in map(named, ranges or []):
        low, colon, high = text.partition(":")
        if not colon:
            raise ValueError(f"a range looks like {name}=0:10, not {name}={text}")
        read[name] = number_in(low), number_in(high)
    return read


def space_of(known: Model, tune: list[str] | None, ranges: list[str] | None) -> Space:
    from cornered.lab.tuning.space import Space

    return Space.of(known, tune or (), ranges_of(ranges))


def path_of(out: Path | None, game: str, method: str) -> Path:
    target = out or Path(f"{game}-{method}.json")
    if target.is_dir():
        raise ValueError(
            f"{target} is a folder; name a file in it with --out, as in {target / f'{game}-{method}.json'}"
        )
    if not target.parent.is_dir():
        raise ValueError(f"there is no folder {target.parent}; make it, or choose another with --out")
    return target


def settings_of(plan: Any, space: SearchSpace) -> dict[str, Any]:
    ends = zip(space.names, space.lows, space.highs, strict=True)
    return {**asdict(plan), "ranges": {name: (low, high) for name, low, high in ends}}


@contextmanager
def resumable() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("interrupted; the same command goes on", err=True)
        raise


@contextmanager
def playing(
    target: TuneTarget, plan: Any, space: Space, workers: int | None, cluster: str | None
) -> Iterator[tuple[Workforce, ContestJournal, Report]]:
    """Yield workers, the journal of all games beside the target, and the progress display."""
    identity = {"tune": target.method, "depth": target.depth, "settings": settings_of(plan, space)}
    with games_beside(target.path, target.terms, identity, workers, cluster) as session:
        yield session


@contextmanager
def games_beside(
    path: Path, terms: ContestTerms, identity: Mapping[str, Any], workers: int | None, cluster: str | None
) -> Iterator[tuple[Workforce, ContestJournal, Report]]:
    """Yield workers, the journal of all games beside the file of a result, and the progress display."""
    from cornered.lab.contests.journal import ContestJournal
    from cornered.lab.execution.workforce import Workforce

    with (
        resumable(),
        ContestJournal.open(path.with_name(path.name + ".games"), terms, identity) as journal,
        Workforce.open(workers, cluster) as workforce,
        progress() as report,
    ):
        yield workforce, journal, report


def command_of(target: TuneTarget, tune: list[str] | None, ranges: list[str] | None = None, **given: float) -> str:
    """Return the command line that produces the same weights."""
    terms = target.terms
    words = [f"cornered tune {target.method} --game {terms.game}", *_options(terms)]
    words += [f"--tune {name}" for name in tune or ()] + [f"--range {text}" for text in ranges or ()]
    return " ".join([*words, *(f"--{name} {value}" for name, value in given.items())])


def _options(terms: ContestTerms) -> list[str]:
    return [f"-o {name}={str(value).lower()}" for name, value in terms.options.items() if value is not None]


def write_result(
    target: TuneTarget, found: TuningResult, command: str, settings: Mapping[str, Any], *, json_: bool
) -> None:
    """Write the weights and their plot, and print them."""
    from cornered.bots.weights.file import Tuned, write
    from cornered.lab.tuning.curves import plot, thinned

    known, path = target.known, target.path
    given = {"settings": settings, "result": found.result, "curve": thinned(found.curve)}
    tuned = Tuned(
        game=target.terms.game,
        options=dict(target.terms.options),
        bot=known.bot,
        depth=target.depth,
        weights=known.named(found.values),
        printed=known.named(known.printed),
        method=target.method,
        command=command,
        seed=target.terms.seed,
        **json.loads(json.dumps(given)),
    )
    write(tuned, path)
    plot(tuned, path.with_suffix(".svg"))
    if json_:
        typer.echo(json.dumps({"file": str(path), **tuned.model_dump(mode="json")}))
        return
    wide = max(map(len, known.names))
    for name, value in tuned.weights.items():
        if value != tuned.printed[name] or name in known.names[: known.linear]:
            typer.echo(f"{name:<{wide}}  {tuned.printed[name]:>9g} printed  {value:>9g} tuned")
    typer.echo(f"{path}: play with {known.bot}:weights={path}, test with cornered tune test {path}", err=True)


def write_settings(
    path: Path, space: SettingsSpace, terms: ContestTerms, plan: SpsaPlan, found: TuningResult, *, json_: bool
) -> None:
    """Write tuned settings, and print them beside those of the start, with the command that tests them."""
    from cornered.engine.records.files import replacing
    from cornered.lab.tuning.curves import thinned

    tuned, start = space.word(found.values), space.word()
    games = [f"--game {terms.game}", *_options(terms)]
    games += [f"--time {terms.time / 1000:g}"] if terms.time is not None else []
    games += [f"--nodes {terms.nodes}"] if terms.nodes is not None else []
    ranges = zip(space.names, space.lows, space.highs, strict=True)
    ranged = [f"--range {name}={low:.12g}:{high:.12g}" for name, low, high in ranges]
    numbers = f"--iterations {plan.iterations} --pairs {plan.pairs} --spread {plan.spread} --step {plan.step}"
    words = [f"cornered tune settings {shlex.quote(start)}", *games, numbers, *ranged, f"--seed {terms.seed}"]
    said = {
        "bot": tuned,
        "start": start,
        "command": " ".join(words),
        "terms": terms.as_json(),
        **settings_of(plan, space),
        **found.result,
        "curve": thinned(found.curve),
    }
    with replacing(path) as part:
        part.write_text(json.dumps(said, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    if json_:
        typer.echo(json.dumps({"file": str(path), **said}))
        return
    wide = max(map(len, space.names))
    for name, first, last in zip(space.names, space.start, found.values, strict=True):
        typer.echo(f"{name:<{wide}}  {first:>9g} before  {last:>9g} tuned")
    test = f"cornered match {shlex.quote(tuned)} {shlex.quote(start)} {' '.join(games)} --sprt 0,10"
    typer.echo(f"{path}; " + ("nothing has changed" if tuned == start else f"test it with {test}"), err=True)
