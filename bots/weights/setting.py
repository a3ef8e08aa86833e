"""The setting `weights` of a bot: the printed ones, some that come with the program, a file, or the numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cornered.bots.bot import Setting, SettingValue
from cornered.bots.weights.file import read, shipped, shipped_path
from cornered.bots.weights.model import Values, model

__all__ = ["PRINTED_NAME", "WeightsSetting", "resolve", "weights_setting"]

PRINTED_NAME: Final = "printed"
WEIGHTS_SUFFIX: Final = ".json"
PARTED: Final = ":"


@dataclass(frozen=True, slots=True)
class WeightsSetting(Setting):
    """One of `choices`, the name of a file that ends with .json, or numbers in the model's order, as in 12:1.5:2."""

    game: str | None = None
    """None for a bot of many games, which finds out when it plays whether the weights are for its game."""

    def check(self, value: SettingValue) -> SettingValue:
        text = str(value)
        if text in self.choices:
            return text
        if text.endswith(WEIGHTS_SUFFIX):
            read(Path(text), self.game)
            return text
        numbers = _numbers(text)
        if numbers is None:
            raise ValueError(f"{self.name} is {self.range}, not {value!r}")
        if self.game is not None:
            _fitting(numbers, self.game)
        return text

    @property
    def range(self) -> str:
        return f"one of {', '.join(self.choices)}, a file of weights ({WEIGHTS_SUFFIX}), or numbers as in 12{PARTED}1.5"

    def brief(self, value: SettingValue) -> str:
        text = str(value)
        return Path(text).stem if text.endswith(WEIGHTS_SUFFIX) else text


def weights_setting(game: str | None) -> WeightsSetting:
    """Return the setting for a bot of one game, or of all."""
    names = (PRINTED_NAME, *(shipped(game) if game else ()))
    return WeightsSetting("weights", "The evaluation's weights", PRINTED_NAME, choices=names, game=game)


def resolve(value: SettingValue, game: str) -> Values:
    """Return the values that a checked setting stands for in a game. Raises a ValueError where they are another's."""
    text, known = str(value), model(game)
    if text == PRINTED_NAME:
        return known.printed
    if text.endswith(WEIGHTS_SUFFIX):
        return read(Path(text), game).values
    numbers = _numbers(text)
    return read(shipped_path(game, text), game).values if numbers is None else _fitting(numbers, game)


def _numbers(text: str) -> Values | None:
    try:
        numbers = tuple(float(part) for part in text.split(PARTED))
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) else None


def _fitting(numbers: Values, game: str) -> Values:
    """Return all values of a game, given its linear weights or all. Raises a ValueError that says how many it takes."""
    known = model(game)
    if len(numbers) not in (known.linear, len(known.parameters)):
        listed = ", ".join(known.names[: known.linear])
        raise ValueError(f"{game} has {known.linear} weights ({listed}), not {len(numbers)}")
    return known.complete(dict(zip(known.names, numbers, strict=False)))
