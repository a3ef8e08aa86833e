"""Shared by `cornered match` and `cornered tournament`: the contest's configuration, and its workers and journal."""

from __future__ import annotations

import hashlib
import shlex
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import typer

from cornered.cli.answers import milliseconds
from cornered.cli.progress import progress
from cornered.cli.rules import warm_up
from cornered.cli.think import interruptible
from cornered.engine.progress import Report

if TYPE_CHECKING:
    from cornered.engine import Game
    from cornered.lab.contests.contest import GameStore
    from cornered.lab.contests.openings import Openings
    from cornered.lab.contests.terms import ContestTerms
    from cornered.lab.execution.workforce import Workforce

__all__ = [
    "ContestConfig",
    "ContestOptions",
    "ContestSession",
    "as_typed",
    "file_digests",
    "playing",
    "require_programs",
]

DEFAULT_MOVE_TIME_S: Final = 0.1
"""Seconds per move without a limit."""
UPDATE_INTERVAL_S: Final = 0.1
"""Seconds between two updates of the displayed standings."""
IRRELEVANT_PARAMETERS: Final = frozenset({"json_", "workers", "cluster"})
"""Parameters that do not affect the games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestOptions:
    """The options of a contest's games. `seconds` is the time per move."""

    game: str
    option: Sequence[str] = ()
    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None
    seed: int = 1
    server: str | None = None
    clock: str | None = None
    openings: Path | None = None
    plies: int | None = None
    adjudicates: bool = False
    takes_several: bool = False
    """Whether the contest may be of more than two players."""

    def terms(self) -> ContestTerms:
        """Return the terms of the games. Raises a ValueError that names the invalid option."""
        from cornered.engine.records.text import read_option
        from cornered.lab.contests.terms import ContestTerms

        if self.clock is not None:
            if self.server is None:
                raise ValueError("--clock is a server's: give --server, or limit moves by --time")
            from cornered.clients.sdk import read_clock

            read_clock(self.clock)
        if self.server is not None:
            from cornered.clients.sdk.address import socket_url

            socket_url(self.server)
        if self.openings is not None and self.plies is not None:
            raise ValueError("--openings and --plies are two ways to begin: give one of them")
        is_unlimited = self.seconds is None and self.depth is None and self.nodes is None
        seconds = DEFAULT_MOVE_TIME_S if is_unlimited and self.clock in (None, "none") else self.seconds
        make = ContestTerms.of_any_seats if self.takes_several else ContestTerms.of
        return make(
            self.game,
            dict(read_option(text) for text in self.option),
            time=milliseconds(seconds),
            depth=self.depth,
            nodes=self.nodes,
            seed=self.seed,
            adjudicates=self.adjudicates,
            server=self.server,
            clock=self.clock,
        )


@dataclass(frozen=True, slots=True)
class ContestConfig:
    """Configuration shared by all games of a contest."""

    terms: ContestTerms
    openings: Openings
    opened: str
    """Description of the openings."""
    opening_plan: Mapping[str, Any]

    @classmethod
    def of(cls, options: ContestOptions) -> Self:
        """Return the configuration of a command line. Raises ValueError that describes the invalid option."""
        from cornered.lab.contests.openings import from_file, no_opening, plies_for, random_plies

        terms, file = options.terms(), options.openings
        warm_up(options.game)
        if file is not None:
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            return cls(terms, from_file(file, terms), f"the lines of {file} in turn", {"sha256": digest})
        # The server rolls its own dice, so an opening cannot contain rolls.
        usual = 0 if options.server is not None and terms.options.get("dice") else plies_for(terms.load())
        count = usual if options.plies is None else options.plies
        if count == 0:
            return cls(terms, no_opening, "the start", {"plies": 0})
        openings = random_plies(terms, count)
        # The first opening may compile the game, or fail.
        interruptible(lambda: openings(0), "Preparing the openings")
        return cls(terms, openings, f"{count} random plies", {"plies": count})


class ContestSession:
    """Workers, journal and progress of a running contest."""

    def __init__(self, workforce: Workforce, keep: GameStore, report: Report) -> None:
        self.workforce = workforce
        self.keep = keep
        self.report = report
        self._before = len(keep.games)
        """The number of games that an earlier run stored, which do not count for `pace`."""
        self._began = self._shown = time.perf_counter()
        """When the session began, and when the display was last updated."""

    @property
    def has_played(self) -> bool:
        """Whether a game was played in this session: a contest that was finished before only shows its result."""
        return len(self.keep.games) > self._before

    @property
    def pace(self) -> float:
        """Games per second, without those that were already in the journal."""
        return (len(self.keep.games) - self._before) / max(time.perf_counter() - self._began, 1e-9)

    def is_due(self) -> bool:
        """Return whether the next update of the display is due: games may finish faster than the display can follow."""
        now = time.perf_counter()
        if now - self._shown < UPDATE_INTERVAL_S:
            return False
        self._shown = now
        return True


@contextmanager
def playing(
    config: ContestConfig,
    kind: str,
    plan: Mapping[str, Any],
    bots: Sequence[str],
    folder: Path | None,
    workers: int | None,
    cluster: str | None,
) -> Iterator[ContestSession]:
    """Yield a contest's session; its games are stored in `folder`, or in memory for None. An interrupt prints how to
    resume."""
    from cornered.clients.sdk.address import require_listener
    from cornered.lab.contests.contest import MemoryGameStore
    from cornered.lab.contests.folder import FILES
    from cornered.lab.contests.journal import ContestJournal
    from cornered.lab.contests.preparing import prepare
    from cornered.lab.execution.workforce import Workforce

    if folder is not None and folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is no folder; choose another with --out")
    if config.terms.server is not None:
        require_listener(config.terms.server)
    if cluster is None:
        # On a cluster the programs are those of other machines.
        interruptible(lambda: require_programs(config.terms.load(), bots), "Starting the programs")
    keep: GameStore | None = None
    try:
        with ExitStack() as stack:
            whole = {"contest": kind, "openings": dict(config.opening_plan), **plan, FILES: file_digests(bots)}
            keep = (
                MemoryGameStore()
                if folder is None
                else stack.enter_context(ContestJournal.open(folder, config.terms, whole))
            )
            report = stack.enter_context(progress())
            prepare(config.terms, bots, report)
            yield ContestSession(stack.enter_context(Workforce.open(workers, cluster)), keep, report)
    except KeyboardInterrupt:
        played = 0 if keep is None else len(keep.games)
        how = "nothing is kept without --out" if folder is None else "repeat the command to go on"
        typer.echo(f"stopped after {played} game{'' if played == 1 else 's'}; {how}", err=True)
        raise


def require_programs(game: Game, bots: Sequence[str]) -> None:
    """Raise ValueError for a bot word of a program that does not start, or does not play `game`.

    Such a program would lose all of its games.
    """
    from cornered.clients.sdk.bot_word import is_program

    programs = [word for word in dict.fromkeys(bots) if is_program(word)]
    if not programs:
        return
    from cornered.bots.roster import create
    from cornered.bots.ugi.command import quit_idle
    from cornered.bots.ugi.process import EngineFailed

    try:
        for word in programs:
            create(word).prepare(game)
    except EngineFailed as failure:
        raise ValueError(f"{failure}; it cannot play") from None
    finally:
        quit_idle()


def file_digests(bots: Sequence[str]) -> dict[str, str]:
    """Return the digests of the files that bot words name: an author's file, a program with its script, and the files
    of settings."""
    named = dict.fromkeys(name for word in bots for name in _names(word) if Path(name).is_file())
    return {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in named}


def _names(word: str) -> list[str]:
    """Return the parts of a bot word that may be names of files."""
    from cornered.bots.roster import names
    from cornered.clients.sdk.bot_word import file_word, is_program, split_word

    if is_program(word):
        # All after these are arguments, such as a log, which may change with every game.
        return shlex.split(word.partition(":")[2])[:2]
    head, settings = split_word(word)
    return [head if head in names() else file_word(head), *settings.values()]


def as_typed(context: typer.Context, *, without: Collection[str] = ()) -> str:
    """Return the command line that plays the same games, with the options that were given except `without`."""
    words = ["cornered", *context.command_path.split()[1:]]
    if not context.parent:
        words = ["cornered", context.info_name or ""]
    options: list[str] = []
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if (
            parameter.name in {*IRRELEVANT_PARAMETERS, *without}
            or value == parameter.get_default(context)
            or value is None
        ):
            continue
        listed = value if isinstance(value, list | tuple) else [value]
        if parameter.param_type_name == "argument":
            words += map(str, listed)
        else:
            flag = parameter.opts[0]
            options += [flag] if value is True else [word for one in listed for word in (flag, str(one))]
    return shlex.join([*words, *options])
