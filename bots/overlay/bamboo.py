"""Bamboo's overlays: where each side may place, sparsity, and group sizes beside the number of groups."""

from __future__ import annotations

from cornered.bots.bamboo.cells import bamboo, each
from cornered.bots.bamboo.heuristics import sparsity
from cornered.bots.overlay import Overlay
from cornered.engine import State
from cornered.engine.games.bamboo import BambooState, cell_names, groups, whole
from cornered.engine.kernels.hexagon import placements, turned

__all__ = ["overlays"]


def overlays(state: State) -> tuple[Overlay, ...]:
    """Return where each seat may place, the mover's sparsity, and how near each cell is to being too large a group."""
    here = bamboo(state)
    return _places(here), _sparsity(here), _strain(here)


def _free(state: BambooState) -> int:
    return whole(state.position[6:9])


def _places(state: BambooState) -> Overlay:
    """Return the cells where seat 0, seat 1 or both may place if it is their turn."""
    names = cell_names(state.game.radius)
    mover, other = whole(placements(state.position)), whole(placements(turned(state.position)))
    first, second = (mover, other) if state.to_move == 0 else (other, mover)
    zones = {names[cell]: "both" for cell in each(first & second)}
    zones |= {names[cell]: "0" for cell in each(first & ~second)}
    zones |= {names[cell]: "1" for cell in each(second & ~first)}
    return Overlay("places", "Who may place", "Cells where either side may place, or only one of them", zones=zones)


def _sparsity(state: BambooState) -> Overlay:
    """Return the average distance to the mover's stones (Bamboo paper, section III.A.3), 1 for the highest."""
    names = cell_names(state.game.radius)
    found = {names[cell]: sparsity(state, cell) for cell in each(whole(placements(state.position)))}
    most = max(found.values(), default=0.0)
    heat = {name: value / most if most else 0.0 for name, value in found.items()}
    legend = "Hot cells are far from the mover's stones on average"
    return Overlay("sparsity", "Sparsity", legend, heat=heat, ends=("0 cells", f"{most:.1f} cells"))


def _strain(state: BambooState) -> Overlay:
    """Return for each free cell the size of the group that the mover's stone would make, relative to the number of
    groups.

    1 is forbidden by the rules: a group of more stones than its limit, the number of groups.
    """
    names = cell_names(state.game.radius)
    own = state.stones()[state.to_move]
    heat, sizes = dict[str, float](), dict[str, int]()
    for cell in each(_free(state)):
        after = [group.bit_count() for group in groups(own | 1 << cell)]
        made = next(group.bit_count() for group in groups(own | 1 << cell) if group >> cell & 1)
        sizes[names[cell]] = made
        heat[names[cell]] = 1.0 if max(after) > len(after) else made / (len(after) + 1)
    legend = "Size of the group that a stone of the mover would make; the hottest cells are forbidden"
    ends = ("0 stones", "1 over the limit")
    return Overlay("strain", "Group sizes", legend, heat=heat, ends=ends, numbers=sizes)
