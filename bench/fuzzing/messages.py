"""Random messages: valid ones, generated from the schema of all commands, and mutations of them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgpack

from cornered.bench.fuzzing.places import PLACES
from cornered.protocol.commands import COMMAND

__all__ = ["Messages", "spoiled", "to_json", "to_msgpack"]

MAX_ITEMS: Final = 4
"""Maximum items of a generated list or mapping, so that most messages fit into a frame."""
FUZZ_WORDS: Final = (
    "trapgrid",
    "isolation",
    "bamboo",
    "quoridor",
    "size",
    "players",
    "dice",
    "walls",
    "a1",
    "b2",
    "d4",
    "e3h",
)
ODD_TEXTS: Final = (
    *("", " ", "\x00", "\x1b[2J", "\u202e", "\ufeff", "\ud800", "é" * 24, "💥" * 12, "a\u0300" * 20, "x" * 5_000),
    *("../../etc/passwd", "%s%n", "'; drop table events; --", "<script>", "null", "0x10", "١٢٣", "\u2028"),
)
ODD_VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, -(2**63), 10**30),
    *(0.5, -0.0, 1e308, float("inf"), float("nan"), [], {}, [[]], {"": None}, {"type": "play"}, [None] * 50),
)
_FIXED: Final = re.compile(r"\^\[([^]]+)\]\{(\d+)\}")
"""The pattern of codes and keys, which no random text meets: so many characters of one class."""
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_-"


@cache
def _schema() -> dict[str, Any]:
    return COMMAND.json_schema()


class Messages:
    """Generates commands, determined by `chance`."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        schema = _schema()
        self._definitions: dict[str, Any] = schema["$defs"]
        self._commands = [one["$ref"] for one in schema["oneOf"]]

    def hello(self) -> dict[str, Any]:
        """Return a valid hello of a new player."""
        return {"type": "hello", "name": f"Fuzz {self._chance.randrange(10**6)}", "kind": self._pick("person", "bot")}

    def command(self) -> dict[str, Any]:
        """Return a message of any class that the schema allows."""
        made: dict[str, Any] = self._of({"$ref": self._chance.choice(self._commands)}, "")
        return made

    def _pick(self, *of: str) -> str:
        return self._chance.choice(of)

    def _of(self, schema: dict[str, Any], name: str) -> Any:
        chance = self._chance
        if "$ref" in schema:
            return self._of(self._definitions[schema["$ref"].rpartition("/")[2]], name)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return chance.choice(schema["enum"])
        for several in ("oneOf", "anyOf"):
            if several in schema:
                return self._of(chance.choice(schema[several]), name)
        match schema.get("type"):
            case "object" if "properties" in schema:
                required = {*schema.get("required", ()), *(("type",) if "type" in schema["properties"] else ())}
                return {
                    key: self._of(part, key)
                    for key, part in schema["properties"].items()
                    if key in required or chance.random() < 0.5
                }
            case "object":
                inner = schema.get("additionalProperties", {"type": "integer"})
                inner = inner if isinstance(inner, dict) else {"type": "integer"}
                return {chance.choice(FUZZ_WORDS): self._of(inner, "") for _ in range(chance.randrange(MAX_ITEMS))}
            case "array":
                return self._list(schema)
            case "string":
                return self._text(schema, name)
            case "integer":
                low, high = schema.get("minimum", -10), schema.get("maximum", 10**6)
                return chance.choice((low, high, min(high, low + 1), chance.randint(low, min(high, low + 40))))
            case "number":
                return chance.choice((schema.get("minimum", 0.0), 0.5, chance.random()))
            case "boolean":
                return chance.random() < 0.5
            case _:
                return None

    def _list(self, schema: dict[str, Any]) -> list[Any]:
        if "prefixItems" in schema:
            return [self._of(one, "") for one in schema["prefixItems"]]
        low = schema.get("minItems", 0)
        number = self._chance.randint(low, min(schema.get("maxItems", MAX_ITEMS), low + MAX_ITEMS))
        return [self._of(schema.get("items", {"type": "integer"}), "") for _ in range(number)]

    def _text(self, schema: dict[str, Any], name: str) -> str:
        chance = self._chance
        if name == "id":
            # Few distinct ids, so that many are reused.
            return f"i{chance.randrange(40)}"
        if name in PLACES and chance.random() < 0.8:
            return chance.choice(PLACES[name])
        if (fixed := _FIXED.match(schema.get("pattern", ""))) and chance.random() < 0.8:
            return "".join(chance.choices(re.findall(f"[{fixed[1]}]", _LETTERS), k=int(fixed[2])))
        if chance.random() < 0.6:
            return chance.choice(FUZZ_WORDS)
        low = schema.get("minLength", 0)
        high = max(low, min(schema.get("maxLength", 30), 60))
        return "".join(chance.choices(_LETTERS, k=chance.choice((low, high, chance.randint(low, high)))))


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every part of a value except the whole."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from _paths(part, (*path, key))


def spoiled(chance: random.Random, message: Any) -> Any:
    """Return a message with one invalid part, or an unrelated value."""
    if chance.random() < 0.05:
        return chance.choice((*ODD_VALUES, *ODD_TEXTS))
    message = json.loads(json.dumps(message))
    paths = list(_paths(message))
    *way, last = chance.choice(paths)
    inside = message
    for key in way:
        inside = inside[key]
    match chance.randrange(7):
        case 0:
            del inside[last]
        case 1:
            inside[last] = chance.choice(ODD_VALUES)
        case 2:
            inside[last] = chance.choice(ODD_TEXTS)
        case 3 if isinstance(inside, dict):
            inside[f"{last}{chance.choice(('_', ' ', chr(0), 'é'))}"] = inside[last]
        case 4:
            for _ in range(chance.choice((2, 7, 8, 9, 40))):
                inside[last] = chance.choice(([inside[last]], {"a": inside[last]}))
        case 5:
            inside[last] = message.get("type") if isinstance(message, dict) else None
        case _:
            inside[last] = [inside[last]] * chance.choice((0, 2, 17, 200))
    return message


def to_json(chance: random.Random, message: Any) -> bytes:
    """Return a message as JSON text, sometimes with a defect of the text itself."""
    text = json.dumps(message, ensure_ascii=chance.random() < 0.5)
    match chance.randrange(30):
        case 0:
            text = text.replace("{", '{"type":"ping","id":"a",', 1)
        case 1:
            text = text[: chance.randrange(len(text) + 1)]
        case 2:
            text += chance.choice(("}", "{}", "\x00", " " * 9_000, "//", ","))
        case 3:
            text = "[" * chance.choice((9, 1_000, 8_000)) + text
        case 4:
            text = text.replace('"', "'")
        case 5:
            text = text.replace(":", ": \t\n")
        case _:
            pass
    raw = bytearray(text.encode("utf-8", "surrogatepass"))
    if raw and chance.random() < 0.04:
        raw[chance.randrange(len(raw))] = chance.randrange(256)
    return bytes(raw)


def to_msgpack(chance: random.Random, message: Any) -> bytes:
    """Return a message as msgpack, sometimes with damaged bytes."""
    try:
        raw = bytearray(msgpack.packb(message, unicode_errors="surrogatepass"))
    except (OverflowError, ValueError):
        raw = bytearray(msgpack.packb(str(message), unicode_errors="surrogatepass"))
    match chance.randrange(25):
        case 0:
            del raw[chance.randrange(len(raw) + 1) :]
        case 1:
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        case 2:
            raw *= 2
        case 3:
            # An array, a map or a text with an enormous declared length.
            raw[:1] = chance.choice((b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff"))
        case 4:
            raw[:0] = b"\x91" * chance.choice((7, 9, 600, 7_000))
        case 5:
            raw[:1] = chance.choice((b"\xc1", b"\xd4\x01\x00", b"\xc7\xff\x00", b"\xd6\xff\x00\x00\x00\x00"))
        case _:
            pass
    return bytes(raw)
