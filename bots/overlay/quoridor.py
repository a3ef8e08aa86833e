"""Quoridor: how far home is from every cell, where the shortest ways go, and where a wall would hurt most."""

from __future__ import annotations

from typing import Final

from cornered.bots.evaluate.rings import Maze
from cornered.bots.overlay import Overlay
from cornered.engine import State
from cornered.engine.games.quoridor import MOVE_NAMES, MOVE_NUMBERS, QuoridorState
from cornered.engine.kernels.grid import cells
from cornered.engine.kernels.maze import CELL_COUNT, SPLIT
from cornered.engine.kernels.walls import GONE, goal

__all__ = ["overlays"]

TELLING: Final = 8
"""How many of the worst walls are shown."""


def overlays(state: State) -> tuple[Overlay, ...]:
    assert isinstance(state, QuoridorState)
    maze = Maze.of(state.position)
    players = [seat for seat, cell in enumerate(state.pawns()) if cell != GONE]
    pictures = [_distance(state, maze, seat) for seat in players]
    pictures.append(_shortest(state, maze, players))
    if state.outcome is None and state.stocks()[state.to_move]:
        pictures.append(_worst(state, players))
    return tuple(pictures)


def _distance(state: QuoridorState, maze: Maze, seat: int) -> Overlay:
    """Return the steps home from every cell of a seat's maze, with their heat as a part of the longest way there is."""
    lo, hi = goal(state.position, seat)
    ring = seen = lo | hi << SPLIT
    rings = []
    while ring:
        rings.append(ring)
        ring = maze.spread(ring) & ~seen
        seen |= ring
    most = max(1, len(rings) - 1)
    steps = {MOVE_NAMES[cell]: count for count, ring in enumerate(rings) for cell in cells(ring)}
    heat = {cell: count / most for cell, count in steps.items()}
    longest = "1 step" if most == 1 else f"{most} steps"
    legend = f"Steps home from each cell: 0 is home, the longest way is {longest}. Pawns are not in the way."
    ends = ("0 steps", longest)
    return Overlay(f"distance-{seat}", f"Way home of seat {seat}", legend, heat=heat, ends=ends, numbers=steps)


def _shortest(state: QuoridorState, maze: Maze, players: list[int]) -> Overlay:
    """Return every cell that lies on a shortest way home, with whose it is."""
    zones: dict[str, str] = {}
    for seat in players:
        rings = maze.rings(state.position, seat)
        at = 1 << (state.position.pawns >> 8 * seat & 255)
        on_way = at
        for ring in rings[-2::-1]:
            at = maze.spread(at) & ring
            on_way |= at
        for cell in cells(on_way):
            zones[MOVE_NAMES[cell]] = "both" if MOVE_NAMES[cell] in zones else str(seat)
    return Overlay("shortest", "Shortest ways", "Cells on a shortest way home; pawns are not in the way.", zones=zones)


def _worst(state: QuoridorState, players: list[int]) -> Overlay:
    """Return the cells beside the walls that throw the mover's nearest rival back most, own losses counted in."""
    before = _steps(state, players)
    mover = state.to_move
    rival = min((seat for seat in players if seat != mover), key=lambda seat: before[seat], default=mover)
    gains: dict[int, int] = {}
    for move in state.moves():
        if len(move) == 3:
            after = _steps(state.play(move), players)
            gains[MOVE_NUMBERS[move]] = after[rival] - before[rival] - (after[mover] - before[mover])
    worst = sorted((wall for wall in gains if gains[wall] > 0), key=lambda wall: -gains[wall])[:TELLING]
    most = gains[worst[0]] if worst else 1
    steps: dict[str, int] = {}
    for wall in worst:
        slot = wall % CELL_COUNT
        for cell in (slot, slot + 1, slot + 9, slot + 10):
            steps[MOVE_NAMES[cell]] = max(steps.get(MOVE_NAMES[cell], 0), gains[wall])
    heat = {cell: count / most for cell, count in steps.items()}
    most = most if worst else 0
    legend = f"Steps that a wall beside the cell costs seat {rival}, own losses taken off: up to {most} steps."
    ends = ("0 steps", "1 step" if most == 1 else f"{most} steps")
    return Overlay("walls", "Where a wall hurts", legend, heat=heat, ends=ends, numbers=steps)


def _steps(state: QuoridorState, players: list[int]) -> dict[int, int]:
    maze = Maze.of(state.position)
    return {seat: len(maze.rings(state.position, seat)) - 1 for seat in players}
