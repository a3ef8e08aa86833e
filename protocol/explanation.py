"""Explains in plain words why a message is refused: the place, what is expected there, and what was found.

The validator's own sentences are not used. What is expected comes from the message's JSON schema, in the words of
PROTOCOL.md. Little of the sender's text is repeated, and of a secret nothing but its length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from cornered.protocol.messages import ErrorCode
from cornered.protocol.suggestion import did_you_mean, nearest
from cornered.protocol.text import visible
from cornered.protocol.type_words import Schema, described, literal

__all__ = ["MAX_TEXT", "Kinds", "explain", "kinds_of"]

MAX_TEXT: Final = 300
"""Characters of an explanation."""
MAX_EXPLAINED: Final = 20
"""The most errors in one message of which one is reported. Pydantic makes a value for each, at 3 us."""
MAX_ECHO: Final = 40
"""Characters of a sender's text that an explanation repeats."""
MAX_LISTED: Final = 160
"""Characters of a list of names in an explanation."""
EXACT: Final = 10**18
"""Whole numbers from here on are not repeated: Python refuses to write very long ones."""

Kinds: TypeAlias = Mapping[str, type[BaseModel]]
"""The models of a union of messages by their `type`."""


class _Place(NamedTuple):
    """Where an error is: its path, the schema of the value there, and that of the map or list around it."""

    path: tuple[str, ...]
    schema: Schema
    around: Schema


def kinds_of(union: Any) -> Kinds:
    """Return the models of a union that is annotated with the discriminator `type`."""
    return {model.model_fields["type"].default: model for model in get_args(get_args(union)[0])}


def explain(error: ValidationError, kinds: Kinds) -> tuple[ErrorCode, str]:
    """Return the code and the text of the refusal of a message, which should be one of `kinds`."""
    if error.error_count() > MAX_EXPLAINED:
        return "malformed", f"more than {MAX_EXPLAINED} things are wrong with this message"
    errors = error.errors(include_url=False)
    first = errors[0]
    if first["type"] == "json_invalid":
        return "malformed", f"this is not JSON: {_broken(first)}"
    code: ErrorCode = "malformed"
    if first["loc"]:
        text = _explain_field(_telling(errors), kinds)
    elif isinstance(message := first["input"], dict):
        code, text = "unknown_type", _explain_type(message, kinds)
    else:
        text = f"a message is a map with a `type`; found {_found(message)}"
    return code, text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 3]}..."


def _explain_type(message: Mapping[Any, Any], kinds: Kinds) -> str:
    """Explain a message without a known type."""
    if "type" not in message:
        near = nearest("type", [name for name in message if isinstance(name, str)])
        hint = "" if near is None else f"; did you mean `type` by {_echo(near)}?"
        return f'type: missing; every message has one, such as "hello" or "play"{hint}'
    name = message["type"]
    if not isinstance(name, str):
        return f"type: expected the name of a message, found {_found(name)}"
    return f"type: there is no message {_echo(name)}{did_you_mean(name, kinds) or '; PROTOCOL.md lists them all'}"


def _telling(errors: Sequence[ErrorDetails]) -> ErrorDetails:
    """Return the error that says most: instead of a missing field the one that is probably its misspelling."""
    first = errors[0]
    if first["type"] == "missing":
        for other in errors:
            is_beside = other["type"] == "extra_forbidden" and other["loc"][:-1] == first["loc"][:-1]
            if is_beside and nearest(other["loc"][-1], [str(first["loc"][-1])]) is not None:
                return other
    return first


def _explain_field(error: ErrorDetails, kinds: Kinds) -> str:
    """Explain an error inside a message of a known type."""
    name, *loc = error["loc"]
    model = kinds[str(name)]
    root = _schema_of(model)
    place = _find(root, loc)
    path = ".".join(place.path)
    is_secret = bool(loc) and loc[0] in model.model_fields and not model.model_fields[str(loc[0])].repr
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return f"{path}: {_of_unknown(str(loc[-1]), place.around, str(name) if len(loc) == 1 else '')}"
    if kind == "forbidden_text":
        return f"{path}: {error['msg']}"
    if loc[-1:] == ["[key]"]:
        return f"{path}: a key {_of_key(context)}, not {_found(value)}"
    tag = place.schema.get("discriminator", {}).get("propertyName")
    if tag is not None and isinstance(value, dict):
        return _explain_tag(f"{path}.{tag}", place.schema["discriminator"]["mapping"], tag in value, value.get(tag))
    expected = _expected(place.schema, root)
    if kind == "missing":
        return f"{path}: missing; expected {expected}"
    if kind == "string_pattern_mismatch":
        expected += f" that matches {context['pattern']}"
    if kind == "too_long" and isinstance(value, dict):
        expected += f", at most {context['max_length']}"
    found = _measure(value) if is_secret or kind.endswith(("too_long", "too_short")) else _found(value)
    hint = "" if is_secret else did_you_mean(value, _literals(place.schema, root))
    return f"{path}: expected {expected}, found {found}{hint}"


def _explain_tag(path: str, kinds: Iterable[str], is_given: bool, value: object) -> str:
    """Explain the field of a map that says of which kind the map is."""
    expected = _one_of(kinds)
    if not is_given:
        return f"{path}: missing; expected {expected}"
    return f"{path}: expected {expected}, found {_found(value)}{did_you_mean(value, kinds)}"


def _expected(schema: Schema, root: Schema) -> str:
    """Return a description of what is valid in a place."""

    def fields(name: str) -> str:
        return _fields(root["$defs"][name])

    match schema:
        case {"discriminator": {"propertyName": tag, "mapping": kinds}}:
            return f"a map whose `{tag}` is {_one_of(kinds)}"
        case {"properties": _}:
            return _fields(schema)
        case _:
            return described(schema, str, fields)


def _one_of(kinds: Iterable[str]) -> str:
    *before, last = map(literal, kinds)
    return f"{', '.join(before)} or {last}"


def _of_unknown(name: str, around: Schema, message: str) -> str:
    """Return what to say of a field that a message does not have, or a map inside one, for which `message` is empty."""
    fields = [field for field in around.get("properties", ()) if not (message and field == "type")]
    whose = f"`{message}` has" if message else "there is"
    hint = did_you_mean(name, fields)
    if hint:
        return f"{whose} no such field{hint}"
    return f"{whose} no such field; the fields are {_listed(fields)}"


def _of_key(context: Mapping[str, Any]) -> str:
    if "pattern" in context:
        return f"matches {context['pattern']}"
    if "max_length" in context:
        return f"has at most {context['max_length']} characters"
    return "is text of at least 1 character"


def _find(root: Schema, loc: Sequence[str | int]) -> _Place:
    """Return the place of an error's location, which also has tags and labels of alternatives beside the names."""
    path: list[str] = []
    schema = around = root
    for part in loc:
        whole = _resolved(schema, root)
        match whole:
            case {"discriminator": {"mapping": mapping}} if part in mapping:
                schema = {"$ref": mapping[part]}
            case {"properties": properties}:
                path.append(_clipped(part))
                schema, around = properties.get(part, {}), whole
            case {"type": "array"}:
                path.append(str(part))
                items = whole.get("prefixItems", ())
                schema = items[part] if isinstance(part, int) and part < len(items) else whole.get("items", {})
                around = whole
            case {"type": "object"}:
                path.append(_clipped(part))
                values = list(whole.get("patternProperties", {}).values()) or [whole.get("additionalProperties", {})]
                schema, around = values[0], whole
            case _:
                # The label of one of several alternatives, of which the expectation names all.
                pass
    if loc[-1:] == ["[key]"]:
        # The error is about the key before it, and is told of the map.
        del path[-1]
        schema = around
    return _Place(tuple(path), _resolved(schema, root), around)


def _resolved(schema: Schema, root: Schema) -> Schema:
    """Return the schema behind references, and without the alternative of null where only one other is left."""
    while True:
        if "$ref" in schema:
            schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
            continue
        others = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
        if len(others) != 1 or not ("$ref" in others[0] or {"discriminator", "items", "prefixItems"} & set(others[0])):
            return schema
        schema = others[0]


def _literals(schema: Schema, root: Schema) -> Iterator[str]:
    """Yield the texts of which a value may be one."""
    for one in (schema, *schema.get("anyOf", ())):
        yield from (value for value in (*_resolved(one, root).get("enum", ()), one.get("const")) if value is not None)


def _fields(schema: Schema) -> str:
    return f"a map with the fields {_listed(schema['properties'])}"


def _listed(names: Iterable[str]) -> str:
    """Return names with commas between them, as many as there is room for."""
    listed = ""
    for name in names:
        if len(listed) + len(name) > MAX_LISTED:
            return f"{listed}, ..."
        listed = f"{listed}, {name}" if listed else name
    return listed or "none"


@lru_cache(maxsize=256)
def _schema_of(model: type[BaseModel]) -> Schema:
    return model.model_json_schema()


def _found(value: object) -> str:
    """Return a short description of what a message has in a place."""
    match value:
        case str():
            return _echo(value)
        case None | bool():
            return literal(value)
        case int() if -EXACT < value < EXACT:
            return str(value)
        case int():
            return "a very large number"
        case float() if math.isfinite(value):
            return repr(value)
        case float():
            return "a number that is not finite"
        case dict():
            return "a map"
        case list() | tuple():
            return "a list"
        case bytes():
            return "bytes; texts have a type of their own in msgpack"
        case _:
            return "an extension type"


def _measure(value: object) -> str:
    """Return how long a text, list or map is, without its content."""
    match value:
        case str():
            return f"text of {len(value)} characters"
        case list() | tuple():
            return f"a list of {len(value)}"
        case dict():
            return f"a map of {len(value)}"
        case int() | float() | None:
            return "no text"
        case _:
            return _found(value)


def _echo(text: str) -> str:
    """Return the beginning of a sender's text in quotes, on one line and without hidden characters."""
    return literal(visible(text[:MAX_ECHO])) if len(text) <= MAX_ECHO else f"{literal(visible(text[:MAX_ECHO]))}..."


def _clipped(part: str | int) -> str:
    text = str(part)
    return visible(text[:MAX_ECHO]) + ("..." if len(text) > MAX_ECHO else "")


def _broken(error: ErrorDetails) -> str:
    """Return where JSON text is broken, in the words of its parser."""
    reason = str(error.get("ctx", {}).get("error", "it cannot be read"))
    return reason.replace("EOF while parsing", "it ends inside")
