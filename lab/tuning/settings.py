"""The settings of a bot as a search space: its numbers with ranges, and the word of the bot that plays by values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from cornered.bots.bot import Setting
from cornered.bots.roster import create
from cornered.bots.weights.model import DIGITS, Values, spelled
from cornered.clients.sdk.bot_word import split_word

__all__ = ["SettingsSpace"]


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
    def of(cls, word: str, ranges: Mapping[str, tuple[float, float]]) -> Self:
        """Return the space of these settings of the bot of a word, which begins with the word's own values. Raises
        ValueError for a setting that the bot lacks or that is no number, and for a range beyond the setting's."""
        if not ranges:
            raise ValueError("name a setting to tune with its range, as in --range margin=50:200")
        bot = create(word)
        known = {setting.name: setting for setting in bot.SETTINGS if not setting.choices}
        numbers = {name: value for name in known if not isinstance(value := bot.settings[name], str)}
        for name, (low, high) in ranges.items():
            if name not in numbers:
                listed = f"those that are numbers are {', '.join(numbers)}" if numbers else "none of them is a number"
                raise ValueError(f"{word} has no setting {name!r} to tune; {listed}")
            if not known[name].low <= low < high <= known[name].high:
                raise ValueError(
                    f"{name} is {known[name].range}: its range goes from less to more of these, not {low:g} to {high:g}"
                )
        head, given = split_word(word)
        return cls(
            head,
            {name: value for name, value in given.items() if name not in ranges},
            tuple(known[name] for name in ranges),
            tuple(low for low, _ in ranges.values()),
            tuple(high for _, high in ranges.values()),
            tuple(float(numbers[name]) for name in ranges),
        )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(setting.name for setting in self.settings)

    def values(self, point: Sequence[float]) -> Values:
        found = []
        for setting, low, high, at in zip(self.settings, self.lows, self.highs, point, strict=True):
            value = low + (high - low) * max(0.0, min(1.0, at))
            found.append(float(round(value)) if isinstance(setting.default, int) else round(value, DIGITS))
        return tuple(found)

    def point(self, values: Values) -> tuple[float, ...]:
        return tuple(
            max(0.0, min(1.0, (value - low) / (high - low)))
            for value, low, high in zip(values, self.lows, self.highs, strict=True)
        )

    def named(self, values: Values) -> dict[str, float]:
        return dict(zip(self.names, values, strict=True))

    def word(self, values: Values | None = None) -> str:
        """Return the word of the bot with these values, None for those of the start."""
        chosen = (f"{name}={spelled((value,))}" for name, value in self.named(values or self.start).items())
        return f"{self.bot}:{','.join([*(f'{name}={value}' for name, value in self.fixed.items()), *chosen])}"
