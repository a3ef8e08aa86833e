"""The JSON schema of every message, made from the models."""

from __future__ import annotations

from typing import Any, Final

from pydantic import TypeAdapter

from cornered.protocol.commands import COMMAND
from cornered.protocol.events import EVENT, UnknownEvent
from cornered.protocol.feed import NodeStatus, PublicMatchState
from cornered.protocol.messages import MESSAGE
from cornered.protocol.type_words import Schema
from cornered.protocol.values import Clock

__all__ = ["make_schema"]

INPUT: Final = "-Input"
OUTPUT: Final = "-Output"


def make_schema() -> Schema:
    """Return one schema whose definitions hold every message, the unions of them, and the documents that MQTT adds.

    A field with a default is optional in a client's message (`GameSpecInput`) and required in a server's (`GameSpec`),
    since the server sends every field.
    """
    unions, generated = TypeAdapter.json_schemas(
        [
            ("ClientMessage", "validation", COMMAND),
            ("ServerMessage", "serialization", MESSAGE),
            ("MatchEvent", "serialization", EVENT),
            ("Clock", "serialization", TypeAdapter(Clock)),
            ("ClockInput", "validation", TypeAdapter(Clock)),
            ("PublicMatchState", "serialization", TypeAdapter(PublicMatchState)),
            ("NodeStatus", "serialization", TypeAdapter(NodeStatus)),
        ]
    )
    # No server sends it: it is what a client makes of an event that it does not know.
    del generated["$defs"][UnknownEvent.__name__]
    definitions: Schema = {name: _plain(value) for name, value in generated["$defs"].items()}
    named = {name: _plain(union) for (name, _), union in unions.items() if "oneOf" in union}
    definitions = {name: _named(value, named) for name, value in definitions.items()} | named
    _merge(definitions)
    renamed = {name: _short(name) for name in definitions}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Cornered protocol, version 1",
        "description": "Every message is a ClientMessage or a ServerMessage, whichever way it travels.",
        "anyOf": [{"$ref": "#/$defs/ClientMessage"}, {"$ref": "#/$defs/ServerMessage"}],
        "$defs": {renamed[name]: _renamed(definitions[name], renamed) for name in sorted(definitions)},
    }


def _plain(schema: Any) -> Any:
    """Return the schema without generated titles, and with every tag required: the wire needs it."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {name: _plain(value) for name, value in schema.items() if not (name == "title" and isinstance(value, str))}
    properties = plain.get("properties", {})
    tags = [name for name, value in properties.items() if "const" in value]
    for name in tags:
        properties[name].pop("default", None)
    if tags:
        plain["required"] = [name for name in properties if name in tags or name in plain.get("required", [])]
    return plain


def _named(schema: Any, unions: Schema) -> Any:
    """Return the schema with a reference wherever it repeats one of the named unions."""
    if isinstance(schema, list):
        return [_named(item, unions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    for name, union in unions.items():
        if schema.get("oneOf") == union["oneOf"]:
            rest = {key: value for key, value in schema.items() if key not in union}
            return {"$ref": f"#/$defs/{name}", **rest}
    return {name: _named(value, unions) for name, value in schema.items()}


def _merge(definitions: Schema) -> None:
    """Make one of each pair that is the same in both directions."""
    while True:
        same = [
            name.removesuffix(INPUT)
            for name in definitions
            if name.endswith(INPUT) and definitions[name] == definitions[name.removesuffix(INPUT) + OUTPUT]
        ]
        if not same:
            return
        names = {name + direction: name for name in same for direction in (INPUT, OUTPUT)}
        for name in same:
            definitions[name] = definitions.pop(name + INPUT)
            del definitions[name + OUTPUT]
        for name, value in definitions.items():
            definitions[name] = _renamed(value, names)


def _short(name: str) -> str:
    return name.removesuffix(OUTPUT).replace(INPUT, "Input")


def _renamed(schema: Any, names: dict[str, str]) -> Any:
    """Return the schema with references to renamed definitions put right."""
    if isinstance(schema, list):
        return [_renamed(item, names) for item in schema]
    if isinstance(schema, dict):
        return {name: _renamed(value, names) for name, value in schema.items()}
    if isinstance(schema, str) and schema.startswith("#/$defs/"):
        name = schema.removeprefix("#/$defs/")
        return f"#/$defs/{names.get(name, name)}"
    return schema
