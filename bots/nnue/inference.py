"""The compiled inference: updates an accumulator by the features that changed, and computes the score of a position."""

from __future__ import annotations

from typing import Any

import numpy as np

from cornered.bots.nnue.layout import FIRST_SCALE, HIDDEN, LAYER_SHIFT, LOGIT_SCORE, SCORE_LIMIT, SECOND
from cornered.engine.compile.kernel import HAS_COMPILER, kernel
from cornered.engine.kernels.bits import lowest

__all__ = ["forward", "preference", "update"]


def multiply_add(total: int, left: int, right: int) -> int:
    """Return total + left * right, compiled in 32 bits: numba's own sum has 64, which takes twice as long."""
    return int(total) + int(left) * int(right)


if HAS_COMPILER:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def _multiply_add(_context: Any, total: Any, left: Any, right: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word = ir.IntType(32)
            first, second = (builder.sext(argument, word) for argument in arguments[1:])
            return builder.add(arguments[0], builder.mul(first, second))

        return types.int32(types.int32, types.int16, types.int16), generate

    @overload(multiply_add)
    def _compiled_multiply_add(total: Any, left: Any, right: Any) -> Any:
        def implementation(total: Any, left: Any, right: Any) -> Any:
            return _multiply_add(total, left, right)  # type: ignore[call-arg]  # numba passes the typing context

        return implementation


@kernel
def update(ply: int, mover: int, words: int, network: Any) -> None:
    """Bring the accumulator of `ply` to the features in `network.marked`.

    It stands for the last position that was evaluated at this ply, most often one that differs by a move or two.
    """
    if network.mover[ply] != mover + 1:
        network.mover[ply] = mover + 1
        network.direct_sum[ply] = 0
        for unit in range(HIDDEN):
            network.accumulator[ply, unit] = network.bias[unit]
        for word in range(words):
            network.features[ply, word] = 0
    for word in range(words):
        now = network.marked[word]
        changed = now ^ network.features[ply, word]
        network.features[ply, word] = now
        while changed != 0:
            bit = lowest(changed)
            changed &= changed - 1
            feature = 64 * word + bit
            if now >> bit & 1 != 0:
                network.direct_sum[ply] += network.direct[mover, feature]
                for unit in range(HIDDEN):
                    network.accumulator[ply, unit] += network.columns[mover, feature, unit]
            else:
                network.direct_sum[ply] -= network.direct[mover, feature]
                for unit in range(HIDDEN):
                    network.accumulator[ply, unit] -= network.columns[mover, feature, unit]


@kernel
def forward(ply: int, network: Any) -> int:
    """Return the score of the accumulator of `ply`, in hundredths."""
    logit: int = network.third_bias + network.direct_sum[ply]
    for unit in range(SECOND):
        total = network.second_bias[unit]
        for i in range(HIDDEN):
            value = min(max(network.accumulator[ply, i], np.int16(0)), np.int16(FIRST_SCALE))
            total = multiply_add(total, value, network.second[unit, i])
        logit += min(max(total >> LAYER_SHIFT, 0), FIRST_SCALE) * network.third[unit]
    return max(-SCORE_LIMIT, min(logit * LOGIT_SCORE // (FIRST_SCALE << LAYER_SHIFT), SCORE_LIMIT))


@kernel
def preference(ply: int, mover: int, move: int, network: Any) -> int:
    """Return the logit of a move in the position of the accumulator of `ply`, in hundredths."""
    total: int = network.moves_bias[mover, move]
    for i in range(HIDDEN):
        value = min(max(network.accumulator[ply, i], np.int16(0)), np.int16(FIRST_SCALE))
        total = multiply_add(total, value, network.moves[mover, move, i])
    return total * 100 // (FIRST_SCALE << LAYER_SHIFT)
