"""Overlays: per-cell pictures of a position for study. One module a game, found by being there.

A game's module offers `overlays(state) -> tuple[Overlay, ...]`. They depend on the position alone.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from cornered.engine import State

__all__ = ["Overlay", "overlays"]


@dataclass(frozen=True, slots=True)
class Overlay:
    """One picture. `zones` gives cells to a seat ("0", "1"), or to "both"; `heat` gives cells a number from 0 to 1.

    An overlay has one of the two. `legend` is its caption; `ends` say what the least and the greatest heat stand for,
    and `numbers` what the heat of single cells stands for.
    """

    name: str
    title: str
    legend: str
    zones: Mapping[str, str] = field(default_factory=dict)
    heat: Mapping[str, float] = field(default_factory=dict)
    ends: tuple[str, str] = ("", "")
    numbers: Mapping[str, int] = field(default_factory=dict)


@cache
def _module(game: str) -> Callable[[State], tuple[Overlay, ...]] | None:
    if game not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return None
    found: Callable[[State], tuple[Overlay, ...]] = importlib.import_module(f"{__name__}.{game}").overlays
    return found


def overlays(state: State) -> tuple[Overlay, ...]:
    """Return the overlays of a position, none where its game has none."""
    of_game = _module(state.game.name)
    return of_game(state) if of_game else ()
