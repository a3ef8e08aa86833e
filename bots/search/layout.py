"""Memory layouts of the compiled search: the transposition table, which processes share, and one workspace each.

They are structured records, since a compiled recursive function takes a record without a cost for each call, unlike an
array. The template is compiled for exactly these layouts, so all games share them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from cornered.bots.kernels.plies import MAX_PLY
from cornered.bots.nnue.layout import MOVES

__all__ = [
    "MAX_MOVES_PER_POSITION",
    "MAX_PLY",
    "MOVE_NUMBER_LIMIT",
    "PRUNED_DEPTHS",
    "REDUCED_DEPTHS",
    "TABLE_AGES",
    "TABLE_ENTRIES",
    "TABLE_LAYOUT",
    "WORKSPACE_LAYOUT",
]

TABLE_ENTRIES: Final = 1 << 20
"""Entries of the table, 16 bytes each; a power of two."""
MAX_MOVES_PER_POSITION: Final = 136
"""Upper bound on the moves of one position in any game."""
MOVE_NUMBER_LIMIT: Final = MOVES
"""Move numbers are below this, a power of two."""
TABLE_AGES: Final = 64
PRUNED_DEPTHS: Final = 8
"""Only nodes of smaller depth are pruned by their evaluation and by the number of a move."""
REDUCED_DEPTHS: Final = 32
"""Late-move reductions of greater depths are those of the last one."""

TABLE_LAYOUT: Final = np.dtype([("words", np.int64, (TABLE_ENTRIES, 2))])
"""An entry is (key XOR data, data): one that two processes wrote at once does not match its key."""

WORKSPACE_LAYOUT: Final = np.dtype(
    [
        # Written by other processes while the owner searches; padded to a cache line of its own.
        ("stop", np.int64),
        ("padding", np.int64, (7,)),
        # Inputs of one search.
        ("selective", np.int64),
        ("uses_network", np.int64),
        ("salt", np.int64),
        ("age", np.int64),
        ("order_noise", np.int64),
        ("preference_weight", np.int64),
        ("limit", np.int64),
        ("margins", np.int64, (PRUNED_DEPTHS,)),
        ("move_limits", np.int64, (PRUNED_DEPTHS,)),
        ("unknown_depth", np.int64),
        ("history_plies", np.int64),
        ("pv_reduction", np.int64),
        ("loud_plies", np.int64),
        ("reductions", np.int64, (REDUCED_DEPTHS, MAX_MOVES_PER_POSITION)),
        # Outputs.
        ("stopped", np.int64),
        ("nodes", np.int64),
        ("pruned", np.int64),
        ("table_hits", np.int64),
        ("selective_depth", np.int64),
        # Killer moves and history heuristic; keys since the root; principal variations; move lists by ply.
        ("killers", np.int64, (MAX_PLY, 2)),
        ("history", np.int64, (2, MOVE_NUMBER_LIMIT)),
        ("path_keys", np.int64, (MAX_PLY,)),
        ("pv_length", np.int64, (MAX_PLY,)),
        ("pv", np.int16, (MAX_PLY, MAX_PLY)),
        ("order_scores", np.int64, (MAX_PLY, MAX_MOVES_PER_POSITION)),
        ("moves", np.int64, (MAX_PLY, MAX_MOVES_PER_POSITION)),
    ],
    align=True,
)
"""One process's own. `stopped` ends the search: set after `stop`, at the deadline and after `limit` nodes."""
