"""Moves by a network alone: one pass forward, illegal cells masked, the likeliest cell is played."""

from __future__ import annotations

from typing import Final

import numpy as np

from cornered.bots.bamboo.cells import cubes
from cornered.bots.bot import Line, Thought
from cornered.bots.neural.network import Network, masked
from cornered.bots.neural.views import Views
from cornered.engine.games.bamboo import BambooState, cell_names

__all__ = ["think"]

LINES_SHOWN: Final = 10
"""The likeliest moves that a thought lists."""


def think(state: BambooState, network: Network) -> Thought:
    """Return the network's likeliest move, the first of equals.

    The score is its value, from -1 to 1, where it has a value head.
    """
    radius = state.game.radius
    views = Views.of([state], radius)
    judged = network.judge(views)
    probabilities = masked(judged.scores[0], views.legal[0])
    names, cells = cell_names(radius), tuple(cubes(radius))
    order = np.argsort(-probabilities, kind="stable")[: int(views.legal[0].sum())].tolist()
    lines = tuple(Line(names[cells[i]], pv=(names[cells[i]],)) for i in order[:LINES_SHOWN])
    score = None if judged.values is None else float(judged.values[0])
    return Thought(lines[0].move, score, nodes=1, pv=lines[0].pv, lines=lines)
