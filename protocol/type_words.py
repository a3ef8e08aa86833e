"""The words in which PROTOCOL.md and refusals describe the type of a value, made from its JSON schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

__all__ = ["Schema", "described", "literal"]

Schema: TypeAlias = dict[str, Any]
"""A JSON schema as parsed JSON."""


def literal(value: object) -> str:
    """Return a value as JSON writes it."""
    return json.dumps(value, ensure_ascii=False)


def described(schema: Any, quoted: Callable[[str], str], named: Callable[[str], str]) -> str:
    """Return a description of a value's type.

    `quoted` marks a literal, which is in JSON, and `named` returns the words for a reference to a definition.
    """

    def words(of: Any) -> str:
        return described(of, quoted, named)

    match schema:
        case {"$ref": reference}:
            return named(str(reference).removeprefix("#/$defs/"))
        case {"const": value}:
            return quoted(literal(value))
        case {"enum": values}:
            *before, last = (quoted(literal(value)) for value in values)
            return f"{', '.join(before)} or {last}"
        case {"anyOf": variants} | {"oneOf": variants}:
            return " or ".join(dict.fromkeys(map(words, variants)))
        case {"type": "array", "prefixItems": items}:
            return f"list of {' and '.join(map(words, items))}"
        case {"type": "array", "items": item}:
            return f"list of {words(item)}{_count(schema)}"
        case {"type": "object", "patternProperties": patterns}:
            return f"map from text to {' or '.join(map(words, patterns.values()))}"
        case {"type": "object", "additionalProperties": dict() as value}:
            return f"map from text to {words(value)}"
        case {"type": "number"}:
            return f"number{_range(schema, 'minimum', 'maximum')}"
        case {"type": "integer"}:
            return f"integer{_range(schema, 'minimum', 'maximum')}"
        case {"type": "string"}:
            length = _range(schema, "minLength", "maxLength")
            return f"text{length} characters" if length else "text"
        case {"type": "boolean"}:
            return "true or false"
        case {"type": "null"}:
            return "null"
        case _:
            raise ValueError(f"a schema without a description: {schema}")


def _count(schema: Schema) -> str:
    least, most = schema.get("minItems"), schema.get("maxItems")
    if most is None:
        return f", at least {least}" if least else ""
    return f", {least} to {most} of them" if least else f", at most {most}"


def _range(schema: Schema, low: str, high: str) -> str:
    lowest, highest = schema.get(low), schema.get(high)
    if highest is not None and highest < 2**53:
        return f" {lowest or 0:.15g} to {highest:.15g}" if low == "minimum" else f" of {lowest or 0} to {highest}"
    return f" from {lowest}" if lowest else ""
