"""What a bot is: something with a name that looks at a position and says what it would play, and why."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar, Final, Literal, TypeAlias

from cornered.engine import Game, State
from cornered.engine.limit import Limit

__all__ = ["WIN", "Bot", "Limit", "Line", "Proven", "Setting", "SettingValue", "Thought"]

WIN: Final = 10_000.0
"""The score of a won game, less one for each ply that it takes; evaluations stay below 1,000 either way."""

Proven: TypeAlias = Literal["win", "draw", "loss"]
SettingValue: TypeAlias = int | float | str


@dataclass(frozen=True, slots=True)
class Line:
    """One of the moves that a bot could play. A score is None, or only a bound, where it did not look closely.

    `proven` is what the game comes to after the move, for its player; `plies` is how many plies that takes, the move
    itself included: exactly where a solver counted them, at most so many where a search came upon it. `pv` starts with
    the move.
    """

    move: str
    score: float | None = None
    proven: Proven | None = None
    plies: int | None = None
    depth: int = 0
    pv: tuple[str, ...] = ()
    is_bound: bool = False
    """Whether the true score is at most `score`: the search only showed that the move is no better than the best."""


@dataclass(frozen=True, slots=True)
class Thought:
    """A move and why. Scores are the mover's: positive is good, in the units of the game's evaluation.

    `pruned` counts moves that a search left out because they could not matter; `pv`, the principal variation, starts
    with `move`. `proven` is what the game comes to when everybody plays on without a mistake, where that is certain,
    and `plies` in how many plies, as in `Line`.
    """

    move: str
    score: float | None = None
    depth: int = 0
    nodes: int = 0
    pruned: int = 0
    pv: tuple[str, ...] = ()
    proven: Proven | None = None
    plies: int | None = None
    deepest: int = 0
    """The selective depth: the longest line that was looked at, quiescence included."""
    hits: int = 0
    """How often the transposition table knew the position."""
    seconds: float = field(default=0.0, compare=False)
    lines: tuple[Line, ...] = ()
    """The root's moves, the best first. As many as the limit asked for have exact scores and lines of their own."""

    @property
    def efficiency(self) -> float:
        """The pruning efficiency in percent: pruned / (nodes + pruned) (trapgrid-deep-dive, section 4)."""
        looked_at = self.nodes + self.pruned
        return 100.0 * self.pruned / looked_at if looked_at else 0.0

    @property
    def speed(self) -> float:
        """Nodes a second, 0 where the time was not measured."""
        return self.nodes / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Setting:
    """Something about a bot that whoever starts it may choose: a number from `low` to `high`, or one of `choices`."""

    name: str
    title: str
    default: SettingValue
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()

    def check(self, value: SettingValue) -> SettingValue:
        """Return `value`, also given as text, if the setting takes it. Raises a ValueError that says what it takes."""
        if self.choices and value in self.choices:
            return value
        if not self.choices:
            with contextlib.suppress(ValueError):
                number = type(self.default)(value)
                if isinstance(number, int | float) and self.low <= number <= self.high:
                    return number
        raise ValueError(f"{self.name} is {self.range}, not {value!r}")

    @property
    def range(self) -> str:
        """What it takes, in words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if isinstance(self.default, int):
            return f"a whole number from {int(self.low)} to {int(self.high)}"
        return f"a number from {self.low:g} to {self.high:g}"

    def describe(self) -> str:
        return f"{self.range} (default {self.default})"

    def brief(self, value: SettingValue) -> str:
        """Return a value as it stands in a bot's label."""
        return str(value)


class Bot(ABC):
    """Chooses moves. The same seed, positions, depths and nodes give the same moves; a time limit may not.

    One bot plays many games at once, in turn: what it keeps from move to move must not change what it chooses in
    another game.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    games: ClassVar[tuple[str, ...] | None] = None
    """The names of the games that it plays; None is every game there is."""
    SETTINGS: ClassVar[tuple[Setting, ...]] = ()
    helps: bool = False
    """Whether other workers' searches of the same position help it, by the memory that it was lent, and whether it
    gains from thinking while the opponent does."""

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        """Make a bot with these settings. Raises a ValueError that lists what there is to set."""
        self.chance = Random(seed)
        known = {setting.name: setting for setting in self.SETTINGS}
        for name in settings:
            if name not in known:
                has = f"its settings are {', '.join(known)}" if known else "it has none"
                raise ValueError(f"{self.name} has no setting {name!r}; {has}")
        self.settings: Mapping[str, SettingValue] = {
            name: setting.check(settings.get(name, setting.default)) for name, setting in known.items()
        }
        self.label = "-".join(
            [self.name, *(known[name].brief(self.settings[name]) for name in known if name in settings)]
        )
        """The name with the settings that were given: what others know it by."""

    @classmethod
    def plays(cls, game: str | Game) -> bool:
        """Say whether this bot plays a game. A name asks for the default options; bots that do not play all options
        override this, and are asked with the game itself."""
        return cls.games is None or (game if isinstance(game, str) else game.name) in cls.games

    def check(self, game: Game) -> None:
        """Raise a ValueError that says why not where the settings are for another game than this, which it plays; bots
        with such settings override this. Quick: it compiles nothing."""
        del game

    def prepare(self, game: Game) -> None:
        """Compile or load what it takes to play `game`, before a clock runs. Most need only the rules."""
        del game

    @abstractmethod
    def choose(self, state: State, limit: Limit) -> Thought:
        """Return what to play in `state`, which is not over and waits for a player, within `limit`."""
