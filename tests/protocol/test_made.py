"""Events and server messages: built without validation, and validated wherever they are read."""

from __future__ import annotations

import pickle

import pytest
from pydantic import ValidationError

from cornered.protocol.events import EVENT, MatchEvent, Played, Rolled
from cornered.protocol.messages import Acknowledged, Happened
from cornered.protocol.values import Clocks, Made
from tests.protocol.conftest import MESSAGES, members


def played(seq: int = 2) -> Played:
    return Played(seq=seq, at=5, seat=0, cause="c1", ply=0, move="a1", spent=3, left=(None, None))


def test_every_event_and_server_message_is_built_without_validation() -> None:
    kinds = [*members(MatchEvent), *MESSAGES]
    assert [kind for kind in kinds if not issubclass(kind, Made)] == []
    # The generated constructor knows plain defaults only.
    fields = [(kind, field) for kind in kinds for field in kind.__pydantic_fields__.values()]
    assert [found for found in fields if found[1].default_factory is not None] == []


def test_building_validates_nothing_and_reading_everything() -> None:
    wrong = played(seq=0)
    assert wrong.seq == 0
    with pytest.raises(ValidationError):
        EVENT.validate_json(wrong.model_dump_json())
    with pytest.raises(ValidationError):
        Played.model_validate(wrong.model_dump())


def test_a_built_value_equals_the_one_that_is_read() -> None:
    clocks = Clocks(left=(None, None), running=None, at=5)
    built = Happened(match="m", events=(played(),), position="0", ply=1, to_move=1, clocks=clocks)
    read = Happened.model_validate_json(built.model_dump_json())
    assert read == built
    assert hash(read) == hash(built)
    assert repr(read) == repr(built)
    assert pickle.loads(pickle.dumps(built)) == built


def test_defaults_are_those_of_the_class_and_a_missing_or_unknown_field_is_an_error() -> None:
    assert Acknowledged(id="c1") == Acknowledged.model_validate({"type": "acknowledged", "id": "c1"})
    with pytest.raises(TypeError, match="missing"):
        Rolled(seq=1, at=5, ply=0)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected"):
        Acknowledged(id="c1", at=5)  # type: ignore[call-arg]


def test_a_copy_changes_nothing_of_the_original() -> None:
    original = played()
    assert original.model_copy(update={"seq": 3}).seq == 3
    assert original.seq == 2
    with pytest.raises(ValidationError, match="frozen"):
        original.seq = 3
