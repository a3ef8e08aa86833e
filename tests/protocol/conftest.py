"""Strategies for every message, derived from the models themselves."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo

from cornered.protocol.codec import CODECS, Codec, ProtocolError
from cornered.protocol.commands import ClientMessage
from cornered.protocol.messages import ServerMessage
from cornered.protocol.reference import generate

LARGEST = 2**53
CHARACTERS = re.compile(r"\^(\[[^]]+\])\+\$")
"""A pattern that says which characters a text has; `from_regex` is slow."""
STRATEGIES: dict[str, st.SearchStrategy[Any]] = {}
WRITTEN = st.characters(codec="utf-8", exclude_categories=["C", "M", "Z"])
"""Characters of visible texts; NFKC expands some of them, so lengths may still exceed a limit."""


def constraints_of(metadata: tuple[Any, ...]) -> dict[str, Any]:
    """Return the limits in a field's annotations, whichever objects carry them."""
    found: dict[str, Any] = {}
    for item in metadata:
        items = item.metadata if isinstance(item, FieldInfo) else [item]
        for one in items:
            if isinstance(one, BeforeValidator):
                found["clean"] = one.func
            for name in ("ge", "le", "lt", "min_length", "max_length", "pattern"):
                value = getattr(one, name, None)
                if value is not None:
                    found[name] = value
    return found


def is_acceptable(clean: Any, text: str) -> bool:
    """Return whether a field that normalises its text accepts this one."""
    try:
        return clean is None or bool(clean(text))
    except ValueError:
        return False


def strategy(kind: Any, limits: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return the strategy for the values of one annotation. Many fields have the same one, which is slow to make."""
    key = f"{kind!r} {limits!r}"
    if key not in STRATEGIES:
        STRATEGIES[key] = new_strategy(kind, limits)
    return STRATEGIES[key]


def new_strategy(kind: Any, limits: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return strategy(arguments[0], {**limits, **constraints_of(arguments[1:])})
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of([strategy(argument, {}) for argument in arguments])
    if origin is tuple and arguments[-1] is not Ellipsis:
        return st.tuples(*(strategy(argument, {}) for argument in arguments))
    if origin is tuple:
        least, most = limits.get("min_length", 0), min(3, limits.get("max_length", 3))
        return st.lists(strategy(arguments[0], {}), min_size=least, max_size=most).map(tuple)
    if origin is dict:
        keys, values = (strategy(argument, {}) for argument in arguments)
        return st.dictionaries(keys, values, max_size=3)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return model(kind)
    if kind is bool:
        return st.booleans()
    if kind is int:
        return st.integers(limits.get("ge", -LARGEST), limits.get("le", limits.get("lt", LARGEST + 1) - 1))
    if kind is float:
        return st.floats(limits.get("ge"), limits.get("le"), allow_nan=False, allow_infinity=False)
    if kind is str and (found := CHARACTERS.fullmatch(limits.get("pattern", ""))):
        allowed = [character for character in map(chr, range(128)) if re.match(found[1], character)]
        return st.text(allowed, min_size=limits.get("min_length", 1), max_size=min(30, limits["max_length"]))
    if kind is str and "pattern" in limits:
        fitting = st.from_regex(limits["pattern"].replace("$", r"\Z"), alphabet=st.characters(codec="utf-8"))
        return fitting.filter(lambda text: limits.get("min_length", 0) <= len(text) <= limits["max_length"])
    if kind is str:
        return st.text(
            st.characters(codec="utf-8") if "clean" not in limits else WRITTEN,
            min_size=limits.get("min_length", 0),
            max_size=min(30, limits.get("max_length", 30)),
        ).filter(partial(is_acceptable, limits.get("clean")))
    assert kind is type(None), kind
    return st.none()


@cache
def model(kind: type[BaseModel]) -> st.SearchStrategy[Any]:
    """Return a strategy for the instances of one model."""
    fields = {
        name: strategy(field.annotation, constraints_of(tuple(field.metadata)))
        for name, field in kind.model_fields.items()
    }
    return st.builds(kind, **fields)


def members(union: Any) -> tuple[type[BaseModel], ...]:
    """Return the classes of a union that is annotated with its discriminator."""
    return get_args(get_args(union)[0])


COMMANDS = members(ClientMessage)
MESSAGES = members(ServerMessage)


generated = cache(generate)
"""Return the generated files by path."""
BOTH: Final = tuple(CODECS.values())
A_COMMAND: Final = st.sampled_from(COMMANDS).flatmap(model)
"""Every message that a client may send."""
A_MESSAGE: Final = st.sampled_from(MESSAGES).flatmap(model)
"""Every message that the server may send."""


def pack(codec: Codec, value: Any) -> str | bytes:
    """Return any value encoded by the codec."""
    return json.dumps(value, ensure_ascii=False) if codec.is_text else msgpack.packb(value)


def refusal(codec: Codec, raw: str | bytes) -> ProtocolError:
    """Return the error of a command that is refused."""
    with pytest.raises(ProtocolError) as caught:
        codec.decode_command(raw)
    return caught.value


def check_each(
    subtests: pytest.Subtests, kinds: Iterable[type[BaseModel]], examples: int, check: Callable[[Any], None]
) -> None:
    """Call `check` with `examples` values of each of the models."""
    for kind in kinds:
        with subtests.test(kind.__name__):
            settings(max_examples=examples)(given(model(kind))(check))()
