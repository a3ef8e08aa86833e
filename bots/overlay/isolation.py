"""Isolation's overlays: slides, the seat that reaches each cell first, and distances in slides."""

from __future__ import annotations

from cornered.bots.overlay import Overlay
from cornered.engine import State
from cornered.engine.games.isolation import IsolationState
from cornered.engine.kernels.grid import names, word
from cornered.engine.kernels.slides import DICE_SIDES, SLIDE_STEPS_MAX, slides

__all__ = ["overlays", "rings"]


def rings(state: IsolationState, pawn: int) -> list[int]:
    """Return the words of the cells at a distance of one slide, of two, and so on.

    Other pawns stand still and no cell gets blocked. With dice, a slide is as long as the best roll, or as the roll
    already thrown for the mover.
    """
    position = state.position
    longest = DICE_SIDES if state.game.dice else SLIDE_STEPS_MAX
    found: list[int] = []
    left, front = int(position.free), pawn
    while front:
        first = not found and position.roll and pawn == int(position.mover)
        front = int(slides(position.free, word(front), position.roll if first else longest)) & left
        left &= ~front
        if front:
            found.append(front)
    return found


def overlays(state: State) -> tuple[Overlay, ...]:
    """Return the cells each placed pawn can slide to, whose they are in slides, and the slides to each cell."""
    assert isinstance(state, IsolationState)
    places = state.position.places
    reached = {
        seat: rings(state, pawn)
        for seat, pawn in enumerate(state.pawns())
        if pawn and not places >> 3 * seat & 7 and state.outcome is None
    }
    if not reached:
        return ()
    now = {seat: found[0] if found else 0 for seat, found in reached.items()}
    return (
        Overlay("slides", "Slides", "The cells that each pawn can slide to now.", zones=_zones(now)),
        Overlay(
            "territory",
            "Territory",
            "Who gets to each cell in the fewest slides; both, where they take equally many.",
            zones=_nearest(reached),
        ),
        *(
            Overlay(
                f"distance-{seat}",
                f"Distance from pawn {seat}",
                "Slides to each cell; cells without a number are out of reach.",
                heat=_heat(found),
                ends=(_slides(len(found)), _slides(1)),
                numbers={name: slides for slides, ring in enumerate(found, 1) for name in names(ring)},
            )
            for seat, found in reached.items()
        ),
    )


def _slides(slides: int) -> str:
    return f"{slides} slide{'s' if slides > 1 else ''}"


def _zones(words: dict[int, int]) -> dict[str, str]:
    """Return the zone of each cell of the seats' words: a seat, or both where there are several."""
    zones: dict[str, str] = {}
    for seat, cells in words.items():
        for name in names(cells):
            zones[name] = "both" if name in zones else str(seat)
    return zones


def _nearest(reached: dict[int, list[int]]) -> dict[str, str]:
    zones: dict[str, str] = {}
    for distance in range(max(len(found) for found in reached.values())):
        here = {seat: found[distance] for seat, found in reached.items() if distance < len(found)}
        zones |= {name: owner for name, owner in _zones(here).items() if name not in zones}
    return zones


def _heat(found: list[int]) -> dict[str, float]:
    return {name: round(1 - distance / len(found), 3) for distance, ring in enumerate(found) for name in names(ring)}
