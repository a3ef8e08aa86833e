"""A bot that is another program, which speaks the Universal Game Interface (docs/engines.md)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from time import monotonic
from typing import Final

from cornered.bots.bot import WIN, Limit, SettingValue, Thought
from cornered.bots.ugi.command import (
    START_TIMEOUT_S,
    UNLIMITED_TIME_S,
    CommandBot,
    IdlePrograms,
    Program,
    hang_margin,
)
from cornered.bots.ugi.process import EngineFailed
from cornered.engine import Game, IllegalMove, OptionValue, State, games
from cornered.protocol.values import MAX_VALUES

__all__ = ["ProgramBot", "SearchReport", "go_line"]

PREPARE_TIMEOUT_S: Final = 60.0
"""Seconds for `readyok` after the game or its options changed: an engine may compile or load then."""
READY_TIMEOUT_S: Final = 2.0
"""Seconds for `readyok` before a search."""
TRANSFER_MS: Final = 20
"""Milliseconds of a move's time that are kept for the pipes."""
NUMBERS: Final = re.compile(r"\b(depth|nodes|cp|mate) (-?\d{1,15})(?!\S)")
PV_PLIES_MAX: Final = 256
"""Moves of a principal variation that are kept."""

_numbers = itertools.count(1)


class UgiProgram(Program):
    """A started program, with what it was told last."""

    def __init__(self, command: tuple[str, ...], name: str) -> None:
        super().__init__(command, name)
        self.game: Game | None = None
        self.owner = 0
        """The number of the bot that used it last."""
        self.options: dict[str, str] = {}
        """The lines that declare its options, by lower-case name."""
        try:
            self.process.send("ugi")
            self.process.read_until("ugiok", monotonic() + START_TIMEOUT_S, seen=self._declared)
        except TimeoutError:
            self.process.kill()
            raise EngineFailed(f"{name} did not answer `ugi` with `ugiok` in {START_TIMEOUT_S:g} s") from None

    def _declared(self, line: str) -> None:
        if found := re.match(r"option name (.+?) type ", line):
            self.options[found[1].lower()] = line


_idle: IdlePrograms[UgiProgram] = IdlePrograms()
_declared: dict[tuple[str, ...], Mapping[str, str]] = {}
"""The lines that declare a program's options, by its command."""


class ProgramBot(CommandBot[UgiProgram]):
    """The bot of a word `exec:COMMAND`."""

    name = "exec"
    description = "Another program that speaks the Universal Game Interface over its standard input and output."

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(_idle, seed, **settings)
        self._seed = seed
        self._number = next(_numbers)

    def start(self) -> UgiProgram:
        return UgiProgram(self.command, self.label)

    def plays(self, game: str | Game) -> bool:  # type: ignore[override]
        """Return whether the program declares a game, by its name with any options. Raises EngineFailed.

        Of an instance alone: what a program plays it says itself. It is started once to be asked.
        """
        name = game if isinstance(game, str) else game.name
        declared = self._options.get("game")
        if declared is not None and name not in _named(declared):
            return False
        accepted = self._accepted(name)
        if isinstance(game, str):
            return all(accepted.values())
        return all(game.options[option] in values for option, values in accepted.items())

    def accepted(self, game: str) -> Mapping[str, tuple[OptionValue, ...]]:
        """Return the values of options that the program declares, as far as a declaration to a server has room."""
        accepted = self._accepted(game)
        while sum(map(len, accepted.values())) > MAX_VALUES:
            # Games with other values of it are declined one by one.
            del accepted[max(accepted, key=lambda option: len(accepted[option]))]
        return accepted

    @property
    def _options(self) -> Mapping[str, str]:
        if (known := _declared.get(self.command)) is None:
            known = _declared[self.command] = self.running().options
        return known

    def _accepted(self, name: str) -> dict[str, tuple[OptionValue, ...]]:
        """Return the values of the options that the program limits."""
        (kind,) = [kind for kind in games() if kind.name == name]
        accepted = {}
        for option in kind.OPTIONS:
            declared = self._options.get(option.name)
            if declared is None:
                continue
            every: tuple[OptionValue, ...] = option.choices if option.kind == "int" else (False, True)
            every += (None,) if option.optional else ()
            taken = tuple(value for value in every if _takes(declared, value))
            if taken != every:
                accepted[option.name] = taken
        return accepted

    def prepare(self, game: Game) -> None:
        """Start the program and tell it the game. Raises EngineFailed, ValueError for a game that it does not play."""
        self._ready(game)

    def choose(self, state: State, limit: Limit) -> Thought:
        engine = self._ready(state.game)
        process = engine.process
        report = SearchReport()
        began = monotonic()
        deadline = limit.deadline or began + UNLIMITED_TIME_S
        try:
            process.send(f"position fen {state}")
            process.send(go_line(limit))
            try:
                answer = process.read_until("bestmove", deadline, seen=report.add)
            except TimeoutError:
                process.send("stop")
                answer = process.read_until(
                    "bestmove", max(deadline, monotonic()) + hang_margin(limit), seen=report.add
                )
        except TimeoutError:
            process.kill()
            took = f"{monotonic() - began:.2f} s"
            raise EngineFailed(f"{self.label} gave no move in {took}, not even after `stop`, and was killed") from None
        _, _, move = answer.partition(" ")
        move = move.split(" ", 1)[0]
        if not move:
            raise EngineFailed(f"{self.label} answered `bestmove` without a move")
        if not state.is_legal(move):
            raise IllegalMove(move, state.explain(move))
        return report.thought(move, monotonic() - began)

    def _ready(self, game: Game) -> UgiProgram:
        """Return the running program, which has been told the game."""
        engine = self.running()
        process = engine.process
        is_new = engine.game != game
        try:
            if is_new:
                if not self.plays(game):
                    raise ValueError(f"{self.label} does not play {game!r}; {self.played_instead(game)}")
                process.send(f"setoption name Game value {game.name}")
                for name, value in game.options.items():
                    process.send(f"setoption name {name} value {_written(value)}")
                engine.game = game
            if is_new or engine.owner != self._number:
                if self._seed is not None and "seed" in engine.options:
                    process.send(f"setoption name seed value {self._seed}")
                process.send("uginewgame")
                engine.owner = self._number
            process.send("isready")
            process.read_until("readyok", monotonic() + (PREPARE_TIMEOUT_S if is_new else READY_TIMEOUT_S))
        except TimeoutError:
            process.kill()
            raise EngineFailed(f"{self.label} did not answer `isready` in time and was killed") from None
        return engine

    def played_instead(self, game: Game) -> str:
        """Return the games that the program declares, or the values of options of this one."""
        declared = self._options.get("game")
        if declared is not None and game.name not in (known := _named(declared)):
            return f"it plays {', '.join(known) or 'nothing'}"
        limits = [
            f"{option} {' or '.join(map(_written, values)) or 'without a value'}"
            for option, values in self._accepted(game.name).items()
            if game.options[option] not in values
        ]
        return f"it plays {game.name} with {', '.join(limits)}"


def _named(declared: str) -> list[str]:
    """Return the values that the line of an option lists."""
    return re.findall(r" var (\S+)", declared)


def _takes(declared: str, value: OptionValue) -> bool:
    """Return whether an option that is declared by this line takes a value."""
    kind = re.search(r" type (\S+)", declared)
    match kind[1] if kind else "":
        case "combo":
            return _written(value) in _named(declared)
        case "spin":
            if value is None or isinstance(value, bool):
                return False
            bounds = {name: int(bound) for name, bound in re.findall(r" (min|max) (-?\d{1,15})(?!\S)", declared)}
            return bounds.get("min", value) <= value <= bounds.get("max", value)
        case "check":
            return isinstance(value, bool)
        case _:
            return True


def _written(value: OptionValue) -> str:
    return "none" if value is None else str(value).lower()


def go_line(limit: Limit) -> str:
    """Return the line that starts a search: `movetime` always holds, the clocks tell what it was taken from."""
    words = ["go"]
    if limit.clocks is not None:
        for number, left in enumerate(limit.clocks.left, 1):
            words += [f"p{number}time", str(left), f"p{number}inc", str(limit.clocks.increment)]
    if limit.remaining is not None:
        left = round(1000 * limit.remaining)
        words += ["movetime", str(max(1, left - min(TRANSFER_MS, left // 10)))]
    for name in ("nodes", "depth"):
        if (value := getattr(limit, name)) is not None:
            words += [name, str(value)]
    return " ".join(words)


class SearchReport:
    """What the `info` lines of one search say; the newest line holds, and the lines themselves are not kept."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        """By name: depth, nodes, and cp or mate."""
        self._pv: tuple[str, ...] = ()

    def add(self, line: str) -> None:
        """Read a line; what cannot be read is left out."""
        if not line.startswith("info ") or line.startswith("info string"):
            return
        head, _, variation = line.partition(" pv ")
        self._pv = tuple(variation.split()[:PV_PLIES_MAX]) or self._pv
        numbers = {name: int(number) for name, number in NUMBERS.findall(head)}
        if "mate" in numbers or "cp" in numbers:
            self._numbers.pop("mate", None)
        self._numbers |= numbers

    def thought(self, move: str, seconds: float) -> Thought:
        """Return the thought of a search that chose `move`.

        A distance to the end is a score, never a proof: contests end games in which both players have one.
        """
        found = self._numbers
        score = found["cp"] / 100 if "cp" in found else None
        if (plies := found.get("mate")) is not None:
            score = WIN - plies if plies > 0 else -WIN - plies
        pv = self._pv if self._pv[:1] == (move,) else (move,)
        return Thought(
            move, score, max(0, found.get("depth", 0)), max(0, found.get("nodes", 0)), pv=pv, seconds=seconds
        )
