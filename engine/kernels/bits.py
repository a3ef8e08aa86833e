"""Bit tricks that compiled rules share: one instruction in a kernel, the same answer in plain Python."""

from __future__ import annotations

from typing import Any

from cornered.engine.compile.arrays import Buffer, uint64
from cornered.engine.compile.kernel import HAS_COMPILER, kernel

__all__ = ["fill", "lowest", "popcount"]


def popcount(word: int | uint64) -> int:
    """Count the set bits of a word: an unsigned one, or a signed one whose sign bit is clear."""
    return int(word).bit_count()


def lowest(word: int | uint64) -> int:
    """Return the number of the lowest set bit of a word that is not 0."""
    bits = int(word)
    return (bits & -bits).bit_length() - 1


if HAS_COMPILER:
    from numba import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def _ctpop(_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return context.cast(builder, builder.ctpop(arguments[0]), signature.args[0], signature.return_type)

        return types.int64(word), generate

    @intrinsic
    def _cttz(_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            count = builder.cttz(arguments[0], context.get_constant(types.boolean, True))
            return context.cast(builder, count, signature.args[0], signature.return_type)

        return types.int64(word), generate

    @overload(popcount)
    def _compiled_popcount(word: Any) -> Any:
        def implementation(word: Any) -> Any:
            return _ctpop(word)  # type: ignore[call-arg]  # numba passes the typing context

        return implementation if isinstance(word, types.Integer) else None

    @overload(lowest)
    def _compiled_lowest(word: Any) -> Any:
        def implementation(word: Any) -> Any:
            return _cttz(word)  # type: ignore[call-arg]  # numba passes the typing context

        return implementation if isinstance(word, types.Integer) else None


@kernel
def fill(buffer: Buffer, n: int, word: int, offset: int) -> int:
    """Append the numbers of a word's bits to the buffer's first `n` moves; return how many there are then."""
    while word != 0:
        buffer[n] = offset + lowest(word)
        word &= word - 1
        n += 1
    return n
