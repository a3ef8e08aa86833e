"""Moves by the network alone: one pass forward, illegal cells masked, the likeliest cell is played."""

from __future__ import annotations

from typing import Final

import numpy as np

from bots.bamboo.cells import cubes
from bots.bot import Line, Thought
from bots.neural.network import Layers, forward, inputs, masked
from engine.games.bamboo import BambooState, cell_names

__all__ = ["think"]

SHOWN: Final = 10
"""How many of the likeliest moves are told."""


def think(state: BambooState, layers: Layers) -> Thought:
    """Return what the network plays; the first of the likeliest, which is always the same."""
    x, legal = inputs(state)
    probabilities = masked(forward(layers, x[None])[-1][0], legal)
    names = cell_names(state.game.radius)
    cells = tuple(cubes(state.game.radius))
    order = np.argsort(-probabilities, kind="stable")[: int(legal.sum())].tolist()
    lines = tuple(Line(names[cells[i]], pv=(names[cells[i]],)) for i in order[:SHOWN])
    return Thought(lines[0].move, nodes=1, pv=lines[0].pv, lines=lines)
