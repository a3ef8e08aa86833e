"""Ways home through a maze, by whole ranks at a time: how long the shortest are, and which doors they use.

The boards are the pairs of words of `cornered.engine.kernels.maze`. A door is named by the cell south or west of it.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.maze import Four, Pair, bit, down, passages, up
from cornered.engine.kernels.walls import Position, goal, pawn, walls_of

__all__ = ["NO_WAY", "Ways", "both_ways", "closing_slots", "spread", "steps_home", "ways"]

Ways: TypeAlias = tuple[int, int, int, int, int]
"""The steps of a shortest path, then the doors to the north and to the east that any shortest path goes through."""

NO_WAY: Final = 99
"""How many steps it takes when there is no path."""


@kernel
def spread(doors: Four, lo: int, hi: int) -> Pair:
    """Return cells and their neighbours; pawns are not in the way."""
    north_lo, north_hi, east_lo, east_hi = doors
    up_lo, up_hi = up(lo & north_lo, hi & north_hi)
    down_lo, down_hi = down(lo, hi)
    return (
        lo | up_lo | down_lo & north_lo | (lo & east_lo) << 1 | (lo >> 1) & east_lo,
        hi | up_hi | down_hi & north_hi | (hi & east_hi) << 1 | (hi >> 1) & east_hi,
    )


@kernel
def steps_home(doors: Four, cell: int, goal_lo: int, goal_hi: int) -> int:
    """Return how many steps the shortest path from `cell` to its goal takes; pawns are not in the way."""
    lo, hi = bit(cell)
    steps = 0
    while lo & goal_lo == 0 and hi & goal_hi == 0:
        lo, hi = spread(doors, lo, hi)
        steps += 1
        if steps == NO_WAY:
            break
    return steps


@kernel
def ways(doors: Four, cell: int, goal_lo: int, goal_hi: int) -> Ways:
    """Return the length of the shortest paths from `cell` to its goal, and every door that one of them uses.

    The flood remembers for each cell all the steps by which it could get wet first: they are the edges of the graph
    of shortest paths, so the way back from the goal needs no list of rings.
    """
    north_lo, north_hi, east_lo, east_hi = doors
    north_steps_lo, north_steps_hi, south_steps_lo, south_steps_hi = 0, 0, 0, 0
    east_steps_lo, east_steps_hi, west_steps_lo, west_steps_hi = 0, 0, 0, 0
    edge_lo, edge_hi = bit(cell)
    seen_lo, seen_hi = edge_lo, edge_hi
    steps = 0
    while edge_lo & goal_lo == 0 and edge_hi & goal_hi == 0:
        up_lo, up_hi = up(edge_lo & north_lo, edge_hi & north_hi)
        down_lo, down_hi = down(edge_lo, edge_hi)
        up_lo, up_hi = up_lo & ~seen_lo, up_hi & ~seen_hi
        down_lo, down_hi = down_lo & north_lo & ~seen_lo, down_hi & north_hi & ~seen_hi
        right_lo, right_hi = (edge_lo & east_lo) << 1 & ~seen_lo, (edge_hi & east_hi) << 1 & ~seen_hi
        left_lo, left_hi = (edge_lo >> 1) & east_lo & ~seen_lo, (edge_hi >> 1) & east_hi & ~seen_hi
        north_steps_lo |= up_lo
        north_steps_hi |= up_hi
        south_steps_lo |= down_lo
        south_steps_hi |= down_hi
        east_steps_lo |= right_lo
        east_steps_hi |= right_hi
        west_steps_lo |= left_lo
        west_steps_hi |= left_hi
        edge_lo, edge_hi = up_lo | down_lo | right_lo | left_lo, up_hi | down_hi | right_hi | left_hi
        if edge_lo | edge_hi == 0:
            return NO_WAY, 0, 0, 0, 0
        seen_lo |= edge_lo
        seen_hi |= edge_hi
        steps += 1
    edge_lo &= goal_lo
    edge_hi &= goal_hi
    crossed_north_lo, crossed_north_hi, crossed_east_lo, crossed_east_hi = 0, 0, 0, 0
    for _ in range(steps):
        below_lo, below_hi = down(edge_lo & north_steps_lo, edge_hi & north_steps_hi)
        from_lo, from_hi = edge_lo & south_steps_lo, edge_hi & south_steps_hi
        above_lo, above_hi = up(from_lo, from_hi)
        crossed_north_lo |= below_lo | from_lo
        crossed_north_hi |= below_hi | from_hi
        right_lo, right_hi = edge_lo & west_steps_lo, edge_hi & west_steps_hi
        left_lo, left_hi = (edge_lo & east_steps_lo) >> 1, (edge_hi & east_steps_hi) >> 1
        crossed_east_lo |= left_lo | right_lo
        crossed_east_hi |= left_hi | right_hi
        edge_lo = below_lo | above_lo | left_lo | right_lo << 1
        edge_hi = below_hi | above_hi | left_hi | right_hi << 1
    return steps, crossed_north_lo, crossed_north_hi, crossed_east_lo, crossed_east_hi


@kernel
def closing_slots(way: Ways) -> Four:
    """Return the slots (horizontal, then vertical) whose wall closes one of these doors; some may be no slots."""
    _steps, north_lo, north_hi, east_lo, east_hi = way
    below_lo, below_hi = down(east_lo, east_hi)
    return north_lo | north_lo >> 1, north_hi | north_hi >> 1, east_lo | below_lo, east_hi | below_hi


@kernel
def both_ways(position: Position) -> Pair:
    """Return how many steps the shortest paths of seats 0 and 1 take."""
    doors = passages(walls_of(position), position.size)
    first_lo, first_hi = goal(position, 0)
    second_lo, second_hi = goal(position, 1)
    return (
        steps_home(doors, pawn(position, 0), first_lo, first_hi),
        steps_home(doors, pawn(position, 1), second_lo, second_hi),
    )
