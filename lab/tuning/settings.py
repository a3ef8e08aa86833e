"""The settings of a bot as a search space: its numbers with ranges, and the word of the bot that plays by values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from cornered.bots.bot import Setting
from cornered.bots.roster import create, level_spelled_out
from cornered.bots.weights.model import Values
from cornered.clients.sdk.bot_word import split_word
from cornered.lab.tuning.space import coordinates, value_at

__all__ = ["SettingsSpace"]

DIGITS: Final = 6
"""Significant digits of a tuned setting."""


@dataclass(frozen=True, slots=True)
class SettingsSpace:
    """Settings of a bot with ranges; `fixed` are those that its word gives besides."""

    bot: str
    fixed: Mapping[str, str]
    settings: tuple[Setting, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    start: Values

    @classmethod
    def of(cls, word: str, ranges: Mapping[str, tuple[float, float]], spread: float = 1.0) -> Self:
        """Return the space of these settings of the bot of a word, which begins with the word's own values. Raises
        ValueError for settings that the bot lacks or that are no numbers, and for ranges that cannot be searched with
        perturbations of `spread`, relative to the range."""
        if not ranges:
            raise ValueError("name a setting to tune with its range, as in --range margin=50:200")
        bot = create(word)
        if not bot.SETTINGS:
            raise ValueError(f"{word} declares no settings: only bots with SETTINGS, a class attribute, can be tuned")
        known = {setting.name: setting for setting in bot.SETTINGS if not isinstance(setting.default, str)}
        for name, (low, high) in ranges.items():
            if name not in known:
                listed = f"those that are numbers are {', '.join(known)}" if known else "none of them is a number"
                raise ValueError(f"{word} has no setting {name!r} to tune; {listed}")
            _check(known[name], float(bot.settings[name]), low, high, spread)
        head, given = split_word(level_spelled_out(word))
        return cls(
            head,
            {name: value for name, value in given.items() if name not in ranges},
            tuple(known[name] for name in ranges),
            tuple(low for low, _ in ranges.values()),
            tuple(high for _, high in ranges.values()),
            tuple(float(bot.settings[name]) for name in ranges),
        )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(setting.name for setting in self.settings)

    def values(self, point: Sequence[float]) -> Values:
        found = []
        for setting, low, high, at in zip(self.settings, self.lows, self.highs, point, strict=True):
            value = value_at(at, low, high)
            rounded = float(round(value)) if isinstance(setting.default, int) else float(f"{value:.{DIGITS}g}")
            found.append(max(low, min(high, rounded)))
        return tuple(found)

    def point(self, values: Values) -> tuple[float, ...]:
        return coordinates(values, self.lows, self.highs)

    def named(self, values: Values) -> dict[str, float]:
        return dict(zip(self.names, values, strict=True))

    def word(self, values: Values | None = None) -> str:
        """Return the word of the bot with these values, None for those of the start."""
        chosen = (f"{name}={_plain(value)}" for name, value in self.named(values or self.start).items())
        return f"{self.bot}:{','.join([*(f'{name}={value}' for name, value in self.fixed.items()), *chosen])}"


def _check(setting: Setting, start: float, low: float, high: float, spread: float) -> None:
    """Raise ValueError where a setting cannot be searched in a range."""
    name = setting.name
    if not setting.low <= low < high <= setting.high:
        raise ValueError(
            f"{name} is {setting.range}: its range goes from less to more of these, not {low:g} to {high:g}"
        )
    if not low <= start <= high:
        raise ValueError(f"the search begins with {name}={_plain(start)}, which is outside {low:g} to {high:g}")
    if isinstance(setting.default, int):
        if low % 1 or high % 1:
            raise ValueError(f"{name} is {setting.range}: give whole ends, not {low:g} to {high:g}")
        if spread * (high - low) < 1:
            raise ValueError(
                f"{name} is a whole number: perturbed by {spread:g} of {low:g} to {high:g}, it does not change; give a "
                "wider range or a greater --spread"
            )


def _plain(value: float) -> str:
    """Return a number without an exponent."""
    return np.format_float_positional(value, trim="-")
