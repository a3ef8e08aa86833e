"""The generated files match the messages, and the schema accepts exactly what the models do."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import assume, given, settings
from jsonschema import Draft202012Validator

from cornered.protocol.codec import JSON
from cornered.protocol.commands import COMMAND
from cornered.protocol.manual import ERROR_WORDS
from cornered.protocol.messages import ErrorCode, Happened
from cornered.protocol.reference import REPOSITORY, stale
from cornered.protocol.schema import make_schema
from tests.protocol.conftest import A_COMMAND, A_MESSAGE, COMMANDS, MESSAGES, check_each, generated

SCHEMA = make_schema()


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{name}"})


def kinds_of(union: str) -> list[str]:
    """Return the names of the definitions of a union."""
    return [variant["$ref"].removeprefix("#/$defs/") for variant in SCHEMA["$defs"][union]["oneOf"]]


def type_of(name: str) -> str:
    tag: str = SCHEMA["$defs"][name]["properties"]["type"]["const"]
    return tag


CLIENT, SERVER = validator("ClientMessage"), validator("ServerMessage")
PLAY = {"type": "play", "id": "c1", "match": "m1", "ply": 3, "move": "e4"}


def test_the_committed_files_are_those_that_the_messages_generate() -> None:
    assert stale(REPOSITORY) == [], "run `python -m cornered.protocol.reference`"


def test_a_file_that_is_missing_or_changed_is_stale(tmp_path: Path) -> None:
    for path, text in generated().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    (tmp_path / "PROTOCOL.md").write_text("out of date", encoding="utf-8")
    (tmp_path / "protocol/schema.json").unlink()
    assert stale(tmp_path) == ["protocol/schema.json", "PROTOCOL.md"]


BOUNDS = ({"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"})


def unbounded(schema: object, path: str = "") -> Iterator[str]:
    """Yield the paths of the numbers that have no least or no greatest value."""
    parts = schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ()
    for name, part in parts:
        yield from unbounded(part, f"{path}/{name}")
    is_number = isinstance(schema, dict) and schema.get("type") in ("integer", "number")
    if is_number and not all(dict(parts).keys() & bound for bound in BOUNDS):
        yield path


def test_each_number_of_a_client_has_bounds_that_a_database_and_a_browser_can_hold() -> None:
    schema = COMMAND.json_schema()
    assert list(unbounded(schema)) == []
    greatest = re.findall(r'"(?:exclusiveM|m)aximum": (\d+)', json.dumps(schema))
    assert max(map(int, greatest)) <= 2**53


def test_the_schema_is_a_schema() -> None:
    of_schemas = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    assert list(of_schemas.iter_errors(SCHEMA)) == []


def is_sayable(message: Any) -> bool:
    """Return whether a message is no event of a later server, which a client reads and no server says."""
    return not (isinstance(message, Happened) and len(message.known) < len(message.events))


def test_the_schema_accepts_each_message_by_the_definition_of_its_type(subtests: pytest.Subtests) -> None:
    for union, models in (("ClientMessage", COMMANDS), ("ServerMessage", MESSAGES)):
        by_type = {type_of(name): validator(name) for name in kinds_of(union)}
        assert len(by_type) == len(kinds_of(union)), "one type has two definitions"
        assert all("type" in SCHEMA["$defs"][name]["required"] for name in kinds_of(union))

        def check(message: Any) -> None:
            assume(is_sayable(message))
            found = by_type[message.type].iter_errors(json.loads(JSON.encode(message)))  # noqa: B023 - called here
            assert list(found) == []

        check_each(subtests, models, 2, check)


@settings(max_examples=10)
@given(command=A_COMMAND, message=A_MESSAGE.filter(is_sayable))
def test_the_schema_accepts_what_is_said_in_both_directions(command: Any, message: Any) -> None:
    assert CLIENT.is_valid(json.loads(JSON.encode(command)))
    assert SERVER.is_valid(json.loads(JSON.encode(message)))


def test_the_schema_refuses_what_the_models_refuse_and_requires_what_has_no_default() -> None:
    changes: tuple[dict[str, object], ...] = (
        {"ply": "3"}, {"ply": -1}, {"extra": 1}, {"type": "win"}, {"move": ""}, {"id": "a b"}, {"type": None},
    )  # fmt: skip
    wrong = [PLAY | change for change in changes]
    wrong += [{name: value for name, value in PLAY.items() if name != left_out} for left_out in PLAY]
    assert CLIENT.is_valid(PLAY)
    assert [message for message in wrong if CLIENT.is_valid(message)] == []


def test_every_error_code_is_explained() -> None:
    assert set(ERROR_WORDS) == set(get_args(ErrorCode))


def test_every_message_has_a_section_with_words_in_the_manual() -> None:
    manual = generated()["PROTOCOL.md"]
    names = [name for union in ("ClientMessage", "ServerMessage", "MatchEvent") for name in kinds_of(union)]
    sections = [f"### `{type_of(name)}`\n\n{SCHEMA['$defs'][name]['description']}" for name in names]
    assert [section for section in sections if section not in manual] == []


def test_the_types_of_the_page_tell_optional_fields_from_those_that_always_come() -> None:
    types = generated()["clients/typescript/src/protocol.ts"]
    assert 'export interface Play {\n  id: string;\n  match: string;\n  type: "play";\n  ply: number;\n' in types
    assert "  since?: number | null;\n" in types
    assert "  gauges: [string, number][];\n" in types
    assert "  refused: Record<string, string>;\n" in types
    assert "  events: MatchEvent[];\n" in types


def test_the_manuals_program_verifies_dice() -> None:
    code = generated()["PROTOCOL.md"].split("```python\n")[1].split("```")[0]
    space: dict[str, Any] = {}
    exec(code, space)
    seed = bytes(range(32))
    number = int.from_bytes(hmac.digest(seed, b"m1:7", "sha256"), "big")
    commitment = hashlib.sha256(seed).hexdigest()
    assert space["verify"]("m1", commitment, seed.hex(), 7) == str(number % 3 + 1)
    with pytest.raises(AssertionError):
        space["verify"]("m1", commitment, bytes(32).hex(), 7)
