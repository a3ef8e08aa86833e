"""The generated files match the messages, and the schema accepts exactly what the models do."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from cornered.protocol.codec import JSON
from cornered.protocol.manual import ERROR_WORDS
from cornered.protocol.messages import ErrorCode, Happened
from cornered.protocol.reference import REPOSITORY, generate, stale
from cornered.protocol.schema import make_schema

SCHEMA = make_schema()


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{name}"})


CLIENT, SERVER = validator("ClientMessage"), validator("ServerMessage")


def test_the_committed_files_are_those_that_the_messages_generate() -> None:
    assert stale(REPOSITORY) == [], "run `python -m cornered.protocol.reference`"


def test_a_file_that_is_missing_or_changed_is_stale(tmp_path: Path) -> None:
    for path, text in generate().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert stale(tmp_path) == []
    (tmp_path / "PROTOCOL.md").write_text("out of date", encoding="utf-8")
    (tmp_path / "protocol/schema.json").unlink()
    assert stale(tmp_path) == ["protocol/schema.json", "PROTOCOL.md"]


def test_the_schema_is_a_schema() -> None:
    of_schemas = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    assert list(of_schemas.iter_errors(SCHEMA)) == []


@settings(max_examples=150)
@given(data=st.data())
def test_the_schema_accepts_what_a_client_may_say(commands: Any, data: st.DataObject) -> None:
    assert list(CLIENT.iter_errors(json.loads(JSON.encode(data.draw(commands))))) == []


@settings(max_examples=100)
@given(data=st.data())
def test_the_schema_accepts_what_the_server_says(messages: Any, data: st.DataObject) -> None:
    message = data.draw(messages)
    # An event of a later server: a client reads it, and no server says it.
    assume(not (isinstance(message, Happened) and len(message.known) < len(message.events)))
    assert list(SERVER.iter_errors(json.loads(JSON.encode(message)))) == []


@pytest.mark.parametrize(
    "change", [{"ply": "3"}, {"ply": -1}, {"extra": 1}, {"type": "win"}, {"move": ""}, {"id": "a b"}, {"type": None}]
)
def test_the_schema_refuses_what_the_models_refuse(change: dict[str, object]) -> None:
    play: dict[str, object] = {"type": "play", "id": "c1", "match": "m1", "ply": 3, "move": "e4"}
    assert CLIENT.is_valid(play)
    assert not CLIENT.is_valid(play | change)


@pytest.mark.parametrize("field", ["type", "id", "match", "ply", "move"])
def test_the_schema_requires_every_field_without_a_default_and_the_tag(field: str) -> None:
    play: dict[str, object] = {"type": "play", "id": "c1", "match": "m1", "ply": 3, "move": "e4"}
    del play[field]
    assert not CLIENT.is_valid(play)


def test_every_error_code_is_explained() -> None:
    assert set(ERROR_WORDS) == set(get_args(ErrorCode))


def test_every_message_has_a_section_with_words_in_the_manual() -> None:
    manual = generate()["PROTOCOL.md"]
    for union in ("ClientMessage", "ServerMessage", "MatchEvent"):
        for variant in SCHEMA["$defs"][union]["oneOf"]:
            definition = SCHEMA["$defs"][variant["$ref"].removeprefix("#/$defs/")]
            assert f"### `{definition['properties']['type']['const']}`\n\n{definition['description']}" in manual


def test_the_types_of_the_page_tell_optional_fields_from_those_that_always_come() -> None:
    types = generate()["clients/typescript/src/protocol.ts"]
    assert 'export interface Play {\n  id: string;\n  match: string;\n  type: "play";\n  ply: number;\n' in types
    assert "  since?: number | null;\n" in types
    assert "  gauges: [string, number][];\n" in types
    assert "  refused: Record<string, string>;\n" in types
    assert "  events: MatchEvent[];\n" in types


def test_the_manuals_program_verifies_dice() -> None:
    code = generate()["PROTOCOL.md"].split("```python\n")[1].split("```")[0]
    space: dict[str, Any] = {}
    exec(code, space)
    seed = bytes(range(32))
    number = int.from_bytes(hmac.digest(seed, b"m1:7", "sha256"), "big")
    commitment = hashlib.sha256(seed).hexdigest()
    assert space["verify"]("m1", commitment, seed.hex(), 7) == str(number % 3 + 1)
    with pytest.raises(AssertionError):
        space["verify"]("m1", commitment, bytes(32).hex(), 7)
