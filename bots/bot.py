"""The interface of bots: settings, the games that a bot plays, and the `Thought` that it returns for a position."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar, Final, Literal, TypeAlias

from cornered import engine
from cornered.engine import Game, OptionValue, State
from cornered.engine.limit import Limit

__all__ = ["WIN", "Bot", "Limit", "Line", "Proven", "ScoreUnit", "Setting", "SettingValue", "Thought"]

WIN: Final = 10_000.0
"""Score of a won game, reduced by one for each ply to the end; evaluations are between -1,000 and 1,000."""

Proven: TypeAlias = Literal["win", "draw", "loss"]
SettingValue: TypeAlias = int | float | str

ScoreUnit: TypeAlias = Literal["moves", "result", "either"]
"""`moves`: 0 is even, 1 about one move's worth, and a won game is `WIN` less the plies to the end. `result`: the mean
result, from -1 to 1. `either`: each in different phases of the game."""


@dataclass(frozen=True, slots=True)
class Line:
    """One of the legal moves of a position. A score is None, or only a bound, where the search did not resolve it.
    `proven` is the game-theoretic result after the move, for its player; `plies` is the distance to the end, the move
    included: exact where a solver counted it, an upper bound where a search found it. `pv` starts with the move."""

    move: str
    score: float | None = None
    proven: Proven | None = None
    plies: int | None = None
    depth: int = 0
    pv: tuple[str, ...] = ()
    is_bound: bool = False
    """Whether `score` is an upper bound: the search only showed that the move is no better than the best."""


@dataclass(frozen=True, slots=True)
class Thought:
    """A move with its reasons. Scores are the mover's, positive is good, in units of the game's evaluation. `pruned`
    counts moves that cut-offs skipped; `pv`, the principal variation, starts with `move`. `proven` is the
    game-theoretic result with best play where it is known, and `plies` the distance to it, as in `Line`."""

    move: str
    score: float | None = None
    depth: int = 0
    nodes: int = 0
    pruned: int = 0
    pv: tuple[str, ...] = ()
    proven: Proven | None = None
    plies: int | None = None
    deepest: int = 0
    """Selective depth: the longest line in plies, quiescence search included."""
    hits: int = 0
    """Transposition table hits."""
    seconds: float = field(default=0.0, compare=False)
    lines: tuple[Line, ...] = ()
    """The root's moves, best first. The number that the limit asks for have exact scores and lines of their own."""

    @property
    def efficiency(self) -> float:
        """Pruning efficiency in percent: pruned / (nodes + pruned) (trapgrid-deep-dive, section 4)."""
        looked_at = self.nodes + self.pruned
        return 100.0 * self.pruned / looked_at if looked_at else 0.0

    @property
    def speed(self) -> float:
        """Nodes per second, 0 where the time was not measured."""
        return self.nodes / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Setting:
    """A parameter of a bot, set when it is created: a number from `low` to `high`, or one of `choices`."""

    name: str
    title: str
    default: SettingValue
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()

    def check(self, value: SettingValue) -> SettingValue:
        """Return `value`, converted from text if necessary. Raises ValueError that states the valid values."""
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
        """The valid values, in words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if isinstance(self.default, int):
            return f"a whole number from {int(self.low)} to {int(self.high)}"
        return f"a number from {self.low:g} to {self.high:g}"

    def describe(self) -> str:
        return f"{self.range} (default {self.default})"

    def brief(self, value: SettingValue) -> str:
        """Return a value as it is written in a bot's label."""
        return str(value)


class Bot(ABC):
    """Chooses moves. The same seed, positions, depths and nodes give the same moves; a time limit may not. One instance
    plays many games in turn: state that it keeps between moves must not change its choices in another game."""

    name: ClassVar[str]
    description: ClassVar[str]
    games: ClassVar[tuple[str, ...] | None] = None
    """Names of the games that it plays; None for every game."""
    SETTINGS: ClassVar[tuple[Setting, ...]] = ()
    score_unit: ClassVar[ScoreUnit] = "moves"
    """The unit of the scores of its thoughts."""
    is_quick: bool = False
    """Whether it answers within milliseconds, so that it can play many games at once."""

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        """Create a bot with these settings. Raises ValueError that lists the valid settings."""
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
        """The name with the settings that were given, as shown to players."""

    @classmethod
    def plays(cls, game: str | Game) -> bool:
        """Return whether this bot plays a game. A name stands for the default options; bots that do not play all
        options override this and are called with the game itself."""
        return cls.games is None or (game if isinstance(game, str) else game.name) in cls.games

    def accepted(self, game: str) -> Mapping[str, tuple[OptionValue, ...]]:
        """Return the values to which it keeps in some options of a game that it plays; it takes all of the others."""
        del game
        return {}

    def played_instead(self, game: Game) -> str:
        """Return what it plays in place of a game that it does not play, as a clause; empty where it cannot say."""
        del game
        return ""

    def usual(self, game: str) -> Game:
        """Return a game that it plays by its name, with the default of each option where that is accepted."""
        usual, wanted = engine.load(game), dict[str, OptionValue]()
        for name, values in self.accepted(game).items():
            if usual.options[name] not in values:
                wanted[name] = values[0]
                # The defaults of others may depend on it.
                usual = engine.load(game, **wanted)
        return usual

    def check(self, game: Game) -> None:
        """Raise ValueError with the reason where the settings do not fit a game that the bot plays. Bots with such
        settings override this. It compiles nothing."""
        del game

    def prepare(self, game: Game) -> None:
        """Compile or load what the bot needs for `game`, outside the clock. By default the rules alone."""
        del game

    def gains_from_help(self, game: Game) -> bool:
        """Return whether it gains from pondering, and from other workers' searches of the same position through a
        shared transposition table."""
        del game
        return False

    @abstractmethod
    def choose(self, state: State, limit: Limit) -> Thought:
        """Return the choice in `state`, in which a player is to move, within `limit`."""
