"""What a search writes down while it runs: one table for everybody, and a workspace for each process that searches.

A record is what a compiled recursive function can take without any cost for each call; an array is not. The template is
compiled for exactly these layouts, so all games share them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

__all__ = ["AGES", "ENTRIES", "MOVES", "PLIES", "TRANSPOSITION_TABLE", "WIDTH", "WORKSPACE"]

ENTRIES: Final = 1 << 20
"""Entries of the table, 16 bytes each; a power of two."""
PLIES: Final = 128
"""No line is longer than this, quiescence included."""
WIDTH: Final = 136
"""Room for the moves of one position, whatever the game."""
MOVES: Final = 256
"""Move numbers are below this, a power of two."""
AGES: Final = 64

TRANSPOSITION_TABLE: Final = np.dtype([("words", np.int64, (ENTRIES, 2))])
"""An entry is (key XOR data, data): one that two processes wrote at once does not match its key."""

WORKSPACE: Final = np.dtype(
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
        ("killers", np.int64, (PLIES, 2)),
        ("history", np.int64, (2, MOVES)),
        ("path", np.int64, (PLIES,)),
        ("length", np.int64, (PLIES,)),
        ("line", np.int16, (PLIES, PLIES)),
        ("order", np.int64, (PLIES, WIDTH)),
        ("moves", np.int64, (PLIES, WIDTH)),
    ],
    align=True,
)
"""One process's own. `over` says that the search was given up: by `stop`, at the deadline, or after `limit` nodes."""
