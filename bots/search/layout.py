"""What a search writes down while it runs: one table for everybody, and a workspace for each process that searches.

A record is what a compiled recursive function can take without any cost for each call; an array is not. The template is
compiled for exactly these layouts, so all games share them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

__all__ = [
    "MAX_MOVES_PER_POSITION",
    "MAX_PLY",
    "MOVE_NUMBER_LIMIT",
    "TABLE_AGES",
    "TABLE_ENTRIES",
    "TABLE_LAYOUT",
    "WORKSPACE_LAYOUT",
]

TABLE_ENTRIES: Final = 1 << 20
"""Entries of the table, 16 bytes each; a power of two."""
MAX_PLY: Final = 128
"""No line is longer than this, quiescence included."""
MAX_MOVES_PER_POSITION: Final = 136
"""Room for the moves of one position, whatever the game."""
MOVE_NUMBER_LIMIT: Final = 256
"""Move numbers are below this, a power of two."""
TABLE_AGES: Final = 64

TABLE_LAYOUT: Final = np.dtype([("words", np.int64, (TABLE_ENTRIES, 2))])
"""An entry is (key XOR data, data): one that two processes wrote at once does not match its key."""

WORKSPACE_LAYOUT: Final = np.dtype(
    [
        # Others write here while the owner searches.
        ("stop", np.int64),
        ("room", np.int64, (7,)),
        # What is asked for.
        ("selective", np.int64),
        ("salt", np.int64),
        ("age", np.int64),
        ("noise", np.int64),
        ("limit", np.int64),
        # What came of it.
        ("over", np.int64),
        ("nodes", np.int64),
        ("pruned", np.int64),
        ("hits", np.int64),
        ("deepest", np.int64),
        # What helps to order moves, and where moves are put while they wait.
        ("killers", np.int64, (MAX_PLY, 2)),
        ("history", np.int64, (2, MOVE_NUMBER_LIMIT)),
        ("path", np.int64, (MAX_PLY,)),
        ("length", np.int64, (MAX_PLY,)),
        ("line", np.int16, (MAX_PLY, MAX_PLY)),
        ("order", np.int64, (MAX_PLY, MAX_MOVES_PER_POSITION)),
        ("moves", np.int64, (MAX_PLY, MAX_MOVES_PER_POSITION)),
    ],
    align=True,
)
"""One process's own. `over` says that the search was given up: by `stop`, at the deadline, or after `limit` nodes."""
