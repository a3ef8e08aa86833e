"""The records of the compiled proof search: what one process owns, and the bounded transposition table."""

from __future__ import annotations

from typing import Final

import numpy as np

from cornered.bots.kernels.plies import MAX_PLY

__all__ = ["ENTRY_BYTES", "INFINITE", "MOVES_MAX", "PLIES_MAX", "WAYS", "WORDS", "WORKSPACE_LAYOUT"]

INFINITE: Final = 1 << 28
"""The proof number of a claim that is refuted, and the disproof number of one that is proven."""
PLIES_MAX: Final = MAX_PLY - 2
"""Plies of the longest line that a search follows, and the greatest distance that a claim may ask for."""
MOVES_MAX: Final = 136
WAYS: Final = 4
"""Entries of a bucket; the one with the least effort below it is replaced."""
WORDS: Final = 4
"""Words of an entry: the key; phi (upper 32 bits) and delta; the distances, proven and, from bit 8, refuted, each plus
one and 0 for none; the effort below it in nodes."""
ENTRY_BYTES: Final = 8 * WORDS

WORKSPACE_LAYOUT: Final = np.dtype(
    [
        ("attacker", np.int64),
        ("scale", np.int64),
        ("columns", np.int64),
        ("rows", np.int64),
        ("limit", np.int64),
        ("nodes", np.int64),
        ("stopped", np.int64),
        # What a call found out about its position, by ply.
        ("phi", np.int64, (MAX_PLY,)),
        ("delta", np.int64, (MAX_PLY,)),
        ("proven", np.int64, (MAX_PLY,)),
        ("refuted", np.int64, (MAX_PLY,)),
        # The moves of each node on the path, and the same about the positions after them.
        ("moves", np.int64, (MAX_PLY, MOVES_MAX)),
        ("phis", np.int64, (MAX_PLY, MOVES_MAX)),
        ("deltas", np.int64, (MAX_PLY, MOVES_MAX)),
        ("provens", np.int64, (MAX_PLY, MOVES_MAX)),
        ("refuteds", np.int64, (MAX_PLY, MOVES_MAX)),
        ("efforts", np.int64, (MAX_PLY, MOVES_MAX)),
    ],
    align=True,
)
"""`attacker` is the seat whose win is claimed, `scale` the hundredths of evaluation that double a first proof number, 0
for first numbers of 1. `nodes` counts positions looked at for the first time or again without an entry; the search
stops at `limit`. Distances are in plies, -1 where nothing is known."""
