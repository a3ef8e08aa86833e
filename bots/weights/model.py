"""A tunable evaluation: one description of its parameters for bots, for learning and for parameter search."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from cornered import engine
from cornered.bots import weights as _package
from cornered.engine import State

__all__ = ["DIGITS", "Features", "Model", "Parameter", "Values", "model", "modelled", "spelled"]

Values: TypeAlias = tuple[float, ...]
"""One number for each of a model's parameters, in their order."""
Features: TypeAlias = Callable[[State, int, Values], tuple[float, ...]]
"""Returns the features of the linear parameters in a position that is not over, for a seat."""

DIGITS: Final = 4
"""Decimals of a weight: rounded before play, so that the file holds the weights that played."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number of an evaluation: the reference's value, and the range of parameter searches."""

    name: str
    title: str
    printed: float
    low: float
    high: float
    is_linear: bool = True
    """Whether it is a factor of the sum; others are thresholds, which cannot be learnt, only searched."""


@dataclass(frozen=True, slots=True)
class Model:
    """An evaluation of one game for two. Its linear parameters come first.

    `bot` is the name of the bot that plays by it and has the settings `depth` and `weights`.
    """

    game: str
    bot: str
    source: str
    """Where the printed numbers come from."""
    parameters: tuple[Parameter, ...]
    features: Features

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def printed(self) -> Values:
        return tuple(parameter.printed for parameter in self.parameters)

    @property
    def linear(self) -> int:
        """How many parameters are linear."""
        return sum(parameter.is_linear for parameter in self.parameters)

    def evaluate(self, state: State, seat: int, values: Values) -> float:
        """Return the evaluation of a position that is not over for a seat: the weighted sum of its features."""
        return sum(value * feature for value, feature in zip(values, self.features(state, seat, values), strict=False))

    def complete(self, given: Mapping[str, float]) -> Values:
        """Return all values, those that are not given as printed. Raises a ValueError that lists the names."""
        unknown = sorted(given.keys() - set(self.names))
        if unknown:
            raise ValueError(f"{self.game} has no weight {unknown[0]!r}; there are {', '.join(self.names)}")
        return tuple(float(given.get(parameter.name, parameter.printed)) for parameter in self.parameters)

    def named(self, values: Values) -> dict[str, float]:
        """Return each value by its name."""
        return dict(zip(self.names, values, strict=True))

    def word(self, values: Values | None, depth: int) -> str:
        """Return the word of the bot that plays by these values, None for the printed ones, so many plies deep."""
        word = f"{self.bot}:depth={depth}"
        return word if values is None else f"{word},weights={spelled(values)}"

    def places(self, names: Sequence[str]) -> tuple[int, ...]:
        """Return where the named parameters stand, all linear ones where none is named. Raises a ValueError."""
        self.complete(dict.fromkeys(names, 0.0))
        return tuple(place for place, name in enumerate(self.names) if name in names) or tuple(range(self.linear))


def spelled(values: Values) -> str:
    """Return values as a bot's word has them, as in 12:1.5:2."""
    return ":".join(f"{value:.{DIGITS}f}".rstrip("0").rstrip(".") for value in values)


@cache
def modelled() -> tuple[str, ...]:
    """Return the names of the games that have a model: one module a game, found by being there."""
    games = {game.name for game in engine.games()}
    return tuple(sorted(module.name for module in pkgutil.iter_modules(_package.__path__) if module.name in games))


def model(game: str) -> Model:
    """Return the model of a game. Raises a ValueError that lists the games that have one."""
    if game not in modelled():
        raise ValueError(f"there are no weights for {game!r}; there are for {', '.join(modelled())}")
    found: Model = importlib.import_module(f"cornered.bots.weights.{game}").MODEL
    return found
