"""Positions as rows of 64-bit words, so that an array holds many of them. Needs numpy."""

from __future__ import annotations

from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from cornered.engine.compile.kernel import HAS_COMPILER

__all__ = ["Row", "load", "store"]

P = TypeVar("P", bound=tuple[Any, ...])
Row = npt.NDArray[np.int64]

_MASK: Final = (1 << 64) - 1
_SIGN: Final = 1 << 63


def load(row: Row, like: P) -> P:
    """Return the position that `store` wrote into a row; `like` is any position of the same types."""
    made: P = type(like)(*(_typed(int(word), field) for word, field in zip(row, like, strict=False)))
    return made


def store(row: Row, position: tuple[Any, ...]) -> None:
    """Write a position into a row, one word for each field."""
    for index, field in enumerate(position):
        row[index] = ((int(field) & _MASK) ^ _SIGN) - _SIGN


def _typed(word: int, field: object) -> Any:
    return np.uint64(word & _MASK) if isinstance(field, np.uint64) else word


if HAS_COMPILER:
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic, overload

    def _place(builder: Any, array: Any, index: int) -> Any:
        return cgutils.gep_inbounds(builder, array.data, index)  # type: ignore[no-untyped-call]

    @intrinsic
    def _load(_context: Any, row: Any, like: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            words = [builder.load(_place(builder, array, index)) for index in range(signature.args[1].count)]
            return context.make_tuple(builder, signature.return_type, words)

        return like(row, like), generate

    @intrinsic
    def _store(_context: Any, row: Any, position: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            for index in range(signature.args[1].count):
                word = builder.extract_value(arguments[1], index)
                builder.store(word, _place(builder, array, index))
            return context.get_dummy_value()

        return types.none(row, position), generate

    def _are_words(position: Any) -> bool:
        return isinstance(position, types.BaseTuple) and {*position.types} <= {types.int64, types.uint64}  # type: ignore[attr-defined]

    @overload(load)
    def _compiled_load(row: Any, like: Any) -> Any:
        def implementation(row: Any, like: Any) -> Any:
            return _load(row, like)  # type: ignore[call-arg]  # numba passes the typing context

        return implementation if _are_words(like) and row.dtype == types.int64 else None

    @overload(store)
    def _compiled_store(row: Any, position: Any) -> Any:
        def implementation(row: Any, position: Any) -> Any:
            return _store(row, position)  # type: ignore[call-arg]  # numba passes the typing context

        return implementation if _are_words(position) and row.dtype == types.int64 else None
