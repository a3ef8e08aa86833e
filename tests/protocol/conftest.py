"""Strategies for every message, derived from the models themselves."""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache, partial
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import strategies as st
from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo

from cornered.protocol.codec import CODECS, Codec
from cornered.protocol.commands import ClientMessage
from cornered.protocol.messages import ServerMessage

LARGEST = 2**53
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
    """Return a strategy for the values of one annotation."""
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


@pytest.fixture(params=CODECS, scope="session")
def codec(request: pytest.FixtureRequest) -> Codec:
    """Both codecs: every test that names it runs through JSON and through msgpack."""
    return CODECS[request.param]


@pytest.fixture(scope="session")
def commands() -> st.SearchStrategy[Any]:
    """Every message that a client may send."""
    return st.sampled_from(COMMANDS).flatmap(model)


@pytest.fixture(scope="session")
def messages() -> st.SearchStrategy[Any]:
    """Every message that the server may send."""
    return st.sampled_from(MESSAGES).flatmap(model)


@pytest.fixture(params=COMMANDS, ids=lambda kind: kind.__name__, scope="session")
def each_command(request: pytest.FixtureRequest) -> st.SearchStrategy[Any]:
    """One kind of command at a time."""
    return model(request.param)


@pytest.fixture(params=MESSAGES, ids=lambda kind: kind.__name__, scope="session")
def each_message(request: pytest.FixtureRequest) -> st.SearchStrategy[Any]:
    """One kind of server message at a time."""
    return model(request.param)
