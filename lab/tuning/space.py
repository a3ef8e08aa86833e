"""The search space of a tuning: parameters of a model with their ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from cornered.bots.weights.model import DIGITS, Model, Values

__all__ = ["SearchSpace", "Space", "TuningResult", "coordinates", "value_at"]


@dataclass(frozen=True, slots=True)
class TuningResult:
    """Result of a search: the best values, a summary, and the curve, all JSON-compatible."""

    values: Values
    result: Mapping[str, Any]
    curve: Sequence[Mapping[str, Any]]


class SearchSpace(Protocol):
    """Numbers to search for. A point has a coordinate for each, 0 at the lower end of its range and 1 at the upper."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def lows(self) -> tuple[float, ...]: ...

    @property
    def highs(self) -> tuple[float, ...]: ...

    @property
    def start(self) -> Values:
        """The values that a search begins with."""

    def values(self, point: Sequence[float]) -> Values:
        """Return the values at a point, with coordinates clamped to 0 and 1."""

    def point(self, values: Values) -> tuple[float, ...]:
        """Return the point of values, clamped to the ranges."""

    def named(self, values: Values) -> Mapping[str, float]:
        """Return each value by its name."""


def value_at(at: float, low: float, high: float) -> float:
    """Return the value at a coordinate of a range, clamped to its ends."""
    return low + (high - low) * max(0.0, min(1.0, at))


def coordinates(values: Sequence[float], lows: Sequence[float], highs: Sequence[float]) -> tuple[float, ...]:
    """Return the coordinates of values in their ranges, clamped to the ends."""
    return tuple(
        max(0.0, min(1.0, (value - low) / (high - low))) for value, low, high in zip(values, lows, highs, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Space:
    """Parameters of a model with ranges; the others stay as printed."""

    model: Model
    places: tuple[int, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]

    @classmethod
    def of(
        cls, model: Model, tuned: Sequence[str] = (), ranges: Mapping[str, tuple[float, float]] | None = None
    ) -> Self:
        """Return the space of the named parameters, by default all linear ones, with the model's ranges unless given.
        Raises ValueError for unknown names and empty ranges."""
        ranges = ranges or {}
        model.complete(dict.fromkeys(ranges, 0.0))
        places = model.places((*tuned, *ranges) if tuned else ())
        places = tuple(sorted({*places, *(model.names.index(name) for name in ranges)}))
        chosen = [model.parameters[place] for place in places]
        ends = [ranges.get(parameter.name, (parameter.low, parameter.high)) for parameter in chosen]
        for parameter, (low, high) in zip(chosen, ends, strict=True):
            if not low < high:
                raise ValueError(f"the range of {parameter.name} goes from less to more, not from {low:g} to {high:g}")
        return cls(model, places, tuple(low for low, _ in ends), tuple(high for _, high in ends))

    @property
    def start(self) -> Values:
        return self.model.printed

    def named(self, values: Values) -> dict[str, float]:
        return self.model.named(values)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.model.names[place] for place in self.places)

    def values(self, point: Sequence[float]) -> Values:
        """Return the values at a point, with coordinates clamped to 0 and 1."""
        values = list(self.model.printed)
        for place, low, high, at in zip(self.places, self.lows, self.highs, point, strict=True):
            values[place] = round(value_at(at, low, high), DIGITS)
        return tuple(values)

    def point(self, values: Values) -> tuple[float, ...]:
        """Return the point of values, clamped to the ranges."""
        return coordinates([values[place] for place in self.places], self.lows, self.highs)
