"""The shape of the networks, the scales of their integers, and the record that the compiled search keeps them in.

    accumulator = sum of the columns of all features + bias       int16, 1.0 is FIRST_SCALE
    hidden      = accumulator clipped to 0 .. FIRST_SCALE
    second      = (weights of layer 2 . hidden + bias) >> LAYER_SHIFT, clipped to 0 .. FIRST_SCALE
    logit       = weights of layer 3 . second + bias + the sum of one direct weight for each feature

    preference  = weights of a move . hidden + its bias

The logit is that of the mover's expected result, a preference that of a move among the legal ones, both in units of
1 / (FIRST_SCALE << LAYER_SHIFT).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from cornered.bots.kernels.plies import MAX_PLY

__all__ = ["FIRST_SCALE", "HIDDEN", "LAYER_SHIFT", "LOGIT_SCORE", "MOVES", "SCORE_LIMIT", "SECOND", "network_layout"]

HIDDEN: Final = 128
"""Units of the first layer."""
SECOND: Final = 16
"""Units of the second layer."""
MOVES: Final = 256
"""Moves are numbered below this."""
FIRST_SCALE: Final = 255
LAYER_SHIFT: Final = 6
"""Weights of the second and third layer are in units of 1 / 64."""
LOGIT_SCORE: Final = 300
"""Hundredths of a logit of 1: what `evaluate` returns for an expected result of 73%."""
SCORE_LIMIT: Final = 90_000
"""Scores end here, on both sides: the search takes greater ones for proofs."""


def network_layout(words: int, own: Sequence[Any] = ()) -> np.dtype[Any]:
    """Return the layout of a network over features that fill `words` words of 64 bits, with its accumulators by ply.

    The fields `own` of a game's scratch come before it.
    """
    return np.dtype(
        [
            *own,
            ("has_network", np.int64),
            # By seat of the mover: the second is the first turned round, so that positions need not be.
            ("columns", np.int16, (2, 64 * words, HIDDEN)),
            ("direct", np.int32, (2, 64 * words)),
            ("bias", np.int16, (HIDDEN,)),
            ("second", np.int16, (SECOND, HIDDEN)),
            ("second_bias", np.int32, (SECOND,)),
            ("third", np.int16, (SECOND,)),
            ("third_bias", np.int64),
            ("has_preferences", np.int64),
            ("moves", np.int16, (2, MOVES, HIDDEN)),
            ("moves_bias", np.int32, (2, MOVES)),
            # By ply: the features and the mover that the accumulator stands for; 0 is none yet, else the seat + 1.
            ("mover", np.int64, (MAX_PLY,)),
            ("features", np.int64, (MAX_PLY, words)),
            ("accumulator", np.int16, (MAX_PLY, HIDDEN)),
            ("direct_sum", np.int64, (MAX_PLY,)),
            ("marked", np.int64, (words,)),
        ],
        align=True,
    )
