"""TrapGrid's overlays: reach, Voronoi zones, the distance of the pawns, and wall danger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cornered.bots.evaluate.trapgrid_classic import distance, neighbours, wall_danger
from cornered.bots.overlay import Overlay
from cornered.engine import State
from cornered.engine.games.trapgrid import TrapGridState
from cornered.engine.kernels.grid import CELL_NAMES, cells

__all__ = ["overlays"]

MOST_DANGER: Final = 10
"""A corner without a way on: 4 + 2 x 3 (trapgrid-deep-dive, section 8)."""
SHARED_ZONE: Final = "both"


def overlays(state: State) -> tuple[Overlay, ...]:
    """Return the reference's three pictures (trapgrid-deep-dive, sections 2, 8 and 10) and the Voronoi zones."""
    assert isinstance(state, TrapGridState)
    free, pawns, size = int(state.position.free), state.pawns(), state.game.size
    return (
        Overlay(
            "territory",
            "Territory",
            "Cells that only one pawn can still reach, and cells that both can",
            zones=dict(_territory(free, pawns)),
        ),
        Overlay(
            "zones",
            "First there",
            "Cells that one pawn reaches before the other can",
            zones=dict(_first_there(free, pawns, state.to_move)),
        ),
        Overlay(
            "distance",
            "Heat map",
            "The hotter a cell, the fewer rows and columns it is from the nearer pawn",
            heat={
                name: 1 - min(distance(cell, pawn) for pawn in pawns) / (2 * (size - 1)) for name, cell in _named(free)
            },
            ends=(f"{2 * (size - 1)} away", "0 away"),
        ),
        Overlay(
            "danger",
            "Danger",
            "Corners, edges and cells with few ways on",
            heat={name: wall_danger(free, cell, size) / MOST_DANGER for name, cell in _named(free)},
            ends=("0 points", f"{MOST_DANGER} points"),
        ),
    )


def _named(word: int) -> Iterator[tuple[str, int]]:
    return ((CELL_NAMES[bit], 1 << bit) for bit in cells(word))


def _waves(free: int, pawn: int) -> Iterator[int]:
    """Iterate over the cells that a pawn can reach in one step, two steps, and so on."""
    wave = neighbours(pawn) & free
    while wave:
        yield wave
        free &= ~wave
        wave = neighbours(wave) & free


def _territory(free: int, pawns: tuple[int, int]) -> Iterator[tuple[str, str]]:
    first, second = (sum(_waves(free, pawn)) for pawn in pawns)
    for name, cell in _named(first | second):
        yield name, SHARED_ZONE if cell & first & second else "0" if cell & first else "1"


def _first_there(free: int, pawns: tuple[int, int], to_move: int) -> Iterator[tuple[str, str]]:
    """At the same distance the seat to move is first."""
    order = (to_move, 1 - to_move)
    edges = {seat: pawns[seat] for seat in order}
    while any(edges.values()):
        for seat in order:
            edges[seat] = neighbours(edges[seat]) & free
            free &= ~edges[seat]
            for name, _ in _named(edges[seat]):
                yield name, str(seat)
