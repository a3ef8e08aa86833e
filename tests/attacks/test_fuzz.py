"""Random input at every level, beside bystanders who play."""

from __future__ import annotations

import json
import random
from pathlib import Path

import msgpack
import pytest

from cornered.bench.fuzzing.cases import load, make, save
from cornered.bench.fuzzing.fuzzer import run
from cornered.bench.fuzzing.messages import Messages, to_msgpack
from cornered.protocol.codec import JSON
from cornered.protocol.commands import COMMAND

SECONDS = 20.0
LONG_SECONDS = 60.0
KEPT = Path(__file__).parents[2] / "fuzz-failures"


@pytest.mark.campaign
def test_a_server_withstands_random_input(*, is_long: bool) -> None:
    findings = run(LONG_SECONDS if is_long else SECONDS, seed=1, replay=None, keep=KEPT)
    assert findings.row.is_withstood, "\n".join((findings.row.did, *findings.row.faults, f"cases: {findings.cases}"))


def test_generated_messages_are_of_every_class_and_valid() -> None:
    messages = Messages(random.Random(1))
    made = [messages.command() for _ in range(1_000)]
    kinds = {type(COMMAND.validate_python(one, strict=False)).__name__ for one in made if _is_valid(one)}
    assert kinds == {one["$ref"].rpartition("/")[2] for one in COMMAND.json_schema()["oneOf"]}
    assert sum(map(_is_valid, made)) > 0.9 * len(made)


def _is_valid(message: object) -> bool:
    packed = to_msgpack(random.Random(7), message)
    try:
        JSON.decode_command(json.dumps(msgpack.unpackb(packed)).encode())
    except ValueError:
        return False
    return True


def test_the_same_seed_makes_the_same_cases() -> None:
    assert [make(3, number) for number in range(50)] == [make(3, number) for number in range(50)]
    assert make(3, 1) != make(4, 1)


def test_cases_come_back_from_a_file_as_they_were(tmp_path: Path) -> None:
    cases = [make(5, number) for number in range(50)]
    save(cases, tmp_path / "cases.jsonl")
    assert load(tmp_path / "cases.jsonl") == cases
